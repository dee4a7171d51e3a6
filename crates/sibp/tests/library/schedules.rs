//! Tries every kernel with every model: its own run, those of others are refused before anything runs.

use sibp::data::{Inputs, Labels, Table};
use sibp::model::{ModelKind, ModelOptions, Preset, SettingsError};
use sibp::pipeline::{Fit, FitError};
use sibp::prior::proximity::Distance;
use sibp::run::{RunControl, RunError, sample};
use sibp::schedule::{Kernel, Regression, Schedule};
use sibp::triplets::FromLabels;
use std::collections::BTreeSet;

/// Names the kernels, all of them, and the models that have each. A new kernel does not compile until it is listed here.
macro_rules! kernels {
    ($($pattern:pat => $name:literal, [$($model:literal),+];)+) => {
        fn name(kernel: Kernel) -> &'static str {
            match kernel { $($pattern => $name,)+ }
        }

        fn has(kind: ModelKind, kernel: Kernel) -> bool {
            match kernel { $($pattern => [$($model),+].contains(&kind.name()),)+ }
        }

        const NAMES: &[&str] = &[$($name),+];
    };
}

kernels! {
    Kernel::Rows => "rows", ["probit", "gaussian", "ibp", "bernoulli"];
    Kernel::Columns { .. } => "columns", ["gaussian", "ibp"];
    Kernel::Neighbourhoods { .. } => "neighbourhoods", ["gaussian", "ibp"];
    Kernel::SliceRows => "slice rows", ["probit"];
    Kernel::Births { .. } => "births", ["probit"];
    Kernel::Complements => "complements", ["probit"];
    Kernel::Regressions(Regression::AlbertChib) => "regressions by utilities", ["probit"];
    Kernel::Regressions(Regression::Elliptical) => "elliptical regressions", ["probit"];
    Kernel::Sticks => "sticks", ["probit"];
    Kernel::Links => "links", ["ddibp"];
    Kernel::Owners => "owners", ["ddibp"];
    Kernel::LinkedColumns { .. } => "linked columns", ["ddibp"];
    Kernel::Weights => "weights", ["probit", "gaussian", "ibp"];
    Kernel::WeightScale => "weight scale", ["probit", "gaussian", "ibp"];
    Kernel::Lapse => "lapse", ["probit", "gaussian", "ibp"];
    Kernel::Slope => "slope", ["probit", "gaussian", "ibp"];
    Kernel::Concentration => "concentration", ["probit", "gaussian", "ibp", "ddibp", "bernoulli"];
    Kernel::Variances => "variances", ["probit", "gaussian", "ibp", "ddibp"];
}

fn all() -> Vec<Kernel> {
    let kernels = vec![
        Kernel::Rows,
        Kernel::Columns { births: 1, complements: 1 },
        Kernel::Neighbourhoods { births: 1, flips: 1 },
        Kernel::SliceRows,
        Kernel::Births { each: 1 },
        Kernel::Complements,
        Kernel::Regressions(Regression::AlbertChib),
        Kernel::Regressions(Regression::Elliptical),
        Kernel::Sticks,
        Kernel::Links,
        Kernel::Owners,
        Kernel::LinkedColumns { births: 1 },
        Kernel::Weights,
        Kernel::WeightScale,
        Kernel::Lapse,
        Kernel::Slope,
        Kernel::Concentration,
        Kernel::Variances,
    ];
    let listed: BTreeSet<&str> = kernels.iter().map(|&kernel| name(kernel)).collect();
    assert_eq!(listed, NAMES.iter().copied().collect(), "every kernel must be tried");
    kernels
}

/// Every model, all presets and both distances.
fn models() -> Vec<ModelOptions> {
    let with = |preset, distance| move |&kind: &ModelKind| ModelOptions { distance, ..ModelOptions::new(kind, preset) };
    let of = |preset, distance| ModelKind::ALL.iter().map(with(preset, distance));
    of(Preset::Hash, Distance::Input)
        .chain(of(Preset::Paper, Distance::Output))
        .chain(of(Preset::Judgements, Distance::Input))
        .collect()
}

