//! Holds the baselines against reference figures on real data.

use crate::common::{labelled, shared_data};
use sibp::{
    baseline::{Classifier, KnnClassifier, SvmSettings, fit_logistic, fit_svm},
    codes::Codes,
    data::{Inputs, Labels, Split, read_splits},
    encode::Encoder,
    eval::{Summary, accuracy, knn_accuracy, knn_predict, mean_average_precision},
    hash::{
        HcSdhSettings, ItqSettings, LinearHash, LogisticSettings, SdhSettings, SpectralHash, fit_attributes, fit_hcsdh,
        fit_itq, fit_lsh, fit_sdh,
    },
    transform::Transform,
};
use std::path::Path;

const KS: [usize; 4] = [1, 3, 15, 30];

fn repeats(folder: &std::path::Path, file: &str) -> Vec<Split> {
    read_splits(&folder.join(file), usize::MAX).unwrap()
}

fn pick(classes: &[u32], rows: &[usize]) -> Vec<u32> {
    rows.iter().map(|&row| classes[row]).collect()
}

fn percent(accuracies: &[f64]) -> f64 {
    100.0 * Summary::of(accuracies).unwrap().mean
}

/// Mean accuracy in percent over the repeats of `predict(train rows, train classes, test rows)`.
fn figure(
    (inputs, classes): &(Inputs, Vec<u32>),
    repeats: &[Split],
    predict: impl Fn(&Inputs, &[u32], &Inputs) -> Vec<u32>,
) -> f64 {
    let one = |Split { train, test }: &Split| {
        let predicted = predict(&inputs.select(train), &pick(classes, train), &inputs.select(test));
        accuracy(&predicted, &pick(classes, test)).unwrap()
    };
    percent(&repeats.iter().map(one).collect::<Vec<_>>())
}

/// The reference breaks tied votes by the smallest class; equal distances make our vote do the same, so that the
/// figures must agree to their last printed digit. Our own rule moves them by at most 1.3 points.
fn check_knn(name: &str, file: &str, reference: [f64; 4]) {
    let Some(folder) = shared_data(name) else { return };
    let data = labelled(&folder);
    let repeats = repeats(&folder, file);
    for (k, reference) in KS.into_iter().zip(reference) {
        let same_rule = figure(&data, &repeats, |train, classes, test| {
            let knn = KnnClassifier::new(train.clone(), classes.to_vec(), k).unwrap();
            let lists = knn.ranked(test, k).unwrap();
            let levelled = lists.iter().map(|list| list.iter().take(k).map(|n| (0u32, n.1)).collect::<Vec<_>>());
            levelled.map(|list| knn_predict(&list, &[k])[0].unwrap()).collect()
        });
        let own_rule = figure(&data, &repeats, |train, classes, test| {
            KnnClassifier::new(train.clone(), classes.to_vec(), k).unwrap().predict(test).unwrap()
        });
        eprintln!("{name} {file}: {k}-NN {same_rule:.2}, reference {reference}; with our tie rule {own_rule:.2}");
        assert!((same_rule - reference).abs() < 0.051, "{k}-NN {same_rule}, reference {reference}");
        assert!((own_rule - reference).abs() < 1.5, "{k}-NN {own_rule}, reference {reference}");
    }
}

#[test]
fn knn_on_digits() {
    check_knn("digits", "split5.csv", [97.7, 96.9, 92.9, 88.8]);
    check_knn("digits", "split10.csv", [96.9, 96.7, 91.9, 88.3]);
}

#[test]
fn knn_on_awa() {
    check_knn("awa_cq128", "split5.csv", [37.7, 40.5, 39.2, 36.7]);
    check_knn("awa_cq128", "split10.csv", [19.4, 19.1, 21.5, 20.3]);
    check_knn("awa_cq128", "split5x20.csv", [32.0, 32.1, 32.2, 30.2]);
    check_knn("awa_cq128", "split10x20.csv", [18.8, 19.2, 19.3, 17.9]);
}

/// The mean over some seeds of the folds, since on hard data one draw of folds moves the figure by 0.7 (sd).
/// Measured over ten seeds: digits 96.65 ± 0.30 and 95.94 ± 0.33, AwA 44.76 ± 0.67 and 23.12 ± 0.69.
fn check_svm(name: &str, file: &str, seeds: std::ops::Range<u64>, reference: f64) {
    let Some(folder) = shared_data(name) else { return };
    let data = labelled(&folder);
    let repeats = repeats(&folder, file);
    let with_seed = |seed| {
        figure(&data, &repeats, |train, classes, test| {
            fit_svm(train, classes, &SvmSettings::new(seed)).unwrap().classifier.predict(test).unwrap()
        })
    };
    let found = Summary::of(&seeds.map(with_seed).collect::<Vec<_>>()).unwrap();
    eprintln!("{name} {file}: linear SVM {found:.2} over {} seeds, reference {reference}", found.n);
    assert!((found.mean - reference).abs() < 1.5, "{found}, reference {reference}");
}

