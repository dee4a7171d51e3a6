//! Trains every method on every repeat that has no result yet, a thread a fit.

use super::data::{Splits, TableData};
use super::entries::{Entry, Kind, Options, System};
use super::stored::{Found, Stored};
use super::{NEIGHBOURS, TableArgs};
use crate::fit::interrupt;
use crate::fit::progress::steps;
use crate::output;
use anyhow::{Context, bail};
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};
use sibp::data::{Split, Transform};
use sibp::format::Digests;
use sibp::hash::HashStack;
use sibp::method::{Examples, MethodError, attribute_predictor, measure};
use sibp::run::RunControl;
use sibp::triplets::TripletSet;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What there is to do, and with what.
pub struct Work<'a> {
    pub args: &'a TableArgs,
    pub data: &'a TableData,
    pub options: &'a Options,
}

/// One method on one repeat.
struct Job<'a> {
    entry: Entry,
    splits_ix: usize,
    repeat: usize,
    splits: &'a Splits,
    settings: Map<String, Value>,
    path: PathBuf,
}

impl Job<'_> {
    fn split(&self) -> &Split {
        &self.splits.repeats[self.repeat]
    }
}

/// A result, and where it belongs.
pub struct Outcome {
    pub entry: Entry,
    pub splits_ix: usize,
    pub repeat: usize,
    pub stored: Stored,
    /// Whether this run made it.
    pub fresh: bool,
}

/// What the threads share.
struct Pool<'a> {
    next: AtomicUsize,
    stop: &'a AtomicBool,
    done: Mutex<Vec<(usize, Stored)>>,
    failure: Mutex<Option<anyhow::Error>>,
    predictors: Predictors,
    bar: ProgressBar,
    began: Instant,
}

/// Predictors of attributes, one for all repeats of the same classes.
type Predictors = BTreeMap<BTreeSet<u32>, Mutex<Option<Arc<HashStack>>>>;

