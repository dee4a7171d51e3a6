//! Shows that a run refuses what it cannot do, and says why.

use crate::fits::{Fit, MODELS, small_model};
use sibp::data::Inputs;
use sibp::format::{FormatError, ModelInfo, ResumeError, TripletOrigin, checkpoint_path, load_for_resume};
use sibp::model::{AnyModel, GaussianModel, ModelKind, Observations, ObservationsError, Preset};
use sibp::run::{Checkpoint, RunControl, RunError, RunSettings, sample};
use sibp::trace::ChainRecord;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::TripletSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

const SETTINGS: RunSettings = RunSettings { seed: 1, sweeps: 10, chains: 2, draws: 3 };

fn small_fit() -> Fit {
    let (_, kind, preset) = MODELS[1];
    Fit::new(kind, preset, 8, SETTINGS)
}

fn start(fit: &Fit, settings: RunSettings, resume: Option<Vec<ChainRecord>>) -> Result<(), RunError> {
    sample(&fit.info.model, &fit.data, &settings, &RunControl::default(), resume).map(drop)
}

#[test]
fn runs_that_cannot_begin_say_why() {
    let mut small = small_fit();
    assert!(matches!(start(&small, RunSettings { chains: 0, ..SETTINGS }, None), Err(RunError::Settings(_))));
    let triplets = small.data.triplets.clone();
    small.data.triplets = TripletSet::empty(9);
    let error = start(&small, SETTINGS, None).unwrap_err();
    assert!(matches!(error, RunError::Objects { n_objects: 8, n_in_triplets: 9 }), "{error}");
    small.data.triplets = triplets;
    let AnyModel::Gaussian(model) = small.info.model.clone() else { unreachable!() };
    small.info.model = AnyModel::Ibp(model.clone());
    let error = start(&small, SETTINGS, None).unwrap_err();
    assert!(
        matches!(error, RunError::Observations(ObservationsError::UnusedTriplets { model: "ibp", n_triplets: 16 })),
        "{error}"
    );
    let mut broken = model;
    broken.preference.pseudo_weight = f64::NAN;
    small.info.model = AnyModel::Gaussian(broken);
    assert!(matches!(start(&small, SETTINGS, None), Err(RunError::Model(_))));
}

#[test]
fn records_of_other_runs_are_refused() {
    let small = small_fit();
    let chains = small.run(&RunControl::default(), None).chains;
    let error = start(&small, SETTINGS, Some(chains[..1].to_vec())).unwrap_err();
    assert!(matches!(error, RunError::Chains { chains: 2, found: 1 }), "{error}");
    let error = start(&small, RunSettings { draws: 5, ..SETTINGS }, Some(chains.clone())).unwrap_err();
    assert!(matches!(error, RunError::Record { chain_ix: 0, .. }), "{error}");
    let (_, kind, preset) = MODELS[1];
    let larger = Fit::new(kind, preset, 10, SETTINGS);
    let error = start(&larger, SETTINGS, Some(chains)).unwrap_err();
    assert!(matches!(error, RunError::Restore { chain_ix: 0, .. }), "{error}");
}

#[test]
fn a_checkpoint_that_cannot_be_saved_ends_the_run() {
    let small = small_fit();
    let save = |_: &[&ChainRecord]| Err("the disk is full".into());
    let checkpoint = Some(Checkpoint { every: Duration::ZERO, save: &save });
    let control = RunControl { checkpoint, ..RunControl::default() };
    let error = sample(&small.info.model, &small.data, &SETTINGS, &control, None).unwrap_err();
    assert_eq!(error.to_string(), "the checkpoint could not be saved: the disk is full");
}

#[test]
fn a_panic_in_a_chain_comes_out_with_its_message() {
    let small = small_fit();
    let on_progress = |now: &sibp::run::Progress| assert!(now.sweep < 5, "chain {} broke", now.chain_ix);
    for threads in [1, 2] {
        let control = RunControl { threads, on_progress: &on_progress, ..RunControl::default() };
        let panic = catch_unwind(AssertUnwindSafe(|| small.run(&control, None))).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.starts_with("chain ") && message.ends_with(" broke"), "{message}");
    }
}

/// Asserts that resuming with a changed description is refused with the field, the old and the new value.
fn refused(change: impl FnOnce(&mut ModelInfo), field: &str, expected: &str, got: &str) {
    let file = small_model();
    let mut now = file.info.clone();
    file.check_resume(&now).unwrap();
    change(&mut now);
    let error = file.check_resume(&now).unwrap_err();
    let ResumeError::Changed { field: f, expected: e, got: g } = &error else { panic!("{error}") };
    assert_eq!((f.as_str(), e.as_str(), g.as_str()), (field, expected, got));
    assert!(error.to_string().contains(&format!("{field} was {expected} and is now {got}")), "{error}");
}

