//! Tests `sibp predict`.

use crate::common::{Folder, M, N, inputs, json_lines};
use serde_json::Value;

#[test]
fn a_model_labels_unseen_objects_by_the_labels_it_was_fitted_with() {
    let folder = Folder::with_model();
    folder.npy_f64("new.npy", M, &inputs(N, 99));
    let lines = json_lines(&folder.ok("predict m.sibp new.npy -k 5 --json"));
    let right = lines.iter().enumerate().filter(|(row, line)| line["label"] == ["0", "1", "2"][row % 3]).count();
    assert!(right > N * 9 / 10, "{right} of {N}");
    assert!(
        lines.iter().all(|line| line["votes"].as_f64() <= Some(5.0) && line["voters"] == 5 && line["id"].is_null())
    );
    let table = folder.ok("predict m.sibp new.npy -k 5");
    assert_eq!(table.lines().count(), N + 1);
    assert_eq!(table.lines().next().unwrap().split_whitespace().collect::<Vec<_>>(), ["object", "label", "votes"]);
}

#[test]
fn codes_vote_by_the_stated_rule() {
    let folder = Folder::new();
    // Distances from the query 0: 0, 1, 1, 8.
    folder.npy_u8("codes.npy", 1, &[0, 2, 4, 255]);
    folder.npy_u8("queries.npy", 1, &[0]);
    folder.write("labels.txt", "near\nlater\nlater\nfar\n");
    let label = |k: usize| {
        json_lines(&folder.ok(&format!("predict codes.npy queries.npy --labels labels.txt -k {k} --json")))[0].clone()
    };
    assert_eq!(label(1)["label"], "near");
    assert_eq!(label(2)["label"], "near", "equal votes go to the smaller sum of distances");
    assert_eq!((&label(3)["label"], &label(3)["votes"]), (&"later".into(), &2.0.into()));
    assert_eq!(label(100)["voters"], 4);
    folder.ok("predict codes.npy queries.npy --labels labels.txt -k 3 -o p.csv");
    assert_eq!(folder.text("p.csv"), "object,label,votes\n0,later,2\n");
}

/// Inputs near the middle between classes, where bits are uncertain.
fn doubtful() -> Vec<f64> {
    let (a, b) = (inputs(N, 99), inputs(N, 7));
    (0..N * M).map(|at| 0.55 * a[at] + 0.45 * b[(at + M) % (N * M)]).collect()
}

#[test]
fn expected_distances_vote_like_the_neighbours_that_search_finds() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --seed 1 --sweeps 20 --chains 2 --per-object 8 --quiet -o p.sibp");
    folder.npy_f64("new.npy", M, &doubtful());
    folder.ok("encode p.sibp --training --code concatenate --format bits --quiet -o codes.npy");
    let found = folder.ok("search codes.npy new.npy --model p.sibp --code concatenate --expected -k 1 --json");
    let nearest = |line: &Value| line["neighbours"][0]["id"].as_u64().unwrap() % 3;
    let expected: Vec<String> = json_lines(&found).iter().map(|line| nearest(line).to_string()).collect();
    let predict = |options: &str| -> Vec<String> {
        let text = folder.ok(&format!("predict p.sibp new.npy --code concatenate -k 1 --json {options}"));
        json_lines(&text).iter().map(|line| line["label"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(predict("--expected --threads 1"), expected);
    assert_eq!(predict("--expected --threads 3"), expected);
    assert_ne!(predict(""), expected, "these objects are to be in doubt, so that the option is seen to act");
    let right = expected.iter().enumerate().filter(|(row, label)| **label == (row % 3).to_string()).count();
    let eval = folder.ok("eval p.sibp new.npy --labels y.npy --code concatenate -k 1 --expected --json");
    let eval: Value = serde_json::from_str(&eval).unwrap();
    assert!((eval["knn_accuracy"]["1"].as_f64().unwrap() - right as f64 / N as f64).abs() < 1e-12, "{eval}");
}

#[test]
fn expected_distances_need_a_probit_model() {
    let folder = Folder::with_model();
    folder.npy_u8("codes.npy", 1, &[0, 2, 4, 255]);
    folder.write("labels.txt", "a\nb\na\nb\n");
    for command in ["predict m.sibp x.npy --expected", "eval m.sibp x.npy --labels y.npy --expected"] {
        folder.misused(command, &["--expected", "m.sibp is gaussian"]);
    }
    folder.misused("predict codes.npy codes.npy --labels labels.txt --expected", &["--expected", "model"]);
    folder.misused("eval codes.npy --labels labels.txt --expected", &["--expected", "model"]);
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::with_model();
    folder.npy_u8("codes.npy", 1, &[0, 2, 4, 255]);
    folder.write("labels.txt", "a\nb\n");
    folder.misused("predict codes.npy codes.npy", &["codes.npy", "--labels"]);
    folder.fails("predict codes.npy codes.npy --labels labels.txt", &["labels.txt has 2", "codes.npy has 4"]);
    folder.misused("predict m.sibp x.npy --labels y.npy", &["--labels", "model"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o plain.sibp");
    folder.fails("predict plain.sibp x.npy", &["plain.sibp", "without labels"]);
    folder.misused("predict m.sibp x.npy -o p.txt", &[".csv"]);
    folder.misused("predict m.sibp x.npy -k 0", &["at least 1"]);
}
