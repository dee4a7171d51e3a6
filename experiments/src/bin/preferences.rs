//! Measures how far probabilities of preferences can be trusted: agreement, calibration error and Brier score.

use anyhow::Result;
use clap::Parser;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sibp::data::{Inputs, ReadOptions, Table, read_table};
use sibp::encode::EncoderChoice;
use sibp::eval::{brier_score, calibration_error, mean, probability_agreement};
use sibp::format::Fitted;
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::{Asking, Fit, Objects};
use sibp::run::RunControl;
use sibp::triplets::{FromLabels, Triplet, read_triplets};
use sibp_experiments::DataSet;
use std::path::PathBuf;
use std::time::Instant;

/// Preference probabilities on held-out triplets: of digits never seen (labels), and of shoes that were judged (people).
#[derive(Parser)]
struct Options {
    /// Folder of the digits.
    #[arg(long, default_value = "data/digits")]
    digits: PathBuf,
    /// Folder of the shoes, which are not part of the project.
    #[arg(long)]
    shoes: Option<PathBuf>,
    /// Judgements learned from.
    #[arg(long, default_value_t = 5000)]
    judgements: usize,
    /// Sweeps of each chain [default: as many as `sibp fit` does]
    #[arg(long)]
    sweeps: Option<u64>,
    /// Chains [default: as many as `sibp fit` runs]
    #[arg(long)]
    chains: Option<usize>,
    /// The paper's likelihood, without pseudo-weight.
    #[arg(long)]
    paper: bool,
    /// Repeats.
    #[arg(long, default_value_t = 5)]
    repeats: usize,
}

/// One way to read probabilities.
struct Reading {
    name: &'static str,
    asking: Asking,
    /// Whether training objects have their drawn bits.
    learned: bool,
}

fn readings() -> [Reading; 3] {
    let asking = Asking { calibrated: false, ..Asking::default() };
    [
        Reading {
            name: "codes plugged in",
            asking: Asking { encoder: Some(EncoderChoice::Drawn), ..asking },
            learned: false,
        },
        Reading { name: "Eq. 18, averaged over bits", asking, learned: true },
        Reading { name: "recalibrated (default)", asking: Asking::default(), learned: true },
    ]
}

fn main() -> Result<()> {
    let options = Options::parse();
    println!("| held-out triplets | reading | agreement | mean p | calibration error | Brier | sharpness | fit |");
    println!("|---|---|---|---|---|---|---|---|");
    digits(&options)?;
    shoes(&options)
}

fn digits(options: &Options) -> Result<()> {
    let data = DataSet::read(&options.digits)?;
    for name in ["split5.csv", "split10.csv"] {
        let mut table = Measured::new(format!("digits, {name}, unseen"));
        for (at, split) in data.splits(&options.digits, name)?.iter().take(options.repeats).enumerate() {
            let halves = data.halves(&split.train, &split.test);
            let fit = halves.fit(FromLabels { seed: at as u64, ..FromLabels::default() }).seed(at as u64);
            let fitted = table.run(options, fit)?;
            let asked = FromLabels { per_object: 20, seed: 99, ..FromLabels::default() };
            let asked = asked.build(&halves.test_labels, &halves.test)?.triplets;
            table.measure(&fitted, &halves.test, &asked)?;
        }
        table.print();
    }
    Ok(())
}

fn shoes(options: &Options) -> Result<()> {
    let Some(folder) = &options.shoes else {
        println!("skipped: judgements about shoes; give --shoes DIR");
        return Ok(());
    };
    let inputs = read_table(&folder.join("features_pca50.npy"), &ReadOptions::default())?.inputs;
    let mut triplets = read_triplets(&folder.join("triplets.npy"), inputs.n_objects())?;
    let mut table = Measured::new(format!("shoes, {} judgements learned from", options.judgements));
    for at in 0..options.repeats {
        triplets.shuffle(&mut ChaCha8Rng::seed_from_u64(at as u64));
        let (train, test) = triplets.split_at(options.judgements);
        let fit = Fit::new(Table::from(inputs.clone()), train.to_vec()).seed(at as u64);
        let fitted = table.run(options, fit)?;
        table.measure(&fitted, &inputs, &test[..test.len().min(5000)])?;
    }
    table.print();
    Ok(())
}

/// Agreement, mean probability, calibration error and Brier score of every reading, for each repeat.
struct Measured {
    name: String,
    rows: Vec<Vec<[f64; 4]>>,
    sharpness: Vec<f64>,
    seconds: Vec<f64>,
}

impl Measured {
    fn new(name: String) -> Self {
        Self { name, rows: vec![Vec::new(); 3], sharpness: Vec::new(), seconds: Vec::new() }
    }

    fn run(&mut self, options: &Options, fit: Fit) -> Result<Fitted> {
        let began = Instant::now();
        let preset = if options.paper { Preset::Paper } else { Preset::Hash };
        let model = ModelOptions::new(ModelKind::Probit, preset);
        let fit = fit.model(model).sweeps(options.sweeps).chains(options.chains).calibrates(true);
        let fitted = fit.run(&RunControl::default())?;
        self.seconds.push(began.elapsed().as_secs_f64());
        self.sharpness.push(fitted.info.calibration.map_or(f64::NAN, |calibration| calibration.sharpness));
        Ok(fitted)
    }

    fn measure(&mut self, fitted: &Fitted, inputs: &Inputs, asked: &[Triplet]) -> Result<()> {
        let seen = fitted.training_rows(&Table::from(inputs.clone()));
        for (rows, reading) in self.rows.iter_mut().zip(readings()) {
            let training = if reading.learned { &seen[..] } else { &[] };
            let objects = Objects { inputs, known: None, training };
            let p = fitted.preferences(objects, asked, &reading.asking)?.probabilities;
            let agreement = probability_agreement(&p);
            rows.push([agreement, mean(&p), calibration_error(&p), brier_score(&p)]);
        }
        Ok(())
    }

    fn print(&self) {
        for (rows, reading) in self.rows.iter().zip(readings()) {
            let column = |at: usize| mean(&rows.iter().map(|row| row[at]).collect::<Vec<_>>());
            let worst = rows.iter().map(|row| row[2]).fold(0.0, f64::max);
            println!(
                "| {} | {} | {:.1} % | {:.3} | {:.3} (largest {worst:.3}) | {:.4} | {:.2} | {:.1} s |",
                self.name,
                reading.name,
                100.0 * column(0),
                column(1),
                column(2),
                column(3),
                mean(&self.sharpness),
                mean(&self.seconds),
            );
        }
    }
}
