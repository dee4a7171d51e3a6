//! Fits Hadamard-coded supervised discrete hashing: classes get rows of a Hadamard matrix, and inputs predict them
//! (Koutaki, Shirai and Ambai, IEEE Transactions on Image Processing 2018).
//!
//! Rows are drawn. The authors' program takes the first ones, whose bits repeat themselves where there are more bits
//! than classes: ten classes then have sixteen different bits, however long the code.

use super::{LearnError, LinearHash, error::some_classes, ridge::RIDGE, ridge::Ridge};
use crate::codes::Codes;
use crate::data::{Inputs, Labels};
use crate::numerics::linalg::Mat;
use crate::rng::{Purpose, Streams};
use rand::seq::index::sample;

/// Settings of Hadamard-coded supervised discrete hashing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HcSdhSettings {
    /// Bits a code.
    pub n_bits: usize,
    /// Ridge of the regression from inputs to codes, in units of the mean variance of an input.
    pub ridge: f64,
    /// Seed of the rows.
    pub seed: u64,
}

impl HcSdhSettings {
    /// A slight ridge, without which inputs that depend on each other have no least squares.
    pub fn new(n_bits: usize, seed: u64) -> Self {
        Self { n_bits, ridge: RIDGE, seed }
    }
}

/// Gives classes the rows of a Hadamard matrix, and finds hyperplanes that predict them.
///
/// ```
/// use sibp::{data::{Inputs, Labels}, encode::Encoder, hash::{HcSdhSettings, LearnError, fit_hcsdh}};
/// let inputs = Inputs::new(4, 1, vec![0.0, 1.0, 8.0, 9.0])?;
/// let labels = Labels::from_text(&["low", "low", "high", "high"]);
/// let codes = fit_hcsdh(&inputs, &labels, &HcSdhSettings::new(8, 0))?.encode(&inputs, 0);
/// assert_eq!((codes.distance(0, codes.row(1)), codes.distance(0, codes.row(2))), (0, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_hcsdh(inputs: &Inputs, labels: &Labels, settings: &HcSdhSettings) -> Result<LinearHash, LearnError> {
    some_classes("HC-SDH", inputs.n_objects(), labels)?;
    let codes = hadamard_codes(labels.names().len(), settings.n_bits, settings.seed)?;
    let ridge = Ridge::of(inputs, settings.ridge, "HC-SDH")?;
    let sign = |class: u32, bit: usize| if codes.get(class as usize, bit) { 1.0 } else { -1.0 };
    let targets = Mat::from_fn(labels.len(), settings.n_bits, |object, bit| sign(labels.class_of()[object], bit));
    ridge.hash(&ridge.solve(targets.as_ref()))
}

/// A code for each class: drawn rows of the Hadamard matrix whose size is the next power of two.
///
/// As many bits as the size keep whole rows, which differ in half of their bits. Fewer bits keep columns by which all
/// classes still differ.
pub fn hadamard_codes(n_classes: usize, n_bits: usize, seed: u64) -> Result<Codes, LearnError> {
    if n_bits == 0 {
        return Err(LearnError::NoBits);
    }
    let size = n_bits.max(n_classes).next_power_of_two();
    let least = n_classes.next_power_of_two().trailing_zeros() as usize;
    if n_bits < least {
        return Err(LearnError::TooFewBits { n_bits, n_classes, least });
    }
    let mut rng = Streams::new(seed, 0).rng(Purpose::Hash, 3, 0);
    let (rows, columns) = (sample(&mut rng, size, n_classes), columns(size, n_bits));
    let mut codes = Codes::zeros(n_classes, n_bits);
    for (class, row) in rows.into_iter().enumerate() {
        for (bit, &column) in columns.iter().enumerate() {
            // Sylvester's matrix is 1 where row and column share an even number of binary digits.
            codes.set(class, bit, (row & column).count_ones() % 2 == 0);
        }
    }
    Ok(codes)
}

/// All columns in order, or as many as there are bits: powers of two, which are the binary digits of a row, then the
/// others from the second on, as the first is the same for all rows.
fn columns(size: usize, n_bits: usize) -> Vec<usize> {
    if n_bits == size {
        return (0..size).collect();
    }
    let (digits, others): (Vec<usize>, Vec<usize>) = (1..size).partition(|column| column.is_power_of_two());
    digits.into_iter().chain(others).take(n_bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distances(codes: &Codes) -> Vec<u32> {
        let n = codes.n_objects();
        (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| codes.distance(a, codes.row(b))).collect()
    }

    #[test]
    fn whole_rows_differ_in_half_of_their_bits() {
        for (n_classes, n_bits) in [(2, 2), (10, 16), (10, 64), (16, 16), (33, 64)] {
            let codes = hadamard_codes(n_classes, n_bits, 5).unwrap();
            assert!(distances(&codes).iter().all(|&d| d as usize == n_bits / 2), "{n_classes} {n_bits}");
        }
    }

    #[test]
    fn all_classes_differ_with_fewer_bits() {
        for (n_classes, n_bits) in [(10, 4), (10, 8), (10, 15), (100, 7), (100, 64), (10, 48), (64, 63)] {
            let codes = hadamard_codes(n_classes, n_bits, 5).unwrap();
            assert_eq!((codes.n_objects(), codes.n_bits()), (n_classes, n_bits));
            assert!(distances(&codes).iter().all(|&d| d > 0), "{n_classes} {n_bits}");
        }
        let refused = hadamard_codes(10, 3, 5);
        assert_eq!(refused, Err(LearnError::TooFewBits { n_bits: 3, n_classes: 10, least: 4 }));
        assert_eq!(hadamard_codes(10, 0, 5), Err(LearnError::NoBits));
    }

    #[test]
    fn long_codes_have_few_bits_that_are_the_same_for_all_classes() {
        let codes = hadamard_codes(10, 64, 5).unwrap();
        let column = |bit: usize| (0..10).map(|class| codes.get(class, bit)).collect::<Vec<bool>>();
        let distinct: std::collections::BTreeSet<Vec<bool>> = (0..64).map(column).collect();
        assert!(distinct.len() >= 32, "{}", distinct.len());
        assert_ne!(codes, hadamard_codes(10, 64, 6).unwrap());
    }

    #[test]
    fn labels_that_do_not_fit_are_refused() {
        let inputs = Inputs::new(3, 1, vec![1.0, 2.0, 3.0]).unwrap();
        let fit = |texts: &[&str]| fit_hcsdh(&inputs, &Labels::from_text(texts), &HcSdhSettings::new(4, 0));
        assert_eq!(fit(&["a", "b"]), Err(LearnError::Length { what: "labels", expected: 3, got: 2 }));
        assert_eq!(fit(&["a"; 3]), Err(LearnError::OneClass { method: "HC-SDH", n_objects: 3 }));
    }
}
