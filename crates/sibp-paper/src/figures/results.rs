//! Writes the numbers and pictures of an experiment into a folder.

use super::FigureArgs;
use super::learn::{Experiment, Learned};
use crate::drawing::Canvas;
use crate::kept::save;
use crate::words::{percent, seconds};
use std::fmt::Write as _;

/// Everything that is written about a figure.
pub struct Results<'a> {
    /// `fig2` or `fig3`.
    pub name: &'static str,
    /// Caption of the figure, in a sentence.
    pub title: &'static str,
    /// Number of given bits.
    pub n_given: usize,
    pub experiment: &'a Experiment,
    pub learned: &'a [Learned],
    /// Names and values of more columns, one value a model.
    pub more: &'a [(&'static str, Vec<String>)],
    /// The paper's claims, and how this run compares.
    pub remarks: String,
}

impl Results<'_> {
    /// Writes NAME.md, NAME.csv, NAME-codes.csv and NAME.svg; returns the Markdown.
    pub fn write(&self, args: &FigureArgs<'_>, canvas: &Canvas) -> anyhow::Result<String> {
        let folder = &args.out;
        let markdown = self.markdown(args);
        let file = |end: &str, bytes: &[u8]| save(&folder.join(format!("{}{end}", self.name)), bytes);
        file(".md", markdown.as_bytes())?;
        file(".csv", self.csv().as_bytes())?;
        file("-codes.csv", self.codes_csv().as_bytes())?;
        file(".svg", canvas.svg().as_bytes())?;
        args.say(format!("written: {0}.md, {0}.csv, {0}-codes.csv, {0}.svg in {1}", self.name, folder.display()));
        Ok(markdown)
    }

    fn markdown(&self, args: &FigureArgs<'_>) -> String {
        let more: String = self.more.iter().map(|(name, _)| format!(" {name} |")).collect();
        let mut text = format!(
            "# {}\n\n| model | bits | Hamming distance within | between | triplets satisfied |{more} time |\n\
             |---|---|---|---|---|{}---|\n",
            self.title,
            "---|".repeat(self.more.len())
        );
        for (at, one) in self.learned.iter().enumerate() {
            let more: String = self.more.iter().map(|(_, values)| format!(" {} |", values[at])).collect();
            let _ = writeln!(
                text,
                "| {} | {} | {:.2} | {:.2} | {} |{more} {} |",
                one.system.name(),
                self.bits(one),
                one.within,
                one.between,
                percent(one.satisfied),
                seconds(one.seconds)
            );
        }
        let _ = write!(
            text,
            "\n{}\n\nData: {} points of {} categories in the plane (section 6.1), seed {}; {} triplets, all pairs of {} near \
             and far objects of an anchor. Chains: {} of {} sweeps a model, seed {}; the draw with the highest log joint is \
             shown. Unit weights, no pseudo-weight, lapse rate 0.01; dd-IBP with exponential decay that suits the data. \
             Distances are plain Hamming; a triplet with equal distances is not satisfied.\n",
            self.remarks,
            self.experiment.points.inputs.n_objects(),
            self.experiment.points.labels.names().len(),
            args.seed,
            self.experiment.triplets.len(),
            args.per_object,
            args.chains,
            args.sweeps,
            args.seed
        );
        text
    }

    fn bits(&self, learned: &Learned) -> String {
        let n_bits = learned.codes.n_bits();
        if self.n_given == 0 { n_bits.to_string() } else { format!("{} + {}", self.n_given, n_bits - self.n_given) }
    }

    fn csv(&self) -> String {
        let mut text = "model,given_bits,learned_bits,within,between,satisfied,seconds\n".to_owned();
        for one in self.learned {
            let (name, learned) = (one.system.name(), one.codes.n_bits() - self.n_given);
            let Learned { within, between, satisfied, seconds, .. } = one;
            let _ = writeln!(text, "{name},{},{learned},{within},{between},{satisfied},{seconds:.3}", self.n_given);
        }
        text
    }

    /// Writes a row for each object: category, point, and its code under every model.
    fn codes_csv(&self) -> String {
        let names: String = self.learned.iter().map(|one| format!(",{}", one.system.name())).collect();
        let mut text = format!("category,x,y{names}\n");
        let points = &self.experiment.points;
        for (row, x) in points.inputs.rows().enumerate() {
            let class = points.labels.class_of()[row] as usize;
            let _ = write!(text, "{},{},{}", points.labels.names()[class], x[0], x[1]);
            for one in self.learned {
                let bit = |bit_ix| if one.codes.get(row, bit_ix) { '1' } else { '0' };
                let _ = write!(text, ",{}", (0..one.codes.n_bits()).map(bit).collect::<String>());
            }
            text.push('\n');
        }
        text
    }
}
