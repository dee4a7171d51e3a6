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

/// Probabilities are recalibrated unless told otherwise, in the same order; training objects keep their learned bits.
#[test]
fn raw_probabilities_are_those_of_the_likelihood() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --sweeps 20 --seed 1 --quiet -o m.sibp");
    folder.npy_f64("new.npy", M, &inputs(N, 99));
    folder.write("t.csv", "anchor,near,far\n0,3,1\n4,7,5\n2,1,0\n");
    let ask = |rest: &str| {
        let lines = json_lines(&folder.ok(&format!("prefer m.sibp {rest} --triplets t.csv --json")));
        lines.iter().map(|line| line["probability"].as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let (told, raw) = (ask("new.npy"), ask("new.npy --raw"));
    let sharpness = |p: f64| (p / (1.0 - p)).ln();
    let factors: Vec<f64> = told.iter().zip(&raw).map(|(t, r)| sharpness(*t) / sharpness(*r)).collect();
    assert!(factors.iter().all(|f| (f - factors[0]).abs() < 1e-6 && *f > 0.0), "one factor for all: {factors:?}");
    assert_ne!(told, raw);
    let text = folder.ok("inspect m.sibp");
    assert!(text.contains("held-out triplets"), "{text}");
    // The bits of training objects are known, those of others are averaged over.
    let plugged = ask("x.npy --raw --encoder drawn");
    assert_eq!(ask("x.npy --raw"), plugged, "no object is unseen");
    assert_ne!(ask("new.npy --raw --encoder drawn"), raw);
}
