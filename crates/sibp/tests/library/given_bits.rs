//! Tests bits that stand before learned ones, as they are known or predicted, and bits known by probabilities.

use crate::fits::small_stack;
use crate::pipeline::{all_fitted, chunked, columns, fitted, known_bits, unseen};
use sibp::codes::Codes;
use sibp::data::Inputs;
use sibp::encode::EncoderChoice;
use sibp::pipeline::{Asking, Coder, CodingError, DrawChoice, Reading};
use sibp::triplets::Triplet;

#[test]
fn given_bits_are_predicted_or_known_and_learned_ones_are_the_same() {
    let model = fitted("probit paper");
    let (inputs, known) = (unseen(15), known_bits(&fitted("probit paper"), 15).unwrap());
    let predictor = model.info.given.as_ref().unwrap().predictor.clone().unwrap();
    let coder = model.coder(DrawChoice::Map).unwrap();
    assert_eq!((coder.n_needed(), coder.n_inputs()), (0, 3));
    let (predicted, told) = (coder.encode(&inputs).unwrap(), coder.encode_rows(&inputs, Some(&known), 0, 0).unwrap());
    assert_eq!(columns(&predicted, 0..2), predictor.encode(&inputs).unwrap());
    assert_eq!(columns(&told, 0..2), known);
    assert_ne!(predicted, told);
    let learned = model.learned_coder(DrawChoice::Map).unwrap();
    let alone = learned.encode(&inputs).unwrap();
    for codes in [&predicted, &told] {
        assert_eq!(columns(codes, 2..coder.n_bits()), alone);
    }
    assert_eq!(coder.weights()[2..], *learned.weights());
    for (known, codes) in [(None, &predicted), (Some(&known), &told)] {
        let values = coder.probabilities(&inputs, known).unwrap();
        assert_eq!(values.len(), 15 * coder.n_bits());
        for (at, p) in values.into_iter().enumerate() {
            let (row, bit) = (at / coder.n_bits(), at % coder.n_bits());
            assert_eq!(p > 0.5, codes.get(row, bit));
            assert!((0.0..=1.0).contains(&p) && (bit >= 2 || p == 0.0 || p == 1.0), "bit {bit}: {p}");
        }
    }
    let asked = [Triplet { anchor: 0, near: 1, far: 2 }];
    let preferred = |known| model.preferences((&inputs, known), &asked, &Asking::default()).unwrap();
    assert_eq!(preferred(None), preferred(Some(&predictor.encode(&inputs).unwrap())));
}

#[test]
fn given_bits_that_nobody_predicts_must_be_known_and_fit() {
    let model = fitted("gaussian hash");
    let (inputs, known) = (unseen(15), known_bits(&model, 15).unwrap());
    let coder = model.coder(DrawChoice::Map).unwrap();
    assert_eq!(coder.n_needed(), 2);
    let missing = CodingError::NoGivenBits { n_bits: 2, source_name: "h.npy".to_owned() };
    assert_eq!(coder.encode(&inputs), Err(missing.clone()));
    assert_eq!(coder.encode_rows(&inputs, None, 0, 1), Err(missing.clone()));
    let asked = [Triplet { anchor: 0, near: 1, far: 14 }];
    let preferred = |known| model.preferences((&inputs, known), &asked, &Asking::default());
    assert_eq!(preferred(None), Err(missing));
    assert!((0.0..=1.0).contains(&preferred(Some(&known)).unwrap().probabilities[0]));
    for (rows, bits) in [(14, 2), (16, 2), (15, 1), (15, 3), (0, 0)] {
        let wrong = CodingError::GivenShape { n_objects: 15, n_bits: 2, rows, bits };
        assert_eq!(coder.encode_rows(&inputs, Some(&Codes::zeros(rows, bits)), 0, 1), Err(wrong));
    }
    assert_eq!(columns(&coder.encode_rows(&inputs, Some(&known), 0, 1).unwrap(), 0..2), known);
}

