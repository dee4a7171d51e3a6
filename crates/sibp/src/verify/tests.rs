//! Runs the fast checks, one test each.

use super::suite::{Check, Tier, checks};
use super::{JointDraws, Statistics, registered, toys};
use crate::model::{GaussianModel, GaussianState, Observations};
use crate::schedule::{Kernel, Schedule};

/// Fixed once, before any of these checks had been run with it.
const SEED: u64 = 20_261_115;

fn check(name: &str) {
    run(&checks().into_iter().find(|check| check.name == name && check.tier == Tier::Fast).unwrap());
}

fn run(check: &Check) {
    let verdict = (check.run)(SEED, &|_| ());
    for row in &verdict.rows {
        println!("{:60} {:10.3e} {:10.3e}", row.statistic, row.value, row.limit);
    }
    assert!(verdict.passed, "{}: {:?}", check.name, verdict.worst());
}

macro_rules! fast {
    ($($test:ident = $name:literal;)*) => {
        $(#[test] fn $test() { check($name); })*

        #[test]
        fn every_fast_check_is_a_test() {
            let tested = [$($name),*];
            let found: Vec<_> = registered::checks().into_iter().map(|check| check.name).collect();
            let is_tested = |check: &Check| tested.contains(&&*check.name) || found.contains(&check.name);
            let missing: Vec<_> = checks().into_iter().filter(|c| c.tier == Tier::Fast && !is_tested(c)).collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    };
}

fast! {
    probit_geweke_default = "probit: Geweke, default settings";
    probit_threads = "probit: rows of objects on two threads";
    probit_two_words = "probit: rows of codes of two words";
    probit_many_objects = "probit: kernels alone, paths for many objects, few draws";
    probit_rate_table_of_many = "probit: table of expected bits, paths for many objects";
    probit_densities = "probit: densities of proposals";
    groups_change_no_draw = "groups of flips change no draw";
    bounds_change_no_draw = "bounds change no draw";
    probit_geweke_births = "probit: Geweke, births";
    probit_geweke_slice = "probit: Geweke, slice";
    probit_independent_rows = "probit: rows of independent objects at once";
    gaussian_geweke_paper = "gaussian: Geweke, Gamma weights";
    gaussian_geweke_hash = "gaussian: Geweke, unit weights and pseudo-weight";
    probit_enumeration_births = "probit: short enumeration, births";
    probit_enumeration_slice = "probit: short enumeration, slice";
    gaussian_enumeration = "gaussian: short enumeration, all moves";
    gaussian_enumeration_rows = "gaussian: short enumeration, rows only";
    gaussian_enumeration_pseudo = "gaussian: short enumeration, all moves, pseudo-weight 2";
    ddibp_geweke_exponential = "dd-IBP: Geweke, exponential decay";
    ddibp_geweke_window = "dd-IBP: Geweke, window";
    ddibp_geweke_logistic = "dd-IBP: Geweke, logistic decay";
    ddibp_geweke_output = "dd-IBP: Geweke, output distances";
    ddibp_enumeration_exponential = "dd-IBP: short enumeration, exponential decay";
    ddibp_enumeration_window = "dd-IBP: short enumeration, window";
    ddibp_known_cases = "dd-IBP prior: known cases";
    ddibp_poisson = "dd-IBP prior: numbers of bits are Poisson";
    prior_poisson = "prior: numbers of bits are Poisson";
    prior_sticks = "prior: sticks are the buffet";
    prior_classes = "prior: sums over all classes";
    probit_rate_table = "probit: table of expected bits";
    gaussian_codes = "gaussian: codes of an unseen object, new bits among them";
    probit_scores = "probit: scores of draws";
    probit_refits = "probit: refitted coefficients";
    probit_judgements = "probit: Geweke, settings for judgements";
    probit_geweke_logistic = "probit: Geweke, logistic link";
    probit_geweke_slice_logistic = "probit: Geweke, slice, logistic link";
    gaussian_geweke_logistic = "gaussian: Geweke, logistic link";
    gaussian_enumeration_logistic = "gaussian: short enumeration, all moves, logistic link";
    probit_enumeration_logistic = "probit: short enumeration, births, logistic link";
    probit_geweke_no_inputs = "probit: Geweke, no inputs";
    probit_enumeration_no_inputs = "probit: short enumeration, no inputs";
    gaussian_geweke_judges = "gaussian: Geweke, judges";
    probit_geweke_judges = "probit: Geweke, judges";
    probit_preferences = "probit: preferences about unseen objects";
}

/// Those of all tiers: the models that only tests turn on are small.
#[cfg(feature = "test-model")]
#[test]
fn a_model_that_brings_a_problem_gets_every_check() {
    let found = registered::checks();
    assert_eq!(found.len(), 4, "{found:?}");
    found.iter().for_each(run);
}

/// More given bits than have their weights drawn in one step: which are drawn must not depend on their values.
#[test]
fn weights_of_many_given_bits_keep_their_joint() {
    let mut shape = toys::four_objects();
    for bit in 0u32..40 {
        let column: Vec<u8> = (0..4).map(|object| ((bit + 1) >> object & 1) as u8).collect();
        shape.given.push_column(&column);
    }
    for pseudo_weight in [0.0, 1.5] {
        let weights = Schedule::once([Kernel::Weights]);
        let model = toys::free_gaussian(pseudo_weight, weights.clone());
        let values = |_: &GaussianModel, _: &Observations, state: &GaussianState| {
            let given = &state.code.given_weights;
            let squares: f64 = given.iter().map(|w| w * w).sum();
            vec![given.iter().sum(), squares, given[0], given[39], given.iter().map(|w| w.ln()).sum()]
        };
        let names = &["sum", "sum of squares", "first", "last", "sum of logarithms"];
        let subject = Statistics { names, values, steps_a_draw: 2, idle: |_, _, _| false }.of(model, shape.clone());
        let shifts = JointDraws::new(subject, 20_000, SEED).shifts(&weights, SEED);
        // Ten scores at level 1e-4 in all.
        assert!(shifts.iter().all(|shift| shift.abs() < 4.42), "{pseudo_weight}: {shifts:?}");
        assert!(shifts.iter().all(|shift| *shift != 0.0), "the kernel moves all of them: {shifts:?}");
    }
}
