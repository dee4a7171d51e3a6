//! Reproduces Figure 2: the points, and the codes of five models grouped by category.

use super::FigureArgs;
use super::learn::{Experiment, System};
use super::results::Results;
use crate::drawing::{Canvas, CodePanel, Frame, Marked, codes, points};
use sibp::codes::Codes;

/// The models, in the order of the paper's panels.
const SYSTEMS: [System; 5] =
    [System::SuperGaussian, System::SuperProbit, System::Ibp, System::InputDdIbp, System::OutputDdIbp];

/// Width and height of a panel, and room between panels.
const PANEL: (f64, f64) = (330.0, 330.0);
const GAP: f64 = 18.0;

/// Fits, measures, draws.
pub fn run(args: &FigureArgs<'_>) -> anyhow::Result<()> {
    let experiment = Experiment::new("fig2", args, |labels| Codes::zeros(labels.len(), 0))?;
    let learned = SYSTEMS.iter().map(|&system| experiment.learn(system, args)).collect::<anyhow::Result<Vec<_>>>()?;
    let frame = |at: usize| {
        let (column, row) = ((at % 3) as f64, (at / 3) as f64);
        Frame { at: (GAP + column * (PANEL.0 + GAP), GAP + row * (PANEL.1 + GAP)), size: PANEL }
    };
    let mut canvas = Canvas::new((3.0 * (PANEL.0 + GAP) + GAP) as u32, (2.0 * (PANEL.1 + GAP) + GAP) as u32);
    let labels = &experiment.points.labels;
    points(&mut canvas, frame(0), "(a) data", &experiment.points.inputs, labels);
    for (at, (letter, one)) in ('b'..).zip(&learned).enumerate() {
        let title = format!("({letter}) {}, {} bits", one.system.name(), one.codes.n_bits());
        codes(&mut canvas, frame(at + 1), &CodePanel { title, codes: &one.codes, labels, marked: Marked(0) });
    }
    Results { name: "fig2", n_given: 0, experiment: &experiment, learned: &learned }.write(args, &canvas)
}
