//! Fits a linear support vector machine, its cost chosen by cross-validation.
//!
//! Implemented here because no maintained crate is both light and made for this: `liblinear` last appeared in 2019 and
//! compiles C++; `linfa-svm` brings ndarray and the linfa family for a general SVM solver; `libsvm-rs` is a general
//! solver too.
//!
//! Hinge loss and votes between pairs of classes are the default, because that is what LIBSVM does, which the paper
//! compares with. One class against the rest is offered too: 93.2 against 95.9 % on ten digits (300 training rows).

use super::LinearClassifier;
use super::dual_descent::DualDescent;
use super::linear_classifier::{Scheme, distinct, pairs};
use crate::hash::{LearnError, LinearHash, Scaling, one_each, positive};
use crate::rng::of_seed;
use crate::{data::Inputs, numerics::simd::dot};
use rand::seq::SliceRandom;

/// How a support vector machine is fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmSettings {
    /// Which machines are trained, and how they decide.
    pub scheme: Scheme,
    /// Costs to try, ascending. They refer to centred rows brought to a mean squared length of 1, so that the same
    /// list serves inputs of any scale. With one cost nothing is cross-validated.
    pub costs: Vec<f64>,
    /// Number of folds of the cross-validation.
    pub n_folds: usize,
    /// Seed of the folds and of the order of descent.
    pub seed: u64,
    /// Largest projected gradient at which descent ends.
    pub tolerance: f64,
    /// Most passes over the rows.
    pub max_epochs: usize,
}

impl SvmSettings {
    /// Pairwise scheme, costs from 0.01 to 100, 5 folds.
    pub fn new(seed: u64) -> Self {
        let costs = vec![0.01, 0.1, 1.0, 10.0, 100.0];
        Self { scheme: Scheme::Pairwise, costs, n_folds: 5, seed, tolerance: 0.01, max_epochs: 1000 }
    }

    fn check(&self) -> Result<(), LearnError> {
        if self.costs.is_empty() {
            return Err(LearnError::Parts { what: "costs", expected: 1, got: 0 });
        }
        self.costs.iter().try_for_each(|&cost| positive("a cost", cost))?;
        positive("tolerance", self.tolerance)?;
        if self.n_folds < 2 {
            return Err(LearnError::Setting { name: "n_folds", value: self.n_folds as f64, range: "at least 2" });
        }
        Ok(())
    }
}

/// A fitted support vector machine and the cost that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmFit {
    /// Predicts classes of unseen objects.
    pub classifier: LinearClassifier,
    /// The cost with the best cross-validated accuracy; among equal ones the smallest.
    pub cost: f64,
    /// Cross-validated accuracy of the chosen cost; `None` if there was nothing to choose.
    pub cross_validated: Option<f64>,
}

/// Chooses the cost on the given rows alone, then fits on all of them.
///
/// ```
/// use sibp::{baseline::{Classifier, SvmSettings, fit_svm}, data::Inputs};
/// let inputs = Inputs::new(6, 1, vec![0.0, 1.0, 2.0, 7.0, 8.0, 9.0])?;
/// let fit = fit_svm(&inputs, &[4, 4, 4, 1, 1, 1], &SvmSettings::new(0))?;
/// assert_eq!(fit.classifier.predict(&inputs)?, [4, 4, 4, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_svm(inputs: &Inputs, classes: &[u32], settings: &SvmSettings) -> Result<SvmFit, LearnError> {
    settings.check()?;
    one_each("classes", inputs.n_objects(), classes.len())?;
    let trainer = Trainer::new(inputs, classes, settings)?;
    let (cost, cross_validated) = trainer.choose_cost();
    let all: Vec<usize> = (0..classes.len()).collect();
    let weights = trainer.train(&all, cost, 0);
    Ok(SvmFit { classifier: trainer.unscale(&weights)?, cost, cross_validated })
}

