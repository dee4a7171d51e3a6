//! Counts bits as far as they differ from each other: copies of one bit count as one.

use crate::codes::Codes;

/// Objects that are looked at, at most; evenly spaced.
const MOST_OBJECTS: usize = 1 << 16;

/// The number of independent bits, all as often 0 as 1, whose covariances would be spread like those of these bits: from
/// 1, if all are copies of one, up to the number of bits. Bits that are the same for all objects do not count.
///
/// It is (tr C)² / tr C² of the covariance matrix C, which weighs a bit by how often it takes part in distances.
///
/// ```
/// use sibp::codes::Codes;
/// use sibp::eval::effective_bits;
/// // Two bits that differ, a copy of the first, and one that is always 0.
/// let codes = Codes::from_bytes(4, 4, vec![0b0000_0000, 0b0100_0000, 0b1010_0000, 0b1110_0000])?;
/// assert!((effective_bits(&codes) - 1.8).abs() < 1e-12);
/// # Ok::<(), sibp::codes::CodesError>(())
/// ```
pub fn effective_bits(codes: &Codes) -> f64 {
    let n = codes.n_objects();
    let rows: Vec<usize> = (0..n).step_by(n.div_ceil(MOST_OBJECTS).max(1)).collect();
    let columns: Vec<Vec<u64>> = (0..codes.n_bits()).map(|bit| packed(codes, bit, &rows)).collect();
    let ones: Vec<f64> = columns.iter().map(|column| f64::from(common(column, column)) / rows.len() as f64).collect();
    let covariance =
        |a: usize, b: usize| f64::from(common(&columns[a], &columns[b])) / rows.len() as f64 - ones[a] * ones[b];
    let (mut trace, mut squares) = (0.0, 0.0);
    for a in 0..columns.len() {
        let variance = covariance(a, a);
        trace += variance;
        squares += variance * variance;
        squares += 2.0 * (0..a).map(|b| covariance(a, b).powi(2)).sum::<f64>();
    }
    if squares > 0.0 { trace * trace / squares } else { 0.0 }
}

/// One bit of some objects.
fn packed(codes: &Codes, bit: usize, rows: &[usize]) -> Vec<u64> {
    let word = |rows: &[usize]| rows.iter().fold(0, |word, &row| word << 1 | u64::from(codes.get(row, bit)));
    rows.chunks(64).map(word).collect()
}

/// In how many objects two bits are both 1.
fn common(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes whose bit `bit` of object `row` is `value(row, bit)`.
    fn codes(n_objects: usize, n_bits: usize, value: impl Fn(usize, usize) -> bool) -> Codes {
        let mut codes = Codes::zeros(n_objects, n_bits);
        for row in 0..n_objects {
            (0..n_bits).for_each(|bit| codes.set(row, bit, value(row, bit)));
        }
        codes
    }

    #[test]
    fn independent_bits_all_count_and_copies_count_once() {
        let independent = codes(256, 8, |row, bit| row >> bit & 1 == 1);
        assert!((effective_bits(&independent) - 8.0).abs() < 1e-9);
        let copies = codes(256, 24, |row, bit| row >> (bit % 3) & 1 == 1);
        assert!((effective_bits(&copies) - 3.0).abs() < 1e-9);
        let opposites = codes(256, 2, |row, bit| (row & 1 == 1) == (bit == 1));
        assert!((effective_bits(&opposites) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn bits_that_never_differ_do_not_count() {
        assert_eq!(effective_bits(&codes(10, 3, |_, bit| bit == 1)), 0.0);
        assert_eq!(effective_bits(&codes(0, 3, |_, _| true)), 0.0);
        let one = codes(64, 3, |row, bit| bit == 1 || bit == 2 && row % 2 == 0);
        assert!((effective_bits(&one) - 1.0).abs() < 1e-9);
    }
}
