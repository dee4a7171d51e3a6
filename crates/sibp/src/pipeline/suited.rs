//! Chooses the transform of inputs under which plain distances agree best with judgements.
//!
//! Whether columns are to be put on a common scale depends on what they are: quantities in different units must be, the
//! coordinates of an embedding must not, as that would blow up those that hold noise. Judgements tell, before any fit.

use crate::data::Inputs;
use crate::eval::euclidean_agreement;
use crate::transform::{InputTransform, Step, Transform};
use crate::triplets::{TripletSet, mentioned};

/// Judgements that are asked, at most.
const MOST_ASKED: usize = 20_000;

/// The transforms to choose among, the one for the most general inputs first.
fn candidates() -> [InputTransform; 3] {
    [
        InputTransform { steps: vec![Step::Standardise, Step::Scale] },
        InputTransform { steps: vec![Step::Centre, Step::Scale] },
        InputTransform { steps: vec![Step::Unit, Step::Centre, Step::Scale] },
    ]
}

/// The candidate whose Euclidean distances agree with the largest share of the triplets; of equals, the first. One that
/// the inputs do not allow is left out.
pub fn suited(inputs: &Inputs, triplets: &TripletSet) -> InputTransform {
    let step = triplets.len().div_ceil(MOST_ASKED).max(1);
    let (rows, asked) = mentioned(&triplets.triplets().iter().step_by(step).copied().collect::<Vec<_>>());
    let inputs = inputs.select(&rows);
    let [first, ..] = candidates();
    let Ok(asked) = TripletSet::new(rows.len(), asked) else { return first };
    let agreement = |candidate: &InputTransform| {
        let (_, transformed) = Transform::fit_apply(candidate, &inputs).ok()?;
        euclidean_agreement(&asked, &transformed).ok().map(|found| found.share_with_half_ties())
    };
    let mut best = (first, f64::NEG_INFINITY);
    for candidate in candidates() {
        match agreement(&candidate) {
            Some(share) if share > best.1 => best = (candidate, share),
            _ => {}
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triplets::Triplet;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const N: usize = 60;

    /// Objects with the given deviations of their columns, and judgements by the distance between some weighted columns.
    fn chosen(deviations: [f64; 6], weights: [f64; 6]) -> String {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let centred = |rng: &mut ChaCha8Rng| 2.0 * rng.random::<f64>() - 1.0;
        let values: Vec<f64> = (0..N).flat_map(|_| deviations.map(|d| d * centred(&mut rng))).collect();
        let inputs = Inputs::new(N, 6, values).unwrap();
        let distance = |i: u32, j: u32| -> f64 {
            let (x, y) = (inputs.row(i as usize), inputs.row(j as usize));
            (0..6).map(|c| weights[c] * (x[c] - y[c]).powi(2)).sum()
        };
        let mut triplets = Vec::new();
        for _ in 0..600 {
            let [anchor, near, far] = [0; 3].map(|_: u8| rng.random_range(0..N as u32));
            if anchor != near && anchor != far && near != far {
                let turned = distance(anchor, near) > distance(anchor, far);
                let (near, far) = if turned { (far, near) } else { (near, far) };
                triplets.push(Triplet { anchor, near, far });
            }
        }
        suited(&inputs, &TripletSet::new(N, triplets).unwrap()).to_string()
    }

    #[test]
    fn columns_in_different_units_are_put_on_a_common_scale() {
        let deviations = [1000.0, 1.0, 1.0, 0.01, 0.01, 1.0];
        assert_eq!(chosen(deviations, deviations.map(|d| 1.0 / (d * d))), "standardise,scale");
    }

    #[test]
    fn columns_that_fade_keep_their_scales() {
        assert_eq!(chosen([3.0, 2.0, 1.0, 0.1, 0.1, 0.1], [1.0; 6]), "centre,scale");
    }
}
