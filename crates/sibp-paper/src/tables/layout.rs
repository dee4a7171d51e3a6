//! Lays tables out as Markdown and writes everything of a table into the folder.

use super::NEIGHBOURS;
use super::paper::Figures;
use super::results::{Results, Row};
use crate::drawing::Canvas;
use crate::kept::save;
use crate::words;
use sibp::eval::{EvalError, Summary, bold, bold_corrected};
use sibp::method::GivenKind;
use std::fmt::Write as _;
use std::path::Path;

/// Says what bold figures and circles mean.
pub const MARKS: &str = "The best of a column and all that are not significantly worse by the paper's one-sided paired t-test \
    (95 %) are **bold**; those with a ° are significantly worse by that test, but not by the corrected resampled t-test \
    (Nadeau and Bengio, 2003), which allows for repeats that share objects.";

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

/// How a figure compares with the best of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Best, or not significantly worse.
    Bold,
    /// Significantly worse by the plain test alone.
    Circle,
    None,
}

/// Marks a column of rows at one number of neighbours.
pub fn marks(rows: &[&Row], k_ix: usize) -> Result<Vec<Mark>, EvalError> {
    let column: Vec<Vec<f64>> = rows.iter().map(|row| row.percent[k_ix].clone()).collect();
    let (n_train, n_test) = rows.first().map_or((1, 1), |row| row.sizes);
    let mark = |(plain, corrected): (bool, bool)| match (plain, corrected) {
        (true, _) => Mark::Bold,
        (false, true) => Mark::Circle,
        (false, false) => Mark::None,
    };
    Ok(bold(&column)?.into_iter().zip(bold_corrected(&column, n_train, n_test)?).map(mark).collect())
}

