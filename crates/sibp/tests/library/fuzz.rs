//! Fuzzes every parser with mutated valid files: an error or valid data, never a panic, and never an allocation that the
//! file does not justify.
//!
//! Execution `n` of a target depends on nothing but `n`, so a failure is found again by running the target again. The
//! fast tier makes 2,000 executions a target; `SIBP_FUZZ_SECONDS=20` goes on for that long (`make verify`).
//! Checksums would keep mutations out of the parsers behind them, so half of all damaged models and indexes are sealed
//! again with right ones.

use crate::common::{Folder, le, npy};
use crate::encoder_file::small_encoders;
use crate::fits::{Fit, MODELS, small_growing, small_model, small_stack};
use crate::hostile_files::{LARGEST, allowed};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};
use sibp::codes::Codes;
use sibp::data::{
    ColumnRef, Inputs, ReadOptions, read_id_numbers, read_ids, read_labels, read_matrix_u8, read_splits, read_table,
};
use sibp::extend::GrowingCode;
use sibp::format::{Fitted, PortableEncoder};
use sibp::index::{HammingIndex, Search};
use sibp::pipeline::Coder;
use sibp::run::{RunControl, RunSettings};
use sibp::schedule::Schedule;
use sibp::transform::InputTransform;
use sibp::triplets::{collect_judgements, read_cblearn, read_salmon, read_triplets};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

const EXECUTIONS: u64 = 2000;
/// Mutated files that each target must refuse in the fast tier: the mutations do reach something.
const LEAST_REFUSED: u64 = 250;

/// Values at which length fields and counts go wrong.
const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0xffff,
    1 << 20,
    i32::MAX as u64,
    u32::MAX as u64,
    1 << 40,
    i64::MAX as u64,
    u64::MAX - 7,
    u64::MAX,
];
/// Texts that mean something to some parser.
const WORDS: [&str; 24] = [
    "nan",
    "inf",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"",
    "\r",
    "\n",
    ",",
    "\t",
    "\u{feff}",
    "'descr'",
    "(",
    ")",
    "True",
    "<f8",
    "|u1",
    ">i2",
    "{",
    "}",
    "null",
    "\\u0000",
    "[",
    "train",
];

/// Mutates files of a corpus.
struct Mutator<'a> {
    corpus: &'a [Vec<u8>],
    rng: ChaCha8Rng,
}

