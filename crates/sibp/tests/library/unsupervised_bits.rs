//! Tests unsupervised bits, which stand last in codes.

use crate::pipeline::{chunked, columns};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};
use sibp::format::Fitted;
use sibp::pipeline::{CodeParts, DrawChoice, Fit, Reading, TrainingCodes};
use sibp::run::RunControl;

/// Two classes of objects that differ within them.
pub fn objects(n: usize) -> (Inputs, Labels) {
    let noise = |at: usize| ((at * 7919 + 13) % 1009) as f64 / 1009.0;
    let row = |at: usize| [noise(at), noise(3 * at) + if at.is_multiple_of(2) { 4.0 } else { 0.0 }, noise(7 * at + 1)];
    let labels: Vec<&str> = (0..n).map(|at: usize| if at.is_multiple_of(2) { "even" } else { "odd" }).collect();
    (Inputs::new(n, 3, (0..n).flat_map(row).collect()).unwrap(), Labels::from_text(&labels))
}

pub fn fit(n: usize) -> Fit {
    let (inputs, labels) = objects(n);
    Fit::by_labels(inputs, labels).seed(1).sweeps(20).chains(2).calibrates(false)
}

fn parts(model: &Fitted) -> CodeParts {
    model.code_parts(DrawChoice::Suited).unwrap()
}

#[test]
fn codes_of_labels_are_filled_up_and_tell_objects_of_a_class_apart() {
    let model = fit(60).run(&RunControl::default()).unwrap();
    let bits = parts(&model);
    assert_eq!((bits.total(), bits.given), (128, 0));
    let distinct = |codes: &Codes| (0..60).map(|row| codes.row(row)).collect::<std::collections::HashSet<_>>().len();
    let (coder, learned) = (model.coder(Reading::default()).unwrap(), model.learned_coder(Reading::default()).unwrap());
    let (few, many) = (distinct(learned.database()), distinct(coder.database()));
    assert!(few < many && many > 55, "{few} and {many}");
    // Too few objects, another number, none, a bound.
    let n_bits = |fit: Fit| parts(&fit.run(&RunControl::default()).unwrap());
    assert_eq!(n_bits(fit(40)).unsupervised, 0);
    assert_eq!(n_bits(fit(40).unsupervised_bits(7)).unsupervised, 7);
    assert_eq!(n_bits(fit(60).unsupervised_bits(0)), CodeParts { unsupervised: 0, ..bits });
    let bound = n_bits(fit(60).max_bits(40));
    assert!(bound.total() <= 40 && bound.unsupervised <= 8, "{bound:?}");
}

#[test]
fn the_model_knows_nothing_of_them() {
    let with = fit(60).run(&RunControl::default()).unwrap();
    let without = fit(60).unsupervised_bits(0).run(&RunControl::default()).unwrap();
    assert_eq!(with.chains, without.chains);
    assert_ne!(
        with.coder(Reading::default()).unwrap().fingerprint(),
        without.coder(Reading::default()).unwrap().fingerprint()
    );
}

#[test]
fn they_stand_behind_the_learned_ones_in_all_that_a_coder_gives() {
    let model = fit(60).run(&RunControl::default()).unwrap();
    let model = Fitted::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let n_learned = parts(&model).learned;
    let (unseen, _) = objects(75);
    let coder = model.coder(Reading { training: TrainingCodes::Encoded, ..Reading::default() }).unwrap();
    let codes = coder.encode(&unseen).unwrap();
    assert_eq!(codes.select(&(0..60).collect::<Vec<_>>()), *coder.database());
    assert_eq!(chunked(&coder, &unseen, None, 7, 2), codes);
    let learned = model.learned_coder(Reading::default()).unwrap();
    assert_eq!(columns(&codes, 0..n_learned), learned.encode(&unseen).unwrap());
    let probabilities = coder.probabilities(&unseen, None).unwrap();
    let alone = learned.probabilities(&unseen, None).unwrap();
    for row in 0..75 {
        let of_row = &probabilities[row * 128..(row + 1) * 128];
        assert_eq!(of_row[..n_learned], alone[row * n_learned..(row + 1) * n_learned]);
        (n_learned..128).for_each(|bit| assert_eq!(of_row[bit], f64::from(u8::from(codes.get(row, bit)))));
    }
    assert_eq!(coder.weights().len(), 128);
    let stack = model.to_stack("m", DrawChoice::Suited).unwrap();
    assert_eq!((stack.encode(&unseen).unwrap(), stack.weights()), (codes, coder.weights().to_vec()));
}

/// Half of the labels are noise, so learned bits of unseen objects are often wrong, and expected distances fade them.
#[test]
fn they_count_as_much_as_learned_bits_are_right() {
    let (inputs, _) = objects(100);
    let noisy: Vec<&str> = (0..100).map(|at| if (at * 31 + 5) % 7 < 3 { "even" } else { "odd" }).collect();
    let weights = |labels: Labels| {
        let fit = Fit::by_labels(inputs.clone(), labels).seed(1).sweeps(20).chains(1).calibrates(false);
        let model = fit.run(&RunControl::default()).unwrap();
        let weights = model.coder(Reading::default()).unwrap().weights().to_vec();
        let n_learned = parts(&model).learned;
        let error = model.chains[0].best().encoding_error();
        assert!(weights[..n_learned].iter().all(|&weight| weight == 1.0));
        (weights[n_learned..].to_vec(), error)
    };
    let (sure, few_errors) = weights(objects(100).1);
    let (unsure, many_errors) = weights(Labels::from_text(&noisy));
    assert!(few_errors < 0.05 && many_errors > 0.2, "{few_errors} {many_errors}");
    assert!(sure.iter().all(|&weight| weight == 1.0 - 2.0 * few_errors));
    assert!(unsure.iter().all(|&weight| weight == (1.0 - 2.0 * many_errors).max(0.0)));
}
