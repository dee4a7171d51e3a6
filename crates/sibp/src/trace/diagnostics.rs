//! Checks whether chains agree: rank-normalised split R-hat and bulk effective sample size, and both in words.
//!
//! Vehtari, Gelman, Simpson, Carpenter & Bürkner, *Rank-normalization, folding, and localization: an improved R-hat*,
//! Bayesian Analysis 16 (2021).

use crate::numerics::normal::quantile;
use crate::trace::ChainRecord;

/// R-hat above which chains are reported to disagree.
pub const R_HAT_LIMIT: f64 = 1.1;
/// Effective sample size per chain below which means are reported to be rough.
pub const ESS_LIMIT: f64 = 25.0;

/// Fewest draws per chain from which diagnostics are computed.
const MIN_DRAWS: usize = 12;

/// Agreement of the chains about one quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The column of the trace.
    pub name: String,
    /// Mean of every chain, over the last half of the sweeps that all chains have done.
    pub means: Vec<f64>,
    /// Rank-normalised split R-hat, the larger of bulk and folded; `None` when the quantity never changed or fewer
    /// than 12 sweeps count.
    pub r_hat: Option<f64>,
    /// Bulk effective sample size, of all draws that count; `None` as above.
    pub ess: Option<f64>,
}

impl Diagnostic {
    /// Whether chains, or the halves of one, disagree about it.
    pub fn is_disagreement(&self) -> bool {
        self.r_hat.is_some_and(|r_hat| r_hat > R_HAT_LIMIT)
    }

    /// What it says, as a sentence.
    pub fn sentence(&self) -> String {
        let about = self.about();
        match (disagreement(self), self.r_hat, self.means.len()) {
            (Some(words), ..) => words,
            (None, None, _) => format!("too little is known about {about}: it never changed, or sweeps are few"),
            (None, Some(r_hat), 1) => format!("the chain has settled about {about} (R-hat {r_hat:.2})"),
            (None, Some(r_hat), _) => format!("the chains agree about {about} (R-hat {r_hat:.2})"),
        }
    }

    /// The quantity, with its article.
    fn about(&self) -> String {
        match self.name.as_str() {
            "n_bits" => "the number of bits".to_owned(),
            "satisfied" => "the share of triplets satisfied".to_owned(),
            other => format!("the {}", other.replace('_', " ")),
        }
    }
}

/// Diagnoses every column of the trace whose dimension does not change with the number of bits, over the last half of the
/// sweeps that all chains have done.
pub fn diagnose(chains: &[ChainRecord]) -> Vec<Diagnostic> {
    let Some(first) = chains.first() else { return Vec::new() };
    let n_sweeps = chains.iter().map(|chain| chain.trace.len()).min().unwrap_or(0);
    let column = |name: &str| -> Option<Vec<Vec<f64>>> {
        chains.iter().map(|chain| Some(chain.trace.column(name)?[n_sweeps / 2..n_sweeps].to_vec())).collect()
    };
    let diagnose = |name: &str| {
        let draws = column(name)?;
        let means = draws.iter().map(|chain| mean(chain)).collect();
        Some(Diagnostic { name: name.to_owned(), means, r_hat: split_r_hat(&draws), ess: bulk_ess(&draws) })
    };
    let comparable =
        |name: &&str| *name != "log_joint" && first.trace.column(name).is_some_and(|c| !c.iter().all(|x| x.is_nan()));
    first.trace.names().filter(comparable).filter_map(diagnose).collect()
}

/// Warnings about the draws, in words.
pub fn warnings(sweeps: u64, chains: &[ChainRecord]) -> Vec<String> {
    let mut found = Vec::new();
    let least = chains.iter().map(|chain| chain.sweeps_done).min().unwrap_or(0);
    if least < sweeps {
        found.push(format!("the run is unfinished: {least} of {} sweeps are done", sweeps));
    }
    let diagnostics = diagnose(chains);
    if let [_] = chains {
        found.push("there is one chain only, so nothing shows whether others would agree".to_owned());
    }
    for diagnostic in &diagnostics {
        found.extend(disagreement(diagnostic));
    }
    let few = diagnostics.iter().find(|d| d.name == "log_likelihood").and_then(|d| d.ess);
    if let Some(ess) = few.filter(|ess| *ess < ESS_LIMIT * chains.len() as f64) {
        found.push(format!("the log likelihood has only {ess:.0} effective draws: run more sweeps for good averages"));
    }
    found
}

