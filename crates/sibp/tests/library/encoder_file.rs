//! Tests encoders that leave their model: the same codes, and every damage to their files is an error.

use crate::fits::{Fit, MODELS};
use crate::fuzz::seal_model;
use crate::unsupervised_bits;
use sibp::encode::EncoderChoice;
use sibp::format::{Fitted, PortableEncoder};
use sibp::model::{ModelKind, Preset};
use sibp::pipeline::{Coder, CodingError, DrawChoice, Reading};
use sibp::run::{RunControl, RunSettings};

const SETTINGS: RunSettings = RunSettings { seed: 1, sweeps: 6, chains: 2, draws: 1 };

fn fitted(kind: ModelKind, preset: Preset) -> (Fit, Fitted) {
    let fit = Fit::new(kind, preset, 12, SETTINGS);
    let chains = fit.run(&RunControl::default(), None).chains;
    let mut file = fit.file(chains);
    file.refit(DrawChoice::Kept, &fit.table.inputs, 1).unwrap();
    (fit, file)
}

/// Files of encoders of every kind that there is.
pub fn small_encoders() -> Vec<Vec<u8>> {
    let of = |kind, choice| {
        let reading = Reading { encoder: choice, ..Reading::default() };
        fitted(kind, Preset::Hash).1.portable(reading).unwrap().to_bytes().unwrap()
    };
    let mut files = vec![
        of(ModelKind::Probit, None),
        of(ModelKind::Gaussian, None),
        of(ModelKind::Gaussian, Some(EncoderChoice::Ridge)),
    ];
    let with_hash = unsupervised_bits::fit(40).unsupervised_bits(3).run(&RunControl::default()).unwrap();
    files.push(with_hash.portable(Reading::default()).unwrap().to_bytes().unwrap());
    files
}

#[test]
fn it_gives_the_codes_of_its_model() {
    for (name, kind, preset) in MODELS {
        let (fit, file) = fitted(kind, preset);
        let known = file.info.given.as_ref().map(|given| &given.codes);
        let travel = |choice: &EncoderChoice| choice.travels();
        for encoder in kind.about().encoders.iter().copied().filter(travel) {
            for draws in [DrawChoice::Map, DrawChoice::Concatenate] {
                let reading = Reading { encoder: Some(encoder), draws, ..Reading::default() };
                let coder = file.coder(reading).unwrap();
                let bytes = file.portable(reading).unwrap().to_bytes().unwrap();
                let read = PortableEncoder::from_bytes(&bytes).unwrap();
                assert_eq!(read.to_bytes().unwrap(), bytes, "{name} {encoder}");
                let again = Coder::from(read);
                let codes = |coder: &Coder| coder.encode_rows(&fit.table.inputs, known, 0, 1).unwrap();
                assert_eq!(codes(&again), codes(&coder), "{name} {encoder}");
                assert_eq!(again.fingerprint(), coder.fingerprint());
                assert_eq!((again.weights(), again.input_names()), (coder.weights(), coder.input_names()));
                let probabilities = |coder: &Coder| coder.probabilities(&fit.table.inputs, known);
                assert_eq!(probabilities(&again), probabilities(&coder), "{name} {encoder}");
                assert_eq!(again.database().n_objects(), 0);
            }
        }
    }
}

#[test]
fn bits_of_the_inputs_alone_and_the_rule_for_missing_values_come_along() {
    let model = unsupervised_bits::fit(60).run(&RunControl::default()).unwrap();
    let (inputs, _) = unsupervised_bits::objects(90);
    let portable = model.portable(Reading::default()).unwrap();
    assert_eq!(portable.code_parts(), model.code_parts(DrawChoice::Suited).unwrap());
    assert!(portable.code_parts().unsupervised > 0);
    let coder = model.coder(Reading::default()).unwrap();
    let again = Coder::from(PortableEncoder::from_bytes(&portable.to_bytes().unwrap()).unwrap());
    assert_eq!(again.encode(&inputs).unwrap(), coder.encode(&inputs).unwrap());
    assert_eq!(again.filling(), coder.filling());
}

#[test]
fn it_does_not_grow_with_the_objects() {
    let size = |n: usize| {
        let chains = Fit::new(ModelKind::Probit, Preset::Hash, n, SETTINGS);
        let mut file = chains.file(chains.run(&RunControl::default(), None).chains);
        file.refit(DrawChoice::Kept, &chains.table.inputs, 1).unwrap();
        let portable = file.portable(Reading::default()).unwrap();
        (portable.to_bytes().unwrap().len(), 8 * 4 * portable.code_parts().total(), file.to_bytes().unwrap().len())
    };
    for n in [12, 400] {
        let (bytes, of_bits, model) = size(n);
        assert!(bytes < 4096 + of_bits && bytes < model, "{n} objects: {bytes} bytes of {model}");
    }
}

#[test]
fn encoders_that_need_training_objects_or_chance_stay_and_say_so() {
    let (_, gaussian) = fitted(ModelKind::Gaussian, Preset::Hash);
    let gibbs = Reading { encoder: Some(EncoderChoice::Gibbs), ..Reading::default() };
    let error = gaussian.portable(gibbs).unwrap_err();
    assert!(matches!(&error, CodingError::StaysHome { encoder: EncoderChoice::Gibbs, .. }), "{error}");
    assert!(error.to_string().ends_with("choose best-code, ridge or least-squares"), "{error}");
    let (_, linked) = fitted(ModelKind::DdIbp, Preset::Hash);
    let error = linked.portable(Reading::default()).unwrap_err().to_string();
    assert!(error.contains("links") && error.contains("best-code"), "{error}");
}

#[test]
fn every_truncation_and_every_flipped_bit_is_an_error() {
    for file in small_encoders() {
        assert!(PortableEncoder::from_bytes(&file).is_ok());
        for length in 0..file.len() {
            assert!(PortableEncoder::from_bytes(&file[..length]).is_err(), "cut to {length}");
        }
        let mut damaged = file.clone();
        for at in 0..file.len() {
            // All bits of the header, one of each number: a changed number is the checksum's affair alone.
            for bit in if at < 600 { 0..8 } else { 3..4 } {
                damaged[at] ^= 1 << bit;
                assert!(PortableEncoder::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
                damaged[at] = file[at];
            }
        }
    }
}

#[test]
fn parts_that_do_not_belong_together_are_errors_though_the_checksum_is_right() {
    let file = &small_encoders()[0];
    let changed = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = file.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        let mut bytes = file.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        seal_model(&mut bytes);
        PortableEncoder::from_bytes(&bytes).unwrap_err().to_string()
    };
    let error = changed(r#"\"kind\":\"probit\",\"n_bits\""#, r#"\"kind\":\"weibit\",\"n_bits\""#);
    assert!(error.contains("weibit"), "{error}");
    let error = changed("\"weights\"", "\"wwights\"");
    assert!(error.contains("'weights' is missing"), "{error}");
    let error = changed(r#"\"source\":\"h.npy\",\"n_bits\":2"#, r#"\"source\":\"h.npy\",\"n_bits\":3"#);
    assert!(error.contains("weights: there are"), "{error}");
}

#[test]
fn a_number_that_is_none_is_an_error() {
    let (_, file) = fitted(ModelKind::Probit, Preset::Hash);
    let mut encoder = file.portable(Reading::default()).unwrap();
    encoder.weights[0] = f64::NAN;
    assert!(encoder.to_bytes().unwrap_err().to_string().contains("a weight is not a finite number"));
}
