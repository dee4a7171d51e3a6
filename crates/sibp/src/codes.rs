//! Stores binary codes as packed bytes, a row an object, and measures Hamming distances.

use thiserror::Error;

/// Why bytes are not valid codes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CodesError {
    /// The number of bytes does not fit the number of rows and bits.
    #[error("{n_bytes} bytes do not fill {n_objects} codes of {n_bits} bits ({} bytes each)", n_bits.div_ceil(8))]
    Shape {
        /// Rows asked for.
        n_objects: usize,
        /// Bits a row.
        n_bits: usize,
        /// Bytes given.
        n_bytes: usize,
    },
    /// A bit beyond the last one of a row is set.
    #[error("code {row}: the unused bits after bit {n_bits} must be 0")]
    Padding {
        /// The row.
        row: usize,
        /// Bits a row.
        n_bits: usize,
    },
}

/// Packed binary codes: `n_objects` rows of `n_bits` bits. Bit 0 is the highest bit of byte 0, as in numpy's
/// `packbits`.
///
/// ```
/// use sibp::codes::Codes;
/// let mut codes = Codes::zeros(2, 10);
/// codes.set(0, 0, true);
/// codes.set(0, 9, true);
/// assert_eq!(codes.row(0), &[0b1000_0000, 0b0100_0000]);
/// assert_eq!(codes.distance(0, codes.row(1)), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    n_objects: usize,
    n_bits: usize,
    bytes: Vec<u8>,
}

impl Codes {
    /// All-zero codes.
    pub fn zeros(n_objects: usize, n_bits: usize) -> Self {
        Self { n_objects, n_bits, bytes: vec![0; n_objects * n_bits.div_ceil(8)] }
    }

    /// Takes packed rows; unused bits at the end of a row must be 0.
    pub fn from_bytes(n_objects: usize, n_bits: usize, bytes: Vec<u8>) -> Result<Self, CodesError> {
        let width = n_bits.div_ceil(8);
        if n_objects.checked_mul(width) != Some(bytes.len()) {
            return Err(CodesError::Shape { n_objects, n_bits, n_bytes: bytes.len() });
        }
        let unused = (8 * width - n_bits) as u32;
        if unused > 0 {
            let mask = (1u8 << unused) - 1;
            if let Some(row) = bytes.chunks_exact(width).position(|row| row[width - 1] & mask != 0) {
                return Err(CodesError::Padding { row, n_bits });
            }
        }
        Ok(Self { n_objects, n_bits, bytes })
    }

    /// Number of codes.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of bits a code.
    pub fn n_bits(&self) -> usize {
        self.n_bits
    }

    /// Number of bytes a code.
    pub fn n_bytes(&self) -> usize {
        self.n_bits.div_ceil(8)
    }

    /// All rows, packed.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// One packed row.
    pub fn row(&self, object_ix: usize) -> &[u8] {
        let width = self.n_bytes();
        &self.bytes[object_ix * width..(object_ix + 1) * width]
    }

    /// One bit.
    pub fn get(&self, object_ix: usize, bit_ix: usize) -> bool {
        self.row(object_ix)[bit_ix / 8] >> (7 - bit_ix % 8) & 1 == 1
    }

    /// One bit of every object.
    pub fn column(&self, bit_ix: usize) -> Vec<u8> {
        (0..self.n_objects).map(|object_ix| u8::from(self.get(object_ix, bit_ix))).collect()
    }

    /// Sets one bit.
    pub fn set(&mut self, object_ix: usize, bit_ix: usize, value: bool) {
        assert!(object_ix < self.n_objects && bit_ix < self.n_bits, "bit ({object_ix}, {bit_ix}) is outside the codes");
        let at = object_ix * self.n_bytes() + bit_ix / 8;
        let mask = 1 << (7 - bit_ix % 8);
        if value {
            self.bytes[at] |= mask;
        } else {
            self.bytes[at] &= !mask;
        }
    }

    /// Replaces one packed row.
    pub fn set_row(&mut self, object_ix: usize, row: &[u8]) {
        let width = self.n_bytes();
        self.bytes[object_ix * width..(object_ix + 1) * width].copy_from_slice(row);
    }

