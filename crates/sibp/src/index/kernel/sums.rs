//! Adds up table entries of half bytes, for a few queries and 64 or more codes at once.
//!
//! The halves of a plane are taken apart once for all queries of a tile. Few queries take several strips at once: that
//! fills the registers.
#![allow(unsafe_code)]

use std::ops::Range;

use super::lanes::{Lanes, prefetch, with_lanes};
use super::tables::Half;
use super::{Hit, SECTION, TILE};
use crate::backing::Line;
use crate::index::planes::{Planes, STRIP, STRIPS};
use crate::numerics::level::Level;

/// Byte sums of `Q` queries and the 64 codes of each of `S` strips.
type Sums<W, const Q: usize, const S: usize> = [[[W; 2]; S]; Q];

/// 16-bit sums of `Q` queries and `S` strips.
type Totals<const Q: usize, const S: usize> = [[[u16; STRIP]; S]; Q];

/// The tables of some queries, and what they are compared with: blocks that exist, of as many planes as there are
/// tables.
#[derive(Clone)]
pub(super) struct Task<'a> {
    pub planes: &'a Planes,
    pub blocks: Range<usize>,
    pub n_queries: usize,
    pub tables: &'a [[[Half; 2]; TILE]],
}

/// Adds up table entries in bytes, saturating at 255.
pub(super) fn narrow(level: Level, task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) {
    with_lanes! { level, narrow_with::<W>(task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) }
}

/// Adds up table entries in 16 bits.
pub(super) fn wide(level: Level, task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) {
    with_lanes! { level, wide_with::<W>(task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) }
}

#[inline(always)]
fn narrow_with<W: Lanes>(task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) {
    match (task.n_queries, W::REGISTERS) {
        (1, 1) => narrow_for::<W, 1, 4>(task, bounds, hit),
        (1, _) => narrow_for::<W, 1, 2>(task, bounds, hit),
        (2, 1) => narrow_for::<W, 2, 2>(task, bounds, hit),
        (2, _) => narrow_for::<W, 2, 1>(task, bounds, hit),
        (3, _) => narrow_for::<W, 3, 1>(task, bounds, hit),
        _ => narrow_for::<W, 4, 1>(task, bounds, hit),
    }
}

#[inline(always)]
fn wide_with<W: Lanes>(task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) {
    match (task.n_queries, W::REGISTERS) {
        (1, 1) => wide_for::<W, 1, 4>(task, bounds, hit),
        (1, _) => wide_for::<W, 1, 1>(task, bounds, hit),
        (2, 1) => wide_for::<W, 2, 2>(task, bounds, hit),
        (2, _) => wide_for::<W, 2, 1>(task, bounds, hit),
        (3, _) => wide_for::<W, 3, 1>(task, bounds, hit),
        _ => wide_for::<W, 4, 1>(task, bounds, hit),
    }
}

#[inline(always)]
fn narrow_for<W: Lanes, const Q: usize, const S: usize>(task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) {
    for strip in (task.blocks.start * STRIPS..task.blocks.end * STRIPS).step_by(S) {
        let mut sums: Sums<W, Q, S> = [[[W::splat(0); 2]; S]; Q];
        let mut tables = task.tables.as_ptr();
        for group in task.planes.groups() {
            let first = strip / STRIPS * group.n_planes * STRIPS + strip % STRIPS;
            for p in 0..group.n_planes {
                // SAFETY: the block exists, and there are tables for every plane: whoever makes a task checks that.
                unsafe {
                    look_up(&mut sums, group.lines.as_ptr().add(first + p * STRIPS), group.ahead(), &*tables);
                    tables = tables.add(1);
                }
            }
        }
        report(&sums, strip, bounds, hit);
    }
}

#[inline(always)]
fn wide_for<W: Lanes, const Q: usize, const S: usize>(task: Task, bounds: &mut [u16; TILE], hit: &mut Hit) {
    for strip in (task.blocks.start * STRIPS..task.blocks.end * STRIPS).step_by(S) {
        let mut totals: Totals<Q, S> = [[[0; STRIP]; S]; Q];
        let mut tables = task.tables.as_ptr();
        for group in task.planes.groups() {
            let first = strip / STRIPS * group.n_planes * STRIPS + strip % STRIPS;
            for from in (0..group.n_planes).step_by(SECTION) {
                let mut sums: Sums<W, Q, S> = [[[W::splat(0); 2]; S]; Q];
                for p in from..(from + SECTION).min(group.n_planes) {
                    // SAFETY: as above.
                    unsafe {
                        look_up(&mut sums, group.lines.as_ptr().add(first + p * STRIPS), group.ahead(), &*tables);
                        tables = tables.add(1);
                    }
                }
                add_wide(&mut totals, &sums);
            }
        }
        report_wide(&totals, strip, bounds, hit);
    }
}

/// Adds the table entries of both half bytes of `S` lines.
///
/// # Safety
/// There must be so many lines.
#[inline(always)]
unsafe fn look_up<W: Lanes, const Q: usize, const S: usize>(
    sums: &mut Sums<W, Q, S>,
    lines: *const Line,
    ahead: usize,
    tables: &[[Half; 2]; TILE],
) {
    for s in 0..S {
        // SAFETY: passed on.
        let line = unsafe { &*lines.add(s) };
        // A lone query waits for memory.
        if Q == 1 {
            prefetch(lines.wrapping_add(s + ahead));
        }
        let codes = line.0.as_chunks::<{ STRIP / 2 }>().0;
        let mut halves = [[W::splat(0); 2]; 2];
        for (halves, codes) in halves.iter_mut().zip(codes) {
            let bytes = W::load(codes);
            *halves = [bytes.right::<4>(15), bytes.right::<0>(15)];
        }
        for (sums, tables) in sums.iter_mut().zip(tables) {
            let [high, low] = [W::table(&tables[0]), W::table(&tables[1])];
            for (sum, halves) in sums[s].iter_mut().zip(halves) {
                // Two entries never overflow, and a plain addition is the cheaper one.
                *sum = sum.add_saturating(halves[0].look_up(high).add(halves[1].look_up(low)));
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
