//! Tests encoders that leave their model: `sibp export --to encoder`, and the commands that take what it writes.

use crate::common::Folder;

/// A probit model with unsupervised bits, its encoder, and codes of both.
fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.ok(
        "fit x.npy --labels y.npy --seed 1 --sweeps 20 --per-object 8 --unsupervised-bits 5 --no-rehearsal --quiet -o m.sibp",
    );
    folder.ok("export m.sibp --to encoder --quiet -o m.sibe");
    folder
}

#[test]
fn its_codes_weights_and_distances_are_those_of_the_model() {
    let folder = folder();
    let ran = folder.run("export m.sibp --to encoder -o again.sibe");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("again.sibe: ") && ran.stderr.ends_with(" bytes\n"), "{}", ran.stderr);
    assert_eq!(folder.read("again.sibe"), folder.read("m.sibe"));
    for format in ["packed", "bits"] {
        folder.ok(&format!("encode m.sibp x.npy --format {format} --quiet -o a.npy"));
        folder.ok(&format!("encode m.sibe x.npy --format {format} --quiet -o b.npy"));
        assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    }
    folder.ok("encode m.sibp x.npy --quiet -o a.sibx");
    folder.ok("encode m.sibe x.npy --quiet -o b.sibx");
    assert_eq!(folder.read("a.sibx"), folder.read("b.sibx"));
    for options in ["", "--weighted m.sib?", "--expected"] {
        let with = |ending: &str| {
            let options = options.replace("sib?", ending);
            folder.ok(&format!("search a.sibx x.npy --model m.{ending} {options} -k 3 --json"))
        };
        assert_eq!(with("sibe"), with("sibp"), "{options}");
    }
}

#[test]
fn it_is_small_and_tells_what_it_is() {
    let folder = folder();
    let (model, encoder) = (folder.read("m.sibp").len(), folder.read("m.sibe").len());
    assert!(encoder < model / 2, "{encoder} of {model} bytes");
    let words = folder.ok("inspect m.sibe");
    for word in ["m.sibe", "Super Probit IBP", "6 inputs", "unsupervised", "5 bits", "no draws"] {
        assert!(words.contains(word), "{word}: {words}");
    }
    let facts: serde_json::Value = serde_json::from_str(&folder.ok("inspect m.sibe --json")).unwrap();
    let model: serde_json::Value = serde_json::from_str(&folder.ok("inspect m.sibp --json")).unwrap();
    for count in ["bits", "given_bits", "learned_bits", "unsupervised_bits"] {
        assert_eq!(facts["code"][count], model["code"][count], "{count}");
    }
    assert_eq!(facts["fingerprint"].as_str().unwrap().len(), 64);
    let summary = folder.ok("export m.sibp --to encoder -o again.sibe --json");
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["bytes"].as_u64(), Some(encoder as u64));
    assert_eq!(summary["fingerprint"], facts["fingerprint"]);
}

#[test]
fn commands_that_need_draws_say_that_it_has_none() {
    let folder = folder();
    folder.write("t.csv", "anchor,near,far\n0,3,1\n");
    for line in [
        "explain m.sibe x.npy 0 1",
        "encode m.sibe --training -o c.npy",
        "predict m.sibe x.npy",
        "eval m.sibe x.npy --labels y.npy",
        "prefer m.sibe x.npy --triplets t.csv",
        "report m.sibe -o r.html",
        "ask m.sibe x.npy -n 2 -o q.csv",
        "extend m.sibe x.npy --labels y.npy -o h.sibh",
        "export m.sibe --to encoder -o n.sibe",
    ] {
        folder.fails(line, &["m.sibe is an encoder", "it has no draws and no training objects", "give the model"]);
    }
    folder.misused("encode m.sibe x.npy --code last -o c.npy", &["--code goes with a model", "m.sibe"]);
    folder.misused("encode m.sibe x.npy --encoder drawn -o c.npy", &["--encoder goes with a model"]);
    folder.misused("export m.sibp --to encoder --bits 3 -o c.sibe", &["--bits"]);
    folder.misused("export m.sibp --to encoder -o c.sibp", &["an encoder, whose name ends in .sibe"]);
}

#[test]
fn what_cannot_leave_its_model_says_what_can() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --model ddibp --seed 1 --sweeps 5 --quiet --no-rehearsal -o d.sibp");
    folder.fails("export d.sibp --to encoder -o d.sibe", &["links", "cannot leave its model", "choose best-code"]);
    folder.ok("export d.sibp --to encoder --encoder best-code --quiet -o d.sibe");
    folder.ok("encode d.sibp x.npy --encoder best-code --quiet -o a.npy");
    folder.ok("encode d.sibe x.npy --quiet -o b.npy");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    folder.ok("hash fit x.npy --method itq --bits 5 -o h.sibh");
    folder.misused("export h.sibh --to encoder -o h.sibe", &["a hash is its own encoder"]);
}

#[test]
fn missing_values_are_filled_in_as_by_the_model() {
    let folder = Folder::new();
    let rows: String = (0..60)
        .map(|at| {
            format!("{}.5,{},{}\n", at % 7, at % 3 * 4, if at % 9 == 0 { String::new() } else { (at % 5).to_string() })
        })
        .collect();
    folder.write("x.csv", format!("a,b,c\n{rows}"));
    folder.write("y.csv", (0..60).map(|at| format!("k{}\n", at % 3)).collect::<String>());
    folder.ok("fit x.csv --labels y.csv --missing mean --seed 1 --sweeps 10 --quiet --no-rehearsal -o m.sibp");
    folder.ok("export m.sibp --to encoder --quiet -o m.sibe");
    folder.ok("encode m.sibp x.csv --quiet -o a.npy");
    folder.ok("encode m.sibe x.csv --quiet -o b.npy");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    // Columns are taken by their names from the encoder too.
    folder.write("other.csv", "c,a,b\n1,0.5,4\n");
    folder.write("same.csv", "a,b,c\n0.5,4,1\n");
    folder.ok("encode m.sibe other.csv --quiet -o a.npy");
    folder.ok("encode m.sibe same.csv --quiet -o b.npy");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
}
