//! Compares questions that the model chooses with random ones: agreement with unseen answers by the number of answers.

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sibp::ask::{AskSettings, FEWEST_CANDIDATES, Kind, suggest};
use sibp::data::{Inputs, ReadOptions, Table, read_table};
use sibp::eval::{Summary, mean, paired_t_test, probability_agreement};
use sibp::format::Fitted;
use sibp::pipeline::{Asking, Fit, Objects};
use sibp::run::RunControl;
use sibp::triplets::{Triplet, read_triplets};
use sibp_experiments::DataSet;
use sibp_experiments::plot::{self, Curve};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Active against random questions. Answers are the collected ones (shoes) or those of labels (digits), some flipped.
#[derive(Parser, Clone)]
struct Options {
    /// Which questions are asked.
    #[arg(long, value_enum, default_value = "digits")]
    data: Data,
    /// Folder of the data: by default data/digits; the shoes are not part of the project.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Numbers of answers, ascending; by default up to 5,000 (shoes) or 2,000 (digits).
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<usize>,
    /// Repeats: test set, first answers and errors differ.
    #[arg(long, default_value_t = 10)]
    repeats: usize,
    /// Chains.
    #[arg(long, default_value_t = 6)]
    chains: usize,
    /// Sweeps of the first fit.
    #[arg(long, default_value_t = 100)]
    first: u64,
    /// Sweeps of every continued fit.
    #[arg(long, default_value_t = 40)]
    sweeps: u64,
    /// Draws kept by every chain.
    #[arg(long, default_value_t = 20)]
    draws: usize,
    /// Share of answers that are flipped.
    #[arg(long, default_value_t = 0.05)]
    errors: f64,
    /// Questions of the test set.
    #[arg(long, default_value_t = 20_000)]
    test: usize,
    /// Share of random questions.
    #[arg(long, default_value_t = 0.15)]
    controls: f64,
    /// Share of repeated questions.
    #[arg(long, default_value_t = 0.07)]
    again: f64,
    /// Candidates of all questions of a batch together.
    #[arg(long, default_value_t = 10_000)]
    candidates: usize,
    /// Candidates of each question, at least.
    #[arg(long, default_value_t = FEWEST_CANDIDATES)]
    fewest: usize,
    /// Batches between two sizes: the model is fitted after each.
    #[arg(long, default_value_t = 1)]
    batches: usize,
    /// Threads; 0 takes all cores.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// First repeat, to tune on others than those that are reported.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the plot.
    #[arg(long, default_value = "active.svg")]
    out: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Data {
    /// 300 digits of ten classes: near is the one of the anchor's class.
    Digits,
    /// 85 pictures of shoes with collected answers of people.
    Shoes,
}

/// Objects, and the true answer to every question that can be asked.
struct Problem {
    inputs: Inputs,
    answers: BTreeMap<(u32, u32, u32), Triplet>,
    pool: Vec<Triplet>,
    test: Vec<Triplet>,
}

fn question(t: Triplet) -> (u32, u32, u32) {
    (t.anchor, t.near.min(t.far), t.near.max(t.far))
}

impl Problem {
    /// Holds `n_test` of the triplets out.
    fn new(inputs: Inputs, mut triplets: Vec<Triplet>, n_test: usize, rng: &mut ChaCha8Rng) -> Self {
        triplets.shuffle(rng);
        // Questions with several answers keep the first; none is in both parts.
        let mut answers = BTreeMap::new();
        triplets.retain(|&t| answers.insert(question(t), t).is_none());
        let answers = triplets.iter().map(|&t| (question(t), t)).collect();
        let pool = triplets.split_off(n_test.min(triplets.len() / 2));
        Self { inputs, answers, pool, test: triplets }
    }

    fn read(options: &Options, rng: &mut ChaCha8Rng) -> Result<Self> {
        match options.data {
            Data::Shoes => {
                let folder = options.folder.as_ref().context("give --folder, where the shoes are")?;
                let inputs = read_table(&folder.join("features_pca50.npy"), &ReadOptions::default())?.inputs;
                let triplets = read_triplets(&folder.join("triplets.npy"), inputs.n_objects())?;
                Ok(Self::new(inputs, triplets, options.test, rng))
            }
            Data::Digits => {
                let folder = options.folder.clone().unwrap_or_else(|| "data/digits".into());
                let data = DataSet::read(&folder)?;
                let mut rows: Vec<usize> = (0..data.inputs.n_objects()).collect();
                rows.shuffle(rng);
                rows.truncate(300);
                let labels = data.labels.select(&rows);
                let class = |object: u32| labels.class_of()[object as usize];
                let mut triplets = Vec::new();
                // All questions are 300 x 30 x 270; a random part of them is enough.
                while triplets.len() < 200_000 {
                    let [anchor, near, far] = [(); 3].map(|()| rng.random_range(0..300u32));
                    if anchor != near && class(anchor) == class(near) && class(anchor) != class(far) {
                        triplets.push(Triplet { anchor, near, far });
                    }
                }
                Ok(Self::new(data.inputs.select(&rows), triplets, options.test, rng))
            }
        }
    }

    /// What the judge says.
    fn answer(&self, asked: Triplet, errors: f64, rng: &mut ChaCha8Rng) -> Result<Triplet> {
        let Some(&truth) = self.answers.get(&question(asked)) else { bail!("a question without an answer") };
        let Triplet { anchor, near, far } = truth;
        Ok(if rng.random_bool(errors) { Triplet { anchor, near: far, far: near } } else { truth })
    }

