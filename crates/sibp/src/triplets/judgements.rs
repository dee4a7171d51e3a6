//! Holds judgements as people give them: triplets, who judged each, and what the file said about ties and votes.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Serialize;
use thiserror::Error;

use super::Triplet;
use super::numbering::Numbering;

/// Triplets, and who judged each of them where that is known.
///
/// ```
/// use sibp::triplets::{Judgements, Judges, Triplet};
///
/// let triplets = vec![Triplet { anchor: 0, near: 1, far: 2 }, Triplet { anchor: 0, near: 2, far: 1 }];
/// let judgements = Judgements::new(triplets, Some(Judges::from_names(["ann", "bob"])?))?;
/// assert_eq!(judgements.judge(1), Some("bob"));
/// # Ok::<(), sibp::triplets::JudgesError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judgements {
    /// An answer each: a vote of 3 : 1 is three triplets and one the other way, a tie is one each way.
    pub triplets: Vec<Triplet>,
    /// Who gave each answer, if the file says so.
    pub judges: Option<Judges>,
    /// Positions of the triplets that are one half of a tie, in pairs, ascending.
    pub tied: Vec<u32>,
    /// What stood in the file.
    pub report: ReadingReport,
}

/// The judge of each triplet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judges {
    names: Vec<String>,
    of: Vec<u32>,
}

/// Why judges do not fit their judgements.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JudgesError {
    /// There must be a judge for each triplet.
    #[error("there are {n_triplets} triplets but {n_judges} judges' names; give one for each triplet")]
    Lengths {
        /// Triplets given.
        n_triplets: usize,
        /// Judges given.
        n_judges: usize,
    },
    /// A number is not that of a judge.
    #[error("triplet {triplet_ix} is by judge {judge}, but there are only {n_judges} judges")]
    UnknownJudge {
        /// Position of the triplet.
        triplet_ix: usize,
        /// The number found.
        judge: u32,
        /// Number of judges.
        n_judges: usize,
    },
    /// Two judges have the same name.
    #[error("two judges are called {name:?}; names must be unique")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// More judges than can be numbered.
    #[error("there are too many judges; the limit is {}", u32::MAX)]
    TooMany,
}

/// What a file of judgements held beside plain answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReadingReport {
    /// Rows of the file.
    pub n_rows: usize,
    /// Rows that say neither is nearer: one answer each way.
    pub n_ties: usize,
    /// Votes in all rows, if there are columns of votes.
    pub n_votes: usize,
    /// Rows with votes for both sides.
    pub n_split_votes: usize,
    /// Rows without any vote, which say nothing.
    pub n_without_votes: usize,
}

impl Judgements {
    /// Triplets with their judges, after checking that there is one for each triplet.
    pub fn new(triplets: Vec<Triplet>, judges: Option<Judges>) -> Result<Self, JudgesError> {
        if let Some(judges) = judges.as_ref().filter(|judges| judges.of.len() != triplets.len()) {
            return Err(JudgesError::Lengths { n_triplets: triplets.len(), n_judges: judges.of.len() });
        }
        Ok(Self { judges, ..Self::from(triplets) })
    }

    /// The judgements about these objects alone, which are numbered anew in the given order; those that mention another one
    /// are left out, judges keep their numbers.
    pub fn among(&self, objects: &[usize]) -> Self {
        let new: HashMap<usize, u32> = objects.iter().copied().zip(0..).collect();
        let number = |object: u32| new.get(&(object as usize)).copied();
        let mut left = Self { report: self.report, ..Self::default() };
        let mut judges = Vec::new();
        let mut tied = self.tied.iter().copied().peekable();
        for (at, t) in (0..).zip(&self.triplets) {
            let is_tied = tied.next_if_eq(&at).is_some();
            let (Some(anchor), Some(near), Some(far)) = (number(t.anchor), number(t.near), number(t.far)) else {
                continue;
            };
            if is_tied {
                left.tied.push(left.triplets.len() as u32);
            }
            left.triplets.push(Triplet { anchor, near, far });
            judges.extend(self.judges.as_ref().map(|judges| judges.of[at as usize]));
        }
        left.judges = self.judges.as_ref().map(|own| Judges { names: own.names.clone(), of: judges });
        left
    }

    /// The name of the judge of a triplet.
    pub fn judge(&self, triplet_ix: usize) -> Option<&str> {
        self.judges.as_ref().map(|judges| judges.name_of(triplet_ix))
    }
}

