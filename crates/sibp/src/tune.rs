//! Chooses input transform, pseudo-weight, lapse rate and number of triplets on held-out objects.
//!
//! A fifth of the objects is held out, several times over, the same fifth for every candidate. The settings are tried
//! one after another, each with the best values of those before it. What is scored is what is used later: the code of one
//! chain, learned bits in the database, held-out objects encoded, and the vote of `predict`.

use crate::codes::Codes;
use crate::data::{Inputs, Labels, Table};
use crate::eval::mean;
use crate::format::{Fitted, GivenBits};
use crate::held_out::HeldOut;
use crate::index::{HammingIndex, Metric};
use crate::model::{Link, ModelOptions, PreferencePrior, Preset};
use crate::pipeline::{CodingError, DrawChoice, Fit, FitError};
use crate::prior::hyper::LapsePrior;
use crate::rng::{Purpose, Streams};
use crate::run::{RunControl, RunSettings};
use crate::transform::{InputTransform, Step};
use crate::triplets::{FromLabels, Teacher, TeacherError};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use thiserror::Error;

/// One part in this many is held out at a time.
const PARTS: usize = 5;

/// A combination of the settings that are tuned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Transform of the inputs.
    pub transform: InputTransform,
    /// Pseudo-weight.
    pub pseudo_weight: f64,
    /// Lapse rate.
    pub lapse: LapsePrior,
    /// Near and far objects for each anchor; used with labels only.
    pub per_object: usize,
}

/// The values to try beside the starting settings.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// Transforms.
    pub transforms: Vec<InputTransform>,
    /// Steps to add to the best transform.
    pub additions: Vec<Vec<Step>>,
    /// Pseudo-weights.
    pub pseudo_weights: Vec<f64>,
    /// Lapse rates.
    pub lapses: Vec<LapsePrior>,
    /// Numbers of near and far objects for each anchor.
    pub per_object: Vec<usize>,
}

impl Grid {
    /// A default grid for these inputs: square roots if no value is negative, curved boundaries in any case.
    pub fn for_inputs(inputs: &Inputs) -> Self {
        let mut transforms = vec![vec![Step::Standardise, Step::Scale], vec![Step::Centre, Step::Scale]];
        if inputs.blocks().all(|(_, block)| block.iter().all(|value| *value >= 0.0)) {
            transforms.push(vec![Step::SquareRoot, Step::Standardise, Step::Scale]);
            transforms.push(vec![Step::SquareRoot, Step::Centre, Step::Scale]);
        }
        Self {
            transforms: transforms.into_iter().map(|steps| InputTransform { steps }).collect(),
            // The main directions of many random curves are enough, and far cheaper.
            additions: vec![vec![Step::Fourier(1024), Step::Principal(100.min(inputs.n_objects() / 2).max(1))]],
            pseudo_weights: vec![3.0, 10.0, 30.0],
            lapses: [0.01, 0.1, 0.3].map(LapsePrior::Fixed).to_vec(),
            per_object: vec![10, 30, 60],
        }
    }

    /// What is left to try where the user has set some of it, and without what is learned or has no meaning.
    pub fn left_open(mut self, set: AlreadySet, preference: &PreferencePrior) -> Self {
        if set.transform {
            self.transforms.clear();
            self.additions.clear();
        }
        let has_pseudo_weight = preference.link == Link::Ratio && preference.pseudo_weight > 0.0;
        if set.pseudo_weight || !has_pseudo_weight {
            self.pseudo_weights.clear();
        }
        if set.lapse || matches!(preference.lapse, LapsePrior::Beta { .. }) {
            self.lapses.clear();
        }
        if set.per_object {
            self.per_object.clear();
        }
        self
    }

    /// Largest number of trials.
    pub fn n_trials(&self) -> usize {
        1 + self.transforms.len()
            + self.additions.len()
            + self.pseudo_weights.len()
            + self.lapses.len()
            + self.per_object.len()
    }
}

/// The settings that the user has chosen, which tuning leaves alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlreadySet {
    /// The transform.
    pub transform: bool,
    /// The pseudo-weight.
    pub pseudo_weight: bool,
    /// The lapse rate.
    pub lapse: bool,
    /// Near and far objects for each anchor; without labels there are none to choose.
    pub per_object: bool,
}

