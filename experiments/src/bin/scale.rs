//! Prints and plots what a sweep of the Super Probit IBP costs as objects become many, up to a million.

use anyhow::{Context, Result};
use clap::Parser;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sibp::data::{Inputs, NpyWriter, ReadOptions, Storage, Table, read_table, write_npy, write_npy_f64};
use sibp::eval::weighted_hamming_agreement;
use sibp::model::{ModelKind, ModelOptions, Preset, Start};
use sibp::pipeline::{Fit, Prepared};
use sibp::trace::Draw;
use sibp::transform::InputTransform;
use sibp::triplets::{Triplet, TripletSet};
use sibp_experiments::DataSet;
use sibp_experiments::plot::{Axis, Curve, curves};
use sibp_experiments::timing::{Timed, watch};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What `sibp fit --start hyperplanes:BITS --chains 1 --draws 1 --seed 1` does. Random clusters, or a data set repeated with
/// noise; triplets from clusters or classes.
///
/// Set-up is all that a run does before its first sweep (tables, and the start of the chain); a sweep is one of the
/// schedule that suits the number of objects, with its record; a kept draw is what the last sweep, in which it is made,
/// takes beyond the mean of the others.
#[derive(Parser)]
struct Options {
    /// Numbers of objects, ascending.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000,1000000")]
    objects: Vec<usize>,
    /// Folder with features.npy and labels.npy, to be repeated with noise; without it random clusters.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Inputs of random clusters.
    #[arg(long, default_value_t = 64)]
    inputs: usize,
    /// Triplets an object.
    #[arg(long, default_value_t = 10)]
    per_object: usize,
    /// Bits at the start.
    #[arg(long, default_value_t = 32)]
    bits: usize,
    /// Sweeps, of which the last is not counted [default: 30, and 6 from 100,000 objects on].
    #[arg(long)]
    sweeps: Option<u64>,
    /// Sweeps at the beginning that are not counted, at least one.
    #[arg(long, default_value_t = 1)]
    skip: u64,
    /// Threads of the chain.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// What is done to inputs first; by default what suits the model.
    #[arg(long)]
    transform: Option<InputTransform>,
    /// Keeps inputs on disk in this folder: as written in single precision, and as transformed.
    #[arg(long)]
    scratch: Option<PathBuf>,
    /// Writes inputs and triplets into this folder, as inputs-OBJECTS.npy and triplets-OBJECTS.npy.
    #[arg(long)]
    save: Option<PathBuf>,
    /// Writes seconds a sweep over objects, and held-out agreement over seconds, as NAME-time.svg and NAME-agreement.svg.
    #[arg(long)]
    plot: Option<PathBuf>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    println!(
        "{} triplets an object, {} threads\n\n| objects | inputs | set-up s | s a sweep | computing s a sweep | bits | G terms/s | s a kept draw | peak GB | GB of no file | held-out agreement |\n|---|---|---|---|---|---|---|---|---|---|---|",
        options.per_object, options.threads
    );
    let (mut times, mut agreements) = (Vec::new(), Vec::new());
    for &n_objects in &options.objects {
        let problem = Problem::new(n_objects, &options)?;
        let timed = problem.measure(&options)?;
        times.push((n_objects as f64, timed.sweep().clock));
        if options.plot.is_some() {
            agreements.push(problem.agreement_over(&timed, options.threads)?);
        }
    }
    println!("\nslope of log time over log objects: {:.2} overall", slope(&times));
    for pair in times.windows(2) {
        println!("- {} to {} objects: {:.2}", pair[0].0, pair[1].0, slope(pair));
    }
    if let Some(name) = &options.plot {
        plots(name, &options, times, agreements)?;
    }
    Ok(())
}

/// A fit to be made, and triplets that it does not see.
struct Problem {
    prepared: Prepared,
    held_out: TripletSet,
}

