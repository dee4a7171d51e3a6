//! Distils many draws into one short code that answers questions as all of them do on average.
//!
//! Random triplets are labelled with their mean probability. Columns of the draws are chosen one after another so that a
//! logistic link on the code's Hamming distances comes near these probabilities; then single bits are flipped, at a
//! temperature that falls to 0, where that brings it nearer still. What the inputs say about a column counts too, so
//! that the bits of unseen objects can be predicted from their inputs.

mod anneal;
mod choose;
mod margins;
mod target;

#[cfg(test)]
mod tests;

use crate::bits::BitMatrix;
use crate::codes::Codes;
use crate::data::Inputs;
use crate::likelihood::preference::Scoring;
use crate::numerics::normal_table::log_cdf;
use crate::numerics::simd::dot;
use crate::rng::{Purpose, Streams};
use crate::trace::{Draw, RestoreError, Tensor};
use margins::Margins;
use target::Target;

/// The draws to be distilled, and what they were drawn for.
pub struct Source<'a> {
    /// Draws whose answers are averaged.
    pub draws: &'a [&'a Draw],
    /// Draws whose columns may be taken, the best ones of the chains.
    pub columns: &'a [&'a Draw],
    /// The preference probability under each draw.
    pub scorings: &'a [Scoring],
    /// Transformed inputs of the objects.
    pub inputs: &'a Inputs,
    /// Given bits of the objects.
    pub given: &'a BitMatrix,
    /// Number of triplets that the draws learned from.
    pub n_taught: usize,
}

/// How draws are distilled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distilling {
    /// Largest number of bits.
    pub n_bits: usize,
    /// Source of all random numbers.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

/// How often the triplets that were learned from would have to be answered to be as certain as the mean of the draws is:
/// so much more than the inputs the questions count.
const CERTAINTY: f64 = 10.0;

/// A column of some draw.
struct Column<'a> {
    draw: &'a Draw,
    bit_ix: usize,
    bits: Vec<u8>,
}

/// One code for all draws, in the form of a draw without refitted coefficients; `None` where the draws have no bits.
pub fn distil(source: &Source<'_>, settings: &Distilling) -> Result<Option<Draw>, RestoreError> {
    let streams = Streams::new(settings.seed, 0);
    let pool = pool(source.columns);
    let Some(target) = Target::new(source, settings, &mut streams.rng(Purpose::Distil, 0, 0))? else {
        return Ok(None);
    };
    let chosen = choose::columns(&target, &pool, settings.n_bits);
    if chosen.is_empty() {
        return Ok(None);
    }
    let chosen: Vec<&Column<'_>> = chosen.into_iter().map(|at| &pool[at]).collect();
    let evidence: Vec<Vec<f64>> =
        chosen.iter().map(|column| column.log_odds(source.inputs)).collect::<Result<_, _>>()?;
    let mut columns: Vec<Vec<u8>> = chosen.iter().map(|column| column.bits.clone()).collect();
    let mut margins = Margins::new(&target, &columns);
    let pull = CERTAINTY * source.n_taught as f64 / target.triplets.len() as f64;
    let mut rng = streams.rng(Purpose::Distil, 1, 0);
    anneal::columns(&target, &mut margins, &mut columns, &evidence, pull, &mut rng);
    Ok(Some(draw(source, &chosen, &columns, margins.slope())?))
}

/// All different columns of some draws; a column and its complement say the same.
fn pool<'a>(draws: &[&'a Draw]) -> Vec<Column<'a>> {
    let all = draws.iter().flat_map(|&draw| {
        (0..draw.bits.n_bits()).map(move |bit_ix| Column { draw, bit_ix, bits: draw.bits.column(bit_ix) })
    });
    let mut seen = std::collections::BTreeSet::new();
    let canonical = |bits: &[u8]| -> Vec<u8> { bits.iter().map(|bit| bit ^ bits[0]).collect() };
    all.filter(|column| seen.insert(canonical(&column.bits))).collect()
}

impl Column<'_> {
    /// Log odds of each object's bit given its inputs, by the coefficients that were drawn with the column.
    fn log_odds(&self, inputs: &Inputs) -> Result<Vec<f64>, RestoreError> {
        let (k, m) = (self.draw.bits.n_bits(), inputs.n_inputs());
        let coefficients = &self.draw.tensor("coefficients", &[k, m])?[self.bit_ix * m..(self.bit_ix + 1) * m];
        let stick = self.draw.tensor("sticks", &[k])?[self.bit_ix];
        let mut odds = Vec::with_capacity(inputs.n_objects());
        inputs.for_each_row(|row| {
            let height = dot(row, coefficients) + stick;
            odds.push(log_cdf(height) - log_cdf(-height));
        });
        Ok(odds)
    }
}

/// The code as a draw: bits of weight 1, with the mean of the draws' numbers and the columns' own coefficients.
fn draw(source: &Source<'_>, chosen: &[&Column<'_>], columns: &[Vec<u8>], slope: f64) -> Result<Draw, RestoreError> {
    let (k, n) = (columns.len(), source.inputs.n_objects());
    let mut bits = Codes::zeros(n, k);
    for (bit_ix, column) in columns.iter().enumerate() {
        column.iter().enumerate().filter(|(_, bit)| **bit == 1).for_each(|(object, _)| bits.set(object, bit_ix, true));
    }
    let n_draws = source.draws.len() as f64;
    let mut scalars = source.draws[0].scalars.clone();
    for (name, value) in &mut scalars {
        *value = source.draws.iter().map(|draw| draw.scalar(name)).sum::<Result<f64, _>>()? / n_draws;
    }
    scalars.insert("slope".to_owned(), slope);
    let gathered = |name: &str| -> Result<Tensor, RestoreError> {
        let mut values = Vec::new();
        let mut width = None;
        for column in chosen {
            let tensor = column.draw.tensors.get(name).ok_or_else(|| column.draw.missing(name))?;
            let of_each = tensor.values.len() / column.draw.bits.n_bits();
            values.extend_from_slice(&tensor.values[column.bit_ix * of_each..(column.bit_ix + 1) * of_each]);
            width = tensor.shape.get(1).copied();
        }
        Ok(Tensor { shape: [k].into_iter().chain(width).collect(), values })
    };
    let mut tensors = std::collections::BTreeMap::new();
    for name in ["rotated_coefficients", "sticks", "coefficients"] {
        tensors.insert(name.to_owned(), gathered(name)?);
    }
    if source.given.n_bits() > 0 {
        let values = target::given_weights(source)?;
        tensors.insert("given_weights".to_owned(), Tensor { shape: vec![values.len()], values });
    }
    Ok(Draw { sweep: source.draws[0].sweep, bits, encoded: None, weights: vec![1.0; k], scalars, tensors })
}
