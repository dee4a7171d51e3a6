//! Prints how fast triplets are scored when the bits of an object are drawn, beside a plain loop with two logarithms.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sibp::bits::BitMatrix;
use sibp::data::Inputs;
use sibp::likelihood::preference::{PreferenceSums, RowVisit, Scoring, contribution};
use sibp::model::{Model, ModelKind, ModelOptions, Observations, Preset, ProbitModel, Start, Threads};
use sibp::rng::{Purpose, Streams};
use sibp::schedule::{Kernel, Schedule};
use sibp::triplets::{FromLabels, Scheme, Triplet, TripletSet};
use sibp_experiments::DataSet;
use sibp_experiments::timing::{Timed, computing_seconds};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// One core. A term is one triplet's part in the ratio of one flip.
#[derive(Parser)]
struct Options {
    /// Inputs.
    #[arg(long, default_value_t = 32)]
    inputs: usize,
    /// Largest number of objects of the whole-row measurement.
    #[arg(long, default_value_t = 100_000)]
    objects: usize,
    /// Triplets an object anchors.
    #[arg(long, default_value_t = 30)]
    per_object: usize,
    /// Folder with features.npy, labels.npy and split10.csv, of whose first split all triplets are taken.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
}

fn main() -> Result<()> {
    let options = Options::parse();
    println!("| one object's triplets | pseudo-weight | G terms/s | two logarithms | ratio | largest error |");
    println!("|---|---|---|---|---|---|");
    for n_triplets in [90, 900] {
        for pseudo_weight in [0.0, 10.0] {
            kernel(n_triplets, options.inputs, pseudo_weight)?;
        }
    }
    println!("\n| objects | triplets an object | G terms/s, whole rows | bits changed |\n|---|---|---|---|");
    for n_objects in [1_000, 10_000, options.objects] {
        rows(n_objects, &options);
    }
    println!("\n| all triplets of | preset | objects | triplets | bits | ms a sweep |\n|---|---|---|---|---|---|");
    product(&options, Preset::Paper)?;
    product(&options, Preset::Hash)
}

/// Whole sweeps, with their record, of a fit to every pair of classmates with every other object of a split.
fn product(options: &Options, preset: Preset) -> Result<()> {
    let set = DataSet::read(&options.data)?;
    let splits = set.splits(&options.data, "split10.csv")?;
    let train = &splits.first().context("the file has no split")?.train;
    let choice = FromLabels { scheme: Scheme::Product, ..FromLabels::default() };
    let fit = set.halves(train, &[]).fit(choice).model(ModelOptions::new(ModelKind::Probit, preset));
    const SWEEPS: u64 = 40;
    let prepared = fit.seed(1).sweeps(2 * SWEEPS + 1).chains(1).draws(1).prepare(None)?;
    let timed = Timed::run(&prepared, 1, SWEEPS)?;
    println!(
        "| {} | {preset:?} | {} | {} | {:.0} | {:.1} |",
        options.data.display(),
        train.len(),
        prepared.observations.triplets.len(),
        timed.n_bits(),
        1e3 * timed.sweep().computing
    );
    Ok(())
}

/// Random triplets over objects with random bits: `per_object` for every anchor.
fn random(n_objects: usize, per_object: usize, n_bits: usize, rng: &mut impl Rng) -> (TripletSet, BitMatrix) {
    let n = n_objects as u32;
    let mut triplet = |anchor: u32| loop {
        let (near, far) = (rng.random_range(0..n), rng.random_range(0..n));
        if near != far && near != anchor && far != anchor {
            return Triplet { anchor, near, far };
        }
    };
    let triplets: Vec<Triplet> = (0..n).flat_map(|anchor| vec![anchor; per_object]).map(&mut triplet).collect();
    let mut bits = BitMatrix::new(n_objects);
    for _ in 0..n_bits {
        bits.push_column(&(0..n).map(|_| rng.random_range(0..2)).collect::<Vec<u8>>());
    }
    let Ok(triplets) = TripletSet::new(n_objects, triplets) else { unreachable!("all members differ") };
    (triplets, bits)
}

/// Seconds of the quickest of several repetitions.
fn quickest(mut job: impl FnMut()) -> f64 {
    let time = |_| {
        let began = Instant::now();
        job();
        began.elapsed().as_secs_f64()
    };
    (0..9).map(time).fold(f64::MAX, f64::min)
}