impl Problem {
    fn new(n_objects: usize, options: &Options) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(n_objects as u64);
        let (inputs, classes) = inputs(n_objects, options, &mut rng)?;
        let anchors = (0..n_objects).flat_map(|anchor| std::iter::repeat_n(anchor, options.per_object));
        let triplets = triplets(&classes, anchors, &mut rng);
        let asked = (0..20_000).map(|at| (at * 7919) % n_objects);
        let held_out = TripletSet::new(n_objects, self::triplets(&classes, asked, &mut rng))?;
        if let Some(folder) = &options.save {
            save(folder, &inputs, &triplets)?;
        }
        let model = ModelOptions {
            start: Some(Start::Hyperplanes(options.bits)),
            ..ModelOptions::new(ModelKind::Probit, Preset::Hash)
        };
        let sweeps = options.sweeps.unwrap_or(if n_objects < 100_000 { 30 } else { 6 });
        let fit = Fit::new(Table::from(inputs), triplets)
            .model(model)
            .transform(options.transform.clone())
            .calibrates(false)
            .distils(None);
        let prepared = fit.seed(1).sweeps(sweeps).chains(1).draws(1).prepare(None)?;
        Ok(Self { prepared, held_out })
    }

    /// Runs and prints a line.
    fn measure(&self, options: &Options) -> Result<Timed> {
        let held = Mutex::new(Vec::new());
        let timed = Timed::run_with(&self.prepared, options.threads, options.skip, |_| {
            held.lock().unwrap_or_else(PoisonError::into_inner).push(memory("RssAnon:"));
        })?;
        let held: Vec<f64> =
            held.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect::<Result<_>>()?;
        let inputs = &self.prepared.observations.inputs;
        let (sweep, bits) = (timed.sweep(), timed.n_bits());
        let terms = inputs.n_objects() as f64 * bits * 3.0 * options.per_object as f64 / 1e9;
        println!(
            "| {} | {} | {:.1} | {:.4} | {:.4} | {bits:.0} | {:.3} | {:.2} | {:.2} | {:.2} | {:.3} |",
            inputs.n_objects(),
            inputs.n_inputs(),
            timed.set_up.clock,
            sweep.clock,
            sweep.computing,
            terms / sweep.clock,
            timed.kept_draw().clock,
            memory("VmHWM:")?,
            held.into_iter().fold(0.0, f64::max),
            self.agreement(&timed.fitted.chains[0].last)?
        );
        Ok(timed)
    }

    /// Share of held-out triplets that hold.
    fn agreement(&self, draw: &Draw) -> Result<f64> {
        Ok(weighted_hamming_agreement(&self.held_out, &draw.bits, &draw.weights)?.share())
    }

    /// Seconds since the start of the run, and the share of held-out triplets that hold, after every sweep.
    fn agreement_over(&self, timed: &Timed, threads: usize) -> Result<Vec<(f64, f64)>> {
        let mut shares = Vec::new();
        watch(&self.prepared, threads, |draw| {
            shares.push(self.agreement(draw)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(timed.ends().zip(shares).collect())
    }
}

fn save(folder: &Path, inputs: &Inputs, triplets: &[Triplet]) -> Result<()> {
    let n = inputs.n_objects();
    write_npy_f64(&folder.join(format!("inputs-{n}.npy")), n, inputs.n_inputs(), &inputs.values())?;
    let members: Vec<u32> = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]).collect();
    write_npy(&folder.join(format!("triplets-{n}.npy")), triplets.len(), 3, &members)?;
    Ok(())
}