#[test]
fn svm_on_digits() {
    check_svm("digits", "split5.csv", 0..2, 96.1);
    check_svm("digits", "split10.csv", 0..2, 95.9);
}

#[test]
fn svm_on_awa() {
    check_svm("awa_cq128", "split5.csv", 0..10, 46.1);
    check_svm("awa_cq128", "split10.csv", 0..2, 23.4);
}

/// The reference does not state its penalty; the best of three decades is held against it. The fit itself is held
/// by the gradient tests of the module.
#[test]
fn logistic_on_awa() {
    let Some(folder) = shared_data("awa_cq128") else { return };
    let (inputs, classes) = labelled(&folder);
    let roots = inputs.values().iter().map(|v| v.sqrt()).collect();
    let data = (Inputs::new(inputs.n_objects(), inputs.n_inputs(), roots).unwrap(), classes);
    for (file, reference) in [("split5x20.csv", 40.2), ("split10x20.csv", 27.3)] {
        let repeats = repeats(&folder, file);
        let figures = [1.0, 10.0, 100.0].map(|l2| {
            let settings = LogisticSettings { l2, ..Default::default() };
            figure(&data, &repeats, |train, classes, test| {
                fit_logistic(train, classes, &settings).unwrap().predict(test).unwrap()
            })
        });
        eprintln!("awa_cq128 {file}: logistic regression, l2 1, 10, 100: {figures:.2?}, reference {reference}");
        let best = figures.into_iter().fold(0.0, f64::max);
        assert!((best - reference).abs() < 1.5, "{best}, reference {reference}");
    }
}

/// k-NN accuracy of codes under the Hamming distance, in percent; ties by row.
fn code_accuracy(train: &Codes, classes: &[u32], test: &Codes, truth: &[u32], k: usize) -> f64 {
    let list = |query: usize| {
        let mut all: Vec<(u32, u32)> =
            (0..train.n_objects()).map(|row| (train.distance(row, test.row(query)), classes[row])).collect();
        all.sort_by_key(|n| n.0);
        all
    };
    let lists: Vec<_> = (0..test.n_objects()).map(list).collect();
    100.0 * knn_accuracy(&lists, truth, &[k]).unwrap()[0]
}

/// 3-NN accuracy of 32-bit codes in percent, over the repeats and the seeds 0 to 4.
fn digit_figure(fit: impl Fn(&Inputs, u64) -> Box<dyn Encoder>) -> Option<Summary> {
    let folder = shared_data("digits")?;
    let (inputs, classes) = labelled(&folder);
    let mut figures = Vec::new();
    for Split { train, test } in repeats(&folder, "split10.csv") {
        let (rows, queries) = (inputs.select(&train), inputs.select(&test));
        for seed in 0..5 {
            let encoder = fit(&rows, seed);
            let (codes, query_codes) = (encoder.encode(&rows, 0), encoder.encode(&queries, 0));
            figures.push(code_accuracy(&codes, &pick(&classes, &train), &query_codes, &pick(&classes, &test), 3));
        }
    }
    Summary::of(&figures).ok()
}

/// Gong and Lazebnik's finding, ITQ above spectral hashing and LSH. Raw pixels reach 97.2 here.
#[test]
fn itq_retrieves_best_of_the_unsupervised_codes() {
    let Some(lsh) = digit_figure(|rows, seed| Box::new(fit_lsh(rows, 32, seed).unwrap())) else { return };
    let Some(spectral) = digit_figure(|rows, _| Box::new(SpectralHash::fit(rows, 32).unwrap())) else { return };
    let Some(itq) = digit_figure(|rows, seed| Box::new(fit_itq(rows, &ItqSettings::new(32, seed)).unwrap())) else {
        return;
    };
    eprintln!("digits split10.csv, 32 bits, 3-NN: LSH {lsh:.1}, spectral {spectral:.1}, ITQ {itq:.1}");
    assert!(itq.mean > spectral.mean + 2.0 && itq.mean > lsh.mean + 2.0);
    assert!(spectral.mean > 75.0 && lsh.mean > 75.0);
}

