//! Stands in for a browser: a small HTTP client over a socket, and servers to talk to.

use serde_json::{Value, json};
use sibp::data::{Ids, Inputs, Labels, Table};
use sibp::{Fit, RunControl};
use sibp_page::{Base, Limits, Pictures, Server, Settings, Source, Start, Stop};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

/// Objects of the small data set.
pub const N: usize = 40;

/// Two classes that the second of three inputs tells apart.
pub fn table() -> Table {
    let noise = |at: usize| ((at * 7919 + 13) % 101) as f64 / 101.0;
    let row = |at: usize| [noise(at), 5.0 * (at % 2) as f64 + noise(3 * at), noise(7 * at + 1)];
    let labels: Vec<&str> = (0..N).map(|at| if at % 2 == 0 { "even" } else { "odd" }).collect();
    let ids = (0..N).map(|at| if at == 3 { "<img src=x onerror=alert(1)>".into() } else { format!("object {at}") });
    Table {
        ids: Some(Ids::new(ids.collect()).unwrap()),
        labels: Some(Labels::from_text(&labels)),
        ..Table::from(Inputs::new(N, 3, (0..N).flat_map(row).collect()).unwrap())
    }
}

/// The objects, to which answers may be added.
pub fn source() -> Source {
    Source { table: table(), texts: None, pictures: Pictures::None, known: None, base: Base::Triplets(Vec::new()) }
}

/// A model of them.
pub fn start() -> Start {
    let table = table();
    let labels = table.labels.clone().unwrap();
    let fit = Fit::by_labels(table, labels).seed(1).sweeps(30).calibrates(false);
    Start { fitted: fit.run(&RunControl::default()).unwrap(), path: "nowhere.sibp".into() }
}

/// Settings with a journal in a folder.
pub fn journal_in(folder: &Path) -> Settings {
    Settings { journal: Some(folder.join("judgements.jsonl")), ..Settings::default() }
}

/// Limits that a test need not wait for.
pub fn quick() -> Limits {
    Limits { time: Duration::from_millis(300), ..Limits::default() }
}

/// A server on a thread of its own; it ends when this is dropped.
pub struct Page {
    pub address: SocketAddr,
    pub token: String,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Page {
    pub fn new(source: Source, start: Option<Start>, settings: Settings) -> Self {
        let server = Server::bind(source, start, settings).unwrap();
        let (address, url, stop) = (server.address(), server.url(), server.stopper());
        let token = url.split_once("token=").unwrap().1.to_owned();
        let thread = std::thread::spawn(move || server.run().unwrap());
        Self { address, token, stop, thread: Some(thread) }
    }

    /// With a model, without a journal.
    pub fn with_model() -> Self {
        Self::new(source(), Some(start()), Settings::default())
    }

    pub fn host(&self) -> String {
        self.address.to_string()
    }

    pub fn cookie(&self) -> String {
        format!("sibp-{}={}", self.address.port(), self.token)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends a whole request as it stands, and reads the answer.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that has refused may have closed already.
        let _ = stream.write_all(request);
        Answer::read(stream)
    }

    /// A request with these headers and no others but its host.
    pub fn request(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            text += &format!("host: {}\r\n", self.host());
        }
        if !body.is_empty() {
            text += &format!("content-length: {}\r\n", body.len());
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        self.raw(format!("{text}\r\n{body}").as_bytes())
    }

    /// As a browser that was let in asks.
    pub fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path}"), &[("cookie", &self.cookie())], "")
    }

    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// As the page's own script posts.
    pub fn post(&self, path: &str, content: &Value) -> Answer {
        let origin = format!("http://{}", self.host());
        let headers = [("cookie", self.cookie()), ("origin", origin), ("content-type", "application/json".to_owned())];
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.request(&format!("POST {path}"), &headers, &content.to_string())
    }

    pub fn posted(&self, path: &str, content: &Value) -> Value {
        let answer = self.post(path, content);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// The questions that a judge has not answered.
    pub fn questions(&self, judge: &str, n: usize) -> Vec<Value> {
        let found = self.posted("/api/judge/next", &json!({ "judge": judge, "n": n, "seen": [] }));
        found["questions"].as_array().unwrap().clone()
    }

    /// Answers a question by the classes of the objects, which are their parities.
    pub fn answer(&self, judge: &str, question: &Value, client: &str) -> Answer {
        let odd = |side: &str| question[side].as_u64().unwrap() % 2;
        let answer = if odd("left") == odd("anchor") { "left" } else { "right" };
        let name = &question["question"];
        let content =
            json!({ "question": name, "judge": judge, "answer": answer, "milliseconds": 5, "client": client });
        self.post("/api/judge/answer", &content)
    }

    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(std::thread::panicking() || ended.is_ok(), "the server ends in order");
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads an answer to the end of the connection; a status of 0 where there was none.
    pub fn read(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        let _ = reader.read_line(&mut line);
        let status = line.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) < 3 {
                break;
            }
            let (name, value) = line.trim_end().split_once(": ").unwrap_or_default();
            headers.push((name.to_lowercase(), value.to_owned()));
        }
        let mut body = Vec::new();
        let _ = reader.read_to_end(&mut body);
        Self { status, headers, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The sentence of a refusal.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap().to_owned()
    }
}
