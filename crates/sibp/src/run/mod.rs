//! Runs many chains on threads, with progress, time limit, interrupt and checkpoints.

mod chain;
mod clock;
mod pace;
mod round;
mod settings;

pub use crate::parallel::n_threads;
pub use clock::Clock;
pub use settings::{
    Checkpoint, DEFAULT_DRAWS, MAX_CHAINS, MAX_KEPT_DRAWS, MAX_SWEEPS, Progress, RunControl, RunSettings,
    RunSettingsError, Save, SaveError, Stage,
};

use crate::data::DataError;
use crate::model::{
    AnyModel, Model, ModelDefinition, ModelVisitor, Observations, ObservationsError, SettingsError, Threads,
};
use crate::parallel::try_for_each;
use crate::rng::Streams;
use crate::trace::posterior::first_best;
use crate::trace::{ChainRecord, RecordError, RestoreError};
use chain::Chain;
use pace::Pace;
use round::Round;
use std::sync::atomic::Ordering;
use std::time::Instant;
use thiserror::Error;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// All chains did all sweeps.
    Finished,
    /// The stop flag was raised.
    Stopped,
    /// The time limit was reached.
    TimeLimit,
}

/// The draws of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// One record a chain.
    pub chains: Vec<ChainRecord>,
    /// Why it ended.
    pub end: RunEnd,
}

impl RunOutcome {
    /// Whether all chains did all sweeps.
    pub fn finished(&self) -> bool {
        self.end == RunEnd::Finished
    }
}

