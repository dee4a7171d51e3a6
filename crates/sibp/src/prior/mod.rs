//! States the priors: Indian buffet processes over bits, plain and distance-dependent, and those of weights and
//! hyper-parameters.

pub mod hyper;
pub mod ibp;
pub mod links;
pub mod proximity;
