//! Compares many queries with blocks by tables that the queries share.
//!
//! A half byte has 16 values, and a batch has more queries than that: the distances between the codes' half bytes and
//! each of the values are taken once, and a query only adds up those that its own half bytes pick. That is one load and
//! one addition instead of a table look-up and an addition, and no query needs the half bytes taken apart.
//!
//! Two codes share a byte of such a row, four bits each: a sum over three half bytes is at most 12.
#![allow(unsafe_code)]

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::lanes::Avx2;
use super::lanes::{Lanes, Portable};
use super::{Hit, check};
use crate::backing::Line;
use crate::index::planes::{Planes, STRIP, STRIPS};
use crate::numerics::level::{Level, compiled_for};

/// Strips that are compared at once: a look at a query's picks serves both.
const PAIR: usize = 2;

/// Most planes whose tables are used at once: 20 KiB, which stay in the first-level cache.
const MOST_PLANES: usize = 10;

/// Half bytes whose distances are added up before the two codes of a byte are separated.
const TOGETHER: usize = 3;

/// Values of a half byte.
const VALUES: usize = 16;

/// Queries prepared for shared tables.
#[derive(Debug)]
pub(crate) struct QueryBatch {
    n_queries: usize,
    sections: Vec<Section>,
}

/// Consecutive planes of a group whose tables are used at once.
#[derive(Debug)]
struct Section {
    group: usize,
    planes: Range<usize>,
    /// What each query picks, plane by plane.
    picks: Vec<Picks>,
}

impl Section {
    /// The lines from the first one of a strip on.
    fn lines<'a>(&self, planes: &'a Planes, strip: usize) -> &'a [Line] {
        let block = planes.groups()[self.group].block(strip / STRIPS);
        &block[self.planes.start * STRIPS + strip % STRIPS..self.planes.end * STRIPS]
    }
}

/// Where the rows that a byte of a query picks start in the tables: that of its high half and that of its low half.
type Picks = [u16; 2];

impl QueryBatch {
    pub fn new<'a>(planes: &Planes, queries: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Self {
        let mut sections = Vec::new();
        let mut first = 0;
        for (group, n_planes) in planes.groups().iter().map(|group| group.n_planes).enumerate() {
            let n_sections = n_planes.div_ceil(MOST_PLANES);
            let edge = |section: usize| n_planes * section / n_sections;
            for section in 0..n_sections {
                let planes = edge(section)..edge(section + 1);
                let bytes = first + planes.start..first + planes.end;
                let picks = queries.clone().flat_map(|query| picks(&query[bytes.clone()])).collect();
                sections.push(Section { group, planes, picks });
            }
            first += n_planes;
        }
        Self { n_queries: queries.len(), sections }
    }

    /// Number of planes that the queries have.
    fn n_planes(&self) -> usize {
        self.sections.iter().map(|section| section.planes.len()).sum()
    }
}

/// What the bytes of a query in the planes of a section pick.
fn picks(bytes: &[u8]) -> impl Iterator<Item = Picks> {
    bytes.iter().enumerate().map(|(plane, byte)| {
        let row = |half: usize, value: u8| (2 * plane + half) * VALUES + usize::from(value);
        [row(0, byte >> 4), row(1, byte & 15)].map(|row| (row * PAIR * STRIP / 2) as u16)
    })
}

/// Distances of 64 codes from one value of a half byte: code `i` in the low half of byte `i`, code `32 + i` in the
/// high half.
type Row<W> = [W; PAIR];

/// For the high and the low half bytes of some planes, a row for each value.
struct Tables<W>(Vec<[Row<W>; VALUES]>);

/// Distances of the 64 codes of each of [`PAIR`] strips.
type Sums<W> = [[W; 2]; PAIR];

impl<W: Lanes> Tables<W> {
    #[inline(always)]
    fn new() -> Self {
        Self(vec![[[W::splat(0); PAIR]; VALUES]; 2 * MOST_PLANES])
    }

    /// Makes the tables of a section for two strips, given its lines from the first of these on.
    #[inline(always)]
    fn fill(&mut self, lines: &[Line]) {
        for (tables, lines) in self.0.chunks_exact_mut(2).zip(lines.chunks(STRIPS)) {
            for (s, line) in lines[..PAIR].iter().enumerate() {
                let [x, y] = halves_of_line::<W>(line);
                fill_strip(&mut tables[0], s, x.right::<4>(15).or(y.right::<0>(0xf0)));
                fill_strip(&mut tables[1], s, x.right::<0>(15).or(y.left_four(15)));
            }
        }
    }