fn fit(options: &ModelOptions, schedule: Schedule) -> Fit {
    let values = (0..36).map(|at| f64::from((at * 7919 + 13) % 1009) / 1009.0 + f64::from(at / 3 % 2)).collect();
    let names: Vec<&str> = (0..12).map(|row| ["ant", "bee"][row % 2]).collect();
    let table = Table { labels: Some(Labels::from_text(&names)), ..Table::from(Inputs::new(12, 3, values).unwrap()) };
    Fit::new(table, FromLabels::default())
        .model(ModelOptions { schedule: Some(schedule), ..options.clone() })
        .sweeps(3)
        .chains(2)
        .draws(2)
}

#[test]
fn kernels_of_a_model_run_and_those_of_others_are_refused() {
    for options in models() {
        for kernel in all() {
            let about = format!("{options:?}: {kernel:?}");
            let schedule = Schedule::once([Kernel::Concentration, kernel, Kernel::Concentration]);
            let prepared = fit(&options, schedule.clone()).prepare(None);
            if has(options.kind, kernel) {
                assert!(fit(&options, schedule).run(&RunControl::default()).unwrap().finished(), "{about}");
                continue;
            }
            let expected = SettingsError::ForeignKernel { kernel: format!("{kernel:?}"), model: options.kind.name() };
            match prepared {
                Err(FitError::Model(error)) => assert_eq!(error, expected, "{about}"),
                other => panic!("{about}: {:?}", other.map(drop)),
            }
            let ran = fit(&options, schedule).run(&RunControl::default());
            assert!(matches!(ran, Err(FitError::Model(error)) if error == expected), "{about}");
        }
    }
}

/// A model that was built by other means than a fit is checked before it runs, too.
#[test]
fn foreign_kernels_are_refused_by_the_run_itself() {
    for options in models() {
        let prepared = fit(&options, default_schedule(options.kind)).prepare(None).unwrap();
        let classes = prepared.info.labels.as_ref().map(Labels::class_of);
        for kernel in all().into_iter().filter(|&kernel| !has(options.kind, kernel)) {
            let foreign = ModelOptions { schedule: Some(Schedule::once([kernel])), ..options.clone() };
            let model = foreign.build(&prepared.observations.inputs, classes).unwrap();
            let expected = SettingsError::ForeignKernel { kernel: format!("{kernel:?}"), model: options.kind.name() };
            assert_eq!(model.check(), Err(expected.clone()));
            let control = RunControl::default();
            let ran = sample(&model, &prepared.observations, &prepared.info.settings, &control, None);
            assert!(matches!(ran, Err(RunError::Model(error)) if error == expected), "{options:?}: {kernel:?}");
        }
    }
}

fn default_schedule(kind: ModelKind) -> Schedule {
    match kind {
        ModelKind::Probit => Schedule::probit(),
        ModelKind::Gaussian => Schedule::gaussian(),
        ModelKind::Ibp => Schedule::ibp(),
        ModelKind::DdIbp => Schedule::ddibp(),
        #[cfg(feature = "test-model")]
        ModelKind::Bernoulli => Schedule::once([Kernel::Rows, Kernel::Concentration]),
    }
}

#[test]
fn without_a_schedule_a_model_has_its_own() {
    for options in models() {
        let own = default_schedule(options.kind);
        // The logistic link has a slope to be drawn.
        let learns = options.kind.about().supervised && options.preset == Some(Preset::Judgements);
        let schedule = if learns { own.with_slope() } else { own };
        let prepared = fit(&options, schedule).prepare(None).unwrap();
        let (named, inputs) = (prepared.info.model, prepared.observations.inputs);
        let classes = Labels::from_text(&["ant", "bee"].repeat(6));
        assert_eq!(options.build(&inputs, Some(classes.class_of())).unwrap(), named, "{options:?}");
    }
}