fn kernel(n_triplets: usize, n_bits: usize, pseudo_weight: f64) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // Three objects a triplet: object 0 is in all of them, in every role equally often.
    let n_objects = 2 * n_triplets + 1;
    let (_, mut bits) = random(n_objects, 1, n_bits, &mut rng);
    let members = |at: usize| {
        let (p, q) = (1 + 2 * at as u32, 2 + 2 * at as u32);
        match at % 3 {
            0 => Triplet { anchor: 0, near: p, far: q },
            1 => Triplet { anchor: p, near: 0, far: q },
            _ => Triplet { anchor: p, near: q, far: 0 },
        }
    };
    let triplets = TripletSet::new(n_objects, (0..n_triplets).map(members).collect())?;
    let weights = vec![1.0; n_bits];
    let scoring = Scoring::ratio(0.01, pseudo_weight);
    let mut sums = PreferenceSums::default();
    sums.rebuild(&triplets, &bits, &weights);
    let mut row = RowVisit::default();
    row.gather(0, &triplets, bits.cells(), sums.cells(), &scoring);
    let ours = |bit_ix: usize| row.trial(bit_ix, !bits.get(0, bit_ix), 1.0, &scoring).log_ratio;
    let plain = Plain::new(&triplets, &bits, &sums);
    let mut error = 0.0f64;
    for bit_ix in 0..n_bits {
        let (exact, size) = plain.log_ratio(bit_ix, &scoring);
        error = error.max((ours(bit_ix) - exact).abs() / size.max(1.0));
    }
    ensure!(error < 1e-12, "the kernel is off by {error:e} of its terms");
    const TIMES: usize = 200;
    let vector = quickest(|| {
        for _ in 0..TIMES {
            (0..n_bits).for_each(|f| _ = black_box(ours(black_box(f))));
        }
    });
    let scalar =
        quickest(|| (0..n_bits).for_each(|f| _ = black_box(plain.log_ratio(black_box(f), &scoring)))) * TIMES as f64;
    let terms = (TIMES * n_bits * n_triplets) as f64 / 1e9;
    println!(
        "| {n_triplets} | {pseudo_weight} | {:.2} | {:.3} | {:.1} | {error:.1e} |",
        terms / vector,
        terms / scalar,
        scalar / vector
    );
    Ok(())
}

/// The sums of object 0's triplets, and what its bits do to them, one after another.
struct Plain {
    sums: Vec<(f64, f64)>,
    changes: Vec<Vec<(f64, f64)>>,
}

impl Plain {
    fn new(triplets: &TripletSet, bits: &BitMatrix, sums: &PreferenceSums) -> Self {
        let n = triplets.len();
        let of_bit = |bit_ix: usize| {
            let change = |t: &Triplet| {
                let at = |object: u32, flipped: bool| bits.get(object as usize, bit_ix) != (flipped && object == 0);
                let of = |flipped: bool| contribution(at(t.anchor, flipped), at(t.near, flipped), at(t.far, flipped));
                (of(true).0 - of(false).0, of(true).1 - of(false).1)
            };
            triplets.triplets().iter().map(change).collect()
        };
        Self { sums: (0..n).map(|at| sums.of(at)).collect(), changes: (0..bits.n_bits()).map(of_bit).collect() }
    }

    /// The log ratio, and the sum of the sizes of its terms.
    fn log_ratio(&self, bit_ix: usize, scoring: &Scoring) -> (f64, f64) {
        let (mut ratio, mut size) = (0.0, 0.0);
        for (&(a, b), &(change_a, change_b)) in self.sums.iter().zip(&self.changes[bit_ix]) {
            let term = scoring.probability(a + change_a, b + change_b).ln() - scoring.probability(a, b).ln();
            ratio += term;
            size += term.abs();
        }
        (ratio, size)
    }
}

fn rows(n_objects: usize, options: &Options) {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (triplets, bits) = random(n_objects, options.per_object, options.inputs, &mut rng);
    let inputs = (0..n_objects * 2).map(|_| rng.random::<f64>() - 0.5).collect();
    let Ok(inputs) = Inputs::new(n_objects, 2, inputs) else { unreachable!("the inputs are finite") };
    let data = Observations::new(inputs, triplets);
    let mut model = ProbitModel::preset(Preset::Hash);
    model.start = Start::Coins(options.inputs);
    model.schedule = Schedule::once([Kernel::Rows]);
    let mut scratch = model.prepare(&data, Threads::ONE);
    let streams = Streams::new(1, 0);
    let mut state = model.start(&data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    state.code.bits = bits;
    let n_sweeps = (500_000 / n_objects as u64).max(5);
    let (mut seconds, mut changed) = (0.0, 0.0);
    for sweep in 1..=n_sweeps {
        let before = state.code.bits.clone();
        state.code.sum_into(&mut scratch.preference.sums, &data.triplets, &data.given);
        let mut rng = streams.rng(Purpose::Kernel, 0, sweep);
        let began = computing_seconds();
        sibp::kernel::probit_rows::step(&model, &data, &mut state, &mut scratch, &mut rng);
        seconds += computing_seconds() - began;
        let differ = |object_ix: usize| {
            let pairs = before.row(object_ix).iter().zip(state.code.bits.row(object_ix));
            pairs.map(|(old, new)| (old ^ new).count_ones() as f64).sum::<f64>()
        };
        changed += (0..n_objects).map(differ).sum::<f64>();
    }
    let bits = n_sweeps as f64 * (n_objects * options.inputs) as f64;
    let terms = bits * 3.0 * options.per_object as f64 / 1e9;
    println!("| {n_objects} | {} | {:.3} | {:.0} % |", options.per_object, terms / seconds, 100.0 * changed / bits);
}
