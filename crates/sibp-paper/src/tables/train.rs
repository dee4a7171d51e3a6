//! Trains every fit that has no result yet, one fit a thread, and stores each result at once.

use super::NEIGHBOURS;
use super::jobs::{Job, Work};
use super::stored::Stored;
use crate::kept::Kept;
use crate::words;
use anyhow::bail;
use sibp::data::Split;
use sibp::hash::HashStack;
use sibp::method::{Examples, GivenKind, MethodError, attribute_predictor, measure};
use sibp::parallel::{each, n_threads};
use sibp::run::RunControl;
use sibp::transform::Transform;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The state that the threads share.
struct Pool<'a> {
    jobs: &'a [Job<'a>],
    /// Positions of the jobs that share a fit.
    fits: &'a [Vec<usize>],
    next: AtomicUsize,
    stop: &'a AtomicBool,
    done: Mutex<Vec<(usize, Stored)>>,
    failure: Mutex<Option<anyhow::Error>>,
    predictors: Predictors,
    /// Counts finished results, where a progress bar is shown.
    shown: Option<Box<dyn Fn(usize) + Sync + 'a>>,
    began: Instant,
}

/// Predictors of attributes, one for all repeats of a set of classes.
type Predictors = BTreeMap<BTreeSet<u32>, Mutex<Option<Arc<HashStack>>>>;

impl Pool<'_> {
    fn n_open(&self) -> usize {
        self.fits.iter().map(Vec::len).sum()
    }
}

impl Work<'_> {
    /// Results of all these fits, by the positions of their jobs.
    pub fn train(&self, jobs: &[Job<'_>], fits: &[Vec<usize>]) -> anyhow::Result<Vec<(usize, Stored)>> {
        let n_threads = n_threads(self.args.threads);
        let class_sets = fits.iter().map(|places| self.data.classes_of(jobs[places[0]].split()));
        let n_open: usize = fits.iter().map(Vec::len).sum();
        let pool = Pool {
            jobs,
            fits,
            next: AtomicUsize::new(0),
            stop: self.args.talk.stop()?,
            done: Mutex::new(Vec::new()),
            failure: Mutex::new(None),
            predictors: class_sets.map(|classes| (classes, Mutex::new(None))).collect(),
            shown: self.args.talk.results(n_open),
            began: Instant::now(),
        };
        each(0..n_threads.min(fits.len()), |_| self.worker(&pool));
        drop(pool.shown);
        let done = pool.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = pool.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        if done.len() < n_open {
            let n_kept = jobs.len() - n_open + done.len();
            bail!(
                "stopped; {n_kept} of {} results are kept in {}, and the same command goes on from there",
                jobs.len(),
                self.args.out.display()
            );
        }
        Ok(done)
    }

    fn worker(&self, pool: &Pool<'_>) {
        loop {
            let failed = lock(&pool.failure).is_some();
            let Some(places) = pool.fits.get(pool.next.fetch_add(1, Ordering::Relaxed)) else { return };
            if failed || pool.stop.load(Ordering::Relaxed) {
                return;
            }
            let jobs: Vec<&Job<'_>> = places.iter().map(|&at| &pool.jobs[at]).collect();
            match self.one(&jobs, pool) {
                Ok(Some(stored)) => self.finished(places, stored, pool),
                Ok(None) => return,
                Err(error) => {
                    let job = jobs[0];
                    let place = format!("{}, {}, repeat {}", job.entry.file_name(), job.splits.name, job.repeat);
                    lock(&pool.failure).get_or_insert(error.context(place));
                    return;
                }
            }
        }
    }

    fn finished(&self, places: &[usize], stored: Vec<Stored>, pool: &Pool<'_>) {
        let seconds = stored.iter().map(|one| one.seconds).sum();
        let mut done = lock(&pool.done);
        done.extend(places.iter().copied().zip(stored));
        if let Some(shown) = &pool.shown {
            shown(places.len());
        } else {
            let job = &pool.jobs[places[0]];
            let names: Vec<String> = places.iter().map(|&at| pool.jobs[at].entry.file_name()).collect();
            self.args.say(format!(
                "{} of {}: {}, {}, repeat {}, trained in {}; {} so far",
                done.len(),
                pool.n_open(),
                names.join(" and "),
                job.splits.name,
                job.repeat,
                words::seconds(seconds),
                words::seconds(pool.began.elapsed().as_secs_f64())
            ));
        }
    }

    /// Fits once, then measures and stores one result for each job; `None` where the user stopped it.
    fn one(&self, jobs: &[&Job<'_>], pool: &Pool<'_>) -> anyhow::Result<Option<Vec<Stored>>> {
        let (data, job) = (self.data, jobs[0]);
        let split = job.split();
        let (inputs, labels) = (data.inputs.select(&split.train), data.labels.select(&split.train));
        let given: Vec<GivenKind> = jobs.iter().map(|job| job.entry.given).collect();
        let alone = given.iter().all(|&given| given == GivenKind::None);
        let predictor = if alone { None } else { self.predictor(split, pool)? };
        let known = data.attributes_of(&split.train);
        let examples =
            Examples { attributes: known.as_ref(), predictor: predictor.as_deref(), ..Examples::new(&inputs, &labels) };
        let asked = (&data.inputs.select(&split.test), &data.labels.select(&split.test));
        let control = RunControl { threads: 1, stop: pool.stop, ..RunControl::default() };
        let method = job.entry.method(self.options, &given)?;
        let seed = self.options.seed_of(job.repeat);
        let measured = match measure(method.as_ref(), &examples, asked, &NEIGHBOURS, seed, &control) {
            Ok(measured) => measured,
            Err(MethodError::Stopped) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut results = Vec::new();
        for (job, readings) in jobs.iter().zip(measured.chunks(measured.len() / jobs.len())) {
            let kept = Kept { settings: job.settings.clone(), result: Stored::new(readings, jobs.len()) };
            kept.write(&job.path)?;
            results.push(kept.result);
        }
        Ok(Some(results))
    }

    /// The predictor of attributes, learned from all objects of other classes; `None` where the data have no
    /// attributes.
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
            let (transform, inputs) = Transform::fit_apply(&steps, &self.data.inputs.select(&corpus))?;
            *slot = Some(Arc::new(attribute_predictor(transform, &inputs, &known)?));
        }
        Ok(slot.clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
