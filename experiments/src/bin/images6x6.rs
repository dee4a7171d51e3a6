//! Finds the four hidden shapes of data/images6x6 in ten chains, and times a sweep.
#![allow(clippy::unwrap_used)]
use sibp::data::Features;
use sibp::kernel::Schedule;
use sibp::model::*;
use sibp::rng::*;
use sibp::triplets::TripletSet;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let sweeps: u64 = args.get(1).map_or(1000, |a| a.parse().unwrap());
    let centre = args.get(2).is_some_and(|a| a == "centre");
    for n in [100, 1000] {
        let (shape, mut x) = sibp_experiments::npy::read(&format!("data/images6x6/x{n}.npy"));
        let (ts, truth) = sibp_experiments::npy::read("data/images6x6/features_true.npy");
        let m = shape[1];
        if centre {
            for j in 0..m {
                let mean = (0..n).map(|i| x[i * m + j]).sum::<f64>() / n as f64;
                for i in 0..n {
                    x[i * m + j] -= mean;
                }
            }
        }
        let features = Features::new(shape[0], m, x).unwrap();
        let data = Observations { triplets: TripletSet::empty(n), features };
        let mut model = GaussianModel::preset(Preset::Paper, &data.features, false);
        model.schedule = Schedule::ibp();
        for seed in 0..10 {
            let streams = Streams::new(seed, 0);
            let mut state = model.start(&data, &mut streams.rng(Purpose::Start, 0, 0));
            let mut scratch = model.prepare(&data);
            let mut half = Instant::now();
            let mut first = None;
            for s in 0..sweeps {
                if s == sweeps / 2 {
                    half = Instant::now();
                }
                model.sweep(&data, &mut state, &mut scratch, &streams, s);
                if first.is_none() && s % 10 == 0 && found(&model, &data, &state, &truth, ts[0]) == 4 {
                    first = Some(s);
                }
            }
            let t = half.elapsed().as_secs_f64() / (sweeps - sweeps / 2) as f64;
            println!(
                "N={n} seed {seed}: found {} first at {first:?} K={} counts {:?} noise {:.3} {:.1} us/sweep lj {:.1}",
                found(&model, &data, &state, &truth, ts[0]),
                state.code.features.n_features(),
                state.code.features.counts(),
                state.noise_variance.sqrt(),
                t * 1e6,
                model.log_joint(&data, &state)
            );
        }
    }
}
fn found(model: &GaussianModel, data: &Observations, state: &GaussianState, truth: &[f64], n_true: usize) -> usize {
    let draw = model.to_draw(data, state, 0);
    let m = data.features.n_inputs();
    let images = &draw.tensors["images"];
    let counts = state.code.features.counts();
    (0..n_true)
        .filter(|&t| {
            (0..counts.len()).any(|k| {
                counts[k] as f64 > 0.02 * data.features.n_objects() as f64 && {
                    let se: f64 = (0..m).map(|j| (images.values[k * m + j] - truth[t * m + j]).powi(2)).sum();
                    (se / m as f64).sqrt() < 0.2
                }
            })
        })
        .count()
}
