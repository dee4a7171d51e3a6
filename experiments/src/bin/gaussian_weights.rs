//! Prints what the weights of the Super Gaussian IBP do to neighbours by plain Hamming distance, beside the plain IBP.

use anyhow::Result;
use clap::Parser;
use sibp::encode::GaussianMethod;
use sibp::method::{GivenKind, LatentMethod, LatentReading, ReadingDraws, ReadingEncoder};
use sibp::model::{AnyModel, GaussianModel, Observations, PreferencePrior, Preset};
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

fn model(name: &str, data: &Observations) -> AnyModel {
    let preset = |preset: Preset| GaussianModel::preset(preset, &data.features, name != PLAIN);
    let paper = preset(Preset::Paper);
    if name == PLAIN {
        AnyModel::Ibp(paper)
    } else if name == WEIGHTS[0] {
        AnyModel::Gaussian(paper)
    } else if name == WEIGHTS[1] {
        let preference = PreferencePrior { weights: GammaPrior::Fixed(1.0), ..paper.preference };
        AnyModel::Gaussian(GaussianModel { preference, ..paper })
    } else {
        AnyModel::Gaussian(preset(Preset::Hash))
    }
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let mut table = AccuracyTable::default();
    for (split, seed) in data.splits(&options.data, &options.splits)?.iter().zip(1..) {
        for name in WEIGHTS.into_iter().chain([PLAIN]) {
            let ridge = ReadingEncoder::Gaussian(GaussianMethod::Ridge);
            let method = LatentMethod {
                name: name.into(),
                transform: "sqrt,centre".parse()?,
                triplets: (name != PLAIN).then(|| FromLabels { per_object: 30, ..FromLabels::default() }),
                extends: GivenKind::None,
                model: Box::new(move |data| model(name, data)),
                settings: RunSettings { chains: 1, ..RunSettings::new(0, options.sweeps) },
                readings: vec![LatentReading::new(name, ReadingDraws::Last, ridge)],
            };
            table.measure(&method, &data.raw(split), seed)?;
        }
    }
    table.print(&options.splits)?;
    WEIGHTS[1..].iter().try_for_each(|name| table.print_above(name, WEIGHTS[0]))?;
    table.print_above(WEIGHTS[0], PLAIN)
}
