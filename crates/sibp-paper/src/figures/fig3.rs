//! Reproduces Figure 3: five given bits that confuse categories, and the bits that both supervised models add.

use super::FigureArgs;
use super::learn::{Experiment, System};
use super::results::Results;
use crate::drawing::{Canvas, CodePanel, Frame, Marked, codes};
use crate::synthetic::given_bits;
use sibp::codes::Codes;
use sibp::data::Labels;

const N_GIVEN: usize = 5;
const PANEL: (f64, f64) = (380.0, 420.0);
const GAP: f64 = 18.0;

/// Fits, measures, draws.
pub fn run(args: &FigureArgs<'_>) -> anyhow::Result<()> {
    let experiment = Experiment::new("fig3", args, given)?;
    let systems = [System::SuperGaussian, System::SuperProbit];
    let learned = systems.iter().map(|&system| experiment.learn(system, args)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut canvas = Canvas::new((2.0 * (PANEL.0 + GAP) + GAP) as u32, (PANEL.1 + 2.0 * GAP) as u32);
    let labels = &experiment.points.labels;
    for (at, (letter, one)) in ('a'..).zip(&learned).enumerate() {
        let frame = Frame { at: (GAP + at as f64 * (PANEL.0 + GAP), GAP), size: PANEL };
        let n_learned = one.codes.n_bits() - N_GIVEN;
        let title = format!("({letter}) {}, {N_GIVEN} given and {n_learned} learned", one.system.name());
        codes(&mut canvas, frame, &CodePanel { title, codes: &one.codes, labels, marked: Marked(N_GIVEN) });
    }
    Results { name: "fig3", n_given: N_GIVEN, experiment: &experiment, learned: &learned }.write(args, &canvas)
}

fn given(labels: &Labels) -> Codes {
    let mut codes = Codes::zeros(labels.len(), N_GIVEN);
    for (row, bits) in given_bits(labels).iter().enumerate() {
        bits.iter().enumerate().for_each(|(bit_ix, &bit)| codes.set(row, bit_ix, bit == 1));
    }
    codes
}
