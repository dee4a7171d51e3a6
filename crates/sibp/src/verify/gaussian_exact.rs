//! Computes the posterior of the codes of a few objects under the linear Gaussian model from textbook formulas, with no
//! code of the sampler or of the model's density.

use super::ExactPosterior;
use crate::model::Observations;

/// The fixed numbers of the model.
#[derive(Debug, Clone, Copy)]
pub struct Fixed {
    /// α.
    pub concentration: f64,
    /// σx².
    pub noise: f64,
    /// σv².
    pub image: f64,
    /// ε.
    pub lapse: f64,
    /// The form of the probability.
    pub link: ExactLink,
}

/// The form of the probability.
#[derive(Debug, Clone, Copy)]
pub enum ExactLink {
    /// The ratio, with this κ.
    Ratio(f64),
    /// The logistic link, with this slope.
    Logistic(f64),
}

/// The posterior over classes of codes with up to `max_bits` bits, all of weight 1. A column is a number whose bit i
/// is object i's.
pub fn posterior(data: &Observations, fixed: Fixed, max_bits: usize) -> ExactPosterior {
    let n = data.inputs.n_objects();
    let by_input: Vec<Vec<f64>> =
        (0..data.inputs.n_inputs()).map(|input| data.inputs.rows().map(|row| row[input]).collect()).collect();
    ExactPosterior::of_classes(n, max_bits, |columns| {
        let covariance = covariance(n, columns, fixed);
        let inputs: f64 = by_input.iter().map(|x| log_normal(x, &covariance)).sum();
        log_buffet(n, columns, fixed.concentration) + inputs + log_preferences(data, columns, fixed)
    })
}

/// σx² I + σv² Z Zᵀ.
fn covariance(n: usize, columns: &[u8], fixed: Fixed) -> Vec<Vec<f64>> {
    let has = |object: usize, column: u8| f64::from(column >> object & 1);
    let entry = |i: usize, j: usize| {
        let shared: f64 = columns.iter().map(|&column| has(i, column) * has(j, column)).sum();
        fixed.image * shared + if i == j { fixed.noise } else { 0.0 }
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// ln N(x; 0, C), by elimination of one variable after another.
fn log_normal(x: &[f64], covariance: &[Vec<f64>]) -> f64 {
    let (mut c, mut x) = (covariance.to_vec(), x.to_vec());
    let mut log_density = 0.0;
    while let (Some(value), Some(row)) = (x.pop(), c.pop()) {
        // The density of the last variable; then the others, given it, lose their dependence on it.
        let n = x.len();
        let variance = row[n];
        log_density -= 0.5 * (value * value / variance + (2.0 * std::f64::consts::PI * variance).ln());
        for i in 0..n {
            x[i] -= row[i] / variance * value;
            (0..n).for_each(|j| c[i][j] -= row[i] * row[j] / variance);
        }
    }
    log_density
}

/// ln P([Z]) of the Indian buffet process (Griffiths & Ghahramani 2011, Eq. 14):
/// α^K / Π_h K_h! · exp(-α H_N) · Π_k (N - m_k)! (m_k - 1)! / N!, where K_h columns are equal.
fn log_buffet(n: usize, columns: &[u8], concentration: f64) -> f64 {
    let log_factorial = |n: usize| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
    let harmonic: f64 = (1..=n).map(|i| 1.0 / i as f64).sum();
    let equal = |column: u8| columns.iter().filter(|&&other| other == column).count();
    let of_column = |&column: &u8| {
        let m = column.count_ones() as usize;
        log_factorial(n - m) + log_factorial(m - 1) - log_factorial(n)
    };
    let classes: f64 = (1..=u8::MAX >> (8 - n)).map(|column| log_factorial(equal(column))).sum();
    columns.len() as f64 * concentration.ln() - classes - concentration * harmonic
        + columns.iter().map(of_column).sum::<f64>()
}

/// Eq. (1)-(2) from Hamming distances d between codes: bits that separate near from far number d(near, far), and
/// d(anchor, far) - d(anchor, near) more of them side with near than with far.
fn log_preferences(data: &Observations, columns: &[u8], fixed: Fixed) -> f64 {
    let distance =
        |i: u32, j: u32| columns.iter().map(|column| f64::from((column >> i ^ column >> j) & 1)).sum::<f64>();
    let of_triplet = |t: &crate::triplets::Triplet| {
        let total = distance(t.near, t.far);
        let margin = distance(t.anchor, t.far) - distance(t.anchor, t.near);
        let share = match fixed.link {
            ExactLink::Logistic(slope) => 1.0 / (1.0 + (-slope * margin).exp()),
            ExactLink::Ratio(pseudo) if total + pseudo > 0.0 => 0.5 * (total + margin + pseudo) / (total + pseudo),
            ExactLink::Ratio(_) => 0.5,
        };
        ((1.0 - fixed.lapse) * share + 0.5 * fixed.lapse).ln()
    };
    data.triplets.triplets().iter().map(of_triplet).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two variables, whose density is known in closed form; and classes of one object, whose number is Poisson.
    #[test]
    fn densities_of_known_cases() {
        let c = [vec![2.0, 0.6], vec![0.6, 1.0]];
        let determinant: f64 = 2.0 - 0.36;
        let (x, y) = (0.7, -1.1);
        let square = (x * x - 1.2 * x * y + 2.0 * y * y) / determinant;
        let expected = -0.5 * (square + determinant.ln()) - (2.0 * std::f64::consts::PI).ln();
        assert!((log_normal(&[x, y], &c) - expected).abs() < 1e-13);
        for k in 0..6 {
            let poisson = 1.3f64.powi(k) * (-1.3f64).exp() / (1..=k).map(f64::from).product::<f64>();
            assert!((log_buffet(1, &vec![1; k as usize], 1.3).exp() - poisson).abs() < 1e-15);
        }
    }
}
