//! Tests what the distance-dependent IBP adds: refusals, what its files must hold, and its encoder against exact sums.

use crate::fits::{Fit, MODELS};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};
use sibp::encode::{DdIbpEncoder, Encoder};
use sibp::format::{Fitted, FormatError};
use sibp::model::{AnyModel, DdIbpModel, MAX_LINKED_OBJECTS, ModelKind, Observations, ObservationsError, Positions};
use sibp::prior::proximity::{Decay, Distance, Places};
use sibp::run::{RunControl, RunError, RunSettings, sample};
use sibp::trace::{ChainRecord, Draw, Tensor};
use sibp::triplets::{Triplet, TripletSet};
use std::collections::BTreeMap;

const SETTINGS: RunSettings = RunSettings { seed: 3, sweeps: 6, chains: 1, draws: 2 };

fn small(distance: Distance) -> Fit {
    let name = if distance == Distance::Input { "ddibp, input distances" } else { "ddibp, output distances" };
    let (_, kind, preset) = MODELS.into_iter().find(|(of, ..)| *of == name).unwrap();
    assert_eq!(kind, ModelKind::DdIbp);
    Fit::new(kind, preset, 8, SETTINGS)
}

fn refusal(fit: &Fit, resume: Option<Vec<ChainRecord>>) -> RunError {
    sample(&fit.info.model, &fit.data, &SETTINGS, &RunControl::default(), resume).unwrap_err()
}