impl From<Vec<Triplet>> for Judgements {
    fn from(triplets: Vec<Triplet>) -> Self {
        let report = ReadingReport { n_rows: triplets.len(), ..ReadingReport::default() };
        Self { triplets, judges: None, tied: Vec::new(), report }
    }
}

impl Judges {
    /// Unique names, and for each triplet the number of its judge among them.
    pub fn new(names: Vec<String>, of: Vec<u32>) -> Result<Self, JudgesError> {
        if names.len() > u32::MAX as usize {
            return Err(JudgesError::TooMany);
        }
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().find(|&name| !seen.insert(name)) {
            return Err(JudgesError::RepeatedName { name: name.clone() });
        }
        if let Some(triplet_ix) = of.iter().position(|&judge| judge as usize >= names.len()) {
            return Err(JudgesError::UnknownJudge { triplet_ix, judge: of[triplet_ix], n_judges: names.len() });
        }
        Ok(Self { names, of })
    }

    /// The judges of triplets by name; they are numbered in the order in which they first appear.
    pub fn from_names<T: AsRef<str>>(of: impl IntoIterator<Item = T>) -> Result<Self, JudgesError> {
        let mut names = Numbering::default();
        let of: Result<Vec<u32>, _> = of.into_iter().map(|name| names.number(name.as_ref())).collect();
        Ok(Self { of: of.map_err(|_| JudgesError::TooMany)?, names: names.into_texts() })
    }

    /// The judges' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// For each triplet the number of its judge.
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// The name of the judge of a triplet.
    pub fn name_of(&self, triplet_ix: usize) -> &str {
        &self.names[self.of[triplet_ix] as usize]
    }

    /// Number of judges.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no judge.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl ReadingReport {
    /// Whether every row was one plain answer.
    pub fn is_plain(&self) -> bool {
        *self == Self { n_rows: self.n_rows, ..Self::default() }
    }
}

impl fmt::Display for ReadingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.n_ties > 0 {
            parts.push(format!("ties: {}, each counts as one answer each way", self.n_ties));
        }
        if self.n_votes > 0 {
            parts.push(format!("votes: {}, rows with votes both ways: {}", self.n_votes, self.n_split_votes));
        }
        if self.n_without_votes > 0 {
            parts.push(format!("rows without votes, which say nothing: {}", self.n_without_votes));
        }
        write!(f, "rows: {}", self.n_rows)?;
        parts.iter().try_for_each(|part| write!(f, "; {part}"))
    }
}

/// What one row says about its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// The anchor is more like near.
    Near,
    /// The anchor is more like far.
    Far,
    /// Neither.
    Tie,
    /// So many answers each way.
    Votes {
        /// For near.
        near: usize,
        /// For far.
        far: usize,
    },
}

/// Collects rows into judgements.
#[derive(Debug, Default)]
pub(super) struct Collector {
    triplets: Vec<Triplet>,
    names: Numbering,
    of: Vec<u32>,
    tied: Vec<u32>,
    report: ReadingReport,
}

/// Votes that one file may hold. More would be a mistyped number, and eat the memory.
pub(super) const MOST_VOTES: usize = 1_000_000;

impl Collector {
    /// Rows so far.
    pub fn n_rows(&self) -> usize {
        self.report.n_rows
    }

    /// Adds what a row says; `Err` holds the number of votes where there are too many.
    pub fn push(&mut self, triplet: Triplet, said: Said) -> Result<(), usize> {
        let turned = Triplet { near: triplet.far, far: triplet.near, ..triplet };
        let report = &mut self.report;
        report.n_rows += 1;
        match said {
            Said::Near => self.triplets.push(triplet),
            Said::Far => self.triplets.push(turned),
            Said::Tie => {
                report.n_ties += 1;
                let at = self.triplets.len() as u32;
                self.tied.extend([at, at + 1]);
                self.triplets.extend([triplet, turned]);
            }
            Said::Votes { near, far } => {
                report.n_votes = report.n_votes.saturating_add(near).saturating_add(far);
                if report.n_votes > MOST_VOTES {
                    return Err(report.n_votes);
                }
                report.n_split_votes += usize::from(near > 0 && far > 0);
                report.n_without_votes += usize::from(near + far == 0);
                self.triplets.extend(std::iter::repeat_n(triplet, near));
                self.triplets.extend(std::iter::repeat_n(turned, far));
            }
        }
        Ok(())
    }

