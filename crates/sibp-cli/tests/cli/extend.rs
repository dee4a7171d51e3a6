//! Tests `sibp extend` and `sibp prune`: codes that grow and shrink through files.

use crate::common::{Folder, N};

const EXTEND: &str = "--labels y.npy --sweeps 30 --chains 2 --per-object 8 --seed 1";

/// A model of the small data set.
fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --seed 1 --sweeps 40 --per-object 8 --quiet -o m.sibp");
    folder
}

/// Rows of 0/1 columns, and how many columns there are.
fn bits(folder: &Folder, name: &str) -> (Vec<Vec<u8>>, usize) {
    let file = folder.read(name);
    let header = 10 + usize::from(file[8]) + 256 * usize::from(file[9]);
    let width = (file.len() - header) / N;
    (file[header..].chunks(width).map(<[u8]>::to_vec).collect(), width)
}

#[test]
fn a_model_that_knows_its_objects_is_not_extended() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --seed 1 --sweeps 40 --per-object 8 --quiet -o m.sibp");
    let ran = folder.run(&format!("extend m.sibp x.npy {EXTEND} -o g.sibh"));
    assert!(ran.code == 0 && ran.stderr.contains("nothing added"), "{}", ran.stderr);
    for (coder, codes) in [("m.sibp", "a.npy"), ("g.sibh", "b.npy")] {
        folder.ok(&format!("encode {coder} x.npy --quiet -o {codes}"));
    }
    assert!(folder.read("a.npy") == folder.read("b.npy"), "the stack gives the codes of its model");
    assert!(folder.ok("inspect g.sibh").contains("m.sibp"));
}

