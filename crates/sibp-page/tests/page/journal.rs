//! Tests that answers are kept once, as they were given, whatever happens in between.

use crate::browser::{N, Page, journal_in, source};
use serde_json::{Value, json};
use sibp_page::journal::{Record, read_journal};
use sibp_page::{PageError, Server};

fn answers(folder: &std::path::Path) -> Vec<String> {
    let (records, _) = read_journal(&folder.join("judgements.jsonl")).unwrap();
    let client = |record: Record| match record {
        Record::Answer(answer) => Some(answer.client),
        _ => None,
    };
    records.into_iter().filter_map(client).collect()
}

#[test]
fn questions_are_handed_out_again_until_they_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    let first = page.questions("ann", 2);
    assert_eq!(first, page.questions("ann", 2), "the same judge, another tab");
    let others = page.questions("bob", 2);
    assert!(others.iter().all(|other| !first.contains(other)), "another judge");
    let seen = json!({ "judge": "ann", "n": 1, "seen": [first[0]["question"], first[1]["question"]] });
    let third = &page.posted("/api/judge/next", &seen)["questions"][0];
    assert!(!first.contains(third), "what the browser has already is not sent again");
    for question in first.iter().chain([third]) {
        let of = |side: &str| question[side].as_u64().unwrap() as usize;
        let [anchor, left, right] = ["anchor", "left", "right"].map(of);
        assert!(anchor < N && left < N && right < N && anchor != left && anchor != right && left != right);
    }
    let answer = page.answer("ann", &first[0], "c1");
    assert_eq!((answer.status, &answer.json()["answers"]), (200, &json!(1)));
    assert_eq!(answer.json()["next"][0], first[1]);
    page.stop();
    // The page starts again where it was, also for browsers that still hold questions.
    let page = Page::new(source(), None, journal_in(folder.path()));
    assert_eq!(page.questions("ann", 1), first[1..2]);
    assert_eq!(page.questions("bob", 2), others);
    assert_eq!(page.json("/api/state")["answers"], 1);
    assert_eq!(page.answer("ann", third, "c2").status, 200);
    assert_eq!(answers(folder.path()), ["c1", "c2"]);
}

#[test]
fn an_answer_that_comes_twice_is_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    let questions = page.questions("ann", 2);
    for _ in 0..3 {
        let answer = page.answer("ann", &questions[0], "c1");
        assert_eq!((answer.status, &answer.json()["answers"]), (200, &json!(1)));
    }
    let again = page.answer("ann", &questions[0], "c2");
    assert_eq!(again.status, 409, "another tab has answered it");
    assert!(again.error().contains("answered already"));
    assert_eq!(page.answer("bob", &questions[1], "c3").status, 409, "it was handed out to somebody else");
    let unknown = json!({ "question": "q999", "left": 0, "anchor": 1 });
    assert_eq!(page.answer("ann", &unknown, "c4").status, 404);
    page.stop();
    let page = Page::new(source(), None, journal_in(folder.path()));
    assert_eq!(page.answer("ann", &questions[0], "c1").status, 200, "it may come again after a restart too");
    assert_eq!(answers(folder.path()), ["c1"]);
}

#[test]
fn two_tabs_that_send_at_once_keep_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    for round in 0..10 {
        let question = &page.questions("ann", 1)[0];
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let send = |client: String| page.answer("ann", question, &client).status;
            let tabs: Vec<_> = (0..4).map(|tab| scope.spawn(move || send(format!("c{round}-{}", tab / 2)))).collect();
            tabs.into_iter().map(|tab| tab.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|&&status| status == 200).count(), 2, "{statuses:?}: one, told twice");
        assert_eq!(statuses.iter().filter(|&&status| status == 409).count(), 2, "{statuses:?}");
    }
    assert_eq!(answers(folder.path()).len(), 10);
}

#[test]
fn undo_is_a_record_and_asks_again() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    let undo = |judge: &str| page.posted("/api/judge/undo", &json!({ "judge": judge }));
    assert_eq!(undo("ann"), json!({ "undone": null, "answers": 0 }));
    let questions = page.questions("ann", 2);
    page.answer("ann", &questions[0], "c1");
    let skip = json!({ "question": questions[1]["question"], "judge": "ann", "answer": "skip", "milliseconds": 1.5, "client": "c2" });
    assert_eq!(page.posted("/api/judge/answer", &skip)["answers"], 1, "a skipped question says nothing");
    assert_eq!(undo("bob")["undone"], Value::Null, "everybody takes back what is theirs");
    assert_eq!(undo("ann")["undone"], questions[1]);
    assert_eq!(undo("ann"), json!({ "undone": questions[0], "answers": 0 }));
    assert_eq!(page.questions("ann", 2), questions, "they are asked again, in their order");
    page.stop();
    let (records, _) = read_journal(&folder.path().join("judgements.jsonl")).unwrap();
    assert_eq!(records.iter().filter(|record| matches!(record, Record::Undo(_))).count(), 2);
    let page = Page::new(source(), None, journal_in(folder.path()));
    assert_eq!(page.answer("ann", &questions[0], "c3").json()["answers"], 1);
}

#[test]
fn a_journal_about_other_objects_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    page.questions("ann", 1);
    page.stop();
    let path = folder.path().join("judgements.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("object 1", "thing 1")).unwrap();
    let error = Server::bind(source(), None, journal_in(folder.path())).err().map(|error| error.to_string());
    // Which objects are asked about depends on the seed alone; among four questions one is about such an object.
    if text.contains("\"object 1") {
        assert!(error.unwrap().contains("line 2: there is no object thing 1"));
    }
    std::fs::write(&path, text.clone() + "{\"record\":\"undo\"}\n").unwrap();
    let error = Server::bind(source(), None, journal_in(folder.path())).err().unwrap().to_string();
    assert!(error.contains("judgements.jsonl: line 3"), "{error}");
    std::fs::write(&path, text + "{\"record\":\"un").unwrap();
    let server = Server::bind(source(), None, journal_in(folder.path())).unwrap();
    assert!(server.notes()[0].contains("13 bytes were cut off"), "{:?}", server.notes());
}

#[test]
fn a_page_without_a_journal_asks_nobody() {
    let page = Page::with_model();
    assert_eq!(page.json("/api/state")["judging"], false);
    let refused = page.post("/api/judge/next", &json!({ "judge": "ann" }));
    assert_eq!((refused.status, refused.error().contains("--judgements")), (409, true));
    let source = source();
    let none = sibp_page::Source { table: sibp::Table::from(sibp::Inputs::none(0)), ..source };
    assert!(matches!(Server::bind(none, None, Default::default()).err(), Some(PageError::NoObjects)));
}

#[test]
fn few_objects_are_asked_about_until_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let three = sibp::Inputs::new(3, 1, vec![0.0, 1.0, 5.0]).unwrap();
    let of_three = sibp_page::Source { table: three.into(), ..source() };
    let page = Page::new(of_three, None, journal_in(folder.path()));
    let mut n_answers = 0;
    while let Some(question) = page.questions("ann", 1).first() {
        n_answers += 1;
        assert!(n_answers <= 3, "three objects make three questions");
        page.answer("ann", question, &format!("c{n_answers}"));
    }
    assert_eq!(n_answers, 3);
    assert!(page.json("/api/state")["next"][0].as_str().unwrap().contains("Every question is answered"));
}
