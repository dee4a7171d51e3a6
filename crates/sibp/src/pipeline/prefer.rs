//! Predicts preferences, Eq. (18): the probability that one object is more like a second than like a third.

use super::{Coder, CodingError, Reading};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::format::Fitted;
use crate::likelihood::preference::{Scoring, contribution};
use crate::trace::Draw;
use crate::triplets::Triplet;

/// Probability of one triplet under one draw's codes and weights; the posterior mean averages it over draws.
///
/// ```
/// use sibp::codes::Codes;
/// use sibp::pipeline::preference_probability;
/// use sibp::likelihood::preference::Scoring;
/// use sibp::triplets::Triplet;
/// let mut codes = Codes::zeros(3, 1);
/// codes.set(2, 0, true);
/// let p = preference_probability(&codes, &[1.0], Triplet { anchor: 0, near: 1, far: 2 }, &Scoring::new(0.01, 0.0));
/// assert!((p - 0.995).abs() < 1e-12);
/// ```
pub fn preference_probability(codes: &Codes, weights: &[f64], triplet: Triplet, scoring: &Scoring) -> f64 {
    let [anchor, near, far] = [triplet.anchor, triplet.near, triplet.far].map(|object| object as usize);
    let (mut a, mut b) = (0.0, 0.0);
    for (bit_ix, weight) in weights.iter().enumerate() {
        let (for_a, for_b) = contribution(codes.get(anchor, bit_ix), codes.get(near, bit_ix), codes.get(far, bit_ix));
        a += weight * for_a;
        b += weight * for_b;
    }
    scoring.probability(a, b)
}

impl Fitted {
    /// Posterior means of the probabilities of triplets over the rows of `inputs` (before the transform).
    ///
    /// The draws of all chains are summed in a fixed order; `known` holds the given bits of every row, where the
    /// caller knows them.
    pub fn preferences(
        &self,
        (inputs, known): (&Inputs, Option<&Codes>),
        triplets: &[Triplet],
        reading: &Reading,
        threads: usize,
    ) -> Result<Vec<f64>, CodingError> {
        let preference = self.info.model.preference().ok_or(CodingError::NoPreferences)?;
        let n_objects = inputs.n_objects();
        let members = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]);
        if let Some(object) = members.max().filter(|&object| object as usize >= n_objects) {
            return Err(CodingError::UnknownObject { object, n_objects });
        }
        let (rows, asked) = mentioned(triplets);
        let (inputs, known) = (inputs.select(&rows), known.map(|known| known.select(&rows)));
        let draws: Vec<&Draw> = self.chains.iter().flat_map(|chain| chain.all_draws()).collect();
        let mut sums = vec![0.0; triplets.len()];
        for &draw in &draws {
            let scoring = Scoring::new(draw.positive("lapse")?, preference.pseudo_weight);
            let coder: Coder = self.coder_by(&[draw], reading)?;
            let codes = coder.encode_rows(&inputs, known.as_ref(), 0, threads)?;
            for (sum, &triplet) in sums.iter_mut().zip(&asked) {
                *sum += preference_probability(&codes, coder.weights(), triplet, &scoring);
            }
        }
        Ok(sums.into_iter().map(|sum| sum / draws.len() as f64).collect())
    }
}

/// The objects that occur in a triplet, and the triplets renumbered to them.
fn mentioned(triplets: &[Triplet]) -> (Vec<usize>, Vec<Triplet>) {
    let mut rows: Vec<u32> = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]).collect();
    rows.sort_unstable();
    rows.dedup();
    let place = |row: u32| rows.partition_point(|&r| r < row) as u32;
    let asked = triplets.iter().map(|t| Triplet { anchor: place(t.anchor), near: place(t.near), far: place(t.far) });
    let asked = asked.collect();
    (rows.iter().map(|&row| row as usize).collect(), asked)
}
