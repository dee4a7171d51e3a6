//! Estimates the memory of a fit from its sizes alone, before anything is allocated.
//!
//! What grows with the data is counted: numbers, triplets, what a chain keeps for every object or triplet, and draws.
//! The number of bits is not known beforehand; [`EXPECTED_BITS`] stands for it.

use crate::model::{ModelKind, Shape};
use crate::run::DEFAULT_DRAWS;
use crate::transform::InputTransform;
use crate::triplets::{RoleEntry, Triplet};

/// Expected number of learned bits.
pub const EXPECTED_BITS: usize = 64;

/// Bytes of a number.
const NUMBER: u64 = 8;
/// Bytes of a triplet with its entries in the lists of its three members.
const TRIPLET: u64 = (size_of::<Triplet>() + 2 * size_of::<RoleEntry>()) as u64;
/// Bytes that a chain keeps for a triplet: two sums, and two more of a trial.
const SUMS: u64 = 4 * NUMBER;

/// Draws that the chain of a rehearsal keeps, at most.
const REHEARSED_DRAWS: u64 = super::rehearsal::MOST_DRAWS as u64;

/// The sizes that a fit's memory depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Which model.
    pub model: ModelKind,
    /// Objects.
    pub n_objects: usize,
    /// Inputs as they are read.
    pub n_inputs: usize,
    /// Bytes of a number as it is read.
    pub input_bytes: usize,
    /// Inputs after the transform.
    pub n_transformed: usize,
    /// Bytes of a number after the transform.
    pub transformed_bytes: usize,
    /// Steps of the transform.
    pub n_steps: usize,
    /// Whether inputs are kept in memory-mapped files, whose RAM the system reclaims when needed.
    pub on_disk: bool,
    /// Triplets.
    pub n_triplets: usize,
    /// Chains.
    pub chains: usize,
    /// Draws that every chain keeps.
    pub draws: usize,
    /// Whether the fit is rehearsed without some of its triplets, which takes one chain more over most of the objects.
    pub rehearses: bool,
}

impl Sizes {
    /// Sizes of one chain that keeps the default number of draws, inputs in RAM, no triplets. The shape is that of the
    /// inputs as they are read: objects, inputs, bytes of a number.
    pub fn new(
        model: ModelKind,
        steps: &InputTransform,
        (n_objects, n_inputs, input_bytes): (usize, usize, usize),
    ) -> Self {
        Self {
            model,
            n_objects,
            n_inputs,
            input_bytes,
            n_transformed: steps.n_outputs(n_inputs),
            transformed_bytes: steps.number_bytes(input_bytes),
            n_steps: steps.steps.len(),
            on_disk: false,
            n_triplets: 0,
            chains: 1,
            draws: DEFAULT_DRAWS,
            rehearses: false,
        }
    }
}

/// The purpose of a part of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The inputs as they are read.
    Inputs,
    /// The transformed inputs, a second copy from the previous transform step, and other tables that all chains share.
    Transformed,
    /// Triplets, and the lists of each object's triplets.
    Triplets,
    /// What every chain keeps for objects and triplets while it samples.
    Chains,
    /// Kept draws, and a second copy while they are written.
    Draws,
    /// Inputs, triplets and the chain of a rehearsal, beside all that.
    Rehearsal,
}

impl Part {
    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inputs => "inputs as read",
            Self::Transformed => "transformed inputs",
            Self::Triplets => "triplets",
            Self::Chains => "chains",
            Self::Draws => "kept draws",
            Self::Rehearsal => "rehearsal",
        }
    }
}

/// Bytes that a fit needs, part by part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    parts: [(Part, u64); 6],
    disk: u64,
}

impl Budget {
    /// Estimates the memory; sizes that overflow give the largest number.
    pub fn new(sizes: &Sizes) -> Self {
        let [n, chains, draws, bits] =
            [sizes.n_objects, sizes.chains, sizes.draws, EXPECTED_BITS].map(|size| size as u64);
        let (raw, transformed, triplets) = (sizes.n_inputs as u64, sizes.n_transformed as u64, sizes.n_triplets as u64);
        let own = sizes.model.memory(Shape { n_objects: n, n_inputs: transformed, n_bits: bits });
        let inputs = product(&[n, raw, sizes.input_bytes as u64]);
        // A transform step reads the result of the previous one; without steps the inputs are used as they are.
        let transformed = product(&[sizes.n_steps.min(2) as u64, n, transformed, sizes.transformed_bytes as u64]);
        let (kept, disk) =
            if sizes.on_disk { ((0, 0), [inputs, transformed]) } else { ((inputs, transformed), [0, 0]) };
        let code = bits.div_ceil(8);
        let tensors = product(&[bits, sizes.n_transformed as u64 + bits, NUMBER]);
        // Codes as drawn, and as encoded from the inputs.
        let draw = product(&[2, n, code]).saturating_add(tensors);
        let of_chain = product(&[n, own.of_object + 2 * code]).saturating_add(product(&[triplets, SUMS]));
        let lists = of_triplets(sizes.n_triplets).saturating_add(product(&[n, 3 * 4]));
        // It learns from four fifths of the objects, or from nine tenths of the triplets. Its chain takes the place of the
        // others, whose states are gone by then.
        let all_chains = product(&[chains, of_chain]);
        let own_chain = [own.shared, of_chain, product(&[draws.min(REHEARSED_DRAWS) + 1, draw])];
        let own_chain = own_chain.into_iter().fold(0, u64::saturating_add).saturating_sub(all_chains);
        let rehearsed = product(&[n, sizes.n_transformed as u64, NUMBER]).saturating_add(lists);
        let rehearsal = rehearsed.saturating_add(own_chain);
        Self {
            parts: [
                (Part::Inputs, kept.0),
                (Part::Transformed, kept.1.saturating_add(own.shared)),
                (Part::Triplets, lists),
                (Part::Chains, all_chains),
                (Part::Draws, product(&[2, chains, draws + 1, draw])),
                (Part::Rehearsal, if sizes.rehearses { rehearsal } else { 0 }),
            ],
            disk: disk[0].saturating_add(disk[1]),
        }
    }

