//! Makes triplets with their judges of a journal's answers.

use super::{Answer, AnswerRecord, Name, Record};
use sibp::data::Ids;
use sibp::triplets::{Judgements, Judges, Triplet};
use std::collections::BTreeMap;

/// Which answers become triplets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// Every answer, with its judge: answers both ways are votes, and a model weighs them by its lapse rates.
    #[default]
    All,
    /// One triplet a question, by what most answers say; none where as many say one thing as the other.
    Majority,
}

/// A question that was answered both ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The object that the others are compared with.
    pub anchor: String,
    /// One of the two.
    pub one: String,
    /// The other.
    pub other: String,
    /// Answers for each of them.
    pub votes: (usize, usize),
}

/// The triplets of a journal.
#[derive(Debug)]
pub struct FromJournal {
    /// The triplets, with their judges where every answer is kept.
    pub judgements: Judgements,
    /// The objects by name, in the order in which they first appear.
    pub ids: Ids,
    /// Whether names are ids, not row numbers.
    pub named: bool,
    /// Answers that count, skipped ones among them.
    pub n_answers: usize,
    /// Questions that were skipped.
    pub n_skipped: usize,
    /// Answers that were taken back.
    pub n_undone: usize,
    /// Questions that were answered both ways.
    pub contradictions: Vec<Contradiction>,
    /// Of these, those as many answers to one side as to the other, which a majority leaves out.
    pub n_split: usize,
}

/// Collects the answers that count; `Err` says what contradicts what stands before it.
pub fn from_journal(records: &[Record], keep: Keep) -> Result<FromJournal, String> {
    let (answers, n_undone) = counting(records)?;
    let said: Vec<&AnswerRecord> = answers.iter().copied().filter(|answer| answer.answer != Answer::Skip).collect();
    let named = records.iter().any(|record| matches!(record, Record::Journal(head) if head.ids));
    let mut rows = Rows::default();
    let triplets: Vec<Triplet> = said.iter().map(|answer| rows.triplet(answer)).collect();
    let votes = votes(&triplets);
    let name = |row: u32| rows.names[row as usize].to_string();
    let both = votes.iter().filter(|(_, votes)| votes.0 > 0 && votes.1 > 0);
    let contradictions: Vec<Contradiction> = both
        .map(|(&(anchor, one, other), &votes)| Contradiction {
            anchor: name(anchor),
            one: name(one),
            other: name(other),
            votes,
        })
        .collect();
    let judgements = match keep {
        Keep::All => {
            let judges = Judges::from_names(said.iter().map(|answer| answer.judge.as_str()));
            let judges = judges.map_err(|error| error.to_string())?;
            Judgements::new(triplets, Some(judges)).map_err(|error| error.to_string())?
        }
        Keep::Majority => {
            votes.iter().filter_map(|(&question, &votes)| majority(question, votes)).collect::<Vec<_>>().into()
        }
    };
    Ok(FromJournal {
        judgements,
        ids: Ids::new(rows.names.iter().map(Name::to_string).collect()).map_err(|error| error.to_string())?,
        named,
        n_answers: answers.len(),
        n_skipped: answers.len() - said.len(),
        n_undone,
        n_split: contradictions.iter().filter(|found| found.votes.0 == found.votes.1).count(),
        contradictions,
    })
}

/// The answers that were not taken back, in order, and the number of those that were.
fn counting(records: &[Record]) -> Result<(Vec<&AnswerRecord>, usize), String> {
    let mut answers: Vec<&AnswerRecord> = Vec::new();
    let mut n_undone = 0;
    for record in records {
        match record {
            Record::Answer(answer) => answers.push(answer),
            Record::Undo(undo) => {
                let is_it = |answer: &&AnswerRecord| answer.judge == undo.judge && answer.question == undo.question;
                let at = answers.iter().rposition(is_it);
                let at = at.ok_or_else(|| format!("an undo of {:?}, which is not answered", undo.question))?;
                answers.remove(at);
                n_undone += 1;
            }
            Record::Journal(_) | Record::Question(_) => {}
        }
    }
    Ok((answers, n_undone))
}

/// Numbers objects in the order in which they appear.
#[derive(Default)]
struct Rows {
    names: Vec<Name>,
    by_name: BTreeMap<Name, u32>,
}

