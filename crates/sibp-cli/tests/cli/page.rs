//! Tests `sibp page` as a process: what it prints, how it ends, and that kills and full disks lose no answer.
#![cfg(unix)]

use crate::common::{Folder, signal};
use serde_json::{Value, json};
use sibp_page::journal::{Record, read_journal};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A page that runs; it is killed when this is dropped.
struct Page {
    child: Child,
    port: u16,
    token: String,
}

impl Page {
    /// Starts it and waits for its address.
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the page starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let Some((address, token)) = line.trim().split_once("/?token=") else {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("no address, but {line:?} {said}");
        };
        let port = address.rsplit(':').next().unwrap().parse().unwrap();
        assert_eq!(address, format!("http://127.0.0.1:{port}"));
        Self { child, port, token: token.to_owned() }
    }

    fn of(folder: &Folder, line: &str) -> Self {
        Self::start(folder.command(line))
    }

    /// A status and a body; `None` where the server is gone.
    fn send(&self, line: &str, body: &str) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
        let (port, token) = (self.port, &self.token);
        let head = format!(
            "{line} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\norigin: http://127.0.0.1:{port}\r\ncookie: sibp-{port}={token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        // An answer that was cut off is none.
        Some((head.split(' ').nth(1)?.parse().ok()?, serde_json::from_str(body).ok()?))
    }

    fn post(&self, path: &str, content: &Value) -> Option<(u16, Value)> {
        self.send(&format!("POST {path}"), &content.to_string())
    }

    fn question(&self) -> Option<Value> {
        let asked = json!({ "judge": "ann", "n": 1, "seen": [] });
        let (status, found) = self.post("/api/judge/next", &asked)?;
        (status == 200).then(|| found["questions"][0].clone())
    }

    fn state(&self) -> Value {
        self.send("GET /api/state", "").unwrap().1
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(question: &Value, client: &str) -> Value {
    json!({ "question": question["question"], "judge": "ann", "answer": "left", "milliseconds": 3, "client": client })
}

/// How often each answer is in the journal.
fn kept(folder: &Folder) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for record in read_journal(&folder.path("j.jsonl")).unwrap().0 {
        if let Record::Answer(answer) = record {
            *found.entry(answer.client).or_default() += 1;
        }
    }
    found
}

const LINE: &str = "page x.npy --ids ids.txt --judgements j.jsonl --first-fit 100000";

/// 10 kills in the fast tier; `make verify` asks for 200.
#[test]
fn kills_lose_no_acknowledged_answer_and_double_none() {
    let n_kills: u32 = std::env::var("SIBP_KILLS").map_or(10, |text| text.parse().unwrap());
    let folder = Folder::with_data();
    let (mut acknowledged, mut state, mut n_sent) = (Vec::new(), 2024u64, 0);
    let mut unsure: Option<Value> = None;
    for _ in 0..n_kills {
        let mut page = Page::of(&folder, LINE);
        assert!(page.state()["answers"].as_u64().unwrap() >= acknowledged.len() as u64, "answers are there again");
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (process, wait) = (page.child.id(), Duration::from_micros(500 + (state >> 33) % 60_000));
        let killer = std::thread::spawn(move || {
            std::thread::sleep(wait);
            signal("KILL", process);
        });
        loop {
            // What was not acknowledged is sent again under its name, as a browser does.
            let sending = match unsure.take() {
                Some(content) => content,
                None => match page.question() {
                    Some(question) => {
                        n_sent += 1;
                        answer(&question, &format!("c{n_sent}"))
                    }
                    None => break,
                },
            };
            match page.post("/api/judge/answer", &sending) {
                Some((200, _)) => acknowledged.push(sending["client"].as_str().unwrap().to_owned()),
                Some((status, said)) => panic!("{status}: {said}"),
                None => {
                    unsure = Some(sending);
                    break;
                }
            }
        }
        killer.join().unwrap();
        page.child.wait().unwrap();
    }
    let page = Page::of(&folder, LINE);
    let kept = kept(&folder);
    assert!(acknowledged.iter().all(|client| kept.contains_key(client)), "an acknowledged answer is lost");
    assert!(kept.values().all(|&n| n == 1), "an answer is there twice: {kept:?}");
    assert!(kept.len() <= acknowledged.len() + 1, "what nobody sent is there");
    assert_eq!(page.state()["answers"].as_u64().unwrap(), kept.len() as u64);
    println!("{n_kills} kills, {} answers acknowledged, {} kept", acknowledged.len(), kept.len());
}

