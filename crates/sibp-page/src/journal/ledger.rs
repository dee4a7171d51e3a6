//! Adds the records of a journal up: which questions are open for whom, and which answers count.

use super::{Answer, AnswerRecord, Name, QuestionRecord, Record, UndoRecord};
use sibp::data::Ids;
use sibp::triplets::Triplet;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// A question with its objects as rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Posed {
    /// As it stands in the journal.
    pub record: QuestionRecord,
    /// The object that the others are compared with.
    pub anchor: u32,
    /// What stands on the left.
    pub left: u32,
    /// What stands on the right.
    pub right: u32,
}

/// An answer that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The position of its question.
    pub question: usize,
    /// Who gave it.
    pub judge: String,
    /// What it says.
    pub answer: Answer,
    /// Whether it was not taken back.
    pub counts: bool,
}

/// A judge's number of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeCount {
    /// The judge.
    pub name: String,
    /// Answers that count and say something.
    pub answers: usize,
}

/// Why an answer is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such question.
    Unknown,
    /// The question was handed out to somebody else.
    OtherJudge,
    /// The judge has answered it already.
    Answered,
}

/// What a judge has open and has given.
#[derive(Debug, Clone, Default)]
struct OfJudge {
    open: VecDeque<usize>,
    given: Vec<usize>,
}

/// All that the records of a journal say.
#[derive(Debug, Default)]
pub struct Ledger {
    questions: Vec<Posed>,
    by_name: HashMap<String, usize>,
    given: Vec<Given>,
    judges: BTreeMap<String, OfJudge>,
    clients: HashSet<String>,
    asked: HashSet<(u32, u32, u32)>,
}

/// What a triplet asks, whichever way it stands.
fn key(triplet: Triplet) -> (u32, u32, u32) {
    let Triplet { anchor, near, far } = triplet;
    (anchor, near.min(far), near.max(far))
}

impl Ledger {
    /// Takes a record in; `Err` says why it contradicts those before it. Objects go by row, or by these ids.
    pub fn apply(&mut self, record: &Record, ids: Option<&Ids>, n_objects: usize) -> Result<(), String> {
        match record {
            Record::Journal(head) => match (head.ids, ids) {
                (true, None) => Err("objects go by ids in this journal, and there are none now".into()),
                (false, Some(_)) => Err("objects go by row numbers in this journal, and have ids now".into()),
                (false, None) if head.objects != n_objects => {
                    Err(format!("the journal is about {} objects, and there are {n_objects}", head.objects))
                }
                _ => Ok(()),
            },
            Record::Question(question) => self.pose(question, ids, n_objects),
            Record::Answer(answer) => self.take(answer),
            Record::Undo(undo) => self.undo(undo),
        }
    }

    fn pose(&mut self, record: &QuestionRecord, ids: Option<&Ids>, n_objects: usize) -> Result<(), String> {
        let row = |name: &Name| row_of(name, ids, n_objects);
        let (anchor, left, right) = (row(&record.anchor)?, row(&record.left)?, row(&record.right)?);
        if anchor == left || anchor == right || left == right {
            return Err("a question is about three objects".into());
        }
        let at = self.questions.len();
        if self.by_name.insert(record.question.clone(), at).is_some() {
            return Err(format!("the question {:?} is there already", record.question));
        }
        self.asked.insert(key(Triplet { anchor, near: left, far: right }));
        self.questions.push(Posed { record: record.clone(), anchor, left, right });
        self.judges.entry(record.judge.clone()).or_default().open.push_back(at);
        Ok(())
    }

    fn take(&mut self, record: &AnswerRecord) -> Result<(), String> {
        let at = self.open(&record.question, &record.judge).map_err(|refusal| match refusal {
            Refusal::Unknown => format!("there is no question {:?}", record.question),
            Refusal::OtherJudge => format!("the question {:?} is another judge's", record.question),
            Refusal::Answered => format!("the question {:?} is answered already", record.question),
        })?;
        if !self.clients.insert(record.client.clone()) {
            return Err(format!("the answer {:?} is there already", record.client));
        }
        let of = self.judges.entry(record.judge.clone()).or_default();
        of.open.retain(|&open| open != at);
        of.given.push(self.given.len());
        let judge = record.judge.clone();
        self.given.push(Given { question: at, judge, answer: record.answer, counts: true });
        Ok(())
    }

