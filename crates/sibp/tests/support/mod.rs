//! Reads the reference data sets for tests: simple npy files and split tables.

use sibp::data::Features;
use std::path::PathBuf;

/// The folder of a data set, or a visible note that the test is skipped.
pub fn data_set(name: &str) -> Option<PathBuf> {
    let beside_workspace = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let root = std::env::var_os("SIBP_SHARED_DATA").map_or_else(beside_workspace, PathBuf::from);
    let folder = root.join(name);
    if !folder.is_dir() {
        eprintln!("skipped: {name} is not in {}; set SIBP_SHARED_DATA", root.display());
        return None;
    }
    Some(folder)
}

/// All numbers of a version 1 npy file of `|u1` or `<f4` in C order.
fn npy(path: PathBuf) -> Vec<f64> {
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "{}", path.display());
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..start]).unwrap();
    assert!(header.contains("'fortran_order': False"), "{header}");
    match header {
        h if h.contains("'|u1'") => bytes[start..].iter().map(|&b| f64::from(b)).collect(),
        h if h.contains("'<f4'") => {
            let number = |four: &[u8]| f64::from(f32::from_le_bytes(four.try_into().unwrap()));
            bytes[start..].chunks_exact(4).map(number).collect()
        }
        h => panic!("unexpected npy header {h}"),
    }
}

/// Features and classes of a data set.
pub fn load(folder: &std::path::Path) -> (Features, Vec<u32>) {
    let classes: Vec<u32> = npy(folder.join("labels.npy")).iter().map(|&c| c as u32).collect();
    let values = npy(folder.join("features.npy"));
    (Features::new(classes.len(), values.len() / classes.len(), values).unwrap(), classes)
}

/// One repeat of a split.
#[derive(Default, Clone)]
pub struct Split {
    pub train: Vec<usize>,
    pub test: Vec<usize>,
}

/// The repeats of a split table with columns repeat, role, row, class_id.
pub fn splits(folder: &std::path::Path, file: &str) -> Vec<Split> {
    let mut repeats: Vec<Split> = Vec::new();
    for line in std::fs::read_to_string(folder.join(file)).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (repeat, row): (usize, usize) = (fields[0].parse().unwrap(), fields[2].parse().unwrap());
        repeats.resize(repeats.len().max(repeat + 1), Split::default());
        match fields[1] {
            "train" => repeats[repeat].train.push(row),
            "test" => repeats[repeat].test.push(row),
            role => panic!("unknown role {role}"),
        }
    }
    repeats
}
