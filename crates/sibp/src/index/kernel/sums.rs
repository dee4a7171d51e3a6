//! Adds up what the planes of a code add to its distance, for a few queries and 64 or more codes at once.
//!
//! That is table entries of half bytes, or numbers of bits where processors count those of bytes. The halves of a plane
//! are taken apart once for all queries of a tile. Few queries take several strips at once: that fills the registers.
#![allow(unsafe_code)]

use std::ops::Range;

#[cfg(target_arch = "aarch64")]
use super::lanes::{Counts, Neon};
use super::lanes::{Lanes, prefetch, with_lanes};
use super::tables::Half;
use super::{Hit, SECTION, TILE};
use crate::backing::Line;
use crate::index::planes::{Group, Planes, STRIP, STRIPS};
use crate::numerics::level::Level;

/// Byte sums of `Q` queries and the 64 codes of each of `S` strips.
type Sums<W, const Q: usize, const S: usize> = [[[W; 2]; S]; Q];

/// 16-bit sums of `Q` queries and `S` strips.
type Totals<const Q: usize, const S: usize> = [[[u16; STRIP]; S]; Q];

/// What some queries have for each plane, and what they are compared with: blocks that exist, of as many planes as that.
pub(super) struct Task<'a, P> {
    pub planes: &'a Planes,
    pub blocks: Range<usize>,
    pub n_queries: usize,
    pub by_plane: &'a [P],
}

/// The tables of a tile's queries for the two half bytes of a plane.
type HalfTables = [[Half; 2]; TILE];

/// Adds up table entries in bytes, saturating at 255.
pub(super) fn narrow(level: Level, task: Task<HalfTables>, bounds: &mut [u16; TILE], hit: &mut Hit) {
    with_lanes! { level, narrow_with::<W, HalfTables>(task: Task<HalfTables>, bounds: &mut [u16; TILE], hit: &mut Hit) }
}

/// Adds up table entries in 16 bits.
pub(super) fn wide(level: Level, task: Task<HalfTables>, bounds: &mut [u16; TILE], hit: &mut Hit) {
    with_lanes! { level, wide_with::<W, HalfTables>(task: Task<HalfTables>, bounds: &mut [u16; TILE], hit: &mut Hit) }
}

/// Counts bits in bytes, saturating at 255; `by_plane` are the bytes of the queries.
#[cfg(target_arch = "aarch64")]
pub(super) fn narrow_counts(task: Task<[u8; TILE]>, bounds: &mut [u16; TILE], hit: &mut Hit) {
    narrow_with::<Neon, _>(task, bounds, hit);
}

/// Counts bits in 16 bits.
#[cfg(target_arch = "aarch64")]
pub(super) fn wide_counts(task: Task<[u8; TILE]>, bounds: &mut [u16; TILE], hit: &mut Hit) {
    wide_with::<Neon, _>(task, bounds, hit);
}

#[inline(always)]
fn narrow_with<W: Lanes, P: Plane<W>>(task: Task<P>, bounds: &mut [u16; TILE], hit: &mut Hit) {
    match (task.n_queries, W::REGISTERS) {
        (1, 1) => narrow_for::<W, P, 1, 4>(task, bounds, hit),
        (1, _) => narrow_for::<W, P, 1, 2>(task, bounds, hit),
        (2, 1) => narrow_for::<W, P, 2, 2>(task, bounds, hit),
        (2, _) => narrow_for::<W, P, 2, 1>(task, bounds, hit),
        (3, _) => narrow_for::<W, P, 3, 1>(task, bounds, hit),
        _ => narrow_for::<W, P, 4, 1>(task, bounds, hit),
    }
}