impl Work<'_> {
    /// All results, the kept ones among them.
    pub fn run(&self, entries: &[Entry]) -> anyhow::Result<Vec<Outcome>> {
        let folder = self.args.out.join("results");
        std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot make the folder", folder.display()))?;
        let jobs = self.jobs(entries);
        let mut stored: Vec<Option<Stored>> = jobs.iter().map(|_| None).collect();
        let mut other: BTreeMap<String, usize> = BTreeMap::new();
        for (job, slot) in jobs.iter().zip(&mut stored) {
            match Stored::find(&job.path, &job.settings) {
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
            self.args.say(format!("{} made with other settings ({names}): made anew", output::count(n, "result")));
        }
        let open: Vec<usize> = (0..jobs.len()).filter(|&at| stored[at].is_none()).collect();
        for (at, result) in self.train(&jobs, &open)? {
            stored[at] = Some(result);
        }
        let outcome = |(at, (job, stored)): (usize, (Job<'_>, Option<Stored>))| {
            let (Job { entry, splits_ix, repeat, .. }, fresh) = (job, open.contains(&at));
            stored.map(|stored| Outcome { entry, splits_ix, repeat, stored, fresh })
        };
        Ok(jobs.into_iter().zip(stored).enumerate().filter_map(outcome).collect())
    }

    /// The longest first, so that no thread is left with one at the end.
    fn jobs(&self, entries: &[Entry]) -> Vec<Job<'_>> {
        let mut jobs = Vec::new();
        let n = self.data.features.n_objects();
        let whole = self.digest(&(0..n).collect::<Vec<_>>());
        for (splits_ix, splits) in self.data.splits.iter().enumerate() {
            for (repeat, split) in splits.repeats.iter().enumerate() {
                let about = self.about(split, self.options.seed_of(repeat));
                for &entry in entries {
                    let mut settings = entry.settings(self.options);
                    settings.extend(about.clone());
                    if entry.kind != Kind::Alone {
                        settings.insert("all data".into(), whole.clone());
                    }
                    let name = format!("{}-{repeat}-{}.json", splits.name, entry.file_name());
                    let path = self.args.out.join("results").join(name);
                    jobs.push(Job { entry, splits_ix, repeat, splits, settings, path });
                }
            }
        }
        jobs.sort_by_key(|job| (job.entry.system != System::SuperProbit, std::cmp::Reverse(job.split().train.len())));
        jobs
    }

    /// Seed and digests of the data of a repeat.
    fn about(&self, split: &Split, seed: u64) -> Map<String, Value> {
        let mut about = Map::new();
        about.insert("seed".into(), json!(seed));
        about.insert("training data".into(), self.digest(&split.train));
        about.insert("test data".into(), self.digest(&split.test));
        about
    }

    fn digest(&self, rows: &[usize]) -> Value {
        let (features, labels) = (self.data.features.select(rows), self.data.labels.select(rows));
        let given = self.data.attributes_of(rows);
        json!(Digests::new(&features, Some(&labels), None, &TripletSet::empty(rows.len())).with_given(given.as_ref()))
    }

    fn train(&self, jobs: &[Job<'_>], open: &[usize]) -> anyhow::Result<Vec<(usize, Stored)>> {
        let n_threads = match self.args.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let class_sets = open.iter().map(|&at| self.data.classes_of(jobs[at].split()));
        let pool = Pool {
            next: AtomicUsize::new(0),
            stop: interrupt::listen()?,
            done: Mutex::new(Vec::new()),
            failure: Mutex::new(None),
            predictors: class_sets.map(|classes| (classes, Mutex::new(None))).collect(),
            bar: steps("results", open.len(), self.args.quiet),
            began: Instant::now(),
        };
        std::thread::scope(|scope| {
            for _ in 0..n_threads.min(open.len()) {
                scope.spawn(|| self.worker(jobs, open, &pool));
            }
        });
        pool.bar.finish_and_clear();
        let done = pool.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = pool.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        if done.len() < open.len() {
            let n_kept = jobs.len() - open.len() + done.len();
            bail!(
                "stopped; {n_kept} of {} results are kept in {}, and the same command goes on from there",
                jobs.len(),
                self.args.out.display()
            );
        }
        Ok(done)
    }

    fn worker(&self, jobs: &[Job<'_>], open: &[usize], pool: &Pool<'_>) {
        loop {
            let failed = lock(&pool.failure).is_some();
            let Some(&at) = open.get(pool.next.fetch_add(1, Ordering::Relaxed)) else { return };
            if failed || pool.stop.load(Ordering::Relaxed) {
                return;
            }
            match self.one(&jobs[at], pool) {
                Ok(Some(stored)) => self.finished(&jobs[at], at, stored, open.len(), pool),
                Ok(None) => return,
                Err(error) => {
                    let job = &jobs[at];
                    let place = format!("{}, {}, repeat {}", job.entry.file_name(), job.splits.name, job.repeat);
                    lock(&pool.failure).get_or_insert(error.context(place));
                    return;
                }
            }
        }
    }

    fn finished(&self, job: &Job<'_>, at: usize, stored: Stored, n_open: usize, pool: &Pool<'_>) {
        let seconds = stored.seconds;
        let mut done = lock(&pool.done);
        done.push((at, stored));
        pool.bar.inc(1);
        if pool.bar.is_hidden() {
            self.args.say(format!(
                "{} of {n_open}: {}, {}, repeat {}, trained in {}; {} so far",
                done.len(),
                job.entry.file_name(),
                job.splits.name,
                job.repeat,
                output::seconds(seconds),
                output::seconds(pool.began.elapsed().as_secs_f64())
            ));
        }
    }

    /// Trains, measures and keeps; nothing where the user stopped it.
    fn one(&self, job: &Job<'_>, pool: &Pool<'_>) -> anyhow::Result<Option<Stored>> {
        let (data, split) = (self.data, job.split());
        let (features, labels) = (data.features.select(&split.train), data.labels.select(&split.train));
        let predictor = if job.entry.kind == Kind::Alone { None } else { self.predictor(split, pool)? };
        let known = match (job.entry.kind, &predictor) {
            (Kind::Class, _) => data.attributes_of(&split.train),
            (Kind::Predicted, Some(predictor)) => Some(predictor.encode(&features)?),
            _ => None,
        };
        let examples = Examples {
            attributes: known.as_ref(),
            predictor: predictor.as_deref(),
            ..Examples::new(&features, &labels)
        };
        let asked = (&data.features.select(&split.test), &data.labels.select(&split.test));
        let control = RunControl { threads: 1, stop: pool.stop, ..RunControl::default() };
        let method = job.entry.method(self.options)?;
        let seed = self.options.seed_of(job.repeat);
        match measure(method.as_ref(), &examples, asked, &NEIGHBOURS, seed, &control) {
            Ok(measured) => {
                let stored = Stored::new(job.settings.clone(), measured);
                stored.write(&job.path)?;
                Ok(Some(stored))
            }
            Err(MethodError::Stopped) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What predicts attributes, learned from all objects of other classes; `None` where there are none.
    fn predictor(&self, split: &Split, pool: &Pool<'_>) -> anyhow::Result<Option<Arc<HashStack>>> {
        let inside = self.data.classes_of(split);
        let Some(slot) = pool.predictors.get(&inside) else { return Ok(None) };
        let mut slot = lock(slot);
        if slot.is_none() {
            let class_of = self.data.labels.class_of();
            let corpus: Vec<usize> = (0..class_of.len()).filter(|&row| !inside.contains(&class_of[row])).collect();
            if corpus.is_empty() {
                bail!("all classes are in the split, so none are left to learn attributes from");
            }
            let Some(known) = self.data.attributes_of(&corpus) else { return Ok(None) };
            let steps = self.options.standardised.parse()?;
            let (transform, features) = Transform::fit_apply(&steps, &self.data.features.select(&corpus))?;
            *slot = Some(Arc::new(attribute_predictor(transform, &features, &known)?));
        }
        Ok(slot.clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
