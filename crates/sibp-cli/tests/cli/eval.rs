//! Tests `sibp eval` on codes whose measures are known.

use crate::common::{Folder, M, N, inputs};
use serde_json::Value;

fn json(folder: &Folder, line: &str) -> Value {
    serde_json::from_str(&folder.ok(&format!("{line} --json"))).expect("JSON")
}

#[test]
fn perfect_codes_measure_one() {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 1, &[0, 1, 255, 254, 0, 255]);
    folder.write("y.txt", "a\na\nb\nb\na\nb\n");
    let result = json(&folder, "eval codes.npy --bits 8 --labels y.txt -k 1,2");
    assert_eq!((&result["objects"], &result["classes"], &result["bits"]), (&6.into(), &2.into(), &8.into()));
    for measure in ["knn_accuracy", "precision_at"] {
        assert_eq!(result[measure], serde_json::json!({ "1": 1.0, "2": 1.0 }), "{measure}");
    }
    assert_eq!((&result["mean_average_precision"], &result["triplet_agreement"]["share"]), (&1.0.into(), &1.0.into()));
}

#[test]
fn a_code_is_left_out_of_its_own_list() {
    let folder = Folder::new();
    // Each code's nearest other code is of the other class; with itself, every one would be right.
    folder.npy_u8("codes.npy", 1, &[0, 1, 240, 241]);
    folder.write("y.txt", "a\nb\na\nb\n");
    let result = json(&folder, "eval codes.npy --bits 8 --labels y.txt -k 1");
    assert_eq!(result["knn_accuracy"]["1"], 0.0);
    let result = json(&folder, "eval codes.npy codes.npy --bits 8 --labels y.txt --database-labels y.txt -k 1");
    assert_eq!(result["knn_accuracy"]["1"], 1.0);
}

#[test]
fn a_model_is_tried_on_unseen_objects() {
    let folder = Folder::with_model();
    folder.npy_f64("new.npy", M, &inputs(N, 99));
    let result = json(&folder, "eval m.sibp new.npy --labels y.npy -k 1,5");
    assert_eq!((&result["objects"], &result["codes"]), (&N.into(), &N.into()));
    assert!(result["knn_accuracy"]["5"].as_f64().unwrap() > 0.9, "{result}");
    let text = folder.ok("eval m.sibp new.npy --labels y.npy");
    assert!(text.contains("k-NN accuracy") && text.contains("mean average precision"), "{text}");
    folder.write("t.csv", "anchor,near,far\n0,3,1\n");
    let result = json(&folder, "eval m.sibp new.npy --labels y.npy --triplets t.csv");
    assert_eq!(result["triplet_agreement"]["triplets"], 1);
}