fn disagreement(diagnostic: &Diagnostic) -> Option<String> {
    let r_hat = diagnostic.r_hat.filter(|r_hat| *r_hat > R_HAT_LIMIT)?;
    let about = diagnostic.about();
    // Whole numbers, or digits after the point that large numbers have no use for.
    let shown = |mean: &f64| match diagnostic.name == "n_bits" || mean.abs() >= 100.0 {
        true => format!("{mean:.0}"),
        false => format!("{mean:.4}"),
    };
    let shown: Vec<String> = diagnostic.means.iter().map(shown).collect();
    Some(match shown.split_last() {
        Some((last, [first])) => {
            format!("the chains disagree about {about}: {first} against {last} (R-hat {r_hat:.2})")
        }
        Some((last, rest)) if !rest.is_empty() => {
            format!("the chains disagree about {about}: {} and {last} (R-hat {r_hat:.2})", rest.join(", "))
        }
        _ => format!("the chain has not settled about {about} (R-hat {r_hat:.2} between its halves)"),
    })
}

/// Rank-normalised split R-hat: the larger of that of the draws and that of their distance from the median.
pub fn split_r_hat(chains: &[Vec<f64>]) -> Option<f64> {
    let halves = split(chains)?;
    let median = median(&halves);
    let folded: Vec<Vec<f64>> = halves.iter().map(|chain| chain.iter().map(|x| (x - median).abs()).collect()).collect();
    let bulk = r_hat(&rank_normalise(&halves));
    // A quantity with two values folds to one: then only the bulk counts.
    Some(if constant(&folded) { bulk } else { bulk.max(r_hat(&rank_normalise(&folded))) })
}

/// Effective sample size for estimates of the bulk.
pub fn bulk_ess(chains: &[Vec<f64>]) -> Option<f64> {
    Some(effective_draws(&rank_normalise(&split(chains)?)))
}

/// Splits all chains into halves, without the middle draw of odd ones; `None` where no measure is defined.
fn split(chains: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = chains.iter().map(Vec::len).min()?;
    let usable = n >= MIN_DRAWS && chains.iter().flatten().all(|x| x.is_finite());
    let halves: Vec<Vec<f64>> =
        chains.iter().flat_map(|chain| [chain[..n / 2].to_vec(), chain[n - n / 2..n].to_vec()]).collect();
    (usable && !constant(&halves)).then_some(halves)
}

fn constant(chains: &[Vec<f64>]) -> bool {
    let mut values = chains.iter().flatten();
    let first = values.next();
    values.all(|x| Some(x) == first)
}

fn median(chains: &[Vec<f64>]) -> f64 {
    let mut all: Vec<f64> = chains.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let n = all.len();
    0.5 * (all[(n - 1) / 2] + all[n / 2])
}

/// Replaces every draw by the normal quantile of its rank among all; equal draws share their mean rank.
fn rank_normalise(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let all: Vec<f64> = chains.iter().flatten().copied().collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| all[a].total_cmp(&all[b]));
    let mut scores = vec![0.0; all.len()];
    let mut from = 0;
    for ties in order.chunk_by(|&a, &b| all[a] == all[b]) {
        let rank = from as f64 + 0.5 * (ties.len() as f64 + 1.0);
        let score = quantile((rank - 0.375) / (all.len() as f64 + 0.25));
        ties.iter().for_each(|&at| scores[at] = score);
        from += ties.len();
    }
    let mut rest = scores.into_iter();
    chains.iter().map(|chain| rest.by_ref().take(chain.len()).collect()).collect()
}

/// R-hat of Gelman and Rubin; infinite when chains differ but none ever moves.
fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let n = chains[0].len() as f64;
    let within = mean(&chains.iter().map(|chain| variance(chain)).collect::<Vec<_>>());
    let between = n * variance(&chains.iter().map(|chain| mean(chain)).collect::<Vec<_>>());
    ((between / within + n - 1.0) / n).sqrt()
}

