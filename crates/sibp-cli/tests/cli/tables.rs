//! Tests `sibp reproduce table1|table2|table3`: what is written, that an interrupted run goes on to the same files, and
//! what is refused.

use crate::common::{Folder, signal, wait_for};
use std::process::Stdio;

const N_INPUTS: usize = 6;
const OF_CLASS: usize = 24;
const TINY: &str = "--data awa --splits tiny.csv --sweeps 12 --chains 2 --per-object 3";

/// Six classes of which three are split, twice, in the layout of Animals with Attributes.
fn animals() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("awa")).unwrap();
    let (values, labels) = inputs();
    folder.npy_f64("awa/features.npy", N_INPUTS, &values);
    folder.npy_i64("awa/labels.npy", &labels);
    folder.write("awa/classes.txt", (1..=6).map(|id| format!("{id}\tanimal{id}\n")).collect::<String>());
    let colours = ["black", "white", "blue", "brown", "gray", "orange"];
    folder.write("awa/predicates.txt", (1..).zip(colours).map(|(id, c)| format!("{id}\t{c}\n")).collect::<String>());
    folder.write(
        "awa/predicate-matrix-binary.txt",
        "1 0 0 1 0 1\n0 1 0 1 0 1\n1 0 1 0 0 0\n0 1 1 0 1 0\n1 1 0 0 1 0\n0 0 1 1 0 1\n",
    );
    let mut split = "repeat,role,row,class_id\n".to_owned();
    for repeat in 0..2 {
        for (row, label) in labels[..3 * OF_CLASS].iter().enumerate() {
            let role = if (row + repeat * (row / 2)) % 2 == 0 { "train" } else { "test" };
            split.push_str(&format!("{repeat},{role},{row},{label}\n"));
        }
    }
    folder.write("awa/tiny.csv", split);
    folder
}

/// Inputs of 0 or more that tell the classes apart, but not always; labels are the ids 1 to 6.
fn inputs() -> (Vec<f64>, Vec<i64>) {
    let labels: Vec<i64> = (0..6 * OF_CLASS).map(|row| (row / OF_CLASS + 1) as i64).collect();
    let mut state = 7u64;
    let mut noise = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / f64::from(1u32 << 24)
    };
    let value = |at: usize| noise() + if at % N_INPUTS == at / N_INPUTS / OF_CLASS { 0.6 } else { 0.0 };
    ((0..6 * OF_CLASS * N_INPUTS).map(value).collect(), labels)
}

/// The Markdown without the line about time.
fn timeless(folder: &Folder, name: &str) -> String {
    folder.text(name).lines().filter(|line| !line.starts_with("Time: ")).collect::<Vec<_>>().join("\n")
}

fn same_files(folder: &Folder, one: &str, other: &str) {
    for name in ["table1.csv", "table1.svg", "table1.png"] {
        assert!(folder.read(&format!("{one}/{name}")) == folder.read(&format!("{other}/{name}")), "{name} differs");
    }
    assert_eq!(timeless(folder, &format!("{one}/table1.md")), timeless(folder, &format!("{other}/table1.md")));
}

/// Percent right of 1-NN by Euclidean distance, as the split file has it.
fn nearest_by_hand(folder: &Folder, repeat: usize) -> f64 {
    let (values, labels) = inputs();
    let split = folder.text("awa/tiny.csv");
    let rows = |role: &str| -> Vec<usize> {
        let lines = split.lines().filter(|line| line.starts_with(&format!("{repeat},{role},")));
        lines.map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect()
    };
    let input = |row: usize| &values[row * N_INPUTS..(row + 1) * N_INPUTS];
    let distance = |a: usize, b: usize| -> f64 { input(a).iter().zip(input(b)).map(|(a, b)| (a - b) * (a - b)).sum() };
    let (train, test) = (rows("train"), rows("test"));
    let nearest = |row: usize| *train.iter().min_by(|&&a, &&b| distance(a, row).total_cmp(&distance(b, row))).unwrap();
    let right = test.iter().filter(|&&row| labels[nearest(row)] == labels[row]).count();
    100.0 * right as f64 / test.len() as f64
}