/// Inputs and the class of every object.
fn inputs(n_objects: usize, options: &Options, rng: &mut ChaCha8Rng) -> Result<(Inputs, Vec<u32>)> {
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    if let Some(folder) = &options.data {
        let set = DataSet::read(folder)?;
        let n = set.inputs.n_objects();
        let noisy = |at: usize, rng: &mut ChaCha8Rng| -> Vec<f64> {
            set.inputs.row(at % n).iter().map(|x| x + 0.5 * normal(rng)).collect()
        };
        let inputs = keep(n_objects, set.inputs.n_inputs(), options, |at| noisy(at, rng))?;
        return Ok((inputs, (0..n_objects).map(|at| set.labels.class_of()[at % n]).collect()));
    }
    const CLUSTERS: u32 = 32;
    let m = options.inputs;
    let centres: Vec<f64> = (0..CLUSTERS as usize * m).map(|_| normal(rng)).collect();
    let classes: Vec<u32> = (0..n_objects).map(|_| rng.random_range(0..CLUSTERS)).collect();
    let inputs = keep(n_objects, m, options, |at| {
        let class = classes[at] as usize;
        centres[class * m..(class + 1) * m].iter().map(|c| c + 2.0 * normal(rng)).collect()
    })?;
    Ok((inputs, classes))
}

/// Rows in memory, or in a file that is mapped.
fn keep(n_objects: usize, n_inputs: usize, options: &Options, row: impl FnMut(usize) -> Vec<f64>) -> Result<Inputs> {
    let Some(folder) = &options.scratch else {
        return Ok(Inputs::new(n_objects, n_inputs, (0..n_objects).flat_map(row).collect())?);
    };
    let path = folder.join("scale-inputs.npy");
    let mut writer = NpyWriter::create(&path, n_inputs)?;
    for values in (0..n_objects).map(row) {
        writer.write_rows(&values.iter().map(|&value| value as f32).collect::<Vec<_>>())?;
    }
    writer.finish()?;
    let storage = Storage::Disk(folder.clone());
    let inputs = read_table(&path, &ReadOptions { storage, ..ReadOptions::default() })?.inputs;
    // What is mapped stays until it is dropped.
    std::fs::remove_file(&path)?;
    Ok(inputs)
}

/// A triplet for every anchor: near of its class, far of another.
fn triplets(classes: &[u32], anchors: impl Iterator<Item = usize>, rng: &mut impl Rng) -> Vec<Triplet> {
    let n_classes = classes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members = vec![Vec::new(); n_classes];
    (0u32..).zip(classes).for_each(|(object, &class)| members[class as usize].push(object));
    let triplet = |anchor: usize| loop {
        let own = &members[classes[anchor] as usize];
        let (near, far) = (own[rng.random_range(0..own.len())], rng.random_range(0..classes.len() as u32));
        if near as usize != anchor && classes[far as usize] != classes[anchor] {
            return Triplet { anchor: anchor as u32, near, far };
        }
    };
    anchors.map(triplet).collect()
}

/// Memory of the process under this name, in GB: the most it has held, or what no file stands behind.
fn memory(name: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("this system does not tell memory")?;
    let rest = status.lines().find_map(|line| line.strip_prefix(name));
    let rest = rest.with_context(|| format!("no {name} in /proc/self/status"))?;
    let kilobytes: f64 = rest.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024e-9)
}

/// Slope of the line through the logarithms.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (product, square) = logs.iter().fold((0.0, 0.0), |(p, s), (a, b)| (p + (a - x) * (b - y), s + (a - x).powi(2)));
    product / square
}

fn plots(
    name: &std::path::Path,
    options: &Options,
    times: Vec<(f64, f64)>,
    agreements: Vec<Vec<(f64, f64)>>,
) -> Result<()> {
    let file = |what: &str| PathBuf::from(format!("{}-{what}.svg", name.display()));
    let curve = vec![Curve { name: format!("slope {:.2}", slope(&times)), points: times }];
    curves(&file("time"), &curve, ("objects", "seconds a sweep"), Axis::Logarithmic)?;
    let curve = |(n, points): (&usize, Vec<(f64, f64)>)| Curve { name: format!("{n} objects"), points };
    let all: Vec<Curve> = options.objects.iter().zip(agreements).map(curve).collect();
    curves(&file("agreement"), &all, ("seconds", "held-out triplets that hold"), Axis::Linear)
}
