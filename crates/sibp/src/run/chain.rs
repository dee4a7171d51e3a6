//! Advances one chain, sweep by sweep, and records its draws.

use crate::model::{Model, Observations};
use crate::rng::{Purpose, Streams};
use crate::trace::{ChainRecord, Draw, KeepPlan, Record, RestoreError, SCORE};

/// One chain: its current state, and the record of its draws.
///
/// Every sweep rebuilds its scratch from the state and takes its random numbers from (seed, chain, kernel, sweep). So
/// a chain that resumes from a stored state draws what it would have drawn without the interruption.
pub struct Chain<'a, M: Model> {
    model: &'a M,
    data: &'a Observations,
    streams: Streams,
    plan: KeepPlan,
    state: M::State,
    scratch: M::Scratch,
    record: ChainRecord,
}

impl<'a, M: Model> Chain<'a, M> {
    /// A chain at its start; `scratch` is what [`Model::prepare`] made of the data.
    pub fn start(model: &'a M, data: &'a Observations, scratch: M::Scratch, streams: Streams, plan: KeepPlan) -> Self {
        let state = model.start(data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
        let record = ChainRecord::begin(model.to_draw(data, &state, &scratch, 0));
        Self { model, data, streams, plan, state, scratch, record }
    }

    /// A chain that resumes from a record, which [`ChainRecord::check`] accepted for `plan`.
    pub fn resume(
        model: &'a M,
        data: &'a Observations,
        scratch: M::Scratch,
        streams: Streams,
        plan: KeepPlan,
        record: ChainRecord,
    ) -> Result<Self, RestoreError> {
        let state = model.restore(data, &scratch, &record.last)?;
        let mut record = record;
        if record.sweeps_done == 0 {
            // The start may be the draw of a fit to other triplets, which scored it by those.
            record.last.scalars.remove(SCORE);
        }
        record.draws.iter_mut().chain([&mut record.last]).for_each(Draw::reopen);
        Ok(Self { model, data, streams, plan, state, scratch, record })
    }

    /// Sweeps done.
    pub fn sweeps_done(&self) -> u64 {
        self.record.sweeps_done
    }

    /// Whether all sweeps are done.
    pub fn is_done(&self) -> bool {
        self.record.sweeps_done >= self.plan.sweeps()
    }

    /// Does one sweep and returns its numbers.
    pub fn advance(&mut self) -> Record {
        let sweep = self.record.sweeps_done + 1;
        self.model.sweep(self.data, &mut self.state, &mut self.scratch, &self.streams, sweep);
        let numbers = self.model.record(self.data, &self.state, &mut self.scratch);
        self.record.trace.push(&numbers);
        self.record.sweeps_done = sweep;
        if self.plan.keeps(sweep) {
            let draw = self.draw();
            self.record.draws.push(draw);
        }
        numbers
    }

    /// The draws so far, with the current state as `last`.
    pub fn record(&mut self) -> &ChainRecord {
        let sweep = self.record.sweeps_done;
        if self.record.last.sweep != sweep || !self.record.last.scalars.contains_key(SCORE) {
            self.record.last = match self.record.draws.last().filter(|draw| draw.sweep == sweep) {
                Some(kept) => kept.clone(),
                None => self.draw(),
            };
        }
        &self.record
    }

    /// The present state as a draw, with its score.
    fn draw(&mut self) -> Draw {
        let mut draw = self.model.to_draw(self.data, &self.state, &self.scratch, self.record.sweeps_done);
        draw.scalars.insert(SCORE.to_owned(), self.model.score(self.data, &self.state, &mut self.scratch));
        draw
    }

    /// Prepares the draws that may encode: the best one and the last.
    pub fn finish(&mut self) -> Result<(), RestoreError> {
        let best = self.record().best().sweep;
        let last = self.record.sweeps_done;
        let chosen = self.record.draws.iter_mut().filter(|draw| [best, last].contains(&draw.sweep));
        for draw in chosen {
            self.model.finish(self.data, &self.scratch, draw)?;
        }
        match self.record.draws.last().filter(|draw| draw.sweep == last) {
            Some(kept) => self.record.last = kept.clone(),
            None => self.model.finish(self.data, &self.scratch, &mut self.record.last)?,
        }
        Ok(())
    }

    /// Ends the chain and returns its record.
    pub fn into_record(mut self) -> ChainRecord {
        self.record();
        self.record
    }
}
