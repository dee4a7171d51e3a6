//! Runs the built command in a folder of its own, on small files.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

/// Objects of the small data set.
pub const N: usize = 60;
/// Its inputs.
pub const M: usize = 6;

/// A folder that is gone after the test.
pub struct Folder(TempDir);

/// What a command did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test"))
    }

    /// A folder with x.npy, y.npy and ids.txt of the small data set.
    pub fn with_data() -> Self {
        let folder = Self::new();
        folder.npy_f64("x.npy", M, &inputs(N, 0));
        folder.npy_i64("y.npy", &classes(N));
        folder.write("ids.txt", (0..N).map(|i| format!("object-{i}\n")).collect::<String>());
        folder
    }

    /// The same with a model m.sibp fitted to it.
    pub fn with_model() -> Self {
        let folder = Self::with_data();
        folder.ok("fit x.npy --labels y.npy --model gaussian --seed 1 --sweeps 30 --per-object 8 --quiet -o m.sibp");
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("the test's own folder can be written");
    }

    pub fn npy_f64(&self, name: &str, n_columns: usize, values: &[f64]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        self.write(name, npy("<f8", &format!("({}, {n_columns})", values.len() / n_columns), &bytes));
    }

    pub fn npy_i64(&self, name: &str, values: &[i64]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        self.write(name, npy("<i8", &format!("({},)", values.len()), &bytes));
    }

    pub fn npy_u8(&self, name: &str, n_columns: usize, values: &[u8]) {
        self.write(name, npy("|u1", &format!("({}, {n_columns})", values.len() / n_columns), values));
    }

    /// The command, ready to run in this folder.
    pub fn command(&self, line: &str) -> std::process::Command {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("sibp"));
        command.current_dir(self.0.path()).args(line.split_whitespace()).env_remove("NO_COLOR");
        command
    }

    pub fn run(&self, line: &str) -> Ran {
        let output = Command::from_std(self.command(line)).output().expect("the command starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command prints text");
        Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs a command that must do; returns its stdout.
    pub fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "sibp {line}\n{}", ran.stderr);
        ran.stdout
    }

    /// Runs a fit that writes `out`, and stops it as soon as there is a checkpoint, unless it is quicker.
    pub fn stopped(&self, line: &str, out: &str) {
        let line = format!("{line} --checkpoint-every 1ms -o {out}");
        let checkpoint = format!("{out}.checkpoint");
        let mut child = self.command(&line).stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts");
        let mut is_running = || child.try_wait().expect("it can be asked").is_none();
        while is_running() && !self.has(&checkpoint) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        if is_running() {
            signal("INT", child.id());
        }
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "sibp {line}");
    }

    /// Runs a command that must fail with exit code 1 and a message with all these parts.
    pub fn fails(&self, line: &str, parts: &[&str]) {
        self.refuses(1, line, parts);
    }

    /// Runs a command that must be refused for its options, exit code 2.
    pub fn misused(&self, line: &str, parts: &[&str]) {
        self.refuses(2, line, parts);
    }

    fn refuses(&self, code: i32, line: &str, parts: &[&str]) {
        let ran = self.run(line);
        assert_eq!(ran.code, code, "sibp {line}\n{}{}", ran.stdout, ran.stderr);
        let said = ran.stderr.lines().any(|l| l.starts_with("error: "));
        assert!(said, "sibp {line}: no line starts with 'error: '\n{}", ran.stderr);
        for part in parts {
            assert!(ran.stderr.contains(part), "sibp {line}: {part:?} is missing in\n{}", ran.stderr);
        }
        assert_eq!(ran.stdout, "", "sibp {line} printed data though it failed");
    }
}

/// An npy file.
pub fn npy(descr: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    npy_ordered(descr, shape, false, bytes)
}

/// An npy file, column-major if asked.
pub fn npy_ordered(descr: &str, shape: &str, fortran: bool, bytes: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

/// Three classes, one after the other.
pub fn classes(n: usize) -> Vec<i64> {
    (0..n).map(|row| (row % 3) as i64).collect()
}

/// Inputs that tell the classes apart, with noise; another `salt` gives other noise.
pub fn inputs(n: usize, salt: u64) -> Vec<f64> {
    let mut state = 12345u64 + salt;
    let mut noise = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / f64::from(1u32 << 24) - 0.5
    };
    (0..n * M).map(|at| if at % M % 3 == at / M % 3 { 2.0 + noise() } else { noise() }).collect()
}

/// Shape and bytes of a small npy file of uint8.
pub fn read_u8(bytes: &[u8]) -> (usize, usize, Vec<u8>) {
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..start]).expect("an npy header");
    assert!(header.contains("'|u1'"), "{header}");
    let shape = header.split("'shape': (").nth(1).and_then(|s| s.split(')').next()).expect("a shape");
    let numbers: Vec<usize> = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    (numbers[0], numbers[1], bytes[start..].to_vec())
}

/// One JSON value a line.
pub fn json_lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// Sends a signal to a process that the test started.
pub fn signal(name: &str, process: u32) {
    let sent = std::process::Command::new("kill").args([format!("-{name}"), process.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Waits until a file is there.
pub fn wait_for(path: &Path) {
    while !path.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
