//! Joins what all requests share: the objects, the model at hand, the desk where questions are asked, and who listens.

use crate::asker::Pool;
use crate::desk::Desk;
use crate::learner::Learning;
use crate::model::Shown;
use crate::progress::Progress;
use crate::token::Token;
use crate::{Limits, PageError, Source};
use sibp::Fitted;
use sibp::pipeline::Reading;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::sync::watch;

/// A model to begin with.
#[derive(Debug)]
pub struct Start {
    /// The model.
    pub fitted: Fitted,
    /// Its file, which is watched: the page says so when it is gone.
    pub path: PathBuf,
}

/// How the page is served.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// How codes are read from models.
    pub reading: Reading,
    /// The journal of answers; nobody is asked anything without one.
    pub journal: Option<PathBuf>,
    /// Seed of questions and of models that are learned.
    pub seed: u64,
    /// Threads of models that are learned; 0 for all cores.
    pub threads: usize,
    /// Answers after which codes are first learned; a default where it is absent.
    pub first_fit: Option<usize>,
    /// What a browser may use up.
    pub limits: Limits,
}

/// All that requests share.
pub struct App {
    pub source: Source,
    pub settings: Settings,
    pub token: Token,
    /// The file of the first model.
    pub file: Option<PathBuf>,
    pub desk: Option<Mutex<Desk>>,
    pub pool: Mutex<Pool>,
    /// Tells the asker and the learner that there is something to do.
    pub work: Condvar,
    pub learning: Mutex<Learning>,
    pub progress: Mutex<Progress>,
    /// What to say to people beside the state of things.
    pub notes: Mutex<Vec<String>>,
    pub over: AtomicBool,
    model: RwLock<Option<Arc<Shown>>>,
    changes: watch::Sender<u64>,
}

impl App {
    /// Sets everything up, and reads the journal.
    pub fn new(source: Source, start: Option<Start>, settings: Settings) -> Result<Self, PageError> {
        if source.n_objects() == 0 {
            return Err(PageError::NoObjects);
        }
        let file = start.as_ref().map(|start| start.path.clone());
        // Triplets that the caller knows are those of the model, so that its chains can go on.
        let has_base = source.base.triplets().is_some_and(|base| !base.is_empty()) && settings.journal.is_some();
        let last = start.as_ref().filter(|_| has_base).map(|start| start.fitted.clone());
        let model = start.map(|start| Shown::new(1, start.fitted, settings.reading, &source)).transpose()?;
        let mut notes = Vec::new();
        let desk = settings.journal.as_deref().map(|path| Desk::open(path, &source, &mut notes)).transpose()?;
        let missing = source.pictures.n_missing();
        if missing > 0 {
            notes.push(format!("{} have no picture", sibp::words::count(missing, "object")));
        }
        Ok(Self {
            token: Token::random()?,
            file,
            desk: desk.map(Mutex::new),
            pool: Mutex::default(),
            work: Condvar::new(),
            learning: Mutex::new(Learning::after(last)),
            progress: Mutex::default(),
            notes: Mutex::new(notes),
            over: AtomicBool::new(false),
            model: RwLock::new(model.map(Arc::new)),
            changes: watch::Sender::new(0),
            source,
            settings,
        })
    }

    /// The model at hand. Whoever holds it keeps it, also when another is swapped in.
    pub fn model(&self) -> Option<Arc<Shown>> {
        self.model.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The version of the model at hand; 0 without one.
    pub fn version(&self) -> u64 {
        self.model().map_or(0, |model| model.version)
    }

    /// Swaps a model in.
    pub fn swap(&self, shown: Shown) {
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(shown));
        locked(&self.pool).grow_stale();
        self.work.notify_all();
        self.changed();
    }

    /// Tells all browsers that something changed.
    pub fn changed(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    /// Hears of changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Whether the server is ending.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Ends the threads of the asker and the learner, and leaves the journal to others.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.desk.iter().for_each(|desk| locked(desk).close());
        // Whoever looks at the flag under the lock has not seen it yet, or waits and is woken.
        drop(locked(&self.pool));
        self.work.notify_all();
    }
}

/// Locks what no request leaves half done: a panic elsewhere is no reason to stop.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
