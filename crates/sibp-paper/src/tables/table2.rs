//! Lays out Table 2: the linear SVM against 30-NN of Super Probit codes.

use super::claims::{Verdict, above, p_value};
use super::entries::{CHAINS, Entry, LAST, Options, System, words};
use super::layout::{Page, cell};
use super::paper;
use super::picture::{self, Group};
use super::results::{Results, Row};
use sibp::eval::{bold, paired_t_test};
use sibp::method::GivenKind;
use std::fmt::Write as _;

/// The methods of Table 2.
pub const SYSTEMS: [System; 3] = [System::SuperProbit, System::Svm, System::TransformedSvm];

/// Position of 30 among the numbers of neighbours.
const THIRTY: usize = 3;

/// Names and results of the table's lines; the first is the SVM.
fn lines(results: &Results, options: &Options, splits_ix: usize) -> Vec<(String, Row)> {
    let row = |system: System, given: GivenKind, name: &str| results.row(splits_ix, Entry { system, given }, name);
    let svm = |system: System| (system.name().to_owned(), row(system, GivenKind::None, system.name()));
    let mut all = vec![svm(System::Svm), svm(System::TransformedSvm)];
    for (given, name) in options.given.iter().flat_map(|&given| [(given, LAST), (given, CHAINS)]) {
        let line = format!("{} (30-NN), {name}, {}", System::SuperProbit.name(), words(given));
        all.push((line, row(System::SuperProbit, given, name)));
    }
    // Each line has one number for each repeat.
    let one = |(name, row): (String, Option<&Row>)| {
        row.map(|row| {
            (name, Row { percent: vec![row.percent[THIRTY.min(row.percent.len() - 1)].clone()], ..row.clone() })
        })
    };
    all.into_iter().filter_map(one).collect()
}

/// Lays out the table, tests and picture.
pub fn page(results: &Results, options: &Options) -> anyhow::Result<Page> {
    let titles: String = results.titles.iter().map(|title| format!(" {title} | paper |")).collect();
    let mut body = format!("| |{titles}\n|---|{}\n", "---|---|".repeat(results.titles.len()));
    let columns: Vec<Vec<(String, Row)>> = (0..results.titles.len()).map(|ix| lines(results, options, ix)).collect();
    let mut marks = Vec::new();
    for column in &columns {
        marks.push(bold(&column.iter().map(|(_, row)| row.percent[0].clone()).collect::<Vec<_>>())?);
    }
    let paper_of = |row: &Row| {
        let n_classes = results.paper_classes(row.splits_ix);
        match row.entry.system {
            System::Svm => paper::svm(n_classes),
            System::TransformedSvm => None,
            system => paper::accuracy(n_classes, system).map(|figures| figures[THIRTY]),
        }
    };
    for at in 0..columns.first().map_or(0, Vec::len) {
        let _ = write!(body, "| {} |", columns[0][at].0);
        for (column, marks) in columns.iter().zip(&marks) {
            let row = &column[at].1;
            let paper = paper_of(row).map_or("–".to_owned(), |(mean, sd)| format!("{mean:.1} ± {sd:.1}"));
            let _ = write!(body, " {} | {paper} |", cell(&row.percent[0], marks[at])?);
        }
        body.push('\n');
    }
    body.push_str(
        "\nThe best of a column and all that are not significantly worse are **bold** (one-sided paired t-test, 95 %). The \
         cost of an SVM is chosen by cross-validation on the training objects; one is given raw inputs as in the paper, the \
         other those of the Super Probit IBP.\n\n",
    );
    body.push_str("The paper: neither is significantly worse than the other. Here:\n\n");
    for (column, title) in columns.iter().zip(&results.titles) {
        for (name, row) in
            column.iter().filter(|(_, row)| !matches!(row.entry.system, System::Svm | System::TransformedSvm))
        {
            let _ = writeln!(body, "- {title}, {name}: {}.", against(row, &column[0].1)?);
        }
    }
    body.push('\n');
    let panel = |(column, title): (&Vec<(String, Row)>, &String)| {
        let group = |(name, row): &(String, Row)| Group::of_one(name, row, paper_of(row));
        (title.clone(), column.iter().map(group).collect())
    };
    let panels: Vec<_> = columns.iter().zip(&results.titles).map(panel).collect();
    let title = "Table 2: linear SVM against 30-NN of Super Probit codes";
    Ok(Page { name: "table2", title, body, canvas: picture::draw(&panels) })
}

/// Compares our row with the SVM in words, tested both ways.
fn against(ours: &Row, svm: &Row) -> anyhow::Result<String> {
    if ours.percent[0].len() < 2 {
        return Ok(format!("{} against the linear SVM", above(ours, svm, 0)?.0));
    }
    let test = paired_t_test(&ours.percent[0], &svm.percent[0])?;
    let back = paired_t_test(&svm.percent[0], &ours.percent[0])?;
    let words = match (above(ours, svm, 0)?.1 == Verdict::Holds, back.is_significant()) {
        (true, _) => "better than the linear SVM",
        (false, true) => "**worse** than the linear SVM",
        (false, false) => "no significant difference to the linear SVM",
    };
    Ok(format!("{:+.1}, {words} (p {} that it is above)", test.mean_difference, p_value(test.p)))
}
