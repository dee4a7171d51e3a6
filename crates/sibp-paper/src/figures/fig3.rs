//! Reproduces Figure 3: five given bits that confuse categories, and the bits that both supervised models add.

use super::FigureArgs;
use super::learn::{Experiment, Learned, System};
use super::results::Results;
use crate::drawing::{Canvas, CodePanel, Frame, Marked, codes};
use crate::synthetic::given_bits;
use sibp::codes::Codes;
use sibp::data::Labels;

const N_GIVEN: usize = 5;
const PANEL: (f64, f64) = (380.0, 420.0);
const GAP: f64 = 18.0;

/// Fits, measures, draws.
pub fn run(args: &FigureArgs<'_>) -> anyhow::Result<String> {
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
    let first_two: Vec<f64> = learned.iter().map(|one| apart(one, labels, 0, 1)).collect();
    let parted = if first_two.iter().all(|&distance| distance >= 1.0) { "So it is here" } else { "Here it is not so" };
    let remarks = format!(
        "The paper: the given bits are the same for categories 1 and 2, 3 and 4, 5 and 6, and 7 to 10; the learned bits part \
         them by a distance of at least one. {parted} for categories 1 and 2, by the most frequent code of each bit."
    );
    let more = [
        ("distance of 1 and 2", first_two.iter().map(f64::to_string).collect()),
        ("least distance of two categories", learned.iter().map(|one| least(one, labels).to_string()).collect()),
    ];
    let title = "Figure 3: extension of five given bits";
    let results = Results {
        name: "fig3",
        title,
        n_given: N_GIVEN,
        experiment: &experiment,
        learned: &learned,
        more: &more,
        remarks,
    };
    results.write(args, &canvas)
}

fn given(labels: &Labels) -> Codes {
    let mut codes = Codes::zeros(labels.len(), N_GIVEN);
    for (row, bits) in given_bits(labels).iter().enumerate() {
        bits.iter().enumerate().for_each(|(bit_ix, &bit)| codes.set(row, bit_ix, bit == 1));
    }
    codes
}

/// Number of bits in which the majorities of two categories differ.
fn apart(learned: &Learned, labels: &Labels, a: u32, b: u32) -> f64 {
    let majority = |class: u32, bit_ix: usize| {
        let rows: Vec<usize> = (0..labels.len()).filter(|&row| labels.class_of()[row] == class).collect();
        2 * rows.iter().filter(|&&row| learned.codes.get(row, bit_ix)).count() > rows.len()
    };
    (0..learned.codes.n_bits()).filter(|&bit_ix| majority(a, bit_ix) != majority(b, bit_ix)).count() as f64
}

fn least(learned: &Learned, labels: &Labels) -> f64 {
    let n = labels.names().len() as u32;
    let pairs = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.map(|(a, b)| apart(learned, labels, a, b)).fold(f64::INFINITY, f64::min)
}