#[test]
fn table_1_has_all_methods_and_tests() {
    let folder = animals();
    let printed = folder.ok(&format!("reproduce table1 --out out {TINY} --quiet"));
    assert_eq!(printed, folder.text("out/table1.md"));
    for words in [
        "| Hash | 5 |",
        "| IBP, ridge |",
        "| Input dd-IBP, ridge |",
        "| Output dd-IBP, links |",
        "| Super Gaussian IBP, best-code |",
        "| Super Probit IBP, last draw |",
        "| Super Probit IBP, chains side by side |",
        "| Reference, raw inputs | – |",
        "Super Probit IBP, last draw above Reference | 30-NN",
        "[h z], h of training objects true",
        "[h z], h predicted for all",
        "z alone",
        "black, white, blue, brown, gray",
        "seeds 1 to 2",
    ] {
        assert!(printed.contains(words), "{words} is missing in\n{printed}");
    }
    assert!(printed.contains("**"), "the best of a column is bold");
    let csv = folder.text("out/table1.csv");
    // Hash with two kinds of given bits; three kinds for the latent models, which are read in 4, 5, 5, 4 and 5 ways; two
    // references. Each on two repeats by four numbers of neighbours.
    assert_eq!(csv.lines().count(), 1 + (2 + 3 * (4 + 5 + 5 + 4 + 5) + 2) * 2 * 4, "{csv}");
    for repeat in 0..2 {
        let line =
            format!("tiny,3,reference,Reference,,{repeat},{},1,{:.4}", repeat + 1, nearest_by_hand(&folder, repeat));
        assert!(csv.lines().any(|found| found == line), "{line} is missing in\n{csv}");
    }
    assert!(folder.text("out/table1.svg").contains("3 categories, z alone"));
    assert_eq!(&folder.read("out/table1.png")[1..4], b"PNG");
}

#[test]
fn an_interrupted_table_goes_on_to_the_same_files() {
    let folder = animals();
    let line = |out: &str, threads: usize| {
        format!("reproduce table1 --out {out} {TINY} --threads {threads}").replace("--sweeps 12", "--sweeps 300")
    };
    folder.ok(&format!("{} --quiet", line("whole", 2)));
    let child = folder.command(&line("cut", 1)).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    wait_for(&folder.path("cut/results/tiny-0-super-probit-class.json"));
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("results are kept in cut") && said.contains("goes on from there"), "{said}");
    assert!(!folder.has("cut/table1.md"));
    let again = folder.run(&line("cut", 1));
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("results are there already"), "{}", again.stderr);
    same_files(&folder, "whole", "cut");
}

