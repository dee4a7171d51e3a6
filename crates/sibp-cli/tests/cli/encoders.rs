//! Tests that codes of one model are not compared with those of another.

use crate::common::{Folder, M, inputs, json_lines};
use serde_json::Value;
use sibp::index::HammingIndex;

/// Two models of the same width, and codes of both.
fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.npy_f64("other.npy", M, &inputs(60, 5));
    for (name, data, seed) in [("a", "x.npy", 1), ("b", "other.npy", 2)] {
        folder.ok(&format!("hash fit {data} --method lsh --bits 13 --seed {seed} --quiet -o {name}.sibh"));
        folder.ok(&format!("encode {name}.sibh x.npy --quiet -o {name}.sibx"));
        folder.ok(&format!("encode {name}.sibh x.npy --quiet -o {name}.npy"));
    }
    folder
}

#[test]
fn a_wrong_model_of_the_same_width_is_refused() {
    let folder = folder();
    for line in [
        "search a.sibx b.sibx",
        "search a.sibx x.npy --model b.sibh",
        "search a.sibx a.sibx --weighted b.sibh",
        "search a.sibx --id 3 --weighted b.sibh",
        "eval a.sibx b.sibx --labels y.npy --database-labels y.npy",
        "predict a.sibx b.sibx --labels y.npy",
        "index add a.sibx b.sibx",
    ] {
        folder.fails(line, &["a.sibx holds codes of the encoder", "b.sib", "mean different things", "--any-encoder"]);
        folder.ok(&format!("{line} --any-encoder"));
        folder.ok("encode a.sibh x.npy --quiet -o a.sibx");
    }
    for line in ["search a.sibx a.npy", "index add a.sibx a.npy", "predict a.sibx a.npy --labels y.npy"] {
        folder.fails(line, &["a.sibx", "a.npy does not say what made its codes", "--any-encoder"]);
        folder.ok(&format!("{line} --any-encoder"));
        folder.ok("encode a.sibh x.npy --quiet -o a.sibx");
    }
    for line in ["search a.sibx a.sibx", "search a.sibx x.npy --model a.sibh", "search a.sibx --id 3 --weighted a.sibh"]
    {
        folder.ok(line);
    }
    // Codes that say nothing are searched as before.
    folder.ok("index build a.npy --bits 13 --quiet -o silent.sibx");
    folder.ok("search silent.sibx x.npy --model b.sibh");
    folder.ok("search a.npy b.npy");
}

#[test]
fn a_file_of_codes_that_is_not_there_is_named() {
    let folder = folder();
    for line in ["search a.sibx none.npy", "index add a.sibx none.npy", "predict a.sibx none.npy --labels y.npy"] {
        folder.fails(line, &["none.npy", "No such file"]);
    }
}

#[test]
fn the_same_seed_on_other_data_is_another_encoder() {
    let folder = folder();
    folder.ok("hash fit other.npy --method lsh --bits 13 --seed 1 --quiet -o c.sibh");
    folder.fails("search a.sibx x.npy --model c.sibh", &["mean different things"]);
}

#[test]
fn draws_make_the_encoder_and_ways_of_encoding_do_not() {
    let folder = Folder::with_data();
    folder
        .ok("fit x.npy --labels y.npy --model probit --seed 1 --sweeps 20 --chains 2 --per-object 8 --quiet -o m.sibp");
    folder.ok("encode m.sibp x.npy --quiet -o codes.sibx");
    folder.ok("encode m.sibp --training --quiet -o learned.sibx");
    folder.ok("encode m.sibp x.npy --encoder drawn --quiet -o drawn.sibx");
    folder.ok("search learned.sibx codes.sibx -k 1");
    folder.ok("search drawn.sibx x.npy --model m.sibp -k 1");
    // A copy of the model is the same encoder, and so is the same fit again.
    std::fs::copy(folder.path("m.sibp"), folder.path("copy.sibp")).unwrap();
    folder.ok("search codes.sibx x.npy --model copy.sibp -k 1");
    folder.ok("encode m.sibp x.npy --code last --quiet -o last.sibx");
    let encoder = |name: &str| HammingIndex::open(&folder.path(name)).unwrap().encoder();
    assert!(encoder("codes.sibx").is_some() && encoder("codes.sibx") != encoder("last.sibx"));
    let info: Value = serde_json::from_str(&folder.ok("index info codes.sibx --json")).unwrap();
    assert_eq!(info["encoder"], encoder("codes.sibx").unwrap().hex());
    assert!(folder.ok("index info codes.sibx").contains(&encoder("codes.sibx").unwrap().to_string()));
}

#[test]
fn an_index_that_is_extended_forgets_its_encoder_unless_told() {
    let folder = folder();
    folder.npy_u8("bit.npy", 1, &[1; 60]);
    let ran = folder.run("index extend a.sibx bit.npy -o longer.sibx");
    assert!(ran.code == 0 && ran.stderr.contains("does not know any more"), "{}", ran.stderr);
    assert_eq!(HammingIndex::open(&folder.path("longer.sibx")).unwrap().encoder(), None);
    folder.ok("hash fit x.npy --method lsh --bits 14 --seed 1 --quiet -o wider.sibh");
    folder.ok("index extend a.sibx bit.npy --model wider.sibh -o longer.sibx");
    let lines = json_lines(&folder.ok("search longer.sibx x.npy --model wider.sibh -k 1 --json"));
    assert_eq!(lines.len(), 60);
    folder.fails("index extend a.sibx bit.npy --model a.sibh -o x.sibx", &["14 bits", "13"]);
}

#[test]
fn indexes_of_before_load_and_are_written_as_before() {
    let folder = folder();
    folder.ok("index build a.npy --bits 13 --quiet -o old.sibx");
    assert_eq!(folder.read("old.sibx")[8], 1, "nothing needs the newer version");
    folder.ok("index add old.sibx a.npy --quiet");
    assert_eq!(folder.read("old.sibx")[8], 1);
}
