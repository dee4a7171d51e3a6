//! Chooses questions ahead of time, on a thread of its own, so that the next one is there when it is asked for.

use crate::app::{App, locked};
use sibp::ask::{AskError, AskSettings, Kind, Question, suggest, suggest_cold};
use sibp::triplets::Triplet;
use sibp::{Inputs, parallel};
use std::collections::{HashSet, VecDeque};
use std::sync::PoisonError;

/// Questions that are kept ready, and those that are chosen at once.
const READY: usize = 24;
const BATCH: usize = 20;
/// Candidates for each informative question.
const CANDIDATES: usize = 200;

/// Questions that are ready to be handed out.
#[derive(Default)]
pub struct Pool {
    ready: VecDeque<(Question, u64)>,
    /// Rises with every batch, so that none is drawn twice.
    n_batches: u64,
    /// Whether nothing is left to ask.
    is_exhausted: bool,
    /// Whether an earlier model chose what is ready.
    is_stale: bool,
}

impl Pool {
    /// What is ready was chosen by an earlier model: it serves until there is better.
    pub fn grow_stale(&mut self) {
        self.is_stale = true;
        self.is_exhausted = false;
    }

    /// Whether nothing is to be chosen now.
    fn is_served(&self) -> bool {
        self.is_exhausted || self.ready.len() >= READY && !self.is_stale
    }

    /// Whether nothing is left to ask.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted && self.ready.is_empty()
    }
}

/// Takes `n` questions; random ones where too few are ready.
pub fn take(app: &App, n: usize) -> Vec<(Question, u64)> {
    let mut taken = Vec::new();
    let mut pool = locked(&app.pool);
    while let Some((question, version)) = next_of(&mut pool, taken.len() < n) {
        // It may have been drawn at random since it was chosen.
        if question.kind == Kind::Repeat || !was_asked(app, question.triplet) {
            taken.push((question, version));
        }
    }
    app.work.notify_all();
    if taken.len() < n && !pool.is_exhausted {
        pool.n_batches += 1;
        let seed = app.settings.seed.wrapping_add(pool.n_batches);
        drop(pool);
        taken.extend(at_random(app, n - taken.len(), seed));
    }
    taken
}

fn next_of(pool: &mut Pool, is_wanted: bool) -> Option<(Question, u64)> {
    if is_wanted { pool.ready.pop_front() } else { None }
}

fn was_asked(app: &App, triplet: Triplet) -> bool {
    app.desk.as_ref().is_some_and(|desk| locked(desk).ledger().was_asked(triplet))
}

/// Questions drawn at random, which takes no time.
fn at_random(app: &App, n: usize, seed: u64) -> Vec<(Question, u64)> {
    let asked = Asked::of(app);
    let settings = AskSettings { answered: &asked.all, repeats: 0.0, threads: 1, ..AskSettings::new(n, seed) };
    let found = suggest_cold(&Inputs::none(app.source.n_objects()), &settings).unwrap_or_default();
    found.into_iter().map(|question| (question, 0)).collect()
}

/// Fills the pool whenever it runs low, until the server ends.
pub fn run(app: &App) {
    loop {
        let mut pool = locked(&app.pool);
        while !app.is_over() && pool.is_served() {
            pool = app.work.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        if app.is_over() {
            return;
        }
        pool.n_batches += 1;
        let seed = app.settings.seed.wrapping_add(pool.n_batches);
        drop(pool);
        fill(app, seed);
    }
}

fn fill(app: &App, seed: u64) {
    let asked = Asked::of(app);
    let (version, found) = choose(app, &asked, seed);
    let mut pool = locked(&app.pool);
    if app.version() != version {
        return;
    }
    match found {
        Ok(questions) => {
            let is_open = |question: &Question| match question.kind {
                Kind::Repeat => asked.answered.contains(&key(question.triplet)),
                _ => true,
            };
            if std::mem::take(&mut pool.is_stale) {
                pool.ready.clear();
            }
            // Those that stand ready were chosen without knowing of these.
            let ready: HashSet<_> = pool.ready.iter().map(|(question, _)| key(question.triplet)).collect();
            let fresh = questions.into_iter().filter(is_open).filter(|found| !ready.contains(&key(found.triplet)));
            let before = pool.ready.len();
            pool.ready.extend(fresh.map(|question| (question, version)));
            pool.is_exhausted = pool.ready.len() == before;
        }
        Err(AskError::NothingLeft | AskError::TooFewObjects { .. }) => pool.is_exhausted = true,
        Err(error) => {
            pool.is_exhausted = true;
            drop(pool);
            locked(&app.notes).push(format!("no questions can be chosen: {error}"));
            app.changed();
        }
    }
}

/// Chooses a batch by the model at hand, or without one.
fn choose(app: &App, asked: &Asked, seed: u64) -> (u64, Result<Vec<Question>, AskError>) {
    let threads = parallel::n_threads(app.settings.threads);
    let settings = AskSettings {
        candidates: BATCH * CANDIDATES,
        fewest: CANDIDATES,
        answered: &asked.all,
        threads,
        ..AskSettings::new(BATCH, seed)
    };
    match app.model().filter(|model| model.fitted.has_triplets()) {
        Some(model) => (model.version, suggest(&model.fitted, model.objects(&app.source), &settings)),
        None => (app.version(), suggest_cold(&app.source.table.inputs, &settings)),
    }
}

/// What was asked so far.
struct Asked {
    /// Every question that was handed out, answered or not.
    all: Vec<Triplet>,
    /// Those that were answered.
    answered: HashSet<(u32, u32, u32)>,
}

impl Asked {
    fn of(app: &App) -> Self {
        let Some(desk) = &app.desk else { return Self { all: Vec::new(), answered: HashSet::new() } };
        let desk = locked(desk);
        let ledger = desk.ledger();
        let answered = ledger.triplets().map(|(triplet, ..)| key(triplet)).collect();
        Self { all: ledger.asked().collect(), answered }
    }
}

/// What a triplet asks, whichever way it stands.
fn key(triplet: Triplet) -> (u32, u32, u32) {
    let Triplet { anchor, near, far } = triplet;
    (anchor, near.min(far), near.max(far))
}
