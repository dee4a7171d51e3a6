//! Decides which bits are needed: those without which held-out triplets are explained less well.

use crate::codes::Codes;
use crate::eval::mean;
use crate::held_out::Exam;
use crate::triplets::Triplet;

/// Decides which bits are needed under these weights, one answer a bit; the first `n_fixed` are always kept.
///
/// A bit is dropped when agreement without it is at least as high. The least useful bits are tried first, repeatedly,
/// until all that are left are needed.
pub fn needed_bits(exam: &Exam, codes: &Codes, weights: &[f64], n_fixed: usize) -> Vec<bool> {
    let mut left = weights.to_vec();
    let agreement = |weights: &[f64]| mean(&exam.scores(codes, weights));
    let mut kept: Vec<usize> = (n_fixed..codes.n_bits()).collect();
    let mut best = agreement(&left);
    loop {
        let mut alone: Vec<(f64, usize)> = kept
            .iter()
            .map(|&bit| {
                left[bit] = 0.0;
                let without = agreement(&left);
                left[bit] = weights[bit];
                (without, bit)
            })
            .collect();
        alone.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        let (start, n_before) = (best, kept.len());
        for (_, bit) in alone.into_iter().take_while(|(without, _)| *without >= start) {
            left[bit] = 0.0;
            let without = agreement(&left);
            if without >= best {
                best = without;
                kept.retain(|&other| other != bit);
            } else {
                left[bit] = weights[bit];
            }
        }
        if kept.len() == n_before {
            break;
        }
    }
    (0..codes.n_bits()).map(|bit| bit < n_fixed || kept.binary_search(&bit).is_ok()).collect()
}

/// Effect of a bit on a list of triplets, under weighted Hamming distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BitUse {
    /// Objects whose bit is 1.
    pub n_owners: usize,
    /// Triplets that are satisfied with the bit and would not be without it.
    pub n_explained: usize,
    /// Triplets that are not satisfied with the bit and would be without it.
    pub n_spoiled: usize,
}

/// Counts the effect of each bit on these triplets.
///
/// # Panics
/// When a triplet names an object without a code.
pub fn bit_uses(codes: &Codes, weights: &[f64], triplets: &[Triplet]) -> Vec<BitUse> {
    let mut uses = vec![BitUse::default(); codes.n_bits()];
    for (bit, bit_use) in uses.iter_mut().enumerate() {
        bit_use.n_owners = (0..codes.n_objects()).filter(|&object| codes.get(object, bit)).count();
    }
    for t in triplets {
        let (anchor, near, far) = (t.anchor as usize, t.near as usize, t.far as usize);
        let distance = |object: usize| codes.weighted_distance(object, codes.row(anchor), weights);
        let lead = distance(far) - distance(near);
        for (bit, bit_use) in uses.iter_mut().enumerate().filter(|(bit, _)| weights[*bit] >= lead.abs()) {
            let differs = |object: usize| codes.get(object, bit) != codes.get(anchor, bit);
            let part = match (differs(far), differs(near)) {
                (true, false) => weights[bit],
                (false, true) => -weights[bit],
                _ => continue,
            };
            match (lead > 0.0, lead - part > 0.0) {
                (true, false) => bit_use.n_explained += 1,
                (false, true) => bit_use.n_spoiled += 1,
                _ => {}
            }
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit 0 tells the classes apart, bit 1 is noise, bit 2 repeats bit 0, bit 3 is constant.
    fn codes() -> Codes {
        let rows = [0b0000_0000, 0b0100_0000, 0b0000_0000, 0b1010_0000, 0b1110_0000, 0b1010_0000];
        Codes::from_bytes(6, 4, rows.to_vec()).unwrap()
    }

    const CLASS_OF: [u32; 6] = [0, 0, 0, 1, 1, 1];

    #[test]
    fn one_of_two_equal_bits_is_needed_and_noise_is_not() {
        let exam = Exam::of_labels(vec![0, 1, 3, 4], vec![2, 5], &CLASS_OF);
        let needed = needed_bits(&exam, &codes(), &[1.0; 4], 0);
        assert_eq!(needed, [true, false, false, false], "the later of two equal bits goes");
        assert_eq!(needed_bits(&exam, &codes(), &[1.0; 4], 2), [true, true, false, false]);
        let none = Codes::zeros(6, 0);
        assert!(needed_bits(&exam, &none, &[], 0).is_empty());
    }

    #[test]
    fn a_bit_explains_what_falls_with_it() {
        let rows = [0b0000_0000, 0b0100_0000, 0b1000_0000, 0b1100_0000];
        let codes = Codes::from_bytes(4, 2, rows.to_vec()).unwrap();
        let triplet = |anchor, near, far| Triplet { anchor, near, far };
        // d(0,1) = 1, d(0,2) = 1, d(0,3) = 2.
        let uses = bit_uses(&codes, &[1.0; 2], &[triplet(0, 1, 3), triplet(0, 1, 2), triplet(0, 3, 1)]);
        assert_eq!(uses[0], BitUse { n_owners: 2, n_explained: 1, n_spoiled: 0 });
        assert_eq!(uses[1], BitUse { n_owners: 2, n_explained: 0, n_spoiled: 1 });
    }
}