struct Trainer<'a> {
    classes: &'a [u32],
    names: Vec<u32>,
    scheme: Scheme,
    settings: &'a SvmSettings,
    mean: Vec<f64>,
    factor: f64,
    /// Centred rows of mean squared length 1, each followed by a 1 for the bias.
    rows: Vec<f64>,
    width: usize,
}

impl<'a> Trainer<'a> {
    fn new(inputs: &Inputs, classes: &'a [u32], settings: &'a SvmSettings) -> Result<Self, LearnError> {
        let scaling = Scaling::of(inputs)?;
        let spread = scaling.total_variance().sqrt();
        let factor = if spread > 0.0 { 1.0 / spread } else { 0.0 };
        let width = inputs.n_inputs() + 1;
        let scaled = |row: &[f64]| row.iter().map(|x| x * factor).chain([1.0]).collect::<Vec<_>>();
        let rows = scaling.centred(inputs).chunks(width - 1).flat_map(scaled).collect();
        let names = distinct(classes);
        // A single class has no pairs.
        let scheme = if names.len() == 1 { Scheme::OneVsRest } else { settings.scheme };
        Ok(Self { classes, names, scheme, settings, mean: scaling.mean, factor, rows, width })
    }

    /// One weight vector for each score. `stream` keeps the random orders of different fits apart.
    fn train(&self, chosen: &[usize], cost: f64, stream: u64) -> Vec<Vec<f64>> {
        let mut rng = of_seed(self.settings.seed, stream + 1);
        let SvmSettings { tolerance, max_epochs, .. } = *self.settings;
        let solver = DualDescent { rows: &self.rows, width: self.width, tolerance, max_epochs };
        let mut machine = |sign: &dyn Fn(u32) -> Option<f64>| {
            let signed = chosen.iter().filter_map(|&at| Some((at, sign(self.classes[at])?)));
            solver.train(&signed.collect::<Vec<_>>(), cost, &mut rng).0
        };
        match self.scheme {
            Scheme::OneVsRest => {
                let one = |&name| machine(&|class| Some(if class == name { 1.0 } else { -1.0 }));
                self.names.iter().map(one).collect()
            }
            Scheme::Pairwise => pairs(self.names.len())
                .map(|(first, second)| {
                    let (first, second) = (self.names[first], self.names[second]);
                    machine(&|class| match class {
                        class if class == first => Some(1.0),
                        class if class == second => Some(-1.0),
                        _ => None,
                    })
                })
                .collect(),
        }
    }

    fn choose_cost(&self) -> (f64, Option<f64>) {
        let folds = self.folds();
        if self.settings.costs.len() == 1 || folds.len() < 2 {
            return (self.settings.costs[0], None);
        }
        let right: Vec<usize> = self.settings.costs.iter().map(|&cost| self.n_right(&folds, cost)).collect();
        let best = (1..right.len()).fold(0, |best, at| if right[at] > right[best] { at } else { best });
        (self.settings.costs[best], Some(right[best] as f64 / self.classes.len() as f64))
    }

    /// Deals the shuffled rows of each class round the folds, so that each fold has its share of every class.
    fn folds(&self) -> Vec<Vec<usize>> {
        let n_folds = self.settings.n_folds.min(self.classes.len());
        let mut rng = of_seed(self.settings.seed, 0);
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.shuffle(&mut rng);
        order.sort_by_key(|&at| self.classes[at]);
        (0..n_folds).map(|fold| order.iter().copied().skip(fold).step_by(n_folds).collect()).collect()
    }

    /// Held-out rows that are classified right.
    fn n_right(&self, folds: &[Vec<usize>], cost: f64) -> usize {
        let mut right = 0;
        for (fold, held_out) in folds.iter().enumerate() {
            let others: Vec<usize> = [&folds[..fold], &folds[fold + 1..]].concat().concat();
            let weights = self.train(&others, cost, fold as u64 + 1);
            right += held_out.iter().filter(|&&at| self.predict(&weights, at) == self.classes[at]).count();
        }
        right
    }

