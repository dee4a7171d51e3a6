//! Stacks hashes: bits that any object gets from its inputs, block after block.
//!
//! A block never changes once it is added, so codes of a taller stack begin with those of the lower one.

use super::{LinearHash, SpectralHash};
use crate::codes::Codes;
use crate::data::{DataError, Filling, Inputs};
use crate::encode::{Encoder, Hyperplanes, encode_parallel};
use crate::fingerprint::{Digester, Fingerprint};
use crate::transform::Transform;
use thiserror::Error;

/// A hash from transformed inputs to bits.
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

    /// The given bits alone; `None` if there are none.
    fn select(&self, bits: &[usize]) -> Option<Self> {
        match self {
            Self::Linear(hash) => hash.select(bits).ok().map(Self::Linear),
            Self::Spectral(hash) => hash.select(bits).ok().map(Self::Spectral),
        }
    }
}

/// A block of bits that were fitted together.
#[derive(Debug, Clone, PartialEq)]
pub struct HashBlock {
    /// Description of their origin.
    pub source: String,
    /// Transform of the inputs.
    pub transform: Transform,
    /// The hash of the transformed inputs.
    pub hash: Hash,
    /// Weight of each bit in the weighted distance.
    pub weights: Vec<f64>,
}

impl HashBlock {
    /// Adds to a fingerprint all that decides the bits.
    fn add_to(&self, digest: Digester) -> Digester {
        // A transform is numbers and names, which always have a text.
        let transform = serde_json::to_vec(&self.transform).unwrap_or_default();
        let digest = digest.bytes(&transform);
        match &self.hash {
            Hash::Linear(hash) => digest.numbers(hash.weights()).numbers(hash.thresholds()),
            Hash::Spectral(hash) => {
                let modes = hash.modes().iter().flat_map(|mode| [mode.direction, mode.n_half_waves]);
                let digest = digest.numbers(hash.directions()).numbers(hash.lows()).numbers(hash.ranges());
                modes.fold(digest, Digester::count)
            }
        }
    }

    /// A block whose bits all have weight 1.
    pub fn new(source: impl Into<String>, transform: Transform, hash: Hash) -> Self {
        let weights = vec![1.0; hash.n_bits()];
        Self { source: source.into(), transform, hash, weights }
    }

    /// A block of bits that are thresholds of projections, with a weight each; `None` if there are no bits.
    pub fn of_hyperplanes(
        source: impl Into<String>,
        transform: Transform,
        planes: &Hyperplanes,
        weights: Vec<f64>,
    ) -> Option<Self> {
        // x·g - (-t) is x·g + t to the last bit, so both give the same codes.
        let thresholds = planes.offsets.iter().map(|offset| -offset).collect();
        let hash = LinearHash::new(transform.n_outputs(), planes.coefficients.clone(), thresholds).ok()?;
        Some(Self { weights, ..Self::new(source, transform, Hash::Linear(hash)) })
    }

    /// Codes of objects by transformed inputs.
    pub(crate) fn encode_transformed(&self, inputs: &Inputs) -> Codes {
        self.hash.encoder().encode(inputs, 0)
    }

    /// Linear blocks of the same transform as one, under the name of the first; `None` if there are none.
    pub(crate) fn joined(blocks: &[Self]) -> Option<Self> {
        let first = blocks.first()?;
        let (mut weights, mut thresholds, mut bit_weights) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks {
            let Hash::Linear(hash) = &block.hash else { return None };
            weights.extend_from_slice(hash.weights());
            thresholds.extend_from_slice(hash.thresholds());
            bit_weights.extend_from_slice(&block.weights);
        }
        let hash = LinearHash::new(first.transform.n_outputs(), weights, thresholds).ok()?;
        Some(Self { hash: Hash::Linear(hash), weights: bit_weights, ..first.clone() })
    }

