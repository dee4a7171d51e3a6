//! Provokes every variant of the errors about data, triplets, settings and records. A new variant does not compile until
//! it is listed here, and fails until something provokes it. Those of models, indexes and runs have files of their own.

use crate::common::{Folder, npy};
use crate::fits::{Fit, MODELS, small_model};
use sibp::codes::{Codes, CodesError};
use sibp::data::{
    ColumnRef, DataError, Ids, Inputs, Labels, Missing, ReadOptions, Storage, read_labels, read_splits, read_table,
};
use sibp::eval::{EvalError, paired_t_test};
use sibp::hash::{LearnError, LinearHash};
use sibp::index::{HammingIndex, IndexError, IndexFileError};
use sibp::model::{
    AnyModel, DdIbpModel, GaussianModel, Link, ModelKind, ModelOptions, Preset, SettingsError, SlopePrior, Start,
};
use sibp::prior::hyper::{GammaPrior, LapsePrior};
use sibp::prior::proximity::{Decay, Distance};
use sibp::run::{RunControl, RunError, RunSettings, RunSettingsError, sample};
use sibp::schedule::{Kernel, Schedule};
use sibp::trace::{ChainRecord, KeepPlan, RecordError, RestoreError};
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::{FromLabels, FromLabelsError, Triplet, TripletError, TripletSet, read_triplets};
use std::collections::BTreeSet;

/// Names the variants of an error, all of them.
macro_rules! variants {
    ($function:ident, $error:ident: $($variant:ident),+ $(,)?) => {
        fn $function(provoked: &[$error]) {
            let name = |error: &$error| match error {
                $($error::$variant { .. } => stringify!($variant),)+
            };
            let found: BTreeSet<&str> = provoked.iter().map(name).collect();
            let all = BTreeSet::from([$(stringify!($variant)),+]);
            assert_eq!(found, all, "every {} must be provoked", stringify!($error));
        }
    };
}

variants!(all_of_data, DataError: NotFinite, MissingValues, EmptyColumn, Shape, Empty, InFile, Io, Scratch, UnknownFormat, Broken, WrongType, WrongShape,
    BadValue, Ragged, BlankLine, NoColumn, MissingInputs, RepeatedInput, ColumnClash, TooManyVotes, NoRows, NoInputs, DuplicateId, Lengths, RepeatedObject,
    WrongInputs, Negative, UnknownStep, BadSize, TooLarge, NoAxes, BadTransform, BadSplit);
variants!(all_of_triplets, TripletError: UnknownObject, RepeatedObject, TooMany);
variants!(all_of_labels, FromLabelsError: OneClass, NoPair, NonePerObject, TooMany, Data);
variants!(all_of_settings, SettingsError: NotPositive, PseudoWeight, Lapse, Slope, NoClasses, EmptySchedule, Window,
    ForeignStart, ForeignKernel);
variants!(all_of_records, RecordError: TooManySweeps, Unscored, WrongLast, WrongDraws, WrongTrace);
variants!(all_of_draws, RestoreError: Missing, Impossible);
variants!(all_of_codes, CodesError: Shape, Padding);
variants!(all_of_runs, RunSettingsError: OutOfRange, TooManyDraws);

fn inputs(n_inputs: usize, values: &[f64]) -> Inputs {
    Inputs::new(values.len() / n_inputs, n_inputs, values.to_vec()).unwrap()
}

fn transformed(steps: &str, n_inputs: usize, values: &[f64]) -> DataError {
    let steps: InputTransform = steps.parse().unwrap();
    Transform::fit(&steps, &inputs(n_inputs, values)).unwrap_err()
}

