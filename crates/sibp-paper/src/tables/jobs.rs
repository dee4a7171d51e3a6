//! Lists the open jobs: every method on every repeat that has no result yet.

use super::TableArgs;
use super::data::{Splits, TableData};
use super::entries::{Entry, Options, System};
use super::stored::Stored;
use crate::kept::{Found, Kept, Settings};
use crate::words::count;
use anyhow::Context;
use serde_json::{Value, json};
use sibp::data::Split;
use sibp::format::Digests;
use sibp::method::GivenKind;
use sibp::triplets::TripletSet;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The data and options of a run.
pub struct Work<'a> {
    pub args: &'a TableArgs<'a>,
    pub data: &'a TableData,
    pub options: &'a Options,
}

/// One method on one repeat.
pub struct Job<'a> {
    pub entry: Entry,
    splits_ix: usize,
    pub repeat: usize,
    pub splits: &'a Splits,
    pub settings: Settings,
    pub path: PathBuf,
}

impl Job<'_> {
    pub fn split(&self) -> &Split {
        &self.splits.repeats[self.repeat]
    }
}

/// A result with its table entry and repeat.
pub struct Outcome {
    pub entry: Entry,
    pub splits_ix: usize,
    pub repeat: usize,
    pub stored: Stored,
}

impl Work<'_> {
    /// Returns all results, stored ones included.
    pub fn run(&self, entries: &[Entry]) -> anyhow::Result<Vec<Outcome>> {
        let folder = self.args.out.join("results");
        std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot make the folder", folder.display()))?;
        let jobs = self.jobs(entries);
        let mut stored: Vec<Option<Stored>> = jobs.iter().map(|_| None).collect();
        let mut other: BTreeMap<String, usize> = BTreeMap::new();
        for (job, slot) in jobs.iter().zip(&mut stored) {
            match Kept::find(&job.path, &job.settings) {
                Found::Done(found) => *slot = Some(found),
                Found::Other(names) => *other.entry(names.join(", ")).or_default() += 1,
                Found::Nothing => {}
            }
        }
        let n_found = stored.iter().flatten().count();
        if n_found > 0 {
            self.args.say(format!("{n_found} of {} results are there already", jobs.len()));
        }
        for (names, n) in other {
            self.args.say(format!("{} made with other settings ({names}): made anew", count(n, "result")));
        }
        let open: Vec<usize> = (0..jobs.len()).filter(|&at| stored[at].is_none()).collect();
        for (at, result) in self.train(&jobs, &fits(&jobs, &open))? {
            stored[at] = Some(result);
        }
        let outcome = |(job, stored): (Job<'_>, Option<Stored>)| {
            let Job { entry, splits_ix, repeat, .. } = job;
            stored.map(|stored| Outcome { entry, splits_ix, repeat, stored })
        };
        Ok(jobs.into_iter().zip(stored).filter_map(outcome).collect())
    }

    /// Lists the jobs, the longest first, so that no thread is left with a long one at the end.
    fn jobs(&self, entries: &[Entry]) -> Vec<Job<'_>> {
        let mut jobs = Vec::new();
        let n = self.data.inputs.n_objects();
        let whole = self.digest(&(0..n).collect::<Vec<_>>());
        for (splits_ix, splits) in self.data.splits.iter().enumerate() {
            for (repeat, split) in splits.repeats.iter().enumerate() {
                let about = self.about(split, self.options.seed_of(repeat));
                for &entry in entries {
                    let mut settings = entry.settings(self.options);
                    settings.extend(about.clone());
                    if entry.given != GivenKind::None {
                        settings.insert("all data".into(), whole.clone());
                    }
                    let name = format!("{}-{repeat}-{}.json", splits.name, entry.file_name());
                    let path = self.args.out.join("results").join(name);
                    jobs.push(Job { entry, splits_ix, repeat, splits, settings, path });
                }
            }
        }
        jobs.sort_by_key(|job| {
            (
                !matches!(job.entry.system, System::SuperProbit | System::Letter),
                std::cmp::Reverse(job.split().train.len()),
            )
        });
        jobs
    }

    /// Seed and digests of the data of a repeat.
    fn about(&self, split: &Split, seed: u64) -> Settings {
        let mut about = Settings::new();
        about.insert("seed".into(), json!(seed));
        about.insert("training data".into(), self.digest(&split.train));
        about.insert("test data".into(), self.digest(&split.test));
        about
    }

    fn digest(&self, rows: &[usize]) -> Value {
        let (inputs, labels) = (self.data.inputs.select(rows), self.data.labels.select(rows));
        let given = self.data.attributes_of(rows);
        json!(Digests::new(&inputs, Some(&labels), None, &TripletSet::empty(rows.len())).with_given(given.as_ref()))
    }
}

/// Groups the open jobs that share a fit, by their positions.
fn fits(jobs: &[Job<'_>], open: &[usize]) -> Vec<Vec<usize>> {
    let mut fits: Vec<Vec<usize>> = Vec::new();
    let fit = |at: usize| (jobs[at].splits_ix, jobs[at].repeat, jobs[at].entry.fit());
    for &at in open {
        match fits.iter_mut().find(|places| fit(places[0]) == fit(at)) {
            Some(places) => places.push(at),
            None => fits.push(vec![at]),
        }
    }
    fits
}
