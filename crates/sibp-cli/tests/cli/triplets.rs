//! Tests `sibp triplets`.

use crate::common::Folder;
use serde_json::Value;

#[test]
fn made_from_labels_they_hold_near_and_far_of_the_right_classes() {
    let folder = Folder::with_data();
    let ran = folder.run("triplets from-labels y.npy --per-object 4 --seed 1 -o t.csv");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("240 triplets over 60 objects of 3 classes"), "{}", ran.stderr);
    let text = folder.text("t.csv");
    assert_eq!(text.lines().next(), Some("anchor,near,far"));
    for line in text.lines().skip(1) {
        let rows: Vec<usize> = line.split(',').map(|n| n.parse().unwrap()).collect();
        assert!(rows[0] % 3 == rows[1] % 3 && rows[0] % 3 != rows[2] % 3, "{line}");
    }
    assert_eq!(folder.ok("triplets from-labels y.npy --per-object 4 --seed 1"), text, "stdout and file must agree");
    assert_ne!(folder.ok("triplets from-labels y.npy --per-object 4 --seed 2"), text);
    let product = folder.ok("triplets from-labels y.npy --per-object 4 --scheme product");
    assert_eq!(product.lines().count(), 60 * 16 + 1);
}

#[test]
fn every_output_is_read_back() {
    let folder = Folder::with_data();
    for out in ["t.csv", "t.tsv", "t.npy"] {
        folder.ok(&format!("triplets from-labels y.npy --per-object 4 -o {out}"));
        assert!(
            folder.ok(&format!("triplets check {out}")).starts_with("240 triplets over 60 objects\nduplicates: 0\n")
        );
    }
    folder.ok("triplets from-labels y.npy --ids ids.txt --per-object 4 -o t.csv");
    assert!(folder.text("t.csv").contains("object-0,object-"));
    folder.ok("triplets check t.csv --ids ids.txt");
    folder.misused("triplets from-labels y.npy --ids ids.txt -o t.npy", &[".csv"]);
    folder.misused("triplets from-labels y.npy -o t.parquet", &["t.parquet"]);
}

#[test]
fn distances_need_features() {
    let folder = Folder::with_data();
    folder.misused("triplets from-labels y.npy --near nearest", &["--features"]);
    folder.ok("triplets from-labels y.npy --near nearest --far impostor --features x.npy -o t.csv");
}

#[test]
fn check_counts_and_names() {
    let folder = Folder::new();
    folder.write("t.csv", "anchor,near,far\n0,1,2\n0,1,2\n0,2,1\n");
    let report: Value = serde_json::from_str(&folder.ok("triplets check t.csv --objects 5 --json")).unwrap();
    assert_eq!((&report["n_triplets"], &report["n_duplicates"]), (&3.into(), &1.into()));
    assert_eq!((&report["n_contradicted_questions"], &report["n_unmentioned"]), (&1.into(), &2.into()));
    folder.fails("triplets check t.csv --objects 2", &["t.csv", "line 2", "\"2\""]);
    folder.write("self.csv", "anchor,near,far\n1,1,2\n");
    folder.fails("triplets check self.csv", &["self.csv", "line 2", "twice"]);
    assert_eq!(folder.run("triplets").code, 2);
}
