//! Measures how far probabilities can be trusted: agreement, calibration error and Brier score.

use std::cmp::Ordering;

/// Bins of the calibration error.
const N_BINS: usize = 10;

/// Share of triplets, all true, that probabilities agree with; one half counts half.
pub fn probability_agreement(probabilities: &[f64]) -> f64 {
    let agrees = |&p: &f64| match p.partial_cmp(&0.5) {
        Some(Ordering::Greater) => 1.0,
        Some(Ordering::Equal) => 0.5,
        _ => 0.0,
    };
    probabilities.iter().map(agrees).sum::<f64>() / probabilities.len().max(1) as f64
}

/// Expected calibration error of the probabilities of triplets that are all true, in ten bins of equal width: each
/// triplet counts in both directions, as a true one with p and as a false one with 1 - p.
pub fn calibration_error(probabilities: &[f64]) -> f64 {
    let mut bins = [(0.0, 0.0); N_BINS];
    for (p, truth) in probabilities.iter().flat_map(|&p| [(p, 1.0), (1.0 - p, 0.0)]) {
        let bin = &mut bins[((p * N_BINS as f64) as usize).min(N_BINS - 1)];
        *bin = (bin.0 + p, bin.1 + truth);
    }
    let apart: f64 = bins.iter().map(|(predicted, found)| (predicted - found).abs()).sum();
    apart / (2 * probabilities.len()).max(1) as f64
}

/// How often triplets agree that a model was so sure of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReliabilityBin {
    /// Bounds of the probability of the likelier answer.
    pub range: (f64, f64),
    /// Triplets in the bin.
    pub n: usize,
    /// Mean probability of the likelier answer.
    pub predicted: f64,
    /// Share of triplets whose likelier answer is the true one; one half counts half.
    pub found: f64,
}

/// The probabilities of triplets that are all true, in five bins of equal width of the likelier answer's probability;
/// empty bins are left out.
pub fn reliability_bins(probabilities: &[f64]) -> Vec<ReliabilityBin> {
    let width = 1.0 / N_BINS as f64;
    let mut bins = vec![Vec::new(); N_BINS / 2];
    for &p in probabilities {
        let sure = p.max(1.0 - p);
        bins[(((sure - 0.5) / width) as usize).min(N_BINS / 2 - 1)].push(p);
    }
    let bin = |(at, inside): (usize, &Vec<f64>)| {
        let (low, n) = (0.5 + at as f64 * width, inside.len());
        let predicted = inside.iter().map(|p| p.max(1.0 - p)).sum::<f64>() / n as f64;
        ReliabilityBin { range: (low, low + width), n, predicted, found: probability_agreement(inside) }
    };
    bins.iter().enumerate().filter(|(_, inside)| !inside.is_empty()).map(bin).collect()
}

/// Mean squared distance from 1 of the probabilities of triplets that are all true.
pub fn brier_score(probabilities: &[f64]) -> f64 {
    probabilities.iter().map(|p| (1.0 - p) * (1.0 - p)).sum::<f64>() / probabilities.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timid_and_honest_probabilities() {
        // Nine of ten are true: 0.9 is honest, 0.6 is 0.3 too low.
        let with = |p: f64| (0..10).map(|at| if at == 0 { 1.0 - p } else { p }).collect::<Vec<f64>>();
        assert!(calibration_error(&with(0.9)) < 1e-12);
        assert!((calibration_error(&with(0.65)) - 0.25).abs() < 1e-12);
        assert!((brier_score(&with(0.9)) - 0.09).abs() < 1e-12);
        assert_eq!(brier_score(&[1.0]), 0.0);
        assert_eq!(probability_agreement(&[0.9, 0.5, 0.1, 0.6]), 0.625);
    }

    #[test]
    fn bins_hold_what_is_as_sure() {
        let bins = reliability_bins(&[0.55, 0.45, 0.56, 0.95, 1.0, 0.03, 0.97]);
        assert_eq!(bins.iter().map(|bin| bin.n).collect::<Vec<_>>(), [3, 4]);
        assert!((bins[0].found - 2.0 / 3.0).abs() < 1e-12 && bins[1].found == 0.75, "{bins:?}");
        assert!((bins[0].predicted - (0.55 + 0.55 + 0.56) / 3.0).abs() < 1e-12 && bins[1].range.1 > 0.999, "{bins:?}");
        assert_eq!(reliability_bins(&[0.5])[0].found, 0.5);
    }
}
