//! Holds triplets, the judgements "anchor is more like near than like far", with each object's roles.

mod cblearn;
mod check;
mod check_judgements;
mod choose;
mod colours;
mod columns;
mod components;
mod from_labels;
mod judgements;
mod mentioned;
mod numbering;
mod read;
mod salmon;
mod set;
mod teacher;

pub use cblearn::read_cblearn;
pub use check::{RoleCounts, TripletReport, check};
pub use check_judgements::{
    Agreement, JudgeReport, JudgementsReport, RareObject, RarelyAsked, Repeats, check_judgements,
};
pub use from_labels::{
    DEFAULT_PER_OBJECT, FarChoice, FromLabels, FromLabelsError, FromLabelsReport, LabelTriplets, NearChoice, Scheme,
};
pub use judgements::{Judgements, Judges, JudgesError, ReadingReport};
pub(crate) use mentioned::mentioned;
pub use read::{ObjectNames, collect_judgements, read_judgements, read_triplets};
pub use salmon::{is_salmon, read_salmon};
pub use set::{Role, RoleEntry, Triplet, TripletError, TripletSet};
pub(crate) use teacher::renumbered;
pub use teacher::{Teacher, TeacherError};
