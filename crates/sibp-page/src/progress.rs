//! Answers "are more judgements needed?": agreement on control questions, and what another hundred answers would bring.

use crate::app::{App, locked};
use sibp::RunControl;
use sibp::judging::{CurveSettings, Judged, Recipe, curve, interval};
use sibp::triplets::Triplet;
use std::collections::BTreeMap;

/// Points of the curve over control questions, and the fewest questions of one.
const POINTS: usize = 10;
const FEWEST: usize = 10;
/// Further answers whose gain is told.
const MORE: usize = 100;
/// Fewest answers by which the gain is estimated, and how much they must grow before it is estimated again.
const FEWEST_ANSWERS: usize = 60;
const GROWTH: f64 = 1.5;

/// What further answers would bring.
#[derive(Debug, Clone)]
pub struct More {
    /// Gain of another hundred answers, as a share, with its 95 % interval.
    pub gain: (f64, f64, f64),
    /// The same in words.
    pub sentence: String,
    /// Answers that it rests on.
    pub n_answers: usize,
}

/// The estimate at hand.
#[derive(Default)]
pub struct Progress {
    /// What another hundred answers would bring, where there are enough to tell.
    pub more: Option<More>,
}

/// Agreement with some control questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Answers that had been given when the last of these was.
    pub answers: usize,
    /// Share that the model at hand agreed with before it learned from them.
    pub agreement: f64,
    /// Its 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// An answer to a control question: how many there were by then, its anchor, and whether the model expected it.
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// Answers so far.
    pub answers: usize,
    /// The anchor of the question.
    pub anchor: u32,
    /// 1 where the model expected the answer, 0 where not, one half where it could not say.
    pub agrees: f64,
}

/// Control questions that were answered while there was a model.
pub fn controls(app: &App) -> Vec<Control> {
    let Some(desk) = &app.desk else { return Vec::new() };
    let desk = locked(desk);
    let of = |(at, (triplet, _, posed)): (usize, (Triplet, _, &crate::journal::Posed))| {
        let expected = posed.record.expected.filter(|_| posed.record.kind == "control")?;
        let chosen = if triplet.near == posed.left { expected } else { 1.0 - expected };
        let agrees = if chosen == 0.5 { 0.5 } else { f64::from(u8::from(chosen > 0.5)) };
        Some(Control { answers: at + 1, anchor: triplet.anchor, agrees })
    };
    desk.ledger().triplets().enumerate().filter_map(of).collect()
}

/// Agreement in groups of equal size, in the order of the answers; each model is asked before it learns.
pub fn points(controls: &[Control]) -> Vec<Point> {
    let n_points = (controls.len() / FEWEST).clamp(1, POINTS);
    let size = controls.len().div_ceil(n_points).max(1);
    controls.chunks(size).filter_map(point).collect()
}

fn point(controls: &[Control]) -> Option<Point> {
    let mut clusters: BTreeMap<u32, (f64, usize)> = BTreeMap::new();
    for control in controls {
        let cluster = clusters.entry(control.anchor).or_default();
        *cluster = (cluster.0 + control.agrees, cluster.1 + 1);
    }
    let clusters: Vec<(f64, usize)> = clusters.into_values().collect();
    let (low, high) = interval(&clusters)?;
    let agreement = controls.iter().map(|control| control.agrees).sum::<f64>() / controls.len() as f64;
    Some(Point { answers: controls.last()?.answers, agreement, low, high })
}

/// Estimates what further answers would bring, where they have grown enough since that was last done.
pub fn extrapolate(app: &App) {
    let (Some(desk), Some(model)) = (&app.desk, app.model()) else { return };
    let triplets = locked(desk).judgements().triplets;
    let before = locked(&app.progress).more.as_ref().map_or(0, |more| more.n_answers);
    if triplets.len() < FEWEST_ANSWERS || (triplets.len() as f64) < GROWTH * before as f64 {
        return;
    }
    let mut recipe = Recipe::from(&model.fitted.info);
    // Agreement needs fewer chains and sweeps than the model itself.
    recipe.settings.chains = recipe.settings.chains.min(2);
    recipe.settings.sweeps = recipe.settings.sweeps.min(60);
    let given = model.fitted.info.given.as_ref();
    let judged = Judged { recipe: &recipe, table: &app.source.table, given, triplets: &triplets };
    let settings = CurveSettings { more: MORE, repeats: 3, ..CurveSettings::default() };
    let control = RunControl { stop: &app.over, threads: app.settings.threads, ..RunControl::default() };
    // A curve that cannot be told is no news to anybody.
    let Ok(found) = curve(&judged, &settings, &control, &mut |_| ()) else { return };
    let (gain, error) = found.gain;
    let more = More {
        gain: (gain, gain - 1.96 * error, gain + 1.96 * error),
        sentence: found.sentence(),
        n_answers: triplets.len(),
    };
    locked(&app.progress).more = Some(more);
    app.changed();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_group_controls_in_order() {
        let control =
            |at: usize| Control { answers: 7 * at, anchor: at as u32 % 5, agrees: f64::from(u8::from(at >= 20)) };
        let controls: Vec<Control> = (0..40).map(control).collect();
        let found = points(&controls);
        let agreements: Vec<f64> = found.iter().map(|point| point.agreement).collect();
        assert_eq!(agreements, [0.0, 0.0, 1.0, 1.0]);
        assert!(found.iter().all(|p| p.low <= p.agreement && p.agreement <= p.high && p.high - p.low > 0.1));
        assert_eq!(found.iter().map(|point| point.answers).collect::<Vec<_>>(), [63, 133, 203, 273]);
        assert!(points(&[]).is_empty() && points(&controls[..3]).len() == 1);
    }
}
