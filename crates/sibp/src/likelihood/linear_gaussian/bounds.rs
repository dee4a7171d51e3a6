//! Computes upper bounds on the log ratios of all flips of an object's bits at once, without logarithms.

use crate::numerics::simd::at_every_level;

/// The quantities of [`super::GaussianRow`] about each bit and about the row, under the same names.
#[derive(Debug, Clone, Copy)]
pub struct FlipInputs<'a> {
    /// 1 where the bit would be switched on, else -1.
    pub signs: &'a [f64],
    pub shares: &'a [f64],
    pub leaving: &'a [f64],
    pub entering: &'a [f64],
    pub error_images: &'a [f64],
    pub residual_images: &'a [f64],
    /// Diagonals of μμᵀ and of C.
    pub norms: &'a [f64],
    pub spreads: &'a [f64],
    pub error_norm: f64,
    pub residual_norm: f64,
    pub residual_error: f64,
    pub spread: f64,
    pub n_inputs: f64,
    pub noise: f64,
}

// The terms of a single flip's log ratio, with ln y <= y - 1.
#[inline(always)]
fn log_ratio_bounds_body(of: FlipInputs<'_>, bounds: &mut [f64]) {
    let k = bounds.len();
    let (signs, shares, leaving, entering) = (&of.signs[..k], &of.shares[..k], &of.leaving[..k], &of.entering[..k]);
    let (error_images, residual_images) = (&of.error_images[..k], &of.residual_images[..k]);
    let (norms, spreads) = (&of.norms[..k], &of.spreads[..k]);
    let old = 1.0 + of.spread;
    let (old_fit, inverse_noise) = (of.residual_norm / old, 1.0 / of.noise);
    for f in 0..k {
        let share = shares[f];
        let product = residual_images[f] - share * of.residual_error;
        let norm = norms[f] - 2.0 * share * error_images[f] + share * share * of.error_norm;
        let residual_norm = of.residual_norm - 2.0 * signs[f] * product + norm;
        let residual_norm = if residual_norm > 0.0 { residual_norm } else { 0.0 };
        let own = spreads[f] + leaving[f] * share;
        let inverse = 1.0 / (1.0 + of.spread + 2.0 * signs[f] * entering[f] + own);
        let fit = old_fit - residual_norm * inverse;
        bounds[f] = 0.5 * (of.n_inputs * (old * inverse - 1.0) + fit * inverse_noise);
    }
}

at_every_level! {
    /// Upper bounds on the log ratios of the flips, up to rounding.
    log_ratio_bounds = log_ratio_bounds_body(of: FlipInputs<'_>, bounds: &mut [f64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn gives_the_same_bits_as_without_vectors() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for k in 0..70 {
            let mut numbers = || (0..k).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<_>>();
            let of: [Vec<f64>; 8] = std::array::from_fn(|_| numbers());
            let inputs = FlipInputs {
                signs: &of[0],
                shares: &of[1],
                leaving: &of[2],
                entering: &of[3],
                error_images: &of[4],
                residual_images: &of[5],
                norms: &of[6],
                spreads: &of[7],
                error_norm: 3.0,
                residual_norm: 4.0,
                residual_error: 0.5,
                spread: 2.5,
                n_inputs: 12.0,
                noise: 0.3,
            };
            let (mut bounds, mut plain) = (vec![0.0; k], vec![0.0; k]);
            log_ratio_bounds(inputs, &mut bounds);
            log_ratio_bounds_body(inputs, &mut plain);
            assert_eq!(bounds, plain);
        }
    }
}
