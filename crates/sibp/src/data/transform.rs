//! Fits and applies the input transforms that are stored with a model, a chain of steps.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::fourier::FourierFeatures;
use super::moments::{column_moments, root_mean_square_norm};
use super::principal::PrincipalAxes;
use super::{DataError, Features};

/// A step the user can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The square root of every value, good for counts and histograms.
    SquareRoot,
    /// Subtracts every column's mean.
    Centre,
    /// Subtracts every column's mean and divides by its standard deviation; constant columns become 0.
    Standardise,
    /// Divides all by one number, so that the mean squared norm of the rows is 1.
    Scale,
    /// Divides every row by its norm, good for embeddings that are compared by their angle; rows of zeros stay.
    Unit,
    /// Projects on this many principal axes.
    Principal(usize),
    /// Maps to this many random Fourier features, so that boundaries need not be flat.
    Fourier(usize),
}

impl FromStr for Step {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let (name, size) = match text.trim().split_once(':') {
            Some((name, size)) => (name, size.parse::<usize>().ok()),
            None => (text.trim(), None),
        };
        match (name, size) {
            ("sqrt", None) => Ok(Self::SquareRoot),
            ("centre", None) => Ok(Self::Centre),
            ("standardise", None) => Ok(Self::Standardise),
            ("scale", None) => Ok(Self::Scale),
            ("unit", None) => Ok(Self::Unit),
            ("pca", Some(size)) => Ok(Self::Principal(size)),
            ("fourier", Some(size)) => Ok(Self::Fourier(size)),
            _ => Err(DataError::UnknownStep {
                asked: text.trim().to_owned(),
                known: "sqrt, centre, standardise, scale, unit, pca:N, fourier:N".to_owned(),
            }),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SquareRoot => f.write_str("sqrt"),
            Self::Centre => f.write_str("centre"),
            Self::Standardise => f.write_str("standardise"),
            Self::Scale => f.write_str("scale"),
            Self::Unit => f.write_str("unit"),
            Self::Principal(size) => write!(f, "pca:{size}"),
            Self::Fourier(size) => write!(f, "fourier:{size}"),
        }
    }
}

/// The steps the user chose, in order; none at all leaves the features as they are.
///
/// ```
/// use sibp::data::InputTransform;
/// let steps: InputTransform = "sqrt,standardise".parse()?;
/// assert_eq!(steps.to_string(), "sqrt,standardise");
/// assert!("square".parse::<InputTransform>().is_err());
/// # Ok::<(), sibp::data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputTransform {
    /// The steps in order.
    pub steps: Vec<Step>,
}

impl InputTransform {
    /// Columns that come out where `n_inputs` go in.
    pub fn n_outputs(&self, n_inputs: usize) -> usize {
        self.steps.iter().fold(n_inputs, |n_inputs, step| match step {
            Step::Principal(size) | Step::Fourier(size) => *size,
            Step::SquareRoot | Step::Centre | Step::Standardise | Step::Scale | Step::Unit => n_inputs,
        })
    }
}

impl FromStr for InputTransform {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        if matches!(text.trim(), "" | "none") {
            return Ok(Self::default());
        }
        Ok(Self { steps: text.split(',').map(str::parse).collect::<Result<_, _>>()? })
    }
}

impl fmt::Display for InputTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.steps.iter().map(Step::to_string).collect();
        f.write_str(if names.is_empty() { "none".to_owned() } else { names.join(",") }.as_str())
    }
}

/// A step with what it learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum FittedStep {
    /// See [`Step::SquareRoot`].
    SquareRoot,
    /// See [`Step::Unit`].
    Unit,
    /// See [`Step::Centre`].
    Centre {
        /// What is subtracted, a column each.
        means: Vec<f64>,
    },
    /// See [`Step::Standardise`].
    Standardise {
        /// What is subtracted, a column each.
        means: Vec<f64>,
        /// What is then divided by, a column each.
        deviations: Vec<f64>,
    },
    /// See [`Step::Scale`].
    Scale {
        /// What all values are divided by.
        divisor: f64,
    },
    /// See [`Step::Principal`].
    Principal(PrincipalAxes),
    /// See [`Step::Fourier`].
    Fourier(FourierFeatures),
}

