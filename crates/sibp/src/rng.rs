//! Derives independent random streams from (seed, chain, purpose, sweep, row), so that no result depends on threads.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The purpose of a stream. Numbers are part of the reproducibility promise: never reuse one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The first state of a chain.
    Start = 1,
    /// A kernel of the schedule; the position in the schedule is added.
    Kernel = 1000,
    /// Codes for unseen objects.
    Encode = 3,
    /// The expected number of active bits of the probit model.
    Rate = 5,
    /// Random input transforms.
    Transform = 6,
    /// Objects held out while tuning.
    Tune = 7,
    /// Objects left out while codes are extended.
    Extend = 8,
    /// Keys of the objects in the reservoir sample.
    Memory = 9,
    /// Objects of a training and a test part.
    Split = 10,
    /// Sampler tests.
    Verify = 4,
}

/// Derives a stream for each of many objects, parts or bits that share a seed.
pub fn numbered(seed: [u8; 32], number: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::from_seed(seed);
    rng.set_stream(number as u64);
    rng
}

/// The source of all random streams of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    chain: u64,
}

impl Streams {
    /// Streams of one chain.
    pub fn new(seed: u64, chain: usize) -> Self {
        Self { seed, chain: chain as u64 }
    }

    /// The stream of one purpose; `offset` separates several users of the same purpose.
    pub fn rng(&self, purpose: Purpose, offset: usize, sweep: u64) -> ChaCha8Rng {
        let words = [self.seed, self.chain, purpose as u64 + offset as u64, sweep];
        let mut key = [0u8; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}