#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let folder = Folder::with_data();
    let sibp = folder.command("");
    let mut shell = Command::new("sh");
    shell.current_dir(folder.path("."));
    // A limit on the size of files acts as a full disk: writes fail once some bytes were written.
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f 4; exec \"$0\" {LINE}")]).arg(sibp.get_program());
    let page = Page::start(shell);
    let mut n_kept = 0;
    let refused = loop {
        let asked = json!({ "judge": "ann", "n": 1, "seen": [] });
        let (status, found) = page.post("/api/judge/next", &asked).unwrap();
        if status != 200 {
            break (status, found);
        }
        let content = answer(&found["questions"][0], &format!("c{n_kept}"));
        let (status, found) = page.post("/api/judge/answer", &content).unwrap();
        if status != 200 {
            break (status, found);
        }
        n_kept += 1;
        assert!(n_kept < 100, "the disk does not fill");
    };
    assert_eq!(refused.0, 507, "{}", refused.1);
    let said = refused.1["error"].as_str().unwrap();
    assert!(said.contains("not kept") && said.contains("j.jsonl") && said.contains("too large"), "{said}");
    assert_eq!(page.state()["answers"], n_kept, "what is not kept does not count");
    drop(page);
    // With room again it goes on where it was.
    let page = Page::of(&folder, LINE);
    assert_eq!((page.state()["answers"].as_u64().unwrap(), kept(&folder).len() as u64), (n_kept, n_kept));
    let question = page.question().unwrap();
    assert_eq!(page.post("/api/judge/answer", &answer(&question, "after")).unwrap().0, 200);
}

#[test]
fn ctrl_c_ends_it_in_order_also_while_it_learns() {
    let folder = Folder::with_data();
    let mut page = Page::of(&folder, "page x.npy --labels y.npy --judgements j.jsonl --first-fit 5");
    for at in 0..5 {
        let question = page.question().unwrap();
        assert_eq!(page.post("/api/judge/answer", &answer(&question, &format!("c{at}"))).unwrap().0, 200);
    }
    let mut listener = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let (port, token) = (page.port, &page.token);
    let request = format!("GET /api/events HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncookie: sibp-{port}={token}\r\n\r\n");
    listener.write_all(request.as_bytes()).unwrap();
    listener.read_exact(&mut [0; 100]).unwrap();
    signal("INT", page.child.id());
    assert_eq!(page.child.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    page.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("ended") && !said.contains(&page.token), "{said}");
    assert_eq!(kept(&folder).len(), 5);
}

#[test]
fn a_journal_that_another_page_writes_is_refused() {
    let folder = Folder::with_data();
    let _page = Page::of(&folder, LINE);
    folder.fails(LINE, &["j.jsonl", "another server"]);
}

#[test]
fn a_model_and_its_objects_are_shown() {
    let folder = Folder::with_model();
    let page = Page::of(&folder, "page m.sibp x.npy --labels y.npy --image-shape 3x2");
    let state = page.state();
    assert_eq!((&state["version"], &state["show"], &state["judging"]), (&json!(1), &json!("images"), &json!(false)));
    assert_eq!(state["objects"], 60);
    let (status, found) = page.send("GET /api/search?object=3&k=2", "").unwrap();
    assert_eq!((status, found["neighbours"].as_array().unwrap().len()), (200, 2));
    folder.misused("page m.sibp x.npy --image-shape 8x8", &["--image-shape", "6 inputs"]);
    folder.misused("page x.npy --triplets t.csv", &["--triplets", "no model"]);
    folder.misused("page m.sibp", &["give the inputs"]);
    folder.fails("page m.sibp missing.npy", &["missing.npy"]);
    folder.fails("page x.npy --images nowhere --judgements j.jsonl", &["nowhere"]);
}