    fn undo(&mut self, record: &UndoRecord) -> Result<(), String> {
        let last = self.last(&record.judge).filter(|posed| posed.record.question == record.question);
        if last.is_none() {
            return Err(format!("{:?} is not what {:?} answered last", record.question, record.judge));
        }
        let Some(of) = self.judges.get_mut(&record.judge) else { return Err("nobody".into()) };
        if let Some(given) = of.given.pop() {
            self.given[given].counts = false;
            of.open.push_front(self.given[given].question);
        }
        Ok(())
    }

    /// The position of a question that a judge may answer.
    pub fn open(&self, question: &str, judge: &str) -> Result<usize, Refusal> {
        let &at = self.by_name.get(question).ok_or(Refusal::Unknown)?;
        if self.questions[at].record.judge != judge {
            return Err(Refusal::OtherJudge);
        }
        let is_open = self.judges.get(judge).is_some_and(|of| of.open.contains(&at));
        if is_open { Ok(at) } else { Err(Refusal::Answered) }
    }

    /// Whether an answer with this name was taken before.
    pub fn knows(&self, client: &str) -> bool {
        self.clients.contains(client)
    }

    /// The question at a position.
    pub fn question(&self, at: usize) -> &Posed {
        &self.questions[at]
    }

    /// Number of questions that were ever handed out.
    pub fn n_questions(&self) -> usize {
        self.questions.len()
    }

    /// What a judge was asked and has not answered, in order.
    pub fn open_questions(&self, judge: &str) -> impl Iterator<Item = &Posed> {
        self.judges.get(judge).into_iter().flat_map(|of| &of.open).map(|&at| &self.questions[at])
    }

    /// The question that a judge answered last, if any.
    pub fn last(&self, judge: &str) -> Option<&Posed> {
        let &given = self.judges.get(judge)?.given.last()?;
        Some(&self.questions[self.given[given].question])
    }

    /// Answers that count, in order; those that say nothing are among them.
    pub fn counting(&self) -> impl Iterator<Item = (&Given, &Posed)> {
        self.given.iter().filter(|given| given.counts).map(|given| (given, &self.questions[given.question]))
    }

    /// Answers that count and say something, as triplets with their questions.
    pub fn triplets(&self) -> impl Iterator<Item = (Triplet, &Given, &Posed)> {
        self.counting().filter_map(|(given, posed)| Some((triplet(posed, given.answer)?, given, posed)))
    }

    /// Number of answers that count and say something.
    pub fn n_answers(&self) -> usize {
        self.triplets().count()
    }

    /// Questions that were handed out, as triplets of any direction.
    pub fn asked(&self) -> impl Iterator<Item = Triplet> {
        self.questions.iter().map(|posed| Triplet { anchor: posed.anchor, near: posed.left, far: posed.right })
    }

    /// Whether a question was handed out before, whichever way it stands.
    pub fn was_asked(&self, triplet: Triplet) -> bool {
        self.asked.contains(&key(triplet))
    }

    /// All judges who were asked anything, by name.
    pub fn judges(&self) -> Vec<JudgeCount> {
        let says = |&&given: &&usize| self.given[given].answer != Answer::Skip;
        let count = |(name, of): (&String, &OfJudge)| JudgeCount {
            name: name.clone(),
            answers: of.given.iter().filter(says).count(),
        };
        self.judges.iter().map(count).collect()
    }
}

/// What an answer says; nothing where it was skipped.
fn triplet(posed: &Posed, answer: Answer) -> Option<Triplet> {
    let (near, far) = match answer {
        Answer::Left => (posed.left, posed.right),
        Answer::Right => (posed.right, posed.left),
        Answer::Skip => return None,
    };
    Some(Triplet { anchor: posed.anchor, near, far })
}