    fn objects<'a>(&'a self, training: &'a [Option<u32>]) -> Objects<'a> {
        Objects { inputs: &self.inputs, known: None, training }
    }
}

/// Asks, answers and fits, from the first size to the last; returns the agreement at each size.
fn follow(options: &Options, problem: &Problem, sizes: &[usize], active: bool, repeat: u64) -> Result<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1000 + repeat);
    let control = RunControl { threads: options.threads, ..RunControl::default() };
    let training: Vec<Option<u32>> = (0..problem.inputs.n_objects() as u32).map(Some).collect();
    let mut left = problem.pool.clone();
    left.shuffle(&mut rng);
    let mut answered: Vec<Triplet> = Vec::new();
    let mut fitted: Option<Fitted> = None;
    let mut agreements = Vec::new();
    for &size in sizes {
        let batches = if fitted.is_some() { options.batches } else { 1 };
        let start = answered.len();
        for batch in 1..=batches {
            let n = start + (size - start) * batch / batches - answered.len();
            let asked = match &fitted {
                Some(fitted) if active => {
                    let settings = AskSettings {
                        answered: &answered,
                        pool: Some(&left),
                        controls: options.controls,
                        repeats: options.again,
                        candidates: options.candidates,
                        fewest: options.fewest,
                        threads: options.threads,
                        ..AskSettings::new(n, repeat)
                    };
                    suggest(fitted, problem.objects(&training), &settings)?
                        .iter()
                        .map(|q| (q.triplet, q.kind))
                        .collect()
                }
                _ => left.iter().take(n).map(|&triplet| (triplet, Kind::Control)).collect::<Vec<_>>(),
            };
            if !active || fitted.is_none() {
                left.drain(..n);
            }
            for (triplet, _) in asked {
                answered.push(problem.answer(triplet, options.errors, &mut rng)?);
            }
            let fit = Fit::new(Table::from(problem.inputs.clone()), answered.clone()).calibrates(false).distils(None);
            let fit = match &fitted {
                Some(earlier) => fit.continues(earlier).sweeps(options.sweeps),
                None => fit.chains(options.chains).sweeps(options.first),
            };
            fitted = Some(fit.draws(options.draws).seed(repeat).run(&control)?);
        }
        let asking = Asking { calibrated: false, threads: options.threads, ..Asking::default() };
        if let Some(fitted) = &fitted {
            let p = fitted.preferences(problem.objects(&training), &problem.test, &asking)?.probabilities;
            agreements.push(probability_agreement(&p));
        }
    }
    Ok(agreements)
}

/// The number of answers at which a curve first reaches a height, between two sizes by a straight line.
fn reaches(sizes: &[usize], curve: &[f64], height: f64) -> Option<f64> {
    if curve[0] >= height {
        return Some(sizes[0] as f64);
    }
    let at = curve.iter().position(|&y| y >= height)?;
    let share = (height - curve[at - 1]) / (curve[at] - curve[at - 1]);
    Some(sizes[at - 1] as f64 + share * (sizes[at] - sizes[at - 1]) as f64)
}

fn main() -> Result<()> {
    let options = Options::parse();
    let mut sizes = options.sizes.clone();
    if sizes.is_empty() {
        sizes = match options.data {
            Data::Shoes => vec![200, 300, 500, 800, 1200, 1700, 2300, 3000, 4000, 5000],
            Data::Digits => vec![100, 150, 200, 300, 400, 600, 800, 1100, 1500, 2000],
        };
    }
    let (mut random, mut active) = (Vec::new(), Vec::new());
    for repeat in options.seed..options.seed + options.repeats as u64 {
        let began = Instant::now();
        let problem = Problem::read(&options, &mut ChaCha8Rng::seed_from_u64(repeat))?;
        random.push(follow(&options, &problem, &sizes, false, repeat)?);
        active.push(follow(&options, &problem, &sizes, true, repeat)?);
        eprintln!("repeat {repeat}: {:.0} s", began.elapsed().as_secs_f64());
    }
    report(&options, &sizes, &random, &active)
}

fn report(options: &Options, sizes: &[usize], random: &[Vec<f64>], active: &[Vec<f64>]) -> Result<()> {
    println!("| answers | random, % | active, % | active above random | p (paired t) |\n|---|---|---|---|---|");
    let column = |rows: &[Vec<f64>], at: usize| rows.iter().map(|row| 100.0 * row[at]).collect::<Vec<f64>>();
    let (mut random_means, mut active_means) = (Vec::new(), Vec::new());
    for (at, size) in sizes.iter().enumerate() {
        let (r, a) = (column(random, at), column(active, at));
        random_means.push(mean(&r));
        active_means.push(mean(&a));
        let tested = if r.len() > 1 { format!("{:.4}", paired_t_test(&a, &r)?.p) } else { "".to_owned() };
        let above = mean(&a) - mean(&r);
        if r.len() > 1 {
            println!("| {size} | {:.1} | {:.1} | {above:+.1} | {tested} |", Summary::of(&r)?, Summary::of(&a)?);
        } else {
            println!("| {size} | {:.1} | {:.1} | {above:+.1} | |", r[0], a[0]);
        }
    }
    let (last, height) = (sizes[sizes.len() - 1], random_means[sizes.len() - 1]);
    match reaches(sizes, &active_means, height) {
        Some(n) => println!(
            "\nactive questions reach the {height:.1} % of {last} random ones with {n:.0}: {:.2} times fewer",
            last as f64 / n
        ),
        None => println!("\nactive questions do not reach the {height:.1} % of {last} random ones"),
    }
    let points = |means: &[f64]| sizes.iter().zip(means).map(|(&n, &y)| (n as f64, y)).collect();
    let curves = [
        Curve { name: "random".to_owned(), points: points(&random_means) },
        Curve { name: "active".to_owned(), points: points(&active_means) },
    ];
    plot::curves(&options.out, &curves, ("answers", "agreement with unseen answers, %"), plot::Axis::Linear)?;
    println!("\n{}", options.out.display());
    Ok(())
}
