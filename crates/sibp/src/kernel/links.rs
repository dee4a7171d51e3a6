//! Draws the links and owners of the distance-dependent IBP, given a draw of the bits' images V.
//!
//! Given V and all other bits, a bit's owners add one number each (their *evidence*) to the log likelihood. So a link
//! is scored by the summed evidence of the objects that reach the owner through it, and only two values occur.

use super::link_forest::LinkForest;
use crate::bits::BitMatrix;
use crate::fault::{Fault, planted};
use crate::likelihood::linear_gaussian::draw_images;
use crate::numerics::simd::dot;
use crate::prior::links::LinkedColumn;
use crate::prior::proximity::{Proximity, pick};
use crate::state::{DdIbpScratch, DdIbpState, Observations};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use std::borrow::Cow;

/// Gibbs updates of all links of all bits, bits in a fresh random order.
pub fn step<R: Rng>(data: &Observations, state: &mut DdIbpState, scratch: &mut DdIbpScratch, rng: &mut R) {
    let evidence = Evidence::draw(data, state, scratch, rng);
    let mut forest = LinkForest::default();
    for bit_ix in shuffled(state.columns.len(), rng) {
        let weights = evidence.of_bit(bit_ix, data, &state.bits);
        let column = &mut state.columns[bit_ix];
        forest.rebuild(&column.links);
        // Paths end at the owner, so the owner's own link does not change who owns the bit.
        forest.cut(column.owner, column.links[column.owner as usize]);
        let mut reach: Vec<f64> = column.bits().into_iter().map(f64::from).collect();
        for object in 0..column.links.len() as u32 {
            draw_link(object, column, &mut reach, &weights, &mut forest, &scratch.proximity, rng);
        }
        set_column(&mut state.bits, bit_ix, |object_ix| reach[object_ix] == 1.0);
    }
}

/// Draws one link from its conditional. With the link cut, objects reach the owner, or the cut object, or neither.
fn draw_link<R: Rng>(
    object: u32,
    column: &mut LinkedColumn,
    reach: &mut [f64],
    weights: &[f64],
    forest: &mut LinkForest,
    proximity: &Proximity,
    rng: &mut R,
) {
    let object_ix = object as usize;
    if object == column.owner {
        column.links[object_ix] = proximity.draw_link(object_ix, rng) as u32;
        return;
    }
    forest.cut(object, column.links[object_ix]);
    let followers = forest.reaching(object);
    let along: f64 = match planted(Fault::LinkAlone) {
        true => weights[object_ix],
        false => followers.iter().map(|&follower| weights[follower as usize]).sum(),
    };
    if !planted(Fault::LinkThroughCut) {
        followers.iter().for_each(|&follower| reach[follower as usize] = 0.0);
    }
    let (target, owned) = draw_target(object_ix, along, reach, proximity, rng);
    let owned = if owned { 1.0 } else { 0.0 };
    followers.iter().for_each(|&follower| reach[follower as usize] = owned);
    column.links[object_ix] = target as u32;
    forest.join(object, target as u32);
    if planted(Fault::LinkThroughCut) {
        reach.iter_mut().zip(column.bits()).for_each(|(reach, bit)| *reach = f64::from(bit));
    }
}

/// Draws the new link of an object, and whether it leads to the owner: f_ij, times the likelihood ratio where it does.
fn draw_target<R: Rng>(
    object_ix: usize,
    along: f64,
    reach: &[f64],
    proximity: &Proximity,
    rng: &mut R,
) -> (usize, bool) {
    let row = proximity.row(object_ix);
    let leading = dot(row, reach);
    // The object's own proximity is 1 and never leads to the owner, so this is not 0 by rounding.
    let elsewhere = proximity.sum(object_ix) - leading;
    let u = rng.random::<f64>();
    let owned = u.ln() - (-u).ln_1p() < along + leading.ln() - elsewhere.ln();
    let height = rng.random::<f64>() * if owned { leading } else { elsewhere };
    let weight = |(f, reach): (&f64, &f64)| if owned { f * reach } else { f * (1.0 - reach) };
    (pick(height, row.iter().zip(reach).map(weight)), owned)
}

/// Gibbs updates of the owner of every bit, given its links: o with probability ∝ exp(evidence of all who reach
/// o)/h_o.
pub fn owners<R: Rng>(data: &Observations, state: &mut DdIbpState, scratch: &mut DdIbpScratch, rng: &mut R) {
    let evidence = Evidence::draw(data, state, scratch, rng);
    for bit_ix in shuffled(state.columns.len(), rng) {
        let weights = evidence.of_bit(bit_ix, data, &state.bits);
        let column = &mut state.columns[bit_ix];
        let proximity = &scratch.proximity;
        let prior = |object_ix: usize| match planted(Fault::EqualOwners) {
            true => 0.0,
            false => -proximity.sum(object_ix).ln(),
        };
        let mut logs = sums_of_reaching(&column.links, weights);
        logs.iter_mut().enumerate().for_each(|(object_ix, log)| *log += prior(object_ix));
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = logs.iter().map(|log| (log - best).exp()).collect();
        let owner = pick(rng.random::<f64>() * odds.iter().sum::<f64>(), odds.iter().copied()) as u32;
        if owner != std::mem::replace(&mut column.owner, owner) {
            let bits = column.bits();
            set_column(&mut state.bits, bit_ix, |object_ix| bits[object_ix] == 1);
        }
    }
}