    fn predict(&self, weights: &[Vec<f64>], at: usize) -> u32 {
        let row = &self.rows[at * self.width..(at + 1) * self.width];
        let scores: Vec<f64> = weights.iter().map(|w| dot(w, row)).collect();
        self.names[self.scheme.decide(self.names.len(), &scores)]
    }

    /// Brings weights from scaled rows back to the inputs.
    fn unscale(&self, weights: &[Vec<f64>]) -> Result<LinearClassifier, LearnError> {
        let (mut raw, mut thresholds) = (Vec::new(), Vec::new());
        for weights in weights {
            let own: Vec<f64> = weights[..self.width - 1].iter().map(|w| w * self.factor).collect();
            thresholds.push(dot(&own, &self.mean) - weights[self.width - 1]);
            raw.extend(own);
        }
        LinearClassifier::new(self.names.clone(), self.scheme, LinearHash::new(self.width - 1, raw, thresholds)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Classifier;

    fn three_groups() -> (Inputs, Vec<u32>) {
        let centres = [(0.0, 0.0), (6.0, 0.0), (0.0, 6.0)];
        let point = |at: usize| {
            let (x, y) = centres[at % 3];
            [x + (at * 7 % 5) as f64 / 3.0, y + (at * 11 % 7) as f64 / 4.0]
        };
        let inputs = Inputs::new(45, 2, (0..45).flat_map(point).collect()).unwrap();
        (inputs, (0..45).map(|at| 10 * (at % 3) as u32).collect())
    }

    #[test]
    fn scale_of_the_inputs_does_not_matter() {
        let (inputs, classes) = three_groups();
        let huge = Inputs::new(45, 2, inputs.values().iter().map(|v| v * 1e9 + 1e9).collect()).unwrap();
        let settings = SvmSettings::new(5);
        let (plain, scaled) =
            (fit_svm(&inputs, &classes, &settings).unwrap(), fit_svm(&huge, &classes, &settings).unwrap());
        assert_eq!(plain.classifier.predict(&inputs).unwrap(), classes);
        assert_eq!(scaled.classifier.predict(&huge).unwrap(), classes);
        assert_eq!((plain.cost, plain.cross_validated), (scaled.cost, Some(1.0)));
    }

    #[test]
    fn same_seed_same_fit_and_folds_share_classes() {
        let (inputs, classes) = three_groups();
        let settings = SvmSettings::new(5);
        let first = fit_svm(&inputs, &classes, &settings).unwrap();
        assert_eq!(first, fit_svm(&inputs, &classes, &settings).unwrap());
        for fold in Trainer::new(&inputs, &classes, &settings).unwrap().folds() {
            let counts = [0, 10, 20].map(|class| fold.iter().filter(|&&at| classes[at] == class).count());
            assert_eq!(counts, [3, 3, 3]);
        }
    }

    #[test]
    fn one_class_one_object_and_constant_inputs_are_defined() {
        let one = Inputs::new(1, 2, vec![3.0, 4.0]).unwrap();
        let fit = fit_svm(&one, &[7], &SvmSettings::new(0)).unwrap();
        assert_eq!((fit.classifier.predict(&one).unwrap(), fit.cross_validated), (vec![7], None));
        let constant = Inputs::new(4, 1, vec![2.0; 4]).unwrap();
        assert_eq!(
            fit_svm(&constant, &[1, 1, 1, 0], &SvmSettings::new(0)).unwrap().classifier.predict(&constant).unwrap(),
            [1; 4]
        );
        let settings = SvmSettings { costs: vec![1.0, -1.0], ..SvmSettings::new(0) };
        assert!(fit_svm(&constant, &[1, 1, 1, 0], &settings).unwrap_err().to_string().contains("a cost is -1"));
    }
}