#[test]
fn known_bits_are_refused_where_codes_begin_with_none() {
    let (inputs, bits) = (unseen(5), Codes::zeros(5, 2));
    let unused = Some(CodingError::UnusedGivenBits);
    let coders: Vec<Coder> = all_fitted()
        .iter()
        .map(|(_, model)| model.learned_coder(DrawChoice::Map).unwrap())
        .chain(["ibp", "ddibp, input distances"].map(|name| fitted(name).coder(DrawChoice::Map).unwrap()))
        .collect();
    for coder in coders {
        assert_eq!(coder.n_needed(), 0);
        assert_eq!(coder.encode_rows(&inputs, Some(&bits), 0, 1).err(), unused);
        assert_eq!(coder.encode(&inputs).unwrap().n_bits(), coder.n_bits());
        if coder.probability_error().is_none() {
            assert_eq!(coder.probabilities(&inputs, Some(&bits)).err(), unused);
        }
    }
}

#[test]
fn known_bits_of_a_stack_replace_its_first_ones() {
    let (stack, coder) = (small_stack(), Coder::from(small_stack()));
    let inputs = Inputs::new(6, 2, (0..12).map(|at| f64::from(at) / 4.0).collect()).unwrap();
    let plain = stack.encode(&inputs).unwrap();
    assert_eq!(coder.encode(&inputs).unwrap(), plain);
    assert_eq!(chunked(&coder, &inputs, None, 4, 1), plain);
    let mut known = columns(&plain, 0..5);
    (0..6).for_each(|row| known.set(row, 1, !known.get(row, 1)));
    let told = coder.encode_rows(&inputs, Some(&known), 0, 1).unwrap();
    assert_eq!((columns(&told, 0..5), columns(&told, 5..9)), (known, columns(&plain, 5..9)));
    for (rows, bits) in [(5, 5), (6, 10)] {
        let wrong = CodingError::GivenShape { n_objects: 6, n_bits: 9, rows, bits };
        assert_eq!(coder.encode_rows(&inputs, Some(&Codes::zeros(rows, bits)), 0, 1), Err(wrong));
    }
    assert_eq!((coder.n_inputs(), coder.n_needed(), coder.weights()), (2, 0, &stack.weights()[..]));
    assert!(matches!(coder.encode(&unseen(2)), Err(CodingError::Data(_))), "three inputs instead of two");
}

#[test]
fn only_bits_that_inputs_predict_have_probabilities_and_only_some_models_preferences() {
    let inputs = unseen(4);
    for (name, model) in all_fitted() {
        let (about, known) = (model.info.model.about(), known_bits(&model, 4));
        for &encoder in about.encoders {
            let coder = model.coder(Reading { encoder: Some(encoder), ..Reading::default() }).unwrap();
            let found = coder.probabilities(&inputs, known.as_ref());
            let linear = [EncoderChoice::Ridge, EncoderChoice::LeastSquares].contains(&encoder);
            let predicted = about.name == "probit" || linear;
            let error = (!predicted).then_some(CodingError::NoProbabilities { model: about.name });
            assert_eq!((coder.probability_error(), found.err()), (error.clone(), error), "{name}, {encoder}");
            assert_eq!(coder.to_block("learned").is_some(), about.name == "probit", "{name}, {encoder}");
        }
        let asked = [Triplet { anchor: 0, near: 1, far: 2 }];
        let preferred = model.preferences((&inputs, known.as_ref()), &asked, &Asking::default());
        assert_eq!(preferred.err(), (about.name == "ddibp").then_some(CodingError::NoPreferences), "{name}");
        let narrow = Inputs::new(1, 2, vec![0.0; 2]).unwrap();
        let known = known.map(|known| known.select(&[0]));
        let coder = model.coder(DrawChoice::Map).unwrap();
        assert!(matches!(coder.encode_rows(&narrow, known.as_ref(), 0, 1), Err(CodingError::Data(_))), "{name}");
    }
    let stack = Coder::from(small_stack());
    let inputs = Inputs::new(1, 2, vec![0.0; 2]).unwrap();
    assert!(matches!(stack.probabilities(&inputs, None), Err(CodingError::NoProbabilities { .. })));
}
