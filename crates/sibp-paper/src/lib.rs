//! Reproduces the paper: its figures and tables, the synthetic data behind them, and tests of what it claims.
//!
//! `sibp reproduce` is the command-line front end of this crate: it reads options, shows progress, and prints what is
//! returned here.
//!
//! ```
//! use sibp_paper::Silent;
//! use sibp_paper::figures::{self, Figure, FigureArgs};
//!
//! let folder = tempfile::tempdir()?;
//! let out = folder.path().to_owned();
//! let mut args = FigureArgs { out, seed: 1, sweeps: 3, chains: 1, per_object: 2, threads: 1, talk: &Silent };
//! let markdown = figures::run(Figure::Three, &args)?;
//! assert!(markdown.starts_with("# Figure 3"));
//! assert!(folder.path().join("fig3.svg").exists());
//!
//! args.chains = 0;
//! assert!(figures::run(Figure::Three, &args).is_err());
//! # anyhow::Ok(())
//! ```

#[cfg(test)]
mod build_hash;
#[cfg(test)]
mod build_hash_tests;
mod csv_file;
pub mod digits;
pub mod drawing;
pub mod figures;
mod kept;
mod misuse;
pub mod synthetic;
pub mod tables;
mod talk;
pub mod words;

pub use kept::BUILD;
pub use misuse::Misuse;
pub use talk::{Silent, Talk};
