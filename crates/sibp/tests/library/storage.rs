//! Holds tables that are kept on disk equal to those in memory, from the file to the draws.

use crate::common::{Folder, le, npy};
use sibp::data::{ColumnRef, Missing, ReadOptions, RowChunks, Storage, Table, read_table};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::Fit;
use sibp::run::{RunControl, RunSettings};
use sibp::trace::ChainRecord;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::FromLabels;
use std::path::Path;

/// The same file, kept in memory and on disk.
fn both(folder: &Folder, path: &Path, options: &ReadOptions) -> [Table; 2] {
    let scratch = folder.path("scratch");
    std::fs::create_dir_all(&scratch).unwrap();
    let on_disk = ReadOptions { storage: Storage::Disk(scratch), ..options.clone() };
    [options, &on_disk].map(|options| read_table(path, options).unwrap())
}

#[test]
fn files_of_every_type_are_the_same_in_memory_and_on_disk() {
    let folder = Folder::new();
    let files = [
        npy("<f8", "False", "(2, 2)", &le![1f64, 2f64, 3f64, 0.1f64]),
        npy("<f4", "False", "(2, 2)", &le![1f32, 2f32, 3f32, 0.1f32]),
        npy("<f4", "True", "(2, 2)", &le![1f32, 2f32, 3f32, 0.1f32]),
        npy(">f8", "False", "(1, 1)", &0.1f64.to_be_bytes()),
        npy("<f2", "False", "(2, 1)", &[0x00, 0x3c, 0x00, 0xc5]),
        npy("<i8", "False", "(2, 1)", &le![i64::MAX, 1i64]),
        npy("<i2", "False", "(2, 1)", &le![i16::MIN, 1i16]),
        npy("|u1", "False", "(2, 2)", &[1, 2, 3, 255]),
    ];
    for bytes in files {
        let [memory, disk] = both(&folder, &folder.file("x.npy", bytes), &ReadOptions::default());
        assert_eq!(memory, disk);
        assert_eq!(disk.inputs.storage(), &Storage::Disk(folder.path("scratch")));
    }
    let options = ReadOptions {
        id_column: Some(ColumnRef::from("id")),
        label_column: Some(ColumnRef::from("kind")),
        ..ReadOptions::default()
    };
    let text: String = (0..10_000).map(|row| format!("{},{row},k{},o{row}\n", row as f64 / 7.0, row % 3)).collect();
    let [memory, disk] = both(&folder, &folder.file("x.csv", format!("a,b,kind,id\n{text}")), &options);
    assert_eq!(memory, disk);
    assert_eq!(disk.ids.unwrap().len(), 10_000);
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_files_are_the_same_in_memory_and_on_disk() {
    use crate::parquet_maker::list_file;
    let folder = Folder::new();
    let rows: Vec<Vec<Option<f32>>> = (0..300).map(|row| vec![Some(row as f32 / 3.0), Some(0.1)]).collect();
    let [memory, disk] = both(&folder, &folder.file("x.parquet", list_file(&rows)), &ReadOptions::default());
    assert_eq!(memory, disk);
}

/// A header whose length is no multiple of the numbers' size cannot be mapped, and is read.
#[test]
fn numbers_at_odd_places_are_read() {
    let folder = Folder::new();
    let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }\n";
    for spare in 0..8 {
        let text = format!("{}{}\n", text.trim_end(), " ".repeat(spare));
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(le![0.25f64, -3f64]);
        let [memory, disk] = both(&folder, &folder.file("x.npy", bytes), &ReadOptions::default());
        assert_eq!(memory, disk);
    }
}

#[test]
fn values_that_are_not_finite_are_named_on_disk_too() {
    let folder = Folder::new();
    let storage = Storage::Disk(folder.path(""));
    let options = ReadOptions { storage, ..ReadOptions::default() };
    for (name, bytes) in [
        ("x.npy", npy("<f8", "False", "(2, 2)", &le![1f64, 2f64, 3f64, f64::NAN])),
        ("x.csv", b"1,2\n3,NaN\n".to_vec()),
    ] {
        let error = read_table(&folder.file(name, bytes), &options).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("row 1") && error.contains("column 1"), "{error}");
    }
}

