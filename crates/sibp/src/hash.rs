//! Stacks hashes: bits that any object gets from its inputs, block after block.
//!
//! A block never changes once it stands, so codes of a taller stack begin with those of the lower one.

use crate::baseline::{LinearHash, SpectralHash};
use crate::codes::Codes;
use crate::data::{DataError, Features, Transform};
use crate::encode::Encoder;
use thiserror::Error;

/// A way from transformed inputs to bits.
#[derive(Debug, Clone, PartialEq)]
pub enum Hash {
    /// Thresholds of projections: learned bits, attributes, ITQ, LSH.
    Linear(LinearHash),
    /// Signs of waves.
    Spectral(SpectralHash),
}

impl Hash {
    fn encoder(&self) -> &dyn Encoder {
        match self {
            Self::Linear(hash) => hash,
            Self::Spectral(hash) => hash,
        }
    }

    /// Bits of a code.
    pub fn n_bits(&self) -> usize {
        self.encoder().n_bits()
    }
}

/// Bits that came together.
#[derive(Debug, Clone, PartialEq)]
pub struct HashBlock {
    /// Where they came from, for people.
    pub source: String,
    /// What is done to inputs first.
    pub transform: Transform,
    /// From there to bits.
    pub hash: Hash,
}

/// Blocks that do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StackError {
    /// A stack needs a block.
    #[error("there is no block of bits")]
    Empty,
    /// Blocks read different inputs.
    #[error("block {block} reads {got} inputs, but the first reads {expected}")]
    Inputs {
        /// Which block.
        block: usize,
        /// Inputs of the first.
        expected: usize,
        /// Inputs of this one.
        got: usize,
    },
    /// A transform gives other inputs than its hash reads.
    #[error("block {block}: the transform gives {got} inputs, but the hash reads {expected}")]
    Transformed {
        /// Which block.
        block: usize,
        /// Inputs of the hash.
        expected: usize,
        /// Outputs of the transform.
        got: usize,
    },
}

/// Blocks of bits over the same inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct HashStack {
    blocks: Vec<HashBlock>,
}

impl HashStack {
    /// Checks that the blocks belong together.
    pub fn new(blocks: Vec<HashBlock>) -> Result<Self, StackError> {
        let expected = blocks.first().ok_or(StackError::Empty)?.transform.n_inputs();
        for (block, part) in blocks.iter().enumerate() {
            let got = part.transform.n_inputs();
            if got != expected {
                return Err(StackError::Inputs { block, expected, got });
            }
            let (expected, got) = (part.hash.encoder().n_inputs(), part.transform.n_outputs());
            if got != expected {
                return Err(StackError::Transformed { block, expected, got });
            }
        }
        Ok(Self { blocks })
    }

    /// The blocks in the order of their bits.
    pub fn blocks(&self) -> &[HashBlock] {
        &self.blocks
    }

    /// Bits of a code.
    pub fn n_bits(&self) -> usize {
        self.blocks.iter().map(|block| block.hash.n_bits()).sum()
    }

    /// Inputs of an object, before any transform.
    pub fn n_inputs(&self) -> usize {
        self.blocks[0].transform.n_inputs()
    }

    /// Codes of objects by their inputs as they are read.
    pub fn encode(&self, features: &Features) -> Result<Codes, DataError> {
        let part = |block: &HashBlock| Ok(block.hash.encoder().encode(&block.transform.apply(features)?, 0));
        let parts: Vec<Codes> = self.blocks.iter().map(part).collect::<Result<_, DataError>>()?;
        Ok(Codes::side_by_side(&parts.iter().collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(n_inputs: usize, hash: LinearHash) -> HashBlock {
        let train = Features::new(2, n_inputs, (0..2 * n_inputs).map(|v| v as f64).collect()).unwrap();
        let transform = Transform::fit(&"centre".parse().unwrap(), &train).unwrap();
        HashBlock { source: "test".to_owned(), transform, hash: Hash::Linear(hash) }
    }

    #[test]
    fn codes_of_a_taller_stack_begin_with_those_of_the_lower() {
        let hash = |weight: f64| LinearHash::new(2, vec![weight, 1.0], vec![0.1]).unwrap();
        let low = HashStack::new(vec![block(2, hash(1.0))]).unwrap();
        let tall = HashStack::new(vec![block(2, hash(1.0)), block(2, hash(-2.0))]).unwrap();
        let x = Features::new(5, 2, vec![0.0, 3.0, 1.0, 1.0, 2.0, 2.0, 4.0, 0.0, 3.0, 5.0]).unwrap();
        let (low, tall) = (low.encode(&x).unwrap(), tall.encode(&x).unwrap());
        assert_eq!((low.n_bits(), tall.n_bits()), (1, 2));
        assert!((0..5).all(|row| low.get(row, 0) == tall.get(row, 0)));
        assert!((0..5).any(|row| tall.get(row, 0) != tall.get(row, 1)));
    }

    #[test]
    fn blocks_that_do_not_belong_together_are_refused() {
        let hash = |n: usize| LinearHash::new(n, vec![1.0; n], vec![0.0]).unwrap();
        assert_eq!(HashStack::new(Vec::new()), Err(StackError::Empty));
        let error = HashStack::new(vec![block(2, hash(2)), block(3, hash(3))]).unwrap_err();
        assert_eq!(error, StackError::Inputs { block: 1, expected: 2, got: 3 });
        let error = HashStack::new(vec![block(2, hash(3))]).unwrap_err();
        assert_eq!(error, StackError::Transformed { block: 0, expected: 3, got: 2 });
    }
}
