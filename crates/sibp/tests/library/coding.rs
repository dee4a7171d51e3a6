//! Checks the path from data to codes that the command and Python share, and every way in which it refuses.

use crate::fits::{Fit, small_model};
use sibp::codes::Codes;
use sibp::data::{DataError, Inputs, Table};
use sibp::encode::{EncoderChoice, EncoderError};
use sibp::format::Fitted;
use sibp::model::{ModelKind, ModelOptions, Preset, Start};
use sibp::pipeline::{Asking, CodingError, DrawChoice, FitError, Prepared, Reading};
use sibp::run::{RunControl, RunSettings};
use sibp::schedule::Schedule;
use sibp::transform::InputTransform;
use sibp::triplets::Triplet;

fn model(kind: ModelKind) -> Fitted {
    let fit = Fit::new(kind, Preset::Hash, 12, RunSettings { seed: 1, sweeps: 6, chains: 3, draws: 2 });
    fit.file(fit.run(&RunControl::default(), None).chains)
}

fn prepared(steps: &str, options: &ModelOptions, settings: RunSettings) -> Result<Prepared, FitError> {
    let inputs = Inputs::new(4, 1, vec![0.0, 1.0, 8.0, 9.0]).unwrap();
    let steps: InputTransform = steps.parse().unwrap();
    sibp::pipeline::Fit::new(Table::from(inputs), vec![Triplet { anchor: 0, near: 1, far: 2 }])
        .model(options.clone())
        .transform(steps)
        .settings(settings)
        .prepare(None)
}

#[test]
fn chains_side_by_side_begin_with_given_bits() {
    let file = model(ModelKind::Probit);
    let given = file.info.given.as_ref().unwrap().codes.clone();
    let coder = file.coder(DrawChoice::Concatenate).unwrap();
    let draws = file.chosen_draws(DrawChoice::Concatenate).unwrap();
    let n_learned: usize = draws.iter().map(|draw| draw.weights.len()).sum();
    assert!(n_learned > 0);
    assert_eq!(coder.database().n_bits(), 2 + n_learned);
    assert_eq!((coder.n_bits(), coder.weights().len()), (2 + n_learned, 2 + n_learned));
    // A given bit counts once for each chain, by that chain's weight.
    let weight = |bit: usize| draws.iter().map(|draw| draw.tensor("given_weights", &[2]).unwrap()[bit]).sum::<f64>();
    assert_eq!((draws.len(), &coder.weights()[..2]), (3, &[weight(0), weight(1)][..]));
    let inputs = Inputs::new(12, 3, (0..36).map(f64::from).collect()).unwrap();
    let codes = coder.encode_rows(&inputs, Some(&given), 0, 3).unwrap();
    assert_eq!(codes.n_bits(), 2 + n_learned);
    assert_eq!(codes, coder.encode_rows(&inputs, Some(&given), 0, 1).unwrap());
    assert!((0..12).all(|row| (0..2).all(|bit| codes.get(row, bit) == given.get(row, bit))));
}

#[test]
fn bit_probabilities_stand_behind_given_bits_and_say_the_codes() {
    let file = model(ModelKind::Probit);
    let given = file.info.given.as_ref().unwrap().codes.clone();
    let coder = file.coder(DrawChoice::Concatenate).unwrap();
    let n_learned = file.learned_coder(DrawChoice::Concatenate).unwrap().n_bits();
    let inputs = Inputs::new(12, 3, (0..36).map(|v| f64::from(v % 7) / 7.0).collect()).unwrap();
    assert_eq!(coder.probability_error(), None);
    let rows = coder.probabilities(&inputs, Some(&given)).unwrap();
    let codes = coder.encode_rows(&inputs, Some(&given), 0, 1).unwrap();
    let n_bits = codes.n_bits();
    assert_eq!((n_bits, rows.len()), (2 + n_learned, 12 * n_bits));
    for (at, &p) in rows.iter().enumerate() {
        let (row, bit) = (at / n_bits, at % n_bits);
        assert_eq!(p > 0.5, codes.get(row, bit), "object {row}, bit {bit}: {p}");
        assert!(bit >= 2 || p == 0.0 || p == 1.0, "a given bit is certain");
    }
}

