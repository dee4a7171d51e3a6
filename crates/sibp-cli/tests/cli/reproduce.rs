//! Tests `sibp reproduce` as a door: that options arrive, what is printed, exit codes and Ctrl-C.

use crate::common::{Folder, signal, wait_for};
use std::process::Stdio;

const DIGITS: &str = "--dataset digits --splits split5.csv --sweeps 3 --chains 1 --per-object 2 --seed 7 --threads 2";

#[test]
fn figures_print_their_numbers_and_say_what_is_written() {
    let folder = Folder::new();
    for (name, options, words) in [
        ("fig2", "--sweeps 6 --chains 1", ["(a) data", "(f) Output dd-IBP"]),
        ("fig3", "--sweeps 5 --chains 3 --threads 1", ["(a) Super Gaussian IBP, 5 given", "(b) Super Probit IBP"]),
    ] {
        let line = format!("reproduce {name} --out figures --seed 4 --per-object 2 {options}");
        let ran = folder.run(&line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.stdout, folder.text(&format!("figures/{name}.md")));
        // 150 anchors with all pairs of two near and two far objects.
        assert!(ran.stdout.contains("seed 4; 600 triplets"), "{}", ran.stdout);
        let n = |option: &str| options.split(option).nth(1).unwrap().split(' ').nth(1).unwrap();
        let chains = format!("{} of {} sweeps a model, seed 4", n("--chains"), n("--sweeps"));
        assert!(ran.stdout.contains(&chains), "{}", ran.stdout);
        let written =
            format!("written: {name}.md, {name}.csv, {name}-about.csv, {name}-codes.csv, {name}.svg in figures\n");
        assert!(ran.stderr.ends_with(&written), "{}", ran.stderr);
        let svg = folder.text(&format!("figures/{name}.svg"));
        assert!(words.iter().all(|title| svg.contains(title)), "{svg}");
        let again = folder.run(&format!("{line} --quiet"));
        assert_eq!((again.code, again.stderr.as_str()), (0, ""), "quiet");
        assert_eq!(again.stdout, ran.stdout, "what is kept is taken");
        std::fs::remove_dir_all(folder.path("figures/results")).unwrap();
        let rendered = folder.run(&format!("reproduce {name} --out figures --render"));
        assert_eq!((rendered.code, rendered.stdout), (0, ran.stdout), "from CSV files alone");
    }
}

#[test]
fn tables_print_their_numbers_and_say_what_is_written() {
    let folder = Folder::new();
    for (name, words) in [
        ("table1", "# Table 1: k-NN accuracy of codes"),
        ("table2", "# Table 2: linear SVM against 30-NN of Super Probit codes"),
        ("table3", "# Table 3: last draw against average over draws"),
    ] {
        let ran = folder.run(&format!("reproduce {name} --out out {DIGITS} --given none"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.stdout, folder.text(&format!("out/{name}.md")));
        assert!(ran.stdout.starts_with(words), "{}", ran.stdout);
        let settings =
            "seeds 7 to 11, one a repeat; 3 sweeps; 1 chain of the Super Probit IBP, one of every other model; 2 near";
        assert!(ran.stdout.contains(settings), "{}", ran.stdout);
        assert!(ran.stdout.contains("split5 (5 repeats;") && !ran.stdout.contains("split10"), "{}", ran.stdout);
        let written = format!("written: {name}.md, {name}.csv, {name}-about.csv, {name}.svg in out\n");
        assert!(ran.stderr.ends_with(&written), "{}", ran.stderr);
        assert!(folder.text(&format!("out/{name}.svg")).contains(": percent right"));
        let again = folder.run(&format!("reproduce {name} --out out {DIGITS} --given none --quiet"));
        assert_eq!((again.code, again.stderr.as_str()), (0, ""), "quiet");
        let rendered = folder.run(&format!("reproduce {name} --out out --render"));
        assert_eq!((rendered.code, rendered.stdout), (0, ran.stdout), "from CSV files alone, without data");
    }
    folder.fails("reproduce table1 --out nowhere --render", &["nowhere", "table1", "cannot be read"]);
}

#[test]
fn ctrl_c_keeps_the_results_so_far() {
    let folder = Folder::new();
    // One fit after the other, so that four of five are still to do when the first is done.
    let line = format!("reproduce table3 --out cut {DIGITS}").replace("--threads 2", "--threads 1");
    let line = line.replace("--sweeps 3", "--sweeps 30");
    let child = folder.command(&line).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    wait_for(&folder.path("cut/results/split5-0-super-probit.json"));
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("results are kept in cut") && said.contains("goes on from there"), "{said}");
    assert!(output.stdout.is_empty() && !folder.has("cut/table3.md"));
    let again = folder.run(&line);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("results are there already"), "{}", again.stderr);
}

#[test]
fn what_cannot_be_written_or_run_is_named() {
    let folder = Folder::new();
    folder.write("file", "");
    folder.fails("reproduce fig3 --out file --quiet", &["file", "cannot make the folder"]);
    folder.misused("reproduce fig9 --out figures", &["fig9"]);
    folder.misused("reproduce fig2", &["--out"]);
    folder.fails("reproduce fig2 --out figures --chains 0 --quiet", &["number of chains is 0"]);
    assert!(!folder.has("figures/fig2.md"));
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.fails("reproduce table1 --out out --data empty --quiet", &["empty", "split10.csv", "Lampert"]);
    folder.fails(&format!("reproduce table1 --out file {DIGITS} --quiet"), &["file", "cannot make the folder"]);
    folder.misused("reproduce table1 --out out", &["--data", "--dataset digits"]);
    folder.misused("reproduce table1 --out out --data awa --dataset digits", &["cannot be used with"]);
    folder.misused("reproduce table1 --dataset digits", &["--out"]);
    folder.misused("reproduce table3 --out out --dataset letters", &["letters"]);
    folder.misused("reproduce table3 --out out --dataset digits --splits tiny.csv", &["split5.csv", "tiny.csv"]);
    folder.misused("reproduce table1 --out out --dataset digits --feature sift-hist", &["--feature"]);
    folder.misused("reproduce table1 --out out --dataset digits --given all", &["known, predicted and none"]);
    folder.misused("reproduce table1 --out out --dataset digits --given none,known", &["no attributes", "h z"]);
    assert!(!folder.has("out"), "nothing is begun that cannot be done");
}