    /// The block with the given bits alone; `None` if there are none.
    pub fn select(&self, bits: &[usize]) -> Option<Self> {
        let weights = bits.iter().map(|&bit| self.weights[bit]).collect();
        Some(Self { hash: self.hash.select(bits)?, weights, ..self.clone() })
    }
}

/// Why blocks cannot form a stack.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StackError {
    /// A stack needs at least one block.
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
    /// A block has too many or too few weights, or one that is no weight.
    #[error("block {block}: its {n_bits} bits need a weight each, finite and not negative")]
    Weights {
        /// Which block.
        block: usize,
        /// Its bits.
        n_bits: usize,
    },
    /// There are names for more or fewer inputs than the blocks read.
    #[error("there are {got} names of inputs, but the blocks read {expected}")]
    Names {
        /// Inputs of the blocks.
        expected: usize,
        /// Names given.
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
    input_names: Option<Vec<String>>,
}

impl HashStack {
    /// Checks that the blocks belong together.
    pub fn new(blocks: Vec<HashBlock>) -> Result<Self, StackError> {
        let expected = blocks.first().ok_or(StackError::Empty)?.transform.n_inputs();
        for (block, part) in blocks.iter().enumerate() {
            let n_bits = part.hash.n_bits();
            if part.weights.len() != n_bits || part.weights.iter().any(|w| !w.is_finite() || *w < 0.0) {
                return Err(StackError::Weights { block, n_bits });
            }
            let got = part.transform.n_inputs();
            if got != expected {
                return Err(StackError::Inputs { block, expected, got });
            }
            let (expected, got) = (part.hash.encoder().n_inputs(), part.transform.n_outputs());
            if got != expected {
                return Err(StackError::Transformed { block, expected, got });
            }
        }
        Ok(Self { blocks, input_names: None })
    }

    /// The same blocks over inputs with these names.
    pub fn named(self, input_names: Option<Vec<String>>) -> Result<Self, StackError> {
        let expected = self.n_inputs();
        match input_names.as_ref().map(Vec::len).filter(|&got| got != expected) {
            Some(got) => Err(StackError::Names { expected, got }),
            None => Ok(Self { input_names, ..self }),
        }
    }

    /// Names of the inputs in the order in which the blocks read them, where they are known.
    pub fn input_names(&self) -> Option<&[String]> {
        self.input_names.as_deref()
    }

    /// The rule for missing values that its first block with one was fitted by.
    pub fn filling(&self) -> Option<&Filling> {
        self.blocks.iter().find_map(|block| block.transform.filling())
    }

    /// What the bits mean: transforms, directions and thresholds, but neither weights nor descriptions.
    pub fn fingerprint(&self) -> Fingerprint {
        let add = |digest: Digester, block: &HashBlock| block.add_to(digest);
        self.blocks.iter().fold(Digester::new("hash"), add).finish()
    }

    /// The blocks in the order of their bits.
    pub fn blocks(&self) -> &[HashBlock] {
        &self.blocks
    }

    /// The stack with a further block on top.
    pub fn with(&self, block: HashBlock) -> Result<Self, StackError> {
        Self::new(self.blocks.iter().cloned().chain([block]).collect())?.named(self.input_names.clone())
    }

    /// The stack with only the bits for which `keep` is true, one answer a bit; blocks without any are removed.
    ///
    /// # Panics
    /// When there are fewer answers than bits.
    pub fn select(&self, keep: &[bool]) -> Result<Self, StackError> {
        let mut first = 0;
        let mut blocks = Vec::new();
        for block in &self.blocks {
            let n_bits = block.hash.n_bits();
            let bits: Vec<usize> = (0..n_bits).filter(|bit| keep[first + bit]).collect();
            blocks.extend(block.select(&bits));
            first += n_bits;
        }
        Self::new(blocks)?.named(self.input_names.clone())
    }

    /// The stack with other weights, one a bit.
    pub(crate) fn with_weights(&self, weights: &[f64]) -> Result<Self, StackError> {
        let mut rest = weights.iter().copied();
        let weighed = |block: &HashBlock| {
            let weights = rest.by_ref().take(block.hash.n_bits()).collect();
            HashBlock { weights, ..block.clone() }
        };
        Self::new(self.blocks.iter().map(weighed).collect())?.named(self.input_names.clone())
    }

