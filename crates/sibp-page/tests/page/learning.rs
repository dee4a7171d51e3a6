//! Tests that codes are learned while people answer, and that nobody waits for it.

use crate::browser::{Page, journal_in, source, start};
use serde_json::Value;
use sibp_page::{Base, Settings, Source};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

/// Answers `n` questions.
fn answer(page: &Page, n: usize, salt: &str) {
    for at in 0..n {
        let question = &page.questions("ann", 1)[0];
        assert_eq!(page.answer("ann", question, &format!("{salt}{at}")).status, 200);
    }
}

/// Reads events until a state satisfies something.
fn wait(page: &Page, what: impl Fn(&Value) -> bool) -> Value {
    let mut stream = page.connect();
    let request = format!("GET /api/events HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", page.host(), page.cookie());
    stream.write_all(request.as_bytes()).unwrap();
    for line in BufReader::new(stream).lines() {
        if let Some(data) = line.unwrap().strip_prefix("data: ") {
            let state: Value = serde_json::from_str(data).unwrap();
            if what(&state) {
                return state;
            }
        }
    }
    panic!("the events ended");
}

fn settings(folder: &Path) -> Settings {
    Settings { first_fit: Some(12), ..journal_in(folder) }
}

#[test]
fn codes_appear_after_enough_answers_and_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, settings(folder.path()));
    assert_eq!(page.get("/api/bits").status, 409, "there is no model yet");
    answer(&page, 11, "a");
    let before = page.json("/api/state");
    assert_eq!((&before["version"], &before["model"]), (&Value::from(0), &Value::Null));
    assert!(before["next"][0].as_str().unwrap().contains("1 more answer"), "{before}");
    answer(&page, 1, "b");
    let first = wait(&page, |state| state["version"] == 1);
    assert_eq!(first["model"]["objects"], 40);
    assert_eq!(page.json("/api/bits")["version"], 1);
    // Chains go on with what was answered since.
    answer(&page, 20, "c");
    wait(&page, |state| state["version"] == 2);
    // What the model chooses is there soon, and what was chosen without it serves until then.
    let chosen = (0..500).any(|judge| {
        std::thread::sleep(Duration::from_millis(20));
        page.questions(&format!("judge {judge}"), 1)[0]["kind"] == "informative"
    });
    assert!(chosen, "the model chooses questions");
    page.stop();
    let page = Page::new(source(), None, settings(folder.path()));
    wait(&page, |state| state["version"] == 1);
    assert_eq!(page.json("/api/state")["answers"], 32);
}

#[test]
fn answers_beside_a_model_whose_triplets_nobody_knows_are_kept_alone() {
    let folder = tempfile::tempdir().unwrap();
    let unknown = Source { base: Base::Unknown, ..source() };
    let page = Page::new(unknown, Some(start()), settings(folder.path()));
    answer(&page, 13, "a");
    let state = page.json("/api/state");
    assert_eq!((&state["version"], &state["answers"]), (&Value::from(1), &Value::from(13)));
    assert!(state["next"][0].as_str().unwrap().contains("--triplets"), "{state}");
}

/// Control questions are asked of a model before it learns their answers.
#[test]
fn control_questions_tell_how_good_the_model_is() {
    let folder = tempfile::tempdir().unwrap();
    let never = Settings { first_fit: Some(100_000), ..journal_in(folder.path()) };
    let page = Page::new(source(), Some(start()), never);
    answer(&page, 80, "a");
    let progress = page.json("/api/judge/progress");
    assert_eq!(progress["answers"], 80);
    let control = progress["control"].as_array().unwrap();
    assert!(!control.is_empty(), "{progress}");
    for point in control {
        let of = |name: &str| point[name].as_f64().unwrap();
        assert!(of("low") <= of("agreement") && of("agreement") <= of("high"), "{point}");
    }
    assert_eq!(progress["judges"], serde_json::json!([{ "name": "ann", "answers": 80 }]));
}
