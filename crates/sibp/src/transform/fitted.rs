//! Fits and applies input transforms, chains of steps that are stored with a model.

use serde::{Deserialize, Serialize};

use super::{FittedStep, InputTransform};
use crate::data::{DataError, Filling, Inputs};

/// A fitted input transform: a chain of steps.
///
/// ```
/// use sibp::data::Inputs;
/// use sibp::transform::Transform;
/// let train = Inputs::new(2, 1, vec![1.0, 3.0])?;
/// let transform = Transform::fit(&"standardise".parse()?, &train)?;
/// assert_eq!(transform.apply(&Inputs::new(1, 1, vec![4.0])?)?.values().to_vec(), [2.0]);
/// assert!(transform.apply(&Inputs::new(1, 2, vec![4.0, 4.0])?).is_err());
/// # Ok::<(), sibp::data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Transform {
    n_inputs: usize,
    steps: Vec<FittedStep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    filling: Option<Filling>,
}

/// A transform as it stands in a file, not yet checked.
#[derive(Deserialize)]
struct Stored {
    n_inputs: usize,
    steps: Vec<FittedStep>,
    #[serde(default)]
    filling: Option<Filling>,
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
        if let Some(reason) = stored.filling.as_ref().and_then(|filling| filling.fault(stored.n_inputs)) {
            return Err(DataError::BadTransform { step: 0, reason });
        }
        Ok(Self { n_inputs: stored.n_inputs, steps: stored.steps, filling: stored.filling })
    }
}

impl Transform {
    /// Fits each step to the inputs as the steps before it leave them.
    pub fn fit(chosen: &InputTransform, inputs: &Inputs) -> Result<Self, DataError> {
        Self::fit_apply(chosen, inputs).map(|(transform, _)| transform)
    }

    /// Fits, and returns the transformed inputs too, which fitting computes anyway.
    pub fn fit_apply(chosen: &InputTransform, inputs: &Inputs) -> Result<(Self, Inputs), DataError> {
        let mut current = inputs.clone();
        let mut steps = Vec::with_capacity(chosen.steps.len());
        for &step in &chosen.steps {
            let fitted = FittedStep::fit(step, &current)?;
            current = fitted.apply(&current)?;
            steps.push(fitted);
        }
        Ok((Self { n_inputs: inputs.n_inputs(), steps, filling: None }, current))
    }

    /// The same transform, which keeps the rule by which missing values of its inputs were filled in.
    pub fn filled_by(self, filling: Option<Filling>) -> Self {
        Self { filling, ..self }
    }

    /// The rule by which missing values of its inputs were filled in, before the first step.
    pub fn filling(&self) -> Option<&Filling> {
        self.filling.as_ref()
    }

    /// Transforms inputs with as many columns as those it was fitted to.
    pub fn apply(&self, inputs: &Inputs) -> Result<Inputs, DataError> {
        if inputs.n_inputs() != self.n_inputs {
            return Err(DataError::WrongInputs { expected: self.n_inputs, found: inputs.n_inputs() });
        }
        self.steps.iter().try_fold(inputs.clone(), |current, step| step.apply(&current))
    }

    /// Number of columns of its input.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Number of columns of its output.
    pub fn n_outputs(&self) -> usize {
        self.steps.iter().fold(self.n_inputs, |n, step| step.n_outputs(n))
    }

    /// The steps as the user chose them.
    pub fn chosen(&self) -> InputTransform {
        InputTransform { steps: self.steps.iter().map(FittedStep::chosen).collect() }
    }

    /// The training objects whose transformed inputs know them as no other object's do.
    pub fn anchors(&self) -> &[usize] {
        let anchors = self
            .steps
            .iter()
            .find_map(|step| if let FittedStep::Anchors(map) = step { Some(map.rows()) } else { None });
        anchors.unwrap_or(&[])
    }

    /// The inputs along which a linear function of the transformed inputs rises, each in the units of its own scale: what a
    /// picture of the function shows. `None` where no such picture exists.
    pub fn towards_inputs(&self, coefficients: &[f64]) -> Option<Vec<f64>> {
        let back = |current: Vec<f64>, step: &FittedStep| match step {
            FittedStep::Principal(axes) => Some(axes.combination(&current)),
            FittedStep::Anchors(anchors) => Some(anchors.combination(&current)),
            FittedStep::Fourier(_) => None,
            _ => Some(current),
        };
        self.steps.iter().rev().try_fold(coefficients.to_vec(), back)
    }

