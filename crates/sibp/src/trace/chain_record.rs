//! Records the draws of one chain: full draws at intervals, a few numbers every sweep.

use super::{Draw, KeepPlan, Record, SCORE};
use std::collections::BTreeMap;
use thiserror::Error;

/// The recorded numbers of every sweep, a column each; entry 0 belongs to sweep 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Learned bits.
    pub n_bits: Vec<u32>,
    /// Log joint density.
    pub log_joint: Vec<f64>,
    /// Log likelihood of the triplets, or of the inputs where the model has no triplets; NaN in files of version 1.
    pub log_likelihood: Vec<f64>,
    /// Share of triplets with probability above one half.
    pub satisfied: Vec<f64>,
    /// Hyper-parameters by name.
    pub scalars: BTreeMap<String, Vec<f64>>,
}

impl Trace {
    /// Appends the numbers of a sweep.
    pub fn push(&mut self, record: &Record) {
        self.n_bits.push(record.n_bits as u32);
        self.log_joint.push(record.log_joint);
        self.log_likelihood.push(record.log_likelihood);
        self.satisfied.push(record.satisfied);
        for &(name, value) in &record.scalars {
            match self.scalars.get_mut(name) {
                Some(column) => column.push(value),
                None => drop(self.scalars.insert(name.to_owned(), vec![value])),
            }
        }
    }

    /// Number of sweeps.
    pub fn len(&self) -> usize {
        self.log_joint.len()
    }

    /// Whether there is no sweep.
    pub fn is_empty(&self) -> bool {
        self.log_joint.is_empty()
    }

    /// Names of all columns: the four that every model has, then its hyper-parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        ["n_bits", "log_joint", "log_likelihood", "satisfied"]
            .into_iter()
            .chain(self.scalars.keys().map(String::as_str))
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        match name {
            "n_bits" => Some(self.n_bits.iter().map(|&n| f64::from(n)).collect()),
            "log_joint" => Some(self.log_joint.clone()),
            "log_likelihood" => Some(self.log_likelihood.clone()),
            "satisfied" => Some(self.satisfied.clone()),
            _ => self.scalars.get(name).cloned(),
        }
    }

    /// Log joint density after this many sweeps; `None` before the first.
    pub fn log_joint_at(&self, sweep: u64) -> Option<f64> {
        self.log_joint.get(usize::try_from(sweep.checked_sub(1)?).ok()?).copied()
    }
}

/// The record of one chain: enough to encode, to diagnose and to resume.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainRecord {
    /// Sweeps done.
    pub sweeps_done: u64,
    /// The state after the last sweep, from which the chain resumes.
    pub last: Draw,
    /// The draws kept so far, ascending by sweep.
    pub draws: Vec<Draw>,
    /// The numbers of every sweep done.
    pub trace: Trace,
}

/// Why a record cannot come from a run with these settings.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// More sweeps than the run has.
    #[error("{sweeps_done} sweeps were done of only {sweeps}")]
    TooManySweeps {
        /// Sweeps done.
        sweeps_done: u64,
        /// Sweeps of the run.
        sweeps: u64,
    },
    /// Draws without a score.
    #[error(
        "its draws come from an earlier version of this program, which did not score them; start anew without resuming"
    )]
    Unscored,
    /// The state to resume from is not that of the last sweep.
    #[error("the last state is that of sweep {found}, but {sweeps_done} sweeps were done")]
    WrongLast {
        /// Sweeps done.
        sweeps_done: u64,
        /// Sweep of the state.
        found: u64,
    },
    /// The kept draws are not those of the settings.
    #[error("the kept draws are of sweeps {found:?}; the settings keep {expected:?}")]
    WrongDraws {
        /// Sweeps that should be kept by now.
        expected: Vec<u64>,
        /// Sweeps of the draws.
        found: Vec<u64>,
    },
    /// A column of numbers is too short or too long.
    #[error("the trace '{name}' has {found} entries after {sweeps_done} sweeps")]
    WrongTrace {
        /// The column.
        name: String,
        /// Sweeps done.
        sweeps_done: u64,
        /// Entries of the column.
        found: usize,
    },
}

impl ChainRecord {
    /// A record before the first sweep.
    pub fn begin(start: Draw) -> Self {
        Self { sweeps_done: start.sweep, last: start, draws: Vec::new(), trace: Trace::default() }
    }

    /// Checks that a run that keeps draws by `plan` can have left this record.
    pub fn check(&self, plan: &KeepPlan) -> Result<(), RecordError> {
        let sweeps_done = self.sweeps_done;
        if sweeps_done > plan.sweeps() {
            return Err(RecordError::TooManySweeps { sweeps_done, sweeps: plan.sweeps() });
        }
        if self.last.sweep != sweeps_done {
            return Err(RecordError::WrongLast { sweeps_done, found: self.last.sweep });
        }
        if !self.draws.iter().map(|draw| draw.sweep).eq(plan.kept().take_while(|&sweep| sweep <= sweeps_done)) {
            let expected = plan.kept().take_while(|&sweep| sweep <= sweeps_done).collect();
            let found = self.draws.iter().map(|draw| draw.sweep).collect();
            return Err(RecordError::WrongDraws { expected, found });
        }
        let fixed = [
            ("n_bits", self.trace.n_bits.len()),
            ("log_joint", self.trace.log_joint.len()),
            ("log_likelihood", self.trace.log_likelihood.len()),
            ("satisfied", self.trace.satisfied.len()),
        ];
        let scalars = self.trace.scalars.iter().map(|(name, column)| (name.as_str(), column.len()));
        match fixed.into_iter().chain(scalars).find(|&(_, found)| found as u64 != sweeps_done) {
            Some((name, found)) => Err(RecordError::WrongTrace { name: name.to_owned(), sweeps_done, found }),
            None => Ok(()),
        }
    }

