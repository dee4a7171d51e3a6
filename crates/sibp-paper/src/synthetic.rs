//! Makes the synthetic data of the paper's sections 6.1 and 6.2.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sibp::data::{DataError, Inputs, Labels};

/// Number of categories in section 6.1.
pub const N_CATEGORIES: usize = 10;
/// Number of objects in section 6.1, equally many of each category.
pub const N_OBJECTS: usize = 150;

/// Points of several categories.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// The points, category after category.
    pub inputs: Inputs,
    /// Categories of the points, named 1 to 10 as in the paper.
    pub labels: Labels,
}

/// Draws the mixture of section 6.1: 150 points in the plane, 15 of each of 10 categories. A category's mean is
/// uniform in [-1, 1] and its standard deviation uniform in [0, 1], each axis on its own.
pub fn mixture(seed: u64) -> Result<Synthetic, DataError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut names) = (Vec::new(), Vec::new());
    for category in 1..=N_CATEGORIES {
        let means: [f64; 2] = std::array::from_fn(|_| rng.random_range(-1.0..=1.0));
        let deviations: [f64; 2] = std::array::from_fn(|_| rng.random_range(0.0..=1.0));
        for _ in 0..N_OBJECTS / N_CATEGORIES {
            for axis in 0..2 {
                let normal: f64 = StandardNormal.sample(&mut rng);
                values.push(means[axis] + deviations[axis] * normal);
            }
            names.push(category.to_string());
        }
    }
    Ok(Synthetic { inputs: Inputs::new(N_OBJECTS, 2, values)?, labels: Labels::from_text(&names) })
}

/// The five given bits of section 6.2 for each object of [`mixture`]: categories 1-2, 3-4, 5-6 and 7-10 share theirs.
pub fn given_bits(labels: &Labels) -> Vec<[u8; 5]> {
    let of_class = |class: u32| match class {
        0 | 1 => [0, 1, 1, 0, 1],
        2 | 3 => [1, 0, 1, 0, 1],
        4 | 5 => [1, 1, 0, 0, 0],
        _ => [1, 0, 0, 1, 0],
    };
    labels.class_of().iter().map(|&class| of_class(class)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_points_and_every_category_has_fifteen() {
        let data = mixture(7).unwrap();
        assert_eq!(data, mixture(7).unwrap());
        assert_ne!(data.inputs, mixture(8).unwrap().inputs);
        assert_eq!((data.inputs.n_objects(), data.inputs.n_inputs()), (150, 2));
        for class in 0..10 {
            assert_eq!(data.labels.class_of().iter().filter(|&&c| c == class).count(), 15);
        }
        assert_eq!(data.labels.names()[9], "10");
        assert_eq!(given_bits(&data.labels)[149], [1, 0, 0, 1, 0]);
        assert_eq!(given_bits(&data.labels)[15], [0, 1, 1, 0, 1]);
    }

    #[test]
    fn categories_have_the_spread_the_paper_states() {
        // Over many seeds the within-category variance averages to E[u^2] = 1/3 and the means' to 1/3.
        let (mut within, mut between) = (0.0, 0.0);
        let n_seeds = 200;
        for seed in 0..n_seeds {
            let data = mixture(seed).unwrap();
            for rows in data.inputs.values().chunks_exact(30) {
                let mean = rows.iter().step_by(2).sum::<f64>() / 15.0;
                within += rows.iter().step_by(2).map(|x| (x - mean).powi(2)).sum::<f64>() / 14.0;
                between += mean * mean;
            }
        }
        let n = (n_seeds * 10) as f64;
        // Standard errors over 2000 categories: about 0.010 and 0.008.
        assert!((within / n - 1.0 / 3.0).abs() < 0.05, "{}", within / n);
        assert!((between / n - (1.0 / 3.0 + 1.0 / 45.0)).abs() < 0.05, "{}", between / n);
    }
}
