//! Checks the path from data to codes that the command and Python share, and every way in which it refuses.

use crate::fits::{Fit, small_model};
use sibp::codes::Codes;
use sibp::data::{DataError, Features, InputTransform, Table};
use sibp::encode::{CodingError, CodingOptions, DrawChoice, EncoderChoice, encode_parallel, preference_probabilities};
use sibp::fit::{ModelOptions, Problem, ProblemError, TrainingData, default_schedule, default_transform};
use sibp::format::{ModelFile, TripletOrigin};
use sibp::model::{ModelKind, Preset, Start};
use sibp::run::{RunControl, RunSettings};
use sibp::triplets::{Triplet, TripletSet};

fn model(kind: ModelKind) -> ModelFile {
    let fit = Fit::new(kind, Preset::Hash, 12, RunSettings { seed: 1, sweeps: 6, chains: 3, draws: 2 });
    fit.file(fit.run(&RunControl::default(), None).chains)
}

fn table() -> Table {
    let features = Features::new(4, 1, vec![0.0, 1.0, 8.0, 9.0]).unwrap();
    Table { features, ids: None, labels: None, input_names: None }
}

fn problem(steps: &str, options: &ModelOptions, settings: RunSettings) -> Result<Problem, ProblemError> {
    let triplets = TripletSet::new(4, vec![Triplet { anchor: 0, near: 1, far: 2 }]).unwrap();
    let origin = TripletOrigin::Given { n_triplets: 1 };
    let data = TrainingData { table: table(), triplets, origin, given: None };
    let steps: InputTransform = steps.parse().unwrap();
    Problem::new(data, &steps, options, settings)
}

#[test]
fn chains_side_by_side_begin_with_given_bits() {
    let file = model(ModelKind::Probit);
    let given = file.info.given.as_ref().unwrap().codes.clone();
    let options = CodingOptions { draws: DrawChoice::Concatenate, ..CodingOptions::default() };
    let coding = file.coding(&options, Some(given.clone())).unwrap();
    let draws = file.encoding_draws(DrawChoice::Concatenate).unwrap();
    let n_learned: usize = draws.iter().map(|draw| draw.weights.len()).sum();
    assert_eq!(coding.database.n_bits(), 2 + n_learned);
    assert_eq!((coding.encoder.n_bits(), coding.weights.len()), (2 + n_learned, 2 + n_learned));
    // A given bit counts once for each chain, by that chain's weight.
    let weight = |bit: usize| draws.iter().map(|draw| draw.tensor("given_weights", &[2]).unwrap()[bit]).sum::<f64>();
    assert_eq!((draws.len(), &coding.weights[..2]), (3, &[weight(0), weight(1)][..]));
    let features = Features::new(12, 3, (0..36).map(f64::from).collect()).unwrap();
    let codes = encode_parallel(coding.encoder.as_ref(), &features, 0, 3);
    assert_eq!(codes, encode_parallel(coding.encoder.as_ref(), &features, 0, 1));
    assert!((0..12).all(|row| (0..2).all(|bit| codes.get(row, bit) == given.get(row, bit))));
}

#[test]
fn bit_probabilities_stand_behind_given_bits_and_say_the_codes() {
    let file = model(ModelKind::Probit);
    let given = file.info.given.as_ref().unwrap().codes.clone();
    let options = CodingOptions { draws: DrawChoice::Concatenate, ..CodingOptions::default() };
    let bits = file.bit_probabilities(&options).unwrap().unwrap();
    let features = Features::new(12, 3, (0..36).map(|v| f64::from(v % 7) / 7.0).collect()).unwrap();
    let rows = bits.rows(&features, Some(&given));
    let coding = file.coding(&options, Some(given.clone())).unwrap();
    let codes = coding.encoder.encode(&features, 0);
    let n_bits = codes.n_bits();
    assert_eq!((n_bits, rows.len()), (2 + bits.n_bits(), 12 * n_bits));
    for (at, &p) in rows.iter().enumerate() {
        let (row, bit) = (at / n_bits, at % n_bits);
        assert_eq!(p > 0.5, codes.get(row, bit), "object {row}, bit {bit}: {p}");
        assert!(bit >= 2 || p == 0.0 || p == 1.0, "a given bit is certain");
    }
}

#[test]
fn preferences_of_both_orders_add_up_to_one() {
    let file = model(ModelKind::Probit);
    let features = Features::new(12, 3, (0..36).map(|v| f64::from(v % 7)).collect()).unwrap();
    let given = Codes::zeros(12, 2);
    let asked = [Triplet { anchor: 11, near: 2, far: 5 }, Triplet { anchor: 11, near: 5, far: 2 }];
    let options = CodingOptions::default();
    let p = preference_probabilities(&file, (&features, Some(&given)), &asked, &options, 1).unwrap();
    assert!((p[0] + p[1] - 1.0).abs() < 1e-12, "{p:?}");
}

#[test]
fn a_model_says_why_it_cannot_encode() {
    let with = |encoder| CodingOptions { encoder: Some(encoder), ..CodingOptions::default() };
    let (probit, gaussian) = (model(ModelKind::Probit), small_model());
    assert_eq!(probit.coding(&with(EncoderChoice::Ridge), None).err(), Some(CodingError::Probit));
    assert_eq!(gaussian.coding(&with(EncoderChoice::Refit), None).err(), Some(CodingError::NotProbit));
    assert!(gaussian.bit_probabilities(&CodingOptions::default()).unwrap().is_none());
    let mut bare = probit.clone();
    bare.chains.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])).for_each(|draw| {
        draw.tensors.remove("map_sticks");
    });
    assert!(matches!(bare.coding(&CodingOptions::default(), None).err(), Some(CodingError::Restore(_))));
    let mut empty = probit;
    empty.chains.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])).for_each(|draw| {
        draw.bits = Codes::zeros(12, 0);
    });
    assert_eq!(empty.coding(&CodingOptions::default(), None).err(), Some(CodingError::NoBits));
}

#[test]
fn options_change_the_preset_and_nothing_else() {
    let settings = RunSettings::new(1, 3);
    for kind in [ModelKind::Probit, ModelKind::Gaussian, ModelKind::Ibp] {
        let plain = ModelOptions::new(kind, Preset::Hash);
        let named = ModelOptions { schedule: Some(default_schedule(kind)), ..plain.clone() };
        let made = |options| problem(default_transform(kind), options, settings).unwrap().info;
        assert_eq!(made(&plain), made(&named));
        let changed = ModelOptions { start: Some(Start::Coins(3)), ..plain.clone() };
        assert_ne!(made(&plain).model, made(&changed).model);
        assert_eq!(made(&plain).digests, made(&changed).digests);
    }
}

#[test]
fn a_problem_says_what_is_wrong_with_it() {
    let good = ModelOptions::new(ModelKind::Probit, Preset::Hash);
    let settings = RunSettings::new(1, 3);
    let wrong = problem("pca:9", &good, settings).unwrap_err();
    assert!(
        matches!(wrong, ProblemError::Data(DataError::BadSize { .. } | DataError::BadTransform { .. })),
        "{wrong:?}"
    );
    let negative = ModelOptions { pseudo_weight: Some(-1.0), ..good.clone() };
    assert!(matches!(problem("none", &negative, settings), Err(ProblemError::Model(_))));
    assert!(matches!(problem("none", &good, RunSettings { sweeps: 0, ..settings }), Err(ProblemError::Run(_))));
}
