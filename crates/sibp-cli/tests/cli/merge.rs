//! Tests `sibp fit --chain` and `sibp merge`: parts give the bytes of one run, and nothing else is merged.

use crate::common::Folder;

/// Runs a fit at once and chain by chain, and compares the bytes; the options of `merge` come last.
fn same_bytes(folder: &Folder, fit: &str, chains: usize, merge: &str) {
    folder.ok(&format!("fit {fit} --chains {chains} --seed 7 --quiet --force -o whole.sibp"));
    // From the last to the first, on one thread or several: neither matters.
    for chain in (1..=chains).rev() {
        let threads = 1 + chain % 2;
        let line = format!("fit {fit} --chain {chain}/{chains} --threads {threads} --seed 7 --quiet --force");
        folder.ok(&format!("{line} -o part{chain}.sibp"));
    }
    let parts: String = (1..=chains).map(|chain| format!(" part{chain}.sibp")).collect();
    folder.ok(&format!("merge{parts} --quiet --force -o merged.sibp {merge}"));
    assert!(folder.read("merged.sibp") == folder.read("whole.sibp"), "{fit}");
}

fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.write("t.csv", triplets(60));
    folder
}

/// Answers of two judges, with errors.
fn triplets(n: usize) -> String {
    let row = |at: usize| {
        let (anchor, near, far) = (at % 60, (at * 7 + 3) % 60, (at * 11 + 1) % 60);
        (anchor != near && near != far && anchor != far)
            .then(|| format!("{anchor},{near},{far},{}\n", ["ann", "bob"][at % 2]))
    };
    "anchor,near,far,judge\n".to_owned() + &(0..n * 5).filter_map(row).collect::<String>()
}

#[test]
fn parts_of_labels_give_the_bytes_of_one_run() {
    let folder = folder();
    let fit = "x.npy --labels y.npy --sweeps 8 --per-object 5";
    same_bytes(&folder, fit, 3, "");
    same_bytes(&folder, &format!("{fit} --no-rehearsal --unsupervised-bits 4"), 2, "");
    same_bytes(&folder, &format!("{fit} --no-rehearsal --max-bits 3"), 2, "--inputs x.npy");
    same_bytes(&folder, &format!("{fit} --distil 6"), 3, "--inputs x.npy");
    // Nobody chose sweeps, so the fit does, in every part alike.
    same_bytes(&folder, "x.npy --labels y.npy --transform anchors:20 --no-rehearsal", 2, "");
    same_bytes(&folder, "x.npy --labels y.npy --transform anchors:20 --no-rehearsal --max-bits 4", 2, "--inputs x.npy");
}

#[test]
fn parts_of_other_models_give_the_bytes_of_one_run() {
    let folder = folder();
    for model in ["gaussian", "ibp", "ddibp"] {
        same_bytes(&folder, &format!("x.npy --labels y.npy --model {model} --sweeps 6"), 3, "");
    }
}

#[test]
fn parts_of_triplets_give_the_bytes_of_one_run() {
    let folder = folder();
    let fit = "x.npy --triplets t.csv --sweeps 8";
    same_bytes(&folder, fit, 4, "--inputs x.npy");
    same_bytes(&folder, &format!("{fit} --distil 0 --no-rehearsal"), 2, "");
    folder.npy_u8("g.npy", 2, &(0..120).map(|at| u8::from(at % 3 == 0)).collect::<Vec<_>>());
    same_bytes(&folder, &format!("{fit} --given-bits g.npy --no-rehearsal"), 2, "--inputs x.npy");
    same_bytes(&folder, "--triplets t.csv --sweeps 8", 2, "");
    // Chains that go on from an earlier fit.
    folder.ok("fit x.npy --triplets t.csv --chains 2 --sweeps 6 --seed 1 --quiet -o before.sibp");
    same_bytes(&folder, &format!("{fit} --continue before.sibp --distil 0 --no-rehearsal"), 2, "");
}

#[test]
fn a_part_can_be_interrupted_looked_at_and_goes_on() {
    let folder = folder();
    let fit = "fit x.npy --labels y.npy --per-object 5 --no-rehearsal --unsupervised-bits 0 --seed 7 --quiet";
    folder.ok(&format!("{fit} --sweeps 40 --chains 2 -o whole.sibp"));
    folder.ok(&format!("{fit} --sweeps 20 --chain 1/2 -o p1.sibp"));
    folder.ok(&format!("{fit} --sweeps 40 --chain 1/2 --resume -o p1.sibp"));
    folder.ok(&format!("{fit} --sweeps 40 --chain 2/2 -o p2.sibp"));
    folder.ok("merge p2.sibp p1.sibp --quiet -o m.sibp");
    assert!(folder.read("m.sibp") == folder.read("whole.sibp"));
    assert!(folder.ok("inspect p2.sibp").contains("chain 2 of 2"));
    folder.fails(&format!("{fit} --sweeps 80 --chain 2/2 --resume -o p1.sibp"), &["part.chain was 1 and is now 2"]);
}

