//! Draws the numbers of a table: bars with deviations by number of neighbours, the paper's means as dots.

use super::NEIGHBOURS;
use super::paper::Figures;
use super::results::Row;
use crate::drawing::{Bar, BarPanel, Canvas, Frame, bars, legend};
use sibp::eval::{Summary, mean};

const PANEL: (f64, f64) = (560.0, 260.0);
const GAP: f64 = 20.0;
/// Height of a line of the legend.
const LINE: f64 = 18.0;

/// Bars of one colour.
pub struct Group {
    name: String,
    /// Mean, deviation and the paper's mean, for each place along the axis.
    bars: Vec<(f64, f64, Option<f64>)>,
}

impl Group {
    /// A bar for each number of neighbours.
    pub fn of(name: &str, row: &Row, paper: Option<Figures>) -> Self {
        let bar = |(k_ix, values): (usize, &Vec<f64>)| bar(values, paper.map(|figures| figures[k_ix].0));
        Self { name: name.to_owned(), bars: row.percent.iter().enumerate().map(bar).collect() }
    }

    /// One bar.
    pub fn of_one(name: &str, row: &Row, paper: Option<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), bars: vec![bar(&row.percent[0], paper.map(|(mean, _)| mean))] }
    }
}

fn bar(values: &[f64], paper: Option<f64>) -> (f64, f64, Option<f64>) {
    let sd = Summary::of(values).ok().and_then(|summary| summary.sd).unwrap_or(0.0);
    (mean(values), sd, paper)
}

/// Panels side by side in two columns, one legend below; panels may lack some of the groups.
pub fn draw(panels: &[(String, Vec<Group>)]) -> Canvas {
    let mut names: Vec<&str> = Vec::new();
    for group in panels.iter().flat_map(|(_, groups)| groups) {
        if !names.contains(&group.name.as_str()) {
            names.push(&group.name);
        }
    }
    let n_rows = panels.len().div_ceil(2) as f64;
    let below = GAP + n_rows * (PANEL.1 + GAP);
    let height = below + (names.len() as f64 + 1.0) * LINE + GAP;
    let mut canvas = Canvas::new((2.0 * (PANEL.0 + GAP) + GAP) as u32, height as u32);
    for (at, (title, groups)) in panels.iter().enumerate() {
        let corner = (GAP + (at % 2) as f64 * (PANEL.0 + GAP), GAP + (at / 2) as f64 * (PANEL.1 + GAP));
        let n_places = groups.iter().map(|group| group.bars.len()).max().unwrap_or(0);
        let place = |place: usize| {
            let words =
                if n_places == 1 { "SVM, 30-NN of codes".to_owned() } else { format!("{}-NN", NEIGHBOURS[place]) };
            let one = |group: &Group| {
                let &(height, sd, mark) = group.bars.get(place)?;
                let colour = names.iter().position(|name| *name == group.name).unwrap_or(0);
                Some(Bar { height, sd, mark, colour })
            };
            (words, groups.iter().filter_map(one).collect())
        };
        let panel = BarPanel { title: format!("{title}: percent right"), places: (0..n_places).map(place).collect() };
        bars(&mut canvas, Frame { at: corner, size: PANEL }, &panel);
    }
    let marked = panels.iter().flat_map(|(_, groups)| groups).any(|group| group.bars.iter().any(|bar| bar.2.is_some()));
    legend(&mut canvas, (GAP, below), LINE, &names, marked.then_some("mean in the paper"));
    canvas
}