fn row_of(name: &Name, ids: Option<&Ids>, n_objects: usize) -> Result<u32, String> {
    let row = match (name, ids) {
        (Name::Row(row), None) => Some(*row as usize).filter(|&row| row < n_objects),
        (Name::Id(id), Some(ids)) => ids.row(id),
        _ => None,
    };
    row.map(|row| row as u32).ok_or_else(|| format!("there is no object {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(name: &str, judge: &str, objects: [u32; 3]) -> Record {
        let [anchor, left, right] = objects.map(Name::Row);
        let (kind, at) = ("control".to_owned(), String::new());
        let (question, judge) = (name.to_owned(), judge.to_owned());
        Record::Question(QuestionRecord { question, judge, anchor, left, right, kind, model: 0, expected: None, at })
    }

    fn answer(name: &str, judge: &str, answer: Answer, client: &str) -> Record {
        let [anchor, left, right] = [0, 1, 2].map(Name::Row);
        let (kind, at, client) = ("control".to_owned(), String::new(), client.to_owned());
        let (question, judge, milliseconds) = (name.to_owned(), judge.to_owned(), 5);
        Record::Answer(AnswerRecord { question, judge, anchor, left, right, kind, answer, milliseconds, client, at })
    }

    fn undo(name: &str, judge: &str) -> Record {
        Record::Undo(UndoRecord { question: name.into(), judge: judge.into(), at: String::new() })
    }

    fn ledger(records: &[Record]) -> Ledger {
        let mut ledger = Ledger::default();
        records.iter().for_each(|record| ledger.apply(record, None, 4).unwrap());
        ledger
    }

    #[test]
    fn answers_count_until_they_are_taken_back() {
        let asked = [question("q1", "ann", [0, 1, 2]), question("q2", "ann", [1, 2, 3])];
        let mut found = ledger(&asked);
        assert_eq!(found.open_questions("ann").count(), 2);
        assert!(found.was_asked(Triplet { anchor: 0, near: 2, far: 1 }));
        assert!(!found.was_asked(Triplet { anchor: 2, near: 0, far: 1 }));
        found.apply(&answer("q1", "ann", Answer::Right, "c1"), None, 4).unwrap();
        found.apply(&answer("q2", "ann", Answer::Skip, "c2"), None, 4).unwrap();
        let triplets: Vec<Triplet> = found.triplets().map(|(triplet, ..)| triplet).collect();
        assert_eq!(triplets, [Triplet { anchor: 0, near: 2, far: 1 }]);
        assert_eq!((found.counting().count(), found.n_answers(), found.open_questions("ann").count()), (2, 1, 0));
        assert!(found.apply(&undo("q1", "ann"), None, 4).is_err(), "the last answer goes first");
        found.apply(&undo("q2", "ann"), None, 4).unwrap();
        found.apply(&undo("q1", "ann"), None, 4).unwrap();
        assert_eq!((found.n_answers(), found.last("ann")), (0, None));
        let open: Vec<&str> = found.open_questions("ann").map(|posed| posed.record.question.as_str()).collect();
        assert_eq!(open, ["q1", "q2"], "they are asked again, in the order in which they were");
        found.apply(&answer("q1", "ann", Answer::Left, "c3"), None, 4).unwrap();
        assert_eq!(found.judges(), [JudgeCount { name: "ann".into(), answers: 1 }]);
        assert!(found.knows("c1") && found.knows("c3") && !found.knows("c4"));
    }

    #[test]
    fn what_contradicts_the_journal_is_refused() {
        let found = ledger(&[question("q1", "ann", [0, 1, 2]), answer("q1", "ann", Answer::Left, "c1")]);
        assert_eq!(found.open("q1", "ann"), Err(Refusal::Answered));
        assert_eq!(found.open("q1", "bob"), Err(Refusal::OtherJudge));
        assert_eq!(found.open("q9", "ann"), Err(Refusal::Unknown));
        let refused = |record: Record| {
            let mut ledger = ledger(&[question("q1", "ann", [0, 1, 2]), question("q2", "ann", [0, 1, 2])]);
            ledger.apply(&answer("q1", "ann", Answer::Left, "c1"), None, 4).unwrap();
            ledger.apply(&record, None, 4).unwrap_err()
        };
        assert!(refused(question("q1", "bob", [0, 1, 2])).contains("already"));
        assert!(refused(question("q3", "bob", [0, 1, 9])).contains("no object 9"));
        assert!(refused(question("q3", "bob", [0, 1, 1])).contains("three objects"));
        assert!(refused(answer("q1", "ann", Answer::Left, "c2")).contains("answered already"));
        assert!(refused(answer("q2", "ann", Answer::Left, "c1")).contains("there already"));
        assert!(refused(undo("q2", "ann")).contains("last"));
        let ids = Ids::new(vec!["a".into()]).unwrap();
        let head = |ids| Record::Journal(super::super::JournalHead::new(3, ids, "a1"));
        assert!(Ledger::default().apply(&head(true), None, 3).is_err());
        assert!(Ledger::default().apply(&head(false), Some(&ids), 3).is_err());
        assert!(Ledger::default().apply(&head(false), None, 4).unwrap_err().contains("about 3 objects"));
    }
}
