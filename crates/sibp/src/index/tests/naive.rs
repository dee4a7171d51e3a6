//! Answers searches by naive loops, as a reference.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::codes::Codes;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Codes whose bits are 1 with a probability drawn a set, so that near, far and equal codes all occur.
pub fn random_codes(rng: &mut impl Rng, n: usize, n_bits: usize) -> Codes {
    let mut codes = Codes::zeros(n, n_bits);
    let p: f64 = rng.random_range(0.02..0.98);
    for row in 0..n {
        for bit in 0..n_bits {
            codes.set(row, bit, rng.random_bool(p));
        }
    }
    codes
}

/// Distinct ids in no order.
pub fn random_ids(rng: &mut impl Rng, n: usize) -> Vec<u64> {
    let mut ids: Vec<u64> = (0..n as u64).map(|i| i * 1000 + rng.random_range(0..1000)).collect();
    for i in (1..n).rev() {
        ids.swap(i, rng.random_range(0..=i));
    }
    ids
}

/// All (distance, id) in order.
pub fn hamming(codes: &Codes, ids: &[u64], query: &[u8]) -> Vec<(u32, u64)> {
    let mut all: Vec<(u32, u64)> = (0..codes.n_objects()).map(|row| (codes.distance(row, query), ids[row])).collect();
    all.sort_unstable();
    all
}

/// All (f32 distance, id) in order, where `cost(bit, value)` is what a stored bit costs.
pub fn costs(codes: &Codes, ids: &[u64], cost: impl Fn(usize, bool) -> f64) -> Vec<(f32, u64)> {
    let distance = |row: usize| {
        let mut sum = 0.0;
        for first in (0..codes.n_bits()).step_by(8) {
            let mut byte = 0.0;
            for bit in first..(first + 8).min(codes.n_bits()) {
                byte += cost(bit, codes.get(row, bit));
            }
            sum += byte;
        }
        sum as f32
    };
    let mut all: Vec<(f32, u64)> = (0..codes.n_objects()).map(|row| (distance(row), ids[row])).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all
}

/// Some of the bits of all codes.
pub fn bits(codes: &Codes, bits: std::ops::Range<usize>) -> Codes {
    let mut out = Codes::zeros(codes.n_objects(), bits.len());
    for row in 0..codes.n_objects() {
        for (to, from) in bits.clone().enumerate() {
            out.set(row, to, codes.get(row, from));
        }
    }
    out
}
