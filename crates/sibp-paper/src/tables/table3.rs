//! Lays out Table 3: the last draw against the average over the last kept draws.

use super::claims::{above, p_value};
use super::entries::{AVERAGE, Entry, LAST, Options, System, words};
use super::layout::{Page, cell};
use super::picture::{self, Group};
use super::results::{Results, Row};
use super::{NEIGHBOURS, paper};
use sibp::eval::paired_t_test;
use std::fmt::Write as _;

/// The method of Table 3: one fit gives both readings.
pub const SYSTEMS: [System; 1] = [System::SuperProbit];

/// Positions of 3 and 15 among the numbers of neighbours, where the paper finds averages better.
const BETTER: [usize; 2] = [1, 2];

/// Lays out the tables, tests and picture.
pub fn page(results: &Results, options: &Options) -> anyhow::Result<Page> {
    let mut body = String::new();
    let mut panels = Vec::new();
    for &given in &options.given {
        let entry = Entry { system: System::SuperProbit, given };
        for (splits_ix, title) in results.titles.iter().enumerate() {
            let find = |name: &str| results.row(splits_ix, entry, name);
            let (Some(last), Some(average)) = (find(LAST), find(AVERAGE)) else { continue };
            let figures = [
                paper::accuracy(results.paper_classes(splits_ix), entry.system),
                paper::average(results.paper_classes(splits_ix)),
            ];
            let _ = writeln!(
                body,
                "| {title}, {} | last | average | average above last | paper: last | paper: average |\n|---|---|---|---|---|---|",
                words(given)
            );
            for (k_ix, k) in NEIGHBOURS.iter().enumerate() {
                let paper =
                    figures.map(|f| f.map_or("–".to_owned(), |f| format!("{:.1} ± {:.1}", f[k_ix].0, f[k_ix].1)));
                let (difference, _) = above(average, last, k_ix)?;
                let (lower, upper) = (beats(last, average, k_ix)?, beats(average, last, k_ix)?);
                let _ = writeln!(
                    body,
                    "| {k}-NN | {} | {} | {difference} | {} | {} |",
                    cell(&last.percent[k_ix], lower)?,
                    cell(&average.percent[k_ix], upper)?,
                    paper[0],
                    paper[1]
                );
            }
            let _ = writeln!(body, "\n{}\n", verdict(last, average)?);
            let pair = vec![Group::of("last draw", last, figures[0]), Group::of("average", average, figures[1])];
            panels.push((format!("{title}, {}", words(given)), pair));
        }
    }
    let _ = writeln!(
        body,
        "**Bold** is significantly better than the other (one-sided paired t-test, 95 %). Both are of the best chain; the average \
         is over its {} kept draws, evenly spaced over the last half of its sweeps, whose bits stand side by side.\n",
        options.n_kept()
    );
    let title = "Table 3: last draw against average over draws, Super Probit IBP";
    Ok(Page { name: "table3", title, body, canvas: picture::draw(&panels) })
}

/// Whether the first is significantly above the second.
fn beats(first: &Row, second: &Row, k_ix: usize) -> anyhow::Result<bool> {
    let (first, second) = (&first.percent[k_ix], &second.percent[k_ix]);
    Ok(first.len() > 1 && paired_t_test(first, second)?.is_significant())
}

/// The paper's claim, and whether it holds here.
fn verdict(last: &Row, average: &Row) -> anyhow::Result<String> {
    if last.percent[0].len() < 2 {
        return Ok("One repeat: nothing can be tested.".to_owned());
    }
    let mut worse = Vec::new();
    let mut not_better = Vec::new();
    for (k_ix, k) in NEIGHBOURS.iter().enumerate() {
        let test = paired_t_test(&last.percent[k_ix], &average.percent[k_ix])?;
        if test.is_significant() {
            worse.push(format!("{k}-NN (p {})", p_value(test.p)));
        }
        let better = paired_t_test(&average.percent[k_ix], &last.percent[k_ix])?;
        if BETTER.contains(&k_ix) && !better.is_significant() {
            not_better.push(format!("{k}-NN (p {})", p_value(better.p)));
        }
    }
    let none_worse = match worse.is_empty() {
        true => "Averages are not significantly worse at any number of neighbours".to_owned(),
        false => format!("**Not so:** averages are significantly worse at {}", worse.join(" and ")),
    };
    let better = match not_better.is_empty() {
        true => "they are significantly better at 3 and 15, as in the paper".to_owned(),
        false => format!("**not shown:** that they are better at {}", not_better.join(" and ")),
    };
    Ok(format!("{none_worse}; {better}."))
}
