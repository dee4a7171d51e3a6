//! Draws evenly spread directions, each with its opposite, and projects all objects on them at bounded cost.

use super::profile::{Bins, Profile};
use crate::fault::{Fault, planted};
use crate::likelihood::probit::{Basis, Limits};
use crate::numerics::linalg::{multiply_into, view};
use crate::numerics::normal::quantile;
use crate::numerics::normal_table::log_cdf;
use crate::numerics::simd::extremes;
use crate::parallel::map;
use crate::rng::{Purpose, Streams};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use std::borrow::Cow;
use std::ops::Range;

/// Independent scrambles of the directions, whose variation gives the standard error.
pub const SCRAMBLES: usize = 8;
/// Number of directions that are integrated (fewer for many objects), and of those for the control variate.
const DIRECTIONS: (usize, usize) = (256, 2048);
const DIRECTIONS_TIMES_OBJECTS: usize = 300_000;
const CONTROLS: usize = 16_384;
/// Largest number of pairs of opposites in a scramble.
const MOST_PAIRS: usize = CONTROLS / SCRAMBLES / 2;
/// Number of directions that are integrated by bins (fewer for many objects).
const BINNED_DIRECTIONS: (usize, usize) = (512, 1024);
const BINNED_TIMES_OBJECTS: usize = 100_000_000;
/// Inputs beyond which heights differ little from one direction to another.
const MANY_INPUTS: usize = 128;
/// Objects and directions that are multiplied at a time.
const OBJECTS_AT_ONCE: usize = 1024;
const DIRECTIONS_AT_ONCE: usize = 64;

/// Number of pairs of opposites in a scramble, for the integrals and for the control variate (which includes these).
#[derive(Debug, Clone, Copy)]
struct Pairs {
    integrals: usize,
    controls: usize,
}

impl Pairs {
    fn suited_to(n_objects: usize, rank: usize, limits: Limits) -> Self {
        let (n_objects, rank) = (n_objects.max(1), rank.max(1));
        // Sobol points are evenly spread in powers of two.
        let pairs = |directions: usize| (directions / SCRAMBLES).next_power_of_two() / 2;
        if n_objects < limits.few_objects {
            let directions = (DIRECTIONS_TIMES_OBJECTS / n_objects).clamp(DIRECTIONS.0, DIRECTIONS.1);
            return Self { integrals: pairs(directions), controls: MOST_PAIRS };
        }
        let directions = (BINNED_TIMES_OBJECTS / n_objects).clamp(BINNED_DIRECTIONS.0, BINNED_DIRECTIONS.1);
        let affordable = affordable(limits, rank) / (n_objects * rank) / SCRAMBLES;
        let integrals = pairs(directions);
        Self { integrals, controls: ((affordable + 1).next_power_of_two() / 2).clamp(integrals, MOST_PAIRS) }
    }
}

/// Heights of all objects along the directions of one scrambled Sobol sequence, each direction with its opposite.
///
/// The leading principal axes take the leading, most even dimensions of the sequence.
pub struct Scramble {
    /// Profiles along the directions that are integrated, opposites side by side.
    profiles: Vec<Profile>,
    /// Largest height along these and many further directions.
    tops: Vec<f64>,
    /// Largest height of the outer objects along all directions, where `tops` covers only some.
    outer_tops: Vec<f64>,
}

/// The integrals and controls of a scramble at one standard deviation, averaged over opposites.
pub struct Values {
    /// Integrals of the first directions.
    pub integrals: Vec<f64>,
    /// Controls of these and of further directions.
    pub controls: Vec<f64>,
    /// Controls from the outer objects alone, of all directions; empty where `controls` covers all.
    pub rough_controls: Vec<f64>,
}