impl Mutator<'_> {
    fn file(&mut self) -> Vec<u8> {
        let mut bytes = self.corpus[self.rng.random_range(0..self.corpus.len())].clone();
        // Mostly one or two changes: many at once only ever reach the first check.
        let n_changes = [1, 1, 1, 2, 2, 3, 8][self.rng.random_range(0..7)];
        for _ in 0..n_changes {
            self.change(&mut bytes);
        }
        bytes
    }

    fn place(&mut self, bytes: &[u8]) -> usize {
        // Headers come first and are small; half of all changes go there.
        let end = if self.rng.random() { bytes.len() } else { bytes.len().min(256) };
        self.rng.random_range(0..=end)
    }

    fn range(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let from = self.place(bytes);
        from..(from + self.rng.random_range(0..40)).min(bytes.len())
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.place(bytes);
        match self.rng.random_range(0..9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = self.rng.random(),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(self.range(bytes))),
            4 => {
                let copied = bytes[self.range(bytes)].to_vec();
                bytes.splice(at..at, copied);
            }
            5 => {
                let other = &self.corpus[self.rng.random_range(0..self.corpus.len())];
                let from = self.rng.random_range(0..=other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            6 => {
                let width = [1, 2, 4, 8][self.rng.random_range(0..4)];
                let value = EDGES[self.rng.random_range(0..EDGES.len())].to_le_bytes();
                let end = (at + width).min(bytes.len());
                bytes[at..end].copy_from_slice(&value[..end - at]);
            }
            7 => self.change_number(bytes),
            _ => {
                let word = WORDS[self.rng.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }

    /// Replaces one number that is written in digits.
    fn change_number(&mut self, bytes: &mut Vec<u8>) {
        let from = self.place(bytes);
        let Some(first) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
        let length = bytes[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = EDGES[self.rng.random_range(0..EDGES.len())].to_string();
        bytes.splice(first..first + length, value.into_bytes());
    }
}

/// Feeds a parser until its time is up. `seal` may put checksums right; `read` says whether the file was read.
fn fuzz(target: &str, corpus: &[Vec<u8>], seal: impl Fn(&mut [u8]), mut read: impl FnMut(&[u8]) -> bool) {
    let seconds = std::env::var("SIBP_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let deadline = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let done = |n: u64| deadline.map_or(n >= EXECUTIONS, |end| n >= EXECUTIONS && Instant::now() >= end);
    for file in corpus {
        assert!(read(file), "{target}: the files of the corpus are valid");
    }
    let (mut n, mut n_refused) = (0, 0);
    while !done(n) {
        let mut mutator = Mutator { corpus, rng: ChaCha8Rng::seed_from_u64(n) };
        let mut bytes = mutator.file();
        if n % 2 == 0 {
            seal(&mut bytes);
        }
        LARGEST.set(0);
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
        let largest = LARGEST.get();
        let sound = outcome.is_ok() && largest <= allowed(target, bytes.len());
        assert!(sound, "{target}: execution {n}, {largest} bytes at once: {}", bytes.escape_ascii());
        n_refused += u64::from(matches!(outcome, Ok(false)));
        n += 1;
    }
    println!("{target}: {n} executions, {n_refused} refused, {} read, 0 panics", n - n_refused);
    assert!(n_refused >= LEAST_REFUSED, "{target}: only {n_refused} of {n} files were refused");
}

/// Fuzzes a reader of files.
fn fuzz_file(target: &str, corpus: &[Vec<u8>], seal: impl Fn(&mut [u8]), read: impl Fn(&Path) -> bool) {
    let folder = Folder::new();
    fuzz(target, corpus, seal, |bytes| read(&folder.file(target, bytes)));
}

fn unsealed(_: &mut [u8]) {}

/// Puts the checksum of a model right, if there is room for one.
pub fn seal_model(bytes: &mut [u8]) {
    let opening = br#"{"__metadata__":{"checksum":""#;
    let at = 8 + opening.len();
    if bytes.len() >= at + 64 {
        bytes[at..at + 64].fill(b'0');
        let digits: String = Sha256::digest(&*bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        bytes[at..at + 64].copy_from_slice(digits.as_bytes());
    }
}

/// Puts length and checksums of an index right.
fn seal_index(bytes: &mut [u8]) {
    if bytes.len() >= 4096 {
        let length = bytes.len() as u64;
        bytes[40..48].copy_from_slice(&length.to_le_bytes());
        let body = Sha256::digest(&bytes[4096..]);
        bytes[48..80].copy_from_slice(&body);
        let header = Sha256::digest(&bytes[..80]);
        bytes[80..112].copy_from_slice(&header);
    }
}

#[test]
fn models() {
    let settings = RunSettings { seed: 1, sweeps: 3, chains: 2, draws: 1 };
    let model = |(_, kind, preset)| {
        let fit = Fit::new(kind, preset, 5, settings);
        fit.file(fit.run(&RunControl::default(), None).chains).to_bytes().unwrap()
    };
    let mut corpus: Vec<Vec<u8>> = MODELS.into_iter().map(model).collect();
    corpus.push(small_model().to_bytes().unwrap());
    fuzz("m.sibp", &corpus, seal_model, |bytes| match Fitted::from_bytes(bytes) {
        Ok(model) => {
            // What was read can be written, and comes back.
            let again = Fitted::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(format!("{again:?}"), format!("{model:?}"));
            true
        }
        Err(_) => false,
    });
}

#[test]
fn hashes() {
    let plain = small_stack().to_bytes().unwrap();
    let [labels, triplets] = [true, false].map(|by_labels| small_growing(by_labels).to_bytes().unwrap());
    fuzz("h.sibh", &[plain, labels, triplets], seal_model, |bytes| match GrowingCode::from_bytes(bytes) {
        Ok(code) => {
            let again = GrowingCode::from_bytes(&code.to_bytes().unwrap()).unwrap();
            assert_eq!(format!("{again:?}"), format!("{code:?}"));
            true
        }
        Err(_) => false,
    });
}

#[test]
fn encoders() {
    fuzz("m.sibe", &small_encoders(), seal_model, |bytes| match PortableEncoder::from_bytes(bytes) {
        Ok(encoder) => {
            let again = PortableEncoder::from_bytes(&encoder.to_bytes().unwrap()).unwrap();
            assert_eq!(format!("{again:?}"), format!("{encoder:?}"));
            // What was read encodes, or says why not.
            let inputs = Inputs::new(1, encoder.n_inputs(), vec![0.5; encoder.n_inputs()]);
            if let Ok(inputs) = inputs {
                drop(Coder::from(encoder).encode(&inputs));
            }
            true
        }
        Err(_) => false,
    });
}

#[test]
fn indexes() {
    let folder = Folder::new();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut saved = |n_rows: usize, n_bytes: usize, ids: Option<&[u64]>| {
        let bytes = (0..n_rows * n_bytes).map(|_| rng.random()).collect();
        let mut index = HammingIndex::new(8 * n_bytes).unwrap();
        index.add(&Codes::from_bytes(n_rows, 8 * n_bytes, bytes).unwrap(), ids).unwrap();
        let path = folder.path("corpus.idx");
        index.save(&path).unwrap();
        std::fs::read(path).unwrap()
    };
    let corpus = [saved(5, 1, None), saved(3, 2, Some(&[7, 5, u64::MAX])), saved(300, 1, None), saved(0, 1, None)];
    fuzz_file("x.idx", &corpus, seal_index, |path| {
        // Opening checks the header alone, so a damaged body is searched too.
        let Ok(index) = HammingIndex::open(path) else { return false };
        let query = Codes::zeros(1, index.n_bits());
        let found = index.search(&query, &Search::nearest(3)).unwrap();
        assert!(found.ids(0).len() <= 3);
        HammingIndex::verify(path).is_ok()
    });
}

#[test]
fn arrays() {
    let mut second_version = npy("<f4", "False", "(2, 2)", &le![1f32, 2f32, 3f32, 4f32]);
    second_version[6] = 2;
    second_version.splice(10..10, [0, 0]);
    let matrices = [
        npy("<f8", "False", "(3, 2)", &le![1f64, 2f64, 3f64, 4f64, 5f64, 6f64]),
        npy(">i2", "True", "(2, 3)", &[0, 0, 0, 2, 0, 1, 0, 0, 0, 2, 0, 1]),
        npy("|b1", "False", "(2, 2)", &[0, 1, 1, 0]),
        second_version,
    ];
    let table = |path: &Path| match read_table(path, &ReadOptions::default()) {
        Ok(table) => {
            assert!(table.inputs.values().iter().all(|value| value.is_finite()));
            true
        }
        Err(_) => false,
    };
    fuzz_file("x.npy", &matrices, unsealed, table);
    let bytes = [npy("|u1", "False", "(2, 2)", &[0, 1, 1, 0]), npy("|u1", "True", "(2, 2)", &[0, 1, 255, 0])];
    fuzz_file("h.npy", &bytes, unsealed, |path| read_matrix_u8(path).is_ok());
    let numbers = [npy("<i8", "False", "(3,)", &le![1i64, 2i64, 3i64]), npy("<u4", "False", "(2,)", &le![7u32, 9u32])];
    fuzz_file("y.npy", &numbers, unsealed, |path| read_labels(path, &ReadOptions::default()).is_ok());
    fuzz_file("i.npy", &numbers, unsealed, |path| read_id_numbers(path, &ReadOptions::default()).is_ok());
}

#[test]
fn texts() {
    let tables =
        ["\u{feff}id,a,\"b \"\"c\"\"\",kind\r\nx,1,-2.5,u\r\n\"y\r\nz\",3e2,4,v\r\n", "id,kind,b\n1,u,2\n3,v,4\n"];
    let tables = tables.map(|text| text.as_bytes().to_vec());
    let options = ReadOptions {
        id_column: Some(ColumnRef::from("id")),
        label_column: Some(ColumnRef::from("kind")),
        ..ReadOptions::default()
    };
    fuzz_file("x.csv", &tables, unsealed, |path| read_table(path, &options).is_ok());
    let columns = [b"kind\n3\n4\n".to_vec(), b"kind\r\n\"a, b\"\r\nc\r\n".to_vec()];
    fuzz_file("y.csv", &columns, unsealed, |path| read_labels(path, &ReadOptions::default()).is_ok());
    fuzz_file("i.csv", &columns, unsealed, |path| read_ids(path, &ReadOptions::default()).is_ok());
    let splits = [b"repeat,role,row\n0,train,1\n0,test,2\n1,train,3\n1,test,0\n".to_vec()];
    fuzz_file("s.csv", &splits, unsealed, |path| read_splits(path, 4).is_ok());
}

#[test]
fn triplets() {
    let read = |path: &Path| match read_triplets(path, 3) {
        Ok(triplets) => {
            assert!(triplets.iter().all(|t| t.anchor < 3 && t.near < 3 && t.far < 3 && t.near != t.far));
            true
        }
        Err(_) => false,
    };
    let arrays = [
        npy("<i4", "True", "(2, 3)", &le![0i32, 1i32, 1i32, 2i32, 2i32, 0i32]),
        npy("|u1", "False", "(2, 3)", &[0, 1, 2, 2, 0, 1]),
    ];
    fuzz_file("t.npy", &arrays, unsealed, read);
    let texts = ["anchor,near,far\n0,1,2\n2,1,0\n", "when,Far,anchor,near\n1,2,0,1\n", "0,1,2\r\n2,0,1"];
    fuzz_file("t.csv", &texts.map(|text| text.as_bytes().to_vec()), unsealed, read);
    let texts = [
        "anchor,near,far,judge,answer\n0,1,2,ann,far\n2,1,0,bob,cannot say\n0,2,1,ann,near\n",
        "judge,Anchor,near,far,votes_near,votes_far\nx,0,1,2,3,1\ny,1,0,2,0,0\n",
    ];
    let collect = |path: &Path| match collect_judgements(path) {
        Ok((found, ids)) => {
            let of = found.judges.map(|judges| judges.of().len());
            assert!(of.is_none_or(|n| n == found.triplets.len()));
            assert!(found.triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]).all(|at| (at as usize) < ids.len()));
            true
        }
        Err(_) => false,
    };
    fuzz_file("votes.csv", &texts.map(|text| text.as_bytes().to_vec()), unsealed, collect);
    let responses = ["head,left,right,winner,loser,puid,head_html,winner_html,loser_html\n0,1,2,1,2,ann,a,b,c\n"];
    fuzz_file("s.csv", &responses.map(|text| text.as_bytes().to_vec()), unsealed, |path| {
        read_salmon(path, false).is_ok()
    });
    let queries = ["a,b,c,response\n0,1,2,-1\n3,1,2,True\n", "0,1,2\n3,1.0,2\n"];
    fuzz_file("votes-of-queries.csv", &queries.map(|text| text.as_bytes().to_vec()), unsealed, |path| {
        read_cblearn(path, None).is_ok()
    });
}

#[test]
fn settings() {
    let steps = ["sqrt,standardise,pca:3", "centre,scale,fourier:256", "anchors:100:50", "none"]
        .map(|text| text.as_bytes().to_vec());
    let parse = |bytes: &[u8]| String::from_utf8_lossy(bytes).parse::<InputTransform>().is_ok();
    fuzz("transform", &steps, unsealed, parse);
    let schedules = [Schedule::probit(), Schedule::gaussian(), Schedule::probit_slice()];
    let schedules = schedules.map(|schedule| serde_json::to_vec(&schedule).unwrap());
    fuzz("schedule.json", &schedules, unsealed, |bytes| serde_json::from_slice::<Schedule>(bytes).is_ok());
}
