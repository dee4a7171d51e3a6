//! Measures mean and standard deviation of the inputs, and scales rows by them.

use super::LearnError;
use crate::data::Inputs;

/// Mean and standard deviation (divisor n) of every input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scaling {
    pub mean: Vec<f64>,
    pub sd: Vec<f64>,
}

impl Scaling {
    /// Measures every column in two passes, so that a large mean does not swallow a small spread.
    ///
    /// Refuses inputs whose summed squares overflow: all that follows would be infinite or NaN.
    pub fn of(inputs: &Inputs) -> Result<Self, LearnError> {
        let n = inputs.n_objects() as f64;
        let mut mean = vec![0.0; inputs.n_inputs()];
        inputs.for_each_row(|row| mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / n));
        let mut sd = vec![0.0; inputs.n_inputs()];
        inputs.for_each_row(|row| {
            sd.iter_mut().zip(row).zip(&mean).for_each(|((s, x), m)| *s += (x - m) * (x - m) / n);
        });
        let limit = f64::MAX / n / inputs.n_inputs() as f64;
        if let Some(column) = sd.iter().position(|variance| *variance > limit) {
            return Err(LearnError::TooLarge { column });
        }
        sd.iter_mut().for_each(|s| *s = s.sqrt());
        Ok(Self { mean, sd })
    }

    /// All rows with the mean taken off, in row order.
    pub fn centred(&self, inputs: &Inputs) -> Vec<f64> {
        let mut centred = Vec::with_capacity(inputs.n_objects() * inputs.n_inputs());
        inputs.for_each_row(|row| centred.extend(row.iter().zip(&self.mean).map(|(x, m)| x - m)));
        centred
    }

    /// Mean squared length of the centred rows.
    pub fn total_variance(&self) -> f64 {
        self.sd.iter().map(|s| s * s).sum()
    }

    /// The factor that gives a centred input unit spread; 0 for one that only varies by rounding.
    pub fn unit_factors(&self) -> Vec<f64> {
        let spread = |(s, m): (&f64, &f64)| if *s > 1e-12 * m.abs() && *s > 0.0 { 1.0 / s } else { 0.0 };
        self.sd.iter().zip(&self.mean).map(spread).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_columns_have_factor_zero() {
        let inputs = Inputs::new(3, 2, vec![0.1, 1.0, 0.1, 3.0, 0.1, 5.0]).unwrap();
        let scaling = Scaling::of(&inputs).unwrap();
        assert_eq!(scaling.mean[1], 3.0);
        assert_eq!(scaling.unit_factors()[0], 0.0);
        assert!((scaling.unit_factors()[1] - 1.0 / (8.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(scaling.centred(&inputs)[1], -2.0);
    }

    #[test]
    fn overflow_is_named() {
        let inputs = Inputs::new(2, 2, vec![0.0, -1e200, 0.0, 1e200]).unwrap();
        assert_eq!(Scaling::of(&inputs), Err(LearnError::TooLarge { column: 1 }));
    }
}
