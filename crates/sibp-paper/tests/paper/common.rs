//! Holds a folder of small files, hears what is said, and looks into pictures.

use sibp::run::Progress;
use sibp_paper::{Misuse, Talk};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// A folder that is gone after the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).expect("a file for the test");
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// Remembers what was said, and wishes to stop when it is told to.
#[derive(Default)]
pub struct Heard {
    said: Mutex<Vec<String>>,
    stop: AtomicBool,
}

impl Heard {
    /// All that was said, a line each.
    pub fn all(&self) -> String {
        self.said.lock().unwrap().join("\n")
    }

    pub fn ask_to_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Talk for Heard {
    fn say(&self, text: &str) {
        self.said.lock().unwrap().push(text.to_owned());
    }

    fn stop(&self) -> anyhow::Result<&AtomicBool> {
        Ok(&self.stop)
    }

    fn chains(&self, _n_chains: usize, _sweeps: u64, _has_triplets: bool) -> Box<dyn Fn(&Progress) + Sync + '_> {
        Box::new(|_| ())
    }

    fn results(&self, _n: usize) -> Option<Box<dyn Fn(usize) + Sync + '_>> {
        None
    }
}

/// Checks that a run failed, not for its options, with a message that has all these parts.
pub fn fails(ran: anyhow::Result<String>, parts: &[&str]) {
    refuses(ran, false, parts);
}

/// Checks that a run was refused for its options.
pub fn misused(ran: anyhow::Result<String>, parts: &[&str]) {
    refuses(ran, true, parts);
}

fn refuses(ran: anyhow::Result<String>, by_options: bool, parts: &[&str]) {
    let error = ran.expect_err("a refusal");
    let said = format!("{error:#}");
    assert_eq!(error.is::<Misuse>(), by_options, "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is missing in\n{said}");
    }
}

/// Heights of the rectangles of a colour.
pub fn heights(svg: &str, colour: &str) -> Vec<f64> {
    let height = |line: &str| line.split("height=\"").nth(1)?.split('"').next()?.parse().ok();
    let rectangles = svg.lines().filter(|line| line.starts_with("<rect x=") && line.contains(colour));
    rectangles.map(|line| height(line).unwrap_or_else(|| panic!("no height in {line}"))).collect()
}
