//! Lays tables out as Markdown and writes everything of a table into the folder.

use super::data::TableData;
use super::entries::Options;
use super::paper::Figures;
use super::results::{Results, Row};
use super::{NEIGHBOURS, TableArgs};
use crate::drawing::Canvas;
use crate::kept::save;
use crate::words;
use sibp::eval::{EvalError, Summary, bold};
use sibp::method::GivenKind;
use std::fmt::Write as _;

/// A finished table.
pub struct Page {
    /// Name of the table, such as `table1`.
    pub name: &'static str,
    pub title: &'static str,
    /// Tables and remarks as Markdown.
    pub body: String,
    pub canvas: Canvas,
}

/// One line of a table of k-NN accuracies.
pub struct Line<'a> {
    pub name: String,
    pub row: &'a Row,
    pub paper: Option<Figures>,
}

/// Lays out methods by rows and numbers of neighbours by columns; the best of a column and all that are not
/// significantly worse are bold.
pub fn knn_table(title: &str, lines: &[Line<'_>], bold_faces: bool) -> Result<String, EvalError> {
    let across: String = NEIGHBOURS.iter().map(|k| format!(" {k}-NN |")).collect();
    let with_paper = lines.iter().any(|line| line.paper.is_some());
    let mut text =
        format!("| {title} | bits |{across}{}\n", if with_paper { " paper, 1 / 3 / 15 / 30-NN |" } else { "" });
    let _ = writeln!(text, "|---|---|{}{}", "---|".repeat(NEIGHBOURS.len()), if with_paper { "---|" } else { "" });
    let mut marks = Vec::new();
    for k_ix in 0..NEIGHBOURS.len() {
        let column: Vec<Vec<f64>> = lines.iter().map(|line| line.row.percent[k_ix].clone()).collect();
        marks.push(if bold_faces { bold(&column)? } else { vec![false; lines.len()] });
    }
    for (at, line) in lines.iter().enumerate() {
        let bits = line.row.bits.map_or("–".to_owned(), |bits| format!("{bits:.0}"));
        let _ = write!(text, "| {} | {bits} |", line.name);
        for (k_ix, values) in line.row.percent.iter().enumerate() {
            let _ = write!(text, " {} |", cell(values, marks[k_ix][at])?);
        }
        if with_paper {
            let means = |figures: Figures| figures.map(|(mean, _)| format!("{mean:.1}")).join(" / ");
            let _ = write!(text, " {} |", line.paper.map_or("–".to_owned(), means));
        }
        text.push('\n');
    }
    Ok(text + "\n")
}

/// Mean and deviation, bold if asked.
pub fn cell(values: &[f64], is_bold: bool) -> Result<String, EvalError> {
    let shown = format!("{:.1}", Summary::of(values)?);
    Ok(if is_bold { format!("**{shown}**") } else { shown })
}

impl Page {
    /// Writes NAME.md, NAME.csv and NAME.svg; returns the Markdown.
    pub fn write(
        &self,
        args: &TableArgs<'_>,
        data: &TableData,
        options: &Options,
        results: &Results,
        seconds: f64,
    ) -> anyhow::Result<String> {
        let about = about(data, options, results);
        let time = format!(
            "Time: {} of training in all, one thread a fit; this run made {} of {} results and took {}.\n",
            words::seconds(results.training_seconds),
            results.n_fresh,
            results.n_results,
            words::seconds(seconds)
        );
        let markdown = format!("# {}\n\n{}{about}\n\n{time}", self.title, self.body);
        let file = |end: &str, bytes: &[u8]| save(&args.out.join(format!("{}{end}", self.name)), bytes);
        file(".md", markdown.as_bytes())?;
        file(".csv", results.csv(options).as_bytes())?;
        file(".svg", self.canvas.svg().as_bytes())?;
        args.say(format!("written: {0}.md, {0}.csv, {0}.svg in {1}", self.name, args.out.display()));
        Ok(markdown)
    }
}

fn about(data: &TableData, options: &Options, results: &Results) -> String {
    let splits: Vec<String> = data
        .splits
        .iter()
        .map(|splits| {
            let (train, test) = (splits.repeats[0].train.len(), splits.repeats[0].test.len());
            let repeats = words::count(splits.repeats.len(), "repeat");
            format!("{} ({repeats}; {train} objects to learn from, {test} to ask about)", splits.name)
        })
        .collect();
    let given = match &data.attributes {
        Some(_) if options.given == [GivenKind::None] => String::new(),
        Some(attributes) => format!(
            " Given bits h: the attributes {}; those of unseen objects are predicted by logistic regressions that learned from \
             all objects of classes outside the split, those of training objects are true (the paper's way) or predicted too.",
            attributes.names.join(", ")
        ),
        None => " There are no attributes, so the row Hash and the codes [h z] are left out.".to_owned(),
    };
    let last_seed = options.seed_of(results.n_repeats.iter().copied().max().unwrap_or(1) - 1);
    format!(
        "Percent right, mean ± standard deviation over repeats; votes of the nearest by plain Hamming distance.\n\n\
         Data: {}, {} objects of {} inputs; {}.{given}\n\n\
         Settings: seeds {} to {last_seed}, one a repeat; {} sweeps; {} of the Super Probit IBP, one of every other model; {} \
         near and far objects an anchor. Super Probit: preset hash, inputs {}, unseen objects by refitted coefficients. \
         Gaussian models: preset paper, inputs {}, last draw; dd-IBP with exponential decay that suits the data.",
        data.name,
        words::grouped(data.inputs.n_objects()),
        data.inputs.n_inputs(),
        splits.join("; "),
        options.seed,
        options.sweeps,
        words::count(options.chains, "chain"),
        options.per_object,
        options.standardised,
        options.centred,
    )
}
