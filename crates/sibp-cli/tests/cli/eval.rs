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
    let result = json(&folder, "eval codes.npy --labels y.txt -k 1,2");
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
    let result = json(&folder, "eval codes.npy --labels y.txt -k 1");
    assert_eq!(result["knn_accuracy"]["1"], 0.0);
    let result = json(&folder, "eval codes.npy codes.npy --labels y.txt --database-labels y.txt -k 1");
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
    folder.fails("eval codes.npy --labels y.npy", &["y.npy has 60 labels", "codes.npy has 3"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o plain.sibp");
    folder.fails("eval plain.sibp x.npy --labels y.npy", &["plain.sibp", "without labels"]);
}