#[test]
fn preferences_of_both_orders_add_up_to_one() {
    let file = model(ModelKind::Probit);
    let inputs = Inputs::new(12, 3, (0..36).map(|v| f64::from(v % 7)).collect()).unwrap();
    let given = Codes::zeros(12, 2);
    let asked = [Triplet { anchor: 11, near: 2, far: 5 }, Triplet { anchor: 11, near: 5, far: 2 }];
    let p = file.preferences((&inputs, Some(&given)), &asked, &Asking::default()).unwrap();
    let p = p.probabilities;
    assert!((p[0] + p[1] - 1.0).abs() < 1e-12, "{p:?}");
}

#[test]
fn a_model_says_why_it_cannot_encode() {
    let with = |encoder| Reading { encoder: Some(encoder), ..Reading::default() };
    let (probit, gaussian) = (model(ModelKind::Probit), small_model());
    let foreign = |file: &Fitted, encoder| {
        let about = file.info.model.about();
        Some(CodingError::Encoder(EncoderError::Foreign { encoder, model: about.name, offered: about.encoders }))
    };
    assert_eq!(probit.coder(with(EncoderChoice::Ridge)).err(), foreign(&probit, EncoderChoice::Ridge));
    assert_eq!(gaussian.coder(with(EncoderChoice::Refit)).err(), foreign(&gaussian, EncoderChoice::Refit));
    let coder = gaussian.coder(Reading::default()).unwrap();
    let inputs = Inputs::new(1, 3, vec![0.0; 3]).unwrap();
    let none = CodingError::NoProbabilities { model: "gaussian" };
    assert_eq!(coder.probability_error(), Some(none.clone()));
    assert_eq!(coder.probabilities(&inputs, Some(&Codes::zeros(1, 2))), Err(none));
    let mut bare = probit.clone();
    bare.chains.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])).for_each(|draw| {
        draw.tensors.remove("map_sticks");
    });
    assert!(matches!(bare.coder(Reading::default()).err(), Some(CodingError::Restore(_))));
    // Codes of given bits alone are codes.
    let mut empty = probit;
    empty.info.given = None;
    empty.chains.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])).for_each(|draw| {
        draw.bits = Codes::zeros(12, 0);
    });
    assert_eq!(empty.coder(Reading::default()).err(), Some(CodingError::NoBits));
}

#[test]
fn options_change_the_preset_and_nothing_else() {
    let settings = RunSettings::new(1, 3);
    for (kind, schedule) in [
        (ModelKind::Probit, Schedule::probit()),
        (ModelKind::Gaussian, Schedule::gaussian()),
        (ModelKind::Ibp, Schedule::ibp()),
    ] {
        let plain = ModelOptions::new(kind, Preset::Hash);
        let named = ModelOptions { schedule: Some(schedule), ..plain.clone() };
        let made = |options| prepared(kind.about().transform, options, settings).unwrap().info;
        assert_eq!(made(&plain), made(&named));
        let changed = ModelOptions { start: Some(Start::Coins(3)), ..plain.clone() };
        assert_ne!(made(&plain).model, made(&changed).model);
        assert_eq!(made(&plain).digests, made(&changed).digests);
    }
}

#[test]
fn a_fit_says_what_is_wrong_with_it() {
    let good = ModelOptions::new(ModelKind::Probit, Preset::Hash);
    let settings = RunSettings::new(1, 3);
    let wrong = prepared("pca:9", &good, settings).unwrap_err();
    assert!(matches!(wrong, FitError::Data(DataError::BadSize { .. } | DataError::BadTransform { .. })), "{wrong:?}");
    let negative = ModelOptions { pseudo_weight: Some(-1.0), ..good.clone() };
    assert!(matches!(prepared("none", &negative, settings), Err(FitError::Model(_))));
    assert!(matches!(prepared("none", &good, RunSettings { sweeps: 0, ..settings }), Err(FitError::Settings(_))));
}
