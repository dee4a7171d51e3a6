//! Tests `sibp fit`: what it writes, what it says, what it refuses.

use crate::common::{Folder, N};
use serde_json::Value;

const FIT: &str = "fit x.npy --labels y.npy --model gaussian --seed 1 --sweeps 20 --per-object 8";

#[test]
fn writes_a_model_and_talks_on_stderr_only() {
    let folder = Folder::with_data();
    let ran = folder.run(&format!("{FIT} -o m.sibp"));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("60 objects of 6 inputs, 480 triplets; model gaussian, 2 chains of 20 sweeps"));
    assert!(ran.stderr.contains("m.sibp: ") && ran.stderr.contains("triplets"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\x1b'), "escape codes without a terminal: {:?}", ran.stderr);
    assert!(folder.has("m.sibp") && !folder.has("m.sibp.checkpoint"));
}

#[test]
fn quiet_is_quiet_and_json_is_json() {
    let folder = Folder::with_data();
    let ran = folder.run(&format!("{FIT} --quiet -o m.sibp"));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let ran = folder.run(&format!("{FIT} --quiet --json -o m.sibp"));
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&summary["finished"], &summary["objects"], &summary["triplets"]),
        (&true.into(), &N.into(), &480.into())
    );
    assert!(summary["bits"].as_u64().unwrap() > 0);
    assert_eq!(summary["chains"].as_array().unwrap().len(), 2);
}

#[test]
fn same_seed_same_bytes_on_any_number_of_threads() {
    let folder = Folder::with_data();
    for threads in [1, 2, 8] {
        folder.ok(&format!("{FIT} --quiet --chains 3 --threads {threads} -o m{threads}.sibp"));
        assert!(folder.read(&format!("m{threads}.sibp")) == folder.read("m1.sibp"), "{threads} threads");
    }
    folder.ok("fit x.npy --labels y.npy --model gaussian --seed 2 --sweeps 20 --per-object 8 --chains 3 --quiet -o other.sibp");
    assert!(folder.read("other.sibp") != folder.read("m1.sibp"));
}

#[test]
fn labels_and_the_triplets_made_of_them_give_the_same_codes() {
    let folder = Folder::with_data();
    folder.ok("triplets from-labels y.npy --per-object 8 --seed 1 -o t.csv");
    folder.ok(&format!("{FIT} --quiet -o a.sibp"));
    folder.ok(
        "fit x.npy --triplets t.csv --model gaussian --preset hash --chains 2 --seed 1 --sweeps 20 --quiet -o b.sibp",
    );
    for model in ["a", "b"] {
        folder.ok(&format!("encode {model}.sibp x.npy --quiet -o {model}.npy"));
    }
    assert!(folder.read("a.npy") == folder.read("b.npy"));
}

#[test]
fn the_plain_ibp_needs_neither_labels_nor_triplets() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --model ibp --sweeps 10 --quiet -o m.sibp");
    folder.misused("fit x.npy --model ibp --triplets t.csv -o m.sibp", &["ibp", "triplets"]);
    folder.misused("fit x.npy --model ibp --scheme product -o m.sibp", &["--scheme"]);
}

#[test]
fn the_probit_model_goes_the_whole_way() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --seed 1 --sweeps 30 --per-object 8 --quiet -o p.sibp");
    let text = folder.ok("inspect p.sibp");
    assert!(text.contains("Super Probit IBP") && text.contains("standardised, scaled"), "{text}");
    folder.ok("encode p.sibp x.npy --quiet -o codes.npy");
    folder.ok("encode p.sibp x.npy --encoder drawn --quiet -o drawn.npy");
    folder.ok("report p.sibp --image 3x2 -o p.html");
    assert!(folder.text("p.html").contains("What each bit looks for"));
    folder.write("t.csv", "anchor,near,far\n0,3,1\n");
    assert_eq!(folder.ok("prefer p.sibp x.npy --triplets t.csv").lines().count(), 2);
    folder.misused("encode p.sibp x.npy --encoder ridge -o c.npy", &["refit or drawn"]);
    folder.ok(&format!("{FIT} --quiet -o g.sibp"));
    folder.misused("encode g.sibp x.npy --encoder refit -o c.npy", &["best-code"]);
}

#[test]
fn the_schedule_can_be_printed_and_changed() {
    let folder = Folder::with_data();
    let text = folder.ok("fit --model gaussian --print-schedule");
    assert!(text.starts_with("rows,") && text.contains("neighbourhoods:births="), "{text}");
    folder.write("s.json", folder.ok("fit --model gaussian --print-schedule --json"));
    let fit = |schedule: &str, out: &str| folder.ok(&format!("{FIT} --quiet --schedule {schedule} -o {out}"));
    fit(text.trim(), "a.sibp");
    fit("s.json", "b.sibp");
    fit("rows,variances*2", "c.sibp");
    folder.ok(&format!("{FIT} --quiet -o d.sibp"));
    assert!(folder.read("a.sibp") == folder.read("d.sibp") && folder.read("b.sibp") == folder.read("d.sibp"));
    assert!(folder.read("c.sibp") != folder.read("d.sibp"));
    assert!(folder.ok("inspect c.sibp").contains("rows,variances*2"));
    folder.misused(&format!("{FIT} --schedule rows,sleep -o m.sibp"), &["'sleep' is no step", "`rows`"]);
}

