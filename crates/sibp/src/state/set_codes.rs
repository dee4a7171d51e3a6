//! Draws codes for sets of objects that keep the sets apart, from which chains can start.

use rand::Rng;
use rand::seq::SliceRandom;

/// Candidates for each bit.
const CANDIDATES: usize = 16;
/// With more sets than this the first candidate is taken: random codes of many sets are as good.
const MOST_COMPARED: usize = 256;

/// Bits of the sets, a column each: half of the sets own a bit, and each is the one of several random candidates that
/// separates best the sets that are still close.
pub fn set_codes<R: Rng>(n_sets: usize, n_bits: usize, rng: &mut R) -> Vec<Vec<bool>> {
    let mut columns: Vec<Vec<bool>> = Vec::with_capacity(n_bits);
    // 2^-distance of every pair of sets: how much a bit that separates them is worth.
    let mut worth = vec![1.0; if n_sets <= MOST_COMPARED { n_sets * n_sets } else { 0 }];
    for _ in 0..n_bits {
        let mut candidates = (0..CANDIDATES).map(|_| half(n_sets, rng));
        let column = match worth.is_empty() {
            true => half(n_sets, rng),
            false => candidates.by_ref().max_by(|a, b| gain(&worth, a).total_cmp(&gain(&worth, b))).unwrap_or_default(),
        };
        if !worth.is_empty() {
            for (row, &own) in worth.chunks_exact_mut(n_sets).zip(&column) {
                row.iter_mut().zip(&column).filter(|(_, other)| **other != own).for_each(|(worth, _)| *worth *= 0.5);
            }
        }
        columns.push(column);
    }
    columns
}

/// A column that half of the sets own; of an odd number, one more or less.
fn half<R: Rng>(n_sets: usize, rng: &mut R) -> Vec<bool> {
    let first: bool = rand::RngExt::random(rng);
    let mut column: Vec<bool> = (0..n_sets).map(|set| (set % 2 == 0) == first).collect();
    column.shuffle(rng);
    column
}

/// What the separated pairs are worth.
fn gain(worth: &[f64], column: &[bool]) -> f64 {
    let of_row = |(row, &own): (&[f64], &bool)| -> f64 {
        row.iter().zip(column).filter(|(_, other)| **other != own).map(|(worth, _)| worth).sum()
    };
    worth.chunks_exact(column.len()).zip(column).map(of_row).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn least_distance(columns: &[Vec<bool>]) -> usize {
        let n = columns[0].len();
        let distance = |a: usize, b: usize| columns.iter().filter(|column| column[a] != column[b]).count();
        (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| distance(a, b)).min().unwrap()
    }

    #[test]
    fn sets_are_kept_further_apart_than_by_coins() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let chosen: Vec<usize> = (0..10).map(|_| least_distance(&set_codes(10, 64, &mut rng))).collect();
        let coins = |rng: &mut ChaCha8Rng| -> Vec<Vec<bool>> { (0..64).map(|_| half(10, rng)).collect() };
        let random: Vec<usize> = (0..10).map(|_| least_distance(&coins(&mut rng))).collect();
        assert!(chosen.iter().sum::<usize>() > random.iter().sum::<usize>() + 20, "{chosen:?} {random:?}");
    }

    #[test]
    fn two_sets_differ_in_every_bit_and_many_are_balanced() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        assert!(set_codes(2, 5, &mut rng).iter().all(|column| column[0] != column[1]));
        let many = set_codes(MOST_COMPARED + 1, 3, &mut rng);
        assert!(many.iter().all(|column| column.iter().filter(|&&bit| bit).count().abs_diff(128) <= 1));
    }
}
