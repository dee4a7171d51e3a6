//! Keeps judgements in an append-only journal: what was asked, what was answered, what was taken back.
//!
//! A line is a JSON object. Lines are synced before anybody is told that they are kept. docs/page.md states the format.

mod error;
mod file;
mod ledger;
mod record;
mod time;
mod triplets;

pub use error::JournalError;
pub use file::{Journal, Opened, read_journal};
pub use ledger::{Given, JudgeCount, Ledger, Posed, Refusal};
pub use record::{Answer, AnswerRecord, JournalHead, Name, QuestionRecord, Record, UndoRecord};
pub use time::now;
pub use triplets::{Contradiction, FromJournal, Keep, from_journal};
