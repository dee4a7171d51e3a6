//! Prints how codes grow while classes arrive a few at a time, beside codes that are learned anew from all of them.

use anyhow::{Result, ensure};
use clap::Parser;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sibp::eval::{Summary, mean};
use sibp::extend::{ExtendSettings, GrowingCode};
use sibp::hash::HashStack;
use sibp::index::Metric;
use sibp::pipeline::DrawChoice;
use sibp::run::RunControl;
use sibp::transform::InputTransform;
use sibp::triplets::{FromLabels, Teacher};
use sibp_experiments::plot::{Axis, Curve, curves};
use sibp_experiments::{DataSet, NEIGHBOURS, as_floats};
use std::path::PathBuf;
use std::time::Instant;

/// Classes arrive a few at a time. Growing codes are fitted to the first and extended by each further batch; codes
/// learned anew are fitted to all classes so far. Both are tried by k-NN on held-out objects of all classes so far.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy and labels.npy.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Classes in a batch.
    #[arg(long, default_value_t = 2)]
    step: usize,
    /// Objects of a class, half of them held out.
    #[arg(long, default_value_t = 60)]
    per_class: usize,
    /// Orders of the classes, and choices of objects.
    #[arg(long, default_value_t = 5)]
    repeats: u64,
    /// Chains of codes learned anew, and of the first batch.
    #[arg(long, default_value_t = 5)]
    chains: usize,
    /// Chains that propose bits in every further batch.
    #[arg(long, default_value_t = 4)]
    growing_chains: usize,
    /// Sweeps of every chain.
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
    /// Triplets an object.
    #[arg(long, default_value_t = 30)]
    per_object: usize,
    /// Objects remembered.
    #[arg(long, default_value_t = 1000)]
    memory: usize,
    /// Input transform.
    #[arg(long, default_value = "standardise,scale")]
    transform: String,
    /// Where to write the plot (SVG).
    #[arg(long)]
    plot: Option<PathBuf>,
}

/// Objects of some classes, training and held-out rows.
#[derive(Clone, Default)]
struct Rows {
    train: Vec<usize>,
    test: Vec<usize>,
}

/// What is measured after a batch.
struct Step {
    bits: [usize; 2],
    agreement: Option<[f64; 2]>,
    /// Accuracy by number of neighbours: growing codes, growing codes by weight, codes learned anew.
    accuracy: [Vec<f64>; 3],
    seconds: [f64; 2],
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let mut repeats: Vec<Vec<Step>> = Vec::new();
    for seed in 1..=options.repeats {
        repeats.push(stream(&options, &data, seed)?);
        eprintln!("repeat {seed} done");
    }
    print(&options, &repeats)?;
    if let Some(path) = &options.plot {
        plot(path, &options, &repeats)?;
    }
    Ok(())
}

fn stream(options: &Options, data: &DataSet, seed: u64) -> Result<Vec<Step>> {
    let transform: InputTransform = options.transform.parse()?;
    let mut code: Option<GrowingCode> = None;
    let mut seen = Rows::default();
    let mut steps = Vec::new();
    for rows in batches(options, data, seed)? {
        seen.train.extend(&rows.train);
        seen.test.extend(&rows.test);
        let labels = data.labels.select(&rows.train);
        let inputs = data.inputs.select(&rows.train);
        let teacher =
            Teacher::Labels(&labels, FromLabels { seed, per_object: options.per_object, ..FromLabels::default() });
        let settings = ExtendSettings {
            transform: transform.clone(),
            seed,
            chains: options.growing_chains,
            sweeps: options.sweeps,
            capacity: options.memory,
            ..ExtendSettings::default()
        };
        let began = Instant::now();
        let (growing, agreement) = match code.take() {
            None => {
                let mut growing = GrowingCode::new(anew(options, data, &rows.train, &transform, seed)?);
                growing.remember(&inputs, teacher, &settings)?;
                (growing, None)
            }
            Some(mut growing) => {
                let report = growing.learn(&inputs, teacher, None, &settings)?;
                eprintln!(
                    "{} tried, {} added, agreement {:.3}, with all {:.3}, after {:.3}, p {:.3}",
                    report.n_tried, report.n_added, report.before, report.proposed, report.after, report.test.p
                );
                (growing, Some([report.before, report.after]))
            }
        };
        let grown = began.elapsed().as_secs_f64();
        let began = Instant::now();
        let fresh = anew(options, data, &seen.train, &transform, seed + 100)?;
        let seconds = [grown, began.elapsed().as_secs_f64()];
        let plain = |stack: &HashStack| accuracy(data, &seen, stack, Metric::Hamming);
        let weights = as_floats(&growing.stack.weights());
        steps.push(Step {
            bits: [growing.stack.n_bits(), fresh.n_bits()],
            agreement,
            accuracy: [
                plain(&growing.stack)?,
                accuracy(data, &seen, &growing.stack, Metric::Weighted(&weights))?,
                plain(&fresh)?,
            ],
            seconds,
        });
        code = Some(growing);
    }
    Ok(steps)
}

