//! Tests the figures: what is written, that a seed fixes it, that an interrupted run goes on, and what is refused.

use crate::common::{Folder, Heard, fails, heights};
use sibp_paper::figures::{Figure, FigureArgs, render, run};
use sibp_paper::{BUILD, Silent, Talk};

const CATEGORIES: [&str; 10] =
    ["#3b82f6", "#f07d24", "#1fa874", "#d9467e", "#8b5cf6", "#b59a0a", "#0fa3b1", "#a36a4a", "#555555", "#9bc53d"];
const INK: &str = "#111111";
const GIVEN: &str = "#f07d24";

fn short<'a>(folder: &Folder, out: &str, talk: &'a dyn Talk) -> FigureArgs<'a> {
    FigureArgs { out: folder.path(out), seed: 1, sweeps: 15, chains: 2, per_object: 3, threads: 0, talk }
}

/// Cells of one object and one bit that a picture has in a colour; runs of them are drawn as one rectangle.
fn n_cells(svg: &str, colour: &str, panel_height: f64) -> usize {
    let cell = (panel_height - 24.0) / 150.0;
    heights(svg, colour).iter().map(|height| (height / cell).round() as usize).sum()
}

/// Bits that are 1 in a range of every code.
fn n_ones(codes: &str, bits: impl Fn(&str) -> &str) -> usize {
    let cells = codes.lines().skip(1).flat_map(|line| line.split(',').skip(3));
    cells.map(|code| bits(code).matches('1').count()).sum()
}

#[test]
fn figure_2_writes_numbers_codes_and_a_picture() {
    let folder = Folder::new();
    let printed = run(Figure::Two, &short(&folder, "figures", &Silent)).unwrap();
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
    assert!(numbers.lines().skip(1).all(|line| line.ends_with(BUILD)), "{numbers}");
    // The page is laid out from the CSV files alone.
    assert_eq!(render(Figure::Two, &folder.path("figures")).unwrap(), printed);
    folder.write("figures/fig2.csv", numbers.replacen("Super Gaussian IBP,0,", "Super Gaussian IBP,0,9", 1));
    assert_ne!(render(Figure::Two, &folder.path("figures")).unwrap(), printed);
    folder.write("figures/fig2.csv", numbers.replacen(BUILD, "0123456789abcdef", 1));
    fails(render(Figure::Two, &folder.path("figures")), &["fig2.csv", "0123456789abcdef", BUILD]);
    let svg = folder.text("figures/fig2.svg");
    assert!(svg.contains("(a) data") && svg.contains("(f) Output dd-IBP"), "{}", &svg[..200]);
    assert_eq!(svg.matches("<circle").count(), 150);
    for colour in CATEGORIES {
        let of_colour = svg.lines().filter(|line| line.starts_with("<circle") && line.contains(colour));
        assert_eq!(of_colour.count(), 15, "{colour}");
    }
    assert_eq!(n_cells(&svg, INK, 330.0), n_ones(&codes, |code| code));
}

#[test]
fn a_seed_fixes_the_codes_on_any_number_of_threads() {
    let folder = Folder::new();
    for (name, threads, seed) in [("one", 1, 1), ("two", 2, 1), ("other", 0, 2)] {
        run(Figure::Three, &FigureArgs { threads, seed, ..short(&folder, name, &Silent) }).unwrap();
    }
    let codes = folder.text("one/fig3-codes.csv");
    assert!(codes == folder.text("two/fig3-codes.csv"));
    assert!(folder.text("one/fig3.svg") == folder.text("two/fig3.svg"));
    assert!(codes != folder.text("other/fig3-codes.csv"));
    // Categories 1 and 2 share the five given bits, which come first.
    assert!(codes.lines().skip(1).take(30).all(|line| line.split(',').skip(3).all(|code| code.starts_with("01101"))));
    assert!(folder.text("one/fig3.md").contains("| 5 + "));
    // Given bits have a colour of their own, and so have the lines as high as a panel between them and learned ones.
    let svg = folder.text("one/fig3.svg");
    let n_lines = svg.lines().filter(|line| line.contains("width=\"1.00\"") && line.contains(GIVEN)).count();
    assert_eq!(n_cells(&svg, GIVEN, 420.0) - 150 * n_lines, n_ones(&codes, |code| &code[..5]));
    assert_eq!(n_cells(&svg, INK, 420.0), n_ones(&codes, |code| &code[5..]));
}

#[test]
fn an_interrupted_figure_goes_on_to_the_same_files() {
    let folder = Folder::new();
    run(Figure::Three, &short(&folder, "whole", &Silent)).unwrap();
    let heard = Heard::default();
    heard.ask_to_stop();
    fails(run(Figure::Three, &short(&folder, "cut", &heard)), &["stopped", "the same command goes on"]);
    assert!(!folder.has("cut/fig3.md"));
    run(Figure::Three, &short(&folder, "cut", &Silent)).unwrap();
    std::fs::remove_file(folder.path("cut/results/fig3-super-probit-ibp.json")).unwrap();
    let heard = Heard::default();
    run(Figure::Three, &short(&folder, "cut", &heard)).unwrap();
    let said = heard.all();
    assert!(said.contains("Super Gaussian IBP: there already"), "{said}");
    assert!(said.contains("Super Probit IBP: 2 chains of 15 sweeps"), "{said}");
    for name in ["fig3-codes.csv", "fig3.svg"] {
        assert!(folder.text(&format!("whole/{name}")) == folder.text(&format!("cut/{name}")), "{name} differs");
    }
    // So are those of another build.
    let name = "cut/results/fig3-super-probit-ibp.json";
    folder.write(name, folder.text(name).replace(BUILD, "0123456789abcdef"));
    let heard = Heard::default();
    run(Figure::Three, &short(&folder, "cut", &heard)).unwrap();
    assert!(heard.all().contains("Super Probit IBP: 2 chains") && heard.all().contains("Gaussian IBP: there already"));
    // Other settings are other results.
    let heard = Heard::default();
    run(Figure::Three, &FigureArgs { sweeps: 16, ..short(&folder, "cut", &heard) }).unwrap();
    assert!(!heard.all().contains("already"), "{}", heard.all());
}

#[test]
fn what_cannot_be_written_or_run_is_named() {
    let folder = Folder::new();
    folder.write("file", "");
    fails(run(Figure::Three, &short(&folder, "file", &Silent)), &["file", "cannot make the folder"]);
    let none = FigureArgs { chains: 0, ..short(&folder, "figures", &Silent) };
    fails(run(Figure::Two, &none), &["number of chains is 0"]);
    assert!(!folder.has("figures/fig2.md"));
}