    /// Adds up the rows that a query picks.
    ///
    /// # Safety
    /// The picks must be of these tables.
    #[inline(always)]
    unsafe fn sum<const P: usize>(&self, picks: &[Picks; P]) -> Sums<W> {
        let mut sums = [[W::splat(0); 2]; PAIR];
        let picks = picks.as_flattened();
        let mut at = 0;
        while at < 2 * P {
            // SAFETY: passed on.
            let mut both = unsafe { self.row(picks[at]) };
            for &pick in &picks[at + 1..(at + TOGETHER).min(2 * P)] {
                // SAFETY: passed on.
                let row = unsafe { self.row(pick) };
                both = [both[0].add(row[0]), both[1].add(row[1])];
            }
            for (sums, both) in sums.iter_mut().zip(both) {
                *sums = W::gather(*sums, both);
            }
            at += TOGETHER;
        }
        for sums in &mut sums {
            *sums = W::settle(*sums);
        }
        sums
    }

    /// The row that starts at a byte.
    ///
    /// # Safety
    /// There must be one.
    #[inline(always)]
    unsafe fn row(&self, pick: u16) -> Row<W> {
        // SAFETY: passed on; rows are aligned.
        unsafe { *self.0.as_ptr().cast::<Row<W>>().byte_add(usize::from(pick)) }
    }
}

/// The first and the last 32 codes of a line.
#[inline(always)]
fn halves_of_line<W: Lanes>(line: &Line) -> [W; 2] {
    let (halves, _) = line.0.as_chunks::<{ STRIP / 2 }>();
    [W::load(&halves[0]), W::load(&halves[1])]
}

/// Fills in the distances between half bytes and all values, from those of their two pairs of bits.
#[inline(always)]
fn fill_strip<W: Lanes>(table: &mut [Row<W>; VALUES], strip: usize, halves: W) {
    let low = pair_distances(halves.right::<0>(0x11), halves.right::<1>(0x11));
    let high = pair_distances(halves.right::<2>(0x11), halves.right::<3>(0x11));
    for (value, row) in table.iter_mut().enumerate() {
        row[strip] = high[value >> 2].add(low[value & 3]);
    }
}

/// The distances between two bits and 0 to 3, in each half byte.
#[inline(always)]
fn pair_distances<W: Lanes>(low: W, high: W) -> [W; 4] {
    let (one, two) = (W::splat(0x11), W::splat(0x22));
    let from_0 = low.add(high);
    let from_1 = high.add(one.subtract(low));
    [from_0, from_1, two.subtract(from_1), two.subtract(from_0)]
}

/// Adds up the sums of sections and finds those below a bound.
trait Total<W>: Copy {
    fn new(sums: Sums<W>) -> Self;
    fn plus(self, sums: Sums<W>) -> Self;
    /// Whether any sum is below the bound.
    fn any_below(&self, bound: u16) -> bool;
    /// The lanes of a strip below the bound, and all its sums.
    fn below(&self, strip: usize, bound: u16) -> (u64, [u16; STRIP]);
}

/// Sums up to 255.
#[derive(Clone, Copy)]
struct Narrow<W>(Sums<W>);

impl<W: Lanes> Total<W> for Narrow<W> {
    #[inline(always)]
    fn new(sums: Sums<W>) -> Self {
        Self(sums)
    }

    #[inline(always)]
    fn plus(self, sums: Sums<W>) -> Self {
        let [[a, b], [c, d]] = self.0;
        let [[e, f], [g, h]] = sums;
        Self([[a.add_saturating(e), b.add_saturating(f)], [c.add_saturating(g), d.add_saturating(h)]])
    }

    #[inline(always)]
    fn any_below(&self, bound: u16) -> bool {
        let [[a, b], [c, d]] = self.0;
        W::any_below([a, b, c, d], bound as u8)
    }

    #[inline(always)]
    fn below(&self, strip: usize, bound: u16) -> (u64, [u16; STRIP]) {
        let [first, last] = self.0[strip];
        let lanes = u64::from(first.below(bound as u8)) | u64::from(last.below(bound as u8)) << (STRIP / 2);
        (lanes, widened([first, last]))
    }
}

/// Sums of any size.
#[derive(Clone, Copy)]
struct Wide([[u16; STRIP]; PAIR]);

impl<W: Lanes> Total<W> for Wide {
    #[inline(always)]
    fn new(sums: Sums<W>) -> Self {
        Self([widened(sums[0]), widened(sums[1])])
    }