/// Classes in a random order, a few at a time, with random objects of each.
fn batches(options: &Options, data: &DataSet, seed: u64) -> Result<Vec<Rows>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let class_of = data.labels.class_of();
    let mut classes: Vec<u32> = (0..data.labels.names().len() as u32).collect();
    classes.shuffle(&mut rng);
    let mut batches = Vec::new();
    for group in classes.chunks(options.step) {
        let mut rows = Rows::default();
        for &class in group {
            let mut members: Vec<usize> = (0..class_of.len()).filter(|&row| class_of[row] == class).collect();
            ensure!(members.len() >= options.per_class, "class {class} has only {} objects", members.len());
            members.shuffle(&mut rng);
            let (train, test) = members[..options.per_class].split_at(options.per_class / 2);
            rows.train.extend(train);
            rows.test.extend(test);
        }
        batches.push(rows);
    }
    Ok(batches)
}

/// The bits of several chains side by side, fitted to these rows.
fn anew(options: &Options, data: &DataSet, rows: &[usize], transform: &InputTransform, seed: u64) -> Result<HashStack> {
    let triplets = FromLabels { seed, per_object: options.per_object, ..FromLabels::default() };
    let fit = data
        .halves(rows, &[])
        .fit(triplets)
        .transform(transform.clone())
        .seed(seed)
        .sweeps(options.sweeps)
        .chains(options.chains);
    Ok(fit.run(&RunControl::default())?.to_stack("fit", DrawChoice::Concatenate)?)
}

fn accuracy(data: &DataSet, rows: &Rows, stack: &HashStack, metric: Metric<'_>) -> Result<Vec<f64>> {
    let halves = data.halves(&rows.train, &rows.test);
    halves.accuracy(&stack.encode(&halves.train)?, &stack.encode(&halves.test)?, metric)
}

fn print(options: &Options, repeats: &[Vec<Step>]) -> Result<()> {
    println!(
        "| classes | codes | bits | held-out triplets | 1-NN | 3-NN | 15-NN | 30-NN | seconds |\n|---|---|---|---|---|---|---|---|---|"
    );
    for at in 0..repeats[0].len() {
        let steps: Vec<&Step> = repeats.iter().map(|steps| &steps[at]).collect();
        let average = |of: &dyn Fn(&Step) -> f64| mean(&steps.iter().map(|step| of(step)).collect::<Vec<_>>());
        let classes = ((at + 1) * options.step).to_string();
        for (way, name) in ["growing", "growing, weighted", "learned anew"].iter().enumerate() {
            let learned = usize::from(way == 2);
            let agreement = match steps[0].agreement {
                Some(_) if way == 0 => {
                    let share = |which: usize| 100.0 * average(&|s: &Step| s.agreement.map_or(0.0, |a| a[which]));
                    format!("{:.1} to {:.1}", share(0), share(1))
                }
                _ => String::new(),
            };
            let cell = |k: usize| -> Result<String> {
                let values: Vec<f64> = steps.iter().map(|step| step.accuracy[way][k]).collect();
                Ok(format!("{:.1}", Summary::of(&values)?))
            };
            let cells = (0..NEIGHBOURS.len()).map(cell).collect::<Result<Vec<_>>>()?;
            println!(
                "| {classes} | {name} | {:.0} | {agreement} | {} | {:.1} |",
                average(&|step| step.bits[learned] as f64),
                cells.join(" | "),
                average(&|step| step.seconds[learned])
            );
        }
    }
    Ok(())
}

fn plot(path: &std::path::Path, options: &Options, repeats: &[Vec<Step>]) -> Result<()> {
    let curve = |name: &'static str, way: usize| Curve {
        name: name.to_owned(),
        points: (0..repeats[0].len())
            .map(|at| {
                let values: Vec<f64> = repeats.iter().map(|steps| steps[at].accuracy[way][2]).collect();
                (((at + 1) * options.step) as f64, mean(&values))
            })
            .collect(),
    };
    let all = [curve("growing", 0), curve("growing, weighted", 1), curve("learned anew", 2)];
    curves(path, &all, ("classes seen", "15-NN accuracy (%)"), Axis::Linear)
}
