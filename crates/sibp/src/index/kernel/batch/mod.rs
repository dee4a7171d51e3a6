//! Compares many queries with blocks by tables that the queries share.
//!
//! A half byte has 16 values, and a batch has more queries than that: the distances between the codes' half bytes and
//! each of the values are taken once, and a query only adds up those that its own half bytes pick. That is one load and
//! one addition instead of a table look-up and an addition, and no query needs the half bytes taken apart.
//!
//! Two codes share a byte of such a row, four bits each. So that sums over four half bytes fit them, one of the four
//! counts four bits as three. Sums are thus at most the distances, and rule out nearly all codes that are too far; the
//! distances of the others are counted.
#![allow(unsafe_code)]

mod cache;
mod tables;
mod totals;

use std::ops::Range;

use tables::Tables;
use totals::{Narrow, Total, Wide};

#[cfg(target_arch = "aarch64")]
use super::lanes::Neon;
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2, Ssse3};
use super::lanes::{Lanes, Portable, with_lanes};
use super::{Hit, SAFE_PLANES, check};
use crate::backing::Line;
use crate::index::planes::{Planes, STRIP, STRIPS};
use crate::numerics::level::Level;

/// Strips that are compared at once: a look at a query's picks serves both.
const PAIR: usize = 2;

/// Most planes whose tables are used at once, on any machine; see [`cache::most_planes`].
const MOST_PLANES: usize = 16;

/// Most planes of a section whose picks are read four at a time.
const PICKED_AT_ONCE: usize = 13;

/// Half bytes whose distances are added up before the two codes of a byte are separated: at most 4 + 4 + 4 + 3.
const TOGETHER: usize = 4;

/// Lanes of a strip whose distances are counted one by one; those of more are counted together.
const FEW: u32 = 2;

/// Values of a half byte.
const VALUES: usize = 16;

/// Queries prepared for shared tables.
#[derive(Debug)]
pub(crate) struct QueryBatch {
    n_planes: usize,
    /// The bytes of the queries, one after the other.
    bytes: Vec<u8>,
    sections: Vec<Section>,
}

/// Consecutive planes of a group whose tables are used at once.
#[derive(Debug)]
struct Section {
    group: usize,
    planes: Range<usize>,
    /// What each query picks, two planes at a time.
    picks: Vec<Picks>,
}

impl Section {
    /// The lines from the first one of a strip on.
    fn lines<'a>(&self, planes: &'a Planes, strip: usize) -> &'a [Line] {
        let block = planes.groups()[self.group].block(strip / STRIPS);
        &block[self.planes.start * STRIPS + strip % STRIPS..self.planes.end * STRIPS]
    }

    /// What a query picks.
    ///
    /// # Safety
    /// There must be such a query, and `P` planes.
    #[inline(always)]
    unsafe fn picks<const P: usize>(&self, query: usize) -> &[Picks] {
        let n_picks = P.div_ceil(2);
        // SAFETY: passed on; a check would cost the loops over queries registers that they need.
        unsafe { std::slice::from_raw_parts(self.picks.as_ptr().add(query * n_picks), n_picks) }
    }
}

/// Where the rows that two bytes of a query pick start in the tables: those of the high and the low half of the first
/// byte, then those of the second.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(8))]
struct Picks([u16; TOGETHER]);

impl Picks {
    /// Reads all of them at once, since the rows keep the processor's loads busy; but one by one in sections of many
    /// planes, for which compilers run out of registers, and where the first would not be the lowest.
    #[inline(always)]
    fn read<const P: usize>(&self) -> [u16; TOGETHER] {
        if P > PICKED_AT_ONCE || cfg!(target_endian = "big") {
            return self.0;
        }
        // SAFETY: both are eight bytes, aligned to eight.
        let all = unsafe { std::ptr::from_ref(self).cast::<u64>().read() };
        [all as u16, (all >> 16) as u16, (all >> 32) as u16, (all >> 48) as u16]
    }
}