/// Lays out methods by rows and numbers of neighbours by columns, with marks if asked.
pub fn knn_table(title: &str, lines: &[Line<'_>], marked: bool) -> Result<String, EvalError> {
    let across: String = NEIGHBOURS.iter().map(|k| format!(" {k}-NN |")).collect();
    let with_paper = lines.iter().any(|line| line.paper.is_some());
    let mut text =
        format!("| {title} | bits |{across}{}\n", if with_paper { " paper, 1 / 3 / 15 / 30-NN |" } else { "" });
    let _ = writeln!(text, "|---|---|{}{}", "---|".repeat(NEIGHBOURS.len()), if with_paper { "---|" } else { "" });
    let rows: Vec<&Row> = lines.iter().map(|line| line.row).collect();
    let mut columns = Vec::new();
    for k_ix in 0..NEIGHBOURS.len() {
        columns.push(if marked { marks(&rows, k_ix)? } else { vec![Mark::None; lines.len()] });
    }
    for (at, line) in lines.iter().enumerate() {
        let _ = write!(text, "| {} | {} |", line.name, bits(line.row));
        for (k_ix, values) in line.row.percent.iter().enumerate() {
            let _ = write!(text, " {} |", cell(values, columns[k_ix][at])?);
        }
        if with_paper {
            let means = |figures: Figures| figures.map(|(mean, _)| format!("{mean:.1}")).join(" / ");
            let _ = write!(text, " {} |", line.paper.map_or("–".to_owned(), means));
        }
        text.push('\n');
    }
    Ok(text + "\n")
}

/// Mean and deviation with its mark.
pub fn cell(values: &[f64], mark: Mark) -> Result<String, EvalError> {
    let shown = format!("{:.1}", Summary::of(values)?);
    Ok(match mark {
        Mark::Bold => format!("**{shown}**"),
        Mark::Circle => format!("{shown} °"),
        Mark::None => shown,
    })
}

/// Mean number of bits.
pub fn bits(row: &Row) -> String {
    row.bits.map_or("–".to_owned(), |bits| format!("{bits:.0}"))
}

impl Page {
    /// Writes NAME.md and NAME.svg; returns the Markdown.
    pub fn write(&self, folder: &Path, results: &Results) -> anyhow::Result<String> {
        let time = format!(
            "Time: {} of training in all, one thread a fit. Build {}: {} results.\n",
            words::seconds(results.training_seconds),
            results.about.build,
            results.about.results,
        );
        let markdown = format!("# {}\n\n{}{}\n\n{time}", self.title, self.body, about(results));
        let file = |end: &str, bytes: &[u8]| save(&folder.join(format!("{}{end}", self.name)), bytes);
        file(".md", markdown.as_bytes())?;
        file(".svg", self.canvas.svg().as_bytes())?;
        Ok(markdown)
    }
}

fn about(results: &Results) -> String {
    let about = &results.about;
    let splits: Vec<String> = results
        .splits
        .iter()
        .map(|split| {
            let (train, test) = split.sizes;
            let repeats = words::count(split.n_repeats, "repeat");
            format!("{} ({repeats}; {train} objects to learn from, {test} to ask about)", split.name)
        })
        .collect();
    let classes = match about.all_classes {
        all if all > about.classes => format!(", {} of the data set's {all} classes", about.classes),
        _ => String::new(),
    };
    let given = match about.attributes.as_str() {
        "" => " There are no attributes, so the row Hash and the codes [h z] are left out.".to_owned(),
        _ if results.given == [GivenKind::None] => String::new(),
        names => format!(
            " Given bits h: the attributes {}; those of unseen objects are predicted by logistic regressions that learned from \
             all objects of classes outside the split, those of training objects are true (the paper's way) or predicted too.",
            names.replace(' ', ", ")
        ),
    };
    let raw = match about.raw.as_str() {
        "none" => "as they are, without any scaling".to_owned(),
        steps => format!("as they are up to one factor for all ({steps}), without which a sweep does not end"),
    };
    let n_repeats = results.splits.iter().map(|split| split.n_repeats).max().unwrap_or(1);
    let last_seed = about.seed.wrapping_add(n_repeats as u64 - 1);
    format!(
        "Percent right, mean ± standard deviation over repeats; votes of the nearest by plain Hamming distance. Bits are those of \
         a code, in the mean over repeats.\n\n\
         Data: {}, {} objects of {} inputs{classes}; {}.{given}\n\n\
         Settings: seeds {} to {last_seed}, one a repeat; {} sweeps; {} of the Super Probit IBP, one of every other model; {} \
         near and far objects an anchor. Rows of one chain read the first. Super Probit: preset hash, inputs {}, unseen objects \
         by refitted coefficients; weights of given bits are drawn in all supervised models. Gaussian models: preset paper, \
         inputs {}, last draw; dd-IBP with exponential decay that suits the data.\n\n\
         To the letter: one chain with the paper's likelihood (no pseudo-weight) and Gamma weights, the paper's sampler (slice, \
         elliptical slice, adaptive rejection), inputs {raw}, all pairs of the nearest objects of the \
         anchor's class with random ones of other classes (a class with fewer others than that gives all it has), and codes from \
         the draw's own coefficients. What is left of ours: a lapse rate of 0.01, priors that the paper does not state, and \
         30 random hyperplanes to start from, as the slice sampler never leaves an empty state.",
        about.data,
        words::grouped(about.objects),
        about.inputs,
        splits.join("; "),
        about.seed,
        about.sweeps,
        words::count(about.chains, "chain"),
        about.per_object,
        about.standardised,
        about.centred,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::entries::{Entry, System};

    #[test]
    fn a_circle_is_for_what_the_plain_test_alone_calls_worse() {
        let row = |values: &[f64]| Row {
            entry: Entry { system: System::Ibp, given: GivenKind::None },
            reading: String::new(),
            splits_ix: 0,
            percent: vec![values.to_vec()],
            bits: Some(12.4),
            sizes: (150, 150),
        };
        let rows =
            [row(&[5.0, 4.0, 6.0, 7.0, 2.0]), row(&[2.0, 3.0, 4.0, 3.0, 2.0]), row(&[-9.0, -8.0, -9.0, -8.0, -9.0])];
        let found = marks(&rows.iter().collect::<Vec<_>>(), 0).unwrap();
        assert_eq!(found, [Mark::Bold, Mark::Circle, Mark::None]);
        assert_eq!(cell(&[1.0, 3.0], Mark::Circle).unwrap(), "2.0 ± 1.4 °");
        assert_eq!(bits(&rows[0]), "12");
    }
}
