//! Serves a page on this machine: codes to look at and search, and questions for people.
//!
//! [`Server::bind`] takes what is shown ([`Source`]), a model or none, and a journal of answers or none; [`Server::run`]
//! serves until [`Stop::stop`]. Every request passes `guard` before it is routed. Answers are in the journal, and synced,
//! before they are acknowledged.

mod api;
mod app;
mod asker;
mod assets;
pub mod base64;
mod desk;
mod events;
mod failure;
mod guard;
pub mod journal;
mod learner;
mod model;
mod pictures;
mod progress;
mod serve;
mod source;
mod token;

pub use app::{Settings, Start};
pub use failure::PageError;
pub use guard::Limits;
pub use pictures::Pictures;
pub use serve::{Server, Stop};
pub use source::{Base, Source};
