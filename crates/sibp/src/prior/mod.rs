//! Defines the priors: Indian buffet processes over bits, plain and distance-dependent, and those of weights and
//! hyper-parameters.

mod decay_text;
pub mod hyper;
pub mod ibp;
pub mod links;
pub mod proximity;
