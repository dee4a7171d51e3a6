//! Prints how often an extension adds bits: for labels that mean nothing, for classes that old bits know, for new ones.

use anyhow::{Result, ensure};
use clap::{Parser, ValueEnum};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sibp::data::Labels;
use sibp::eval::mean;
use sibp::extend::{ExtendSettings, GrowingCode, LEVEL};
use sibp::hash::HashStack;
use sibp::held_out::Exam;
use sibp::pipeline::DrawChoice;
use sibp::run::RunControl;
use sibp::transform::InputTransform;
use sibp::triplets::{FromLabels, Teacher};
use sibp_experiments::DataSet;
use std::path::PathBuf;
use std::time::Instant;

/// Old codes are fitted to some classes. In every run a random batch of further objects extends them: objects of other
/// classes under permuted labels, where each added bit is a mistake, objects of the old classes, and objects of other
/// classes. Agreement is that of the codes before and after on objects that no run has seen, by weighted distance.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy and labels.npy.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Classes of the old codes, and as many of the new objects: the first and the next by number.
    #[arg(long, default_value_t = 5)]
    classes: usize,
    /// Objects of a class in a batch.
    #[arg(long, default_value_t = 8)]
    per_class: usize,
    /// Runs of each kind.
    #[arg(long, default_value_t = 200)]
    runs: u64,
    /// Kinds of batches.
    #[arg(long, value_delimiter = ',', default_value = "permuted,known,new")]
    batches: Vec<Batch>,
    /// Numbers of chains.
    #[arg(long, value_delimiter = ',', default_value = "5")]
    chains: Vec<usize>,
    /// Sweeps of every chain.
    #[arg(long, default_value_t = 20)]
    sweeps: u64,
    /// Triplets an object.
    #[arg(long, default_value_t = 5)]
    per_object: usize,
    /// Input transform.
    #[arg(long, default_value = "standardise,pca:10,scale")]
    transform: String,
}

/// Objects of a class that the old codes are fitted to, and that no run sees.
const OF_CLASS: usize = 30;

/// What is done to the labels of a batch, and which objects it has.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Batch {
    /// New classes under permuted labels.
    Permuted,
    /// Further objects of old classes.
    Known,
    /// New classes.
    New,
}

/// Rows of a class in three parts: of the old codes, of batches, of the final comparison.
struct Parts {
    first: Vec<usize>,
    batch: Vec<usize>,
    last: Vec<usize>,
}

struct Study<'a> {
    options: &'a Options,
    data: &'a DataSet,
    transform: InputTransform,
    /// By class, old ones first.
    parts: Vec<Parts>,
    old: HashStack,
}

/// What an extension did.
struct Run {
    n_added: usize,
    seconds: f64,
    agreement: [f64; 2],
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let study = Study::new(&options, &data)?;
    println!("| labels of the batch | chains | runs | added | share | p above {LEVEL} | bits | agreement | seconds |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for &chains in &options.chains {
        for &batch in &options.batches {
            let runs = (0..options.runs).map(|seed| study.run(batch, chains, seed)).collect::<Result<Vec<_>>>()?;
            print(batch, chains, &runs);
        }
    }
    Ok(())
}

fn print(batch: Batch, chains: usize, runs: &[Run]) {
    let name = match batch {
        Batch::Permuted => "permuted",
        Batch::Known => "old classes",
        Batch::New => "new classes",
    };
    let n_added = runs.iter().filter(|run| run.n_added > 0).count();
    let average = |of: &dyn Fn(&Run) -> f64| mean(&runs.iter().map(of).collect::<Vec<_>>());
    println!(
        "| {name} | {chains} | {} | {n_added} | {:.3} | {:.3} | {:.0} | {:.1} to {:.1} | {:.2} |",
        runs.len(),
        n_added as f64 / runs.len() as f64,
        at_least(n_added, runs.len(), LEVEL),
        average(&|run| run.n_added as f64) * runs.len() as f64 / n_added.max(1) as f64,
        100.0 * average(&|run| run.agreement[0]),
        100.0 * average(&|run| run.agreement[1]),
        average(&|run| run.seconds)
    );
}