/// Mean average precision in percent of one half of the shipped digits among the other, by codes of Fourier features.
fn digit_retrieval(fit: impl Fn(&Inputs, &Labels) -> LinearHash) -> f64 {
    let (inputs, classes) = labelled(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/digits"));
    let (train, test): (Vec<usize>, Vec<usize>) = (0..inputs.n_objects()).partition(|row| row % 2 == 0);
    let steps = "standardise,fourier:500".parse().unwrap();
    let (transform, rows) = Transform::fit_apply(&steps, &inputs.select(&train)).unwrap();
    let texts: Vec<String> = pick(&classes, &train).iter().map(u32::to_string).collect();
    let hash = fit(&rows, &Labels::from_text(&texts));
    let (codes, queries) = (hash.encode(&rows, 0), hash.encode(&transform.apply(&inputs.select(&test)).unwrap(), 0));
    let list = |query: usize| {
        let found = |(row, &class): (usize, &u32)| (codes.distance(row, queries.row(query)), class);
        let mut all: Vec<(u32, u32)> = pick(&classes, &train).iter().enumerate().map(found).collect();
        all.sort_by_key(|n| n.0);
        all
    };
    let lists: Vec<_> = (0..test.len()).map(list).collect();
    100.0 * mean_average_precision(&lists, &pick(&classes, &test)).unwrap()
}

/// What labels are worth to a code: chance is 10, and ITQ knows of no labels.
#[test]
fn supervised_codes_retrieve_classes_far_better_than_itq() {
    let itq = digit_retrieval(|rows, _| fit_itq(rows, &ItqSettings::new(32, 0)).unwrap());
    let sdh = digit_retrieval(|rows, labels| fit_sdh(rows, labels, &SdhSettings::new(32, 0)).unwrap());
    let hcsdh = digit_retrieval(|rows, labels| fit_hcsdh(rows, labels, &HcSdhSettings::new(32, 0)).unwrap());
    eprintln!("shipped digits, 32 bits, mean average precision: ITQ {itq:.1}, SDH {sdh:.1}, HC-SDH {hcsdh:.1}");
    assert!(itq > 20.0 && sdh > itq + 20.0 && hcsdh > itq + 20.0);
}

/// The first `n_bits` attributes of every class number (from 1).
fn class_attributes(folder: &std::path::Path, n_bits: usize) -> Vec<Vec<bool>> {
    let text = std::fs::read_to_string(folder.join("predicate-matrix-binary.txt")).unwrap();
    let bits = |line: &str| line.split_whitespace().take(n_bits).map(|b| b == "1").collect();
    std::iter::once(vec![false; n_bits]).chain(text.lines().map(bits)).collect()
}

fn attribute_codes(attributes: &[Vec<bool>], classes: &[u32]) -> Codes {
    let mut codes = Codes::zeros(classes.len(), attributes[0].len());
    for (object, &class) in classes.iter().enumerate() {
        attributes[class as usize].iter().enumerate().for_each(|(bit, &value)| codes.set(object, bit, value));
    }
    codes
}

/// The paper's protocol: stored codes are the given attributes of the class, queries have predicted ones, and the
/// predictors have seen other classes only. The reference states neither penalty nor tie rule; ours gives 22.0 and 9.8.
#[test]
fn attributes_on_awa() {
    let Some(folder) = shared_data("awa_cq128") else { return };
    let (inputs, classes) = labelled(&folder);
    let attributes = class_attributes(&folder, 5);
    for (file, reference) in [("split5.csv", 23.1), ("split10.csv", 11.2)] {
        let repeats = repeats(&folder, file);
        let seen = pick(&classes, &repeats[0].train);
        let corpus: Vec<usize> = (0..classes.len()).filter(|&row| !seen.contains(&classes[row])).collect();
        let targets = attribute_codes(&attributes, &pick(&classes, &corpus));
        let fit = fit_attributes(&inputs.select(&corpus), &targets, &LogisticSettings::default()).unwrap();
        assert!(fit.unfinished.is_empty());
        let predicted = fit.hash.encode(&inputs.select(&corpus), 0);
        for bit in 0..5 {
            let right = (0..corpus.len()).filter(|&row| predicted.get(row, bit) == targets.get(row, bit)).count();
            let ones = (0..corpus.len()).filter(|&row| targets.get(row, bit)).count();
            assert!(right > ones.max(corpus.len() - ones), "bit {bit} is no better than a constant");
        }
        let one = |Split { train, test }: &Split| {
            let (stored, truth) = (pick(&classes, train), pick(&classes, test));
            let queries = fit.hash.encode(&inputs.select(test), 0);
            code_accuracy(&attribute_codes(&attributes, &stored), &stored, &queries, &truth, 3)
        };
        let found = Summary::of(&repeats.iter().map(one).collect::<Vec<_>>()).unwrap();
        eprintln!("awa_cq128 {file}: 5 attribute bits {found:.1}, reference {reference}");
        assert!((found.mean - reference).abs() < 2.0, "{found}, reference {reference}");
    }
}