/// Given bits that tell the classes apart, so that none are learned, are a code like any other.
#[test]
fn a_model_whose_bits_are_all_given_encodes_and_is_extended() {
    let folder = Folder::with_data();
    folder.ok("hash fit x.npy --method hcsdh --labels y.npy --bits 64 -o classes.sibh --quiet");
    folder.ok(
        "fit x.npy --labels y.npy --given-bits classes.sibh --seed 1 --sweeps 40 --per-object 8 --quiet -o given.sibp",
    );
    let model: serde_json::Value = serde_json::from_str(&folder.ok("inspect given.sibp --json")).expect("JSON");
    assert_eq!(model["code"]["learned_bits"], 0, "{model}");
    let ran = folder.run(&format!("extend given.sibp x.npy {EXTEND} -o g.sibh"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (coder, codes) in [("given.sibp", "a.npy"), ("g.sibh", "b.npy")] {
        folder.ok(&format!("encode {coder} x.npy --format bits --quiet -o {codes}"));
    }
    let ((of_model, width), (of_stack, _)) = (bits(&folder, "a.npy"), bits(&folder, "b.npy"));
    assert_eq!(width, 64);
    assert!((0..N).all(|row| of_stack[row][..width] == of_model[row][..]), "the stack begins with the model's codes");
}

#[test]
fn a_poor_bit_is_extended_and_stays_first() {
    let folder = Folder::with_data();
    let poor: Vec<u8> = (0..N).map(|row| (row % 2) as u8).collect();
    folder.npy_u8("h.npy", 1, &poor);
    let json = folder.ok(&format!("extend --given-bits h.npy x.npy {EXTEND} --json -o g.sibh"));
    let summary: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let added = summary["added"].as_u64().expect("a number") as usize;
    assert!(added > 0 && summary["agreement_after"].as_f64() > summary["agreement_before"].as_f64(), "{json}");
    folder.ok("encode g.sibh x.npy --format bits --quiet -o predicted.npy");
    folder.ok("encode g.sibh x.npy --given-bits h.npy --format bits --quiet -o known.npy");
    let ((predicted, width), (known, _)) = (bits(&folder, "predicted.npy"), bits(&folder, "known.npy"));
    assert_eq!(width, 1 + added);
    for row in 0..N {
        assert_eq!(known[row][0], poor[row], "row {row}: known bits are kept");
        assert_eq!(known[row][1..], predicted[row][1..], "row {row}: learned bits do not depend on them");
    }
    // Again, from the file alone: what was remembered is there, and nothing more is needed.
    let ran = folder.run(&format!("extend g.sibh x.npy {EXTEND} -o g.sibh"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder.ok("encode g.sibh x.npy --format bits --quiet -o again.npy");
    let (again, _) = bits(&folder, "again.npy");
    assert!((0..N).all(|row| again[row][..width] == predicted[row][..]), "old codes are a prefix");
    folder.ok("encode g.sibh x.npy --quiet -o codes.npy");
    folder.ok("search codes.npy x.npy --model g.sibh -k 3");
    folder.ok("search codes.npy x.npy --model g.sibh --weighted g.sibh -k 3");
    folder.misused("search codes.npy x.npy --model g.sibh --expected -k 3", &["g.sibh", "probit"]);
}

#[test]
fn bits_that_nobody_needs_are_pruned() {
    let folder = folder();
    folder.ok("hash fit x.npy --method lsh --bits 20 --quiet -o h.sibh");
    let report = folder.ok("prune h.sibh x.npy --labels y.npy");
    assert!(report.contains("not needed") && report.contains("explains"), "{report}");
    let ran = folder.run("prune h.sibh x.npy --labels y.npy -o p.sibh");
    assert!(ran.code == 0 && ran.stderr.contains("of 20 bits"), "{}", ran.stderr);
    let json = folder.ok("prune p.sibh x.npy --labels y.npy --json");
    assert!(
        !json.contains("\"needed\": false") && !json.contains("\"needed\":false"),
        "what is left is needed: {json}"
    );
    folder.write("t.csv", "anchor,near,far\n0,3,1\n1,4,2\n");
    folder.ok("prune m.sibp x.npy --triplets t.csv");
}

#[test]
fn a_hash_as_given_bits_makes_them_predictable() {
    let folder = Folder::with_data();
    folder.ok("hash fit x.npy --method lsh --bits 3 --quiet -o h.sibh");
    folder.ok("hash encode h.sibh x.npy --format bits --quiet -o h.npy");
    let fit = "fit x.npy --labels y.npy --seed 1 --sweeps 20 --per-object 8 --quiet";
    folder.ok(&format!("{fit} --given-bits h.sibh -o a.sibp"));
    folder.ok(&format!("{fit} --given-bits h.npy -o b.sibp"));
    folder.ok("encode a.sibp x.npy --quiet -o a.npy");
    folder.ok("encode b.sibp x.npy --given-bits h.npy --quiet -o b.npy");
    assert!(folder.read("a.npy") == folder.read("b.npy"));
    folder.ok("search a.npy x.npy --model a.sibp -k 2");
    folder.ok("search a.npy x.npy --model a.sibp -k 2 --expected");
    folder.ok("predict a.sibp x.npy");
    folder.ok("eval a.sibp x.npy --labels y.npy");
    folder.ok(&format!("extend a.sibp x.npy {EXTEND} --quiet -o g.sibh"));
    folder.fails(&format!("extend b.sibp x.npy {EXTEND} -o n.sibh"), &["b.sibp", "h.npy", "cannot predict"]);
    folder.ok(&format!(
        "{fit} --given-bits h.sibh --tune --transform standardise,scale --pseudo-weight 10 --lapse 0.01 -o t.sibp"
    ));
    assert!(!folder.has("n.sibh"));
}

#[test]
fn mistakes_are_named_and_leave_nothing() {
    let folder = folder();
    folder.misused("extend m.sibp x.npy -o g.sibh", &["--labels", "--triplets"]);
    folder.misused(&format!("extend x.npy {EXTEND} -o g.sibh"), &["OLD", "--given-bits"]);
    folder.misused(&format!("extend m.sibp x.npy {EXTEND} -o g.sibp"), &["g.sibp", ".sibh"]);
    folder.misused(&format!("extend m.sibp x.npy {EXTEND} --transform up -o g.sibh"), &["--transform"]);
    folder.ok("fit x.npy --labels y.npy --model gaussian --sweeps 5 --per-object 4 --quiet -o z.sibp");
    folder.fails(&format!("extend z.sibp x.npy {EXTEND} -o g.sibh"), &["z.sibp", "probit"]);
    folder.npy_f64("narrow.npy", 1, &[0.0; N]);
    folder.fails(&format!("extend m.sibp narrow.npy {EXTEND} -o g.sibh"), &["1 columns", "fitted to 6"]);
    folder.npy_u8("two.npy", 1, &[2; N]);
    folder.fails(&format!("extend --given-bits two.npy x.npy {EXTEND} -o g.sibh"), &["row 0, column 0", "2 is no bit"]);
    folder.npy_u8("short.npy", 1, &[1, 0]);
    folder.fails(&format!("extend --given-bits short.npy x.npy {EXTEND} -o g.sibh"), &["short.npy", "2 rows"]);
    folder
        .fails(&format!("extend m.sibp x.npy {EXTEND} --remember narrow.npy -o g.sibh"), &["narrow.npy", "1 columns"]);
    folder.misused("prune m.sibp x.npy", &["--labels"]);
    folder.misused("prune m.sibp x.npy --labels y.npy -o p.npy", &["p.npy", ".sibh"]);
    folder.fails("prune m.sibp narrow.npy --labels y.npy", &["narrow.npy", "1 columns"]);
    assert!(!folder.has("g.sibh") && !folder.has("g.sibp"));
}