#[test]
fn settings_reach_the_model() {
    let folder = Folder::with_data();
    let options =
        "--preset paper --start hyperplanes:5 --lapse beta:1,50 --weights gamma:2,1 --pseudo-weight 0.5 --draws 3";
    folder.ok(&format!("{FIT} {options} --transform standardise,scale --quiet -o m.sibp"));
    let text = folder.ok("inspect m.sibp");
    for words in ["5 random hyperplanes", "Beta(1, 50)", "Gamma(2, 1)", "0.5", "3 draws of each kept"] {
        assert!(text.contains(words), "{words:?} is missing in\n{text}");
    }
}

#[test]
fn wrong_options_are_told_before_any_work() {
    let folder = Folder::with_data();
    folder.misused("fit x.npy -o m.sibp", &["--labels", "--triplets", "--model ibp"]);
    folder.misused("fit x.npy --labels y.npy", &["--out"]);
    folder.misused("fit x.npy --labels y.npy --time-limit soon -o m.sibp", &["soon", "90s"]);
    folder.misused("fit x.npy --labels y.npy --transform cube -o m.sibp", &["cube", "standardise"]);
    folder
        .misused("fit x.npy --labels y.npy --triplets t.csv --per-object 3 -o m.sibp", &["--per-object", "--triplets"]);
    folder.misused("fit x.npy --labels y.npy --sweeps 0 -o m.sibp", &["sweeps is 0"]);
    folder.misused("fit x.npy --labels y.npy --lapse 1 -o m.sibp", &["lapse"]);
    folder.misused("fit x.npy --labels y.npy --pseudo-weight -1 -o m.sibp", &["-1"]);
    folder.misused("fit x.npy --labels y.npy --model nothing -o m.sibp", &["nothing", "gaussian"]);
    folder.misused("fit x.npy --labels y.npy --label-column z -o m.sibp", &["--label-column"]);
    assert!(!folder.has("m.sibp"));
}

#[test]
fn a_folder_that_is_not_there_is_found_before_any_work() {
    let folder = Folder::with_data();
    folder.fails("fit x.npy --labels y.npy --sweeps 1000000000 --chains 1 -o missing/m.sibp", &["missing/m.sibp"]);
}

#[test]
fn a_split_takes_the_training_rows() {
    let folder = Folder::with_data();
    let rows: String = (0..N).map(|r| format!("0,{},{r}\n", if r % 2 == 0 { "train" } else { "test" })).collect();
    folder.write("split.csv", format!("repeat,role,row\n{rows}"));
    folder.ok(&format!("{FIT} --split split.csv --quiet -o m.sibp"));
    assert!(folder.ok("inspect m.sibp").contains("30 objects"));
    folder.misused(&format!("{FIT} --split split.csv --repeat 1 -o m.sibp"), &["no repeat 1"]);
    let result: Value =
        serde_json::from_str(&folder.ok("eval m.sibp x.npy --labels y.npy --split split.csv -k 1 --json")).unwrap();
    assert_eq!((&result["objects"], &result["codes"]), (&30.into(), &30.into()));
}

#[test]
fn tuning_prints_its_table_and_fits_with_what_it_chose() {
    let folder = Folder::with_data();
    let ran = folder
        .run("fit x.npy --labels y.npy --tune --transform standardise,scale --pseudo-weight 5 --sweeps 20 -o m.sibp");
    let open = "three lapse rates and three numbers of triplets are open, one of each to start from";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let rows: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("standardise,scale")).collect();
    assert_eq!(rows.len(), 5, "{open}: {}", ran.stderr);
    let chosen: Vec<&&str> = rows.iter().filter(|row| row.ends_with("chosen")).collect();
    let per_object = chosen[0].split_whitespace().nth(3).unwrap();
    let text = folder.ok("inspect m.sibp");
    assert!(chosen.len() == 1 && text.contains(&format!("{per_object} an object")), "{text}");
    folder.misused("fit x.npy --labels y.npy --tune --model gaussian -o g.sibp", &["--tune", "probit"]);
    folder.misused("fit x.npy --labels y.npy --tune --resume -o m.sibp", &["--tune", "--resume"]);
    folder.misused("fit x.npy --labels y.npy --tune --pseudo-weight=-1 -o g.sibp", &["pseudo-weight is -1"]);
    folder.write("few.csv", "anchor,near,far\n");
    folder.fails("fit x.npy --triplets few.csv --tune -o t.sibp", &["no triplet"]);
    assert!(!folder.has("g.sibp") && !folder.has("t.sibp"));
}

#[test]
fn sweeps_that_nobody_chose_end_where_held_out_agreement_is_flat() {
    let folder = Folder::with_data();
    let open = "fit x.npy --labels y.npy --model gaussian --seed 1 --per-object 8";
    let ran = folder.run(&format!("{open} -o m.sibp"));
    assert!(ran.code == 0 && ran.stderr.contains("sweeps by agreement with held-out triplets: "), "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&folder.ok(&format!("{open} --resume --json -q -o m.sibp"))).unwrap();
    let sweeps = summary["chains"][0]["sweeps"].as_u64().unwrap();
    assert!([62, 125, 250, 500].contains(&sweeps), "{summary}");
    // Stopped, it goes on to the same number of sweeps and to the same bytes, also with a time limit.
    folder.stopped(open, "part.sibp");
    folder.ok(&format!("{open} --resume --time-limit 1h -o part.sibp"));
    assert!(folder.read("part.sibp") == folder.read("m.sibp"));
    let quick: Value = serde_json::from_str(&folder.ok(&format!("{open} --effort quick --json -o q.sibp"))).unwrap();
    assert_eq!(quick["chains"].as_array().unwrap().len(), 1);
    folder.misused(&format!("{open} --effort most -o q.sibp"), &["most", "quick"]);
}
