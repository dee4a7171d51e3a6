//! Holds judgements "anchor is more like near than like far", with each object's roles.

mod set;

pub use set::{Role, RoleEntry, Triplet, TripletError, TripletSet};