/// Draws divided by their autocorrelation time, by Geyer's initial monotone sequence over all chains.
fn effective_draws(chains: &[Vec<f64>]) -> f64 {
    let n = chains[0].len();
    let n_draws = (chains.len() * n) as f64;
    let means: Vec<f64> = chains.iter().map(|chain| mean(chain)).collect();
    let covariance = |lag: usize| {
        let of = |(chain, mean): (&Vec<f64>, &f64)| {
            let products = chain[..n - lag].iter().zip(&chain[lag..]).map(|(a, b)| (a - mean) * (b - mean));
            products.sum::<f64>() / n as f64
        };
        chains.iter().zip(&means).map(of).sum::<f64>() / chains.len() as f64
    };
    let biased = covariance(0);
    let within = biased * n as f64 / (n as f64 - 1.0);
    let total = biased + variance(&means);
    let correlation = |lag: usize| 1.0 - (within - covariance(lag)) / total;

    // Sums of neighbouring pairs are positive and decrease in theory; where they do not, the rest is noise.
    let mut time = -1.0;
    let mut pair = (1.0, correlation(1));
    let mut previous = f64::INFINITY;
    let mut lag = 0;
    while lag + 5 < n && pair.0 + pair.1 > 0.0 {
        let sum = (pair.0 + pair.1).min(previous);
        time += 2.0 * sum;
        previous = sum;
        lag += 2;
        pair = (correlation(lag), correlation(lag + 1));
    }
    time += f64::max(pair.0, 0.0);
    n_draws / time.max(1.0 / n_draws.log10())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    // From the first value, so that equal values have a variance of exactly 0.
    let shifted: Vec<f64> = values.iter().map(|x| x - values[0]).collect();
    let mean = mean(&shifted);
    shifted.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::Codes;
    use crate::trace::{Draw, Trace};
    use std::collections::BTreeMap;

    /// Autoregressive chains from a small generator that any language can repeat.
    fn autoregressive(n_chains: usize, n: usize, slope: f64, shift: f64, mut seed: u64) -> Vec<Vec<f64>> {
        let chain = |chain_ix: usize| {
            let mut x = 0.0;
            let draw = |_| {
                seed = (seed * 1_103_515_245 + 12_345) % (1 << 31);
                x = slope * x + seed as f64 / (1u64 << 31) as f64 - 0.5;
                x + shift * chain_ix as f64
            };
            (0..n).map(draw).collect()
        };
        (0..n_chains).map(chain).collect()
    }

    fn close(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-10), "{found:?} instead of {expected}");
    }

    #[test]
    fn agrees_with_arviz() {
        // arviz 0.23.4: rhat(method="rank") and ess(method="bulk").
        let independent = autoregressive(4, 200, 0.0, 0.0, 1);
        close(split_r_hat(&independent), 1.0040251648347873);
        close(bulk_ess(&independent), 671.5445384407734);
        let slow = autoregressive(4, 200, 0.7, 0.0, 1);
        close(split_r_hat(&slow), 1.0360931410007972);
        close(bulk_ess(&slow), 146.34301174067082);
        let apart = autoregressive(2, 401, 0.9, 0.5, 1);
        close(split_r_hat(&apart), 1.320863640002126);
        close(bulk_ess(&apart), 5.460809391391629);
        let tied: Vec<Vec<f64>> = autoregressive(3, 100, 0.5, 0.0, 7)
            .into_iter()
            .map(|chain| chain.into_iter().map(|x| (4.0 * x).floor()).collect())
            .collect();
        close(split_r_hat(&tied), 1.0067852627709701);
        close(bulk_ess(&tied), 138.10588618438925);
        close(bulk_ess(&autoregressive(1, 60, 0.3, 0.0, 1)), 28.414291392557576);
    }

    #[test]
    fn effective_draws_follow_theory() {
        // An AR(1) chain has an autocorrelation time of (1 + slope) / (1 - slope). Over the seeds 7919 x 1..=40 the
        // ratio to theory had means of 0.97 to 0.99 and stayed within 0.80 to 1.09; the bounds are wider.
        for slope in [0.0, 0.5, 0.8] {
            let ess = bulk_ess(&autoregressive(4, 5000, slope, 0.0, 3)).unwrap();
            let ratio = ess / (20_000.0 * (1.0 - slope) / (1.0 + slope));
            assert!((0.7..1.2).contains(&ratio), "slope {slope}: {ratio} of theory");
        }
    }

    #[test]
    fn sentences_say_whether_chains_agree() {
        let found = |r_hat: Option<f64>, means: &[f64]| {
            Diagnostic { name: "n_bits".into(), means: means.to_vec(), r_hat, ess: None }.sentence()
        };
        assert_eq!(found(Some(1.01), &[3.0, 3.1]), "the chains agree about the number of bits (R-hat 1.01)");
        assert_eq!(found(Some(1.01), &[3.0]), "the chain has settled about the number of bits (R-hat 1.01)");
        let apart = "the chains disagree about the number of bits: 3 against 9 (R-hat 2.00)";
        assert_eq!(found(Some(2.0), &[3.0, 9.0]), apart);
        assert!(found(None, &[3.0]).starts_with("too little is known about the number of bits"));
    }

    #[test]
    fn what_has_no_measure_has_none() {
        assert_eq!(split_r_hat(&[]), None);
        assert_eq!(split_r_hat(&[vec![1.0; 100], vec![1.0; 100]]), None);
        assert_eq!(bulk_ess(&[vec![1.0, 2.0, 3.0]]), None);
        let mut broken = autoregressive(2, 100, 0.0, 0.0, 1);
        broken[1][7] = f64::NAN;
        assert_eq!((split_r_hat(&broken), bulk_ess(&broken)), (None, None));
        assert_eq!(split_r_hat(&[vec![1.0; 100], vec![2.0; 100]]), Some(f64::INFINITY));
    }

    fn chain(n_bits: Vec<u32>, log_likelihood: Vec<f64>) -> ChainRecord {
        let sweeps_done = log_likelihood.len() as u64;
        let (scalars, tensors) = (BTreeMap::new(), BTreeMap::new());
        let last =
            Draw { sweep: sweeps_done, bits: Codes::zeros(1, 0), weights: Vec::new(), encoded: None, scalars, tensors };
        let satisfied = vec![1.0; log_likelihood.len()];
        // The log joint drifts as densities in more and more dimensions do; it must not be looked at.
        let log_joint = (0..log_likelihood.len()).map(|sweep| sweep as f64).collect();
        let trace = Trace { n_bits, satisfied, log_joint, log_likelihood, scalars: BTreeMap::new() };
        ChainRecord { sweeps_done, last, draws: Vec::new(), trace }
    }

    #[test]
    fn warns_in_words() {
        let noise = autoregressive(2, 2000, 0.0, 0.0, 1);
        let bits = |n: u32, noise: &[f64]| noise.iter().map(|x| n + u32::from(*x > 0.0)).collect::<Vec<u32>>();
        let agreeing = [chain(bits(34, &noise[0]), noise[0].clone()), chain(bits(34, &noise[1]), noise[1].clone())];
        assert_eq!(warnings(2000, &agreeing), Vec::<String>::new());
        let apart = [chain(bits(34, &noise[0]), noise[0].clone()), chain(bits(41, &noise[1]), noise[1].clone())];
        let found = warnings(2000, &apart);
        assert_eq!(found.len(), 1, "{found:?}");
        // One of two numbers of bits by the sign of the noise, so means round to either.
        let [low, high] = [["34", "35"], ["41", "42"]];
        let words = |a: &str, b: &str| format!("the chains disagree about the number of bits: {a} against {b} (R-hat");
        let said = low.iter().any(|a| high.iter().any(|b| found[0].starts_with(&words(a, b))));
        assert!(said, "{found:?}");
        let three = [apart[0].clone(), apart[0].clone(), apart[1].clone()];
        assert!(warnings(2000, &three)[0].contains(" and 4"), "{found:?}");
        let found = warnings(4000, &agreeing[..1]);
        assert!(found[0].contains("unfinished: 2000 of 4000"), "{found:?}");
        assert!(found[1].contains("one chain only"), "{found:?}");
        let drifting = chain(vec![3; 2000], (0..2000).map(f64::from).collect());
        let found = warnings(2000, &[drifting]).join("\n");
        assert!(
            found.contains("has not settled about the log likelihood") && found.contains("effective draws"),
            "{found}"
        );
    }
}
