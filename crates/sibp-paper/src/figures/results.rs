//! Writes the numbers of an experiment as CSV into a folder, with its picture and codes.

use super::FigureArgs;
use super::learn::{Experiment, Learned};
use crate::csv_file::to_csv;
use crate::drawing::Canvas;
use crate::kept::{BUILD, save};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The numbers of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Name of the model in the paper.
    pub system: String,
    pub given_bits: usize,
    pub learned_bits: usize,
    /// Mean Hamming distance within and between categories.
    pub within: f64,
    pub between: f64,
    /// Share of triplets that plain Hamming distance satisfies.
    pub satisfied: f64,
    /// Bits in which the majorities of categories 1 and 2 differ, and of the two categories that differ least.
    pub first_two: usize,
    pub least: usize,
    pub seconds: f64,
    /// Hash of the sources that made the numbers.
    pub build: String,
}

/// Data and settings of a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub build: String,
    pub points: usize,
    pub categories: usize,
    pub triplets: usize,
    pub per_object: usize,
    pub seed: u64,
    pub sweeps: u64,
    pub chains: usize,
}

/// Everything that is written about a figure.
pub struct Results<'a> {
    /// `fig2` or `fig3`.
    pub name: &'static str,
    /// Number of given bits.
    pub n_given: usize,
    pub experiment: &'a Experiment,
    pub learned: &'a [Learned],
}

impl Results<'_> {
    /// Writes NAME.csv, NAME-about.csv, NAME-codes.csv and NAME.svg.
    pub fn write(&self, args: &FigureArgs<'_>, canvas: &Canvas) -> anyhow::Result<()> {
        let file = |end: &str, text: &str| save(&args.out.join(format!("{}{end}", self.name)), text.as_bytes());
        let lines: Vec<Line> = self.learned.iter().map(|one| self.line(one)).collect();
        file(".csv", &to_csv(&lines)?)?;
        file("-about.csv", &to_csv(&[self.about(args)])?)?;
        file("-codes.csv", &self.codes_csv())?;
        file(".svg", &canvas.svg())
    }

    fn line(&self, one: &Learned) -> Line {
        let labels = &self.experiment.points.labels;
        Line {
            system: one.system.name().to_owned(),
            given_bits: self.n_given,
            learned_bits: one.codes.n_bits() - self.n_given,
            within: one.within,
            between: one.between,
            satisfied: one.satisfied,
            first_two: one.apart(labels, 0, 1),
            least: one.least_apart(labels),
            seconds: (one.seconds * 1e3).round() / 1e3,
            build: BUILD.to_owned(),
        }
    }

    fn about(&self, args: &FigureArgs<'_>) -> About {
        About {
            build: BUILD.to_owned(),
            points: self.experiment.points.inputs.n_objects(),
            categories: self.experiment.points.labels.names().len(),
            triplets: self.experiment.triplets.len(),
            per_object: args.per_object,
            seed: args.seed,
            sweeps: args.sweeps,
            chains: args.chains,
        }
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
