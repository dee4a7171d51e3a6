//! Takes the distances between half bytes of codes and all their values, and adds up those that a query picks.
#![allow(unsafe_code)]

use std::ops::Range;

use super::{Loops, MOST_PLANES, PAIR, Picks, Section, TOGETHER, VALUES};
use crate::backing::Line;
use crate::index::kernel::lanes::{Lanes, prefetch};
use crate::index::planes::{Planes, STRIP, STRIPS};

/// Distances of 64 codes from one value of a half byte: code `i` in the low half of byte `i`, code `32 + i` in the
/// high half. A row is one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row<W>([W; PAIR]);

/// For the high and the low half bytes of some planes, a row for each value.
pub(super) struct Tables<W>(Vec<[Row<W>; VALUES]>);

/// Distances of the 64 codes of each of [`PAIR`] strips.
pub(super) type Sums<W> = [[W; 2]; PAIR];

impl<W: Loops> Tables<W> {
    #[inline(always)]
    pub fn new() -> Self {
        Self(vec![[Row([W::splat(0); PAIR]); VALUES]; 2 * MOST_PLANES])
    }

    /// Makes the tables of a section for two strips, and asks for the lines of the next two, which
    /// arrive while the queries are compared.
    #[inline(always)]
    pub fn prepare(&mut self, planes: &Planes, section: &Section, strip: usize, strips: &Range<usize>) {
        W::fill(self, section.lines(planes, strip));
        if strips.contains(&(strip + PAIR)) {
            let next = section.lines(planes, strip + PAIR);
            next.chunks(STRIPS).for_each(|plane| plane[..PAIR].iter().for_each(|line| prefetch(line)));
        }
    }
}

impl<W: Lanes> Tables<W> {
    /// Makes the tables of planes for two strips, given their lines from the first of these on.
    #[inline(always)]
    pub fn fill(&mut self, lines: &[Line]) {
        for (plane, (tables, lines)) in self.0.chunks_exact_mut(2).zip(lines.chunks(STRIPS)).enumerate() {
            let mut high = [W::splat(0); PAIR];
            let mut low = [W::splat(0); PAIR];
            for (strip, line) in lines[..PAIR].iter().enumerate() {
                let [x, y] = halves_of_line::<W>(line);
                high[strip] = x.right::<4>(15).or(y.right::<0>(0xf0));
                low[strip] = x.right::<0>(15).or(y.left_four(15));
            }
            // Told apart here, not in each row, so that no row waits in memory for its end.
            if (2 * plane).is_multiple_of(TOGETHER) {
                fill_table::<_, true>(&mut tables[0], &high);
            } else {
                fill_table::<_, false>(&mut tables[0], &high);
            }
            fill_table::<_, false>(&mut tables[1], &low);
        }
    }

    /// Adds up the rows that a query picks in `P` planes.
    ///
    /// # Safety
    /// The picks must be of these tables.
    #[inline(always)]
    pub unsafe fn sum<const P: usize>(&self, picks: &[Picks]) -> Sums<W> {
        let mut sums = [[W::splat(0); 2]; PAIR];
        for (pair, picks) in picks.iter().enumerate() {
            let [first, second, third, fourth] = picks.read::<P>();
            // SAFETY: passed on.
            let (Row(mut both), Row(row)) = unsafe { (self.row(first), self.row(second)) };
            both = [both[0].add(row[0]), both[1].add(row[1])];
            if 2 * pair + 1 < P {
                // SAFETY: passed on.
                let (Row(third), Row(fourth)) = unsafe { (self.row(third), self.row(fourth)) };
                both = [both[0].add(third[0]), both[1].add(third[1])];
                both = [both[0].add(fourth[0]), both[1].add(fourth[1])];
            }
            for (sums, both) in sums.iter_mut().zip(both) {
                *sums = W::gather(*sums, both);
            }
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

/// Fills in the distances between half bytes and all values, from those of their two pairs of bits; if asked to, counts
/// four as three.
#[inline(always)]
fn fill_table<W: Lanes, const AT_MOST_THREE: bool>(table: &mut [Row<W>; VALUES], halves: &[W; PAIR]) {
    let mut low = [[W::splat(0); 4]; PAIR];
    let mut high = low;
    for (strip, half) in halves.iter().enumerate() {
        low[strip] = pair_distances(half.right::<0>(0x11), half.right::<1>(0x11));
        high[strip] = pair_distances(half.right::<2>(0x11), half.right::<3>(0x11));
    }
    let (rows, _) = table.as_chunks_mut::<4>();
    for (at, rows) in rows.iter_mut().enumerate() {
        for (pair, row) in rows.iter_mut().enumerate() {
            // Side by side, since a line of memory is written faster at once.
            for (strip, row) in row.0.iter_mut().enumerate() {
                let distance = high[strip][at].add(low[strip][pair]);
                *row = if AT_MOST_THREE { distance.subtract(distance.right::<2>(0x11)) } else { distance };
            }
        }
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
