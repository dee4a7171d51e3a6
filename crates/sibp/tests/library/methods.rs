//! Tests methods on equal terms: what they reach is what their parts reach, and misuse is named.

use sibp::baseline::{Classifier, SvmSettings, fit_svm};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};
use sibp::encode::{Encoder, EncoderChoice, EncoderError};
use sibp::eval::accuracy;
use sibp::hash::{ItqSettings, fit_itq};
use sibp::index::{HammingIndex, Search};
use sibp::method::{
    Answer, Attributes, Examples, GivenKind, Itq, LatentMethod, LatentRow, LinearSvm, LogisticRegression, Lsh, Method,
    MethodError, RawNeighbours, RbfSvm, Spectral, measure,
};
use sibp::model::{ModelKind, ModelOptions, Start};
use sibp::pipeline::{CodingError, DrawChoice, Reading};
use sibp::prior::proximity::{Decay, DecayChoice, Distance};
use sibp::run::{RunControl, RunSettings};
use sibp::schedule::{Kernel, Schedule};
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::FromLabels;
use std::sync::atomic::AtomicBool;

/// Three classes on corners of a triangle, with a little noise that no generator is needed for.
fn halves() -> [(Inputs, Labels, Codes); 2] {
    let half = |shift: f64| {
        let corner = |class: usize| [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)][class];
        let noise = |row: usize, axis: f64| (7.3 * row as f64 + 3.1 * axis + shift).sin();
        let values = (0..30).flat_map(|row| {
            let (x, y) = corner(row % 3);
            [x + noise(row, 0.0), y + noise(row, 1.0)]
        });
        let names: Vec<String> = (0..30).map(|row| (row % 3).to_string()).collect();
        let mut bits = Codes::zeros(30, 2);
        (0..30).for_each(|row| {
            bits.set(row, 0, row % 3 == 1);
            bits.set(row, 1, row % 3 == 2);
        });
        (Inputs::new(30, 2, values.collect()).unwrap(), Labels::from_text(&names), bits)
    };
    [half(0.0), half(2.0)]
}

fn steps(text: &str) -> InputTransform {
    text.parse().unwrap()
}

fn reached(method: &dyn Method) -> Vec<(String, Vec<f64>, Option<usize>)> {
    let [(x, y, bits), (x_test, y_test, _)] = halves();
    let examples = Examples { attributes: Some(&bits), ..Examples::new(&x, &y) };
    let measured = measure(method, &examples, (&x_test, &y_test), &[1, 5], 3, &RunControl::default()).unwrap();
    measured.into_iter().map(|m| (m.name, m.accuracy, m.n_bits)).collect()
}

