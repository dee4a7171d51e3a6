//! Holds the samplers to exact posteriors, and shows that planted faults are caught.

use super::*;
use crate::data::Features;
use crate::fault::{Fault, with_fault};
use crate::kernel::{Kernel, Schedule};
use crate::model::{GaussianModel, Model, Observations, PreferencePrior, Start};
use crate::prior::hyper::{GammaPrior, LapsePrior, VariancePrior};
use crate::rng::{Purpose, Streams};
use crate::triplets::{Triplet, TripletSet};

fn triplet(anchor: u32, near: u32, far: u32) -> Triplet {
    Triplet { anchor, near, far }
}

fn three_objects() -> Observations {
    let features = Features::new(3, 2, vec![0.9, -0.3, 1.1, 0.4, -0.8, 0.7]).unwrap();
    let triplets = TripletSet::new(3, vec![triplet(0, 1, 2), triplet(1, 0, 2), triplet(2, 1, 0)]).unwrap();
    Observations { features, triplets }
}

fn fixed_model(pseudo_weight: f64) -> GaussianModel {
    GaussianModel {
        preference: PreferencePrior { weights: GammaPrior::Fixed(1.0), lapse: LapsePrior::Fixed(0.05), pseudo_weight },
        concentration: GammaPrior::Fixed(0.8),
        noise: VariancePrior::Fixed(0.5),
        feature: VariancePrior::Fixed(0.7),
        start: Start::Prior,
        schedule: Schedule::once([
            Kernel::Rows,
            Kernel::Columns { births: 1, complements: 1 },
            Kernel::Neighbourhoods { births: 1, flips: 1 },
        ]),
    }
}

fn enumeration(pseudo_weight: f64, rows_only: bool, n_sweeps: u64) -> Deviation {
    let data = three_objects();
    let mut model = fixed_model(pseudo_weight);
    if rows_only {
        model.schedule = Schedule::once([Kernel::Rows]);
    }
    let streams = Streams::new(5, 0);
    let mut scratch = model.prepare(&data);
    let mut state = model.start(&data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let template = state.clone();
    let exact = ExactPosterior::enumerate(3, 9, |features| {
        let mut state = template.clone();
        state.code.weights = vec![1.0; features.n_features()];
        state.code.features = features.clone();
        model.log_joint(&data, &state)
    });
    let mut visits = exact.visits(60, n_sweeps / 100);
    for sweep in 0..n_sweeps {
        model.sweep(&data, &mut state, &mut scratch, &streams, sweep);
        visits.add(&state.code.features);
    }
    visits.deviation()
}

#[test]
fn enumeration_agrees() {
    for (pseudo_weight, rows_only) in [(0.0, false), (0.0, true), (2.0, false)] {
        let deviation = enumeration(pseudo_weight, rows_only, 400_000);
        println!("pseudo-weight {pseudo_weight}, rows only {rows_only}: {deviation:?}");
        assert!(deviation.rms < 1.3 && deviation.max < 4.0, "{deviation:?}");
        assert!(deviation.summaries.iter().all(|z| z.abs() < 4.0), "{deviation:?}");
    }
}

#[test]
fn enumeration_catches_storage_order() {
    let deviation = with_fault(Fault::StorageOrderScan, || enumeration(0.0, true, 400_000));
    println!("{deviation:?}");
    assert!(deviation.rms > 1.6, "{deviation:?}");
}

fn geweke_model() -> GaussianModel {
    GaussianModel {
        preference: PreferencePrior {
            weights: GammaPrior::Gamma { shape: 1.5, rate: 1.0 },
            lapse: LapsePrior::Beta { a: 1.0, b: 5.0 },
            pseudo_weight: 0.0,
        },
        concentration: GammaPrior::Gamma { shape: 2.0, rate: 2.0 },
        noise: VariancePrior::InverseGamma { shape: 3.0, rate: 1.0 },
        feature: VariancePrior::InverseGamma { shape: 3.0, rate: 2.0 },
        start: Start::Prior,
        schedule: Schedule::gaussian(),
    }
}

fn four_objects() -> Observations {
    let features = Features::new(4, 2, vec![0.0; 8]).unwrap();
    let questions = vec![triplet(0, 1, 2), triplet(1, 0, 3), triplet(2, 3, 0), triplet(3, 1, 2), triplet(0, 3, 1)];
    Observations { features, triplets: TripletSet::new(4, questions).unwrap() }
}

fn run_geweke(model: &GaussianModel, n_steps: u64) -> Vec<GewekeReport> {
    let (names, statistics) = gaussian_statistics(model);
    let settings = GewekeSettings { n_steps, n_joint: 200_000, batch_length: n_steps / 100, seed: 11 };
    let reports = geweke(model, &four_objects(), settings, names, statistics);
    for r in &reports {
        println!("{:28} {:10.5} {:10.5} {:6.2}", r.name, r.joint, r.chain, r.z);
    }
    reports
}

#[test]
fn geweke_agrees() {
    for pseudo_weight in [0.0, 1.5] {
        let mut model = geweke_model();
        model.preference.pseudo_weight = pseudo_weight;
        let reports = run_geweke(&model, 300_000);
        // Bonferroni level 1e-4 over 18 statistics and two runs: |z| < 4.7.
        assert!(reports.iter().all(|r| r.z.abs() < 4.7));
    }
}
