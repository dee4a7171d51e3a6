//! Chooses the first questions, before there is a model: anchors as far apart as inputs tell, pairs at random.

use super::open::Open;
use super::{AskError, AskSettings, Batch, Kind, Question, question};
use crate::data::Inputs;
use crate::rng::{Purpose, Streams};
use crate::transform::{InputTransform, Step, Transform};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Pairs that are tried for one that compares two other objects than all before it.
const TRIES: usize = 20;

/// The first questions to ask about objects: each anchor is the object that lies farthest from all anchors before it, in
/// standardised inputs; without inputs ([`Inputs::none`]) anchors are random too. All are of kind [`Kind::Control`], and
/// none has a prospect.
pub fn suggest_cold(inputs: &Inputs, settings: &AskSettings<'_>) -> Result<Vec<Question>, AskError> {
    settings.check()?;
    let open = Open::new(inputs.n_objects(), settings)?;
    let mut rng = Streams::new(settings.seed, 0).rng(Purpose::Ask, 1, 0);
    let anchors = match inputs.n_inputs() {
        0 => open.anchors(&mut rng),
        _ => farthest_first(inputs, settings.n, &mut rng)?,
    };
    let mut batch = Batch::default();
    while batch.questions.len() < settings.n {
        let before = batch.questions.len();
        for &anchor in anchors.iter().take(settings.n - before) {
            let drawn = open.of_anchor(anchor, TRIES, &mut rng);
            let left = || drawn.iter().copied().filter(|&triplet| !batch.asked.contains(&question(triplet)));
            let fresh = left().find(|&triplet| {
                let (_, low, high) = question(triplet);
                !batch.pairs.contains(&(low, high))
            });
            if let Some(triplet) = fresh.or_else(|| left().next()) {
                batch.add(triplet, Kind::Control, None);
            }
        }
        if batch.questions.len() == before {
            break;
        }
    }
    batch.finish(&mut rng)
}

/// At most `n` objects, each the one farthest from those before it; the first is random.
fn farthest_first(inputs: &Inputs, n: usize, rng: &mut ChaCha8Rng) -> Result<Vec<u32>, AskError> {
    let (_, inputs) = Transform::fit_apply(&InputTransform { steps: vec![Step::Standardise] }, inputs)?;
    let n_objects = inputs.n_objects();
    let mut distances = vec![f64::INFINITY; n_objects];
    let mut order = vec![rng.random_range(0..n_objects as u32)];
    loop {
        let last = order[order.len() - 1] as usize;
        let centre = inputs.row(last).into_owned();
        let mut object = 0;
        inputs.for_each_row(|row| {
            let distance: f64 = row.iter().zip(&centre).map(|(a, b)| (a - b) * (a - b)).sum();
            distances[object] = distances[object].min(distance);
            object += 1;
        });
        // Chosen objects are out, also where several lie at the same place.
        distances[last] = f64::NEG_INFINITY;
        if order.len() == n.min(n_objects) {
            return Ok(order);
        }
        let mut best = 0;
        for (at, distance) in distances.iter().enumerate() {
            if *distance > distances[best] {
                best = at;
            }
        }
        order.push(best as u32);
    }
}
