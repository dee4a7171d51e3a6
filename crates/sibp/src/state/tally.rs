//! Counts proposals by kind, and how many of them were accepted: checks fail where a kind never is.

macro_rules! proposals {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A kind of proposal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Proposal {
            $($(#[$doc])* $name,)*
        }

        const N_KINDS: usize = [$(Proposal::$name),*].len();
    };
}

proposals! {
    /// A flip of one bit of one object.
    Flip,
    /// A flip that was scored together with others.
    GroupedFlip,
    /// Work of a colour on more than one thread; accepted where more than one took part.
    SharedColour,
    /// New bits that one object owns, for those it had.
    Singletons,
    /// A birth with a hyperplane from the prior (probit).
    PlainBirth,
    /// The death that reverses it.
    PlainDeath,
    /// A birth with bits guided by triplets (probit).
    GuidedBirth,
    /// The death that reverses it.
    GuidedDeath,
    /// A birth with a coin for each connected set of objects (probit).
    ComponentBirth,
    /// The death that reverses it.
    ComponentDeath,
    /// A bit above the slice that nobody owned (probit); accepted where it has an owner.
    SliceBirth,
    /// A bit that was owned when the slice was drawn (probit); accepted where nobody owns it any more.
    SliceDeath,
    /// An exchange of owners and non-owners.
    Complement,
    /// A birth with coins of one unknown bias (Gaussian).
    CoinBirth,
    /// The death that reverses it.
    CoinDeath,
    /// A birth around a neighbourhood (Gaussian).
    NeighbourhoodBirth,
    /// The death that reverses it.
    NeighbourhoodDeath,
    /// A flip of a neighbourhood in one column (Gaussian).
    NeighbourhoodFlip,
    /// A birth with owner and links from the prior (dd-IBP).
    LinkedBirth,
    /// The death that reverses it.
    LinkedDeath,
}

/// How often each kind of proposal was made and accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    counts: [Count; N_KINDS],
}

/// Proposals of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// How many were made.
    pub proposed: u64,
    /// How many of them were accepted.
    pub accepted: u64,
}

impl Tally {
    /// Counts one proposal.
    pub fn note(&mut self, kind: Proposal, accepted: bool) {
        self.note_all(kind, Count { proposed: 1, accepted: u64::from(accepted) });
    }

    /// Counts several proposals.
    pub fn note_all(&mut self, kind: Proposal, count: Count) {
        let sum = &mut self.counts[kind as usize];
        sum.proposed += count.proposed;
        sum.accepted += count.accepted;
    }

    /// The proposals of one kind.
    pub fn of(&self, kind: Proposal) -> Count {
        self.counts[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_apart() {
        let mut tally = Tally::default();
        tally.note(Proposal::Flip, true);
        tally.note(Proposal::LinkedDeath, false);
        tally.note_all(Proposal::Flip, Count { proposed: 9, accepted: 3 });
        assert_eq!(tally.of(Proposal::Flip), Count { proposed: 10, accepted: 4 });
        assert_eq!(tally.of(Proposal::LinkedDeath), Count { proposed: 1, accepted: 0 });
        assert_eq!(tally.of(Proposal::Complement), Count::default());
    }
}
