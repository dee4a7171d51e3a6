//! Learns short binary codes from triplets: the Supervised Indian Buffet Process.
//!
//! From "this is more like that than like the other", or from labels, a model infers bits for every object **and how
//! many bits there are**. Unseen objects get codes from their inputs, and an exact index finds the nearest ones.
//!
//! ```
//! use sibp::{Inputs, Fit, HammingIndex, Labels, Reading, RunControl, Search};
//!
//! let inputs = Inputs::new(6, 1, vec![0.0, 0.1, 0.2, 5.0, 5.1, 5.2])?;
//! let labels = Labels::from_text(&["low", "low", "low", "high", "high", "high"]);
//! let fitted = Fit::by_labels(inputs, labels).seed(1).sweeps(50).run(&RunControl::default())?;
//! let coder = fitted.coder(Reading::default())?;
//! let index = HammingIndex::from_codes(coder.database())?;
//! let query = coder.encode(&Inputs::new(1, 1, vec![5.3])?)?;
//! let found = index.search(&query, &Search::nearest(3))?;
//! assert!(found.ids(0).iter().all(|&id| id >= 3), "the nearest are high");
//! # Ok::<(), sibp::Error>(())
//! ```
//!
//! The names here are enough for most uses; the modules hold the rest. Modules that users never need (kernels,
//! likelihoods, numerics) are public with the Cargo feature `internals`. Modules import from those below them only:
//! ARCHITECTURE.md lists the layers.

// Without the feature, items of the private modules that only studies use are unreachable.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unused_imports))]

mod error;
mod fault;

pub mod codes;
pub mod fingerprint;
#[doc(hidden)]
pub mod words;

#[cfg(feature = "internals")]
pub mod numerics;
#[cfg(not(feature = "internals"))]
mod numerics;
#[doc(hidden)]
pub mod parallel;
pub mod rng;

mod backing;
#[cfg(feature = "internals")]
pub mod bits;
#[cfg(not(feature = "internals"))]
mod bits;
pub mod data;

pub mod transform;
pub mod triplets;

#[cfg(feature = "internals")]
pub mod likelihood;
#[cfg(not(feature = "internals"))]
mod likelihood;
#[cfg(feature = "internals")]
pub mod prior;
#[cfg(not(feature = "internals"))]
mod prior;
#[cfg(feature = "internals")]
pub mod schedule;
#[cfg(not(feature = "internals"))]
mod schedule;
pub mod trace;

pub mod encode;
#[cfg(feature = "internals")]
pub mod state;
#[cfg(not(feature = "internals"))]
mod state;

pub mod hash;
#[cfg(feature = "internals")]
pub mod kernel;
#[cfg(not(feature = "internals"))]
mod kernel;

pub mod model;

pub mod run;

pub mod format;

pub mod describe;
pub mod distil;
pub mod eval;
pub mod pipeline;

pub mod baseline;
pub mod held_out;
pub mod index;

pub mod ask;
pub mod extend;
pub mod judging;
pub mod method;
pub mod tune;
pub mod verify;

pub use codes::Codes;
pub use data::{Inputs, Labels, ReadOptions, Table, read_labels, read_table};
pub use error::Error;
pub use extend::GrowingCode;
pub use format::Fitted;
pub use hash::HashStack;
pub use index::{HammingIndex, Metric, Search};
pub use model::{ModelKind, ModelOptions, Preset};
pub use pipeline::{Coder, DrawChoice, Fit, Reading, Teaching};
pub use run::RunControl;
pub use triplets::{FromLabels, Triplet};

/// The Rust blocks of the README files and of the handbook, which are compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Crate;
    #[doc = include_str!("../pages/README.md")]
    struct Readme;
    #[doc = include_str!("../pages/rust.md")]
    struct Rust;
}
