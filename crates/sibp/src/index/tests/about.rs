//! Checks texts, text ids and fingerprints: in RAM, in files, and through changes of files.

use super::super::*;
use crate::fingerprint::Digester;
use std::path::Path;

const COLUMNS: [&str; 3] = ["id", "title", "price"];

fn codes(n: usize, salt: usize) -> Codes {
    Codes::from_bytes(n, 13, (0..n).flat_map(|row| [(row * 37 + salt) as u8, ((row + salt) as u8) << 3]).collect())
        .unwrap()
}

/// Texts of all lengths, empty ones and ones beyond ASCII too.
fn texts(rows: std::ops::Range<usize>) -> Texts {
    let mut texts = Texts::new(COLUMNS.map(String::from).to_vec());
    for row in rows {
        texts.push(&[format!("naïve-{row}"), "x".repeat(row % 5), format!("{row}.50")]).unwrap();
    }
    texts
}

fn named(n: usize) -> HammingIndex {
    let mut index = HammingIndex::new(13).unwrap().with_columns(COLUMNS.map(String::from).to_vec(), true);
    index.set_encoder(Some(Digester::new("test").finish()));
    index.add_with_texts(&codes(n, 0), None, Some(&texts(0..n))).unwrap();
    index
}

fn bytes(path: &Path) -> Vec<u8> {
    HammingIndex::verify(path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn texts_and_fingerprints_come_back_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sibx");
    let index = named(700);
    index.save(&path).unwrap();
    HammingIndex::verify(&path).unwrap();
    let opened = HammingIndex::open(&path).unwrap();
    assert_eq!((opened.n_bits(), opened.encoder(), opened.is_named()), (13, index.encoder(), true));
    let (stored, given) = (opened.texts().unwrap(), index.texts().unwrap());
    assert_eq!(stored.columns(), COLUMNS);
    assert!((0..700).all(|row| stored.row(row).eq(given.row(row)) && stored.cell(row, 2) == format!("{row}.50")));
    assert_eq!(opened.named_positions(&["naïve-699", "nobody", "naïve-0"]), [Some(699), None, Some(0)]);
    assert_eq!(opened.named_rows(&["naïve-3", "naïve-3", "nobody"]).len(), 1);
    // Nothing of this is needed, so nothing of it is written: older programs read the file.
    let plain = HammingIndex::from_codes(&codes(700, 0)).unwrap();
    plain.save(&path).unwrap();
    assert_eq!(bytes(&path)[8], 1);
}

#[test]
fn a_stream_makes_the_file_that_an_index_in_ram_makes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, streamed) = (folder.path().join("whole.sibx"), folder.path().join("streamed.sibx"));
    let index = named(700);
    index.save(&whole).unwrap();
    let writer = IndexWriter::create(&streamed, 13).unwrap().encoder(index.encoder());
    let mut writer = writer.columns(COLUMNS.map(String::from).to_vec(), true).unwrap();
    for rows in [0..1, 1..300, 300..700] {
        let part = codes(700, 0).select(&rows.clone().collect::<Vec<_>>());
        writer.append_with_texts(&part, None, Some(&texts(rows))).unwrap();
    }
    writer.finish().unwrap();
    assert!(bytes(&whole) == bytes(&streamed));
}

#[test]
fn changed_files_are_those_that_changes_in_ram_make() {
    let folder = tempfile::tempdir().unwrap();
    let (path, whole) = (folder.path().join("a.sibx"), folder.path().join("whole.sibx"));
    let begin = || IndexChange::begin(&path, None, &mut || panic!("nobody else changes it")).unwrap();
    for n in [0, 5, 256, 700] {
        let mut index = named(n);
        index.save(&path).unwrap();
        let batches = [(0..3), (3..300)].map(|rows| {
            let new = rows.start + 1000..rows.end + 1000;
            let codes = codes(300, 7).select(&rows.collect::<Vec<_>>());
            Ok::<_, IndexFileError>((codes, Some(texts(new))))
        });
        let added = begin().add(batches.into_iter(), None).unwrap();
        assert_eq!((added.n_codes, added.first_id), (n + 300, Some(n as u64)));
        index.add_with_texts(&codes(300, 7), None, Some(&texts(1000..1300))).unwrap();
        index.save(&whole).unwrap();
        assert!(bytes(&path) == bytes(&whole), "add to {n}");

        begin().remove_named(&["naïve-1000", "naïve-1299", "naïve-1017", "naïve-1017"]).unwrap();
        let gone: Vec<u64> = [0, 299, 17].iter().map(|row| (n + row) as u64).collect();
        index.remove(&gone).unwrap();
        index.save(&whole).unwrap();
        assert!(bytes(&path) == bytes(&whole), "remove from {n}");

        let more = Codes::from_bytes(n + 297, 5, (0..n + 297).map(|row| (row as u8) << 3).collect()).unwrap();
        let halves =
            [(0..100), (100..n + 297)].map(|rows| Ok::<_, IndexFileError>(more.select(&rows.collect::<Vec<_>>())));
        begin().extend(5, halves.into_iter(), None).unwrap();
        index.extend(&more).unwrap();
        index.save(&whole).unwrap();
        assert!(bytes(&path) == bytes(&whole), "extend {n}");
        assert_eq!((index.encoder(), index.n_bits()), (None, 18));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "temporary files are gone");
}