#[test]
fn classifiers_and_neighbours_reach_what_their_parts_reach() {
    let [(x, y, _), (x_test, y_test, _)] = halves();
    let svm = LinearSvm { name: "svm".into(), transform: steps("none") };
    let direct = fit_svm(&x, y.class_of(), &SvmSettings::new(3)).unwrap().classifier.predict(&x_test).unwrap();
    assert_eq!(reached(&svm), [("svm".to_owned(), vec![accuracy(&direct, y_test.class_of()).unwrap()], None)]);
    let by_hand = |row: usize| {
        let distance = |other: &usize| -> f64 {
            x.row(*other).iter().zip(x_test.row(row).iter()).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        (0..30).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
    };
    let right = (0..30).filter(|&row| y.class_of()[by_hand(row)] == y_test.class_of()[row]).count() as f64 / 30.0;
    let neighbours = RawNeighbours { name: "k-NN".into(), transform: steps("none") };
    assert_eq!(reached(&neighbours)[0].1[0], right);
    for method in [
        &RbfSvm { name: "rbf".into(), transform: steps("standardise") } as &dyn Method,
        &LogisticRegression { name: "logistic".into(), transform: steps("standardise") },
    ] {
        assert!(reached(method)[0].1[0] > 0.8, "{}: the corners are far apart", method.name());
    }
}

#[test]
fn hashes_encode_both_sides_and_attributes_one() {
    let [(x, y, bits), (x_test, y_test, test_bits)] = halves();
    let (transform, inputs) = Transform::fit_apply(&steps("centre"), &x).unwrap();
    let hash = fit_itq(&inputs, &ItqSettings::new(2, 3)).unwrap();
    let index = HammingIndex::from_codes(&hash.encode(&inputs, 0)).unwrap();
    let found = index.search(&hash.encode(&transform.apply(&x_test).unwrap(), 0), &Search::nearest(1)).unwrap();
    let class = |row: usize| y.class_of()[found.row(row).next().unwrap().1 as usize];
    let right = (0..30).filter(|&row| class(row) == y_test.class_of()[row]).count() as f64 / 30.0;
    let itq = reached(&Itq { name: "itq".into(), transform: steps("centre"), n_bits: 9 });
    assert_eq!((itq[0].1[0], itq[0].2), (right, Some(2)), "at most a bit an input");
    assert_eq!(reached(&Lsh { name: "lsh".into(), transform: steps("centre"), n_bits: 9 })[0].2, Some(9));
    assert_eq!(reached(&Spectral { name: "waves".into(), transform: steps("centre"), n_bits: 3 })[0].2, Some(3));
    let attributes = Attributes { name: "hash".into(), transform: steps("none"), given: GivenKind::Known };
    assert!(reached(&attributes)[0].1[0] > 0.8);
    assert_eq!(bits, test_bits, "the true attributes name the class");
    let none = Examples::new(&x, &y);
    let error = attributes.train(&none, 1, &RunControl::default()).err().unwrap();
    assert!(matches!(error, MethodError::NoAttributes { method } if method == "hash"));
}

fn latent(options: impl Into<ModelOptions>, rows: Vec<LatentRow>) -> LatentMethod {
    LatentMethod {
        name: "latent".into(),
        transform: steps("standardise,scale"),
        triplets: FromLabels { per_object: 5, ..FromLabels::default() },
        extends: GivenKind::None,
        options: options.into(),
        settings: RunSettings { seed: 0, sweeps: 30, chains: 2, draws: 4 },
        rows,
    }
}

fn row(name: &str, draws: DrawChoice, encoder: EncoderChoice) -> LatentRow {
    LatentRow::new(name, Reading { encoder: Some(encoder), draws, ..Reading::default() })
}

#[test]
fn one_fit_gives_several_rows() {
    let one = row("one", DrawChoice::Map, EncoderChoice::Refit);
    let all = row("all", DrawChoice::LastOfEach, EncoderChoice::Refit);
    let extended = LatentRow { name: "[h z]".into(), given: GivenKind::Known, weighted: true, ..one.clone() };
    let mut method = latent(ModelKind::Probit, vec![one, all, extended]);
    method.extends = GivenKind::Known;
    let rows = reached(&method);
    let [one, all, extended] = [0, 1, 2].map(|at| rows[at].2.unwrap());
    assert!(one < all && extended == one + 2, "{rows:?}");
    assert!(rows.iter().all(|(_, shares, _)| shares[0] > 0.8), "{rows:?}");
    assert_eq!(rows, reached(&method), "the same seed gives the same rows");
}

/// The first chain of several is what a run of one chain draws, so that rows of one chain are on equal terms.
#[test]
fn a_row_of_the_first_chain_is_that_of_a_fit_of_one() {
    let last = row("last", DrawChoice::Last, EncoderChoice::Refit);
    let kept = row("kept", DrawChoice::Kept, EncoderChoice::Refit);
    let first = |row: &LatentRow| LatentRow { chains: Some(1), ..row.clone() };
    let mut several = latent(ModelKind::Probit, vec![first(&last), first(&kept)]);
    several.settings.chains = 3;
    let mut one = latent(ModelKind::Probit, vec![last.clone(), kept.clone()]);
    one.settings.chains = 1;
    assert_eq!(reached(&several), reached(&one));
    // Bits of all kept draws, of the last two of them, and of the last.
    let cut = |n| LatentRow { last: Some(n), ..kept.clone() };
    let bits: Vec<usize> = reached(&latent(ModelKind::Probit, vec![kept.clone(), cut(2), cut(1), cut(9)]))
        .into_iter()
        .map(|(_, _, bits)| bits.unwrap())
        .collect();
    assert!(bits[2] < bits[1] && bits[1] < bits[0] && bits[3] == bits[0], "{bits:?}");
}

/// What has not seen given bits is the same fit with and without them.
#[test]
fn a_fit_without_given_bits_is_read_beside_any() {
    let ridge = row("ridge", DrawChoice::Last, EncoderChoice::Ridge);
    let behind = |given| LatentRow { given, ..ridge.clone() };
    let all = [GivenKind::Known, GivenKind::Predicted, GivenKind::None];
    let together = reached(&latent(ModelKind::Ibp, all.map(behind).to_vec()));
    let apart: Vec<_> = all.iter().flat_map(|&given| reached(&latent(ModelKind::Ibp, vec![behind(given)]))).collect();
    assert_eq!(together, apart);
    let [known, predicted, alone] = [0, 1, 2].map(|at| together[at].2.unwrap());
    assert!(known == alone + 2 && predicted == known, "{together:?}");
    let [(x, y, _), _] = halves();
    let error = latent(ModelKind::Ibp, vec![behind(GivenKind::Predicted)])
        .train(&Examples::new(&x, &y), 1, &RunControl::default())
        .err();
    assert!(matches!(error, Some(MethodError::NoAttributes { method }) if method == "latent"));
}

#[test]
fn models_of_the_inputs_are_read_by_several_encoders() {
    let ridge = row("ridge", DrawChoice::Last, EncoderChoice::Ridge);
    let best = row("best", DrawChoice::Kept, EncoderChoice::BestCode);
    let links = row("links", DrawChoice::Last, EncoderChoice::Links);
    let ddibp = ModelOptions {
        distance: Distance::Output,
        decay: DecayChoice::Given(Decay::Window { width: 0.0 }),
        ..ModelOptions::from(ModelKind::DdIbp)
    };
    assert_eq!(reached(&latent(ModelKind::Ibp, vec![ridge.clone(), best.clone()])).len(), 2);
    let rows = reached(&latent(ddibp, vec![ridge, best, links.clone()]));
    // Nobody links to another class, and the corners tell the class.
    assert!(rows[2].1[0] > 0.8, "{rows:?}");
    let [(x, y, _), _] = halves();
    let examples = Examples::new(&x, &y);
    let error = latent(ModelKind::Ibp, vec![links]).train(&examples, 1, &RunControl::default()).err().unwrap();
    assert!(matches!(error, MethodError::Coding(CodingError::Encoder(EncoderError::Foreign { .. }))), "{error}");
}

#[test]
fn a_model_without_bits_answers_and_a_stopped_one_does_not() {
    let nothing = ModelOptions {
        start: Some(Start::Coins(0)),
        schedule: Some(Schedule::once([Kernel::Concentration])),
        ..ModelOptions::from(ModelKind::Ibp)
    };
    let ridge = row("ridge", DrawChoice::Last, EncoderChoice::Ridge);
    let method = latent(nothing, vec![ridge]);
    let rows = reached(&method);
    assert_eq!((rows[0].1[0], rows[0].2), (10.0 / 30.0, Some(0)), "all get the class of the first object");
    let [(x, y, _), _] = halves();
    let examples = Examples::new(&x, &y);
    let stop = AtomicBool::new(true);
    let error = method.train(&examples, 1, &RunControl { stop: &stop, ..RunControl::default() }).err().unwrap();
    assert!(matches!(error, MethodError::Stopped), "{error}");
    assert_eq!(Answer::Classes(vec![0, 1]).accuracy(&[0, 0], &[1, 3]).unwrap(), [0.5]);
}
