//! Tests that changes of an index by several processes, and changes that are killed, lose and tear nothing.

use crate::common::Folder;
use serde_json::Value;
use sibp::codes::Codes;
use sibp::index::{HammingIndex, IndexLock, IndexWriter, Texts};
use std::collections::BTreeSet;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

/// Codes of two bytes.
fn bytes(n_rows: usize, salt: usize) -> Vec<u8> {
    (0..2 * n_rows).map(|at| ((at * 37 + salt * 11) >> 1) as u8 | 2).collect()
}

fn folder(n_rows: usize) -> Folder {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 2, &bytes(n_rows, 0));
    folder.ok("index build codes.npy --bits 16 --quiet -o codes.sibx");
    folder
}

fn open(folder: &Folder) -> HammingIndex {
    HammingIndex::verify(&folder.path("codes.sibx")).unwrap();
    HammingIndex::open(&folder.path("codes.sibx")).unwrap()
}

#[test]
fn two_index_add_at_once_lose_no_codes() {
    let folder = folder(1000);
    for batch in 0..40 {
        folder.npy_u8(&format!("{batch}.npy"), 2, &bytes(3, batch + 1));
    }
    let ids: Vec<u64> = std::thread::scope(|threads| {
        let add = |batches: std::ops::Range<usize>| {
            let add = |batch| folder.ok(&format!("index add codes.sibx {batch}.npy --json --quiet"));
            let said: Vec<Value> = batches.map(|batch| serde_json::from_str(&add(batch)).unwrap()).collect();
            said.iter().flat_map(|said| said["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap())).collect()
        };
        let second = threads.spawn(move || -> Vec<u64> { add(20..40) });
        let mut ids: Vec<u64> = add(0..20);
        ids.extend(second.join().unwrap());
        ids
    });
    let index = open(&folder);
    assert_eq!(index.len(), 1120, "codes were lost");
    assert_eq!(ids.iter().copied().collect::<BTreeSet<_>>(), (1000..1120).collect(), "an id was told twice");
    // Every batch is stored under the ids that its process was told.
    for batch in 0..40 {
        let first = ids[3 * batch];
        let rows: Vec<_> = index.positions(&[first, first + 1, first + 2]).into_iter().flatten().collect();
        let stored: Vec<u8> = rows.iter().flat_map(|&row| index.codes_of_rows(row..row + 1).bytes().to_vec()).collect();
        assert_eq!(stored, bytes(3, batch + 1), "batch {batch}");
    }
}

#[test]
fn additions_removals_and_bits_at_once_are_all_done() {
    let folder = folder(1000);
    folder.npy_u8("more.npy", 2, &bytes(5, 1));
    std::thread::scope(|threads| {
        threads.spawn(|| (0..10).for_each(|_| drop(folder.ok("index add codes.sibx more.npy --quiet"))));
        threads.spawn(|| (0..10).for_each(|id| drop(folder.ok(&format!("index remove codes.sibx {id} --quiet")))));
        // A reader sees a whole index at any moment.
        threads.spawn(|| (0..20).for_each(|_| drop(folder.ok("index info codes.sibx --verify"))));
    });
    assert_eq!(open(&folder).len(), 1040);
    assert!(open(&folder).ids().eq((10..1050).collect::<Vec<_>>()));
}

#[test]
fn whoever_waits_says_so_and_then_goes_on() {
    let folder = folder(10);
    folder.npy_u8("more.npy", 2, &bytes(5, 1));
    let lock = IndexLock::acquire(&folder.path("codes.sibx"), &mut || panic!("nobody else is there")).unwrap();
    let mut child = folder.command("index add codes.sibx more.npy").stderr(Stdio::piped()).spawn().unwrap();
    let mut said = child.stderr.take().unwrap();
    let mut first = [0; 20];
    said.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"codes.sibx: another ");
    assert!(child.try_wait().unwrap().is_none(), "it did not wait");
    assert_eq!(open(&folder).len(), 10);
    drop(lock);
    assert!(child.wait().unwrap().success());
    assert_eq!(open(&folder).len(), 15);
}

/// 30 kills in the fast tier; `make verify` asks for more.
#[test]
fn killed_changes_leave_the_old_index_or_the_new_one() {
    let n_kills: u32 = std::env::var("SIBP_KILLS").map_or(30, |text| text.parse().unwrap());
    let folder = folder(400_000);
    folder.npy_u8("more.npy", 2, &bytes(5, 1));
    folder.npy_u8("bits.npy", 1, &vec![255; 400_000]);
    let old = folder.read("codes.sibx");
    let whole: Vec<Vec<u8>> = LINES
        .iter()
        .map(|line| {
            folder.ok(&format!("{line} -o whole.sibx"));
            folder.read("whole.sibx")
        })
        .collect();
    let (mut state, mut n_killed, mut n_old, mut n_new) = (7u64, 0, 0, 0);
    for run in 0..10 * n_kills {
        let at = run as usize % LINES.len();
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut child = folder.command(LINES[at]).spawn().unwrap();
        std::thread::sleep(Duration::from_micros((state >> 33) % 40_000));
        // It may have finished by itself; then there is nothing to kill.
        let _ = child.kill();
        n_killed += u32::from(child.wait().unwrap().code().is_none());
        let found = folder.read("codes.sibx");
        assert!(found == old || found == whole[at], "run {run}: {} left a torn index", LINES[at]);
        n_old += u32::from(found == old);
        n_new += u32::from(found != old);
        // Whoever was killed holds no lock any more.
        assert_eq!(folder.run("index info codes.sibx --verify").code, 0);
        folder.write("codes.sibx", &old);
        if n_killed == n_kills {
            break;
        }
    }
    assert_eq!(n_killed, n_kills, "too few changes were long enough to be killed");
    println!("{n_killed} kills: {n_old} old indexes, {n_new} new ones, none torn");
}

const LINES: [&str; 3] = [
    "index add codes.sibx more.npy --quiet",
    "index remove codes.sibx 3 399999 --quiet",
    "index extend codes.sibx bits.npy --bits 8 --quiet",
];

/// The index has 96 MB of codes, 12 MB of ids and texts beside them; 48 MB may be used.
#[cfg(target_os = "linux")]
#[test]
fn an_index_larger_than_memory_is_changed() {
    const ROWS: usize = 1_500_000;
    let folder = Folder::new();
    let path = folder.path("large.sibx");
    let ids: Vec<u64> = (0..ROWS as u64).map(|row| 10_000_000 - 3 * row).collect();
    let columns = vec!["title".to_owned()];
    let mut writer = IndexWriter::create_with_ids(&path, 512, &ids).unwrap().columns(columns.clone(), false).unwrap();
    for first in (0..ROWS).step_by(100_000) {
        let codes = Codes::from_bytes(100_000, 512, (0..6_400_000).map(|at| (at / 64 + at + first) as u8).collect());
        let mut texts = Texts::new(columns.clone());
        (first..first + 100_000).for_each(|row| texts.push(&[row.to_string()]).unwrap());
        writer.append_with_texts(&codes.unwrap(), None, Some(&texts)).unwrap();
    }
    writer.finish().unwrap();
    folder.write("more.csv", format!("id,title{}\n20000000,new{}\n", names(512), ",1".repeat(512)));
    folder.npy_u8("bits.npy", 1, &vec![1; ROWS + 1]);
    let lines = [
        "index add large.sibx more.csv --id-column id --keep title --quiet",
        "index extend large.sibx bits.npy --quiet",
        "index remove large.sibx 10000000 --quiet",
    ];
    for line in lines {
        let limited = format!("ulimit -d 49152 && exec {} {line}", assert_cmd::cargo::cargo_bin!("sibp").display());
        let mut command = std::process::Command::new("sh");
        let output = command.current_dir(folder.path(".")).args(["-c", &limited]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let index = HammingIndex::open(&path).unwrap();
    assert_eq!((index.len(), index.n_bits(), index.contains(10_000_000)), (ROWS, 513, false));
    assert_eq!(index.texts().unwrap().cell(ROWS - 1, 0), "new");
    assert_eq!(index.texts().unwrap().cell(0, 0), "1");
    assert_eq!(index.codes_of_rows(ROWS - 1..ROWS).bytes(), [[255; 64].as_slice(), &[128]].concat());
}

fn names(n_bits: usize) -> String {
    (0..n_bits).map(|bit| format!(",bit{bit}")).collect()
}