#[test]
fn numbered_files_change_as_indexes_in_ram_do() {
    let folder = tempfile::tempdir().unwrap();
    let (path, whole) = (folder.path().join("a.sibx"), folder.path().join("whole.sibx"));
    let begin = || IndexChange::begin(&path, None, &mut || ()).unwrap();
    let one = |codes: Codes| std::iter::once(Ok::<_, IndexFileError>((codes, None)));
    let mut index = HammingIndex::from_codes(&codes(600, 0)).unwrap();
    index.save(&path).unwrap();
    for (step, ids) in [None, Some(vec![900, 5000, 870]), None, Some(vec![u64::MAX, 3, 601])].iter().enumerate() {
        let n = ids.as_ref().map_or(260, Vec::len);
        if step == 3 {
            begin().remove(&[3, 601, 17]).unwrap();
            index.remove(&[3, 601, 17]).unwrap();
        }
        begin().add(one(codes(n, step)), ids.as_deref()).unwrap();
        index.add(&codes(n, step), ids.as_deref()).unwrap();
        index.save(&whole).unwrap();
        assert!(bytes(&path) == bytes(&whole), "step {step}");
    }
    let taken = begin().add(one(codes(1, 0)), Some(&[900])).unwrap_err();
    assert!(taken.to_string().contains("id 900 (row 0"), "{taken}");
    assert!(begin().add(one(codes(1, 0)), None).unwrap_err().to_string().contains("no ids are left"));
    assert!(begin().remove(&[17]).unwrap_err().to_string().contains("17 is not in the index"));
    assert!(bytes(&path) == bytes(&whole), "what is refused changes nothing");
}

#[test]
fn texts_that_do_not_fit_are_refused() {
    let mut index = named(10);
    let refused = |result: Result<(), IndexError>, part: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(index.add(&codes(1, 0), None), "no columns of texts");
    refused(index.add_with_texts(&codes(2, 0), None, Some(&texts(20..21))), "1 rows of texts were given for 2 codes");
    refused(index.add_with_texts(&codes(2, 0), None, Some(&texts(9..11))), "\"naïve-9\" (row 0");
    let mut twice = texts(30..31);
    twice.append(&texts(30..31));
    refused(index.add_with_texts(&codes(2, 0), None, Some(&twice)), "\"naïve-30\" (row 1");
    assert_eq!((index.len(), index.texts().unwrap().len()), (10, 10));
    let folder = tempfile::tempdir().unwrap();
    let long = IndexWriter::create(&folder.path().join("a.sibx"), 8).unwrap().columns(vec!["x".repeat(4000)], false);
    assert!(long.unwrap_err().to_string().contains("4004 bytes"));
    let other = Digester::new("other").finish();
    refused(index.check_encoder(Some(other)), "mean different things");
    assert!(index.check_encoder(None).is_ok() && index.check_encoder(index.encoder()).is_ok());
}

#[test]
fn every_changed_byte_of_a_file_with_texts_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sibx");
    named(3).save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        std::fs::write(&path, &damaged).unwrap();
        assert!(HammingIndex::verify(&path).is_err(), "byte {at}");
        // A damaged body opens; its texts are wrong but are looked for inside the file.
        if let Ok(index) = HammingIndex::open(&path) {
            let texts = index.texts().unwrap();
            let _ = (0..3).map(|row| texts.row(row).count() + texts.cell(row, 1).len()).sum::<usize>();
            let _ = index.named_positions(&["naïve-0"]);
        }
    }
}