/// Lengths and seed of the trial fits.
#[derive(Debug, Clone, Copy)]
pub struct TuneSettings {
    /// Source of all random numbers.
    pub seed: u64,
    /// Number of parts held out in turn, at most five.
    pub folds: usize,
    /// Sweeps of every chain.
    pub sweeps: u64,
    /// Number of chains; the scores of their codes are averaged.
    pub chains: usize,
    /// Threads; 0 takes all cores.
    pub threads: usize,
}

impl TuneSettings {
    /// Two chains of a hundred sweeps, every part held out once.
    pub fn new(seed: u64) -> Self {
        Self { seed, folds: PARTS, sweeps: 100, chains: 2, threads: 0 }
    }
}

/// The result of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// The settings tried.
    pub candidate: Candidate,
    /// What is chosen by, one for each part held out: with labels the share of held-out objects to which their nearest
    /// training codes give the right label, as `predict` does it; with triplets the agreement.
    pub served: Vec<f64>,
    /// Share of triplets of held-out objects that the codes agree with, ties counting half; one for each part held out.
    pub agreements: Vec<f64>,
    /// Mean number of bits.
    pub n_bits: f64,
    /// Time taken.
    pub seconds: f64,
}

impl Trial {
    /// Mean of what is chosen by.
    pub fn served(&self) -> f64 {
        mean(&self.served)
    }

    /// Mean agreement, which decides between trials that serve equally well.
    pub fn agreement(&self) -> f64 {
        mean(&self.agreements)
    }

    fn is_above(&self, other: &Self) -> bool {
        (self.served(), self.agreement()) > (other.served(), other.agreement())
    }
}

/// Why no settings could be chosen.
#[derive(Debug, Error)]
pub enum TuneError {
    /// No triplet is about a held-out object.
    #[error("no triplet is left for objects that are held out; tuning needs more objects or triplets")]
    NothingHeldOut,
    /// The stop flag was raised.
    #[error("stopped while tuning; nothing was fitted yet")]
    Stopped,
    /// Labels or triplets that are not usable without the held-out objects.
    #[error(transparent)]
    Teacher(#[from] TeacherError),
    /// A fit.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Codes of the held-out objects.
    #[error(transparent)]
    Coding(#[from] CodingError),
}

/// All trials, and the best one.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The trials in the order they were made.
    pub trials: Vec<Trial>,
    /// Index of the best trial.
    pub best_ix: usize,
}

impl Tuned {
    /// The best trial.
    pub fn best(&self) -> &Trial {
        &self.trials[self.best_ix]
    }
}

/// Neighbours that vote, as `predict` has it by default.
const VOTERS: usize = 15;

/// The score of a code.
struct Score {
    served: f64,
    agreement: f64,
    n_bits: f64,
}

/// Share of queries to which the vote of the nearest codes gives the right class.
fn accuracy(database: &Codes, queries: &Codes, classes: &Labels, truth: &Labels) -> f64 {
    let class_of_id = |id: u64| classes.class_of().get(id as usize).copied();
    let voted = HammingIndex::from_codes(database)
        .ok()
        .and_then(|index| index.classify(queries, Metric::Hamming, 1, class_of_id, &[VOTERS]).ok())
        .and_then(|mut votes| votes.pop());
    let Some(winners) = voted else { return 0.0 };
    let right = winners.iter().zip(truth.class_of()).filter(|(vote, class)| vote.class == **class).count();
    right as f64 / queries.n_objects().max(1) as f64
}

/// The data and options that all trials share.
#[derive(Debug)]
pub struct Tuner<'a> {
    /// The model; its pseudo-weight and lapse rate are replaced.
    pub options: &'a ModelOptions,
    /// Inputs before the transform.
    pub inputs: &'a Inputs,
    /// Labels or triplets.
    pub teacher: Teacher<'a>,
    /// Given bits of the objects, with their predictor where there is one.
    pub given: Option<&'a GivenBits>,
    /// Lengths of the trial fits.
    pub settings: TuneSettings,
    /// Once true, tuning ends with an error.
    pub stop: &'a AtomicBool,
}

