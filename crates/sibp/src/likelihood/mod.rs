//! States the likelihoods: preferences given codes, and data given codes.

pub mod linear_gaussian;
pub mod preference;
pub mod probit;