/// Probability of `n` successes or more of `of` at this rate.
fn at_least(n: usize, of: usize, rate: f64) -> f64 {
    let mut log_choose = 0.0;
    let mut sum = 0.0;
    for k in 0..=of {
        if k >= n {
            sum += (log_choose + k as f64 * rate.ln() + (of - k) as f64 * (1.0 - rate).ln()).exp();
        }
        log_choose += ((of - k) as f64 / (k + 1) as f64).ln();
    }
    sum.min(1.0)
}

impl<'a> Study<'a> {
    fn new(options: &'a Options, data: &'a DataSet) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let class_of = data.labels.class_of();
        let mut parts = Vec::new();
        for class in 0..2 * options.classes as u32 {
            let mut rows: Vec<usize> = (0..class_of.len()).filter(|&row| class_of[row] == class).collect();
            let least = 2 * OF_CLASS + 2 * options.per_class;
            ensure!(rows.len() >= least, "class {class} has only {} objects", rows.len());
            rows.shuffle(&mut rng);
            let last = rows.split_off(rows.len() - OF_CLASS);
            let batch = rows.split_off(OF_CLASS);
            parts.push(Parts { first: rows, batch, last });
        }
        let transform: InputTransform = options.transform.parse()?;
        let rows: Vec<usize> = parts[..options.classes].iter().flat_map(|part| part.first.clone()).collect();
        let triplets = FromLabels { per_object: options.per_object, ..FromLabels::default() };
        let fit = data.halves(&rows, &[]).fit(triplets).transform(transform.clone()).sweeps(100).chains(1);
        let old = fit.run(&RunControl::default())?.to_stack("fit", DrawChoice::Map)?;
        Ok(Self { options, data, transform, parts, old })
    }

    fn run(&self, batch: Batch, chains: usize, seed: u64) -> Result<Run> {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
        let n = self.options.classes;
        let classes = if batch == Batch::Known { &self.parts[..n] } else { &self.parts[n..] };
        let mut rows = Vec::new();
        for part in classes {
            let mut of_class = part.batch.clone();
            of_class.shuffle(&mut rng);
            rows.extend_from_slice(&of_class[..self.options.per_class]);
        }
        let mut class_of = self.data.labels.select(&rows).class_of().to_vec();
        if batch == Batch::Permuted {
            class_of.shuffle(&mut rng);
        }
        let labels = Labels::from_classes(self.data.labels.names().to_vec(), class_of);
        let triplets = FromLabels { seed, per_object: self.options.per_object, ..FromLabels::default() };
        let settings = ExtendSettings {
            transform: self.transform.clone(),
            seed,
            chains,
            sweeps: self.options.sweeps,
            capacity: 0,
            threads: 1,
            ..ExtendSettings::default()
        };
        let mut code = GrowingCode::new(self.old.clone());
        let began = Instant::now();
        let teacher = Teacher::Labels(&labels, triplets);
        let report = code.learn(&self.data.inputs.select(&rows), teacher, None, &settings)?;
        let seconds = began.elapsed().as_secs_f64();
        let asked = [&self.old, &code.stack].map(|stack| self.agreement(stack, classes));
        let [before, after] = asked;
        Ok(Run { n_added: report.n_added, seconds, agreement: [before?, after?] })
    }

    /// Agreement with the nearest of the objects that no run has seen, by true classes.
    fn agreement(&self, stack: &HashStack, classes: &[Parts]) -> Result<f64> {
        let rows: Vec<usize> = classes.iter().flat_map(|part| part.last.clone()).collect();
        let labels = self.data.labels.select(&rows);
        let all: Vec<usize> = (0..rows.len()).collect();
        let exam = Exam::of_labels(all.clone(), all, labels.class_of());
        Ok(mean(&exam.scores(&stack.encode(&self.data.inputs.select(&rows))?, &stack.weights())))
    }
}