    /// The record that a run which keeps draws by another plan would have left by now, where all of its draws are there.
    pub fn replanned(mut self, plan: &KeepPlan) -> Result<Self, RecordError> {
        self.draws = self.all_draws().filter(|draw| plan.keeps(draw.sweep)).cloned().collect();
        self.check(plan).map(|()| self)
    }

    /// Checks that a run can resume from this record and end as if it had not been interrupted.
    pub fn check_resume(&self, plan: &KeepPlan) -> Result<(), RecordError> {
        self.check(plan)?;
        match self.all_draws().all(|draw| draw.scalars.contains_key(SCORE)) {
            true => Ok(()),
            false => Err(RecordError::Unscored),
        }
    }

    /// The kept draw with the highest score, the earlier of equals, counting the last state as kept; in files of version
    /// 1, whose draws have no scores, that with the highest log joint.
    pub fn best(&self) -> &Draw {
        let mut best = (&self.last, f64::NEG_INFINITY);
        for draw in self.all_draws() {
            let score = self.score(draw);
            if score > best.1 {
                best = (draw, score);
            }
        }
        best.0
    }

    /// Mean score of the kept draws, by which chains are ranked; NaN counts as the lowest. In files of version 1, whose
    /// draws have no scores, the mean log joint over the last half of the sweeps.
    pub fn mean_score(&self) -> f64 {
        let scored: Option<Vec<f64>> = self.all_draws().map(|draw| draw.scalars.get(SCORE).copied()).collect();
        let scores = scored.unwrap_or_else(|| self.trace.log_joint[self.trace.len() / 2..].to_vec());
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        if mean.is_nan() { f64::NEG_INFINITY } else { mean }
    }

    fn score(&self, draw: &Draw) -> f64 {
        match draw.scalars.get(SCORE) {
            Some(&score) => score,
            None => self.trace.log_joint_at(draw.sweep).unwrap_or(f64::NEG_INFINITY),
        }
    }

    /// The kept draws, and the last state where it is not among them.
    pub fn all_draws(&self) -> impl Iterator<Item = &Draw> {
        let last_is_kept = self.draws.last().is_some_and(|draw| draw.sweep == self.sweeps_done);
        self.draws.iter().chain((!last_is_kept).then_some(&self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::Codes;

    fn draw(sweep: u64) -> Draw {
        let (scalars, tensors) = (BTreeMap::new(), BTreeMap::new());
        Draw { sweep, bits: Codes::zeros(1, 0), weights: Vec::new(), encoded: None, scalars, tensors }
    }

    fn record(sweeps_done: u64, kept: &[u64]) -> ChainRecord {
        let mut trace = Trace::default();
        for n_bits in 0..sweeps_done as usize {
            trace.push(&Record {
                n_bits,
                log_joint: -1.0,
                log_likelihood: -0.5,
                satisfied: 1.0,
                scalars: vec![("lapse", 0.1)],
            });
        }
        let draws = kept.iter().map(|&sweep| draw(sweep)).collect();
        ChainRecord { sweeps_done, last: draw(sweeps_done), draws, trace }
    }

    #[test]
    fn records_of_other_runs_are_named() {
        let plan = KeepPlan::new(10, 2);
        assert_eq!(record(0, &[]).check(&plan), Ok(()));
        assert_eq!(record(9, &[8]).check(&plan), Ok(()));
        assert_eq!(record(9, &[8]).all_draws().map(|d| d.sweep).collect::<Vec<_>>(), [8, 9]);
        assert_eq!(record(10, &[8, 10]).check(&plan), Ok(()));
        assert_eq!(record(10, &[8, 10]).all_draws().count(), 2);
        assert!(matches!(record(11, &[8, 10]).check(&plan), Err(RecordError::TooManySweeps { sweeps_done: 11, .. })));
        assert!(matches!(record(9, &[]).check(&plan), Err(RecordError::WrongDraws { .. })));
        assert!(matches!(record(9, &[7]).check(&plan), Err(RecordError::WrongDraws { .. })));
        let mut stale = record(9, &[8]);
        stale.last = draw(8);
        assert_eq!(stale.check(&plan), Err(RecordError::WrongLast { sweeps_done: 9, found: 8 }));
        let mut short = record(9, &[8]);
        short.trace.scalars.insert("lapse".to_owned(), vec![0.1; 8]);
        let error = short.check(&plan).unwrap_err();
        assert_eq!(error.to_string(), "the trace 'lapse' has 8 entries after 9 sweeps");
    }

    #[test]
    fn columns_are_found_by_name() {
        let trace = record(3, &[]).trace;
        assert_eq!(trace.names().collect::<Vec<_>>(), ["n_bits", "log_joint", "log_likelihood", "satisfied", "lapse"]);
        assert_eq!(trace.column("n_bits"), Some(vec![0.0, 1.0, 2.0]));
        assert_eq!(trace.column("lapse"), Some(vec![0.1; 3]));
        assert_eq!(trace.column("nothing"), None);
        assert_eq!((trace.log_joint_at(0), trace.log_joint_at(3), trace.log_joint_at(4)), (None, Some(-1.0), None));
    }
}
