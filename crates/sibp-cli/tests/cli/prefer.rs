//! Tests `sibp prefer`.

use crate::common::{Folder, M, N, inputs, json_lines};

#[test]
fn a_preference_and_its_opposite_sum_to_one() {
    let folder = Folder::with_model();
    folder.npy_f64("new.npy", M, &inputs(N, 99));
    folder.write("t.csv", "anchor,near,far\n0,3,1\n0,1,3\n4,7,5\n4,5,7\n");
    let lines = json_lines(&folder.ok("prefer m.sibp new.npy --triplets t.csv --json"));
    let p: Vec<f64> = lines.iter().map(|line| line["probability"].as_f64().unwrap()).collect();
    assert_eq!(p.len(), 4);
    assert!((p[0] + p[1] - 1.0).abs() < 1e-12 && (p[2] + p[3] - 1.0).abs() < 1e-12, "{p:?}");
    // Objects 0 and 3, 4 and 7 are of one class.
    assert!(p[0] > 0.5 && p[2] > 0.5, "{p:?}");
    assert_eq!((&lines[0]["anchor"], &lines[0]["near"], &lines[0]["far"]), (&0.into(), &3.into(), &1.into()));
}

#[test]
fn tables_and_ids() {
    let folder = Folder::with_model();
    folder.write("t.csv", "anchor,near,far\nobject-0,object-3,object-1\n");
    let table = folder.ok("prefer m.sibp x.npy --ids ids.txt --triplets t.csv");
    let cells: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(cells[..3], ["object-0", "object-3", "object-1"]);
    let csv = folder.ok("prefer m.sibp x.npy --ids ids.txt --triplets t.csv --csv");
    assert!(csv.starts_with("anchor,near,far,probability\nobject-0,object-3,object-1,0."), "{csv}");
    assert_eq!(csv, folder.ok("prefer m.sibp x.npy --ids ids.txt --triplets t.csv --csv --threads 1"));
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::with_model();
    folder.write("t.csv", "anchor,near,far\n0,3,99\n");
    folder.fails("prefer m.sibp x.npy --triplets t.csv", &["t.csv", "line 2", "\"99\""]);
    folder.misused("prefer m.sibp x.npy", &["--triplets"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o plain.sibp");
    folder.fails("prefer plain.sibp x.npy --triplets t.csv", &["plain.sibp", "without triplets"]);
}