    /// The fitted steps in order.
    pub fn steps(&self) -> &[FittedStep] {
        &self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn inputs(n_inputs: usize, values: &[f64]) -> Inputs {
        Inputs::new(values.len() / n_inputs, n_inputs, values.to_vec()).unwrap()
    }

    fn fit(steps: &str, inputs: &Inputs) -> Result<(Transform, Inputs), DataError> {
        Transform::fit_apply(&steps.parse()?, inputs)
    }

    #[test]
    fn unit_rows_have_norm_one_whatever_their_size() {
        let (transform, out) = fit("unit", &inputs(2, &[3.0, 4.0, 0.0, 0.0, -3e200, 4e200])).unwrap();
        assert_eq!(out.values().to_vec(), [0.6, 0.8, 0.0, 0.0, -0.6, 0.8]);
        assert_eq!(transform.chosen().to_string(), "unit");
    }

    #[test]
    fn standardises_and_leaves_constant_columns_at_zero() {
        // 0.1 summed and divided is not 0.1: a constant column must still come out as exact zeros.
        let train = inputs(3, &[1.0, 0.1, 10.0, 2.0, 0.1, 30.0, 6.0, 0.1, 20.0]);
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
        let (transform, out) = fit("sqrt, centre, scale", &inputs(2, &[1.0, 4.0, 9.0, 16.0, 0.0, 1.0])).unwrap();
        let norm = out.values().iter().map(|v| v * v).sum::<f64>() / 3.0;
        assert!((norm - 1.0).abs() < 1e-15);
        assert_eq!((transform.n_inputs(), transform.n_outputs(), transform.steps().len()), (2, 2, 3));
        let (_, zeros) = fit("scale", &inputs(1, &[0.0, 0.0])).unwrap();
        assert_eq!(zeros.values().to_vec(), [0.0, 0.0]);
    }

    #[test]
    fn principal_axes_keep_distances_along_them() {
        let train = inputs(3, &[1.0, 2.0, 0.0, -1.0, 0.5, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let (transform, out) = fit("pca:2", &train).unwrap();
        assert_eq!(transform.n_outputs(), 2);
        // The third input is constant, so two axes hold everything.
        for (a, b) in [(0, 1), (1, 2), (0, 3)] {
            let distance =
                |x: &Inputs| -> f64 { x.row(a).iter().zip(x.row(b).iter()).map(|(p, q)| (p - q).powi(2)).sum() };
            assert!((distance(&out) - distance(&train)).abs() < 1e-12);
        }
        let json = serde_json::to_string(&transform).unwrap();
        assert_eq!(serde_json::from_str::<Transform>(&json).unwrap().apply(&train).unwrap(), out);
    }

    #[test]
    fn fourier_features_approach_the_kernel() {
        let train = inputs(2, &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 1.5, 1.0]);
        let (transform, out) = fit("fourier:20000", &train).unwrap();
        let width = match &transform.steps()[0] {
            FittedStep::Fourier(fourier) => serde_json::to_value(fourier).unwrap()["width"].as_f64().unwrap(),
            other => panic!("{other:?}"),
        };
        for (a, b) in [(0, 0), (0, 1), (1, 2), (2, 3)] {
            let square: f64 = train.row(a).iter().zip(train.row(b).iter()).map(|(p, q)| (p - q).powi(2)).sum();
            let product: f64 = out.row(a).iter().zip(out.row(b).iter()).map(|(p, q)| p * q).sum();
            let kernel = (-0.5 * square / (width * width)).exp();
            assert!((product - kernel).abs() < 0.04, "{product} {kernel}");
        }
    }

    /// A file of an earlier build names no stream, and its codes rest on the directions of the stream it used.
    #[test]
    fn stored_fourier_features_stay_as_they_were_and_new_ones_have_a_stream_of_their_own() {
        let old = r#"{"n_inputs":2,"steps":[{"step":"fourier","n_inputs":2,"n_outputs":3,"width":0.5}]}"#;
        let train = inputs(2, &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 1.5, 1.0]);
        let mut key = [0; 32];
        key[16] = 7;
        let mut rng = ChaCha8Rng::from_seed(key);
        let normals: [f64; 6] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
        let phases: [f64; 3] = std::array::from_fn(|_| std::f64::consts::TAU * rng.random::<f64>());
        let feature = |row: &[f64], at: usize| {
            let along = (normals[2 * at] * row[0] + normals[2 * at + 1] * row[1]) / 0.5;
            (2.0f64 / 3.0).sqrt() * (along + phases[at]).cos()
        };
        let out = serde_json::from_str::<Transform>(old).unwrap().apply(&train).unwrap();
        for (row, mapped) in train.rows().zip(out.rows()) {
            assert!((0..3).all(|at| (mapped[at] - feature(&row, at)).abs() < 1e-12), "{mapped:?}");
        }
        let own = old.replace("0.5}", r#"0.5,"direction_stream":"own"}"#);
        assert_ne!(serde_json::from_str::<Transform>(&own).unwrap().apply(&train).unwrap(), out);
        let fitted = serde_json::to_string(&fit("fourier:3", &train).unwrap().0).unwrap();
        assert!(fitted.contains(r#""direction_stream":"own""#), "{fitted}");
    }

    #[test]
    fn huge_and_tiny_values_stay_finite() {
        for size in [1e300, 1e-300] {
            let (_, out) = fit("standardise", &inputs(1, &[size, 2.0 * size, 3.0 * size])).unwrap();
            assert!((out.values()[2] - 1.5f64.sqrt()).abs() < 1e-14, "{out:?}");
            let (_, out) = fit("scale", &inputs(1, &[size, size])).unwrap();
            assert!((out.values()[0] - 1.0).abs() < 1e-14, "{out:?}");
        }
        let error = fit("centre", &inputs(1, &[f64::MAX, -f64::MAX, -f64::MAX, -f64::MAX])).unwrap_err();
        assert!(error.to_string().contains("row 0, column 0: the value is inf"), "{error}");
    }

    #[test]
    fn mistakes_are_named() {
        let error = fit("sqrt", &inputs(2, &[1.0, 4.0, 9.0, -0.5])).unwrap_err();
        assert!(error.to_string().starts_with("row 1, column 1: the square root of -0.5"), "{error}");
        let error = "sqrt,pca".parse::<InputTransform>().unwrap_err();
        assert!(error.to_string().contains("no transform step \"pca\"; the steps are sqrt, centre"), "{error}");
        let error = fit("pca:3", &inputs(2, &[1.0, 4.0, 9.0, 0.5])).unwrap_err();
        assert_eq!(error, DataError::BadSize { step: "pca", asked: 3, most: 2 });
        let (transform, _) = fit("none", &inputs(2, &[1.0, 2.0])).unwrap();
        let error = transform.apply(&inputs(3, &[1.0, 2.0, 3.0])).unwrap_err();
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
