//! Cuts small files at every length and changes every byte: an error or valid data, never a panic, and never an
//! allocation that the file does not justify.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
#[cfg(feature = "parquet")]
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Folder, le, npy};
use sibp::data::{ColumnRef, DataError, ReadOptions, read_labels, read_matrix_u8, read_splits, read_table};
use sibp::triplets::read_triplets;

thread_local! {
    /// The largest single allocation of this thread. Readers use no other threads.
    pub static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(size: usize) {
    LARGEST.with(|largest| largest.set(largest.get().max(size)));
}

/// What a reader may allocate at once for a file of this length: its own read buffers (64 KiB for text) and a few
/// values for each byte. A Parquet page may hold 4 MiB, and 1000 bytes for each of its own; votes may become a million
/// triplets of 12 bytes, in a list that grows by doubling.
pub fn allowed(name: &str, n_bytes: usize) -> usize {
    match name {
        _ if name.ends_with(".parquet") => (4 << 20) + 1001 * n_bytes,
        _ if name.starts_with("votes") => 24_000_000,
        _ => (1 << 16) + 64 * n_bytes,
    }
}

struct Watched;

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Which wrong values each byte takes.
#[derive(Clone, Copy)]
enum Values {
    /// All 255.
    All,
    /// The 8 that differ in one bit, and some that are special somewhere.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Some,
}

impl Values {
    fn of(self, byte: u8) -> Vec<u8> {
        let all: Vec<u8> = match self {
            Self::All => (0..=255).collect(),
            Self::Some => (0..8).map(|bit| byte ^ (1 << bit)).chain([0x00, 0x7f, 0x80, 0xff]).collect(),
        };
        all.into_iter().filter(|&value| value != byte).collect()
    }
}

/// Reads every damaged version of `bytes`; returns how many were refused and how many read.
fn damage(name: &str, bytes: &[u8], values: Values, read: impl Fn(&Path) -> Result<(), DataError>) -> (usize, usize) {
    let folder = Folder::new();
    let path = folder.file(name, bytes);
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let (mut n_refused, mut n_read) = (0, 0);
    LARGEST.set(0);
    let mut attempt = |what: &dyn Fn() -> String| {
        match read(&path) {
            Ok(()) => n_read += 1,
            Err(error) => {
                assert!(matches!(error, DataError::InFile { .. }), "{}: no file in: {error}", what());
                n_refused += 1;
            }
        }
        let largest = LARGEST.get();
        assert!(largest <= allowed(name, bytes.len()), "{}: {largest} bytes were allocated at once", what());
    };
    // One byte is overwritten in place: making a new file each time takes ten times as long.
    let mut put = |at: usize, value: u8| {
        file.seek(SeekFrom::Start(at as u64)).and_then(|_| file.write_all(&[value])).unwrap();
    };
    for (at, &byte) in bytes.iter().enumerate() {
        for value in values.of(byte) {
            put(at, value);
            attempt(&|| format!("{name} with byte {at} set to {value:#04x}"));
        }
        put(at, byte);
    }
    for len in (0..bytes.len()).rev() {
        file.set_len(len as u64).unwrap();
        attempt(&|| format!("{name} cut to {len} bytes"));
    }
    (n_refused, n_read)
}

fn table(options: &ReadOptions) -> impl Fn(&Path) -> Result<(), DataError> + '_ {
    |path| read_table(path, options).map(|table| assert!(table.inputs.values().iter().all(|v| v.is_finite())))
}

#[test]
fn damaged_npy_files() {
    let floats = npy("<f8", "False", "(3, 2)", &le![1f64, 2f64, 3f64, 4f64, 5f64, 6f64]);
    let (n_refused, n_read) = damage("x.npy", &floats, Values::All, table(&ReadOptions::default()));
    assert!(n_refused > floats.len() && n_read > 0, "{n_refused} refused, {n_read} read");
    damage("t.npy", &npy("<i4", "True", "(2, 3)", &le![0i32, 1i32, 1i32, 2i32, 2i32, 0i32]), Values::All, |path| {
        read_triplets(path, 3).map(|_| ())
    });
    damage("y.npy", &npy("<i8", "False", "(3,)", &le![1i64, 2i64, 3i64]), Values::All, |path| {
        read_labels(path, &ReadOptions::default()).map(|_| ())
    });
    damage("h.npy", &npy("|u1", "False", "(2, 2)", &[0, 1, 1, 0]), Values::All, |path| {
        read_matrix_u8(path).map(|_| ())
    });
}