#[inline(always)]
fn wide_with<W: Lanes, P: Plane<W>>(task: Task<P>, bounds: &mut [u16; TILE], hit: &mut Hit) {
    match (task.n_queries, W::REGISTERS) {
        (1, 1) => wide_for::<W, P, 1, 4>(task, bounds, hit),
        (1, _) => wide_for::<W, P, 1, 1>(task, bounds, hit),
        (2, 1) => wide_for::<W, P, 2, 2>(task, bounds, hit),
        (2, _) => wide_for::<W, P, 2, 1>(task, bounds, hit),
        (3, _) => wide_for::<W, P, 3, 1>(task, bounds, hit),
        _ => wide_for::<W, P, 4, 1>(task, bounds, hit),
    }
}

#[inline(always)]
fn narrow_for<W: Lanes, P: Plane<W>, const Q: usize, const S: usize>(
    task: Task<P>,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    assert_eq!(task.by_plane.len(), task.planes.n_planes(), "something for every plane");
    for strip in (task.blocks.start * STRIPS..task.blocks.end * STRIPS).step_by(S) {
        let mut sums: Sums<W, Q, S> = [[[W::splat(0); 2]; S]; Q];
        let mut queries = task.by_plane;
        for group in task.planes.groups() {
            // SAFETY: the block exists, and there is something for every plane.
            queries = unsafe { add_planes(&mut sums, group, strip, 0..group.n_planes, queries) };
        }
        report(&sums, strip, bounds, hit);
    }
}

#[inline(always)]
fn wide_for<W: Lanes, P: Plane<W>, const Q: usize, const S: usize>(
    task: Task<P>,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    assert_eq!(task.by_plane.len(), task.planes.n_planes(), "something for every plane");
    for strip in (task.blocks.start * STRIPS..task.blocks.end * STRIPS).step_by(S) {
        let mut totals: Totals<Q, S> = [[[0; STRIP]; S]; Q];
        let mut queries = task.by_plane;
        for group in task.planes.groups() {
            for from in (0..group.n_planes).step_by(SECTION) {
                let mut sums: Sums<W, Q, S> = [[[W::splat(0); 2]; S]; Q];
                let section = from..(from + SECTION).min(group.n_planes);
                // SAFETY: the block exists, and there is something for every plane.
                queries = unsafe { add_planes(&mut sums, group, strip, section, queries) };
                add_wide(&mut totals, &sums);
            }
        }
        report_wide(&totals, strip, bounds, hit);
    }
}

/// Adds what some planes of a group add to the sums of `S` strips, and returns what the queries have for the planes behind.
///
/// # Safety
/// The strips' block must exist, and the queries have something for every one of the planes.
#[inline(always)]
unsafe fn add_planes<'a, W: Lanes, P: Plane<W>, const Q: usize, const S: usize>(
    sums: &mut Sums<W, Q, S>,
    group: &Group,
    strip: usize,
    planes: Range<usize>,
    queries: &'a [P],
) -> &'a [P] {
    let n_planes = planes.len();
    let first = (strip / STRIPS * group.n_planes + planes.start) * STRIPS + strip % STRIPS;
    for p in 0..n_planes {
        // SAFETY: passed on.
        unsafe {
            let lines = group.lines.as_ptr().add(first + p * STRIPS);
            add_plane(sums, lines, group.ahead(), queries.get_unchecked(p));
        }
    }
    // SAFETY: passed on.
    unsafe { queries.get_unchecked(n_planes..) }
}

/// Adds what `S` lines of a plane add.
///
/// # Safety
/// There must be so many lines.
#[inline(always)]
unsafe fn add_plane<W: Lanes, P: Plane<W>, const Q: usize, const S: usize>(
    sums: &mut Sums<W, Q, S>,
    lines: *const Line,
    ahead: usize,
    queries: &P,
) {
    for s in 0..S {
        // SAFETY: passed on.
        let line = unsafe { &*lines.add(s) };
        // A lone query waits for memory.
        if Q == 1 {
            prefetch(lines.wrapping_add(s + ahead));
        }
        let (codes, _) = line.0.as_chunks::<{ STRIP / 2 }>();
        queries.add_to(sums, s, [W::load(&codes[0]), W::load(&codes[1])]);
    }
}

