//! Counts irregularities in a set of triplets: duplicates, contradictions, objects never mentioned.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Role, Triplet, TripletSet};

/// How often objects appear in one role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoleCounts {
    /// Objects that appear in it at all.
    pub n_objects: usize,
    /// Fewest appearances of any object.
    pub fewest: usize,
    /// Most appearances of any object.
    pub most: usize,
}

/// The result of [`check`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TripletReport {
    /// Number of triplets.
    pub n_triplets: usize,
    /// Number of objects.
    pub n_objects: usize,
    /// Triplets that repeat an earlier one.
    pub n_duplicates: usize,
    /// Questions (an anchor and two others) that are answered both ways.
    pub n_contradicted_questions: usize,
    /// Triplets that answer a contradicted question.
    pub n_contradicting_triplets: usize,
    /// Objects in no triplet.
    pub n_unmentioned: usize,
    /// The first few objects in no triplet.
    pub first_unmentioned: Vec<usize>,
    /// Appearances as anchor.
    pub anchor: RoleCounts,
    /// Appearances as near object.
    pub near: RoleCounts,
    /// Appearances as far object.
    pub far: RoleCounts,
}

/// Checks a set of triplets.
pub fn check(set: &TripletSet) -> TripletReport {
    const FIRST: usize = 5;
    let mut unmentioned = (0..set.n_objects()).filter(|&object| !set.mentions(object));
    let first_unmentioned: Vec<usize> = unmentioned.by_ref().take(FIRST).collect();
    let mut report = TripletReport {
        n_triplets: set.len(),
        n_objects: set.n_objects(),
        n_unmentioned: first_unmentioned.len() + unmentioned.count(),
        first_unmentioned,
        anchor: role_counts(set, Role::Anchor),
        near: role_counts(set, Role::Near),
        far: role_counts(set, Role::Far),
        ..TripletReport::default()
    };
    let mut answers: Vec<(Question, bool)> = set.triplets().iter().map(answer).collect();
    answers.sort_unstable();
    for same_question in answers.chunk_by(|a, b| a.0 == b.0) {
        let n_one_way = same_question.iter().filter(|(_, swapped)| !swapped).count();
        let n_other_way = same_question.len() - n_one_way;
        report.n_duplicates += n_one_way.saturating_sub(1) + n_other_way.saturating_sub(1);
        if n_one_way > 0 && n_other_way > 0 {
            report.n_contradicted_questions += 1;
            report.n_contradicting_triplets += same_question.len();
        }
    }
    report
}

/// A question: the anchor, and the other two objects in ascending order.
pub(super) type Question = (u32, u32, u32);

/// The question that a triplet answers, and whether it says the larger number is near.
pub(super) fn answer(t: &Triplet) -> (Question, bool) {
    ((t.anchor, t.near.min(t.far), t.near.max(t.far)), t.near > t.far)
}

fn role_counts(set: &TripletSet, role: Role) -> RoleCounts {
    let counts = || (0..set.n_objects()).map(|object| set.n_entries(object, role));
    RoleCounts {
        n_objects: counts().filter(|&n| n > 0).count(),
        fewest: counts().min().unwrap_or(0),
        most: counts().max().unwrap_or(0),
    }
}

impl fmt::Display for TripletReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} triplets over {} objects", self.n_triplets, self.n_objects)?;
        writeln!(f, "duplicates: {}", self.n_duplicates)?;
        writeln!(
            f,
            "contradictions: {} questions answered both ways, by {} triplets",
            self.n_contradicted_questions, self.n_contradicting_triplets
        )?;
        write!(f, "objects in no triplet: {}", self.n_unmentioned)?;
        if !self.first_unmentioned.is_empty() {
            let listed: Vec<String> = self.first_unmentioned.iter().map(usize::to_string).collect();
            let more = if self.n_unmentioned > listed.len() { ", ..." } else { "" };
            write!(f, " (rows {}{more})", listed.join(", "))?;
        }
        for (name, counts) in [("anchor", self.anchor), ("near", self.near), ("far", self.far)] {
            write!(f, "\nas {name}: {} objects, {} to {} times each", counts.n_objects, counts.fewest, counts.most)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_duplicates_contradictions_and_the_unmentioned() {
        let triplets = [(0, 1, 2), (0, 1, 2), (0, 2, 1), (1, 0, 2), (0, 1, 2), (4, 1, 0)];
        let triplets = triplets.map(|(anchor, near, far)| Triplet { anchor, near, far }).to_vec();
        let report = check(&TripletSet::new(7, triplets).unwrap());
        assert_eq!(report.n_duplicates, 2);
        assert_eq!((report.n_contradicted_questions, report.n_contradicting_triplets), (1, 4));
        assert_eq!((report.n_unmentioned, report.first_unmentioned.as_slice()), (3, &[3, 5, 6][..]));
        assert_eq!(report.anchor, RoleCounts { n_objects: 3, fewest: 0, most: 4 });
        let text = report.to_string();
        assert!(text.contains("objects in no triplet: 3 (rows 3, 5, 6)") && text.contains("duplicates: 2"), "{text}");
        assert!(text.contains("1 questions answered both ways, by 4 triplets"), "{text}");
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<TripletReport>(&json).unwrap(), report);
    }

    #[test]
    fn no_triplets_is_a_report_too() {
        let report = check(&TripletSet::empty(9));
        assert_eq!((report.n_triplets, report.n_unmentioned), (0, 9));
        assert!(report.to_string().contains("(rows 0, 1, 2, 3, 4, ...)"));
    }
}
