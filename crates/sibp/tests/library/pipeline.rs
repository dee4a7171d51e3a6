//! Tests the way from data to codes for every model and encoder: fits, chunks, databases.

use crate::fits::{self, MODELS, small_stack};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels, Table};
use sibp::encode::{Encoder, EncoderChoice, EncoderError, JoinedEncoder};
use sibp::format::{Fitted, TripletOrigin};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::{Coder, CodingError, DrawChoice, Fit, Reading, Teaching, TrainingCodes};
use sibp::prior::proximity::{Decay, DecayChoice, Distance};
use sibp::run::{RunControl, RunSettings};
use sibp::transform::InputTransform;

const SETTINGS: RunSettings = RunSettings { seed: 1, sweeps: 12, chains: 2, draws: 3 };
const DRAWS: [DrawChoice; 5] =
    [DrawChoice::Map, DrawChoice::Last, DrawChoice::Concatenate, DrawChoice::LastOfEach, DrawChoice::Kept];

/// The builder's version of a fit that was assembled by hand.
fn builder(of: &fits::Fit, kind: ModelKind, preset: Preset) -> Fit {
    let options = ModelOptions {
        distance: if preset == Preset::Paper { Distance::Output } else { Distance::Input },
        decay: DecayChoice::Given(Decay::Exponential { rate: 1.0 }),
        ..ModelOptions::new(kind, preset)
    };
    let teaching = match &of.info.triplets {
        TripletOrigin::Labels { options, .. } => Teaching::Labels(*options),
        _ => Teaching::Nothing,
    };
    let steps: InputTransform = "standardise".parse().unwrap();
    let fit = Fit::new(of.table.clone(), teaching).model(options).transform(steps);
    fit.given(of.info.given.clone()).settings(of.info.settings)
}

/// Every model with its name, fitted by the builder to 20 objects.
pub fn all_fitted() -> Vec<(&'static str, Fitted)> {
    let fitted = |(name, kind, preset)| {
        let by_hand = fits::Fit::new(kind, preset, 20, SETTINGS);
        let mut fitted = builder(&by_hand, kind, preset).run(&RunControl::default()).unwrap();
        fitted.refit(DrawChoice::Kept, &by_hand.table.inputs, 1).unwrap();
        (name, fitted)
    };
    MODELS.into_iter().map(fitted).collect()
}

pub fn fitted(wanted: &str) -> Fitted {
    all_fitted().into_iter().find(|(name, _)| *name == wanted).unwrap().1
}

/// Objects that no model has seen.
pub fn unseen(n_objects: usize) -> Inputs {
    let value = |at: usize| ((at * 7919 + 13) % 1009) as f64 / 504.5;
    Inputs::new(n_objects, 3, (0..3 * n_objects).map(value).collect()).unwrap()
}

/// Bits that somebody knows of objects, for a model whose codes begin with given ones.
pub fn known_bits(model: &Fitted, n_objects: usize) -> Option<Codes> {
    model.info.given.as_ref().map(|given| {
        let mut codes = Codes::zeros(n_objects, given.codes.n_bits());
        (0..n_objects).for_each(|row| codes.set(row, row % 2, row % 3 != 0));
        codes
    })
}

/// Some of the bits of all codes.
pub fn columns(codes: &Codes, bits: std::ops::Range<usize>) -> Codes {
    let mut out = Codes::zeros(codes.n_objects(), bits.len());
    for row in 0..codes.n_objects() {
        bits.clone().enumerate().for_each(|(to, from)| out.set(row, to, codes.get(row, from)));
    }
    out
}

#[test]
fn a_fit_by_the_builder_is_the_one_assembled_by_hand() {
    for (name, kind, preset) in MODELS {
        let by_hand = fits::Fit::new(kind, preset, 20, SETTINGS);
        let prepared = builder(&by_hand, kind, preset).prepare(None).unwrap();
        assert_eq!(prepared.info, by_hand.info, "{name}");
        assert_eq!(prepared.labels_report.is_some(), kind.about().supervised, "{name}");
        let fitted = builder(&by_hand, kind, preset).calibrates(false).run(&RunControl::default()).unwrap();
        assert!(fitted.to_bytes().unwrap() == by_hand.bytes(1), "{name}");
    }
}

#[test]
fn without_a_transform_the_model_chooses() {
    let labels = Labels::from_text(&["a", "a", "b", "b"]);
    assert!(ModelKind::ALL.iter().any(|kind| kind.about().transform != "none"), "some model asks for a transform");
    for &kind in ModelKind::ALL {
        let fit = || Fit::by_labels(Table::from(unseen(4)), labels.clone()).model(kind);
        let steps: InputTransform = kind.about().transform.parse().unwrap();
        assert_eq!(fit().prepare(None).unwrap().info, fit().transform(steps).prepare(None).unwrap().info);
    }
}

