//! Fits one step of an input transform and applies it, a block of rows at a time.

use serde::{Deserialize, Serialize};

use super::Step;
use super::anchors::AnchorMap;
use super::fourier::FourierMap;
use super::moments::{column_moments, root_mean_square_norm};
use super::principal::PrincipalAxes;
use crate::data::{DataError, Inputs, Precision};

/// A transform step with its fitted parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum FittedStep {
    /// See [`Step::SquareRoot`].
    SquareRoot,
    /// See [`Step::Unit`].
    Unit,
    /// See [`Step::Single`].
    Single,
    /// See [`Step::Centre`].
    Centre {
        /// The mean of each column, which is subtracted.
        means: Vec<f64>,
    },
    /// See [`Step::Standardise`].
    Standardise {
        /// The mean of each column, which is subtracted.
        means: Vec<f64>,
        /// The standard deviation of each column, which is then divided by.
        deviations: Vec<f64>,
    },
    /// See [`Step::Scale`].
    Scale {
        /// The number that all values are divided by.
        divisor: f64,
    },
    /// See [`Step::Principal`].
    Principal(PrincipalAxes),
    /// See [`Step::Fourier`].
    Fourier(FourierMap),
    /// See [`Step::Anchors`].
    Anchors(AnchorMap),
}

impl FittedStep {
    pub(super) fn fit(step: Step, inputs: &Inputs) -> Result<Self, DataError> {
        Ok(match step {
            Step::SquareRoot => Self::SquareRoot,
            Step::Centre => Self::Centre { means: column_moments(inputs).0 },
            Step::Standardise => {
                let (means, deviations) = column_moments(inputs);
                Self::Standardise { means, deviations }
            }
            Step::Scale => Self::Scale { divisor: root_mean_square_norm(inputs) },
            Step::Unit => Self::Unit,
            Step::Single => Self::Single,
            Step::Principal(n_axes) => Self::Principal(PrincipalAxes::fit(n_axes, inputs)?),
            Step::Fourier(n_outputs) => Self::Fourier(FourierMap::fit(n_outputs, inputs)?),
            Step::Anchors(n_anchors, similarity, percent) => {
                Self::Anchors(AnchorMap::fit(n_anchors, similarity, percent, inputs)?)
            }
        })
    }

    pub(super) fn chosen(&self) -> Step {
        match self {
            Self::SquareRoot => Step::SquareRoot,
            Self::Centre { .. } => Step::Centre,
            Self::Standardise { .. } => Step::Standardise,
            Self::Scale { .. } => Step::Scale,
            Self::Unit => Step::Unit,
            Self::Single => Step::Single,
            Self::Principal(axes) => Step::Principal(axes.n_outputs()),
            Self::Fourier(fourier) => Step::Fourier(fourier.n_outputs()),
            Self::Anchors(anchors) => anchors.chosen(),
        }
    }

    /// Number of output columns for `n_inputs` input columns.
    pub(super) fn n_outputs(&self, n_inputs: usize) -> usize {
        match self {
            Self::Principal(axes) => axes.n_outputs(),
            Self::Fourier(fourier) => fourier.n_outputs(),
            Self::Anchors(anchors) => anchors.n_outputs(),
            _ => n_inputs,
        }
    }

    /// Applies the step; the result has the same storage as the inputs.
    pub(super) fn apply(&self, inputs: &Inputs) -> Result<Inputs, DataError> {
        let n_inputs = inputs.n_inputs();
        match self {
            Self::Principal(axes) => {
                inputs.map_blocks(axes.n_outputs(), Precision::Double, |_, block| Ok(axes.apply(&block)))
            }
            Self::Fourier(fourier) => {
                let waves = fourier.waves();
                inputs.map_blocks(fourier.n_outputs(), Precision::Double, |_, block| Ok(waves(&block)))
            }
            Self::Anchors(anchors) => {
                inputs.map_blocks(anchors.n_outputs(), Precision::Double, |_, block| Ok(anchors.apply(&block)))
            }
            Self::Single => inputs.map_blocks(n_inputs, Precision::Single, |_, block| Ok(block.into_owned())),
            _ => inputs.map_blocks(n_inputs, Precision::Double, |first_row, block| {
                let mut values = block.into_owned();
                self.change(first_row, n_inputs, &mut values)?;
                Ok(values)
            }),
        }
    }

    /// Changes rows in place; the first of them is row `first_row`.
    fn change(&self, first_row: usize, n_inputs: usize, values: &mut [f64]) -> Result<(), DataError> {
        match self {
            Self::SquareRoot => {
                if let Some(at) = values.iter().position(|v| *v < 0.0) {
                    let (row, column) = (first_row + at / n_inputs, at % n_inputs);
                    return Err(DataError::Negative { row, column, value: values[at] });
                }
                values.iter_mut().for_each(|v| *v = v.sqrt());
            }
            Self::Centre { means } => {
                for row in values.chunks_exact_mut(n_inputs) {
                    row.iter_mut().zip(means).for_each(|(v, mean)| *v -= mean);
                }
            }
            Self::Standardise { means, deviations } => {
                for row in values.chunks_exact_mut(n_inputs) {
                    let moments = means.iter().zip(deviations);
                    row.iter_mut().zip(moments).for_each(|(v, (mean, deviation))| *v = (*v - mean) / deviation);
                }
            }
            Self::Scale { divisor } => values.iter_mut().for_each(|v| *v /= divisor),
            Self::Unit => values.chunks_exact_mut(n_inputs).for_each(to_norm_one),
            Self::Single | Self::Principal(_) | Self::Fourier(_) | Self::Anchors(_) => {}
        }
        Ok(())
    }
    /// Describes what is wrong with a step that was read from a file, if anything.
    pub(super) fn fault(&self, n_inputs: usize) -> Option<&'static str> {
        let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        let positive = |values: &[f64]| values.iter().all(|v| v.is_finite() && *v > 0.0);
        match self {
            Self::Centre { means } | Self::Standardise { means, .. } if means.len() != n_inputs => {
                Some("has another number of means than columns")
            }
            Self::Standardise { deviations, .. } if deviations.len() != n_inputs => {
                Some("has another number of deviations than columns")
            }
            Self::Centre { means } | Self::Standardise { means, .. } if !finite(means) => {
                Some("has a mean that is not finite")
            }
            Self::Standardise { deviations, .. } if !positive(deviations) => {
                Some("has a deviation that is not a positive number")
            }
            Self::Scale { divisor } if !positive(&[*divisor]) => Some("has a divisor that is not a positive number"),
            Self::Principal(axes) => axes.fault(n_inputs),
            Self::Fourier(fourier) => fourier.fault(n_inputs),
            Self::Anchors(anchors) => anchors.fault(n_inputs),
            _ => None,
        }
    }
}

fn to_norm_one(row: &mut [f64]) {
    // Scaled first, because the squares of large values may overflow.
    let largest = row.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
    if largest > 0.0 {
        row.iter_mut().for_each(|v| *v /= largest);
        let norm = row.iter().map(|v| *v * *v).sum::<f64>().sqrt();
        row.iter_mut().for_each(|v| *v /= norm);
    }
}
