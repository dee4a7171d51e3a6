//! Prints how both supervised models extend the five given bits of the paper's section 6.2.

use anyhow::Result;
use clap::Parser;
use sibp::bits::BitMatrix;
use sibp::codes::Codes;
use sibp::data::{Features, Labels};
use sibp::encode::{Encoder, GaussianEncoder, GaussianMethod, ProbitEncoder, ProbitMethod};
use sibp::eval::mean;
use sibp::model::{GaussianModel, Model, Observations, Preset, ProbitModel};
use sibp::trace::Draw;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::{FromLabels, Scheme, TripletSet};
use sibp_experiments::{nearest_accuracy, run_chain};
use sibp_paper::synthetic::{given_bits, mixture};

/// 150 points of 10 categories; the given bits tell categories 1-2, 3-4, 5-6 and 7-10 apart, but not their members.
/// Two thirds of each category are fitted, a third is held out with its given bits known.
#[derive(Parser)]
struct Options {
    /// Numbers of the data sets.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5")]
    seeds: Vec<u64>,
    /// Sweeps.
    #[arg(long, default_value_t = 1000)]
    sweeps: u64,
    /// Near and far objects for each anchor.
    #[arg(long, default_value_t = 10)]
    per_object: usize,
}

/// A data set cut in two.
struct Problem {
    train: Observations,
    test: Features,
    given: [Codes; 2],
    labels: [Labels; 2],
}

fn main() -> Result<()> {
    let options = Options::parse();
    println!("| model, seed | bits added | distance of 1 and 2 | given bits | learned bits | [h z] |");
    println!("|---|---|---|---|---|---|");
    for &seed in &options.seeds {
        for (name, transform) in [("probit", "standardise,scale"), ("gaussian", "centre")] {
            let problem = Problem::new(&options, seed, &transform.parse()?)?;
            let codes = if name == "probit" {
                let model = ProbitModel::preset(Preset::Paper);
                let draw = drawn(&model, &problem, seed, options.sweeps);
                let encoder = ProbitEncoder::new(&draw, problem.test.n_inputs(), ProbitMethod::Refit)?;
                [encoder.encode(&problem.train.features, 0), encoder.encode(&problem.test, 0)]
            } else {
                let model = GaussianModel::preset(Preset::Paper, &problem.train.features, true);
                let draw = drawn(&model, &problem, seed, options.sweeps);
                let encoder = GaussianEncoder::new(&draw, problem.test.n_inputs(), GaussianMethod::BestCode, seed)?;
                [draw.bits.clone(), encoder.encode(&problem.test, 0)]
            };
            problem.print(&format!("{name}, {seed}"), &codes)?;
        }
    }
    Ok(())
}

fn drawn<M: Model>(model: &M, problem: &Problem, seed: u64, sweeps: u64) -> Draw {
    let (state, scratch) = run_chain(model, &problem.train, seed, sweeps);
    model.to_draw(&problem.train, &state, &scratch, sweeps)
}

impl Problem {
    fn new(options: &Options, seed: u64, transform: &InputTransform) -> Result<Self> {
        let data = mixture(seed)?;
        let n = data.features.n_objects();
        let (test, train): (Vec<usize>, Vec<usize>) = (0..n).partition(|row| row % 3 == 2);
        let bits = given_bits(&data.labels);
        let mut given = Codes::zeros(n, 5);
        for (row, bits) in bits.iter().enumerate() {
            bits.iter().enumerate().for_each(|(bit_ix, &bit)| given.set(row, bit_ix, bit == 1));
        }
        let labels = [&train, &test].map(|rows| data.labels.select(rows));
        let (fitted, features) = Transform::fit_apply(transform, &data.features.select(&train))?;
        let from_labels =
            FromLabels { scheme: Scheme::Product, per_object: options.per_object, seed, ..FromLabels::default() };
        let triplets = TripletSet::new(train.len(), from_labels.build(&labels[0], &features)?.triplets)?;
        let mut observations = Observations::new(features, triplets);
        observations.given = BitMatrix::from_codes(&given.select(&train));
        Ok(Self {
            train: observations,
            test: fitted.apply(&data.features.select(&test))?,
            given: [&train, &test].map(|rows| given.select(rows)),
            labels,
        })
    }

    /// Codes are those of training and held-out objects, learned bits only.
    fn print(&self, name: &str, learned: &[Codes; 2]) -> Result<()> {
        let joined = [0, 1].map(|at| Codes::side_by_side(&[&self.given[at], &learned[at]]));
        let classes = self.labels.each_ref().map(|labels| labels.class_of());
        let share = |codes: &[Codes; 2]| nearest_accuracy(&codes[0], classes[0], &codes[1], classes[1]);
        let apart: Vec<f64> = pairs(classes[0]).map(|(a, b)| joined[0].distance(a, joined[0].row(b)).into()).collect();
        println!(
            "| {name} | {} | {:.1} | {:.2} | {:.2} | {:.2} |",
            learned[0].n_bits(),
            mean(&apart),
            share(&self.given)?,
            share(learned)?,
            share(&joined)?
        );
        Ok(())
    }
}

/// All pairs of an object of category 1 with one of category 2.
fn pairs(class_of: &[u32]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let of = move |class: u32| move |row: &usize| class_of[*row] == class;
    let n = class_of.len();
    (0..n).filter(of(0)).flat_map(move |a| (0..n).filter(of(1)).map(move |b| (a, b)))
}