#[test]
fn every_mistake_in_data() {
    let folder = Folder::new();
    let table = |name: &str, bytes: &[u8]| {
        let named = read_table(&folder.file(name, bytes), &ReadOptions::default()).unwrap_err();
        assert!(matches!(named, DataError::InFile { .. }), "{named}");
        named.problem().clone()
    };
    let by_id = ReadOptions { id_column: Some(ColumnRef::from("id")), ..ReadOptions::default() };
    let with_id = |text: &str| read_table(&folder.file("i.csv", text), &by_id).unwrap_err().problem().clone();
    let labels = |text: &str| read_labels(&folder.file("y.csv", text), &ReadOptions::default()).unwrap_err();
    let triplets = |text: &str| read_triplets(&folder.file("t.csv", text), 3).unwrap_err().problem().clone();
    let splits = |text: &str| read_splits(&folder.file("s.csv", text), 3).unwrap_err().problem().clone();
    let mut rows = read_table(&folder.file("x.csv", "a\n1\n2\n"), &ReadOptions::default()).unwrap();
    let on_disk = ReadOptions { storage: Storage::Disk(folder.path("gone")), ..ReadOptions::default() };
    let nowhere = read_table(&folder.path("x.csv"), &on_disk).unwrap_err().problem().clone();
    let narrow = Transform::fit(&"centre".parse().unwrap(), &inputs(1, &[1.0, 2.0])).unwrap();
    let stored = r#"{"n_inputs":1,"steps":[{"step":"centre","means":[1,2]}]}"#;
    let damaged = serde_json::from_str::<Transform>(stored).unwrap_err();
    assert!(damaged.to_string().contains("the stored transform is damaged: step 0"), "{damaged}");
    let by_name = ReadOptions { input_names: Some(vec!["a".into(), "b".into()]), ..ReadOptions::default() };
    let of_names = |text: &str| read_table(&folder.file("n.csv", text), &by_name).unwrap_err().problem().clone();
    let by_mean = ReadOptions { missing: Missing::Mean, ..ReadOptions::default() };
    let empty_column = read_table(&folder.file("e.csv", "a,b\n1,\n2,\n"), &by_mean).unwrap_err().problem().clone();
    all_of_data(&[
        of_names("a,c\n1,2\n"),
        of_names("a,b,a\n1,2,3\n"),
        Inputs::new(1, 2, vec![1.0, f64::NAN]).unwrap_err(),
        Inputs::new(2, 2, vec![1.0]).unwrap_err(),
        Inputs::new(0, 2, vec![]).unwrap_err(),
        labels("kind\na\n\nb\n"),
        labels("kind\na\n\nb\n").problem().clone(),
        read_table(&folder.path("gone.csv"), &ReadOptions::default()).unwrap_err().problem().clone(),
        nowhere,
        table("x.xls", b"1"),
        table("x.npy", b"nothing"),
        table("x.npy", &npy("<c8", "False", "(1, 1)", &[0; 8])),
        table("x.npy", &npy("|u1", "False", "(1, 1, 1)", &[0])),
        table("x.csv", b"a,b\n1,x\n"),
        table("x.csv", b"a,b\n1,\n"),
        empty_column,
        table("x.csv", b"a,b\n1,2\n1\n"),
        with_id("a,b\n1,2\n"),
        with_id("id\nx\n"),
        with_id("id,a\nx,1\nx,2\n"),
        table("x.csv", b""),
        rows.set_labels(Labels::from_text(&["one"])).unwrap_err(),
        triplets("anchor,near,far,answer,votes_near\n"),
        triplets("anchor,near,far,votes_near,votes_far\n0,1,2,1000000,1\n"),
        triplets("0,1,1\n"),
        splits("repeat,role,row\n0,train,1\n"),
        narrow.apply(&inputs(2, &[1.0, 2.0])).unwrap_err(),
        transformed("sqrt", 1, &[-1.0]),
        "root".parse::<InputTransform>().unwrap_err(),
        transformed("pca:2", 1, &[1.0, 2.0]),
        transformed("pca:1", 40, &(0..1600).map(|at| if at % 3 == 0 { 1e200 } else { -1e200 }).collect::<Vec<_>>()),
        inputs(1, &[1e200, -1e200]).check_squares().unwrap_err(),
        DataError::BadTransform { step: 0, reason: "was provoked above, inside the reader of JSON" },
    ]);
}

#[test]
fn every_mistake_in_triplets() {
    let triplet = |anchor, near, far| vec![Triplet { anchor, near, far }];
    all_of_triplets(&[
        TripletSet::new(3, triplet(0, 1, 3)).unwrap_err(),
        TripletSet::new(3, triplet(0, 1, 1)).unwrap_err(),
        TripletSet::new(1 << 40, triplet(0, 1, 2)).unwrap_err(),
    ]);
    let build = |per_object: usize, classes: &[&str], n_rows: usize| {
        let options = FromLabels { per_object, ..FromLabels::default() };
        options.build(&Labels::from_text(classes), &inputs(1, &vec![0.5; n_rows])).unwrap_err()
    };
    let many: Vec<&str> = (0..80_000).map(|row| ["a", "b"][row % 2]).collect();
    all_of_labels(&[
        build(1, &["a", "a"], 2),
        build(1, &["a", "b"], 2),
        build(0, &["a", "a", "b"], 3),
        build(40_000, &many, many.len()),
        build(1, &["a", "a", "b"], 2),
    ]);
}

