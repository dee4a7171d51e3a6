//! Flips single bits of a distilled code where that brings its answers nearer to the target.

use super::margins::{Margins, side};
use super::target::Target;
use crate::triplets::Role;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Sweeps over all bits while the temperature falls from 1 to 0, and sweeps at 0.
const SWEEPS: (usize, usize) = (20, 4);

/// Flips bits by their odds under (expected log likelihood of the questions × `pull` + log odds of the inputs) /
/// temperature; `pull` is the weight of a question.
pub fn columns<R: Rng>(
    target: &Target,
    margins: &mut Margins,
    columns: &mut [Vec<u8>],
    evidence: &[Vec<f64>],
    pull: f64,
    rng: &mut R,
) {
    let mut objects: Vec<usize> = (0..target.triplets.n_objects()).collect();
    let mut order: Vec<usize> = (0..columns.len()).collect();
    let mut changes = Vec::new();
    for sweep in 0..SWEEPS.0 + SWEEPS.1 {
        let temperature = 1.0 - sweep as f64 / SWEEPS.0 as f64;
        objects.shuffle(rng);
        for &object_ix in &objects {
            order.shuffle(rng);
            for &bit_ix in &order {
                let column = &mut columns[bit_ix];
                list_changes(target, column, object_ix, &mut changes);
                let gain: f64 = changes.iter().map(|&(at, change)| margins.gain(target, at as usize, change)).sum();
                let odds = evidence[bit_ix][object_ix] * (1.0 - 2.0 * f64::from(column[object_ix]));
                let log_ratio = pull * gain + odds;
                let flips = match temperature > 0.0 {
                    true => rng.random::<f64>() * (1.0 + (-log_ratio / temperature).exp()) < 1.0,
                    false => log_ratio > 0.0,
                };
                if flips {
                    column[object_ix] ^= 1;
                    changes.iter().for_each(|&(at, change)| margins.change(at as usize, change));
                }
            }
        }
        margins.fit_slope(target);
    }
}

/// The triplets whose margin a flip of the object's bit would change, with the change.
fn list_changes(target: &Target, column: &[u8], object_ix: usize, changes: &mut Vec<(u32, i32)>) {
    changes.clear();
    let (set, own) = (&target.triplets, column[object_ix]);
    let bit = |object: u32| column[object as usize];
    for at in set.anchored(object_ix) {
        let t = set.triplets()[at];
        let now = side(own, bit(t.near), bit(t.far));
        if now != 0 {
            changes.push((at as u32, -2 * now));
        }
    }
    let (near, far) = set.others(object_ix).split_at(set.n_entries(object_ix, Role::Near));
    for entry in near {
        let [anchor, far] = entry.others.map(bit);
        changes.push((entry.triplet_ix, side(anchor, own ^ 1, far) - side(anchor, own, far)));
    }
    for entry in far {
        let [anchor, near] = entry.others.map(bit);
        changes.push((entry.triplet_ix, side(anchor, near, own ^ 1) - side(anchor, near, own)));
    }
}
