//! Prints how agreement with held-out triplets grows with the number of objects that a model learns from.

use anyhow::Result;
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels, Table};
use sibp::eval::hamming_agreement;
use sibp::pipeline::{DrawChoice, Fit};
use sibp::run::RunControl;
use sibp::transform::InputTransform;
use sibp::triplets::{FromLabels, Triplet, TripletSet};
use std::path::PathBuf;
use std::time::Instant;

/// What `sibp fit --labels --chains 1 --no-rehearsal --seed 1` makes of more and more objects of one world, tried on objects
/// that it never saw.
///
/// The world: clusters in many inputs, of which each belongs to one of a few classes at random, so that no class is a region
/// of its own and every cluster has to be seen. A question is a held-out triplet: an anchor, one of its class, one of another.
#[derive(Parser)]
struct Options {
    /// Numbers of objects to learn from, ascending.
    #[arg(long, value_delimiter = ',', default_value = "1000,3000,10000,30000,100000,1000000")]
    objects: Vec<usize>,
    /// Inputs of an object.
    #[arg(long, default_value_t = 64)]
    inputs: usize,
    /// Clusters of the world.
    #[arg(long, default_value_t = 500)]
    clusters: usize,
    /// Classes that they belong to.
    #[arg(long, default_value_t = 20)]
    classes: usize,
    /// Standard deviation of an input within a cluster, where centres have 1.
    #[arg(long, default_value_t = 1.0)]
    noise: f64,
    /// Sweeps; by default those of the fit.
    #[arg(long)]
    sweeps: Option<u64>,
    /// Triplets an object; by default those of the fit.
    #[arg(long)]
    per_object: Option<usize>,
    /// What is done to inputs first; by default what suits the labels.
    #[arg(long)]
    transform: Option<InputTransform>,
    /// Threads of the chain; 0 takes all cores.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Source of the world and of all fits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the rows as CSV too.
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// Objects that are asked about, and questions about them.
const HELD_OUT: usize = 5000;
const QUESTIONS: usize = 50_000;

/// Where clusters lie, and the class of each.
struct World {
    centres: Vec<Vec<f64>>,
    class_of: Vec<usize>,
    noise: f64,
}

impl World {
    fn new(options: &Options) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        let mut centre = |_| (0..options.inputs).map(|_| normal(&mut rng)).collect();
        let centres = (0..options.clusters).map(&mut centre).collect();
        // Every class has as many clusters as any other.
        let class_of = (0..options.clusters).map(|cluster| cluster % options.classes).collect();
        Self { centres, class_of, noise: options.noise }
    }

    /// Objects of a stream of their own, with their classes.
    fn objects(&self, n: usize, stream: u64) -> Result<(Inputs, Vec<usize>)> {
        let mut rng = ChaCha8Rng::seed_from_u64(stream);
        let (mut values, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let cluster = rng.random_range(0..self.centres.len());
            values.extend(self.centres[cluster].iter().map(|centre| centre + self.noise * normal(&mut rng)));
            classes.push(self.class_of[cluster]);
        }
        Ok((Inputs::new(n, self.centres[0].len(), values)?, classes))
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Triplets among held-out objects: near has the anchor's class, far has not.
fn questions(classes: &[usize], seed: u64) -> Result<TripletSet> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut triplets = Vec::new();
    while triplets.len() < QUESTIONS {
        let [anchor, near, far] = [(); 3].map(|()| rng.random_range(0..classes.len()));
        if anchor != near && classes[anchor] == classes[near] && classes[anchor] != classes[far] {
            triplets.push(Triplet { anchor: anchor as u32, near: near as u32, far: far as u32 });
        }
    }
    Ok(TripletSet::new(classes.len(), triplets)?)
}

/// Share of questions that distances between the inputs themselves answer.
fn agreement_of_inputs(inputs: &Inputs, asked: &TripletSet) -> f64 {
    let square = |a: u32, b: u32| -> f64 {
        let (a, b) = (inputs.row(a as usize), inputs.row(b as usize));
        a.iter().zip(b.iter()).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let right = asked.triplets().iter().filter(|t| square(t.anchor, t.near) < square(t.anchor, t.far)).count();
    right as f64 / asked.len() as f64
}

/// What a number of objects gave.
struct Row {
    n_objects: usize,
    transform: String,
    n_learned: usize,
    learned: f64,
    all: f64,
    seconds: f64,
}

fn measure(n_objects: usize, world: &World, held: &Inputs, asked: &TripletSet, options: &Options) -> Result<Row> {
    let (inputs, classes) = world.objects(n_objects, options.seed + 1)?;
    let names: Vec<String> = classes.iter().map(usize::to_string).collect();
    let table = Table { labels: Some(Labels::from_text(&names)), ..inputs.into() };
    let from_labels = FromLabels { seed: options.seed, ..FromLabels::default() };
    let taught = FromLabels { per_object: options.per_object.unwrap_or(from_labels.per_object), ..from_labels };
    let mut fit = Fit::new(table, taught).seed(options.seed).chains(1).calibrates(false);
    if let Some(sweeps) = options.sweeps {
        fit = fit.sweeps(sweeps);
    }
    if let Some(transform) = &options.transform {
        fit = fit.transform(transform.clone());
    }
    let began = Instant::now();
    let model = fit.run(&RunControl { threads: options.threads, ..RunControl::default() })?;
    let seconds = began.elapsed().as_secs_f64();
    let agreement = |codes: &Codes| Ok::<f64, anyhow::Error>(hamming_agreement(asked, codes)?.share());
    Ok(Row {
        n_objects,
        transform: model.info.transform.chosen().to_string(),
        n_learned: model.code_parts(DrawChoice::Suited)?.learned,
        learned: agreement(&model.learned_coder(DrawChoice::Suited)?.encode(held)?)?,
        all: agreement(&model.coder(DrawChoice::Suited)?.encode(held)?)?,
        seconds,
    })
}

fn main() -> Result<()> {
    let options = Options::parse();
    let world = World::new(&options);
    let (held, classes) = world.objects(HELD_OUT, options.seed + 2)?;
    let asked = questions(&classes, options.seed + 3)?;
    println!(
        "{} clusters of {} inputs in {} classes; {QUESTIONS} questions about {HELD_OUT} held-out objects, of which distances \
         between inputs answer {:.1} %\n",
        options.clusters,
        options.inputs,
        options.classes,
        100.0 * agreement_of_inputs(&held, &asked)
    );
    println!(
        "| objects | inputs by | learned bits | agreement, learned bits | agreement, whole codes | seconds |\n|---|---|---|---|---|---|"
    );
    let mut csv = String::from("objects,transform,learned_bits,agreement_learned,agreement_codes,seconds\n");
    for &n_objects in &options.objects {
        let row = measure(n_objects, &world, &held, &asked, &options)?;
        let Row { transform, n_learned, learned, all, seconds, .. } = &row;
        println!(
            "| {} | {transform} | {n_learned} | {:.1} % | {:.1} % | {seconds:.0} |",
            row.n_objects,
            100.0 * learned,
            100.0 * all
        );
        csv += &format!("{n_objects},\"{transform}\",{n_learned},{learned},{all},{seconds}\n");
    }
    if let Some(path) = &options.csv {
        std::fs::write(path, csv)?;
    }
    Ok(())
}