#[test]
fn oddities_are_told() {
    let folder = Folder::with_model();
    folder.write(
        "words.txt",
        (0..N).map(|r| if r == 4 { "new\n".into() } else { format!("{}\n", r % 3) }).collect::<String>(),
    );
    let ran = folder.run("eval m.sibp x.npy --labels words.txt -k 1,1000");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("a label that no searched code has: 1;"), "{}", ran.stderr);
    assert!(ran.stderr.contains("only 60 codes can be neighbours"), "{}", ran.stderr);
    folder.misused("eval m.sibp --labels y.npy", &["inputs"]);
    folder.misused("eval m.sibp x.npy", &["--labels"]);
    folder.misused("eval m.sibp x.npy --labels y.npy -k 0", &["at least 1"]);
    folder.npy_u8("codes.npy", 1, &[1, 2, 3]);
    folder.misused("eval codes.npy", &["codes.npy", "--labels"]);
    folder.misused("eval codes.npy codes.npy --labels y.npy", &["--database-labels"]);
    folder.fails("eval codes.npy --bits 8 --labels y.npy", &["y.npy has 60 labels", "codes.npy has 3"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o plain.sibp");
    folder.fails("eval plain.sibp x.npy --labels y.npy", &["plain.sibp", "without labels"]);
}

/// Judgements by class about the rows that `anchors` gives.
fn judgements(anchors: impl Iterator<Item = usize>) -> String {
    let line = |anchor: usize| format!("{anchor},{},{}\n", (anchor + 3) % N, (anchor + 4) % N);
    anchors.map(line).fold("anchor,near,far\n".to_owned(), |text, line| text + &line)
}

fn with_judged_model() -> Folder {
    let folder = Folder::with_data();
    folder.write("t.csv", judgements((0..N).chain(0..N / 2).chain(20..50)));
    folder.ok("fit x.npy --triplets t.csv --seed 1 --sweeps 20 --chains 1 --quiet -o j.sibp");
    folder
}

#[test]
fn a_model_is_measured_on_judgements_without_labels() {
    let folder = with_judged_model();
    folder.write("test.csv", judgements((0..N).step_by(2)));
    let result = json(&folder, "eval j.sibp x.npy --triplets test.csv");
    assert_eq!((&result["judgements"], &result["training_objects"]), (&(N / 2).into(), &result["objects"]));
    let share = |of: &Value| of.as_f64().unwrap();
    let agreement = &result["agreement"];
    assert!(share(&agreement["share"]) > 0.9, "{result}");
    assert!(share(&agreement["low"]) < share(&agreement["share"]) && share(&agreement["high"]) <= 1.0, "{result}");
    assert!(share(&result["codes"]["share"]) > 0.7 && share(&result["brier_score"]) < 0.25, "{result}");
    let text = folder.ok("eval j.sibp x.npy --triplets test.csv");
    for part in ["95 % interval", "cosine of inputs", "calibration error", "fitted to"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Labels do not matter to a model that knows none.
    assert_eq!(text, folder.ok("eval j.sibp x.npy --labels y.npy --triplets test.csv"));
    // The same rows in another order are the same objects.
    let all = inputs(N, 0);
    folder.npy_f64("part.npy", M, &[&all[3 * M..6 * M], &all[..M]].concat());
    folder.write("of_part.csv", "anchor,near,far\n3,0,1\n");
    folder.write("of_all.csv", "anchor,near,far\n0,3,4\n");
    let part = json(&folder, "eval j.sibp part.npy --triplets of_part.csv");
    assert_eq!((&part["objects"], &part["training_objects"]), (&3.into(), &3.into()));
    assert_eq!(part, json(&folder, "eval j.sibp x.npy --triplets of_all.csv"));
    folder.npy_f64("new.npy", M, &inputs(N, 99));
    assert_eq!(json(&folder, "eval j.sibp new.npy --triplets test.csv")["training_objects"], 0);
}

#[test]
fn judgements_and_objects_are_held_out_in_turn() {
    let folder = with_judged_model();
    let result = json(&folder, "eval j.sibp x.npy --triplets t.csv --folds 3");
    assert_eq!(result["held_out_judgements"]["judgements"], 120, "{result}");
    let share = |name: &str| result[name]["share"].as_f64().unwrap();
    assert!(share("held_out_judgements") > 0.8 && share("at_least_one_held_out_object") > 0.8, "{result}");
    let alone = result["held_out_objects"]["judgements"].as_u64().unwrap();
    assert!(alone < result["at_least_one_held_out_object"]["judgements"].as_u64().unwrap(), "{result}");
    let text = folder.ok("eval j.sibp x.npy --triplets t.csv --folds 3 --threads 1");
    assert!(text.contains("objects: judgements about at least one") && text.contains("standard error"), "{text}");
    folder.misused("eval j.sibp x.npy --folds 3", &["--triplets"]);
    folder.misused("eval j.sibp x.npy --triplets t.csv --folds 1", &["--folds", "between 2 and"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o plain.sibp");
    folder.fails("eval plain.sibp x.npy --triplets t.csv", &["plain.sibp", "without triplets"]);
}

#[test]
fn a_learning_curve_is_told_and_drawn() {
    let folder = with_judged_model();
    let text = folder.ok("eval j.sibp x.npy --triplets t.csv --curve --more 60 --plot curve.svg");
    assert!(text.contains("another 60 answers bring +") && text.contains("learned from"), "{text}");
    let svg = folder.text("curve.svg");
    assert!(svg.starts_with("<svg") && svg.contains("<polyline") && svg.contains("judgements learned from"), "{svg}");
    let result = json(&folder, "eval j.sibp x.npy --triplets t.csv --curve");
    let curve = &result["learning_curve"];
    assert_eq!((&curve["more"], &curve["judgements"]), (&500.into(), &120.into()));
    assert_eq!(curve["points"].as_array().unwrap().len(), 4);
    folder.misused("eval j.sibp x.npy --triplets t.csv --curve --plot curve.png", &["SVG"]);
    folder.misused("eval j.sibp x.npy --triplets t.csv --plot curve.svg", &["--curve"]);
    folder.write("few.csv", judgements(0..10));
    folder.fails("eval j.sibp x.npy --triplets few.csv --curve", &["10 judgements", "at least 40"]);
}
