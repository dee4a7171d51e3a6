//! Lays out Table 3: the last draw against the average over several draws.

use super::claims::{Comparison, TESTS, p_values};
use super::entries::{AVERAGE, Entry, LAST, LAST_FIFTY, System, words};
use super::layout::{Mark, Page, bits, cell};
use super::picture::{self, Group};
use super::results::{Results, Row};
use super::{NEIGHBOURS, paper};
use std::fmt::Write as _;

/// The methods of Table 3: one fit of each gives both readings.
pub const SYSTEMS: [System; 2] = [System::SuperProbit, System::Letter];

/// The methods with their two readings.
const PAIRS: [(System, &str); 2] = [(System::Letter, LAST_FIFTY), (System::SuperProbit, AVERAGE)];

/// Positions of 3 and 15 among the numbers of neighbours, where the paper finds averages better.
const BETTER: [usize; 2] = [1, 2];

/// Lays out the tables, tests and picture.
pub fn page(results: &Results) -> anyhow::Result<Page> {
    let mut body = String::new();
    let mut panels = Vec::new();
    for (&given, (system, reading)) in results.given.iter().flat_map(|given| PAIRS.map(|pair| (given, pair))) {
        let entry = Entry { system, given };
        for (splits_ix, title) in results.titles().iter().enumerate() {
            let find = |name: &str| results.row(splits_ix, entry, name);
            let (Some(last), Some(average)) = (find(LAST), find(reading)) else { continue };
            let n_classes = results.paper_classes(splits_ix);
            let figures = [paper::accuracy(n_classes, system), paper::average(n_classes)];
            let title = format!("{title}, {}, {}", system.name(), words(given));
            body.push_str(&table(&title, [last, average], figures)?);
            let _ = writeln!(body, "\n{}\n", verdict(last, average)?);
            let pair = vec![Group::of("last draw", last, figures[0]), Group::of("average", average, figures[1])];
            panels.push((title, pair));
        }
    }
    let _ = writeln!(
        body,
        "**Bold** is significantly better than the other by the paper's test, with a ° not by the corrected one. {TESTS} Both are \
         of one chain. Averages are over distances: the bits of the draws stand side by side. To the letter they are the draws \
         of the last 50 sweeps (as many as there are in the last half of a short chain), otherwise the {} kept draws, evenly \
         spaced over the last half of the sweeps.\n",
        results.about.draws
    );
    let title = "Table 3: last draw against average over draws, Super Probit IBP";
    Ok(Page { name: "table3", title, body, canvas: picture::draw(&panels) })
}

fn table(title: &str, [last, average]: [&Row; 2], figures: [Option<paper::Figures>; 2]) -> anyhow::Result<String> {
    let mut text = format!(
        "| {title} | last ({} bits) | average ({} bits) | average above last | paper: last | paper: average |\n\
         |---|---|---|---|---|---|\n",
        bits(last),
        bits(average)
    );
    for (k_ix, k) in NEIGHBOURS.iter().enumerate() {
        let paper = figures.map(|f| f.map_or("–".to_owned(), |f| format!("{:.1} ± {:.1}", f[k_ix].0, f[k_ix].1)));
        let (up, down) = (Comparison::of(average, last, k_ix)?, Comparison::of(last, average, k_ix)?);
        let _ = writeln!(
            text,
            "| {k}-NN | {} | {} | {} | {} | {} |",
            shown(&last.percent[k_ix], down)?,
            shown(&average.percent[k_ix], up)?,
            up.words(),
            paper[0],
            paper[1]
        );
    }
    Ok(text)
}

/// Bold for what is above the other, with a circle where the corrected test does not say so.
fn shown(values: &[f64], above: Comparison) -> anyhow::Result<String> {
    let plain = above.is_plain();
    let text = cell(values, if plain { Mark::Bold } else { Mark::None })?;
    let corrected = above.tests.is_some_and(|[_, corrected]| corrected.is_significant());
    Ok(if plain && !corrected { format!("{text} °") } else { text })
}

/// The paper's claim, and whether it holds here.
fn verdict(last: &Row, average: &Row) -> anyhow::Result<String> {
    let mut worse = Vec::new();
    let mut not_better = Vec::new();
    for (k_ix, k) in NEIGHBOURS.iter().enumerate() {
        let (up, down) = (Comparison::of(average, last, k_ix)?, Comparison::of(last, average, k_ix)?);
        let (Some(of_up), Some(of_down)) = (up.tests, down.tests) else {
            return Ok("One repeat: nothing can be tested.".to_owned());
        };
        if down.is_plain() {
            worse.push(format!("{k}-NN (p {})", p_values(of_down)));
        }
        if BETTER.contains(&k_ix) && !up.is_plain() {
            not_better.push(format!("{k}-NN (p {})", p_values(of_up)));
        }
    }
    let none_worse = match worse.is_empty() {
        true => "Averages are not significantly worse at any number of neighbours".to_owned(),
        false => format!("**Contradicted:** averages are significantly worse at {}", worse.join(" and ")),
    };
    let better = match not_better.is_empty() {
        true => "they are significantly better at 3 and 15 by the paper's test, as in the paper".to_owned(),
        false => format!("**not shown:** that they are better at {}", not_better.join(" and ")),
    };
    Ok(format!("{none_worse}; {better}."))
}