impl FittedStep {
    fn fit(step: Step, features: &Features) -> Result<Self, DataError> {
        Ok(match step {
            Step::SquareRoot => Self::SquareRoot,
            Step::Centre => Self::Centre { means: column_moments(features).0 },
            Step::Standardise => {
                let (means, deviations) = column_moments(features);
                Self::Standardise { means, deviations }
            }
            Step::Scale => Self::Scale { divisor: root_mean_square_norm(features) },
            Step::Unit => Self::Unit,
            Step::Principal(n_axes) => Self::Principal(PrincipalAxes::fit(n_axes, features)?),
            Step::Fourier(n_outputs) => Self::Fourier(FourierFeatures::fit(n_outputs, features)?),
        })
    }

    fn chosen(&self) -> Step {
        match self {
            Self::SquareRoot => Step::SquareRoot,
            Self::Centre { .. } => Step::Centre,
            Self::Standardise { .. } => Step::Standardise,
            Self::Scale { .. } => Step::Scale,
            Self::Unit => Step::Unit,
            Self::Principal(axes) => Step::Principal(axes.n_outputs()),
            Self::Fourier(fourier) => Step::Fourier(fourier.n_outputs()),
        }
    }

    /// Columns that come out where `n_inputs` go in.
    fn n_outputs(&self, n_inputs: usize) -> usize {
        match self {
            Self::Principal(axes) => axes.n_outputs(),
            Self::Fourier(fourier) => fourier.n_outputs(),
            Self::SquareRoot | Self::Centre { .. } | Self::Standardise { .. } | Self::Scale { .. } | Self::Unit => {
                n_inputs
            }
        }
    }

    fn apply(&self, features: &Features) -> Result<Features, DataError> {
        let n_inputs = features.n_inputs();
        let mut values = features.values().to_vec();
        match self {
            Self::SquareRoot => {
                if let Some(at) = values.iter().position(|v| *v < 0.0) {
                    let (row, column) = (at / n_inputs, at % n_inputs);
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
            Self::Unit => {
                for row in values.chunks_exact_mut(n_inputs) {
                    // Twice, because the squares of large values may not be finite.
                    let largest = row.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
                    if largest > 0.0 {
                        row.iter_mut().for_each(|v| *v /= largest);
                        let norm = row.iter().map(|v| *v * *v).sum::<f64>().sqrt();
                        row.iter_mut().for_each(|v| *v /= norm);
                    }
                }
            }
            Self::Principal(axes) => values = axes.apply(features),
            Self::Fourier(fourier) => values = fourier.apply(features),
        }
        Features::new(features.n_objects(), self.n_outputs(n_inputs), values)
    }

    /// What is wrong with a step that was read from a file.
    fn fault(&self, n_inputs: usize) -> Option<&'static str> {
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
            _ => None,
        }
    }
}

/// A fitted chain of steps.
///
/// ```
/// use sibp::data::{Features, Transform};
/// let train = Features::new(2, 1, vec![1.0, 3.0])?;
/// let transform = Transform::fit(&"standardise".parse()?, &train)?;
/// assert_eq!(transform.apply(&Features::new(1, 1, vec![4.0])?)?.values(), [2.0]);
/// assert!(transform.apply(&Features::new(1, 2, vec![4.0, 4.0])?).is_err());
/// # Ok::<(), sibp::data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Transform {
    n_inputs: usize,
    steps: Vec<FittedStep>,
}

/// A transform as it stands in a file, not yet checked.
#[derive(Deserialize)]
struct Stored {
    n_inputs: usize,
    steps: Vec<FittedStep>,
}

impl TryFrom<Stored> for Transform {
    type Error = DataError;

    fn try_from(stored: Stored) -> Result<Self, DataError> {
        let mut n_inputs = stored.n_inputs;
        for (step, fitted) in stored.steps.iter().enumerate() {
            if let Some(reason) = fitted.fault(n_inputs) {
                return Err(DataError::BadTransform { step, reason });
            }
            n_inputs = fitted.n_outputs(n_inputs);
        }
        Ok(Self { n_inputs: stored.n_inputs, steps: stored.steps })
    }
}

