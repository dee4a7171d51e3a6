//! Lays out Table 2: the linear SVM against 30-NN of Super Probit codes.

use super::claims::{Comparison, TESTS};
use super::entries::{CHAINS, Entry, LAST, System, words};
use super::layout::{MARKS, Page, bits, cell, marks};
use super::paper;
use super::picture::{self, Group};
use super::results::{Results, Row};
use sibp::method::GivenKind;
use std::fmt::Write as _;

/// The methods of Table 2.
pub const SYSTEMS: [System; 6] = [
    System::SuperProbit,
    System::Letter,
    System::Svm,
    System::TransformedSvm,
    System::Reference,
    System::TransformedReference,
];

/// Position of 30 among the numbers of neighbours.
const THIRTY: usize = 3;

/// A line of the table: its name, and one number for each repeat.
type Line = (String, Row);

/// The lines of a split file: classifiers and neighbours of inputs, raw and transformed, then codes.
fn lines(results: &Results, splits_ix: usize) -> Vec<Line> {
    let row = |system: System, given: GivenKind, name: &str| results.row(splits_ix, Entry { system, given }, name);
    let plain = |name: String, system: System| (name, row(system, GivenKind::None, system.name()));
    let transform = &results.about.standardised;
    let mut all = vec![
        plain("Linear SVM, raw inputs".to_owned(), System::Svm),
        plain(format!("Linear SVM, inputs {transform}"), System::TransformedSvm),
        plain("Reference (30-NN), raw inputs".to_owned(), System::Reference),
        plain(format!("Reference (30-NN), inputs {transform}"), System::TransformedReference),
    ];
    let codes = [(System::Letter, LAST), (System::SuperProbit, LAST), (System::SuperProbit, CHAINS)];
    for (given, (system, name)) in results.given.iter().flat_map(|&given| codes.map(|one| (given, one))) {
        all.push((format!("{} (30-NN), {name}, {}", system.name(), words(given)), row(system, given, name)));
    }
    let one = |(name, row): (String, Option<&Row>)| {
        row.map(|row| {
            (name, Row { percent: vec![row.percent[THIRTY.min(row.percent.len() - 1)].clone()], ..row.clone() })
        })
    };
    all.into_iter().filter_map(one).collect()
}

/// Lays out the table, tests and picture.
pub fn page(results: &Results) -> anyhow::Result<Page> {
    let titles = results.titles();
    let heading: String = titles.iter().map(|title| format!(" {title} | bits | paper |")).collect();
    let mut body = format!("| |{heading}\n|---|{}\n", "---|---|---|".repeat(titles.len()));
    let columns: Vec<Vec<Line>> = (0..titles.len()).map(|splits_ix| lines(results, splits_ix)).collect();
    let mut all_marks = Vec::new();
    for column in &columns {
        all_marks.push(marks(&column.iter().map(|(_, row)| row).collect::<Vec<_>>(), 0)?);
    }
    let paper_of = |row: &Row| {
        let n_classes = results.paper_classes(row.splits_ix);
        match row.entry.system {
            System::Svm => paper::svm(n_classes),
            system => paper::accuracy(n_classes, system).map(|figures| figures[THIRTY]),
        }
    };
    for at in 0..columns.first().map_or(0, Vec::len) {
        let _ = write!(body, "| {} |", columns[0][at].0);
        for (column, marks) in columns.iter().zip(&all_marks) {
            let row = &column[at].1;
            let paper = paper_of(row).map_or("–".to_owned(), |(mean, sd)| format!("{mean:.1} ± {sd:.1}"));
            let _ = write!(body, " {} | {} | {paper} |", cell(&row.percent[0], marks[at])?, bits(row));
        }
        body.push('\n');
    }
    let _ = write!(
        body,
        "\n{MARKS} The cost of an SVM is chosen by cross-validation on the training objects; one is given raw inputs as in the \
         paper, the other those of the Super Probit IBP, as are the references.\n\n\
         The paper: neither is significantly worse than the other. Here, against the SVM with the paper's raw inputs and against \
         the one that sees what the codes see:\n\n",
    );
    for (column, title) in columns.iter().zip(&titles) {
        body.push_str(&verdicts(column, title)?);
    }
    let _ = writeln!(body, "\n{TESTS}\n");
    let panel = |(column, title): (&Vec<Line>, &String)| {
        let group = |(name, row): &Line| Group::of_one(name, row, paper_of(row));
        (title.clone(), column.iter().map(group).collect())
    };
    let panels: Vec<_> = columns.iter().zip(&titles).map(panel).collect();
    let title = "Table 2: linear SVM against 30-NN of Super Probit codes";
    Ok(Page { name: "table2", title, body, canvas: picture::draw(&panels) })
}

/// A line for every code against every SVM.
fn verdicts(column: &[Line], title: &str) -> anyhow::Result<String> {
    let is_svm = |line: &&Line| matches!(line.1.entry.system, System::Svm | System::TransformedSvm);
    let is_code = |line: &&Line| matches!(line.1.entry.system, System::SuperProbit | System::Letter);
    let mut text = String::new();
    for (name, ours) in column.iter().filter(is_code) {
        for (svm_name, svm) in column.iter().filter(is_svm) {
            let _ = writeln!(text, "- {title}, {name} against {svm_name}: {}.", against(ours, svm)?);
        }
    }
    Ok(text)
}

/// Compares our row with an SVM in words, tested both ways.
fn against(ours: &Row, svm: &Row) -> anyhow::Result<String> {
    let (up, down) = (Comparison::of(ours, svm, 0)?, Comparison::of(svm, ours, 0)?);
    let numbers = up.numbers();
    if up.tests.is_none() {
        return Ok(numbers);
    }
    let verdict = |up: bool, down: bool| match (up, down) {
        (true, _) => "better",
        (_, true) => "**worse**",
        _ => "no significant difference",
    };
    let corrected = |one: &Comparison| one.tests.is_some_and(|[_, corrected]| corrected.is_significant());
    let words = verdict(up.is_plain(), down.is_plain());
    let after = verdict(corrected(&up), corrected(&down));
    let after = if after == words { String::new() } else { format!("; corrected: {after}") };
    Ok(format!("{} that it is above): {words}{after}", numbers.trim_end_matches(')')))
}
