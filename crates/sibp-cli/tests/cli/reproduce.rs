//! Tests `sibp reproduce`: what it writes, that a seed fixes it, and what it refuses.

use crate::common::Folder;

const SHORT: &str = "--sweeps 15 --per-object 3 --quiet";

#[test]
fn figure_2_writes_numbers_codes_and_pictures() {
    let folder = Folder::new();
    let printed = folder.ok(&format!("reproduce fig2 --out figures {SHORT}"));
    assert_eq!(printed, folder.text("figures/fig2.md"));
    // 150 anchors with all pairs of three near and three far objects.
    for words in ["Super Gaussian IBP", "Super Probit IBP", "| IBP |", "Input dd-IBP", "Output dd-IBP", "1350 triplets"]
    {
        assert!(printed.contains(words), "{words} is missing in\n{printed}");
    }
    let numbers = folder.text("figures/fig2.csv");
    assert_eq!(numbers.lines().count(), 6, "{numbers}");
    let codes = folder.text("figures/fig2-codes.csv");
    assert_eq!(codes.lines().count(), 151);
    // The width of every code is the number of bits of its model.
    let widths: Vec<usize> = codes.lines().nth(1).unwrap().split(',').skip(3).map(str::len).collect();
    let bits: Vec<usize> =
        numbers.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
    assert_eq!(widths, bits);
    let svg = folder.text("figures/fig2.svg");
    assert!(svg.contains("(a) data") && svg.contains("(f) Output dd-IBP"), "{}", &svg[..200]);
    assert_eq!(svg.matches("<circle").count(), 150);
    assert_eq!(&folder.read("figures/fig2.png")[1..4], b"PNG");
}

#[test]
fn a_seed_fixes_the_codes_on_any_number_of_threads() {
    let folder = Folder::new();
    for (name, options) in [("one", "--threads 1"), ("two", "--threads 2"), ("other", "--seed 2")] {
        folder.ok(&format!("reproduce fig3 --out {name} {options} {SHORT}"));
    }
    assert!(folder.read("one/fig3-codes.csv") == folder.read("two/fig3-codes.csv"));
    assert!(folder.read("one/fig3.png") == folder.read("two/fig3.png"));
    assert!(folder.read("one/fig3-codes.csv") != folder.read("other/fig3-codes.csv"));
    // Categories 1 and 2 share the five given bits, which come first.
    let codes = folder.text("one/fig3-codes.csv");
    assert!(codes.lines().skip(1).take(30).all(|line| line.split(',').skip(3).all(|code| code.starts_with("01101"))));
    assert!(folder.text("one/fig3.md").contains("| 5 + "));
}

#[test]
fn an_interrupted_figure_goes_on_to_the_same_files() {
    let folder = Folder::new();
    let line = |out: &str| format!("reproduce fig3 --out {out} --sweeps 15 --per-object 3");
    folder.ok(&format!("{} --quiet", line("whole")));
    folder.ok(&format!("{} --quiet", line("cut")));
    std::fs::remove_file(folder.path("cut/results/fig3-super-probit-ibp.json")).unwrap();
    let ran = folder.run(&line("cut"));
    assert!(ran.stderr.contains("Super Gaussian IBP: there already"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Super Probit IBP: 2 chains of 15 sweeps"), "{}", ran.stderr);
    for name in ["fig3-codes.csv", "fig3.svg", "fig3.png"] {
        assert!(folder.read(&format!("whole/{name}")) == folder.read(&format!("cut/{name}")), "{name} differs");
    }
    // Other settings are other results.
    let ran = folder.run(&line("cut").replace("--sweeps 15", "--sweeps 16"));
    assert!(!ran.stderr.contains("already"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_written_or_run_is_named() {
    let folder = Folder::new();
    folder.write("file", "");
    folder.fails(&format!("reproduce fig3 --out file {SHORT}"), &["file", "cannot make the folder"]);
    folder.misused("reproduce fig9 --out figures", &["fig9"]);
    folder.misused("reproduce fig2", &["--out"]);
    folder.fails("reproduce fig2 --out figures --chains 0 --quiet", &["number of chains is 0"]);
    assert!(!folder.has("figures/fig2.md"));
}
