//! Shows that nothing is added without need, and that planted faults in the decision are found.

use super::*;
use crate::data::Labels;
use crate::fault::with_fault;
use crate::hash::{Hash, LinearHash};
use crate::triplets::FromLabels;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Objects left and right of 0, half of them each, and their sides.
fn sides(n: usize, rng: &mut ChaCha8Rng) -> (Inputs, Vec<u32>) {
    let side_of: Vec<u32> = (0..n).map(|object| (object % 2) as u32).collect();
    let rows = side_of.iter().flat_map(|&side| {
        let x = if side == 0 { -2.0 } else { 2.0 } + rng.random::<f64>() - 0.5;
        [x, rng.random::<f64>(), rng.random::<f64>()]
    });
    let values = rows.collect();
    (Inputs::new(n, 3, values).unwrap(), side_of)
}

/// One bit: whether an input is above a threshold.
fn one_bit(direction: [f64; 3], threshold: f64, inputs: &Inputs) -> GrowingCode {
    let transform = Transform::fit(&InputTransform { steps: Vec::new() }, inputs).unwrap();
    let hash = Hash::Linear(LinearHash::new(3, direction.to_vec(), vec![threshold]).unwrap());
    GrowingCode::new(HashStack::new(vec![HashBlock::new("one", transform, hash)]).unwrap())
}

fn learn(code: &mut GrowingCode, inputs: &Inputs, class_of: Vec<u32>, chains: usize, seed: u64) -> Extension {
    let labels = Labels::from_classes(vec!["a".to_owned(), "b".to_owned()], class_of);
    let settings = ExtendSettings { seed, chains, sweeps: 15, capacity: 0, threads: 1, ..ExtendSettings::default() };
    let teacher = Teacher::Labels(&labels, FromLabels { per_object: 5, seed, ..FromLabels::default() });
    code.learn(inputs, teacher, None, &settings).unwrap()
}

/// Bits added to one that tells the classes apart.
fn added_without_need() -> usize {
    let (inputs, side_of) = sides(40, &mut ChaCha8Rng::seed_from_u64(1));
    learn(&mut one_bit([1.0, 0.0, 0.0], 0.0, &inputs), &inputs, side_of, 3, 1).n_added
}

#[test]
fn nothing_is_added_to_bits_that_tell_classes_apart_and_a_fault_would_be_seen() {
    assert_eq!(added_without_need(), 0);
    assert!(with_fault(Fault::ExtensionAlways, added_without_need) > 0);
}

/// How many of `RUNS` extensions add bits where labels mean nothing.
fn added_by_chance() -> usize {
    let adds = |seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (inputs, mut labels) = sides(40, &mut rng);
        labels.shuffle(&mut rng);
        learn(&mut one_bit([0.0, 1.0, 0.0], 0.5, &inputs), &inputs, labels, 3, seed).n_added > 0
    };
    (0..RUNS).filter(|&seed| adds(seed)).count()
}

const RUNS: u64 = 20;
/// At [`LEVEL`], more than this many of [`RUNS`] have a probability of 0.0006.
const MOST: usize = 10;

#[test]
fn labels_that_mean_nothing_add_bits_as_rarely_as_promised_and_a_fault_would_be_seen() {
    let by_chance = added_by_chance();
    assert!(by_chance <= MOST, "{by_chance}");
    let always = with_fault(Fault::ExtensionAlways, added_by_chance);
    assert!(always > MOST, "{always}");
}

/// Objects that decide when twice as many chains as parts judge 40.
fn judged() -> usize {
    let (inputs, side_of) = sides(40, &mut ChaCha8Rng::seed_from_u64(2));
    learn(&mut one_bit([0.0, 1.0, 0.0], 0.5, &inputs), &inputs, side_of, 10, 1).n_judged
}

#[test]
fn an_object_counts_once_however_many_chains_left_it_out_and_a_fault_would_be_seen() {
    assert_eq!(judged(), 40);
    assert_ne!(with_fault(Fault::ExtensionCountsTwice, judged), 40);
}

#[test]
fn needed_bits_are_added_and_help_objects_that_did_not_choose_them() {
    let (inputs, side_of) = sides(40, &mut ChaCha8Rng::seed_from_u64(3));
    for chains in [1, 2, 5, 7] {
        let report = learn(&mut one_bit([0.0, 1.0, 0.0], 0.5, &inputs), &inputs, side_of.clone(), chains, 1);
        assert!(report.n_added > 0 && report.after > 0.9 && report.before < 0.7, "{chains}: {report:?}");
        assert_eq!(report.n_judged, 8 * chains.min(5), "{report:?}");
    }
}