    /// Bytes of disk used while it runs.
    pub fn disk(&self) -> u64 {
        self.disk
    }

    /// All parts.
    pub fn parts(&self) -> &[(Part, u64)] {
        &self.parts
    }

    /// Bytes of one part.
    pub fn of(&self, part: Part) -> u64 {
        self.parts.iter().filter(|(other, _)| *other == part).map(|(_, bytes)| bytes).sum()
    }

    /// Bytes in all.
    pub fn total(&self) -> u64 {
        self.parts.iter().fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// The part that takes most memory.
    pub fn largest(&self) -> Part {
        self.parts.iter().max_by_key(|(_, bytes)| *bytes).map_or(Part::Inputs, |(part, _)| *part)
    }
}

/// Bytes of this many triplets, with the lists of each object's triplets.
pub fn of_triplets(n_triplets: usize) -> u64 {
    product(&[n_triplets as u64, TRIPLET])
}

fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| product.saturating_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::probit::Limits;

    const SIZES: Sizes = Sizes {
        model: ModelKind::Probit,
        n_objects: 1_000_000,
        n_inputs: 64,
        input_bytes: 4,
        n_transformed: 64,
        transformed_bytes: 8,
        n_steps: 2,
        on_disk: false,
        n_triplets: 10_000_000,
        chains: 1,
        draws: 10,
        rehearses: false,
    };

    #[test]
    fn a_million_objects_fit_into_eight_gigabytes() {
        let budget = Budget::new(&SIZES);
        assert_eq!(budget.of(Part::Inputs), 256_000_000);
        let sample = 8 * 64 * Limits::STANDARD.many_objects as u64;
        assert_eq!(budget.of(Part::Transformed), 1_024_000_000 + sample);
        assert_eq!(budget.total(), budget.parts().iter().map(|(_, bytes)| bytes).sum::<u64>());
        assert!(budget.total() < 8 << 30, "{budget:?}");
    }

    #[test]
    fn the_largest_part_is_the_one_to_make_smaller() {
        let largest = |change: fn(&mut Sizes)| {
            let mut sizes = SIZES;
            change(&mut sizes);
            Budget::new(&sizes).largest()
        };
        assert_eq!(largest(|sizes| sizes.n_inputs = 100_000), Part::Inputs);
        assert_eq!(largest(|sizes| sizes.n_triplets = 1 << 30), Part::Triplets);
        assert_eq!(largest(|sizes| sizes.chains = 50), Part::Chains);
        assert_eq!(largest(|sizes| sizes.draws = 10_000), Part::Draws);
        assert_eq!(largest(|sizes| sizes.model = ModelKind::DdIbp), Part::Transformed);
    }

    /// A fit to labels was told to need 62 MB and took 103: it is run once more without some of its objects.
    #[test]
    fn a_rehearsal_is_counted() {
        let sizes =
            Sizes { n_objects: 20_000, n_inputs: 32, n_transformed: 32, n_triplets: 600_000, chains: 2, ..SIZES };
        let without = Budget::new(&sizes);
        let with = Budget::new(&Sizes { rehearses: true, ..sizes });
        assert_eq!(without.of(Part::Rehearsal), 0);
        assert_eq!(with.total() - without.total(), with.of(Part::Rehearsal));
        // Another set of inputs and triplets at least; its chain comes after the others.
        assert!(with.of(Part::Rehearsal) >= 20_000 * 32 * 8 + without.of(Part::Triplets), "{with:?}");
        let many = Budget::new(&Sizes { rehearses: true, chains: 8, ..sizes });
        assert!(many.of(Part::Rehearsal) <= with.of(Part::Rehearsal));
    }

    #[test]
    fn inputs_on_disk_take_no_memory_but_a_sample() {
        let memory = Budget::new(&SIZES);
        let disk = Budget::new(&Sizes { on_disk: true, ..SIZES });
        assert_eq!((memory.disk(), disk.disk()), (0, 1_280_000_000));
        assert_eq!(memory.total() - disk.total(), 1_280_000_000);
        let untouched = Budget::new(&Sizes { n_steps: 0, on_disk: true, ..SIZES });
        assert_eq!(untouched.disk(), 256_000_000);
        let single = Budget::new(&Sizes { transformed_bytes: 4, ..SIZES });
        assert_eq!(memory.of(Part::Transformed) - single.of(Part::Transformed), 512_000_000);
    }

    #[test]
    fn numbers_beyond_counting_are_too_many() {
        let sizes = Sizes { n_objects: usize::MAX, ..SIZES };
        assert_eq!(Budget::new(&sizes).total(), u64::MAX);
    }
}
