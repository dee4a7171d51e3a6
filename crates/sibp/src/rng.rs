//! Derives independent random streams from (seed, chain, purpose, sweep, row), so that no result depends on threads.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

macro_rules! purposes {
    ($($(#[$doc:meta])* $name:ident = $numbers:expr,)*) => {
        /// The purpose of a stream.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Purpose {
            $($(#[$doc])* $name,)*
        }

        impl Purpose {
            /// Every purpose.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The numbers of this purpose's streams, which no other purpose has; the first belongs to offset 0.
            ///
            /// They are part of the reproducibility promise: never reuse one.
            pub fn numbers(self) -> Range<u64> {
                match self {
                    $(Self::$name => $numbers,)*
                }
            }
        }
    };
}

purposes! {
    /// The first state of a chain.
    Start = 1..2,
    /// A kernel of the schedule; the offset is the position in the schedule.
    Kernel = 1000..1 << 32,
    /// Codes for unseen objects.
    Encode = 3..4,
    /// Sampler tests.
    Verify = 4..5,
    /// The expected number of active bits of the probit model, by scramble. Chains depend on it, and a resumed chain
    /// computes it anew.
    Rate = 5..13,
    /// Random input transforms: the width of the kernel function, then the directions.
    Transform = wide(6),
    /// Objects held out while tuning.
    Tune = wide(7),
    /// Codes that are extended: the parts that chains leave out, the parts of cross-fitted bits, the chains' seeds.
    Extend = wide(8),
    /// Keys of the objects in the reservoir sample.
    Memory = wide(9),
    /// Objects of a training and a test part: of the paper's tables, of the demonstration, of pruning.
    Split = wide(10),
    /// Random hashes: hyperplanes, first rotations.
    Hash = wide(11),
    /// Triplets held out of a rehearsal.
    Rehearsal = wide(12),
    /// Weights of bits that only an unseen object has.
    OwnBits = wide(13),
    /// Codes that stand for many draws: the questions they are to answer, and the flips of their bits.
    Distil = wide(14),
    /// Questions to ask next: candidates, the random ones, their order.
    Ask = wide(16),
    /// Chains that continue those of an earlier fit.
    Continue = wide(17),
    /// Judgements and objects held out while a fit is assessed.
    Judging = wide(15),
}

/// Numbers of a purpose with room for any offset, above those of purposes that were numbered one by one.
const fn wide(purpose: u64) -> Range<u64> {
    purpose << 32..(purpose + 1) << 32
}

/// Derives a stream for each of many objects, parts or bits that share a seed.
pub fn numbered(seed: [u8; 32], number: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::from_seed(seed);
    rng.set_stream(number as u64);
    rng
}

/// A numbered stream of a seed, with a key that no purpose has.
///
/// It chooses the triplets of each anchor, which a resumed run builds anew, and the folds and orders of support vector
/// machines, which never meet triplets in one result: both keep what they drew before there were purposes.
pub fn of_seed(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
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
    ///
    /// # Panics
    /// When the purpose has no number for the offset.
    pub fn rng(&self, purpose: Purpose, offset: usize, sweep: u64) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.key(number(purpose, offset), sweep))
    }

    /// A seed for a run of its own, whose streams differ from this one's and from those of its other runs.
    pub fn seed(&self, purpose: Purpose, offset: usize, sweep: u64) -> u64 {
        self.rng(purpose, offset, sweep).next_u64()
    }

    /// The stream that had this number before offsets had numbers of their own, when purposes could meet.
    ///
    /// Only for what stored files draw again from it.
    pub fn of_earlier_builds(&self, number: u64) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.key(number, 0))
    }

    fn key(&self, number: u64, sweep: u64) -> [u8; 32] {
        let mut key = [0u8; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip([self.seed, self.chain, number, sweep]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        key
    }
}

fn number(purpose: Purpose, offset: usize) -> u64 {
    let Range { start, end } = purpose.numbers();
    assert!((offset as u64) < end - start, "{purpose:?} has no stream {offset}");
    start + offset as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn no_two_purposes_and_offsets_share_a_stream() {
        let mut owners: BTreeMap<u64, (Purpose, usize)> = BTreeMap::new();
        for &purpose in Purpose::ALL {
            // The first offsets, all that are in use among them, and the last, next to the numbers of another purpose.
            let n = (purpose.numbers().end - purpose.numbers().start) as usize;
            let first = n.min(100_000);
            for offset in (0..first).chain(n.saturating_sub(1000).max(first)..n) {
                if let Some(other) = owners.insert(number(purpose, offset), (purpose, offset)) {
                    panic!("{other:?} and {:?} share a stream", (purpose, offset));
                }
            }
        }
        // What cannot be enumerated: whole ranges.
        for (at, a) in Purpose::ALL.iter().enumerate() {
            for b in &Purpose::ALL[at + 1..] {
                let (a, b) = (a.numbers(), b.numbers());
                assert!(a.end <= b.start || b.end <= a.start, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn chains_and_what_they_rest_on_keep_their_streams() {
        let old = |first: u64, offset: usize| Streams::new(7, 2).key(first + offset as u64, 5);
        for (purpose, first, n) in
            [(Purpose::Start, 1, 1), (Purpose::Kernel, 1000, 50), (Purpose::Encode, 3, 1), (Purpose::Rate, 5, 8)]
        {
            for offset in 0..n {
                let key = Streams::new(7, 2).key(number(purpose, offset), 5);
                assert_eq!(key, old(first, offset), "{purpose:?} {offset}");
            }
        }
        let mut rng = Streams::new(7, 2).rng(Purpose::Kernel, 3, 5);
        let mut written_out = [0u8; 32];
        (written_out[0], written_out[8], written_out[24]) = (7, 2, 5);
        written_out[16..18].copy_from_slice(&1003u16.to_le_bytes());
        assert_eq!(rng.next_u64(), ChaCha8Rng::from_seed(written_out).next_u64());
    }

    #[test]
    fn runs_of_neighbouring_seeds_share_no_chain() {
        let seeds = |seed: u64| (0..5).map(move |chain| Streams::new(seed, chain).seed(Purpose::Extend, 2, 0));
        let all: std::collections::BTreeSet<u64> = (0..100).flat_map(seeds).collect();
        assert_eq!(all.len(), 500);
    }

    #[test]
    #[should_panic(expected = "Rate has no stream 8")]
    fn an_offset_without_a_number_is_refused() {
        Streams::new(0, 0).rng(Purpose::Rate, 8, 0);
    }
}
