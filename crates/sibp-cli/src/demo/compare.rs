//! Measures learned codes beside other methods on digits that none of them has seen.

use super::digits::Digits;
use crate::measure::{CodeTrial, Measures};
use crate::output::{Table, percent};
use sibp::baseline::{Classifier, KnnClassifier, SvmSettings, fit_svm};
use sibp::codes::Codes;
use sibp::encode::Encoder;
use sibp::eval::accuracy;
use sibp::hash::{ItqSettings, LearnError, LinearHash, fit_itq, fit_lsh};
use sibp_paper::drawing::escaped;

/// The values of k for k-NN votes.
pub const KS: [usize; 3] = [1, 5, 15];

/// One row of the comparison: a method and its accuracy.
#[derive(Debug)]
pub struct Line {
    name: String,
    bits: Option<usize>,
    /// A k-NN method has one accuracy for each of `KS`; a classifier has a single one.
    accuracy: Vec<f64>,
    mean_average_precision: Option<f64>,
    ours: bool,
}

/// Measures all methods; `train` and `test` are the learned codes.
pub fn compare(digits: &Digits, train: &Codes, test: &Codes, seed: u64) -> anyhow::Result<Vec<Line>> {
    let mut lines = vec![codes_line("sibp codes".into(), digits, train, test, true)?];
    let n_bits = train.n_bits();
    let itq = fit_itq_up_to(digits, n_bits, seed)?;
    lines.push(hash_line("ITQ codes (no labels)", digits, &itq)?);
    lines.push(hash_line("LSH codes (no labels)", digits, &fit_lsh(&digits.train, n_bits, seed)?)?);
    lines.push(raw_line(digits)?);
    let svm = fit_svm(&digits.train, digits.train_labels.class_of(), &SvmSettings::new(seed))?;
    let right = accuracy(&svm.classifier.predict(&digits.test)?, digits.test_labels.class_of())?;
    lines.push(Line {
        name: "linear SVM (no search)".into(),
        bits: None,
        accuracy: vec![right],
        mean_average_precision: None,
        ours: false,
    });
    Ok(lines)
}

/// ITQ rotates the inputs, so it has no more bits than there are inputs.
fn fit_itq_up_to(digits: &Digits, n_bits: usize, seed: u64) -> Result<LinearHash, LearnError> {
    fit_itq(&digits.train, &ItqSettings::new(n_bits.min(digits.train.n_inputs()), seed))
}

fn hash_line(name: &str, digits: &Digits, hash: &LinearHash) -> anyhow::Result<Line> {
    codes_line(name.into(), digits, &hash.encode(&digits.train, 0), &hash.encode(&digits.test, 0), false)
}

fn codes_line(name: String, digits: &Digits, train: &Codes, test: &Codes, ours: bool) -> anyhow::Result<Line> {
    let trial = CodeTrial {
        database: train,
        database_classes: digits.train_labels.class_of(),
        queries: test,
        expected: None,
        classes: digits.test_labels.class_of(),
        same: false,
    };
    Ok(line(name, Some(train.n_bits()), trial.measure(&KS, 0)?, ours))
}

fn raw_line(digits: &Digits) -> anyhow::Result<Line> {
    let knn = KnnClassifier::new(digits.train.clone(), digits.train_labels.class_of().to_vec(), 1)?;
    let lists = knn.ranked(&digits.test, digits.train.n_objects())?;
    let measures = Measures::of_lists(&lists, digits.test_labels.class_of(), &KS)?;
    Ok(line("raw inputs (64 numbers)".into(), None, measures, false))
}

fn line(name: String, bits: Option<usize>, measures: Measures, ours: bool) -> Line {
    Line {
        name,
        bits,
        accuracy: measures.accuracy,
        mean_average_precision: Some(measures.mean_average_precision),
        ours,
    }
}

const HEADER: [&str; 6] = ["method", "bits", "1-NN", "5-NN", "15-NN", "mAP"];

fn cells(line: &Line) -> [String; 6] {
    let vote = |at: usize| match line.accuracy.as_slice() {
        [one] if at == 0 => percent(*one),
        many => many.get(at).copied().filter(|_| many.len() > 1).map_or("-".into(), percent),
    };
    [
        line.name.clone(),
        line.bits.map_or("-".into(), |n| n.to_string()),
        vote(0),
        vote(1),
        vote(2),
        line.mean_average_precision.map_or("-".into(), percent),
    ]
}

/// The comparison as a table for the terminal.
pub fn table(lines: &[Line]) -> Table {
    let mut table = Table::new(&["<method", ">bits", ">1-NN", ">5-NN", ">15-NN", ">mAP"]);
    lines.iter().for_each(|line| table.row(cells(line)));
    table
}

/// The comparison as an HTML table for the report.
pub fn html(lines: &[Line]) -> String {
    let cell = |tag: &str, at: usize, text: &str| {
        let class = if at == 0 { "" } else { " class=\"n\"" };
        format!("<{tag}{class}>{}</{tag}>", escaped(text))
    };
    let head: String = HEADER.iter().enumerate().map(|(at, name)| cell("th", at, name)).collect();
    let row = |line: &Line| {
        let row: String = cells(line).iter().enumerate().map(|(at, text)| cell("td", at, text)).collect();
        format!("<tr{}>{row}</tr>", if line.ours { " class=\"ours\"" } else { "" })
    };
    let rows: String = lines.iter().map(row).collect();
    format!("<div class=\"scroll\"><table><tr>{head}</tr>{rows}</table></div>")
}