#[test]
fn missing_doubled_and_foreign_parts_are_errors_by_name() {
    let folder = folder();
    let fit = "fit x.npy --labels y.npy --sweeps 4 --per-object 3 --no-rehearsal --unsupervised-bits 0 --quiet";
    for chain in 1..=3 {
        folder.ok(&format!("{fit} --seed 7 --chain {chain}/3 -o p{chain}.sibp"));
    }
    folder.fails("merge p2.sibp -o m.sibp", &["chains 1 and 3 of 3 missing", "--chain 1/3"]);
    std::fs::copy(folder.path("p1.sibp"), folder.path("again.sibp")).unwrap();
    let doubled = "merge p1.sibp p2.sibp again.sibp p3.sibp -o m.sibp";
    folder.fails(doubled, &["p1.sibp and again.sibp both hold chain 1"]);
    for (change, field) in [
        ("--seed 8", "settings.seed"),
        ("--seed 7 --pseudo-weight 3", "model.preference.pseudo_weight"),
        ("--seed 7 --transform centre", "transform"),
        ("--seed 7 --max-bits 20", "part.max_bits"),
    ] {
        folder.ok(&format!("{fit} {change} --chain 2/3 --force -o other.sibp"));
        let words = ["other.sibp is part of another fit", field, "that of p1.sibp is"];
        folder.fails("merge p1.sibp other.sibp p3.sibp -o m.sibp", &words);
    }
    folder.ok(&format!("{fit} --seed 7 --chain 2/4 -o other.sibp"));
    folder.fails("merge p1.sibp other.sibp p3.sibp -o m.sibp", &["other.sibp", "part.of is 4", "p1.sibp is 3"]);
    let mut values = crate::common::inputs(crate::common::N, 0);
    values[0] += 1.0;
    folder.npy_f64("x2.npy", crate::common::M, &values);
    let other = fit.replace("x.npy", "x2.npy");
    folder.ok(&format!("{other} --seed 7 --chain 2/3 --force -o other.sibp"));
    folder.fails("merge p1.sibp other.sibp p3.sibp -o m.sibp", &["other.sibp", "digests.features"]);
    folder.ok(&format!("{fit} --seed 7 --chains 1 -o whole.sibp"));
    folder.fails("merge p1.sibp whole.sibp p3.sibp -o m.sibp", &["whole.sibp is no part of a fit"]);
    assert!(!folder.path("m.sibp").exists());
}

#[test]
fn inputs_are_asked_for_where_they_are_needed_and_must_be_those_of_the_fit() {
    let folder = folder();
    for chain in 1..=2 {
        folder.ok(&format!(
            "fit x.npy --triplets t.csv --sweeps 6 --no-rehearsal --seed 7 --quiet --chain {chain}/2 -o p{chain}.sibp"
        ));
    }
    folder.misused("merge p1.sibp p2.sibp -o m.sibp", &["one code of 128 bits is to stand for all chains", "--inputs"]);
    folder.npy_f64("x2.npy", crate::common::M, &crate::common::inputs(crate::common::N, 5));
    folder.fails("merge p1.sibp p2.sibp --inputs x2.npy -o m.sibp", &["x2.npy: these are not the inputs"]);
    let said = folder.run("merge p1.sibp p2.sibp --inputs x.npy -o m.sibp");
    assert!(said.code == 0 && said.stderr.starts_with("m.sibp: 2 chains, "), "{}", said.stderr);
    for (line, word) in [
        ("fit x.npy --labels y.npy --chain 3/2 -o p.sibp", "chains are 1 to 2"),
        ("fit x.npy --labels y.npy --chain 0/2 -o p.sibp", "chains are 1 to 2"),
        ("fit x.npy --labels y.npy --chain two -o p.sibp", "3/8"),
        ("fit x.npy --labels y.npy --chain 1/2 --chains 2 -o p.sibp", "cannot be used with"),
    ] {
        folder.misused(line, &[word]);
    }
}