#[test]
fn other_settings_and_damaged_results_are_made_anew() {
    let folder = animals();
    folder.ok(&format!("reproduce table1 --out fresh {TINY} --quiet"));
    folder.ok(&format!("reproduce table1 --out used {TINY} --quiet").replace("--sweeps 12", "--sweeps 6"));
    let ran = folder.run(&format!("reproduce table1 --out used {TINY}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Two repeats of five latent models with three kinds of given bits; the others do not depend on sweeps.
    assert!(ran.stderr.contains("30 results made with other settings (sweeps): made anew"), "{}", ran.stderr);
    assert!(ran.stderr.contains("8 of 38 results are there already"), "{}", ran.stderr);
    same_files(&folder, "fresh", "used");
    // Of the three results that share a fit, only those are made that are not there.
    folder.write("used/results/tiny-1-ibp.json", "{\"settings\":");
    std::fs::remove_file(folder.path("used/results/tiny-1-ibp-predicted.json")).unwrap();
    let ran = folder.run(&format!("reproduce table1 --out used {TINY}"));
    assert!(ran.stderr.contains("36 of 38 results are there already"), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 of 2: ibp-predicted and ibp, tiny, repeat 1"), "{}", ran.stderr);
    assert!(ran.stdout.contains("this run made 2 of 38 results"), "{}", ran.stdout);
    same_files(&folder, "fresh", "used");
    // Other data are other results.
    let (mut values, _) = inputs();
    values[0] += 0.125;
    folder.npy_f64("awa/features.npy", N_INPUTS, &values);
    let ran = folder.run(&format!("reproduce table1 --out used {TINY}"));
    assert!(ran.stderr.contains("training data") && !ran.stderr.contains("there already"), "{}", ran.stderr);
}

#[test]
fn tables_2_and_3_share_the_fits() {
    let folder = animals();
    let third = folder.ok(&format!("reproduce table3 --out out {TINY} --quiet"));
    assert!(third.contains("| last | average |") && third.contains("6 kept draws"), "{third}");
    let ran = folder.run(&format!("reproduce table2 --out out {TINY}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("6 of 10 results are there already"), "{}", ran.stderr);
    assert_eq!(ran.stdout, folder.text("out/table2.md"));
    assert!(ran.stdout.contains("| Linear SVM |") && ran.stdout.contains("the linear SVM (p "), "{}", ran.stdout);
    for name in ["table2.csv", "table2.svg", "table2.png", "table3.csv", "table3.svg", "table3.png"] {
        assert!(folder.has(&format!("out/{name}")), "{name}");
    }
}

#[test]
fn parts_of_a_table_can_be_had_alone() {
    let folder = animals();
    folder.ok(&format!("reproduce table1 --out all {TINY} --quiet"));
    let printed = folder.ok(&format!("reproduce table1 --out part {TINY} --given none,predicted --quiet"));
    assert!(
        printed.contains("h predicted for all") && printed.contains("z alone") && !printed.contains("objects true")
    );
    // The same lines, without those of the part that was not asked for.
    let of_parts = |line: &&str| !line.contains("-class,");
    let (all, part) = (folder.text("all/table1.csv"), folder.text("part/table1.csv"));
    assert_eq!(all.lines().filter(of_parts).collect::<Vec<_>>(), part.lines().collect::<Vec<_>>());
    let alone = folder.ok(&format!("reproduce table1 --out part {TINY} --given none --quiet"));
    assert!(alone.contains("z alone") && !alone.contains("Given bits"), "{alone}");
    folder.misused(&format!("reproduce table1 --out out {TINY} --given all"), &["known, predicted and none"]);
    folder.misused("reproduce table1 --out out --dataset digits --given none,known", &["no attributes", "h z"]);
}

#[test]
fn digits_need_no_folder_and_have_no_attributes() {
    let folder = Folder::new();
    let options = "--dataset digits --splits split5.csv --sweeps 3 --chains 1 --per-object 2 --quiet";
    let printed = folder.ok(&format!("reproduce table1 --out out {options}"));
    assert!(!printed.contains("| Hash |") && !printed.contains("h predicted"), "{printed}");
    assert!(printed.contains("handwritten digits, 1,797 objects of 64 inputs; split5 (5 repeats;"), "{printed}");
    assert!(!printed.contains("paper, 1 / 3"), "the paper has no figures about digits:\n{printed}");
    // k-NN of raw digits is far above chance, whatever the models do in three sweeps.
    assert!(
        folder.text("out/table1.csv").lines().any(|line| line.starts_with("split5,5,reference,Reference,,0,1,1,9"))
    );
}

#[test]
fn missing_data_are_named_and_options_checked() {
    let folder = animals();
    std::fs::create_dir(folder.path("empty")).unwrap();
    let files =
        ["features.npy", "labels.npy", "classes.txt", "predicates.txt", "predicate-matrix-binary.txt", "split10.csv"];
    folder.fails("reproduce table1 --out out --data empty --quiet", &files);
    folder.fails("reproduce table2 --out out --data empty --quiet", &["empty", "--dataset digits", "Lampert"]);
    folder.misused("reproduce table1 --out out", &["--data", "--dataset digits"]);
    folder.misused("reproduce table1 --out out --data awa --dataset digits", &["cannot be used with"]);
    folder.misused("reproduce table1 --dataset digits", &["--out"]);
    folder.misused("reproduce table3 --out out --dataset letters", &["letters"]);
    folder.misused("reproduce table3 --out out --dataset digits --splits tiny.csv", &["split5.csv", "tiny.csv"]);
    folder.misused("reproduce table3 --out out --data awa --splits tiny.csv,tiny.csv", &["same name"]);
    folder.fails("reproduce table3 --out out --dataset digits --sweeps 0 --quiet", &["number of sweeps is 0"]);
    folder.fails("reproduce table3 --out out --dataset digits --chains 0 --quiet", &["number of chains is 0"]);
    folder.misused(&format!("reproduce table1 --out out {TINY} --feature sift-hist"), &["--feature", "awa"]);
    folder.misused("reproduce table1 --out out --dataset digits --feature sift-hist", &["--feature"]);
    folder.write("awa/predicate-matrix-binary.txt", "1 0 0 1 0\n0 1 2 1 0\n");
    folder.fails(&format!("reproduce table1 --out out {TINY}"), &["predicate-matrix-binary.txt", "line 2"]);
    folder.write("awa/predicate-matrix-binary.txt", "1 0 0 1 0\n0 1 1 1 0\n");
    folder.fails(&format!("reproduce table1 --out out {TINY}"), &["no line for the label 3"]);
    folder.write("file", "");
    folder.fails("reproduce table1 --out file --dataset digits --quiet", &["file", "cannot make the folder"]);
    assert!(!folder.has("out"), "nothing is begun that cannot be done");
}