impl Transform {
    /// Fits each step to the features as the steps before it leave them.
    pub fn fit(chosen: &InputTransform, features: &Features) -> Result<Self, DataError> {
        Self::fit_apply(chosen, features).map(|(transform, _)| transform)
    }

    /// Fits, and returns the transformed features too, which fitting computes anyway.
    pub fn fit_apply(chosen: &InputTransform, features: &Features) -> Result<(Self, Features), DataError> {
        let mut current = features.clone();
        let mut steps = Vec::with_capacity(chosen.steps.len());
        for &step in &chosen.steps {
            let fitted = FittedStep::fit(step, &current)?;
            current = fitted.apply(&current)?;
            steps.push(fitted);
        }
        Ok((Self { n_inputs: features.n_inputs(), steps }, current))
    }

    /// Transforms features with as many columns as those it was fitted to.
    pub fn apply(&self, features: &Features) -> Result<Features, DataError> {
        if features.n_inputs() != self.n_inputs {
            return Err(DataError::WrongInputs { expected: self.n_inputs, found: features.n_inputs() });
        }
        self.steps.iter().try_fold(features.clone(), |current, step| step.apply(&current))
    }

    /// Number of columns it takes.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Number of columns it gives.
    pub fn n_outputs(&self) -> usize {
        self.steps.iter().fold(self.n_inputs, |n, step| step.n_outputs(n))
    }

    /// The steps as the user chose them.
    pub fn chosen(&self) -> InputTransform {
        InputTransform { steps: self.steps.iter().map(FittedStep::chosen).collect() }
    }

