//! Holds the numbers kept of every sweep.

/// The numbers kept of every sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Learned bits.
    pub n_bits: usize,
    /// Log joint density.
    pub log_joint: f64,
    /// Log likelihood of the triplets, or of the inputs where the model has no triplets: of the same dimension whatever
    /// the number of bits.
    pub log_likelihood: f64,
    /// Share of triplets with probability above one half.
    pub satisfied: f64,
    /// Named hyper-parameters, always the same names in the same order.
    pub scalars: Vec<(&'static str, f64)>,
}
