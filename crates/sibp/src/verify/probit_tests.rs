//! Holds the probit samplers to their joint distribution, and the two schemes to each other.

use super::*;
use crate::data::Features;
use crate::kernel::{Kernel, Regression, Schedule};
use crate::model::{Model, Observations, PreferencePrior, ProbitModel, Start};
use crate::prior::hyper::{GammaPrior, LapsePrior, VariancePrior};
use crate::rng::{Purpose, Streams};
use crate::triplets::{Triplet, TripletSet};

fn four_objects() -> Observations {
    let features = Features::new(4, 2, vec![0.9, -0.3, 1.1, 0.4, -0.8, 0.7, -0.2, -1.2]).unwrap();
    let questions = [(0, 1, 2), (1, 0, 3), (2, 3, 0), (3, 1, 2), (0, 3, 1)];
    let questions = questions.map(|(anchor, near, far)| Triplet { anchor, near, far });
    Observations { features, triplets: TripletSet::new(4, questions.to_vec()).unwrap() }
}

fn model(schedule: Schedule, pseudo_weight: f64) -> ProbitModel {
    ProbitModel {
        preference: PreferencePrior {
            weights: GammaPrior::Gamma { shape: 1.5, rate: 1.0 },
            lapse: LapsePrior::Beta { a: 1.0, b: 5.0 },
            pseudo_weight,
        },
        concentration: GammaPrior::Gamma { shape: 2.0, rate: 2.0 },
        coefficient: VariancePrior::InverseGamma { shape: 3.0, rate: 3.0 },
        start: Start::Prior,
        schedule,
        rate_seed: 1,
    }
}

fn run_geweke(model: &ProbitModel, n_steps: u64) -> Vec<GewekeReport> {
    let (names, statistics) = probit_statistics(model);
    let settings = GewekeSettings { n_steps, n_joint: 200_000, batch_length: n_steps / 100, seed: 21 };
    let reports = geweke(model, &four_objects(), settings, names, statistics);
    for r in &reports {
        println!("{:28} {:10.5} {:10.5} {:6.2}", r.name, r.joint, r.chain, r.z);
    }
    reports
}

#[test]
fn expected_number_of_features() {
    let data = four_objects();
    let model = model(Schedule::probit(), 0.0);
    let scratch = model.prepare(&data);
    println!("relative error of the table {}", scratch.rate.relative_error());
    for variance in [0.01, 0.3, 2.0, 10.0] {
        let mut fixed = model.clone();
        fixed.concentration = GammaPrior::Fixed(1.3);
        fixed.coefficient = VariancePrior::Fixed(variance);
        let mut rng = Streams::new(4, 0).rng(Purpose::Verify, 0, 0);
        let n = 30_000;
        let total: usize = (0..n).map(|_| fixed.draw_prior(&data, &scratch, &mut rng).atoms.len()).sum();
        let expected = 1.3 * scratch.rate.at(variance);
        let mean = total as f64 / f64::from(n);
        println!("variance {variance}: mean {mean:.4}, table {expected:.4}");
        // Poisson: four standard errors, and half a percent for the table.
        assert!((mean - expected).abs() < 4.0 * (expected / f64::from(n)).sqrt() + 0.005 * expected);
    }
}

#[test]
fn geweke_agrees_with_births() {
    let reports = run_geweke(&model(Schedule::probit(), 0.0), 300_000);
    assert!(reports.iter().all(|r| r.z.abs() < 4.7));
}

#[test]
fn geweke_agrees_with_slice() {
    // The slice never leaves a state without features, so births are let in as well.
    let mut schedule = Schedule::probit_slice();
    schedule.steps.push(crate::kernel::Step { kernel: Kernel::Births { each: 1 }, times: 1 });
    schedule.steps.push(crate::kernel::Step { kernel: Kernel::Regressions(Regression::AlbertChib), times: 1 });
    let reports = run_geweke(&model(schedule, 1.5), 300_000);
    assert!(reports.iter().all(|r| r.z.abs() < 4.7));
}
