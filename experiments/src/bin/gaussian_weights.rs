//! Prints what the weights of the Super Gaussian IBP do to neighbours by plain Hamming distance, beside the plain IBP.

use anyhow::Result;
use clap::Parser;
use sibp::encode::EncoderChoice;
use sibp::method::{GivenKind, LatentMethod, LatentRow};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::{DrawChoice, Reading};
use sibp::prior::hyper::GammaPrior;
use sibp::run::RunSettings;
use sibp::triplets::FromLabels;
use sibp_experiments::DataSet;
use sibp_experiments::table::AccuracyTable;
use std::path::PathBuf;

/// One chain on each repeat of a split file; ridge encoder, last draw.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy and the split file.
    #[arg(long)]
    data: PathBuf,
    /// Split file. What is chosen by this study must not be tested on the same images.
    #[arg(long)]
    splits: String,
    /// Sweeps.
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
}

/// Free weights, weights of 1, and weights of 1 with a pseudo-weight.
const WEIGHTS: [&str; 3] = ["free weights", "weights of 1", "weights of 1, pseudo-weight"];
const PLAIN: &str = "plain IBP";

fn models() -> [(&'static str, ModelOptions); 4] {
    let paper = ModelOptions::new(ModelKind::Gaussian, Preset::Paper);
    [
        (WEIGHTS[0], paper.clone()),
        (WEIGHTS[1], ModelOptions { weights: Some(GammaPrior::Fixed(1.0)), ..paper.clone() }),
        (WEIGHTS[2], ModelOptions { preset: Some(Preset::Hash), ..paper.clone() }),
        (PLAIN, ModelOptions { kind: ModelKind::Ibp, ..paper }),
    ]
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let mut table = AccuracyTable::default();
    let ridge = Reading { encoder: Some(EncoderChoice::Ridge), draws: DrawChoice::Last, ..Reading::default() };
    for (split, seed) in data.splits(&options.data, &options.splits)?.iter().zip(1..) {
        let halves = data.halves(&split.train, &split.test);
        for (name, model) in models() {
            let method = LatentMethod {
                name: name.into(),
                transform: "sqrt,centre".parse()?,
                triplets: FromLabels::default(),
                extends: GivenKind::None,
                options: model,
                settings: RunSettings::new(0, options.sweeps),
                rows: vec![LatentRow::new(name, ridge)],
            };
            table.measure(&method, &halves, seed)?;
        }
    }
    table.print(&options.splits)?;
    WEIGHTS[1..].iter().try_for_each(|name| table.print_above(name, WEIGHTS[0]))?;
    table.print_above(WEIGHTS[0], PLAIN)
}
