//! Hands out questions and takes answers: every step is in the journal before anybody is told of it.

use crate::journal::{
    Answer, AnswerRecord, Journal, JournalError, JournalHead, Ledger, Name, Posed, QuestionRecord, Record, Refusal,
    UndoRecord, now,
};
use crate::token::Token;
use crate::{PageError, Source};
use sibp::ask::Question;
use sibp::data::Ids;
use sibp::triplets::{Judgements, Judges, Triplet};
use std::path::Path;

/// The journal and what it adds up to.
pub struct Desk {
    journal: Journal,
    ledger: Ledger,
    /// Ids of the objects, where they go by ids.
    ids: Option<Ids>,
    n_objects: usize,
    /// The journal's own name.
    name: String,
}

/// An answer from a browser.
#[derive(Debug, Clone)]
pub struct Said {
    pub question: String,
    pub judge: String,
    pub answer: Answer,
    pub milliseconds: u64,
    pub client: String,
}

/// Why an answer was not taken.
#[derive(Debug)]
pub enum Untaken {
    /// It does not fit what was asked.
    Refused(Refusal),
    /// It could not be kept.
    NotKept(JournalError),
}

impl From<JournalError> for Untaken {
    fn from(error: JournalError) -> Self {
        Self::NotKept(error)
    }
}

impl Desk {
    /// Opens the journal and adds it up; `notes` hears of what was cut off.
    pub fn open(path: &Path, source: &Source, notes: &mut Vec<String>) -> Result<Self, PageError> {
        let (ids, n) = (source.table.ids.as_ref(), source.n_objects());
        let mut opened = Journal::open(path)?;
        notes.extend(opened.cut);
        if opened.records.is_empty() {
            let head = Record::Journal(JournalHead::new(n, ids.is_some(), &Token::random()?.text()[..8]));
            opened.journal.append(std::slice::from_ref(&head))?;
            opened.records.push(head);
        }
        let mut ledger = Ledger::default();
        for (at, record) in opened.records.iter().enumerate() {
            let wrong = |problem| JournalError::Line { path: path.to_owned(), line: at + 1, problem };
            ledger.apply(record, ids, n).map_err(wrong)?;
        }
        let name = match &opened.records[0] {
            Record::Journal(head) => head.name.clone(),
            _ => unreachable!("a journal without its head is not opened"),
        };
        Ok(Self { journal: opened.journal, ledger, ids: ids.cloned(), n_objects: n, name })
    }

    /// Leaves the journal to others; nothing is written from now on.
    pub fn close(&mut self) {
        self.journal.close();
    }

    /// What the journal adds up to.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Hands new questions to a judge.
    pub fn pose(&mut self, judge: &str, questions: &[(Question, u64)]) -> Result<(), JournalError> {
        let records: Vec<Record> = questions
            .iter()
            .enumerate()
            .map(|(at, (question, model))| Record::Question(self.question(at, judge, question, *model)))
            .collect();
        self.keep(&records)
    }

    fn question(&self, at: usize, judge: &str, question: &Question, model: u64) -> QuestionRecord {
        let Triplet { anchor, near, far } = question.triplet;
        let name = |row: u32| match &self.ids {
            Some(ids) => Name::Id(ids.texts()[row as usize].clone()),
            None => Name::Row(row),
        };
        QuestionRecord {
            question: format!("{}-{}", self.name, self.ledger.n_questions() + at + 1),
            judge: judge.to_owned(),
            anchor: name(anchor),
            // The library has shuffled which of the two stands first.
            left: name(near),
            right: name(far),
            kind: question.kind.name().to_owned(),
            model,
            expected: question.prospect.map(|prospect| prospect.probability),
            at: now(),
        }
    }

    /// Takes an answer. One that came before under the same name is acknowledged and not kept again.
    pub fn answer(&mut self, said: &Said) -> Result<(), Untaken> {
        if self.ledger.knows(&said.client) {
            return Ok(());
        }
        let at = self.ledger.open(&said.question, &said.judge).map_err(Untaken::Refused)?;
        let asked = &self.ledger.question(at).record;
        let record = AnswerRecord {
            question: said.question.clone(),
            judge: said.judge.clone(),
            anchor: asked.anchor.clone(),
            left: asked.left.clone(),
            right: asked.right.clone(),
            kind: asked.kind.clone(),
            answer: said.answer,
            milliseconds: said.milliseconds,
            client: said.client.clone(),
            at: now(),
        };
        Ok(self.keep(&[Record::Answer(record)])?)
    }

    /// Takes a judge's last answer back; the question is asked again.
    pub fn undo(&mut self, judge: &str) -> Result<Option<Posed>, JournalError> {
        let Some(last) = self.ledger.last(judge).cloned() else { return Ok(None) };
        let question = last.record.question.clone();
        self.keep(&[Record::Undo(UndoRecord { question, judge: judge.to_owned(), at: now() })])?;
        Ok(Some(last))
    }

    /// Writes records and adds them up, in that order.
    fn keep(&mut self, records: &[Record]) -> Result<(), JournalError> {
        self.journal.append(records)?;
        for record in records {
            let applied = self.ledger.apply(record, self.ids.as_ref(), self.n_objects);
            applied.unwrap_or_else(|problem| unreachable!("records are checked before they are written: {problem}"));
        }
        Ok(())
    }

    /// The answers that count, with their judges.
    pub fn judgements(&self) -> Judgements {
        let (triplets, judges): (Vec<Triplet>, Vec<&str>) =
            self.ledger.triplets().map(|(triplet, given, _)| (triplet, given.judge.as_str())).unzip();
        Judgements::new(triplets, Judges::from_names(judges).ok()).unwrap_or_default()
    }
}
