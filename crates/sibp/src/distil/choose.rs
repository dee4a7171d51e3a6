//! Chooses columns of the draws, one after another, by what they would add to the answers so far.

use super::Column;
use super::margins::{best_slope, side_of};
use super::target::Target;
use crate::triplets::Triplet;

/// Questions by which columns are compared.
const QUESTIONS: usize = 20_000;

/// Positions of up to `n_bits` columns, each of which brings the answers nearer to the target; one may be taken twice.
pub fn columns(target: &Target, pool: &[Column<'_>], n_bits: usize) -> Vec<usize> {
    let step = target.triplets.len().div_ceil(QUESTIONS).max(1);
    let asked: Vec<usize> = (0..target.triplets.len()).step_by(step).collect();
    let questions: Vec<Triplet> = asked.iter().map(|&at| target.triplets.triplets()[at]).collect();
    let sides: Vec<Vec<i8>> =
        pool.iter().map(|column| questions.iter().map(|t| side_of(&column.bits, t) as i8).collect()).collect();
    let wanted: Vec<f64> = asked.iter().map(|&at| target.probabilities[at]).collect();
    let mut margins: Vec<f64> = asked.iter().map(|&at| f64::from(target.given[at])).collect();
    let (mut chosen, mut slope) = (Vec::new(), 1.0);
    for _ in 0..n_bits {
        let residuals: Vec<f64> =
            margins.iter().zip(&wanted).map(|(d, p)| p - 1.0 / (1.0 + (-slope * d).exp())).collect();
        let gain = |sides: &[i8]| sides.iter().zip(&residuals).map(|(&side, r)| f64::from(side) * r).sum::<f64>();
        let best = sides.iter().map(|sides| gain(sides)).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((at, _)) = best.filter(|(_, gain)| *gain > 0.0) else { break };
        chosen.push(at);
        margins.iter_mut().zip(&sides[at]).for_each(|(d, &side)| *d += f64::from(side));
        slope = best_slope(margins.iter().zip(&wanted).map(|(&d, &p)| (d, 1.0, p)), slope);
    }
    chosen
}
