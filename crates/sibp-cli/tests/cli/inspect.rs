//! Tests `sibp inspect`, and what every command says to a model file that is none.

use crate::common::{Folder, N};
use serde_json::Value;

#[test]
fn says_what_the_model_is_and_which_draw_encodes() {
    let folder = Folder::with_model();
    let text = folder.ok("inspect m.sibp");
    for words in [
        "Super Gaussian IBP",
        "60 objects of 6 inputs, labels of 3 classes",
        "480 from labels (paired, 8 an object",
        "centred",
        "2 chains of 30 sweeps, 15 draws of each kept, seed 1",
        "(the default)",
        "rows,",
        "R-hat",
        "ESS",
        "encodes",
    ] {
        assert!(text.contains(words), "{words:?} is missing in\n{text}");
    }
    assert!(folder.ok("inspect m.sibp --code last").contains("sweep 30: its last draw (--code last)"));
}

#[test]
fn json_holds_the_settings_and_the_diagnostics() {
    let folder = Folder::with_model();
    let value: Value = serde_json::from_str(&folder.ok("inspect m.sibp --json")).unwrap();
    assert_eq!((&value["finished"], &value["objects"]), (&true.into(), &N.into()));
    assert_eq!((&value["settings"]["seed"], &value["settings"]["sweeps"]), (&1.into(), &30.into()));
    assert_eq!(value["model"]["kind"], "gaussian");
    assert_eq!(value["chains"].as_array().unwrap().len(), 2);
    assert_eq!(value["code"]["choice"], "map");
    let names: Vec<&str> =
        value["diagnostics"].as_array().unwrap().iter().map(|d| d["name"].as_str().unwrap()).collect();
    assert!(
        names.contains(&"log_likelihood") && !names.contains(&"log_joint") && names.contains(&"n_bits"),
        "{names:?}"
    );
}

#[test]
fn the_error_of_the_expected_number_of_bits_is_told() {
    let folder = Folder::with_data();
    let line = "fit x.npy --labels y.npy --seed 1 --sweeps 3 --per-object 4 -o p.sibp";
    folder.ok(line);
    let fit: Value = serde_json::from_str(&folder.ok(&format!("{line} --json"))).unwrap();
    let inspect: Value = serde_json::from_str(&folder.ok("inspect p.sibp --json")).unwrap();
    let error = inspect["rate_error"].as_f64().unwrap();
    assert!(error > 0.0 && error <= 0.005, "{error}");
    assert_eq!(fit["rate_error"], inspect["rate_error"]);
    assert!(folder.ok("inspect p.sibp").contains(&format!("a priori known to {:.3} %", 100.0 * error)));
    let gaussian = Folder::with_model();
    let none: Value = serde_json::from_str(&gaussian.ok("inspect m.sibp --json")).unwrap();
    assert!(none["rate_error"].is_null());
    assert!(!gaussian.ok("inspect m.sibp").contains("a priori known"));
}

#[test]
fn one_chain_is_warned_of() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --model ibp --chains 1 --sweeps 10 --quiet -o m.sibp");
    assert!(folder.ok("inspect m.sibp").contains("warning: there is one chain only"));
}

#[test]
fn files_that_are_no_models_are_named() {
    let folder = Folder::with_model();
    let whole = folder.read("m.sibp");
    folder.write("cut.sibp", &whole[..whole.len() - 1]);
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    folder.write("changed.sibp", &changed);
    folder.write("empty.sibp", "");
    for file in ["cut.sibp", "changed.sibp", "empty.sibp", "x.npy", "gone.sibp"] {
        for line in ["inspect F", "report F -o r.html", "encode F x.npy -o c.npy", "prefer F x.npy --triplets t.csv"] {
            folder.fails(&line.replace('F', file), &[file]);
        }
    }
    assert!(!folder.has("r.html") && !folder.has("c.npy"));
}