    /// Weight of every bit.
    pub fn weights(&self) -> Vec<f64> {
        self.blocks.iter().flat_map(|block| block.weights.iter().copied()).collect()
    }

    /// Bits of a code.
    pub fn n_bits(&self) -> usize {
        self.blocks.iter().map(|block| block.hash.n_bits()).sum()
    }

    /// Inputs of an object, before any transform.
    pub fn n_inputs(&self) -> usize {
        self.blocks[0].transform.n_inputs()
    }

    /// Codes of objects by their inputs as they are read, on one core.
    pub fn encode(&self, inputs: &Inputs) -> Result<Codes, DataError> {
        self.encode_on(inputs, 1)
    }

    /// The same on several cores; 0 for all.
    pub fn encode_on(&self, inputs: &Inputs, threads: usize) -> Result<Codes, DataError> {
        let of_block = |block: &HashBlock| {
            let transformed = block.transform.apply(inputs)?;
            Ok(encode_parallel(block.hash.encoder(), &transformed, 0, threads))
        };
        let parts: Vec<Codes> = self.blocks.iter().map(of_block).collect::<Result<_, DataError>>()?;
        Ok(Codes::side_by_side(&parts.iter().collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(n_inputs: usize, hash: LinearHash) -> HashBlock {
        let train = Inputs::new(2, n_inputs, (0..2 * n_inputs).map(|v| v as f64).collect()).unwrap();
        let transform = Transform::fit(&"centre".parse().unwrap(), &train).unwrap();
        HashBlock::new("test", transform, Hash::Linear(hash))
    }

    #[test]
    fn codes_of_a_taller_stack_begin_with_those_of_the_lower() {
        let hash = |weight: f64| LinearHash::new(2, vec![weight, 1.0], vec![0.1]).unwrap();
        let low = HashStack::new(vec![block(2, hash(1.0))]).unwrap();
        let tall = HashStack::new(vec![block(2, hash(1.0)), block(2, hash(-2.0))]).unwrap();
        let x = Inputs::new(5, 2, vec![0.0, 3.0, 1.0, 1.0, 2.0, 2.0, 4.0, 0.0, 3.0, 5.0]).unwrap();
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
        let heavy = HashBlock { weights: vec![1.0, 2.0], ..block(2, hash(2)) };
        assert_eq!(HashStack::new(vec![heavy]), Err(StackError::Weights { block: 0, n_bits: 1 }));
        let stack = HashStack::new(vec![block(2, hash(2))]).unwrap();
        let error = stack.named(Some(vec!["a".to_owned()])).unwrap_err();
        assert_eq!(error, StackError::Names { expected: 2, got: 1 });
    }

    #[test]
    fn chosen_bits_are_those_of_the_whole() {
        let two = || LinearHash::new(2, vec![1.0, 1.0, 1.0, -1.0], vec![0.1, 0.2]).unwrap();
        let stack = HashStack::new(vec![block(2, two()), block(2, two())]).unwrap();
        let x = Inputs::new(3, 2, vec![0.0, 3.0, 4.0, 0.0, 3.0, 5.0]).unwrap();
        let stack = stack.named(Some(vec!["a".to_owned(), "b".to_owned()])).unwrap();
        let chosen = stack.select(&[false, true, false, false]).unwrap();
        assert_eq!(chosen.input_names(), stack.input_names());
        assert_eq!((chosen.blocks().len(), chosen.n_bits(), chosen.weights()), (1, 1, vec![1.0]));
        let (all, one) = (stack.encode(&x).unwrap(), chosen.encode(&x).unwrap());
        assert!((0..3).all(|row| one.get(row, 0) == all.get(row, 1)));
        assert_eq!(stack.select(&[false; 4]), Err(StackError::Empty));
    }
}