/// What the queries of a tile have for a plane, and what it makes of codes.
trait Plane<W> {
    /// Adds what the bytes of 64 codes add to the sums of a strip.
    fn add_to<const Q: usize, const S: usize>(&self, sums: &mut Sums<W, Q, S>, strip: usize, codes: [W; 2]);
}

impl<W: Lanes> Plane<W> for HalfTables {
    #[inline(always)]
    fn add_to<const Q: usize, const S: usize>(&self, sums: &mut Sums<W, Q, S>, strip: usize, [x, y]: [W; 2]) {
        let halves = [[x.right::<4>(15), x.right::<0>(15)], [y.right::<4>(15), y.right::<0>(15)]];
        for (sums, tables) in sums.iter_mut().zip(self) {
            let [high, low] = [W::table(&tables[0]), W::table(&tables[1])];
            for (sum, halves) in sums[strip].iter_mut().zip(halves) {
                // Two entries never overflow, and a plain addition is the cheaper one.
                *sum = sum.add_saturating(halves[0].look_up(high).add(halves[1].look_up(low)));
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl<W: Counts> Plane<W> for [u8; TILE] {
    #[inline(always)]
    fn add_to<const Q: usize, const S: usize>(&self, sums: &mut Sums<W, Q, S>, strip: usize, codes: [W; 2]) {
        for (sums, &byte) in sums.iter_mut().zip(self) {
            for (sum, codes) in sums[strip].iter_mut().zip(codes) {
                *sum = sum.add_saturating(codes.differing(W::splat(byte)));
            }
        }
    }
}

/// Adds byte sums to 16-bit ones, which saturate.
#[inline(always)]
fn add_wide<W: Lanes, const Q: usize, const S: usize>(totals: &mut Totals<Q, S>, sums: &Sums<W, Q, S>) {
    for (totals, sums) in totals.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
        for (total, byte) in totals.iter_mut().zip(bytes_of(sums)) {
            *total = total.saturating_add(u16::from(byte));
        }
    }
}

/// The sums of a strip.
#[inline(always)]
fn bytes_of<W: Lanes>(sums: &[W; 2]) -> [u8; STRIP] {
    let mut bytes = [0; STRIP];
    for (to, sums) in bytes.as_chunks_mut().0.iter_mut().zip(sums) {
        *to = sums.store();
    }
    bytes
}

/// Reports the lanes below each query's bound; of several strips one comparison decides that there are none.
#[inline(always)]
fn report<W: Lanes, const Q: usize, const S: usize>(
    sums: &Sums<W, Q, S>,
    strip: usize,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for (q, strips) in sums.iter().enumerate() {
        // Without branches: where there is none, as nearly always, that is known at once.
        if !strips.iter().fold(false, |any, &both| any | W::any_below(both, W::splat(bounds[q] as u8))) {
            continue;
        }
        for (s, both) in strips.iter().enumerate() {
            let bound = W::splat(bounds[q] as u8);
            let lanes = u64::from(both[0].below(bound)) | u64::from(both[1].below(bound)) << (STRIP / 2);
            if lanes != 0 {
                bounds[q] = hit(q, strip + s, lanes, &bytes_of(both).map(u16::from));
            }
        }
    }
}

/// Reports the lanes below each query's bound.
#[inline(always)]
fn report_wide<const Q: usize, const S: usize>(
    totals: &Totals<Q, S>,
    strip: usize,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for ((q, strips), bound) in totals.iter().enumerate().zip(bounds) {
        for (s, totals) in strips.iter().enumerate() {
            let lanes = totals.iter().enumerate().fold(0, |lanes, (lane, sum)| lanes | u64::from(sum < bound) << lane);
            if lanes != 0 {
                *bound = hit(q, strip + s, lanes, totals);
            }
        }
    }
}