/// Encodes in chunks of so many rows.
pub fn chunked(coder: &Coder, inputs: &Inputs, known: Option<&Codes>, size: usize, threads: usize) -> Codes {
    let n_objects = inputs.n_objects();
    let mut codes = Codes::zeros(n_objects, coder.n_bits());
    for first in (0..n_objects).step_by(size) {
        let rows: Vec<usize> = (first..(first + size).min(n_objects)).collect();
        let known = known.map(|known| known.select(&rows));
        let part = coder.encode_rows(&inputs.select(&rows), known.as_ref(), first as u64, threads).unwrap();
        rows.iter().enumerate().for_each(|(at, &row)| codes.set_row(row, part.row(at)));
    }
    codes
}

/// The codes of each chosen draw's own encoder, side by side behind the given bits.
fn by_parts(model: &Fitted, reading: &Reading, inputs: &Inputs, known: Option<&Codes>) -> Codes {
    let (info, draws) = (&model.info, model.chosen_draws(reading.draws).unwrap());
    let encoder = |draw| info.model.encoder(draw, &info.training(), reading.encoder, reading.seed).unwrap();
    let joined = JoinedEncoder::new(draws.into_iter().map(encoder).collect());
    let learned = joined.encode(&info.transform.apply(inputs).unwrap(), 0);
    Codes::side_by_side(&known.into_iter().chain([&learned]).collect::<Vec<_>>())
}

#[test]
fn chunks_of_any_size_give_the_codes_of_the_whole() {
    let inputs = unseen(40);
    for (name, model) in all_fitted() {
        let known = known_bits(&model, 40);
        for &encoder in model.info.model.about().encoders {
            for draws in DRAWS {
                let reading = Reading { encoder: Some(encoder), draws, seed: 5, training: TrainingCodes::Learned };
                let about = format!("{name}, {encoder}, {draws:?}");
                let coder = model.coder(reading).unwrap();
                let whole = coder.encode_rows(&inputs, known.as_ref(), 0, 0).unwrap();
                assert_eq!((whole.n_objects(), whole.n_bits()), (40, coder.n_bits()), "{about}");
                assert_eq!(whole, by_parts(&model, &reading, &inputs, known.as_ref()), "{about}");
                for (size, threads) in [(1, 1), (3, 2), (7, 0), (39, 5), (40, 1)] {
                    let chunks = chunked(&coder, &inputs, known.as_ref(), size, threads);
                    assert_eq!(chunks, whole, "{about}: chunks of {size} on {threads} threads");
                }
                if coder.n_needed() == 0 {
                    let plain = coder.encode_rows(&inputs, None, 0, 1).unwrap();
                    assert_eq!(coder.encode(&inputs).unwrap(), plain, "{about}");
                }
            }
        }
    }
}

#[test]
fn rows_and_seeds_decide_what_encoders_draw() {
    let inputs = unseen(40);
    for (name, model) in all_fitted() {
        let known = known_bits(&model, 40);
        let codes = |encoder, seed, first_row| {
            let reading = Reading { encoder: Some(encoder), seed, draws: DrawChoice::Kept, ..Reading::default() };
            model.coder(reading).unwrap().encode_rows(&inputs, known.as_ref(), first_row, 1).unwrap()
        };
        for &encoder in model.info.model.about().encoders {
            let draws = matches!(encoder, EncoderChoice::Gibbs | EncoderChoice::Links);
            assert_eq!(codes(encoder, 1, 0) != codes(encoder, 2, 0), draws, "{name}, {encoder}: seeds");
            assert_eq!(codes(encoder, 1, 0) != codes(encoder, 1, 40), draws, "{name}, {encoder}: rows");
        }
    }
}

#[test]
fn the_first_encoder_is_the_default_and_those_of_other_models_are_refused() {
    let inputs = unseen(10);
    for (name, model) in all_fitted() {
        let (about, known) = (model.info.model.about(), known_bits(&model, 10));
        let coder = |encoder| model.coder(Reading { encoder, ..Reading::default() });
        let encode = |encoder| coder(encoder).unwrap().encode_rows(&inputs, known.as_ref(), 0, 1).unwrap();
        assert_eq!(encode(None), encode(Some(about.encoders[0])), "{name}");
        for &encoder in EncoderChoice::ALL.iter().filter(|encoder| !about.encoders.contains(encoder)) {
            let foreign = EncoderError::Foreign { encoder, model: about.name, offered: about.encoders };
            assert_eq!(coder(Some(encoder)).err(), Some(CodingError::Encoder(foreign)), "{name}");
        }
    }
}

