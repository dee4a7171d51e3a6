//! Holds the sizes from which the probit model works in another way, so that checks can lower them.

/// The sizes from which work is done in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From this many objects on, inputs are not rotated, and a sample is used first.
    pub many_objects: usize,
    /// Objects of that sample.
    pub sample: usize,
    /// Fewer objects than this are projected one direction at a time, and their heights stored individually.
    pub few_objects: usize,
    /// Largest number of multiplications for all directions of the control variate of Λ: some seconds. Where this allows
    /// fewer directions, the objects of largest norm, whose maxima are nearly those of all, are projected on the others.
    /// Heights of many inputs differ little from one direction to another, so that beyond 128 inputs fewer are made.
    pub multiplications: usize,
    /// Largest number of objects of largest norm that are projected on the others.
    pub outer_objects: usize,
    /// Leading axes along which the curvature of a column is dense; along the others it is diagonal.
    pub head: usize,
    /// Largest number of triplets of each role that guide an object's bit. Of more, an even subset is used: a proposal
    /// needs an approximation only, as long as birth and death use the same.
    pub guides: usize,
    /// Objects that a thread takes at a time.
    pub take: usize,
    /// Whether objects are assigned to threads beforehand, so that all threads work however late they start.
    pub assigned: bool,
    /// Rejected flips after which several are evaluated at once: each gives the same result as alone, but an accepted
    /// one invalidates those behind it.
    pub calm: usize,
}

impl Limits {
    /// The sizes of every run.
    pub const STANDARD: Self = Self {
        many_objects: 2 * 8192,
        sample: 8192,
        few_objects: 1024,
        multiplications: 100_000_000_000,
        outer_objects: 16_384,
        head: 128,
        guides: 32,
        take: 64,
        assigned: false,
        calm: 8,
    };
}