/// Why the observations cannot be explained.
fn unusable(fit: &Fit) -> ObservationsError {
    match refusal(fit, None) {
        RunError::Observations(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn runs_without_usable_distances_say_why() {
    let mut without = small(Distance::Output);
    without.data.positions = Positions::Own;
    assert!(matches!(unusable(&without), ObservationsError::NoClasses));
    without.data.positions = Positions::Classes(vec![0, 1]);
    assert!(matches!(unusable(&without), ObservationsError::Places { n_objects: 8, found: 2 }));
    let mut with_triplets = small(Distance::Input);
    with_triplets.data.triplets = TripletSet::new(8, vec![Triplet { anchor: 0, near: 1, far: 2 }]).unwrap();
    assert!(matches!(unusable(&with_triplets), ObservationsError::UnusedTriplets { model: "ddibp", n_triplets: 1 }));
    let n = MAX_LINKED_OBJECTS + 1;
    let mut many = small(Distance::Input);
    many.data = Observations::new(Inputs::new(n, 1, vec![0.0; n]).unwrap(), TripletSet::empty(n));
    assert!(matches!(unusable(&many), ObservationsError::TooManyObjects { limit: MAX_LINKED_OBJECTS, .. }));
}

#[test]
fn links_that_no_run_can_have_written_are_refused() {
    let sound = small(Distance::Input);
    let chains = sound.run(&RunControl::default(), None).chains;
    let refused = |change: fn(&mut Draw)| {
        let mut chains = chains.clone();
        chains[0].sweeps_done = SETTINGS.sweeps;
        change(&mut chains[0].last);
        refusal(&sound, Some(chains)).to_string()
    };
    let tensor = |draw: &mut Draw, name: &str, value: f64| draw.tensors.get_mut(name).unwrap().values[0] = value;
    assert!(chains[0].last.bits.n_bits() > 0, "the tests below need a column");
    for (name, value) in [("owners", 8.0), ("owners", 0.5), ("links", -1.0), ("links", 1e300)] {
        let mut damaged = chains.clone();
        tensor(&mut damaged[0].last, name, value);
        let error = refusal(&sound, Some(damaged)).to_string();
        assert!(error.contains(&format!("'{name}' is {value}")), "{error}");
    }
    let error = refused(|draw| drop(draw.tensors.remove("links")));
    assert!(error.contains("no 'links'"), "{error}");
    let error = refused(|draw| draw.bits.set(0, 0, !draw.bits.get(0, 0)));
    assert!(error.contains("not what the links lead to"), "{error}");
}

#[test]
fn files_must_hold_what_distances_are_taken_from() {
    let input = small(Distance::Input);
    let file = input.file(input.run(&RunControl::default(), None).chains);
    assert_eq!(Fitted::from_bytes(&file.to_bytes().unwrap()).unwrap(), file);
    let mut without = file.clone();
    without.info.inputs = None;
    let error = without.to_bytes().unwrap_err();
    assert!(matches!(error, FormatError::Count { expected: 8, found: 0, .. }), "{error}");
    let mut short = file.clone();
    short.info.inputs = file.info.inputs.as_ref().map(|inputs| inputs.select(&[0, 1]));
    assert!(matches!(short.to_bytes().unwrap_err(), FormatError::Count { expected: 8, found: 2, .. }));
    let output = small(Distance::Output);
    let mut file = output.file(output.run(&RunControl::default(), None).chains);
    file.info.labels = None;
    assert!(file.to_bytes().unwrap_err().to_string().contains("distances between classes"));
}

/// Two bits over four objects with known images, spread and noise.
fn draw() -> Draw {
    let mut bits = Codes::zeros(4, 2);
    for (object_ix, bit_ix) in [(0, 0), (1, 0), (1, 1), (3, 1)] {
        bits.set(object_ix, bit_ix, true);
    }
    let tensor = |shape: &[usize], values: &[f64]| Tensor { shape: shape.to_vec(), values: values.to_vec() };
    Draw {
        sweep: 1,
        bits,
        encoded: None,
        weights: vec![1.0; 2],
        scalars: BTreeMap::from([("noise_variance".to_owned(), 0.5)]),
        tensors: BTreeMap::from([
            ("images".to_owned(), tensor(&[2, 1], &[0.6, -0.4])),
            ("spread".to_owned(), tensor(&[2, 2], &[0.5, 0.1, 0.1, 0.7])),
        ]),
    }
}

/// Probability of each of the four codes, by its definition: prior times N(x; zμ, σx²(1 + zCz)).
fn exact(x: f64, prior: impl Fn([f64; 2]) -> f64) -> [f64; 4] {
    let weight = |code: usize| {
        let z = [(code & 1) as f64, (code >> 1) as f64];
        let mean = 0.6 * z[0] - 0.4 * z[1];
        let variance = 0.5 * (1.0 + 0.5 * z[0] + 0.7 * z[1] + 0.2 * z[0] * z[1]);
        prior(z) * (-0.5 * (x - mean) * (x - mean) / variance).exp() / variance.sqrt()
    };
    let weights: [f64; 4] = std::array::from_fn(weight);
    weights.map(|w| w / weights.iter().sum::<f64>())
}

fn bernoulli(shares: [f64; 2], z: [f64; 2]) -> f64 {
    (0..2).map(|k| if z[k] == 1.0 { shares[k] } else { 1.0 - shares[k] }).product()
}

/// Encodes one object often and compares how often each code comes with what is expected.
fn compare(places: &Places, decay: Decay, x: f64, expected: [f64; 4]) {
    const N: usize = 20_000;
    let distance = if let Places::Inputs(_) = places { Distance::Input } else { Distance::Output };
    let one = Inputs::new(1, 1, vec![1.0]).unwrap();
    let model = DdIbpModel::preset(&one, distance, decay);
    AnyModel::DdIbp(model).check().unwrap();
    let encoder = DdIbpEncoder::new(&draw(), decay, places, 1, 7).unwrap();
    let codes = encoder.encode(&Inputs::new(N, 1, vec![x; N]).unwrap(), 0);
    let number = |row: usize| usize::from(codes.get(row, 0)) + 2 * usize::from(codes.get(row, 1));
    let mut counts = [0.0; 4];
    (0..N).for_each(|row| counts[number(row)] += 1.0);
    for (count, p) in counts.into_iter().zip(expected) {
        // Rows are independent. Five deviations of a binomial, and room for one count where nothing is expected.
        let room = 5.0 * (N as f64 * p * (1.0 - p)).sqrt() + 1.0;
        assert!((count - N as f64 * p).abs() <= room, "{decay:?}: {counts:?} of {N}, expected {expected:?}");
    }
}

#[test]
fn unseen_objects_link_to_training_objects_near_them() {
    let inputs = Inputs::new(4, 1, vec![0.0, 1.0, 2.5, -1.0]).unwrap();
    let x: f64 = 0.3;
    for decay in [Decay::Exponential { rate: 1.2 }, Decay::Logistic { centre: 1.0, scale: 0.5 }] {
        let near: Vec<f64> = inputs.values().iter().map(|at| decay.at((x - at).abs())).collect();
        let sum: f64 = near.iter().sum();
        let shares = [(near[0] + near[1]) / sum, (near[1] + near[3]) / sum];
        compare(&Places::Inputs(&inputs), decay, x, exact(x, |z| bernoulli(shares, z)));
    }
    // Only the first two objects are in the window: both own the first bit, the second is as likely as not.
    let window = Decay::Window { width: 0.8 };
    compare(&Places::Inputs(&inputs), window, x, exact(x, |z| bernoulli([1.0, 0.5], z)));
    // Nobody is in this one: all count alike.
    let narrow = Decay::Window { width: 0.1 };
    compare(&Places::Inputs(&inputs), narrow, x, exact(x, |z| bernoulli([0.5, 0.5], z)));
}

#[test]
fn the_class_of_an_unseen_object_is_drawn_along() {
    let labels = Labels::from_text(&["a", "a", "a", "b"]);
    let decay = Decay::Exponential { rate: 1.0 };
    let far = (-1.0f64).exp();
    let of_a = [2.0 / (3.0 + far), (1.0 + far) / (3.0 + far)];
    let of_b = [2.0 * far / (1.0 + 3.0 * far), (1.0 + far) / (1.0 + 3.0 * far)];
    let prior = |z: [f64; 2]| 0.75 * bernoulli(of_a, z) + 0.25 * bernoulli(of_b, z);
    let places = Places::Classes(labels.class_of());
    compare(&places, decay, 0.2, exact(0.2, prior));
    // Without links between classes a class is not left bit by bit.
    let apart = |z: [f64; 2]| 0.75 * bernoulli([2.0 / 3.0, 1.0 / 3.0], z) + 0.25 * bernoulli([0.0, 1.0], z);
    compare(&places, Decay::Window { width: 0.0 }, 0.2, exact(0.2, apart));
}