impl QueryBatch {
    pub fn new<'a>(level: Level, planes: &Planes, queries: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Self {
        let mut sections = Vec::new();
        let mut first = 0;
        for (group, n_planes) in planes.groups().iter().map(|group| group.n_planes).enumerate() {
            let n_sections = n_planes.div_ceil(cache::most_planes(level, n_planes));
            let edge = |section: usize| n_planes * section / n_sections;
            for section in 0..n_sections {
                let planes = edge(section)..edge(section + 1);
                let bytes = first + planes.start..first + planes.end;
                let picks = queries.clone().flat_map(|query| picks(&query[bytes.clone()])).collect();
                sections.push(Section { group, planes, picks });
            }
            first += n_planes;
        }
        Self { n_planes: first, bytes: queries.flatten().copied().collect(), sections }
    }

    fn query(&self, query: usize) -> &[u8] {
        &self.bytes[query * self.n_planes..(query + 1) * self.n_planes]
    }
}

/// What the bytes of a query in the planes of a section pick.
fn picks(bytes: &[u8]) -> impl Iterator<Item = Picks> {
    bytes.chunks(2).enumerate().map(|(pair, bytes)| {
        let mut picks = Picks::default();
        let values = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for (half, (pick, value)) in picks.0.iter_mut().zip(values).enumerate() {
            let row = (pair * TOGETHER + half) * VALUES + usize::from(value);
            *pick = (row * PAIR * STRIP / 2) as u16;
        }
        picks
    })
}

/// Calls a function for a number of planes that it knows when it is compiled.
macro_rules! for_planes {
    ($n_planes:expr, $function:ident::<$kind:ident, $total:ident>($($arg:expr),*)) => {
        match $n_planes {
            1 => $kind::$function::<$total, 1>($($arg),*),
            2 => $kind::$function::<$total, 2>($($arg),*),
            3 => $kind::$function::<$total, 3>($($arg),*),
            4 => $kind::$function::<$total, 4>($($arg),*),
            5 => $kind::$function::<$total, 5>($($arg),*),
            6 => $kind::$function::<$total, 6>($($arg),*),
            7 => $kind::$function::<$total, 7>($($arg),*),
            8 => $kind::$function::<$total, 8>($($arg),*),
            9 => $kind::$function::<$total, 9>($($arg),*),
            10 => $kind::$function::<$total, 10>($($arg),*),
            11 => $kind::$function::<$total, 11>($($arg),*),
            12 => $kind::$function::<$total, 12>($($arg),*),
            13 => $kind::$function::<$total, 13>($($arg),*),
            14 => $kind::$function::<$total, 14>($($arg),*),
            15 => $kind::$function::<$total, 15>($($arg),*),
            _ => $kind::$function::<$total, MOST_PLANES>($($arg),*),
        }
    };
}

/// The loops over queries, each a function of its own that is compiled for the lanes: inside a larger one compilers
/// run out of registers.
trait Loops: Lanes {
    /// See [`Tables::fill`].
    fn fill(tables: &mut Tables<Self>, lines: &[Line]);
    /// See [`add_section`].
    fn add_section<T: Total<Self>, const P: usize>(
        tables: &Tables<Self>,
        section: &Section,
        is_first: bool,
        totals: &mut [T],
    );
    /// See [`find_near`].
    fn find_near<T: Total<Self>, const P: usize>(
        tables: &Tables<Self>,
        section: &Section,
        before: Option<&[T]>,
        bounds: &[T::Bound],
        near: &mut [(usize, T)],
    ) -> usize;
}