/// Why a run could not start or continue.
#[derive(Debug, Error)]
pub enum RunError {
    /// The settings of the run.
    #[error(transparent)]
    Settings(#[from] RunSettingsError),
    /// The settings of the model.
    #[error(transparent)]
    Model(#[from] SettingsError),
    /// The inputs.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Inputs and triplets are about different numbers of objects.
    #[error("there are {n_objects} objects, but the triplets are about {n_in_triplets}")]
    Objects {
        /// Rows of the inputs.
        n_objects: usize,
        /// Objects of the triplets.
        n_in_triplets: usize,
    },
    /// Observations that the model cannot explain.
    #[error(transparent)]
    Observations(#[from] ObservationsError),
    /// The number of records to resume from differs from the number of chains.
    #[error("cannot resume {chains} chains from the records of {found}")]
    Chains {
        /// Chains of the settings.
        chains: usize,
        /// Records given.
        found: usize,
    },
    /// A record to resume from belongs to other settings.
    #[error("cannot resume chain {chain_ix}: {problem}")]
    Record {
        /// Which chain.
        chain_ix: usize,
        /// What is wrong.
        problem: RecordError,
    },
    /// A record to resume from belongs to another model or other data.
    #[error("cannot resume chain {chain_ix}: {problem}")]
    Restore {
        /// Which chain.
        chain_ix: usize,
        /// What is wrong.
        problem: RestoreError,
    },
    /// Probabilities of held-out triplets could not be computed.
    #[error("the probabilities could not be calibrated: {reason}")]
    Calibration {
        /// Why.
        reason: String,
    },
    /// The code that stands for all chains could not be made.
    #[error("the code that stands for all chains could not be made: {0}")]
    Distilling(RestoreError),
    /// A checkpoint could not be saved; continuing would risk losing all draws.
    #[error("the checkpoint could not be saved: {0}")]
    Checkpoint(SaveError),
}

/// Runs a model that was chosen at run time; see [`run`].
pub fn sample(
    model: &AnyModel,
    data: &Observations,
    settings: &RunSettings,
    control: &RunControl,
    resume: Option<Vec<ChainRecord>>,
) -> Result<RunOutcome, RunError> {
    model.check()?;
    model.check_observations(data)?;
    model.visit(Sampling { data, settings, control, resume })
}

/// Everything that a run needs beside the model.
struct Sampling<'a> {
    data: &'a Observations,
    settings: &'a RunSettings,
    control: &'a RunControl<'a>,
    resume: Option<Vec<ChainRecord>>,
}

impl ModelVisitor for Sampling<'_> {
    type Output = Result<RunOutcome, RunError>;

    fn visit<D: ModelDefinition>(self, model: &D::Model) -> Self::Output {
        run(model, self.data, self.settings, self.control, self.resume)
    }
}

/// Advances all chains to their last sweep, or until `control` ends the run.
///
/// `resume` holds the records of an earlier, unfinished run with the same model, data and settings; the draws are
/// then those of an uninterrupted run.
///
/// # Panics
/// With the message of a chain's thread when that panicked.
pub fn run<M: Model>(
    model: &M,
    data: &Observations,
    settings: &RunSettings,
    control: &RunControl,
    resume: Option<Vec<ChainRecord>>,
) -> Result<RunOutcome, RunError> {
    settings.check()?;
    let (n_objects, n_in_triplets) = (data.inputs.n_objects(), data.triplets.n_objects());
    if n_objects != n_in_triplets {
        return Err(RunError::Objects { n_objects, n_in_triplets });
    }
    data.inputs.check_squares()?;
    let began = control.clock.elapsed();
    (control.on_stage)(Stage::SettingUp);
    let mut chains = chains(model, data, settings, control, resume)?;
    let pace = Pace::new(control.clock.elapsed().saturating_sub(began), control);
    (control.on_stage)(Stage::Sampling);
    loop {
        let pause_at = control.checkpoint.and_then(|checkpoint| Instant::now().checked_add(checkpoint.every));
        Round::new(settings, control, began, &pace, pause_at).advance(&mut chains);
        let end = ended(&chains, control, &pace);
        // Also before the draws are refitted, which may take long: whoever gives up then can go on from here.
        if end.is_none_or(|end| end != RunEnd::Finished)
            && let Some(checkpoint) = control.checkpoint
        {
            let records: Vec<&ChainRecord> = chains.iter_mut().map(|chain| chain.record()).collect();
            (checkpoint.save)(&records).map_err(RunError::Checkpoint)?;
        }
        if let Some(end) = end {
            (control.on_stage)(Stage::Refitting);
            refit(&mut chains, control, end)?;
            let chains = chains.into_iter().map(Chain::into_record).collect();
            return Ok(RunOutcome { chains, end });
        }
    }
}

/// Prepares the draws that may encode. Where time is short, those of the best chain come first, as codes are made of these by
/// default, and those of others as long as time is left; a run that goes on prepares them at its end.
fn refit<M: Model>(chains: &mut [Chain<M>], control: &RunControl, end: RunEnd) -> Result<(), RunError> {
    let finish = |chain_ix: usize, chain: &mut Chain<M>| {
        chain.finish().map_err(|problem| RunError::Restore { chain_ix, problem })
    };
    if end != RunEnd::TimeLimit {
        return try_for_each(control.n_threads(), chains.iter_mut(), finish);
    }
    let best = first_best(chains.iter_mut().map(|chain| chain.record().mean_score()));
    finish(best, &mut chains[best])?;
    let mut others = chains.iter_mut().enumerate().filter(|(chain_ix, _)| *chain_ix != best);
    others.try_for_each(|(chain_ix, chain)| if control.is_over() { Ok(()) } else { finish(chain_ix, chain) })
}

fn chains<'a, M: Model>(
    model: &'a M,
    data: &'a Observations,
    settings: &RunSettings,
    control: &RunControl,
    resume: Option<Vec<ChainRecord>>,
) -> Result<Vec<Chain<'a, M>>, RunError> {
    let plan = settings.plan();
    let streams = |chain_ix: usize| Streams::new(settings.seed, control.first_chain + chain_ix);
    if let Some(found) = resume.as_ref().map(Vec::len).filter(|&found| found != settings.chains) {
        return Err(RunError::Chains { chains: settings.chains, found });
    }
    // The tables depend on the data alone and are costly for the probit model: one copy serves all chains.
    let n_threads = control.n_threads();
    let scratch = model.prepare(data, Threads { setup: n_threads, sweep: n_threads / settings.chains });
    let Some(records) = resume else {
        let start = |chain_ix| Chain::start(model, data, scratch.clone(), streams(chain_ix), plan);
        return Ok((0..settings.chains).map(start).collect());
    };
    let resume = |(chain_ix, record): (usize, ChainRecord)| {
        record.check_resume(&plan).map_err(|problem| RunError::Record { chain_ix, problem })?;
        Chain::resume(model, data, scratch.clone(), streams(chain_ix), plan, record)
            .map_err(|problem| RunError::Restore { chain_ix, problem })
    };
    records.into_iter().enumerate().map(resume).collect()
}

fn ended<M: Model>(chains: &[Chain<M>], control: &RunControl, pace: &Pace) -> Option<RunEnd> {
    if chains.iter().all(Chain::is_done) {
        Some(RunEnd::Finished)
    } else if control.stop.load(Ordering::Relaxed) {
        Some(RunEnd::Stopped)
    } else if pace.is_over(control) {
        Some(RunEnd::TimeLimit)
    } else {
        None
    }
}