#[test]
fn every_mistake_in_settings() {
    let refused = |change: fn(&mut GaussianModel)| {
        let mut model = GaussianModel::preset(Preset::Paper, &inputs(1, &[1.0, 2.0]), true);
        AnyModel::Gaussian(model.clone()).check().unwrap();
        change(&mut model);
        AnyModel::Gaussian(model).check().unwrap_err()
    };
    let inputs = inputs(1, &[1.0, 2.0]);
    let between_classes = ModelOptions { distance: Distance::Output, ..ModelOptions::from(ModelKind::DdIbp) };
    between_classes.build(&inputs, Some(&[0, 1])).unwrap();
    all_of_settings(&[
        refused(|model| model.concentration = GammaPrior::Fixed(0.0)),
        refused(|model| model.preference.pseudo_weight = -1.0),
        refused(|model| model.preference.lapse = LapsePrior::Fixed(1.0)),
        refused(|model| model.preference.link = Link::Logistic(SlopePrior::Fixed(0.0))),
        refused(|model| model.schedule = Schedule::once([])),
        refused(|model| model.schedule = Schedule::once([Kernel::Complements])),
        refused(|model| model.start = Start::Links(3)),
        AnyModel::DdIbp(DdIbpModel::preset(&inputs, Distance::Input, Decay::Window { width: -1.0 }))
            .check()
            .unwrap_err(),
        between_classes.build(&inputs, None).unwrap_err(),
    ]);
    let settings = RunSettings { seed: 1, sweeps: 100_000, chains: 1, draws: 1 };
    all_of_runs(&[
        RunSettings { chains: 0, ..settings }.check().unwrap_err(),
        RunSettings { chains: 4, draws: 20_000, ..settings }.check().unwrap_err(),
    ]);
}

#[test]
fn every_mistake_in_records() {
    let refused = |change: fn(&mut ChainRecord)| {
        let mut record = small_model().chains.remove(0);
        record.check(&KeepPlan::new(3, 1)).unwrap();
        change(&mut record);
        record.check(&KeepPlan::new(3, 1)).unwrap_err()
    };
    all_of_records(&[
        refused(|record| record.sweeps_done = 4),
        refused(|record| record.last.sweep = 2),
        refused(|record| record.draws.clear()),
        refused(|record| record.trace.log_joint.clear()),
        {
            let mut old = small_model().chains.remove(0);
            old.check_resume(&KeepPlan::new(3, 1)).unwrap();
            assert!(old.last.scalars.remove("score").is_some());
            old.draws.iter_mut().for_each(|draw| draw.scalars.clear());
            old.check_resume(&KeepPlan::new(3, 1)).unwrap_err()
        },
    ]);
    let settings = RunSettings { seed: 3, sweeps: 3, chains: 1, draws: 1 };
    let (_, kind, preset) = MODELS[0];
    assert_eq!(kind, ModelKind::Gaussian);
    let small = Fit::new(kind, preset, 4, settings);
    let restored = |change: fn(&mut ChainRecord)| {
        let mut chains = small.run(&RunControl::default(), None).chains;
        change(&mut chains[0]);
        match sample(&small.info.model, &small.data, &settings, &RunControl::default(), Some(chains)) {
            Err(RunError::Restore { problem, .. }) => problem,
            other => panic!("{:?}", other.map(drop)),
        }
    };
    all_of_draws(&[
        restored(|record| assert!(record.last.scalars.remove("noise_variance").is_some())),
        restored(|record| assert!(record.last.scalars.insert("noise_variance".into(), -1.0).is_some())),
    ]);
}

#[test]
fn every_mistake_in_codes_and_some_elsewhere() {
    all_of_codes(&[Codes::from_bytes(2, 9, vec![0; 3]).unwrap_err(), Codes::from_bytes(1, 9, vec![0, 1]).unwrap_err()]);
    let mut index = HammingIndex::new(1).unwrap();
    index.add(&Codes::zeros(1, 1), Some(&[1 << 63])).unwrap();
    let error = index.export_faiss(&Folder::new().path("x.faiss")).unwrap_err();
    assert!(matches!(error, IndexFileError::Index(IndexError::IdTooLarge { id }) if id == 1 << 63), "{error}");
    let error = paired_t_test(&[0.5, f64::NAN], &[0.5, 0.5]).unwrap_err();
    assert!(matches!(error, EvalError::NotFinite { method: 0, repeat: 1, .. }), "{error}");
    let error = LinearHash::new(1, vec![f64::INFINITY], vec![0.0]).unwrap_err();
    assert!(matches!(error, LearnError::NotFinite { what: "weight", at: 0, .. }), "{error}");
    assert!(Ids::new(vec!["a".into(), "a".into()]).is_err());
}
