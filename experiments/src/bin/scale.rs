//! Prints and plots what a sweep of the Super Probit IBP costs as objects become many, up to a million.

use anyhow::{Context, Result};
use clap::Parser;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sibp::data::{Features, NpyWriter, ReadOptions, Storage, read_table};
use sibp::fit::ModelOptions;
use sibp::likelihood::preference::PreferenceSums;
use sibp::model::{Model, ModelKind, Observations, Preset, ProbitModel, ProbitScratch, ProbitState, Start};
use sibp::rng::{Purpose, Streams};
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::{Triplet, TripletSet};
use sibp_experiments::DataSet;
use sibp_experiments::plot::{Axis, Curve, curves};
use std::path::PathBuf;
use std::time::Instant;

/// One chain. Random clusters, or a data set repeated with noise; triplets from clusters or classes.
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
    /// Most sweeps of a size; the largest sizes do a tenth, but at least three.
    #[arg(long, default_value_t = 30)]
    sweeps: u64,
    /// Threads of the chain.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// What is done to inputs first.
    #[arg(long, default_value = "standardise,scale")]
    transform: InputTransform,
    /// Keeps inputs on disk in this folder: as written in single precision, and as transformed.
    #[arg(long)]
    scratch: Option<PathBuf>,
    /// Writes seconds a sweep over objects, and held-out agreement over seconds, as NAME-time.svg and NAME-agreement.svg.
    #[arg(long)]
    plot: Option<PathBuf>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    println!(
        "{} triplets an object, {} threads\n\n| objects | inputs | set-up s | s a sweep | bits | G terms/s | s a kept draw | peak GB | GB of no file | held-out agreement |\n|---|---|---|---|---|---|---|---|---|---|",
        options.per_object, options.threads
    );
    let (mut times, mut agreements) = (Vec::new(), Vec::new());
    for &n_objects in &options.objects {
        let result = measure(n_objects, &options)?;
        times.push((n_objects as f64, result.seconds_a_sweep));
        agreements.push(result.agreement);
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

struct Measured {
    seconds_a_sweep: f64,
    /// Seconds since the start of the chain, and the share of held-out triplets that hold.
    agreement: Vec<(f64, f64)>,
}

fn measure(n_objects: usize, options: &Options) -> Result<Measured> {
    let mut rng = ChaCha8Rng::seed_from_u64(n_objects as u64);
    let (raw, classes) = inputs(n_objects, options, &mut rng)?;
    let (_, features) = Transform::fit_apply(&options.transform, &raw)?;
    drop(raw);
    let triplets = triplets(&classes, options.per_object, &mut rng)?;
    let held_out = triplets_of(&classes, &(0..20_000).map(|at| (at * 7919) % n_objects).collect::<Vec<_>>(), &mut rng)?;
    let data = Observations::new(features, triplets);
    let model = model(&data, options)?;

    let began = Instant::now();
    let mut scratch = model.prepare_on(&data, options.threads);
    model.use_threads(&mut scratch, options.threads);
    let setup = began.elapsed().as_secs_f64();

    let streams = Streams::new(1, 0);
    let mut state = model.start(&data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let n_sweeps = if n_objects >= 100_000 { (options.sweeps / 10).max(3) } else { options.sweeps };
    let (mut seconds, mut bits, mut agreement) = (0.0, 0.0, Vec::new());
    let mut own_memory = 0.0f64;
    for sweep in 1..=n_sweeps {
        let began = Instant::now();
        model.sweep(&data, &mut state, &mut scratch, &streams, sweep);
        bits += model.record(&data, &state, &mut scratch).n_bits as f64;
        seconds += began.elapsed().as_secs_f64();
        agreement.push((seconds, agrees(&state, &held_out)));
        own_memory = own_memory.max(memory("RssAnon:")?);
    }
    let kept = seconds_a_draw(&model, &data, &state, &scratch, n_sweeps);
    let (each, bits) = (seconds / n_sweeps as f64, bits / n_sweeps as f64);
    let terms = n_objects as f64 * bits * 3.0 * options.per_object as f64 / 1e9;
    println!(
        "| {n_objects} | {} | {setup:.1} | {each:.4} | {bits:.0} | {:.3} | {kept:.2} | {:.2} | {own_memory:.2} | {:.3} |",
        data.features.n_inputs(),
        terms / each,
        memory("VmHWM:")?,
        agreement.last().map_or(f64::NAN, |last| last.1)
    );
    Ok(Measured { seconds_a_sweep: each, agreement })
}

fn model(data: &Observations, options: &Options) -> Result<ProbitModel> {
    let mut model_options = ModelOptions::new(ModelKind::Probit, Preset::Hash);
    model_options.start = Some(Start::Hyperplanes(options.bits));
    match model_options.model(&data.features, None)? {
        sibp::model::AnyModel::Probit(model) => Ok(model),
        _ => unreachable!("a probit model was asked for"),
    }
}

fn seconds_a_draw(
    model: &ProbitModel,
    data: &Observations,
    state: &ProbitState,
    scratch: &ProbitScratch,
    sweep: u64,
) -> f64 {
    let began = Instant::now();
    std::hint::black_box(model.to_draw(data, state, scratch, sweep));
    began.elapsed().as_secs_f64()
}

/// Inputs and the class of every object.
fn inputs(n_objects: usize, options: &Options, rng: &mut ChaCha8Rng) -> Result<(Features, Vec<u32>)> {
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    if let Some(folder) = &options.data {
        let set = DataSet::read(folder)?;
        let n = set.features.n_objects();
        let noisy = |at: usize, rng: &mut ChaCha8Rng| -> Vec<f64> {
            set.features.row(at % n).iter().map(|x| x + 0.5 * normal(rng)).collect()
        };
        let features = keep(n_objects, set.features.n_inputs(), options, |at| noisy(at, rng))?;
        return Ok((features, (0..n_objects).map(|at| set.labels.class_of()[at % n]).collect()));
    }
    const CLUSTERS: u32 = 32;
    let m = options.inputs;
    let centres: Vec<f64> = (0..CLUSTERS as usize * m).map(|_| normal(rng)).collect();
    let classes: Vec<u32> = (0..n_objects).map(|_| rng.random_range(0..CLUSTERS)).collect();
    let features = keep(n_objects, m, options, |at| {
        let class = classes[at] as usize;
        centres[class * m..(class + 1) * m].iter().map(|c| c + 2.0 * normal(rng)).collect()
    })?;
    Ok((features, classes))
}

/// Rows in memory, or in a file that is mapped.
fn keep(n_objects: usize, n_inputs: usize, options: &Options, row: impl FnMut(usize) -> Vec<f64>) -> Result<Features> {
    let Some(folder) = &options.scratch else {
        return Ok(Features::new(n_objects, n_inputs, (0..n_objects).flat_map(row).collect())?);
    };
    let path = folder.join("scale-inputs.npy");
    let mut writer = NpyWriter::create(&path, n_inputs)?;
    for values in (0..n_objects).map(row) {
        writer.write_rows(&values.iter().map(|&value| value as f32).collect::<Vec<_>>())?;
    }
    writer.finish()?;
    let storage = Storage::Disk(folder.clone());
    let features = read_table(&path, &ReadOptions { storage, ..ReadOptions::default() })?.features;
    // What is mapped stays until it is dropped.
    std::fs::remove_file(&path)?;
    Ok(features)
}

/// `per_object` triplets for every anchor: near of its class, far of another.
fn triplets(classes: &[u32], per_object: usize, rng: &mut impl Rng) -> Result<TripletSet> {
    let anchors: Vec<usize> = (0..classes.len()).flat_map(|anchor| std::iter::repeat_n(anchor, per_object)).collect();
    triplets_of(classes, &anchors, rng)
}

fn triplets_of(classes: &[u32], anchors: &[usize], rng: &mut impl Rng) -> Result<TripletSet> {
    let n_classes = classes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members = vec![Vec::new(); n_classes];
    (0u32..).zip(classes).for_each(|(object, &class)| members[class as usize].push(object));
    let mut triplet = |&anchor: &usize| loop {
        let own = &members[classes[anchor] as usize];
        let (near, far) = (own[rng.random_range(0..own.len())], rng.random_range(0..classes.len() as u32));
        if near as usize != anchor && classes[far as usize] != classes[anchor] {
            return Triplet { anchor: anchor as u32, near, far };
        }
    };
    Ok(TripletSet::new(classes.len(), anchors.iter().map(&mut triplet).collect())?)
}

fn agrees(state: &ProbitState, held_out: &TripletSet) -> f64 {
    let mut sums = PreferenceSums::default();
    sums.rebuild(held_out, &state.code.features, &state.code.weights);
    sums.satisfied()
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
