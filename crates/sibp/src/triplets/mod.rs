//! Holds triplets, the judgements "anchor is more like near than like far", with each object's roles.

mod check;
mod choose;
mod colours;
mod columns;
mod components;
mod from_labels;
mod judgements;
mod numbering;
mod read;
mod set;
mod teacher;

pub use check::{RoleCounts, TripletReport, check};
pub use from_labels::{
    DEFAULT_PER_OBJECT, FarChoice, FromLabels, FromLabelsError, FromLabelsReport, LabelTriplets, NearChoice, Scheme,
};
pub use judgements::{Judgements, Judges, JudgesError, ReadingReport};
pub use read::{ObjectNames, collect_judgements, read_judgements, read_triplets};
pub use set::{Role, RoleEntry, Triplet, TripletError, TripletSet};
pub(crate) use teacher::renumbered;
pub use teacher::{Teacher, TeacherError};