    #[inline(always)]
    fn plus(mut self, sums: Sums<W>) -> Self {
        for (totals, halves) in self.0.iter_mut().zip(sums) {
            for (total, sum) in totals.iter_mut().zip(widened(halves)) {
                *total += sum;
            }
        }
        self
    }

    #[inline(always)]
    fn any_below(&self, bound: u16) -> bool {
        self.0.as_flattened().iter().fold(false, |any, &sum| any | (sum < bound))
    }

    #[inline(always)]
    fn below(&self, strip: usize, bound: u16) -> (u64, [u16; STRIP]) {
        let sums = self.0[strip];
        (sums.iter().enumerate().fold(0, |lanes, (lane, &sum)| lanes | u64::from(sum < bound) << lane), sums)
    }
}

/// The sums of a strip in 16 bits.
#[inline(always)]
fn widened<W: Lanes>(halves: [W; 2]) -> [u16; STRIP] {
    let mut sums = [0; STRIP];
    for (to, half) in sums.chunks_exact_mut(STRIP / 2).zip(halves) {
        for (to, byte) in to.iter_mut().zip(half.store()) {
            *to = u16::from(byte);
        }
    }
    sums
}

#[inline(always)]
fn compare<W: Lanes, T: Total<W>>(
    planes: &Planes,
    blocks: Range<usize>,
    batch: &QueryBatch,
    bounds: &mut [u16],
    hit: &mut Hit,
) {
    let mut tables = Tables::<W>::new();
    let mut totals = vec![T::new([[W::splat(0); 2]; PAIR]); batch.n_queries];
    for strip in (blocks.start * STRIPS..blocks.end * STRIPS).step_by(PAIR) {
        for (at, section) in batch.sections.iter().enumerate() {
            tables.fill(section.lines(planes, strip));
            if strip + PAIR < blocks.end * STRIPS {
                // They arrive while the queries are compared.
                section
                    .lines(planes, strip + PAIR)
                    .chunks(STRIPS)
                    .for_each(|plane| plane[..PAIR].iter().for_each(W::prefetch));
            }
            // Called by name, not by pointer: they must be compiled into functions of the instruction level.
            macro_rules! add {
                ($n_planes:expr) => {
                    add_section::<W, T, $n_planes>(&tables, section, &mut totals, at == 0)
                };
            }
            match section.planes.len() {
                1 => add!(1),
                2 => add!(2),
                3 => add!(3),
                4 => add!(4),
                5 => add!(5),
                6 => add!(6),
                7 => add!(7),
                8 => add!(8),
                9 => add!(9),
                _ => add!(MOST_PLANES),
            }
        }
        for (query, (total, bound)) in totals.iter().zip(bounds.iter_mut()).enumerate() {
            if total.any_below(*bound) {
                report(total, query, strip, bound, hit);
            }
        }
    }
}

/// Adds what the queries pick in a section of `P` planes to their totals, which start with the first section.
#[inline(always)]
fn add_section<W: Lanes, T: Total<W>, const P: usize>(
    tables: &Tables<W>,
    section: &Section,
    totals: &mut [T],
    is_first: bool,
) {
    for (total, picks) in totals.iter_mut().zip(section.picks.as_chunks::<P>().0) {
        // SAFETY: picks were made for the tables of a section of so many planes.
        let sums = unsafe { tables.sum(picks) };
        *total = if is_first { T::new(sums) } else { total.plus(sums) };
    }
}

/// Reports the lanes below a query's bound.
#[inline(always)]
fn report<W: Lanes, T: Total<W>>(total: &T, query: usize, first_strip: usize, bound: &mut u16, hit: &mut Hit) {
    for s in 0..PAIR {
        let (lanes, sums) = total.below(s, *bound);
        if lanes != 0 {
            *bound = hit(query, first_strip + s, lanes, &sums);
        }
    }
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
    check(planes, &blocks, batch.n_planes());
    compiled_for! {
        level, (planes: &Planes, blocks: Range<usize>, batch: &QueryBatch, bounds: &mut [u16], hit: &mut Hit),
        compare::<Avx2, Narrow<Avx2>>, compare::<Avx2, Narrow<Avx2>>, compare::<Portable, Narrow<Portable>>
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
    check(planes, &blocks, batch.n_planes());
    compiled_for! {
        level, (planes: &Planes, blocks: Range<usize>, batch: &QueryBatch, bounds: &mut [u16], hit: &mut Hit),
        compare::<Avx2, Wide>, compare::<Avx2, Wide>, compare::<Portable, Wide>
    }
}