impl Rows {
    fn row(&mut self, name: &Name) -> u32 {
        let next = self.names.len() as u32;
        let names = &mut self.names;
        *self.by_name.entry(name.clone()).or_insert_with(|| {
            names.push(name.clone());
            next
        })
    }

    fn triplet(&mut self, answer: &AnswerRecord) -> Triplet {
        let (near, far) = match answer.answer {
            Answer::Right => (&answer.right, &answer.left),
            Answer::Left | Answer::Skip => (&answer.left, &answer.right),
        };
        Triplet { anchor: self.row(&answer.anchor), near: self.row(near), far: self.row(far) }
    }
}

/// Answers to each question: for the object of the smaller row, and for the other.
fn votes(triplets: &[Triplet]) -> BTreeMap<(u32, u32, u32), (usize, usize)> {
    let mut votes: BTreeMap<(u32, u32, u32), (usize, usize)> = BTreeMap::new();
    for t in triplets {
        let found = votes.entry((t.anchor, t.near.min(t.far), t.near.max(t.far))).or_default();
        if t.near < t.far { found.0 += 1 } else { found.1 += 1 }
    }
    votes
}

fn majority((anchor, one, other): (u32, u32, u32), votes: (usize, usize)) -> Option<Triplet> {
    match votes.0.cmp(&votes.1) {
        std::cmp::Ordering::Greater => Some(Triplet { anchor, near: one, far: other }),
        std::cmp::Ordering::Less => Some(Triplet { anchor, near: other, far: one }),
        std::cmp::Ordering::Equal => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{JournalHead, UndoRecord};
    use super::*;

    fn answer(question: &str, judge: &str, objects: [&str; 3], answer: Answer) -> Record {
        let [anchor, left, right] = objects.map(|id| Name::Id(id.into()));
        Record::Answer(AnswerRecord {
            question: question.into(),
            judge: judge.into(),
            anchor,
            left,
            right,
            kind: "control".into(),
            answer,
            milliseconds: 1,
            client: format!("{question}{judge}"),
            at: String::new(),
        })
    }

    fn records() -> Vec<Record> {
        vec![
            Record::Journal(JournalHead::new(3, true, "a1")),
            answer("q1", "ann", ["cat", "dog", "cow"], Answer::Left),
            answer("q2", "bob", ["cat", "cow", "dog"], Answer::Right),
            answer("q3", "eve", ["cat", "cow", "dog"], Answer::Left),
            answer("q4", "eve", ["dog", "cow", "cat"], Answer::Skip),
            answer("q5", "eve", ["cow", "cat", "dog"], Answer::Left),
            Record::Undo(UndoRecord { question: "q5".into(), judge: "eve".into(), at: String::new() }),
        ]
    }

    #[test]
    fn every_answer_that_counts_is_a_triplet_with_its_judge() {
        let found = from_journal(&records(), Keep::All).unwrap();
        assert_eq!((found.n_answers, found.n_skipped, found.n_undone, found.named), (4, 1, 1, true));
        assert_eq!(found.ids.texts(), ["cat", "dog", "cow"]);
        let dog = Triplet { anchor: 0, near: 1, far: 2 };
        let cow = Triplet { anchor: 0, near: 2, far: 1 };
        assert_eq!(found.judgements.triplets, [dog, dog, cow]);
        assert_eq!(found.judgements.judge(2), Some("eve"));
        let both = &found.contradictions[..];
        assert_eq!((both.len(), both[0].votes, found.n_split), (1, (2, 1), 0));
    }

    #[test]
    fn a_majority_is_one_triplet_and_a_draw_none() {
        let found = from_journal(&records(), Keep::Majority).unwrap();
        assert_eq!(found.judgements.triplets, [Triplet { anchor: 0, near: 1, far: 2 }]);
        let mut drawn = records();
        drawn.push(answer("q6", "dan", ["cat", "dog", "cow"], Answer::Right));
        let found = from_journal(&drawn, Keep::Majority).unwrap();
        assert!(found.judgements.triplets.is_empty() && found.n_split == 1);
        let mut wrong = records();
        wrong.push(Record::Undo(UndoRecord { question: "q9".into(), judge: "eve".into(), at: String::new() }));
        assert!(from_journal(&wrong, Keep::All).unwrap_err().contains("q9"));
    }
}
