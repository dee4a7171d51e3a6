//! Checks the index file: round trips, every truncation, every changed byte, foreign and newer files.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::naive;
use crate::codes::Codes;
use crate::index::{HammingIndex, IndexError, IndexFileError, IndexWriter};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A small index with ids in no order.
fn small(folder: &Path) -> (HammingIndex, PathBuf) {
    let mut rng = naive::rng(40);
    let mut index = HammingIndex::new(9).unwrap();
    index.add(&naive::random_codes(&mut rng, 5, 9), Some(&[8, 3, 900, 1, 77])).unwrap();
    let path = folder.join("small.sibpi");
    index.save(&path).unwrap();
    (index, path)
}

fn assert_same(a: &HammingIndex, b: &HammingIndex) {
    assert_eq!(a.n_bits(), b.n_bits());
    assert_eq!(a.codes(), b.codes());
    assert!(a.ids().eq(b.ids()));
    let queries = naive::random_codes(&mut naive::rng(41), 5, a.n_bits());
    assert_eq!(a.scan().threads(1).nearest(&queries, 7).unwrap(), b.scan().threads(2).nearest(&queries, 7).unwrap());
}

#[test]
fn a_saved_index_opens_equal_and_can_be_changed() {
    let folder = folder();
    let mut rng = naive::rng(42);
    for (n, n_bits) in [(0, 3), (1, 1), (256, 64), (700, 100), (257, 4096)] {
        for given in [false, true] {
            let codes = naive::random_codes(&mut rng, n, n_bits);
            let ids = naive::random_ids(&mut rng, n);
            let mut index = HammingIndex::new(n_bits).unwrap();
            index.add(&codes, given.then_some(&ids[..])).unwrap();
            let path = folder.path().join("a.sibpi");
            index.save(&path).unwrap();
            HammingIndex::verify(&path).unwrap();
            let mut opened = HammingIndex::open(&path).unwrap();
            assert_same(&index, &opened);
            for index in [&mut index, &mut opened] {
                index.add(&codes, None).unwrap();
                index.remove(&index.ids().take(n / 3).collect::<Vec<_>>()).unwrap();
            }
            assert_same(&index, &opened);
            assert_eq!(HammingIndex::open(&path).unwrap().len(), n, "changes stay in memory until saved");
            opened.save(&path).unwrap();
            assert_same(&index, &HammingIndex::open(&path).unwrap());
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary files stay");
}

#[test]
fn an_extended_index_saves_as_one_made_at_once() {
    let folder = folder();
    let codes = naive::random_codes(&mut naive::rng(43), 300, 50);
    let (parts, whole) = (folder.path().join("parts"), folder.path().join("whole"));
    HammingIndex::from_codes(&naive::bits(&codes, 0..13)).unwrap().save(&parts).unwrap();
    let mut extended = HammingIndex::open(&parts).unwrap();
    extended.extend(&naive::bits(&codes, 13..50)).unwrap();
    extended.save(&parts).unwrap();
    HammingIndex::from_codes(&codes).unwrap().save(&whole).unwrap();
    assert_eq!(fs::read(&parts).unwrap(), fs::read(&whole).unwrap());
}

#[test]
fn codes_written_as_they_come_make_the_same_file() {
    let folder = folder();
    let mut rng = naive::rng(44);
    let codes = naive::random_codes(&mut rng, 1_000, 21);
    let ids = naive::random_ids(&mut rng, 1_000);
    for given in [false, true] {
        let (whole, streamed) = (folder.path().join("whole"), folder.path().join("streamed"));
        let mut index = HammingIndex::new(21).unwrap();
        index.add(&codes, given.then_some(&ids[..])).unwrap();
        index.save(&whole).unwrap();
        let mut writer = IndexWriter::create(&streamed, 21).unwrap();
        for rows in [0..1, 1..300, 300..300, 300..812, 812..1_000] {
            let part = codes.select(&rows.clone().collect::<Vec<_>>());
            writer.append(&part, given.then(|| &ids[rows])).unwrap();
        }
        assert!(given || !streamed.exists(), "the name appears at the end");
        writer.finish().unwrap();
        assert_eq!(fs::read(&whole).unwrap(), fs::read(&streamed).unwrap());
    }
    let mut writer = IndexWriter::create(&folder.path().join("bad"), 21).unwrap();
    writer.append(&codes, Some(&ids)).unwrap();
    assert!(matches!(writer.append(&codes, Some(&ids)), Err(IndexFileError::Index(_))));
    drop(writer);
    assert!(!folder.path().join("bad").exists());
}

#[test]
fn ids_given_at_the_start_make_the_same_file() {
    let folder = folder();
    let mut rng = naive::rng(45);
    let codes = naive::random_codes(&mut rng, 700, 9);
    let ids = naive::random_ids(&mut rng, 700);
    let (whole, streamed) = (folder.path().join("whole"), folder.path().join("streamed"));
    let mut index = HammingIndex::new(9).unwrap();
    index.add(&codes, Some(&ids)).unwrap();
    index.save(&whole).unwrap();
    let mut writer = IndexWriter::create_with_ids(&streamed, 9, &ids).unwrap();
    for rows in [0..400, 400..700] {
        writer.append(&codes.select(&rows.collect::<Vec<_>>()), None).unwrap();
    }
    let more = writer.append(&codes, None).unwrap_err();
    let too_many = IndexError::IdCount { n_codes: 1_400, n_ids: 700 };
    assert!(matches!(more, IndexFileError::Index(error) if error == too_many));
    writer.finish().unwrap();
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&streamed).unwrap());
    let short = IndexWriter::create_with_ids(&folder.path().join("short"), 9, &ids).unwrap().finish().unwrap_err();
    assert!(matches!(short, IndexFileError::Index(IndexError::IdCount { n_codes: 0, n_ids: 700 })));
    let twice = IndexWriter::create_with_ids(&folder.path().join("twice"), 9, &[4, 5, 4]).unwrap_err();
    assert!(matches!(twice, IndexFileError::Index(IndexError::DuplicateId { id: 4, row: 2 })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn every_truncation_is_an_error() {
    let folder = folder();
    let (_, path) = small(folder.path());
    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(length + 1).unwrap();
    assert!(matches!(HammingIndex::open(&path), Err(IndexFileError::Length { .. })));
    for n in (0..length).rev() {
        file.set_len(n).unwrap();
        assert!(HammingIndex::open(&path).is_err(), "{n} bytes");
        assert!(HammingIndex::verify(&path).is_err(), "{n} bytes");
    }
}

#[test]
fn every_changed_byte_is_an_error() {
    let folder = folder();
    let (_, path) = small(folder.path());
    let bytes = fs::read(&path).unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut put = |at: usize, byte: u8| {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    for (at, &byte) in bytes.iter().enumerate() {
        put(at, byte ^ [1, 0x80, 0xff][at % 3]);
        assert!(HammingIndex::verify(&path).is_err(), "byte {at}");
        match HammingIndex::open(&path) {
            Ok(index) => {
                assert!(at >= 4096, "byte {at} of the header is checked on opening");
                // Damage that opening cannot see must not do harm.
                index.scan().threads(1).nearest(&Codes::zeros(1, 9), 5).unwrap();
                assert_eq!(index.codes().n_objects(), 5);
            }
            Err(_) => assert!(at < 4096, "byte {at} of the body is left to verify"),
        }
        put(at, byte);
    }
    HammingIndex::verify(&path).unwrap();
}

/// The small file with other header bytes under a right checksum.
fn forged(folder: &Path, change: impl Fn(&mut Vec<u8>)) -> Result<HammingIndex, IndexFileError> {
    let (_, path) = small(folder);
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    let checksum = Sha256::digest(&bytes[..80]);
    bytes[80..112].copy_from_slice(&checksum);
    fs::write(&path, bytes).unwrap();
    HammingIndex::open(&path)
}

#[test]
fn impossible_headers_are_named() {
    let folder = folder();
    let set = |at: usize, value: u64| {
        forged(folder.path(), move |bytes| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes())).unwrap_err()
    };
    for n_bits in [0, 4_097, u64::MAX] {
        assert!(
            matches!(set(24, n_bits), IndexFileError::Field { field: "number of bits", value, .. } if value == n_bits)
        );
    }
    assert!(matches!(set(16, u64::MAX), IndexFileError::Field { field: "number of codes", .. }));
    assert!(matches!(set(16, 1 << 60), IndexFileError::Field { field: "number of codes", .. }));
    assert!(matches!(set(16, 6), IndexFileError::Length { .. }));
    assert!(matches!(set(40, 5), IndexFileError::Length { .. }));
    let version = |v: u8| forged(folder.path(), move |bytes| bytes[8] = v).unwrap_err();
    assert!(matches!(version(3), IndexFileError::Newer { version: 3, .. }));
    assert!(matches!(version(0), IndexFileError::Field { field: "version", .. }));
    let flags = |f: u8| forged(folder.path(), move |bytes| bytes[12] = f).unwrap_err();
    assert!(matches!(flags(8), IndexFileError::Field { field: "set of flags", value: 8, .. }));
    assert!(matches!(flags(0), IndexFileError::Field { .. }));
    let page = forged(folder.path(), |bytes| bytes[200] = 1).unwrap_err();
    assert!(matches!(page, IndexFileError::HeaderChecksum { .. }));
}

#[test]
fn ids_that_break_their_promise_are_found() {
    let folder = folder();
    for (at, id) in [(0, 3), (1, 8)] {
        let (_, path) = small(folder.path());
        let mut bytes = fs::read(&path).unwrap();
        let ids = bytes.len() - 5 * 8;
        bytes[ids + at * 8..ids + at * 8 + 8].copy_from_slice(&u64::to_le_bytes(id));
        let body = Sha256::digest(&bytes[4096..]);
        bytes[48..80].copy_from_slice(&body);
        let head = Sha256::digest(&bytes[..80]);
        bytes[80..112].copy_from_slice(&head);
        fs::write(&path, bytes).unwrap();
        assert!(matches!(HammingIndex::verify(&path), Err(IndexFileError::Ids { id: found, .. }) if found == id));
    }
}

#[test]
fn foreign_and_missing_files_are_named() {
    let folder = folder();
    let path = folder.path().join("foreign");
    for bytes in [&b""[..], b"SIBP", b"\x93NUMPY\x01\x00 and more", &[0; 5_000]] {
        fs::write(&path, bytes).unwrap();
        assert!(matches!(HammingIndex::open(&path), Err(IndexFileError::Foreign { .. })));
    }
    assert!(matches!(HammingIndex::open(&folder.path().join("none")), Err(IndexFileError::Io { .. })));
    assert!(matches!(HammingIndex::open(folder.path()), Err(IndexFileError::Io { .. })));
}

#[test]
fn a_faiss_file_has_the_documented_bytes() {
    let folder = folder();
    let path = folder.path().join("f");
    let codes = Codes::from_bytes(2, 9, vec![0xff, 0x80, 0x01, 0x00]).unwrap();
    let mut index = HammingIndex::from_codes(&codes).unwrap();
    let head = |kind: &[u8]| [kind, &[16, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0]].concat();
    let flat = [&head(b"IBxF")[..], &[4, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x80, 0x01, 0x00]].concat();
    index.export_faiss(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), flat);
    index.remove(&[0, 1]).unwrap();
    index.add(&codes, Some(&[7, 5])).unwrap();
    index.export_faiss(&path).unwrap();
    let ids = [2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(fs::read(&path).unwrap(), [&head(b"IBMp")[..], &flat, &ids].concat());
    index.add(&codes, Some(&[1, 1 << 63])).unwrap();
    assert!(matches!(index.export_faiss(&path), Err(IndexFileError::Index(_))));
}
