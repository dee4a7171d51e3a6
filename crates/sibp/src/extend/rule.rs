//! Decides whether an extension helps, by the scores of objects that its bits have not seen.

use super::LEVEL;
use crate::eval::{PairedTest, mean, paired_t_test};

/// Scores of the objects of one part, each counted once, under codes that saw none of them.
#[derive(Debug, Clone, Default)]
pub(super) struct PartScores {
    /// With the old bits under their weights as they were.
    pub before: Vec<f64>,
    /// With the old bits under the chains' weights.
    pub reweighted: Vec<f64>,
    /// With all bits.
    pub with_all: Vec<f64>,
    /// With the bits that the other half of the part needs.
    pub with_needed: Vec<f64>,
}

/// Whether proposed bits raise agreement, and the evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    /// The less significant of the two tests: against the old bits as they were, and as the chains weigh them.
    pub test: PairedTest,
    /// Whether the bits are to be added.
    pub helps: bool,
    /// Whether bits that are not needed are to be dropped: those that are left pass the same test.
    pub prune: bool,
}

/// Tests the means of parts: the objects of a part are scored by the same chains and stand or fall together. A single
/// part, left out by the only chains there are, is tested by its objects. `None` where there is too little to test.
pub(super) fn verdict(parts: &[PartScores]) -> Option<Verdict> {
    let parts: Vec<&PartScores> = parts.iter().filter(|part| !part.before.is_empty()).collect();
    let units = |of: fn(&PartScores) -> &Vec<f64>| match parts.as_slice() {
        [only] => of(only).clone(),
        many => many.iter().map(|part| mean(of(part))).collect(),
    };
    let (before, reweighted) = (units(|part| &part.before), units(|part| &part.reweighted));
    let above_both = |with: Vec<f64>| {
        let tests = (paired_t_test(&with, &before).ok()?, paired_t_test(&with, &reweighted).ok()?);
        Some(if tests.0.p > tests.1.p { tests.0 } else { tests.1 })
    };
    let test = above_both(units(|part| &part.with_all))?;
    let of_needed = above_both(units(|part| &part.with_needed))?;
    Some(Verdict { test, helps: test.p < LEVEL, prune: of_needed.p < LEVEL })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn part(before: &[f64], reweighted: &[f64], with_all: &[f64]) -> PartScores {
        let [before, reweighted, with_all] = [before, reweighted, with_all].map(<[f64]>::to_vec);
        PartScores { before, reweighted, with_needed: with_all.clone(), with_all }
    }

    #[test]
    fn parts_are_the_units_of_the_test() {
        // Many objects of one part cannot outvote the other.
        let parts = [part(&[0.0; 99], &[0.0; 99], &[0.5; 99]), part(&[0.5], &[0.5], &[0.1])];
        let verdict = verdict(&parts).unwrap();
        assert!(!verdict.helps && verdict.test.n == 2, "{verdict:?}");
        assert!((verdict.test.mean_difference - 0.05).abs() < 1e-12, "{verdict:?}");
    }

    #[test]
    fn both_comparisons_must_hold() {
        let gain = |reweighted: f64| verdict(&[part(&[0.5; 4], &[reweighted; 4], &[0.7, 0.8, 0.9, 0.8])]).unwrap();
        assert!(gain(0.5).helps && gain(0.5).test.n == 4);
        assert!(!gain(0.9).helps, "old bits under other weights do as well");
    }

    #[test]
    fn bits_are_dropped_only_where_those_that_are_left_help() {
        let mut scores = part(&[0.5; 3], &[0.5; 3], &[0.7, 0.8, 0.9]);
        assert!(verdict(std::slice::from_ref(&scores)).unwrap().prune);
        scores.with_needed = vec![0.5, 0.4, 0.6];
        let verdict = verdict(&[scores]).unwrap();
        assert!(verdict.helps && !verdict.prune, "{verdict:?}");
    }

    #[test]
    fn empty_parts_say_nothing() {
        assert_eq!(verdict(&[]), None);
        assert_eq!(verdict(&[PartScores::default(), part(&[0.5], &[0.5], &[0.7])]), None);
    }

    /// Objects of a part share the luck of their chain. Treated as independent they would pass far too often.
    #[test]
    fn luck_of_chains_is_mistaken_for_gain_as_rarely_as_promised() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let (runs, mut helped, mut as_objects) = (4000, 0, 0);
        for _ in 0..runs {
            let parts: Vec<PartScores> = (0..5)
                .map(|_| {
                    let luck = normal();
                    let gains: Vec<f64> = (0..10).map(|_| luck + normal()).collect();
                    part(&[0.0; 10], &[0.0; 10], &gains)
                })
                .collect();
            helped += usize::from(verdict(&parts).unwrap().helps);
            let all: Vec<f64> = parts.iter().flat_map(|part| part.with_all.clone()).collect();
            as_objects += usize::from(paired_t_test(&all, &[0.0; 50]).unwrap().p < LEVEL);
        }
        let error = (LEVEL * (1.0 - LEVEL) * f64::from(runs)).sqrt();
        let above = |n: usize| (n as f64 - LEVEL * f64::from(runs)) / error;
        assert!(above(helped).abs() < 4.0, "{helped}");
        assert!(above(as_objects) > 10.0, "{as_objects}");
    }
}
