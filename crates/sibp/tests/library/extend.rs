//! Tests codes that grow: old bits stay, bits are added where they are needed and nowhere else.

use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};
use sibp::extend::{ExtendError, ExtendSettings, Extension, GrowingCode, recover};
use sibp::hash::{Hash, HashBlock, HashStack, LinearHash};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::transform::Transform;
use sibp::triplets::{FromLabels, Teacher, Triplet};

/// Noise between -0.5 and 0.5 that a formula gives.
fn noise(at: usize) -> f64 {
    ((at * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5
}

/// Objects around the corners of a square of side 4, `n` a corner: "left" and "right" for the lower ones, with `tops`
/// also "high left" and "high right".
fn square(n: usize, tops: bool, first: usize) -> (Inputs, Labels) {
    let corners = [(0.0, 0.0, "left"), (4.0, 0.0, "right"), (0.0, 4.0, "high left"), (4.0, 4.0, "high right")];
    let (mut values, mut names) = (Vec::new(), Vec::new());
    for (corner, (x, y, name)) in corners.iter().enumerate().take(if tops { 4 } else { 2 }) {
        for object in 0..n {
            let at = first + 97 * corner + 2 * object;
            values.extend([x + noise(at), y + noise(at + 1)]);
            names.push(*name);
        }
    }
    (Inputs::new(names.len(), 2, values).unwrap(), Labels::from_text(&names))
}

/// One bit: whether an object is right.
fn left_or_right() -> GrowingCode {
    let (inputs, _) = square(10, true, 0);
    let transform = Transform::fit(&"none".parse().unwrap(), &inputs).unwrap();
    let hash = Hash::Linear(LinearHash::new(2, vec![1.0, 0.0], vec![2.0]).unwrap());
    GrowingCode::new(HashStack::new(vec![HashBlock::new("side", transform, hash)]).unwrap())
}

fn settings(preset: Preset, threads: usize) -> ExtendSettings<'static> {
    ExtendSettings {
        model: ModelOptions::new(ModelKind::Probit, preset),
        seed: 1,
        sweeps: 60,
        chains: 3,
        threads,
        ..ExtendSettings::default()
    }
}

fn learn(code: &mut GrowingCode, batch: &(Inputs, Labels), settings: &ExtendSettings) -> Extension {
    let teacher = Teacher::Labels(&batch.1, FromLabels { per_object: 10, ..FromLabels::default() });
    code.learn(&batch.0, teacher, None, settings).unwrap()
}

/// Whether every code of `old` is the beginning of that of the same object in `new`.
fn is_prefix(old: &Codes, new: &Codes) -> bool {
    (0..old.n_objects()).all(|row| (0..old.n_bits()).all(|bit| old.get(row, bit) == new.get(row, bit)))
}

#[test]
fn bits_are_added_where_old_ones_do_not_tell_classes_apart_and_old_codes_are_a_prefix() {
    for preset in [Preset::Hash, Preset::Paper] {
        let (objects, _) = square(15, true, 5000);
        let mut code = left_or_right();
        let mut before = code.stack.encode(&objects).unwrap();
        let report = learn(&mut code, &square(15, true, 0), &settings(preset, 0));
        // Of the three other classes one has the same code: half a triplet of three is lost.
        assert!((report.before - 2.5 / 3.0).abs() < 1e-9, "{preset:?}: {report:?}");
        assert!(report.n_added > 0 && report.after > 0.95, "{preset:?}: {report:?}");
        assert_eq!(code.stack.n_bits(), 1 + report.n_added);
        for _ in 0..2 {
            let after = code.stack.encode(&objects).unwrap();
            assert!(is_prefix(&before, &after), "{preset:?}");
            before = after;
            learn(&mut code, &square(15, true, 300), &settings(preset, 0));
        }
    }
}

#[test]
fn classes_that_old_bits_separate_add_nothing() {
    for preset in [Preset::Hash, Preset::Paper] {
        let mut code = left_or_right();
        let report = learn(&mut code, &square(20, false, 0), &settings(preset, 0));
        assert_eq!((report.n_added, report.before), (0, 1.0), "{preset:?}: {report:?}");
        assert_eq!(code.stack, left_or_right().stack);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let bytes = |threads: usize| {
        let mut code = left_or_right();
        learn(&mut code, &square(12, true, 0), &settings(Preset::Hash, threads));
        code.to_bytes().unwrap()
    };
    let one = bytes(1);
    assert!(one == bytes(2) && one == bytes(3));
    let again = GrowingCode::from_bytes(&one).unwrap();
    assert_eq!((again.to_bytes().unwrap() == one, again.memory.n_objects()), (true, 48));
}

#[test]
fn remembered_classes_stay_in_mind_within_bounds() {
    let lower = square(15, false, 0);
    let higher = square(15, true, 0).0.select(&(30..60).collect::<Vec<_>>());
    let names = Labels::from_text(&["high left", "high right"].map(|n| [n; 15]).concat());
    let few = ExtendSettings { capacity: 20, ..settings(Preset::Hash, 0) };
    let mut code = left_or_right();
    let first = Teacher::Labels(&lower.1, FromLabels::default());
    code.remember(&lower.0, first, &few).unwrap();
    assert_eq!(code.memory.n_objects(), 20);
    // Among themselves the new classes need nothing; beside the remembered ones they do.
    let report = code.learn(&higher, Teacher::Labels(&names, FromLabels::default()), None, &few).unwrap();
    assert!(report.n_added > 0 && report.n_objects == 50, "{report:?}");
    assert_eq!(code.memory.n_objects(), 20);
    let mut forgetful = left_or_right();
    let report = forgetful.learn(&higher, Teacher::Labels(&names, FromLabels::default()), None, &few).unwrap();
    assert_eq!(report.n_added, 0, "{report:?}");
}

#[test]
fn triplets_teach_as_labels_do() {
    let (inputs, labels) = square(15, true, 0);
    let triplets = FromLabels { per_object: 10, ..FromLabels::default() }.build(&labels, &inputs).unwrap().triplets;
    let mut code = left_or_right();
    let report = code.learn(&inputs, Teacher::Triplets(&triplets), None, &settings(Preset::Hash, 0)).unwrap();
    assert!(report.n_added > 0 && report.after > report.before, "{report:?}");
    let bytes = code.to_bytes().unwrap();
    assert!(GrowingCode::from_bytes(&bytes).unwrap() == code);
}

#[test]
fn codes_whose_way_is_lost_are_predicted_again() {
    let (inputs, labels) = square(15, true, 0);
    let mut codes = Codes::zeros(60, 1);
    (0..60).for_each(|row| codes.set(row, 0, inputs.row(row)[0] > 2.0));
    let recovered = recover("old.npy", &inputs, &codes, &"standardise,scale".parse().unwrap(), 1).unwrap();
    assert_eq!((recovered.accuracy, recovered.cross_fitted == codes), (1.0, true));
    let mut code = recovered.code;
    assert_eq!(code.stack.encode(&inputs).unwrap(), codes);
    let teacher = Teacher::Labels(&labels, FromLabels::default());
    let report = code.learn(&inputs, teacher, Some(&codes), &settings(Preset::Hash, 0)).unwrap();
    assert!(report.n_added > 0 && is_prefix(&codes, &code.stack.encode(&inputs).unwrap()));
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let (inputs, labels) = square(15, true, 0);
    let teacher = Teacher::Labels(&labels, FromLabels::default());
    let mut code = left_or_right();
    let settings = settings(Preset::Hash, 1);
    let narrow = Inputs::new(2, 1, vec![0.0, 1.0]).unwrap();
    let two = Labels::from_text(&["a", "b"]);
    let error = code.learn(&narrow, Teacher::Labels(&two, FromLabels::default()), None, &settings).unwrap_err();
    assert!(matches!(error, ExtendError::Inputs { expected: 2, got: 1 }), "{error}");
    let error = code.learn(&inputs, teacher, Some(&Codes::zeros(60, 2)), &settings).unwrap_err();
    assert!(
        matches!(error, ExtendError::Given { n_objects: 60, n_bits: 1, given_objects: 60, given_bits: 2 }),
        "{error}"
    );
    let none: [Triplet; 0] = [];
    let error = code.learn(&inputs, Teacher::Triplets(&none), None, &settings).unwrap_err();
    assert!(matches!(error, ExtendError::NothingHeldOut), "{error}");
    let error = code.learn(&inputs, teacher, None, &ExtendSettings { chains: 0, ..settings.clone() }).unwrap_err();
    assert!(matches!(error, ExtendError::NoChain), "{error}");
    let stop = std::sync::atomic::AtomicBool::new(true);
    let error = code.learn(&inputs, teacher, None, &ExtendSettings { stop: &stop, ..settings }).unwrap_err();
    assert!(matches!(error, ExtendError::Stopped), "{error}");
    assert_eq!(code, left_or_right());
}