impl Tuner<'_> {
    /// Tries `start` and the grid; `on_trial` is called with every finished trial.
    pub fn tune(&self, start: Candidate, grid: &Grid, on_trial: &mut dyn FnMut(&Trial)) -> Result<Tuned, TuneError> {
        let folds = self.folds()?;
        let first = self.trial(&folds, start)?;
        on_trial(&first);
        let mut tuned = Tuned { trials: vec![first], best_ix: 0 };
        let mut stage = |change: &dyn Fn(&Candidate) -> Vec<Candidate>| -> Result<(), TuneError> {
            for candidate in change(&tuned.best().candidate.clone()) {
                if tuned.trials.iter().any(|trial| trial.candidate == candidate) {
                    continue;
                }
                let trial = self.trial(&folds, candidate)?;
                on_trial(&trial);
                if trial.is_above(tuned.best()) {
                    tuned.best_ix = tuned.trials.len();
                }
                tuned.trials.push(trial);
            }
            Ok(())
        };
        stage(&|best| grid.transforms.iter().map(|t| Candidate { transform: t.clone(), ..best.clone() }).collect())?;
        stage(&|best| grid.additions.iter().map(|steps| with_steps(best, steps)).collect())?;
        stage(&|best| grid.pseudo_weights.iter().map(|&w| Candidate { pseudo_weight: w, ..best.clone() }).collect())?;
        stage(&|best| grid.lapses.iter().map(|&lapse| Candidate { lapse, ..best.clone() }).collect())?;
        if let Teacher::Labels(..) = self.teacher {
            stage(&|best| grid.per_object.iter().map(|&n| Candidate { per_object: n, ..best.clone() }).collect())?;
        }
        Ok(tuned)
    }

    fn folds(&self) -> Result<Vec<HeldOut>, TuneError> {
        let mut rng = Streams::new(self.settings.seed, 0).rng(Purpose::Tune, 0, 0);
        let mut folds = HeldOut::parts(self.teacher, self.inputs.n_objects(), PARTS, &mut rng);
        folds.truncate(self.settings.folds);
        if folds.is_empty() { Err(TuneError::NothingHeldOut) } else { Ok(folds) }
    }

    fn trial(&self, folds: &[HeldOut], candidate: Candidate) -> Result<Trial, TuneError> {
        let began = Instant::now();
        let scores = folds.iter().map(|fold| self.score(fold, &candidate)).collect::<Result<Vec<_>, _>>()?;
        let column = |of: fn(&Score) -> f64| scores.iter().map(of).collect::<Vec<f64>>();
        Ok(Trial {
            candidate,
            served: column(|s| s.served),
            agreements: column(|s| s.agreement),
            n_bits: mean(&column(|s| s.n_bits)),
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    /// Fits without the held-out objects, and scores the code of each chain.
    fn score(&self, fold: &HeldOut, candidate: &Candidate) -> Result<Score, TuneError> {
        let kept = self.inputs.select(&fold.kept);
        let triplets = self.teacher_of(candidate).triplets_among(&fold.kept, &kept)?;
        let suited = Preset::suited_to(matches!(self.teacher, Teacher::Triplets(_)));
        let options = ModelOptions {
            preset: self.options.preset.or(Some(suited)),
            pseudo_weight: Some(candidate.pseudo_weight),
            lapse: Some(candidate.lapse),
            ..self.options.clone()
        };
        let given = self.given.map(|given| GivenBits { codes: given.codes.select(&fold.kept), ..given.clone() });
        let fit = Fit::new(Table::from(kept), triplets.triplets().to_vec())
            .model(options)
            .transform(candidate.transform.clone())
            .given(given)
            .settings(RunSettings {
                chains: self.settings.chains,
                draws: 1,
                ..RunSettings::new(self.settings.seed, self.settings.sweeps)
            })
            .calibrates(false)
            .distils(None);
        let control = RunControl { threads: self.settings.threads, stop: self.stop, ..RunControl::default() };
        let fitted = fit.run(&control)?;
        if self.stop.load(Ordering::Relaxed) {
            return Err(TuneError::Stopped);
        }
        let chains = fitted.each_chain();
        let scores = chains.iter().map(|chain| self.score_of(chain, fold)).collect::<Result<Vec<_>, _>>()?;
        let mean_of = |of: fn(&Score) -> f64| mean(&scores.iter().map(of).collect::<Vec<_>>());
        Ok(Score { served: mean_of(|s| s.served), agreement: mean_of(|s| s.agreement), n_bits: mean_of(|s| s.n_bits) })
    }

    /// Scores a code as it is used: training objects have the codes that `predict` searches, held-out ones are encoded,
    /// their given bits as those of any unseen object.
    fn score_of(&self, fitted: &Fitted, fold: &HeldOut) -> Result<Score, TuneError> {
        let coder = fitted.coder_or_empty(DrawChoice::default())?;
        let known = self.given.filter(|given| given.predictor.is_none()).map(|given| given.codes.select(&fold.held));
        let held = self.inputs.select(&fold.held);
        let queries = coder.encode_rows(&held, known.as_ref(), 0, self.settings.threads)?;
        let mut codes = Codes::zeros(self.inputs.n_objects(), coder.n_bits());
        for (row, &object) in fold.kept.iter().enumerate() {
            codes.set_row(object, coder.database().row(row));
        }
        for (row, &object) in fold.held.iter().enumerate() {
            codes.set_row(object, queries.row(row));
        }
        let agreement = mean(&fold.exam.scores(&codes, &vec![1.0; codes.n_bits()]));
        let served = match self.teacher {
            Teacher::Labels(labels, _) if coder.n_bits() > 0 => {
                accuracy(coder.database(), &queries, &labels.select(&fold.kept), &labels.select(&fold.held))
            }
            Teacher::Labels(..) => 0.0,
            Teacher::Triplets(_) => agreement,
        };
        Ok(Score { served, agreement, n_bits: codes.n_bits() as f64 })
    }

    /// The supervision, with the candidate's number of triplets for each object.
    fn teacher_of(&self, candidate: &Candidate) -> Teacher<'_> {
        match self.teacher {
            Teacher::Labels(labels, options) => {
                Teacher::Labels(labels, FromLabels { per_object: candidate.per_object, ..options })
            }
            Teacher::Triplets(triplets) => Teacher::Triplets(triplets),
        }
    }
}

/// The candidate with further steps after its transform.
fn with_steps(best: &Candidate, more: &[Step]) -> Candidate {
    let steps = best.transform.steps.iter().chain(more).copied().collect();
    Candidate { transform: InputTransform { steps }, ..best.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataError, Labels};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Two classes that no plane parts: points near the origin, and a ring around them.
    fn ring() -> (Inputs, Labels) {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut values, mut names) = (Vec::new(), Vec::new());
        for object in 0..80 {
            let radius = if object % 2 == 0 { 0.3 } else { 2.0 } + 0.3 * rng.random::<f64>();
            let angle = std::f64::consts::TAU * rng.random::<f64>();
            values.extend([radius * angle.cos(), radius * angle.sin()]);
            names.push(if object % 2 == 0 { "disc" } else { "ring" });
        }
        (Inputs::new(80, 2, values).unwrap(), Labels::from_text(&names))
    }

    fn start() -> Candidate {
        let lapse = LapsePrior::Fixed(0.01);
        Candidate { transform: "standardise,scale".parse().unwrap(), pseudo_weight: 10.0, lapse, per_object: 10 }
    }

    fn tuned(teacher: Teacher<'_>, inputs: &Inputs, grid: &Grid, threads: usize) -> Result<Tuned, TuneError> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let options = ModelOptions::default();
        let settings = TuneSettings { folds: 2, sweeps: 20, threads, ..TuneSettings::new(1) };
        let mut seen = 0;
        let tuner = Tuner { options: &options, inputs, teacher, given: None, settings, stop: &NEVER };
        let tuned = tuner.tune(start(), grid, &mut |_| seen += 1)?;
        assert_eq!(tuned.trials.len(), seen);
        Ok(tuned)
    }

    #[test]
    fn curved_boundaries_win_where_planes_fail() {
        let (inputs, labels) = ring();
        let grid =
            Grid { additions: vec![vec![Step::Fourier(64)]], pseudo_weights: vec![10.0, 3.0], ..Grid::default() };
        let teacher = Teacher::Labels(&labels, FromLabels::default());
        let result = tuned(teacher, &inputs, &grid, 1).unwrap();
        assert_eq!(result.trials.len(), 3);
        assert_eq!(result.best().candidate.transform.to_string(), "standardise,scale,fourier:64");
        assert!(result.best().served() > result.trials[0].served());
        let again = tuned(teacher, &inputs, &grid, 2).unwrap();
        let agreements = |tuned: &Tuned| tuned.trials.iter().map(|t| t.agreements.clone()).collect::<Vec<_>>();
        assert_eq!(agreements(&result), agreements(&again));
    }

    /// A fit whose learned bits and encoder say opposite things about the training objects: only the learned bits are right.
    #[test]
    fn the_database_is_what_predict_searches_and_queries_are_encoded() {
        let (inputs, labels) = ring();
        let options = ModelOptions::default();
        let settings = TuneSettings { folds: 1, sweeps: 2, chains: 1, threads: 1, ..TuneSettings::new(1) };
        let stop = AtomicBool::new(false);
        let teacher = Teacher::Labels(&labels, FromLabels::default());
        let tuner = Tuner { options: &options, inputs: &inputs, teacher, given: None, settings, stop: &stop };
        let fold = tuner.folds().unwrap().remove(0);
        let kept = inputs.select(&fold.kept);
        let triplets = teacher.triplets_among(&fold.kept, &kept).unwrap();
        let fit = Fit::new(Table::from(kept), triplets.triplets().to_vec()).sweeps(2).chains(1).draws(1);
        let mut fitted = fit.calibrates(false).distils(None).run(&RunControl::default()).unwrap();
        let served = |fitted: &Fitted| tuner.score_of(fitted, &fold).unwrap().served;
        let coder = fitted.coder_or_empty(DrawChoice::Map).unwrap();
        let held = inputs.select(&fold.held);
        let classes = |objects: &[usize]| labels.select(objects);
        let expected =
            accuracy(coder.database(), &coder.encode(&held).unwrap(), &classes(&fold.kept), &classes(&fold.held));
        assert_eq!(served(&fitted), expected);
        // The encoder's codes of training objects do not matter, the learned bits do.
        let n_bits = coder.n_bits();
        for draw in fitted.chains.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])) {
            draw.encoded = Some(Codes::zeros(fold.kept.len(), n_bits));
        }
        assert_eq!(served(&fitted), expected);
        for draw in fitted.chains.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])) {
            draw.bits = Codes::zeros(fold.kept.len(), n_bits);
        }
        assert!(served(&fitted) < 0.7, "without learned bits all training objects are equally near");
    }

    #[test]
    fn a_raised_flag_ends_it_and_an_impossible_transform_is_told() {
        let (inputs, labels) = ring();
        let options = ModelOptions::default();
        let teacher = Teacher::Labels(&labels, FromLabels::default());
        let settings = TuneSettings { sweeps: 5, ..TuneSettings::new(1) };
        let tune = |stop: bool, transform: &str| {
            let stop = AtomicBool::new(stop);
            let tuner = Tuner { options: &options, inputs: &inputs, teacher, given: None, settings, stop: &stop };
            let start = Candidate { transform: transform.parse().unwrap(), ..start() };
            tuner.tune(start, &Grid::default(), &mut |_| ())
        };
        assert!(matches!(tune(true, "standardise,scale"), Err(TuneError::Stopped)));
        assert!(matches!(tune(false, "sqrt"), Err(TuneError::Fit(FitError::Data(DataError::Negative { .. })))));
    }

    #[test]
    fn given_triplets_are_held_out_with_their_objects() {
        let (inputs, labels) = ring();
        let triplets = FromLabels::default().build(&labels, &inputs).unwrap().triplets;
        let grid = Grid { per_object: vec![5], ..Grid::default() };
        let result = tuned(Teacher::Triplets(&triplets), &inputs, &grid, 0).unwrap();
        assert_eq!(result.trials.len(), 1, "triplets leave no choice of their number");
        assert!(matches!(tuned(Teacher::Triplets(&[]), &inputs, &grid, 0), Err(TuneError::NothingHeldOut)));
    }
}
