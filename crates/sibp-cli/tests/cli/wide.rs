//! Tests fits with many inputs: anchors, a bound on bits, unsupervised bits, and what a fit chooses by itself.

use crate::common::{Folder, M, inputs, read_u8};

const QUICK: &str = "--seed 1 --sweeps 20 --chains 2 --per-object 10 --no-rehearsal --quiet";

#[test]
fn anchors_are_stored_with_the_model_and_encode_any_object() {
    let folder = Folder::with_data();
    folder.ok(&format!("fit x.npy --labels y.npy --transform anchors:25 {QUICK} -o m.sibp"));
    assert!(folder.ok("inspect m.sibp").contains("similarity to 25 anchors"));
    folder.npy_f64("new.npy", M, &inputs(7, 3));
    folder.ok("encode m.sibp new.npy -o codes.npy");
    folder.npy_f64("first.npy", M, &inputs(7, 3)[..M]);
    folder.ok("encode m.sibp first.npy -o first-code.npy");
    let (all, first) = (read_u8(&folder.read("codes.npy")), read_u8(&folder.read("first-code.npy")));
    assert_eq!(first.2, all.2[..all.1]);
    folder.fails("fit x.npy --labels y.npy --transform anchors:0 -o n.sibp", &["anchors"]);
    folder.misused("fit x.npy --labels y.npy --transform anchors:few -o n.sibp", &["anchors:few", "anchors:N"]);
}

#[test]
fn a_code_has_no_more_bits_than_it_may() {
    let folder = Folder::with_data();
    folder.ok(&format!("fit x.npy --labels y.npy {QUICK} -o long.sibp"));
    folder.ok(&format!("fit x.npy --labels y.npy {QUICK} --max-bits 6 -o short.sibp"));
    let bits = |model: &str| -> u64 {
        let text = folder.ok(&format!("inspect {model} --json"));
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["code"]["bits"].as_u64().unwrap()
    };
    assert!(bits("long.sibp") > 6);
    assert!(bits("short.sibp") <= 6);
    // A code that is short enough is left as it is.
    folder.ok(&format!("fit x.npy --labels y.npy {QUICK} --max-bits 500 -o same.sibp"));
    assert_eq!(bits("same.sibp"), bits("long.sibp"));
}

#[test]
fn bits_of_the_inputs_alone_stand_behind_the_learned_ones() {
    let folder = Folder::with_data();
    folder.ok(&format!("fit x.npy --labels y.npy {QUICK} --unsupervised-bits 3 --max-bits 8 -o m.sibp"));
    assert!(folder.ok("inspect m.sibp").contains("3, last in every code"));
    folder.npy_f64("new.npy", M, &inputs(5, 9));
    folder.ok("encode m.sibp new.npy --format bits -o codes.npy");
    folder.ok(&format!("fit x.npy --labels y.npy {QUICK} --unsupervised-bits 0 --max-bits 5 -o learned.sibp"));
    folder.ok("encode learned.sibp new.npy --format bits -o learned.npy");
    let (all, learned) = (read_u8(&folder.read("codes.npy")), read_u8(&folder.read("learned.npy")));
    assert_eq!((all.1, learned.1), (8, 5));
    all.2.chunks(8).zip(learned.2.chunks(5)).for_each(|(all, learned)| assert_eq!(&all[..5], learned));
    folder.fails(
        &format!("fit x.npy --labels y.npy {QUICK} --unsupervised-bits 5000 -o n.sibp"),
        &["unsupervised bits", "5000", "1024"],
    );
}

#[test]
fn the_open_preset_leaves_most_bits_to_the_inputs() {
    let folder = Folder::with_data();
    let codes = ["--preset open", "--unsupervised-bits 10"].map(|how| {
        folder.ok(&format!("fit x.npy --labels y.npy {QUICK} --max-bits 16 {how} -o m.sibp"));
        folder.ok("encode m.sibp x.npy --format bits -o codes.npy");
        read_u8(&folder.read("codes.npy"))
    });
    assert!(codes[0].1 > 10 && codes[0].1 <= 16, "{} bits", codes[0].1);
    assert_eq!(codes[0], codes[1]);
    folder.misused("fit --triplets t.csv --preset open -o n.sibp", &["--preset open", "inputs"]);
    folder.fails("fit x.npy --labels y.npy --model gaussian --preset open -o n.sibp", &["open", "probit", "gaussian"]);
    folder.fails("extend m.sibp x.npy --labels y.npy --preset open -o n.sibh", &["open", "hash"]);
}

#[test]
fn a_code_without_room_for_learned_bits_is_refused() {
    let folder = Folder::with_data();
    let fit = format!("fit x.npy --labels y.npy {QUICK} --max-bits 8");
    folder.fails(
        &format!("{fit} --unsupervised-bits 8 -o n.sibp"),
        &["at most 8 bits", "0 are given", "8 are unsupervised"],
    );
    folder.ok(&format!("{fit} --unsupervised-bits 7 -o m.sibp"));
}

/// Points within a circle or not: no plane tells.
fn with_circle(n: usize) -> Folder {
    let folder = Folder::new();
    let values: Vec<f64> = (0..2 * n).map(|at| ((at * 7919 + at / 2 * 31) % 2003) as f64 / 1001.5 - 1.0).collect();
    let class: Vec<i64> = values.chunks_exact(2).map(|p| i64::from(p[0] * p[0] + p[1] * p[1] < 0.5)).collect();
    folder.npy_f64("x.npy", 2, &values);
    folder.npy_i64("y.npy", &class);
    folder
}

#[test]
fn few_objects_get_many_chains_and_one_code_of_them_where_nobody_chose() {
    let folder = with_circle(200);
    let said = |options: &str| {
        folder.ok(&format!("fit x.npy --labels y.npy --sweeps 3 --no-rehearsal {options} -o m.sibp --force"));
        folder.run("inspect m.sibp").stdout
    };
    let open = said("");
    assert!(open.contains("8 chains of 3 sweeps") && open.contains("stand for all chains"), "{open}");
    assert!(!said("--chains 8").contains("stand for all chains"));
    assert!(!said("--distil 0").contains("stand for all chains"));
}

#[test]
fn a_fit_says_which_transform_it_chose_and_why() {
    let folder = with_circle(600);
    let said = folder.run("fit x.npy --labels y.npy --sweeps 3 --chains 1 --no-rehearsal -o m.sibp").stderr;
    assert!(said.contains("laplace:200") && said.contains("of held-out objects"), "{said}");
    let given = folder.run("fit x.npy --labels y.npy --transform standardise --sweeps 3 --chains 1 -o n.sibp").stderr;
    assert!(!given.contains("held-out objects"), "{given}");
}
