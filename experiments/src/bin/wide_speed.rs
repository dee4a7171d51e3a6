//! Prints where the time of a fit with many inputs goes: set-up, every kernel of a sweep, a kept draw, a refit.

use anyhow::Result;
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sibp::data::{Inputs, Labels};
use sibp::likelihood::probit::{ActiveRate, Basis};
use sibp::model::{Model, Observations, Preset, ProbitModel, Start, Threads};
use sibp::rng::{Purpose, Streams};
use sibp::schedule::Schedule;
use sibp::transform::Transform;
use sibp::triplets::{FromLabels, TripletSet};
use sibp_experiments::timing::computing_seconds;

/// Ten classes on curved surfaces, by their similarity to anchors, and bits of random hyperplanes; one core.
#[derive(Parser)]
struct Options {
    /// Objects.
    #[arg(long, default_value_t = 5000)]
    objects: usize,
    /// Anchors, the inputs of the model.
    #[arg(long, default_value_t = 1000)]
    anchors: usize,
    /// Bits.
    #[arg(long, default_value_t = 64)]
    bits: usize,
    /// Sweeps of each kernel.
    #[arg(long, default_value_t = 5)]
    sweeps: u64,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let (raw, labels) = classes(options.objects)?;
    let anchors = format!("anchors:{}", options.anchors).parse()?;
    let (seconds, transformed) = timed(|| Transform::fit_apply(&anchors, &raw));
    let inputs = transformed?.1;
    println!("| {} x {}, {} bits | s |", inputs.n_objects(), inputs.n_inputs(), options.bits);
    println!("|---|---|");
    let row = |name: &str, seconds: f64| println!("| {name} | {seconds:.3} |");
    row("anchors", seconds);
    let (seconds, basis) = timed(|| Basis::new(&inputs));
    row("set-up: axes", seconds);
    let basis = basis?;
    let (seconds, rate) = timed(|| ActiveRate::new(&basis, 0, 1));
    row(&format!("set-up: expected number of bits, to {:.2} %", 100.0 * rate.relative_error()), seconds);
    let built = FromLabels::default().build(&labels, &inputs)?;
    let data = Observations::new(inputs, TripletSet::new(options.objects, built.triplets)?);
    let mut model = ProbitModel::preset(Preset::Hash);
    model.start = Start::Hyperplanes(options.bits);
    let mut scratch = model.prepare(&data, Threads::ONE);
    let streams = Streams::new(1, 0);
    let mut state = model.start(&data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let mut sweep = 0;
    let names = model.schedule.to_string();
    let short = Schedule::probit().for_many_inputs().to_string();
    // Once as a whole to leave the start behind, then a kernel at a time.
    for (at, name) in std::iter::once(names.as_str()).chain(names.split(',')).chain([short.as_str()]).enumerate() {
        let schedule: Schedule = name.parse()?;
        let (seconds, ()) = timed(|| {
            for _ in 0..options.sweeps {
                sweep += 1;
                model.sweep_by(&schedule, (&data, &mut state, &mut scratch), &streams, sweep);
            }
        });
        row(name, seconds / options.sweeps as f64);
        if at == 0 {
            let (seconds, _) = timed(|| model.score(&data, &state, &mut scratch));
            row(&format!("kept draw: its score, {} bits", state.atoms.len()), seconds);
            // The sweeps above began with fewer bits.
            let n_bits = state.atoms.len();
            sweep += 1;
            let (seconds, ()) = timed(|| model.sweep_by(&schedule, (&data, &mut state, &mut scratch), &streams, sweep));
            row(&format!("a sweep from as many bits, {n_bits}"), seconds);
        }
    }
    row("record", timed(|| model.record(&data, &state, &mut scratch)).0);
    let mut draw = model.to_draw(&data, &state, &scratch, sweep);
    row("refit of one draw", timed(|| model.finish(&data, &scratch, &mut draw)).0);
    println!("{} bits at the end", draw.bits.n_bits());
    Ok(())
}

/// Objects of ten classes on noisy curves through ten dimensions of thirty.
fn classes(n: usize) -> Result<(Inputs, Labels)> {
    const INPUTS: usize = 30;
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let curves: Vec<f64> = (0..10 * INPUTS * 3).map(|_| StandardNormal.sample(&mut rng)).collect();
    let (mut values, mut classes) = (Vec::with_capacity(n * INPUTS), Vec::with_capacity(n));
    for object in 0..n {
        let (class, place): (usize, f64) = (object % 10, 3.0 * rng.random::<f64>());
        for curve in curves[class * INPUTS * 3..(class + 1) * INPUTS * 3].chunks_exact(3) {
            let noise: f64 = StandardNormal.sample(&mut rng);
            values.push(curve[0] + curve[1] * place + curve[2] * place.sin() + 0.5 * noise);
        }
        classes.push(class.to_string());
    }
    Ok((Inputs::new(n, INPUTS, values)?, Labels::from_text(&classes)))
}

/// The seconds of computing that something takes, and its result.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let began = computing_seconds();
    let result = work();
    (computing_seconds() - began, result)
}