#[test]
fn every_step_gives_the_same_on_disk() {
    let folder = Folder::new();
    let values: Vec<u8> = (0..50_000u32 * 4).flat_map(|at| ((at * 7919 % 1009) as f32 / 100.0).to_le_bytes()).collect();
    let [memory, disk] =
        both(&folder, &folder.file("x.npy", npy("<f4", "False", "(50000, 4)", &values)), &ReadOptions::default());
    for steps in
        ["none", "single", "sqrt,centre", "standardise,scale,single", "unit,pca:2", "single,fourier:6", "anchors:4"]
    {
        let steps = steps.parse().unwrap();
        let (of_memory, in_memory) = Transform::fit_apply(&steps, &memory.inputs).unwrap();
        let (of_disk, on_disk) = Transform::fit_apply(&steps, &disk.inputs).unwrap();
        assert_eq!((of_memory, in_memory), (of_disk.clone(), on_disk.clone()), "{steps}");
        assert_eq!(of_disk.apply(&disk.inputs).unwrap(), on_disk);
        let single = on_disk.values().iter().all(|&value| f64::from(value as f32) == value);
        assert_eq!(single, steps.to_string().ends_with("single") || steps.steps.is_empty(), "{steps}");
    }
    let roots = folder.file("x.npy", npy("<f4", "False", "(3, 1)", &le![1f32, 0f32, -1f32]));
    let [_, disk] = both(&folder, &roots, &ReadOptions::default());
    let error = Transform::fit(&"sqrt".parse().unwrap(), &disk.inputs).unwrap_err().to_string();
    assert!(error.starts_with("row 2, column 0"), "{error}");
}

fn draws(table: Table, kind: ModelKind, steps: &str) -> Vec<ChainRecord> {
    let steps: InputTransform = steps.parse().unwrap();
    let fit = Fit::new(table, FromLabels { per_object: 1, ..FromLabels::default() })
        .model(ModelOptions::new(kind, Preset::Hash))
        .transform(steps)
        .settings(RunSettings { seed: 3, sweeps: 2, chains: 1, draws: 1 });
    fit.run(&RunControl::default()).unwrap().chains
}

/// Inputs without any variation have no axes, however many objects there are.
#[test]
fn many_objects_without_inputs_to_speak_of_are_fitted() {
    let n_objects = 20_000;
    let labels: Vec<&str> = (0..n_objects).map(|row| ["ant", "bee"][row % 2]).collect();
    let table = Table {
        inputs: sibp::data::Inputs::new(n_objects, 2, vec![0.0; 2 * n_objects]).unwrap(),
        ids: None,
        labels: Some(sibp::data::Labels::from_text(&labels)),
        input_names: None,
        filling: None,
    };
    let chains = draws(table, ModelKind::Probit, "none");
    assert!(chains[0].trace.log_joint.iter().all(|value| value.is_finite()));
}

/// Few objects are rotated, many are not; either way draws do not depend on where the inputs are kept.
#[test]
fn draws_are_the_same_on_disk() {
    let folder = Folder::new();
    for (n_objects, kind) in [(300, ModelKind::Probit), (20_000, ModelKind::Probit), (300, ModelKind::Ibp)] {
        let value = |at: u32| (at * 7919 % 1009) as f32 / 500.0 + (at / 3 % 2 * (at % 3)) as f32;
        let values: Vec<u8> = (0..3 * n_objects as u32).flat_map(|at| value(at).to_le_bytes()).collect();
        let path = folder.file("x.npy", npy("<f4", "False", &format!("({n_objects}, 3)"), &values));
        let labels: Vec<&str> = (0..n_objects).map(|row| ["ant", "bee"][row % 2]).collect();
        for steps in ["standardise,scale", "single"] {
            let [memory, disk] = both(&folder, &path, &ReadOptions::default()).map(|mut table| {
                table.set_labels(sibp::data::Labels::from_text(&labels)).unwrap();
                draws(table, kind, steps)
            });
            assert_eq!(memory, disk, "{n_objects} {kind:?} {steps}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
}

/// Missing values are filled in alike in memory, on disk, and in chunks with the numbers of the whole table.
#[test]
fn missing_values_are_filled_alike_wherever_inputs_are_kept() {
    let folder = Folder::new();
    let nan = f64::NAN;
    let path = folder.file("x.npy", npy("<f8", "False", "(4, 2)", &le![1f64, nan, 5f64, 2f64, nan, 4f64, 6f64, 9f64]));
    for (missing, numbers) in [(Missing::Mean, [4.0, 5.0]), (Missing::Median, [5.0, 4.0])] {
        let options = ReadOptions { missing, ..ReadOptions::default() };
        let [memory, disk] = both(&folder, &path, &options);
        let expected = [1.0, numbers[1], 5.0, 2.0, numbers[0], 4.0, 6.0, 9.0];
        assert_eq!(memory.inputs.values().to_vec(), expected);
        assert_eq!(memory, disk);
        let fill = memory.filling.as_ref().unwrap().missing();
        assert_eq!(fill, Missing::Fill(numbers.to_vec()));
        let chunks = RowChunks::open(&path, &ReadOptions { missing: fill, ..ReadOptions::default() }, 3).unwrap();
        let joined: Vec<f64> = chunks.flat_map(|chunk| chunk.unwrap().values().to_vec()).collect();
        assert_eq!(joined, expected);
    }
}
