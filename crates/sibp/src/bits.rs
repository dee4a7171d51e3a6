//! Stores the learned bits Z of all objects while they are sampled.

use crate::codes::Codes;
use std::cell::Cell;

/// An objects x bits matrix whose columns come and go. Rows are 64-bit words, lowest bit first.
#[derive(Debug, Clone, Default)]
pub struct BitMatrix {
    n_objects: usize,
    n_bits: usize,
    words_per_row: usize,
    words: Vec<u64>,
    counts: Vec<u32>,
}

impl BitMatrix {
    /// A matrix without columns.
    pub fn new(n_objects: usize) -> Self {
        Self { n_objects, n_bits: 0, words_per_row: 1, words: vec![0; n_objects], counts: Vec::new() }
    }

    /// Number of rows.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of columns.
    pub fn n_bits(&self) -> usize {
        self.n_bits
    }

    /// 64-bit words a row.
    pub fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    /// How many objects own each bit.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The words of one object; those beyond the last column are 0.
    pub fn row(&self, object_ix: usize) -> &[u64] {
        &self.words[object_ix * self.words_per_row..(object_ix + 1) * self.words_per_row]
    }

    /// The words of all rows as cells, readable while others change. The writer must correct the counts.
    pub fn cells(&mut self) -> BitCells<'_> {
        BitCells { words_per_row: self.words_per_row, words: Cell::from_mut(&mut self.words[..]).as_slice_of_cells() }
    }

    /// Words of all rows, to be shared by threads.
    pub(crate) fn words_mut(&mut self) -> (&mut [u64], usize) {
        (&mut self.words, self.words_per_row)
    }

    /// Adds changes to the numbers of owners, after rows were written through cells.
    pub(crate) fn recount(&mut self, changes: &[i64]) {
        for (count, change) in self.counts.iter_mut().zip(changes) {
            *count = count.wrapping_add_signed(*change as i32);
        }
    }

    /// One bit.
    pub fn get(&self, object_ix: usize, bit_ix: usize) -> bool {
        self.words[object_ix * self.words_per_row + bit_ix / 64] >> (bit_ix % 64) & 1 == 1
    }

    /// Flips one bit.
    pub fn flip(&mut self, object_ix: usize, bit_ix: usize) {
        let word = &mut self.words[object_ix * self.words_per_row + bit_ix / 64];
        *word ^= 1 << (bit_ix % 64);
        if *word >> (bit_ix % 64) & 1 == 1 {
            self.counts[bit_ix] += 1;
        } else {
            self.counts[bit_ix] -= 1;
        }
    }

    /// The bits an object owns, ascending.
    pub fn ones(&self, object_ix: usize) -> impl Iterator<Item = usize> + '_ {
        self.row(object_ix).iter().enumerate().flat_map(|(at, &word)| set_bits(word).map(move |bit| 64 * at + bit))
    }

    /// One column, a byte (0 or 1) an object.
    pub fn column(&self, bit_ix: usize) -> Vec<u8> {
        (0..self.n_objects).map(|object_ix| u8::from(self.get(object_ix, bit_ix))).collect()
    }

    /// Appends a column of bytes (0 or 1).
    pub fn push_column(&mut self, column: &[u8]) {
        assert_eq!(column.len(), self.n_objects, "a column has a bit for every object");
        if self.n_bits == 64 * self.words_per_row {
            self.widen();
        }
        let bit_ix = self.n_bits;
        self.n_bits += 1;
        self.counts.push(0);
        for (object_ix, &bit) in column.iter().enumerate() {
            if bit != 0 {
                self.flip(object_ix, bit_ix);
            }
        }
    }

    /// Appends a column that only `object_ix` owns.
    pub fn push_singleton(&mut self, object_ix: usize) {
        if self.n_bits == 64 * self.words_per_row {
            self.widen();
        }
        self.n_bits += 1;
        self.counts.push(0);
        self.flip(object_ix, self.n_bits - 1);
    }

    /// Flips one column for all objects.
    pub fn complement(&mut self, bit_ix: usize) {
        for object_ix in 0..self.n_objects {
            self.flip(object_ix, bit_ix);
        }
    }

    /// Removes a column; the last column takes its place.
    pub fn swap_remove(&mut self, bit_ix: usize) {
        let last = self.n_bits - 1;
        for object_ix in 0..self.n_objects {
            if self.get(object_ix, bit_ix) != self.get(object_ix, last) {
                self.words[object_ix * self.words_per_row + bit_ix / 64] ^= 1 << (bit_ix % 64);
            }
            self.words[object_ix * self.words_per_row + last / 64] &= !(1 << (last % 64));
        }
        self.counts.swap_remove(bit_ix);
        self.n_bits = last;
    }

    /// A hash of the matrix; other matrices have another one but for rare collisions.
    pub fn fingerprint(&self) -> u64 {
        self.words.iter().copied().fold(self.n_bits as u64, stir)
    }

    /// Packs the matrix into codes.
    pub fn to_codes(&self) -> Codes {
        let mut codes = Codes::zeros(self.n_objects, self.n_bits);
        for object_ix in 0..self.n_objects {
            for bit_ix in self.ones(object_ix) {
                codes.set(object_ix, bit_ix, true);
            }
        }
        codes
    }

    /// The bits of packed codes.
    pub fn from_codes(codes: &Codes) -> Self {
        let mut bits = Self::new(codes.n_objects());
        for bit_ix in 0..codes.n_bits() {
            let column: Vec<u8> = (0..codes.n_objects()).map(|o| u8::from(codes.get(o, bit_ix))).collect();
            bits.push_column(&column);
        }
        bits
    }

    fn widen(&mut self) {
        let old = self.words_per_row;
        let mut words = vec![0; self.n_objects * (old + 1)];
        for (to, from) in words.chunks_exact_mut(old + 1).zip(self.words.chunks_exact(old)) {
            to[..old].copy_from_slice(from);
        }
        self.words = words;
        self.words_per_row = old + 1;
    }
}

