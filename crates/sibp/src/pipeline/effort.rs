//! Says how much work a fit may do where nobody chose chains or sweeps.

use serde::{Deserialize, Serialize};

/// The smallest number of sweeps after which a chain is looked at.
const FEWEST_SWEEPS: u64 = 30;

/// How much work a fit may do: how many chains, and after how many sweeps they end at the latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// A first look.
    Quick,
    /// What suits most data.
    #[default]
    Normal,
    /// The most accurate codes that more work gives.
    Best,
}

/// What a fit learns from, by which the work that suits it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lesson {
    /// Labels, or inputs alone.
    Classes,
    /// Labels of many objects with many inputs, or similarity to anchors: chains start from codes of the classes, and settle at
    /// once.
    ManyInputs,
    /// The same of few objects, whose chains take so little that many can agree on one code.
    FewObjects,
    /// Judgements. Chains of these seldom change their ways, so that many short ones say more together than a few long ones.
    Judgements,
}

/// The work of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// Number of chains.
    pub chains: usize,
    /// Sweeps of each, at most.
    pub sweeps: u64,
}

impl Effort {
    /// All, from the least to the most work.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Normal, Self::Best];

    /// The work that suits what a fit learns from.
    pub fn work(self, lesson: Lesson) -> Work {
        let (chains, sweeps) = match (lesson, self) {
            (Lesson::Classes, Self::Quick) => (1, 125),
            (Lesson::Classes, Self::Normal) => (2, 500),
            (Lesson::Classes, Self::Best) => (8, 2000),
            (Lesson::ManyInputs, Self::Quick) => (1, 20),
            (Lesson::ManyInputs, Self::Normal) => (2, 20),
            (Lesson::ManyInputs, Self::Best) => (8, 80),
            (Lesson::FewObjects, Self::Quick) => (1, 20),
            (Lesson::FewObjects, Self::Normal) => (8, 20),
            (Lesson::FewObjects, Self::Best) => (16, 80),
            (Lesson::Judgements, Self::Quick) => (4, 75),
            (Lesson::Judgements, Self::Normal) => (12, 150),
            (Lesson::Judgements, Self::Best) => (24, 600),
        };
        Work { chains, sweeps }
    }
}

/// Numbers of sweeps after which it is seen whether more pay, up to the largest: each at least twice the one before, as a run
/// can only go on to that many.
pub(super) fn looks(most: u64) -> Vec<u64> {
    let half = |sweeps: &u64| Some(sweeps / 2).filter(|&half| half >= FEWEST_SWEEPS);
    let mut looks: Vec<u64> = std::iter::successors(Some(most), half).collect();
    looks.reverse();
    looks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_double_up_to_the_last() {
        assert_eq!(looks(500), [31, 62, 125, 250, 500]);
        assert_eq!((looks(20), looks(75)), (vec![20], vec![37, 75]));
        for most in 1..300 {
            let looks = looks(most);
            assert!(looks.windows(2).all(|pair| pair[1] >= 2 * pair[0]) && looks.last() == Some(&most), "{looks:?}");
        }
    }

    #[test]
    fn more_effort_is_more_work() {
        for lesson in [Lesson::Classes, Lesson::ManyInputs, Lesson::FewObjects, Lesson::Judgements] {
            let work = Effort::ALL.map(|effort| effort.work(lesson));
            assert!(work.windows(2).all(|pair| pair[0].chains < pair[1].chains && pair[0].sweeps <= pair[1].sweeps));
        }
    }
}