#[test]
fn a_run_whose_fourier_features_had_another_stream_is_not_resumed() {
    let with = |stream: &str| {
        let steps = format!(r#"[{{"step":"fourier","n_inputs":2,"n_outputs":3,"width":0.5{stream}}}]"#);
        let transform = serde_json::from_str(&format!(r#"{{"n_inputs":2,"steps":{steps}}}"#)).unwrap();
        ModelInfo { transform, ..small_model().info }
    };
    let (old, now) = (with(""), with(r#","direction_stream":"own""#));
    old.check_resume(&old).unwrap();
    now.check_resume(&now).unwrap();
    let said = old.check_resume(&now).unwrap_err().to_string();
    assert!(said.contains(r#"direction_stream was "of-earlier-builds" and is now "own""#), "{said}");
}

#[test]
fn changed_settings_are_refused_by_name() {
    refused(|now| now.settings.seed = 4, "settings.seed", "3", "4");
    refused(|now| now.settings.sweeps = 30, "settings.sweeps", "3", "30");
    refused(|now| now.settings.chains = 2, "settings.chains", "1", "2");
    refused(|now| now.settings.draws = 2, "settings.draws", "1", "2");
    let gaussian = |change: fn(&mut GaussianModel)| {
        move |now: &mut ModelInfo| match &mut now.model {
            AnyModel::Gaussian(model) | AnyModel::Ibp(model) => change(model),
            _ => unreachable!("the small model is gaussian"),
        }
    };
    let pseudo_weight = "model.preference.pseudo_weight";
    refused(gaussian(|model| model.preference.pseudo_weight = 0.5), pseudo_weight, "10.0", "0.5");
    refused(gaussian(|model| model.schedule.steps[1].times = 4), "model.schedule.1.times", "1", "4");
    let to_ibp = |now: &mut ModelInfo| {
        let AnyModel::Gaussian(model) = now.model.clone() else { unreachable!() };
        now.model = AnyModel::Ibp(model);
    };
    refused(to_ibp, "model.kind", "\"gaussian\"", "\"ibp\"");
    refused(
        |now| now.triplets = TripletOrigin::Given { n_triplets: 8 },
        "triplets",
        &origin(),
        r#"{"from":"given","n_triplets":8}"#,
    );
}

/// How the error shows where the small model's triplets came from.
fn origin() -> String {
    let text = serde_json::to_value(small_model().info.triplets).unwrap().to_string();
    format!("{}...", &text[..80])
}

#[test]
fn changed_data_are_refused_by_name() {
    let digests = small_model().info.digests;
    let quoted = |text: &Option<String>| text.as_ref().map_or("nothing".to_owned(), |text| format!("{text:?}"));
    let other = "0".repeat(64);
    let shown = format!("{other:?}");
    refused(|now| now.digests.inputs = other.clone(), "digests.features", &format!("{:?}", digests.inputs), &shown);
    refused(|now| now.digests.labels = None, "digests.labels", &quoted(&digests.labels), "nothing");
    refused(|now| now.digests.ids = Some(other.clone()), "digests.ids", &quoted(&digests.ids), &shown);
    refused(|now| now.digests.triplets = Some(other.clone()), "digests.triplets", &quoted(&digests.triplets), &shown);
    refused(|now| now.n_objects = 5, "n_objects", "4", "5");
    refused(|now| now.input_names = None, "input_names", r#"["length","width","height"]"#, "nothing");
    let steps: InputTransform = "none".parse().unwrap();
    let transform = Transform::fit(&steps, &Inputs::new(1, 3, vec![0.0; 3]).unwrap()).unwrap();
    let file = small_model();
    let error = file.check_resume(&ModelInfo { transform, ..file.info.clone() }).unwrap_err();
    assert!(matches!(&error, ResumeError::Changed { field, .. } if field == "transform.steps"), "{error}");
}

/// A model in a file, stopped before its last sweep or not.
fn save(path: &Path, finished: bool) -> sibp::format::Fitted {
    let small = small_fit();
    let limit = (!finished).then_some(Duration::ZERO);
    let outcome = small.run(&RunControl { time_limit: limit, ..RunControl::default() }, None);
    let file = small.file(outcome.chains);
    file.save(path).unwrap();
    file
}

#[test]
fn what_an_interrupted_run_left_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("m.sibp");
    let checkpoint = checkpoint_path(&out);
    assert_eq!(checkpoint.file_name().unwrap(), "m.sibp.checkpoint");
    let error = load_for_resume(&out).unwrap_err();
    assert!(matches!(error, ResumeError::Nothing { .. }), "{error}");

    let stopped = save(&out, false);
    assert_eq!(load_for_resume(&out).unwrap(), stopped);
    let finished = save(&out, true);
    assert_eq!(load_for_resume(&out).unwrap(), finished);

    let stopped = save(&checkpoint, false);
    assert_eq!(load_for_resume(&out).unwrap(), stopped, "the checkpoint comes first");
    fs::write(&checkpoint, b"torn").unwrap();
    fs::remove_file(&out).unwrap();
    let error = load_for_resume(&out).unwrap_err();
    assert!(matches!(&error, ResumeError::Unreadable(e) if matches!(e.problem(), FormatError::NotSafetensors { .. })));
    assert!(error.to_string().contains("m.sibp.checkpoint"), "{error}");
    let stopped = save(&out, false);
    assert_eq!(load_for_resume(&out).unwrap(), stopped, "a damaged checkpoint gives way to an unfinished model");
}

#[test]
fn one_object_and_constant_inputs_can_be_fitted() {
    let inputs = Inputs::new(1, 2, vec![0.0, 0.0]).unwrap();
    let model = AnyModel::Ibp(GaussianModel::preset(Preset::Paper, &inputs, false));
    assert_eq!(model.kind(), ModelKind::Ibp);
    let data = Observations::new(inputs, TripletSet::empty(1));
    let outcome = sample(&model, &data, &SETTINGS, &RunControl::default(), None).unwrap();
    assert!(outcome.finished());
}
