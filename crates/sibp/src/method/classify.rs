//! Provides the classic references as methods: k-NN on inputs, support vector machines, logistic regression.

use super::{Answer, Examples, Method, MethodError, Row, Trained};
use crate::baseline::{Classifier, EuclideanKnn, KernelSvm, SvmSettings, fit_logistic_cross_validated, fit_svm};
use crate::data::Inputs;
use crate::run::RunControl;
use crate::transform::{InputTransform, Transform};

/// k-NN by Euclidean distance of transformed inputs.
#[derive(Debug, Clone)]
pub struct RawNeighbours {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
}

/// Linear support vector machines, their cost by cross-validation on the training objects.
#[derive(Debug, Clone)]
pub struct LinearSvm {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
}

/// Support vector machines with an RBF kernel function, cost and width by cross-validation on the training objects.
#[derive(Debug, Clone)]
pub struct RbfSvm {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
}

/// Logistic regression, one class against the rest, its penalty by cross-validation on the training objects.
#[derive(Debug, Clone)]
pub struct LogisticRegression {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
}

/// A classifier with its input transform.
pub struct Classification {
    transform: Transform,
    classifier: Box<dyn Classifier>,
}

impl Classification {
    /// Fits the transform, then the classifier on the transformed inputs.
    fn train<C: Classifier + 'static>(
        transform: &InputTransform,
        examples: &Examples<'_>,
        fit: impl FnOnce(&Inputs, &[u32]) -> Result<C, MethodError>,
    ) -> Result<Self, MethodError> {
        let (transform, inputs) = Transform::fit_apply(transform, examples.inputs)?;
        let classifier = Box::new(fit(&inputs, examples.labels.class_of())?);
        Ok(Self { transform, classifier })
    }
}

impl Trained for Classification {
    fn answer(&self, inputs: &Inputs, _: usize) -> Result<Answer, MethodError> {
        Ok(Answer::Classes(self.classifier.predict(&self.transform.apply(inputs)?)?))
    }
}

impl Method for LinearSvm {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        let fit = |x: &Inputs, classes: &[u32]| Ok(fit_svm(x, classes, &SvmSettings::new(seed))?.classifier);
        Ok(vec![Row::new(&self.name, Classification::train(&self.transform, examples, fit)?)])
    }
}

impl Method for RbfSvm {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        let fit = |x: &Inputs, classes: &[u32]| Ok(KernelSvm::fit(x, classes, &SvmSettings::new(seed))?);
        Ok(vec![Row::new(&self.name, Classification::train(&self.transform, examples, fit)?)])
    }
}

impl Method for LogisticRegression {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        let fit = |x: &Inputs, classes: &[u32]| Ok(fit_logistic_cross_validated(x, classes, seed)?);
        Ok(vec![Row::new(&self.name, Classification::train(&self.transform, examples, fit)?)])
    }
}

/// Training objects as points in input space.
struct Points {
    transform: Transform,
    points: EuclideanKnn,
    classes: Vec<u32>,
}

impl Trained for Points {
    fn answer(&self, inputs: &Inputs, most: usize) -> Result<Answer, MethodError> {
        let lists = self.points.neighbours_with_ties(&self.transform.apply(inputs)?, most)?;
        let named = |&(distance, row): &(f64, u32)| (distance, self.classes[row as usize]);
        Ok(Answer::Neighbours(lists.iter().map(|list| list.iter().map(named).collect()).collect()))
    }
}

impl Method for RawNeighbours {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, _: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        let (transform, inputs) = Transform::fit_apply(&self.transform, examples.inputs)?;
        let classes = examples.labels.class_of().to_vec();
        Ok(vec![Row::new(&self.name, Points { transform, points: EuclideanKnn::new(inputs), classes })])
    }
}