/// Builds all scrambles, for standard deviations up to `largest_scale`.
pub fn scrambles(basis: &Basis, seed: u64, largest_scale: f64, threads: usize, limits: Limits) -> Vec<Scramble> {
    let pairs = Pairs::suited_to(basis.n_objects(), basis.rank(), limits);
    let affordable = affordable(limits, basis.rank()) / (SCRAMBLES * MOST_PAIRS * basis.rank().max(1));
    let n_outer = limits.outer_objects.min(affordable.max(1));
    // Along directions of many inputs heights differ little: further directions would tell nothing.
    let needs_outer = pairs.controls < MOST_PAIRS && basis.rank() <= MANY_INPUTS;
    let outer = if needs_outer { outer_rows(basis, n_outer) } else { Vec::new() };
    let binned = (basis.n_objects() >= limits.few_objects).then_some(largest_scale);
    map(threads, SCRAMBLES, |at| Scramble::new(basis, &outer, (seed, at), pairs, binned))
}

/// Multiplications for inputs of this rank.
fn affordable(limits: Limits, rank: usize) -> usize {
    limits.multiplications / rank.div_ceil(MANY_INPUTS).max(1)
}

/// Coordinates of the objects of largest norm.
fn outer_rows(basis: &Basis, n_outer: usize) -> Vec<f64> {
    let mut by_norm: Vec<(f64, usize)> = basis.square_norms().zip(0..).collect();
    if by_norm.len() > n_outer {
        by_norm.select_nth_unstable_by(n_outer, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        by_norm.truncate(n_outer);
    }
    let mut outer: Vec<usize> = by_norm.into_iter().map(|(_, object_ix)| object_ix).collect();
    outer.sort_unstable();
    outer.into_iter().flat_map(|object_ix| basis.row(object_ix).into_owned()).collect()
}

impl Scramble {
    /// Profiles are binned for standard deviations up to the one given, or hold every height.
    fn new(basis: &Basis, outer: &[f64], (seed, scramble): (u64, usize), pairs: Pairs, binned: Option<f64>) -> Self {
        let mut rng = Streams::new(seed, 0).rng(Purpose::Rate, scramble, 0);
        let sequence: u32 = rng.random();
        let n_pairs = if outer.is_empty() { pairs.controls } else { MOST_PAIRS };
        let directions: Vec<f64> = (0..n_pairs)
            .flat_map(|pair| (0..basis.rank()).map(move |axis| (pair, axis)))
            .map(|(pair, axis)| coordinate(pair, axis, sequence, &mut rng))
            .collect();
        let Some(largest_scale) = binned else {
            return Self::one_by_one(basis, &directions, pairs);
        };
        let mut scramble = Self::binned(basis, &directions, pairs, largest_scale);
        if !outer.is_empty() {
            let n_outer = outer.len() / basis.rank();
            let rows =
                |objects: Range<usize>| Cow::Borrowed(&outer[objects.start * basis.rank()..objects.end * basis.rank()]);
            scramble.outer_tops = tops(n_outer, basis.rank(), rows, (&directions, MOST_PAIRS));
        }
        scramble
    }

    fn one_by_one(basis: &Basis, directions: &[f64], pairs: Pairs) -> Self {
        let mut result = Self { profiles: Vec::new(), tops: Vec::new(), outer_tops: Vec::new() };
        let mut heights = Vec::new();
        for pair in 0..pairs.controls {
            basis.heights(&directions[pair * basis.rank()..(pair + 1) * basis.rank()], &mut heights);
            let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            result.tops.extend([high, -low]);
            if pair < pairs.integrals {
                heights.sort_by(|a, b| b.total_cmp(a));
                result.profiles.push(Profile::exact(heights.iter().copied()));
                result.profiles.push(Profile::exact(heights.iter().rev().map(|v| -v)));
            }
        }
        result
    }

    /// Builds binned profiles: maxima in a first pass, bins below them in a second one.
    fn binned(basis: &Basis, directions: &[f64], pairs: Pairs, largest_scale: f64) -> Self {
        let (n_objects, width) = (basis.n_objects(), basis.width());
        let directions = basis.towards_rows(pairs.controls, &directions[..pairs.controls * basis.rank()]);
        let rows = |objects: Range<usize>| basis.rows_of(objects);
        let tops = tops(n_objects, width, rows, (&directions, pairs.controls));
        let mut bins: Vec<Bins> =
            tops[..2 * pairs.integrals].iter().map(|&top| Bins::new(top, largest_scale)).collect();
        measure(n_objects, width, rows, (&directions, pairs.integrals), |pair, heights| {
            bins[2 * pair].add(heights, 1.0);
            bins[2 * pair + 1].add(heights, if planted(Fault::BinsWithoutSign) { 1.0 } else { -1.0 });
        });
        Self { profiles: bins.into_iter().map(Bins::finish).collect(), tops, outer_tops: Vec::new() }
    }

    /// Integrals of the first `n_pairs` pairs of directions, and controls of all, at standard deviation `scale`.
    pub fn values(&self, scale: f64, n_pairs: usize) -> Values {
        let pairs = |values: Vec<f64>| values.chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let controls = |tops: &[f64]| pairs(tops.iter().map(|&top| -log_cdf(-scale * top)).collect());
        let integrals = self.profiles.iter().take(2 * n_pairs).map(|profile| profile.integral(scale)).collect();
        Values {
            integrals: pairs(integrals),
            controls: controls(&self.tops),
            rough_controls: controls(&self.outer_tops),
        }
    }
}

/// One coordinate of a standard normal direction.
fn coordinate(point: usize, axis: usize, sequence: u32, rng: &mut impl Rng) -> f64 {
    if axis >= sobol_burley::NUM_DIMENSIONS as usize {
        return StandardNormal.sample(rng);
    }
    let place = f64::from(sobol_burley::sample(point as u32, axis as u32, sequence));
    // The middle of the cell that single precision can resolve.
    quantile(place + 0.5 / f64::from(1 << 24))
}

/// Largest heights along the first directions and their opposites, side by side.
fn tops<'a>(
    n_objects: usize,
    width: usize,
    rows: impl Fn(Range<usize>) -> Cow<'a, [f64]>,
    directions: (&[f64], usize),
) -> Vec<f64> {
    let mut ends = vec![(f64::MAX, f64::MIN); directions.1];
    measure(n_objects, width, rows, directions, |pair, heights| {
        let (low, high) = extremes(heights);
        ends[pair] = (ends[pair].0.min(low), ends[pair].1.max(high));
    });
    ends.iter().flat_map(|&(low, high)| [high, -low]).collect()
}

