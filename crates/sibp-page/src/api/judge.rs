//! Asks people (`/api/judge/…`): hands questions out, takes answers and takes them back, tells how far it got.

use super::{Answered, state};
use crate::app::{App, locked};
use crate::asker;
use crate::desk::{Desk, Said, Untaken};
use crate::failure::Failure;
use crate::journal::{Answer, JournalError, Posed, Refusal};
use crate::progress;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Mutex;

/// Questions that are handed out at once, at most, and behind an answer.
const MOST: usize = 10;
const BEHIND: usize = 2;
/// Characters of a judge's name, and of a browser's name for an answer.
const LONGEST: usize = 100;
/// Time on the screen that is kept, at most: a day.
const LONGEST_TIME: f64 = 86_400_000.0;

/// A judge wants questions.
#[derive(Debug, Deserialize)]
pub struct Next {
    judge: String,
    n: Option<usize>,
    #[serde(default)]
    seen: Vec<String>,
}

/// A judge answers.
#[derive(Debug, Deserialize)]
pub struct Answering {
    question: String,
    judge: String,
    answer: Answer,
    #[serde(default)]
    milliseconds: f64,
    client: String,
}

/// A judge takes an answer back.
#[derive(Debug, Deserialize)]
pub struct Undoing {
    judge: String,
}

/// Hands out questions; those that the judge has not answered come first.
pub fn next(app: &App, asked: Next) -> Answered<Value> {
    let desk = desk(app)?;
    let judge = name(&asked.judge)?;
    let questions = hand_out(app, desk, judge, asked.n.unwrap_or(BEHIND).clamp(1, MOST), &asked.seen)?;
    Ok(json!({ "questions": questions }))
}

fn hand_out(app: &App, desk: &Mutex<Desk>, judge: &str, n: usize, seen: &[String]) -> Answered<Vec<Value>> {
    let open = |desk: &Desk| -> Vec<Value> {
        let unseen = |posed: &&Posed| !seen.contains(&posed.record.question);
        desk.ledger().open_questions(judge).filter(unseen).take(n).map(shown).collect()
    };
    let found = open(&locked(desk));
    if found.len() >= n {
        return Ok(found);
    }
    let fresh = asker::take(app, n - found.len());
    if fresh.is_empty() {
        return Ok(found);
    }
    let mut desk = locked(desk);
    desk.pose(judge, &fresh).map_err(not_kept)?;
    Ok(open(&desk))
}

/// Takes an answer; it is in the journal before this returns.
pub fn answer(app: &App, asked: Answering) -> Answered<Value> {
    let desk = desk(app)?;
    let said = Said {
        question: asked.question,
        judge: name(&asked.judge)?.to_owned(),
        answer: asked.answer,
        milliseconds: if asked.milliseconds.is_finite() {
            asked.milliseconds.clamp(0.0, LONGEST_TIME) as u64
        } else {
            0
        },
        client: name(&asked.client)?.to_owned(),
    };
    locked(desk).answer(&said).map_err(refusal)?;
    app.work.notify_all();
    app.changed();
    // The answer is kept, so a failure to hand out more must not look as if it were not.
    let next = hand_out(app, desk, &said.judge, BEHIND, &[]).unwrap_or_default();
    Ok(json!({ "answers": state::n_answers(app), "next": next }))
}

/// Takes a judge's last answer back.
pub fn undo(app: &App, asked: Undoing) -> Answered<Value> {
    let desk = desk(app)?;
    let undone = locked(desk).undo(name(&asked.judge)?).map_err(not_kept)?;
    app.changed();
    Ok(json!({ "undone": undone.as_ref().map(shown), "answers": state::n_answers(app) }))
}

/// How far it got, and whether more is needed.
pub fn progress(app: &App) -> Answered<Value> {
    let judges: Vec<Value> = locked(desk(app)?)
        .ledger()
        .judges()
        .into_iter()
        .map(|judge| json!({ "name": judge.name, "answers": judge.answers }))
        .collect();
    let control: Vec<Value> = progress::points(&progress::controls(app))
        .into_iter()
        .map(|p| json!({ "answers": p.answers, "agreement": p.agreement, "low": p.low, "high": p.high }))
        .collect();
    let more = locked(&app.progress).more.as_ref().map(|more| {
        let (hundred, low, high) = more.gain;
        json!({ "hundred": hundred, "low": low, "high": high, "sentence": more.sentence })
    });
    Ok(json!({ "answers": state::n_answers(app), "judges": judges, "control": control, "more": more }))
}

fn desk(app: &App) -> Answered<&Mutex<Desk>> {
    let none = || Failure::new(StatusCode::CONFLICT, "nobody is asked here: start the page with --judgements FILE");
    app.desk.as_ref().ok_or_else(none)
}

fn shown(posed: &Posed) -> Value {
    json!({ "question": posed.record.question, "anchor": posed.anchor, "left": posed.left, "right": posed.right,
        "kind": posed.record.kind })
}

/// A name as it is kept.
fn name(text: &str) -> Answered<&str> {
    let text = text.trim();
    match !text.is_empty() && text.chars().count() <= LONGEST && !text.chars().any(char::is_control) {
        true => Ok(text),
        false => Err(Failure::bad(format!("a name has 1 to {LONGEST} characters on one line"))),
    }
}

fn refusal(untaken: Untaken) -> Failure {
    match untaken {
        Untaken::NotKept(error) => not_kept(error),
        Untaken::Refused(Refusal::Unknown) => Failure::missing("this question is none of this journal's"),
        Untaken::Refused(Refusal::OtherJudge) => {
            Failure::new(StatusCode::CONFLICT, "this question was handed out to another judge")
        }
        Untaken::Refused(Refusal::Answered) => {
            Failure::new(StatusCode::CONFLICT, "this question is answered already, perhaps in another tab")
        }
    }
}

fn not_kept(error: JournalError) -> Failure {
    let sentence = format!("the answer is not kept, and does not count: {error}. Make room, and send it again");
    Failure::new(StatusCode::INSUFFICIENT_STORAGE, sentence)
}
