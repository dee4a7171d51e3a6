//! Defines the lines of a journal.

use serde::{Deserialize, Serialize};

/// The version of the format that is written.
pub const VERSION: u32 = 1;

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "lowercase")]
pub enum Record {
    /// The first line.
    Journal(JournalHead),
    /// A question that was handed out.
    Question(QuestionRecord),
    /// An answer.
    Answer(AnswerRecord),
    /// An answer that was taken back.
    Undo(UndoRecord),
}

/// What a journal is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalHead {
    /// The version of the format.
    pub version: u32,
    /// Number of objects.
    pub objects: usize,
    /// Whether objects go by their ids; else they go by their row numbers.
    pub ids: bool,
    /// The journal's own name, with which the names of its questions begin: an answer to another journal's question, which a
    /// browser may still hold, is then no answer to one of this.
    pub name: String,
}

impl JournalHead {
    /// The head of a new journal.
    pub fn new(objects: usize, ids: bool, name: &str) -> Self {
        Self { version: VERSION, objects, ids, name: name.to_owned() }
    }
}

/// An object in a journal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Name {
    /// Its row number.
    Row(u32),
    /// Its id.
    Id(String),
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Row(row) => write!(f, "{row}"),
            Self::Id(id) => f.write_str(id),
        }
    }
}

/// A question: which of left and right is more like the anchor?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionRecord {
    /// Its name, unique in the journal.
    pub question: String,
    /// To whom it was handed out.
    pub judge: String,
    /// The object that the others are compared with.
    pub anchor: Name,
    /// What stood on the left.
    pub left: Name,
    /// What stood on the right.
    pub right: Name,
    /// Why it was asked: `informative`, `control` or `repeat`.
    pub kind: String,
    /// The model that chose it; 0 for none.
    pub model: u64,
    /// The probability that the model gave to the answer `left`, where there was a model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected: Option<f64>,
    /// When, in UTC.
    pub at: String,
}

/// An answer to a question; it holds the objects again, so that a line says all that an analysis needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// The question.
    pub question: String,
    /// Who answered.
    pub judge: String,
    /// The object that the others are compared with.
    pub anchor: Name,
    /// What stood on the left.
    pub left: Name,
    /// What stood on the right.
    pub right: Name,
    /// Why it was asked.
    pub kind: String,
    /// What was answered.
    pub answer: Answer,
    /// How long the question was on the screen.
    pub milliseconds: u64,
    /// The browser's name for this answer, by which it is known when it comes twice.
    pub client: String,
    /// When, in UTC.
    pub at: String,
}

/// What was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The left one is more like the anchor.
    Left,
    /// The right one is.
    Right,
    /// Nothing was said.
    Skip,
}

/// Takes the last answer to a question back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoRecord {
    /// The question.
    pub question: String,
    /// Who answered it.
    pub judge: String,
    /// When, in UTC.
    pub at: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_look_as_they_are_documented() {
        let head = Record::Journal(JournalHead::new(7, true, "a1"));
        let text = serde_json::to_string(&head).unwrap();
        assert_eq!(text, r#"{"record":"journal","version":1,"objects":7,"ids":true,"name":"a1"}"#);
        let undo = Record::Undo(UndoRecord { question: "q1".into(), judge: "ann".into(), at: "t".into() });
        let text = serde_json::to_string(&undo).unwrap();
        assert_eq!(text, r#"{"record":"undo","question":"q1","judge":"ann","at":"t"}"#);
        let line = r#"{"record":"answer","question":"q1","judge":"ann","anchor":3,"left":"3","right":5,"kind":"control",
            "answer":"left","milliseconds":812,"client":"c","at":"t"}"#;
        let Record::Answer(answer) = serde_json::from_str(line).unwrap() else { panic!("an answer") };
        assert_eq!((answer.anchor, answer.left), (Name::Row(3), Name::Id("3".into())));
        assert!(serde_json::from_str::<Record>(r#"{"record":"dance"}"#).is_err());
    }
}