    /// The fitted steps in order.
    pub fn steps(&self) -> &[FittedStep] {
        &self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(n_inputs: usize, values: &[f64]) -> Features {
        Features::new(values.len() / n_inputs, n_inputs, values.to_vec()).unwrap()
    }

    fn fit(steps: &str, features: &Features) -> Result<(Transform, Features), DataError> {
        Transform::fit_apply(&steps.parse()?, features)
    }

    #[test]
    fn unit_rows_have_norm_one_whatever_their_size() {
        let (transform, out) = fit("unit", &features(2, &[3.0, 4.0, 0.0, 0.0, -3e200, 4e200])).unwrap();
        assert_eq!(out.values(), [0.6, 0.8, 0.0, 0.0, -0.6, 0.8]);
        assert_eq!(transform.chosen().to_string(), "unit");
    }

    #[test]
    fn standardises_and_leaves_constant_columns_at_zero() {
        // 0.1 summed and divided is not 0.1: a constant column must still come out as exact zeros.
        let train = features(3, &[1.0, 0.1, 10.0, 2.0, 0.1, 30.0, 6.0, 0.1, 20.0]);
        let (transform, out) = fit("standardise", &train).unwrap();
        for column in 0..3 {
            let values: Vec<f64> = out.rows().map(|row| row[column]).collect();
            let (mean, square) = (values.iter().sum::<f64>() / 3.0, values.iter().map(|v| v * v).sum::<f64>() / 3.0);
            assert!(mean.abs() < 1e-15);
            assert!(if column == 1 { square == 0.0 } else { (square - 1.0).abs() < 1e-15 });
        }
        assert_eq!(transform.apply(&train).unwrap(), out);
        let json = serde_json::to_string(&transform).unwrap();
        assert_eq!(serde_json::from_str::<Transform>(&json).unwrap(), transform);
    }

    #[test]
    fn scales_to_mean_squared_norm_one_after_other_steps() {
        let (transform, out) = fit("sqrt, centre, scale", &features(2, &[1.0, 4.0, 9.0, 16.0, 0.0, 1.0])).unwrap();
        let norm = out.values().iter().map(|v| v * v).sum::<f64>() / 3.0;
        assert!((norm - 1.0).abs() < 1e-15);
        assert_eq!((transform.n_inputs(), transform.n_outputs(), transform.steps().len()), (2, 2, 3));
        let (_, zeros) = fit("scale", &features(1, &[0.0, 0.0])).unwrap();
        assert_eq!(zeros.values(), [0.0, 0.0]);
    }

    #[test]
    fn principal_axes_keep_distances_along_them() {
        let train = features(3, &[1.0, 2.0, 0.0, -1.0, 0.5, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let (transform, out) = fit("pca:2", &train).unwrap();
        assert_eq!(transform.n_outputs(), 2);
        // The third input is constant, so two axes hold everything.
        for (a, b) in [(0, 1), (1, 2), (0, 3)] {
            let distance = |x: &Features| -> f64 { x.row(a).iter().zip(x.row(b)).map(|(p, q)| (p - q).powi(2)).sum() };
            assert!((distance(&out) - distance(&train)).abs() < 1e-12);
        }
        let json = serde_json::to_string(&transform).unwrap();
        assert_eq!(serde_json::from_str::<Transform>(&json).unwrap().apply(&train).unwrap(), out);
    }

    #[test]
    fn fourier_features_approach_the_kernel() {
        let train = features(2, &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 1.5, 1.0]);
        let (transform, out) = fit("fourier:20000", &train).unwrap();
        let width = match &transform.steps()[0] {
            FittedStep::Fourier(fourier) => serde_json::to_value(fourier).unwrap()["width"].as_f64().unwrap(),
            other => panic!("{other:?}"),
        };
        for (a, b) in [(0, 0), (0, 1), (1, 2), (2, 3)] {
            let square: f64 = train.row(a).iter().zip(train.row(b)).map(|(p, q)| (p - q).powi(2)).sum();
            let product: f64 = out.row(a).iter().zip(out.row(b)).map(|(p, q)| p * q).sum();
            let kernel = (-0.5 * square / (width * width)).exp();
            assert!((product - kernel).abs() < 0.04, "{product} {kernel}");
        }
    }

    #[test]
    fn huge_and_tiny_values_stay_finite() {
        for size in [1e300, 1e-300] {
            let (_, out) = fit("standardise", &features(1, &[size, 2.0 * size, 3.0 * size])).unwrap();
            assert!((out.values()[2] - 1.5f64.sqrt()).abs() < 1e-14, "{out:?}");
            let (_, out) = fit("scale", &features(1, &[size, size])).unwrap();
            assert!((out.values()[0] - 1.0).abs() < 1e-14, "{out:?}");
        }
        let error = fit("centre", &features(1, &[f64::MAX, -f64::MAX, -f64::MAX, -f64::MAX])).unwrap_err();
        assert!(error.to_string().contains("row 0, column 0: the value is inf"), "{error}");
    }

    #[test]
    fn mistakes_are_named() {
        let error = fit("sqrt", &features(2, &[1.0, 4.0, 9.0, -0.5])).unwrap_err();
        assert!(error.to_string().starts_with("row 1, column 1: the square root of -0.5"), "{error}");
        let error = "sqrt,pca".parse::<InputTransform>().unwrap_err();
        assert!(error.to_string().contains("no transform step \"pca\"; the steps are sqrt, centre"), "{error}");
        let error = fit("pca:3", &features(2, &[1.0, 4.0, 9.0, 0.5])).unwrap_err();
        assert_eq!(error, DataError::BadSize { step: "pca", asked: 3, most: 2 });
        let (transform, _) = fit("none", &features(2, &[1.0, 2.0])).unwrap();
        let error = transform.apply(&features(3, &[1.0, 2.0, 3.0])).unwrap_err();
        assert_eq!(error, DataError::WrongInputs { expected: 2, found: 3 });
    }

    #[test]
    fn damaged_stored_transforms_are_refused() {
        for (text, word) in [
            (r#"{"n_inputs":2,"steps":[{"step":"centre","means":[1.0]}]}"#, "number of means"),
            (r#"{"n_inputs":1,"steps":[{"step":"scale","divisor":0.0}]}"#, "divisor"),
            (r#"{"n_inputs":1,"steps":[{"step":"standardise","means":[1.0],"deviations":[-1.0]}]}"#, "deviation"),
            (r#"{"n_inputs":1,"steps":[{"step":"standardise","means":[1.0],"deviations":[]}]}"#, "deviations"),
        ] {
            let error = serde_json::from_str::<Transform>(text).unwrap_err().to_string();
            assert!(error.contains("step 0") && error.contains(word), "{error}");
        }
    }
}