    /// Names the judge of all answers since the last one was named.
    pub fn judged_by(&mut self, name: &str) -> Result<(), &'static str> {
        let judge = self.names.number(name)?;
        self.of.resize(self.triplets.len(), judge);
        Ok(())
    }

    /// The judgements; whether judges were named is the same for all rows.
    pub fn finish(self, has_judges: bool) -> Judgements {
        let judges = has_judges.then(|| Judges { names: self.names.into_texts(), of: self.of });
        Judgements { triplets: self.triplets, judges, tied: self.tied, report: self.report }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Triplet = Triplet { anchor: 0, near: 1, far: 2 };
    const TURNED: Triplet = Triplet { anchor: 0, near: 2, far: 1 };

    #[test]
    fn rows_become_answers_with_their_judges() {
        let mut rows = Collector::default();
        let said = [Said::Far, Said::Tie, Said::Votes { near: 2, far: 1 }, Said::Votes { near: 0, far: 0 }];
        for (said, judge) in said.into_iter().zip(["b", "a", "b", "c"]) {
            rows.push(ASKED, said).unwrap();
            rows.judged_by(judge).unwrap();
        }
        let found = rows.finish(true);
        assert_eq!(found.triplets, [TURNED, ASKED, TURNED, ASKED, ASKED, TURNED]);
        let judges = found.judges.as_ref().unwrap();
        assert_eq!((judges.names(), judges.of()), (&["b", "a", "c"].map(String::from)[..], &[0, 1, 1, 0, 0, 0][..]));
        assert_eq!(found.tied, [1, 2]);
        let report = ReadingReport { n_rows: 4, n_ties: 1, n_votes: 3, n_split_votes: 1, n_without_votes: 1 };
        assert_eq!(found.report, report);
        assert!(!report.is_plain() && Judgements::from(vec![ASKED]).report.is_plain());
        assert!(report.to_string().contains("ties: 1, each counts as one answer each way; votes: 3"), "{report}");
    }

    #[test]
    fn judgements_among_some_objects_keep_judges_and_ties() {
        let mut rows = Collector::default();
        let other = Triplet { anchor: 3, near: 0, far: 2 };
        for (asked, said, judge) in [(ASKED, Said::Tie, "a"), (other, Said::Near, "b"), (other, Said::Tie, "c")] {
            rows.push(asked, said).unwrap();
            rows.judged_by(judge).unwrap();
        }
        let found = rows.finish(true).among(&[3, 2, 0]);
        let turned = Triplet { near: 1, far: 2, ..Triplet { anchor: 0, near: 2, far: 1 } };
        assert_eq!(
            found.triplets,
            [Triplet { anchor: 0, near: 2, far: 1 }, Triplet { anchor: 0, near: 2, far: 1 }, turned]
        );
        assert_eq!((found.judge(0), found.judge(2), found.tied.as_slice()), (Some("b"), Some("c"), &[1, 2][..]));
    }

    #[test]
    fn votes_have_a_limit_in_all() {
        let mut rows = Collector::default();
        rows.push(ASKED, Said::Votes { near: MOST_VOTES, far: 0 }).unwrap();
        assert_eq!(rows.push(ASKED, Said::Votes { near: 0, far: 1 }), Err(MOST_VOTES + 1));
        let mut rows = Collector::default();
        assert_eq!(rows.push(ASKED, Said::Votes { near: usize::MAX, far: 9 }), Err(usize::MAX));
        assert!(rows.finish(false).triplets.is_empty());
    }

    #[test]
    fn every_mistake_in_judges() {
        let names = || vec!["a".to_owned(), "b".to_owned()];
        let judges = Judges::new(names(), vec![1, 0, 1]).unwrap();
        assert_eq!((judges.len(), judges.is_empty(), judges.name_of(2)), (2, false, "b"));
        assert_eq!(judges, Judges::new(names(), vec![1, 0, 1]).unwrap());
        let unknown = Judges::new(names(), vec![0, 2]).unwrap_err();
        assert_eq!(unknown, JudgesError::UnknownJudge { triplet_ix: 1, judge: 2, n_judges: 2 });
        let twice = Judges::new(vec!["a".into(), "b".into(), "a".into()], vec![]).unwrap_err();
        assert_eq!(twice, JudgesError::RepeatedName { name: "a".into() });
        let short = Judgements::new(vec![ASKED], Some(judges)).unwrap_err();
        assert_eq!(short, JudgesError::Lengths { n_triplets: 1, n_judges: 3 });
        let named = Judges::from_names(["x", "y", "x"]).unwrap();
        assert_eq!((named.names().len(), named.of()), (2, &[0, 1, 0][..]));
    }
}
