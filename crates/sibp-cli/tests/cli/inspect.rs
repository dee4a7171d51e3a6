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

fn inspected(folder: &Folder, model: &str) -> serde_json::Value {
    serde_json::from_str(&folder.ok(&format!("inspect {model} --json"))).unwrap()
}

#[test]
fn json_counts_given_and_unsupervised_bits_too() {
    let folder = Folder::with_data();
    let bits: Vec<u8> = (0..2 * crate::common::N).map(|at| u8::from(at % 3 == 0)).collect();
    folder.npy_u8("h.npy", 2, &bits);
    let fit = "fit x.npy --labels y.npy --sweeps 10 --no-rehearsal --quiet";
    folder.ok(&format!("{fit} --unsupervised-bits 0 -o plain.sibp"));
    folder.ok(&format!("{fit} --given-bits h.npy -o given.sibp"));
    folder.ok(&format!("{fit} --unsupervised-bits 3 -o own.sibp"));
    for (file, given, unsupervised) in [("plain.sibp", 0, 0), ("given.sibp", 2, 0), ("own.sibp", 0, 3)] {
        let code = inspected(&folder, file)["code"].clone();
        assert_eq!((&code["given_bits"], &code["unsupervised_bits"]), (&given.into(), &unsupervised.into()), "{code}");
        let learned = code["learned_bits"].as_u64().unwrap();
        assert_eq!(code["bits"], learned + given + unsupervised, "{code}");
        let known = if given > 0 { "--given-bits h.npy " } else { "" };
        folder.ok(&format!("encode {file} x.npy {known}--quiet --force -o c.sibx"));
        let eval: serde_json::Value = serde_json::from_str(&folder.ok("eval c.sibx --labels y.npy --json")).unwrap();
        assert_eq!(eval["bits"], code["bits"], "{file}");
    }
    let both = serde_json::from_str::<serde_json::Value>(&folder.ok("inspect plain.sibp --code concatenate --json"));
    assert!(both.unwrap()["code"]["bits"].as_u64() > inspected(&folder, "plain.sibp")["code"]["bits"].as_u64());
    assert!(folder.ok("inspect own.sibp").contains("3, last in every code"));
}

#[test]
fn a_fit_that_continues_another_says_so() {
    let folder = Folder::with_data();
    folder.write("t.csv", "anchor,near,far\n0,2,1\n1,3,0\n2,4,3\n4,0,5\n5,3,2\n");
    folder.write("all.csv", "anchor,near,far\n0,2,1\n1,3,0\n2,4,3\n4,0,5\n5,3,2\n6,8,7\n");
    folder.ok("fit x.npy --triplets t.csv --chains 2 --sweeps 20 --quiet -o first.sibp");
    folder.ok("fit x.npy --triplets all.csv --continue first.sibp --sweeps 10 --quiet -o next.sibp");
    let said = folder.ok("inspect next.sibp");
    assert!(said.contains("continues") && said.contains("after 20 sweeps"), "{said}");
    assert_eq!(inspected(&folder, "next.sibp")["continues"]["sweeps"], 20);
    assert!(!folder.ok("inspect first.sibp").contains("continues"));
}

#[test]
fn disagreement_of_chains_is_told_with_what_it_means_for_a_search() {
    let folder = Folder::with_data();
    let told = |seed: usize| {
        folder.ok(&format!(
            "fit x.npy --labels y.npy --seed {seed} --sweeps 30 --no-rehearsal --quiet --force -o m.sibp"
        ));
        let said = folder.ok("inspect m.sibp");
        let disagrees = said.contains("warning: the chains disagree about");
        assert_eq!(
            said.contains("warning: what this means for a search: codes come from one chain"),
            disagrees,
            "{said}"
        );
        disagrees
    };
    assert!((0..4).filter(|&seed| told(seed)).count() > 0, "no two chains disagree after 30 sweeps");
}