/// For every object the sum of weights over all objects whose links lead to it, itself included.
fn sums_of_reaching(links: &[u32], weights: Vec<f64>) -> Vec<f64> {
    let mut sums = weights;
    let mut n_before = vec![0u32; links.len()];
    links.iter().for_each(|&target| n_before[target as usize] += 1);
    let mut ready: Vec<usize> = (0..links.len()).filter(|&object_ix| n_before[object_ix] == 0).collect();
    let mut at = 0;
    while let Some(&object_ix) = ready.get(at) {
        let target = links[object_ix] as usize;
        sums[target] += sums[object_ix];
        n_before[target] -= 1;
        if n_before[target] == 0 {
            ready.push(target);
        }
        at += 1;
    }
    // The remaining objects lie on cycles: all objects on a cycle reach each other.
    let mut done = vec![false; links.len()];
    ready.iter().for_each(|&object_ix| done[object_ix] = true);
    for start in 0..links.len() {
        let mut circle = Vec::new();
        let mut object_ix = start;
        while !done[object_ix] {
            done[object_ix] = true;
            circle.push(object_ix);
            object_ix = links[object_ix] as usize;
        }
        let sum: f64 = circle.iter().map(|&member| sums[member]).sum();
        circle.iter().for_each(|&member| sums[member] = sum);
    }
    sums
}

fn shuffled<R: Rng>(n: usize, rng: &mut R) -> Vec<usize> {
    // A fresh order: new bits are stored last, so storage order would carry information.
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(rng);
    order
}

fn set_column(bits: &mut BitMatrix, bit_ix: usize, bit: impl Fn(usize) -> bool) {
    for object_ix in 0..bits.n_objects() {
        if bits.get(object_ix, bit_ix) != bit(object_ix) {
            bits.flip(object_ix, bit_ix);
        }
    }
}

/// A draw of V with the products from which the evidence is computed.
struct Evidence {
    n_bits: usize,
    images: Vec<f64>,
    /// v_k·v_l.
    products: Vec<f64>,
    noise: f64,
}

impl Evidence {
    fn draw<R: Rng>(data: &Observations, state: &DdIbpState, scratch: &mut DdIbpScratch, rng: &mut R) -> Self {
        let (k, m) = (state.columns.len(), data.inputs.n_inputs());
        scratch.moments.rebuild(&data.inputs, &state.bits);
        let images = draw_images(&scratch.moments, state.variances(), rng);
        let image = |f: usize| &images[f * m..(f + 1) * m];
        let products = (0..k * k).map(|at| dot(image(at / k), image(at % k))).collect();
        Self { n_bits: k, products, noise: state.noise_variance, images }
    }

    /// The gain in log likelihood of every object from owning the bit, given its other bits.
    fn of_bit(&self, bit_ix: usize, data: &Observations, bits: &BitMatrix) -> Vec<f64> {
        let m = data.inputs.n_inputs();
        let image = &self.images[bit_ix * m..(bit_ix + 1) * m];
        let products = &self.products[bit_ix * self.n_bits..(bit_ix + 1) * self.n_bits];
        let square = products[bit_ix];
        let of_object = |(object_ix, x): (usize, Cow<'_, [f64]>)| {
            let explained: f64 = bits.ones(object_ix).map(|f| products[f]).sum();
            let own = if bits.get(object_ix, bit_ix) { square } else { 0.0 };
            (dot(&x, image) - (explained - own) - 0.5 * square) / self.noise
        };
        data.inputs.rows().enumerate().map(of_object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    #[test]
    fn sums_over_trees_and_circles() {
        let mut rng = Streams::new(2, 0).rng(Purpose::Verify, 0, 0);
        for _ in 0..2000 {
            let n = rng.random_range(1..12u32);
            let links: Vec<u32> = (0..n).map(|_| rng.random_range(0..n)).collect();
            // Whole numbers add without rounding.
            let weights: Vec<f64> = (0..n).map(|_| f64::from(rng.random_range(-9i32..10))).collect();
            let sums = sums_of_reaching(&links, weights.clone());
            for owner in 0..n {
                let bits = LinkedColumn { owner, links: links.clone() }.bits();
                let expected: f64 = bits.iter().zip(&weights).map(|(&bit, weight)| f64::from(bit) * weight).sum();
                assert_eq!(sums[owner as usize], expected, "{links:?} to {owner}");
            }
        }
    }
}