/// Visits the heights along the first `n_directions` directions, a block of objects at a time, without storing them
/// all.
fn measure<'a>(
    n_objects: usize,
    width: usize,
    rows: impl Fn(Range<usize>) -> Cow<'a, [f64]>,
    (directions, n_directions): (&[f64], usize),
    mut show: impl FnMut(usize, &[f64]),
) {
    let mut products = vec![0.0; OBJECTS_AT_ONCE * DIRECTIONS_AT_ONCE];
    let blocks = |n: usize, at_once: usize| (0..n).step_by(at_once).map(move |first| first..(first + at_once).min(n));
    for objects in blocks(n_objects, OBJECTS_AT_ONCE) {
        let rows = rows(objects.clone());
        let rows = view(&rows, objects.len(), width);
        for some in blocks(n_directions, DIRECTIONS_AT_ONCE) {
            let columns = view(&directions[some.start * width..some.end * width], some.len(), width).transpose();
            let heights = &mut products[..objects.len() * some.len()];
            multiply_into(heights, rows, columns);
            for (direction, heights) in some.zip(heights.chunks_exact(objects.len())) {
                show(direction, heights);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Inputs;
    use crate::numerics::simd::dot;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn basis(n_objects: usize, n_inputs: usize) -> Basis {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let values = (0..n_objects * n_inputs).map(|_| rng.random::<f64>() - 0.5).collect();
        Basis::new(&Inputs::new(n_objects, n_inputs, values).unwrap()).unwrap()
    }

    /// Both ways to measure the same directions tell the same tops and nearly the same integrals.
    #[test]
    fn bins_and_single_heights_agree() {
        let basis = basis(3000, 5);
        let pairs = Pairs { integrals: 4, controls: 70 };
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let directions: Vec<f64> = (0..70 * 5).map(|_| StandardNormal.sample(&mut rng)).collect();
        let exact = Scramble::one_by_one(&basis, &directions, pairs);
        let binned = Scramble::binned(&basis, &directions, pairs, 50.0);
        assert_eq!(exact.tops.len(), binned.tops.len());
        assert!(exact.tops.iter().zip(&binned.tops).all(|(a, b)| (a - b).abs() < 1e-12));
        for scale in [0.02, 0.3, 1.0, 7.0, 50.0] {
            let (exact, binned) = (exact.values(scale, 4).integrals, binned.values(scale, 4).integrals);
            // Of thousands of nearly equal heights the coarser quadrature of single heights is up to 0.4 % off.
            assert!(exact.iter().zip(&binned).all(|(a, b)| (a / b - 1.0).abs() < 5e-3), "{exact:?} {binned:?}");
        }
    }

    /// Inputs that are all 0 leave no axes: every height is 0.
    #[test]
    fn objects_without_inputs_have_no_height() {
        let basis = Basis::new(&Inputs::new(2000, 2, vec![0.0; 4000]).unwrap()).unwrap();
        let scramble = &scrambles(&basis, 1, 50.0, 1, Limits::STANDARD)[0];
        assert!(scramble.tops.iter().all(|&top| top == 0.0));
        let integrals = scramble.values(1.0, 1).integrals;
        let harmonic: f64 = (1..=2000).map(|n| 1.0 / f64::from(n)).sum();
        assert!((integrals[0] / harmonic - 1.0).abs() < 1e-4);
    }

    /// Outer objects are those of largest norm; in a square that is full of objects, the tops are theirs.
    #[test]
    fn outer_objects_reach_far() {
        let n_outer = Limits::STANDARD.outer_objects;
        let basis = basis(n_outer + 3000, 2);
        let outer = outer_rows(&basis, n_outer);
        assert_eq!(outer.len(), 2 * n_outer);
        let norm = |row: &[f64]| dot(row, row);
        let least = outer.chunks_exact(2).map(norm).fold(f64::MAX, f64::min);
        let n_farther = (0..basis.n_objects()).filter(|&o| norm(&basis.row(o)) > least).count();
        assert!(n_farther < n_outer);
        let directions = [1.0, 0.0, 0.6, -0.8];
        let turned = basis.towards_rows(2, &directions);
        let of_all = tops(basis.n_objects(), 2, |objects| basis.rows_of(objects), (&turned, 2));
        let of_outer =
            tops(n_outer, 2, |objects| Cow::Borrowed(&outer[2 * objects.start..2 * objects.end]), (&directions, 2));
        assert!(of_all.iter().zip(&of_outer).all(|(a, b)| (a - b).abs() < 1e-12), "{of_all:?} {of_outer:?}");
    }

    /// Many objects with many inputs take fewer directions, never fewer than their integrals need.
    #[test]
    fn the_work_is_bounded() {
        let suited = |n_objects: usize, n_inputs: usize| {
            let pairs = Pairs::suited_to(n_objects, n_inputs, Limits::STANDARD);
            (pairs.integrals, pairs.controls, SCRAMBLES * pairs.controls * n_objects * n_inputs)
        };
        let (_, most, _) = suited(2000, 64);
        assert_eq!(most, MOST_PAIRS);
        let (integrals, controls, work) = suited(1_000_000, 64);
        assert!(integrals < controls && controls < most && work <= Limits::STANDARD.multiplications);
        let (integrals, controls, _) = suited(1_000_000, 4096);
        assert_eq!(integrals, controls);
    }
}