#[test]
fn training_objects_have_learned_or_encoded_bits_behind_their_given_ones() {
    for (name, model) in all_fitted() {
        let inputs = fits::Fit::new(ModelKind::Ibp, Preset::Hash, 20, SETTINGS).table.inputs;
        let given = model.info.given.as_ref().map(|given| &given.codes);
        for draws in DRAWS {
            let bits: Vec<&Codes> = model.chosen_draws(draws).unwrap().iter().map(|draw| &draw.bits).collect();
            let bits = Codes::side_by_side(&bits);
            let behind = Codes::side_by_side(&given.into_iter().chain([&bits]).collect::<Vec<_>>());
            let by = |training| Reading { draws, training, ..Reading::default() };
            let learned = model.coder(by(TrainingCodes::Learned)).unwrap();
            assert_eq!(learned.database(), &behind, "{name}, {draws:?}");
            assert_eq!(model.learned_coder(draws).unwrap().database(), &bits, "{name}, {draws:?}");
            let encoded = model.coder(by(TrainingCodes::Encoded)).unwrap();
            if model.info.model.kind() == ModelKind::Probit {
                // Its bits are predicted from inputs, so its training objects have a second code.
                assert_eq!(encoded.database(), &encoded.encode_rows(&inputs, given, 0, 1).unwrap(), "{name}");
                assert_ne!(encoded.database(), &behind, "{name}, {draws:?}");
            } else {
                assert_eq!(encoded.database(), &behind, "{name}, {draws:?}");
            }
            // How training objects are coded changes nothing for others.
            let known = known_bits(&model, 20);
            let others = |coder: &Coder| coder.encode_rows(&unseen(20), known.as_ref(), 0, 1).unwrap();
            assert_eq!(others(&learned), others(&encoded), "{name}");
        }
    }
    let coder = Coder::from(small_stack());
    assert_eq!((coder.database().n_objects(), coder.database().n_bits(), coder.n_bits()), (0, 9, 9));
}

/// A run refits the draws that may encode, and no others; those need the training inputs.
#[test]
fn draws_are_refitted_where_they_may_encode_or_the_inputs_are_given() {
    let by_hand = fits::Fit::new(ModelKind::Probit, Preset::Hash, 20, RunSettings { draws: 5, ..SETTINGS });
    let mut fitted = builder(&by_hand, ModelKind::Probit, Preset::Hash).run(&RunControl::default()).unwrap();
    for chain in &fitted.chains {
        let refitted: Vec<u64> = chain.draws.iter().filter(|draw| draw.is_refitted()).map(|draw| draw.sweep).collect();
        let mut expected = vec![chain.best().sweep, 12];
        expected.dedup();
        assert_eq!(refitted, expected);
        for draw in chain.draws.iter().filter(|draw| draw.is_refitted()) {
            assert!(draw.tensors["map_gradients"].values.iter().all(|&norm| norm <= 1e-6), "sweep {}", draw.sweep);
        }
    }
    let Some(CodingError::Encoder(EncoderError::NotRefitted { sweep })) = fitted.coder(DrawChoice::Kept).err() else {
        panic!("draws that were not refitted must not encode");
    };
    assert!(sweep < 12);
    let drawn = Reading { encoder: Some(EncoderChoice::Drawn), ..Reading::from(DrawChoice::Kept) };
    fitted.coder(drawn).unwrap();
    assert_eq!(fitted.refit(DrawChoice::Kept, &unseen(20), 1), Err(CodingError::OtherInputs));
    let before = fitted.coder(DrawChoice::Map).unwrap().encode(&unseen(9));
    fitted.refit(DrawChoice::Kept, &by_hand.table.inputs, 1).unwrap();
    fitted.coder(DrawChoice::Kept).unwrap();
    assert_eq!(fitted.coder(DrawChoice::Map).unwrap().encode(&unseen(9)), before);
}

/// Probabilities are calibrated on held-out triplets, the same whatever the number of threads, unless told otherwise.
#[test]
fn probabilities_are_calibrated_unless_told_otherwise() {
    let labels = Labels::from_text(&["a", "b"].repeat(30));
    let fit = || Fit::by_labels(Table::from(unseen(60)), labels.clone()).settings(SETTINGS);
    let calibration = |threads| {
        let control = RunControl { threads, ..RunControl::default() };
        fit().run(&control).unwrap().info.calibration.unwrap()
    };
    let found = calibration(1);
    assert_eq!(found, calibration(2));
    assert!(found.n_triplets >= 100 && found.sharpness > 0.0 && (0.0..=1.0).contains(&found.agreement), "{found:?}");
    assert_eq!(fit().calibrates(false).run(&RunControl::default()).unwrap().info.calibration, None);
    let unsupervised = fit().model(ModelKind::Ibp).run(&RunControl::default()).unwrap();
    assert_eq!(unsupervised.info.calibration, None);
}