/// Rows of bits that may be written while others are read.
#[derive(Debug, Clone, Copy)]
pub struct BitCells<'a> {
    words_per_row: usize,
    words: &'a [Cell<u64>],
}

impl<'a> BitCells<'a> {
    pub(crate) fn new(words: &'a [Cell<u64>], words_per_row: usize) -> Self {
        Self { words_per_row, words }
    }

    /// 64-bit words a row.
    pub fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    /// The words of one object.
    pub fn row(&self, object_ix: usize) -> &'a [Cell<u64>] {
        &self.words[object_ix * self.words_per_row..(object_ix + 1) * self.words_per_row]
    }
}

impl PartialEq for BitMatrix {
    /// Compares the bits; unused words at the end of rows do not matter.
    fn eq(&self, other: &Self) -> bool {
        self.n_objects == other.n_objects
            && self.counts == other.counts
            && (0..self.n_objects).all(|o| self.ones(o).eq(other.ones(o)))
    }
}

/// Mixes a word into a fingerprint, by the mixing step of splitmix64.
pub(crate) fn stir(fingerprint: u64, word: u64) -> u64 {
    let mixed = (fingerprint ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 27
}

/// Positions of the set bits of a word, ascending.
fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros() as usize;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_and_go_beyond_one_word() {
        let n_objects = 7;
        let mut bits = BitMatrix::new(n_objects);
        let mut naive: Vec<Vec<u8>> = Vec::new();
        for k in 0..150usize {
            let column: Vec<u8> = (0..n_objects).map(|n| ((n * 7 + k * 3) % 4 == 0) as u8).collect();
            bits.push_column(&column);
            naive.push(column);
            if k % 3 == 2 {
                bits.swap_remove(k % naive.len());
                naive.swap_remove(k % naive.len());
            }
        }
        for (k, column) in naive.iter().enumerate() {
            assert_eq!(&bits.column(k), column);
            assert_eq!(bits.counts()[k] as usize, column.iter().map(|&b| b as usize).sum::<usize>());
        }
        assert_eq!(bits.n_bits(), naive.len());
        assert_eq!(BitMatrix::from_codes(&bits.to_codes()), bits);
    }
}
