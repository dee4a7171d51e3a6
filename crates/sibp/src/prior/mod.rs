//! States the priors: the Indian buffet process over bits, and those of weights and hyper-parameters.

pub mod hyper;
pub mod ibp;