/// Implements [`Loops`] by functions with these attributes.
macro_rules! loops {
    ($lanes:ty $(, #[$attribute:meta])?) => {
        impl Loops for $lanes {
            fn fill(tables: &mut Tables<Self>, lines: &[Line]) {
                $(#[$attribute])?
                #[inline(never)]
                fn compiled(tables: &mut Tables<$lanes>, lines: &[Line]) {
                    tables.fill(lines)
                }
                // SAFETY: who uses these lanes has their instructions.
                #[allow(unused_unsafe)]
                unsafe { compiled(tables, lines) }
            }

            fn add_section<T: Total<Self>, const P: usize>(
                tables: &Tables<Self>,
                section: &Section,
                is_first: bool,
                totals: &mut [T],
            ) {
                $(#[$attribute])?
                #[inline(never)]
                fn compiled<T: Total<$lanes>, const P: usize>(
                    tables: &Tables<$lanes>,
                    section: &Section,
                    is_first: bool,
                    totals: &mut [T],
                ) {
                    add_section::<$lanes, T, P>(tables, section, is_first, totals)
                }
                // SAFETY: who uses these lanes has their instructions.
                #[allow(unused_unsafe)]
                unsafe { compiled::<T, P>(tables, section, is_first, totals) }
            }

            fn find_near<T: Total<Self>, const P: usize>(
                tables: &Tables<Self>,
                section: &Section,
                before: Option<&[T]>,
                bounds: &[T::Bound],
                near: &mut [(usize, T)],
            ) -> usize {
                $(#[$attribute])?
                #[inline(never)]
                fn compiled<T: Total<$lanes>, const P: usize>(
                    tables: &Tables<$lanes>,
                    section: &Section,
                    before: Option<&[T]>,
                    bounds: &[T::Bound],
                    near: &mut [(usize, T)],
                ) -> usize {
                    find_near::<$lanes, T, P>(tables, section, before, bounds, near)
                }
                // SAFETY: who uses these lanes has their instructions.
                #[allow(unused_unsafe)]
                unsafe { compiled::<T, P>(tables, section, before, bounds, near) }
            }
        }
    };
}

loops!(Portable);
#[cfg(target_arch = "aarch64")]
loops!(Neon);
#[cfg(target_arch = "x86_64")]
loops!(Ssse3, #[target_feature(enable = "ssse3")]);
#[cfg(target_arch = "x86_64")]
loops!(Avx2, #[target_feature(enable = "avx2")]);

#[inline(always)]
fn compare<W: Loops, T: Total<W>>(
    planes: &Planes,
    blocks: Range<usize>,
    batch: &QueryBatch,
    bounds: &mut [u16],
    hit: &mut Hit,
) {
    assert_eq!(bounds.len() * batch.n_planes, batch.bytes.len(), "a bound for every query");
    let Some((last, sections)) = batch.sections.split_last() else { return };
    let mut tables = Tables::<W>::new();
    let nothing = T::new([[W::splat(0); 2]; PAIR]);
    let mut totals = vec![nothing; bounds.len()];
    let mut near = vec![(0, nothing); bounds.len()];
    let mut limits = Vec::with_capacity(bounds.len());
    for &bound in bounds.iter() {
        limits.push(T::bound(bound));
    }
    let strips = blocks.start * STRIPS..blocks.end * STRIPS;
    for strip in strips.clone().step_by(PAIR) {
        for (at, section) in sections.iter().enumerate() {
            tables.prepare(planes, section, strip, &strips);
            for_planes!(section.planes.len(), add_section::<W, T>(&tables, section, at == 0, &mut totals));
        }
        tables.prepare(planes, last, strip, &strips);
        let before = (!sections.is_empty()).then_some(&totals[..]);
        let n_near = for_planes!(last.planes.len(), find_near::<W, T>(&tables, last, before, &limits, &mut near));
        for &(query, total) in &near[..n_near] {
            look_again(planes, batch.query(query), query, &total, strip, &mut bounds[query], hit);
            limits[query] = T::bound(bounds[query]);
        }
    }
}

/// Adds what the queries pick in a section of `P` planes to their totals, which start with the first section.
#[inline(always)]
fn add_section<W: Lanes, T: Total<W>, const P: usize>(
    tables: &Tables<W>,
    section: &Section,
    is_first: bool,
    totals: &mut [T],
) {
    for (query, total) in totals.iter_mut().enumerate() {
        // SAFETY: picks were made for every query, and for the tables of a section of so many planes.
        let sums = unsafe { tables.sum::<P>(section.picks::<P>(query)) };
        *total = if is_first { T::new(sums) } else { total.plus(sums) };
    }
}

/// Lists the queries that have a sum below their bound, and their sums: by the totals of other sections and `P` planes of
/// this one.
#[inline(always)]
fn find_near<W: Lanes, T: Total<W>, const P: usize>(
    tables: &Tables<W>,
    section: &Section,
    before: Option<&[T]>,
    bounds: &[T::Bound],
    near: &mut [(usize, T)],
) -> usize {
    let mut n_near = 0;
    for (query, &bound) in bounds.iter().enumerate() {
        // SAFETY: picks were made for every query, and for the tables of a section of so many planes.
        let sums = unsafe { tables.sum::<P>(section.picks::<P>(query)) };
        let total = match before {
            Some(totals) => totals[query].plus(sums),
            None => T::new(sums),
        };
        if total.any_below(bound) {
            near[n_near] = (query, total);
            n_near += 1;
        }
    }
    n_near
}

/// Reports the codes of two strips whose distances are below a query's bound.
#[inline(always)]
fn look_again<W: Lanes, T: Total<W>>(
    planes: &Planes,
    bytes: &[u8],
    query: usize,
    total: &T,
    first_strip: usize,
    bound: &mut u16,
    hit: &mut Hit,
) {
    for s in 0..PAIR {
        let near = total.below(s, T::bound(*bound));
        let mut distances = [0; STRIP];
        let lanes = count(planes, bytes, first_strip + s, near, *bound, &mut distances);
        if lanes != 0 {
            *bound = hit(query, first_strip + s, lanes, &distances);
        }
    }
}

/// Counts the distances of some lanes of a strip, and returns those below the bound.
#[inline(always)]
fn count(planes: &Planes, bytes: &[u8], strip: usize, lanes: u64, bound: u16, distances: &mut [u16; STRIP]) -> u64 {
    if lanes.count_ones() > FEW {
        return lanes & count_all(planes, bytes, strip, bound, distances);
    }
    let (mut left, mut below) = (lanes, 0);
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        distances[lane] = distance(planes, bytes, strip, lane);
        below |= u64::from(distances[lane] < bound) << lane;
    }
    below
}

/// Counts the distances of all lanes of a strip, and returns those below the bound. As long as bounds are loose, which
/// is when a search begins, most lanes are near.
#[inline(always)]
fn count_all(planes: &Planes, bytes: &[u8], strip: usize, bound: u16, distances: &mut [u16; STRIP]) -> u64 {
    let mut bytes = bytes;
    *distances = [0; STRIP];
    for group in planes.groups() {
        let (of_group, rest) = bytes.split_at(group.n_planes);
        let lines = group.block(strip / STRIPS).as_chunks::<STRIPS>().0;
        for (lines, bytes) in lines.chunks(SAFE_PLANES).zip(of_group.chunks(SAFE_PLANES)) {
            let mut counts = [0u8; STRIP];
            for (lines, byte) in lines.iter().zip(bytes) {
                for (count, code) in counts.iter_mut().zip(lines[strip % STRIPS].0) {
                    *count += (code ^ byte).count_ones() as u8;
                }
            }
            for (distance, count) in distances.iter_mut().zip(counts) {
                *distance += u16::from(count);
            }
        }
        bytes = rest;
    }
    let mut below = 0;
    for (lane, &distance) in distances.iter().enumerate() {
        below |= u64::from(distance < bound) << lane;
    }
    below
}

/// The distance of one code.
#[inline(always)]
fn distance(planes: &Planes, bytes: &[u8], strip: usize, lane: usize) -> u16 {
    let (mut distance, mut bytes) = (0, bytes);
    for group in planes.groups() {
        let (of_group, rest) = bytes.split_at(group.n_planes);
        let lines = group.block(strip / STRIPS)[strip % STRIPS..].iter().step_by(STRIPS);
        distance += lines.zip(of_group).map(|(line, byte)| (line.0[lane] ^ byte).count_ones()).sum::<u32>();
        bytes = rest;
    }
    distance as u16
}

/// Compares a batch with blocks by byte sums: distances above 255 count as 255, so bounds must be at most 255.
pub(crate) fn narrow(
    level: Level,
    planes: &Planes,
    blocks: Range<usize>,
    batch: &QueryBatch,
    bounds: &mut [u16],
    hit: &mut Hit,
) {
    check(planes, &blocks, batch.n_planes);
    with_lanes! {
        level, compare::<W, Narrow<W>>(
            planes: &Planes, blocks: Range<usize>, batch: &QueryBatch, bounds: &mut [u16], hit: &mut Hit
        )
    }
}

/// Compares a batch with blocks by 16-bit sums, for any distance.
pub(crate) fn wide(
    level: Level,
    planes: &Planes,
    blocks: Range<usize>,
    batch: &QueryBatch,
    bounds: &mut [u16],
    hit: &mut Hit,
) {
    check(planes, &blocks, batch.n_planes);
    with_lanes! {
        level, compare::<W, Wide>(
            planes: &Planes, blocks: Range<usize>, batch: &QueryBatch, bounds: &mut [u16], hit: &mut Hit
        )
    }
}