    /// Hamming distance between a stored code and a packed row of the same width.
    pub fn distance(&self, object_ix: usize, other: &[u8]) -> u32 {
        debug_assert_eq!(other.len(), self.n_bytes());
        self.row(object_ix).iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    /// Sum of the weights of the bits in which a stored code and a packed row of the same width differ.
    pub fn weighted_distance(&self, object_ix: usize, other: &[u8], weights: &[f64]) -> f64 {
        debug_assert_eq!((other.len(), weights.len()), (self.n_bytes(), self.n_bits));
        let mut sum = 0.0;
        for ((a, b), weights) in self.row(object_ix).iter().zip(other).zip(weights.chunks(8)) {
            for (place, weight) in weights.iter().enumerate() {
                if (a ^ b) >> (7 - place) & 1 == 1 {
                    sum += weight;
                }
            }
        }
        sum
    }

    /// Codes of the same objects joined into longer ones, bits in order.
    ///
    /// # Panics
    /// When the numbers of objects differ.
    pub fn side_by_side(parts: &[&Codes]) -> Self {
        let n_objects = parts.first().map_or(0, |part| part.n_objects);
        assert!(parts.iter().all(|part| part.n_objects == n_objects), "all parts have the same objects");
        let mut joined = Self::zeros(n_objects, parts.iter().map(|part| part.n_bits).sum());
        let mut from = 0usize;
        for part in parts {
            for object_ix in 0..n_objects {
                if from.is_multiple_of(8) {
                    let at = object_ix * joined.n_bytes() + from / 8;
                    joined.bytes[at..at + part.n_bytes()].copy_from_slice(part.row(object_ix));
                    continue;
                }
                for bit_ix in (0..part.n_bits).filter(|&bit_ix| part.get(object_ix, bit_ix)) {
                    joined.set(object_ix, from + bit_ix, true);
                }
            }
            from += part.n_bits;
        }
        joined
    }

    /// The first bits of every code, all where it has no more.
    pub fn first_bits(&self, n_bits: usize) -> Self {
        let mut first = Self::zeros(self.n_objects, n_bits.min(self.n_bits));
        let n_bytes = first.n_bytes();
        // Bits stand from the highest of a byte downwards.
        let mask = !0u8 << (8 * n_bytes - first.n_bits);
        for object_ix in 0..if n_bytes == 0 { 0 } else { self.n_objects } {
            let row = &mut first.bytes[object_ix * n_bytes..(object_ix + 1) * n_bytes];
            row.copy_from_slice(&self.row(object_ix)[..n_bytes]);
            row[n_bytes - 1] &= mask;
        }
        first
    }

    /// The given rows, in the given order (a row may come twice).
    pub fn select(&self, rows: &[usize]) -> Self {
        let bytes = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { n_objects: rows.len(), n_bits: self.n_bits, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bits_are_those_of_the_whole_and_none_beyond() {
        let mut codes = Codes::zeros(2, 19);
        (0..19).for_each(|bit| codes.set(1, bit, bit % 3 != 1));
        for n_bits in [0, 1, 7, 8, 9, 16, 18, 19, 30] {
            let first = codes.first_bits(n_bits);
            let mut expected = Codes::zeros(2, n_bits.min(19));
            (0..n_bits.min(19)).for_each(|bit| expected.set(1, bit, codes.get(1, bit)));
            assert_eq!(first, expected, "{n_bits} bits");
        }
    }

    #[test]
    fn joined_codes_hold_the_bits_of_their_parts_at_every_offset() {
        let part = |n_bits: usize| {
            let mut codes = Codes::zeros(3, n_bits);
            let cells = (0..3).flat_map(|row| (0..n_bits).map(move |bit| (row, bit)));
            cells.for_each(|(row, bit)| codes.set(row, bit, (row * 31 + bit * 7 + n_bits).is_multiple_of(3)));
            codes
        };
        for widths in [vec![5], vec![8, 3], vec![3, 8], vec![16, 0, 9, 7, 8, 1]] {
            let parts: Vec<Codes> = widths.iter().map(|&n_bits| part(n_bits)).collect();
            let joined = Codes::side_by_side(&parts.iter().collect::<Vec<_>>());
            let bits =
                |codes: &Codes, row: usize| (0..codes.n_bits()).map(|bit| codes.get(row, bit)).collect::<Vec<_>>();
            for row in 0..3 {
                let expected: Vec<bool> = parts.iter().flat_map(|part| bits(part, row)).collect();
                assert_eq!(bits(&joined, row), expected, "{widths:?}");
            }
            assert!(Codes::from_bytes(3, joined.n_bits(), joined.bytes().to_vec()).is_ok(), "unused bits are 0");
        }
    }
}