#[test]
fn a_second_version_header_is_damaged() {
    let mut bytes = npy("<f4", "False", "(2, 2)", &le![1f32, 2f32, 3f32, 4f32]);
    bytes[6] = 2;
    bytes.splice(10..10, [0, 0]);
    let (_, n_read) = damage("x.npy", &bytes, Values::All, table(&ReadOptions::default()));
    assert!(n_read > 0);
}

#[test]
fn damaged_text_files() {
    let text = "\u{feff}id,a,\"b \"\"c\"\"\",kind\r\nx,1,-2.5,u\r\n\"y\r\nz\",3e2,4,v\r\n";
    let options = ReadOptions {
        id_column: Some(ColumnRef::from("id")),
        label_column: Some(ColumnRef::from("kind")),
        ..ReadOptions::default()
    };
    let (n_refused, n_read) = damage("x.csv", text.as_bytes(), Values::All, table(&options));
    assert!(n_refused > 100 && n_read > 100, "{n_refused} refused, {n_read} read");
    damage("t.csv", b"anchor,near,far\n0,1,2\n2,1,0\n", Values::All, |path| read_triplets(path, 3).map(|_| ()));
    damage("y.csv", b"kind\n3\n4\n", Values::All, |path| read_labels(path, &ReadOptions::default()).map(|_| ()));
    let splits = b"repeat,role,row\n0,train,1\n0,test,2\n1,train,3\n1,test,0\n";
    damage("s.csv", splits, Values::All, |path| read_splits(path, 4).map(|_| ()));
}

#[cfg(feature = "parquet")]
#[test]
fn damaged_parquet_files() {
    damage_parquet(Values::Some);
}

#[cfg(feature = "parquet")]
#[test]
#[ignore = "slow: every value of every byte"]
fn damaged_parquet_files_in_full() {
    damage_parquet(Values::All);
}

#[cfg(feature = "parquet")]
fn damage_parquet(values: Values) {
    use crate::parquet_maker::{Cells, file, list_file};
    use parquet::basic::{Compression, ZstdLevel};
    let schema = "message m { required double a; optional float b; required binary id (UTF8); }";
    let columns = vec![
        Cells::Double(vec![0.5, 1.5, 2.5]),
        Cells::Float(vec![Some(1.0), Some(2.0), Some(1.0)]),
        Cells::Text(vec!["x", "y", "z"]),
    ];
    let options = ReadOptions { id_column: Some(ColumnRef::from("id")), ..ReadOptions::default() };
    // The library's panics are caught; their reports would only fill the screen.
    let usual = std::panic::take_hook();
    static N_CAUGHT: AtomicUsize = AtomicUsize::new(0);
    std::panic::set_hook(Box::new(move |info| {
        if info.location().is_some_and(|at| at.file().contains("sibp")) {
            usual(info);
        } else {
            N_CAUGHT.fetch_add(1, Ordering::Relaxed);
        }
    }));
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())] {
        let bytes = file(schema, std::slice::from_ref(&columns), compression);
        let (n_refused, n_read) = damage("x.parquet", &bytes, values, table(&options));
        eprintln!("{compression:?}: {} bytes, {n_refused} refused, {n_read} read", bytes.len());
        assert!(n_refused > bytes.len() && n_read > 0);
    }
    let lists = list_file(&[vec![Some(1.0), Some(2.0)], vec![Some(3.0), Some(4.0)]]);
    damage("x.parquet", &lists, values, table(&ReadOptions::default()));
    eprintln!("panics of the parquet library that were caught: {}", N_CAUGHT.load(Ordering::Relaxed));
}