#[test]
fn texts_of_a_column_are_shown_and_are_no_inputs() {
    let folder = Folder::new();
    folder.write("t.csv", "name,title,a,b\nx,<b>one</b>,1,2\ny,two,3,4\nz,three,5,7\n");
    let page = Page::of(&folder, "page t.csv --id-column name --text title --judgements j.jsonl");
    assert_eq!((&page.state()["show"], &page.state()["names"]["inputs"]), (&json!("text"), &json!(["a", "b"])));
    let object = page.send("GET /api/object/0", "").unwrap().1;
    assert_eq!((&object["text"], &object["id"]), (&json!("<b>one</b>"), &json!("x")));
}

#[test]
fn answers_become_triplets() {
    let folder = Folder::with_data();
    let page = Page::of(&folder, LINE);
    for at in 0..4 {
        let question = page.question().unwrap();
        page.post("/api/judge/answer", &answer(&question, &format!("c{at}"))).unwrap();
    }
    page.post("/api/judge/undo", &json!({ "judge": "ann" })).unwrap();
    // It can be read while the page writes to it.
    let ran = folder.run("triplets from-judgements j.jsonl -o t.csv");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("3 triplets by 1 judge") && ran.stderr.contains("taken back: 1"), "{}", ran.stderr);
    let text = folder.text("t.csv");
    assert!(text.starts_with("anchor,near,far,judge\nobject-") && text.lines().count() == 4, "{text}");
    folder.ok("triplets check t.csv");
    folder.ok("fit x.npy --ids ids.txt --triplets t.csv --sweeps 5 --chains 1 --no-rehearsal --quiet -o m.sibp");
    assert_eq!(folder.ok("triplets from-judgements j.jsonl --keep majority").lines().count(), 4);
    folder.write(
        "wrong.jsonl",
        "{\"record\":\"journal\",\"version\":1,\"objects\":3,\"ids\":false,\"name\":\"a\"}\nnonsense\n",
    );
    folder.fails("triplets from-judgements wrong.jsonl", &["wrong.jsonl", "line 2"]);
    folder.misused("triplets from-judgements j.jsonl -o t.npy", &[".npy"]);
}

#[test]
fn contradictions_are_told_and_a_majority_decides() {
    let folder = Folder::new();
    let head = r#"{"record":"journal","version":1,"objects":3,"ids":true,"name":"a"}"#;
    let line = |n: usize, judge: &str, answer: &str| {
        format!(
            r#"{{"record":"answer","question":"a-{n}","judge":"{judge}","anchor":"cat","left":"dog","right":"cow","kind":"control","answer":"{answer}","milliseconds":9,"client":"c{n}","at":"t"}}"#
        )
    };
    let lines = [head.to_owned(), line(1, "ann", "left"), line(2, "bob", "right"), line(3, "eve", "left")];
    folder.write("j.jsonl", lines.join("\n") + "\n");
    let ran = folder.run("triplets from-judgements j.jsonl");
    assert_eq!(ran.stdout, "anchor,near,far,judge\ncat,dog,cow,ann\ncat,cow,dog,bob\ncat,dog,cow,eve\n");
    assert!(
        ran.stderr.contains("answered both ways: 1") && ran.stderr.contains("cat: dog 2 : 1 cow"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.ok("triplets from-judgements j.jsonl --keep majority"), "anchor,near,far\ncat,dog,cow\n");
}
