//! Tests `sibp index`: building, changing and describing index files.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, npy, read_u8};
use serde_json::Value;
use sibp::codes::Codes;
use sibp::index::HammingIndex;

/// Codes of three bytes that differ from row to row, with repetitions.
fn bytes(n_rows: usize, salt: usize) -> Vec<u8> {
    (0..3 * n_rows).map(|at| (((at + salt) * (at % 7 + 3) * 37) >> 2) as u8).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 3, &bytes(300, 0));
    folder.npy_u8("queries.npy", 3, &bytes(20, 5));
    folder
}

fn with_index() -> Folder {
    let folder = folder();
    folder.ok("index build codes.npy --bits 24 -o codes.sibx");
    folder
}

fn open(folder: &Folder, name: &str) -> HammingIndex {
    HammingIndex::verify(&folder.path(name)).unwrap();
    HammingIndex::open(&folder.path(name)).unwrap()
}

fn info(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.ok(&format!("index info {name} --verify --json"))).unwrap()
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(".")).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_built_index_holds_the_codes_and_says_so() {
    let folder = folder();
    let ran = folder.run("index build codes.npy --bits 24 -o codes.sibx");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", "codes.sibx: 300 codes of 24 bits\n"));
    let index = open(&folder, "codes.sibx");
    assert_eq!((index.codes().bytes(), index.ids().eq(0..300)), (&bytes(300, 0)[..], true));
    let table = folder.ok("index info codes.sibx");
    for part in ["codes  300", "bits   24", "ids    row numbers"] {
        assert!(table.contains(part), "{part}:\n{table}");
    }
    let facts = info(&folder, "codes.sibx");
    assert_eq!((&facts["codes"], &facts["bits"], &facts["verified"]), (&300.into(), &24.into(), &true.into()));
    assert_eq!(facts["bytes"], folder.read("codes.sibx").len());
    let summary = folder.ok("index build codes.npy --bits 24 -o codes.sibx --json");
    assert_eq!(summary, "{\"bits\":24,\"codes\":300,\"out\":\"codes.sibx\"}\n");
    let ran = folder.run("index build codes.npy --bits 24 -o codes.sibx --quiet");
    assert_eq!((ran.stdout, ran.stderr), (String::new(), String::new()));
}

#[test]
fn packed_rows_and_columns_of_bits_make_the_same_file() {
    let folder = Folder::new();
    let bits: Vec<u8> = (0..11 * 40).map(|at| u8::from(at * at % 13 < 5)).collect();
    folder.npy_u8("bits.npy", 11, &bits);
    let lines = bits.chunks(11).map(|row| row.iter().map(u8::to_string).collect::<Vec<_>>().join(",") + "\n");
    folder.write("bits.csv", lines.collect::<String>());
    folder.ok("index build bits.npy -o columns.sibx");
    folder.ok("index build bits.csv -o text.sibx");
    folder.npy_u8("packed.npy", 2, open(&folder, "columns.sibx").codes().bytes());
    folder.ok("index build packed.npy --bits 11 -o packed.sibx");
    assert_eq!(open(&folder, "columns.sibx").n_bits(), 11);
    assert_eq!(folder.read("columns.sibx"), folder.read("packed.sibx"));
    assert_eq!(folder.read("columns.sibx"), folder.read("text.sibx"));
    // Bytes that are all 0 or 1 can be meant as packed.
    folder.npy_u8("ones.npy", 2, &[1, 0, 0, 1]);
    folder.ok("index build ones.npy --bits 16 -o ones.sibx");
    assert_eq!(open(&folder, "ones.sibx").codes().bytes(), [1, 0, 0, 1]);
}

#[test]
fn codes_of_several_chunks_make_the_file_that_one_would() {
    let folder = Folder::new();
    let n = (4 << 20) + 1000;
    let bytes: Vec<u8> = (0..n).map(|at| ((at * 31) >> 3) as u8).collect();
    folder.npy_u8("codes.npy", 1, &bytes);
    folder.ok("index build codes.npy --bits 8 -o codes.sibx --quiet");
    let index = HammingIndex::from_codes(&Codes::from_bytes(n, 8, bytes).unwrap()).unwrap();
    index.save(&folder.path("whole.sibx")).unwrap();
    assert!(folder.read("codes.sibx") == folder.read("whole.sibx"));
    folder.npy_i64("few.npy", &[1, 2, 3]);
    folder
        .fails("index build codes.npy --bits 8 --ids few.npy -o x.sibx", &["few.npy has 3 ids", &format!("{n} codes")]);
}

#[test]
fn ids_come_from_every_kind_of_file() {
    let folder = folder();
    let ids: Vec<u64> = (0..300).map(|row| 1_000_000 - 7 * row).collect();
    let lines: Vec<String> = ids.iter().map(u64::to_string).collect();
    folder.write("ids.txt", lines.join("\n") + "\n");
    folder
        .write("ids.csv", format!("name,number\n{}\n", lines.iter().map(|id| format!("x,{id}\n")).collect::<String>()));
    folder.npy_i64("ids.npy", &ids.iter().map(|&id| id as i64).collect::<Vec<_>>());
    for source in ["ids.txt", "ids.npy", "ids.csv --id-column number", "ids.csv --id-column 1"] {
        folder.ok(&format!("index build codes.npy --bits 24 --ids {source} -o codes.sibx --quiet"));
        assert!(open(&folder, "codes.sibx").ids().eq(ids.iter().copied()), "{source}");
    }
    let facts = info(&folder, "codes.sibx");
    assert_eq!((&facts["smallest_id"], &facts["largest_id"]), (&997_907.into(), &1_000_000.into()));
    assert_eq!(facts["ids_are_row_numbers"], false);
    assert!(folder.ok("index info codes.sibx").contains("ids    997907 to 1000000"));
}

#[test]
fn unusable_codes_and_ids_are_named_and_leave_nothing() {
    let folder = folder();
    folder.npy_u8("few.npy", 3, &bytes(4, 0));
    folder.write("five.txt", "1\n2\n3\n4\n5\n");
    folder.write("three.txt", "1\n2\n3\n");
    folder.write("twice.txt", "4\n9\n4\n9\n");
    folder.write("words.txt", "1\ncat\ncat\n4\n");
    folder.npy_i64("below.npy", &[1, 2, 3, -4]);
    folder.npy_f64("half.npy", 2, &[1.0, 3.0, 0.5, 4.0]);
    folder.npy_u8("wide.npy", 513, &[255; 513]);
    folder.write("none.npy", npy("|u1", "(0, 3)", &[]));
    folder.write("foreign.npy", "no array");
    let before = names(&folder);
    for (line, parts) in [
        ("few.npy --bits 24 --ids five.txt", &["five.txt has 5 ids", "few.npy has 4 codes"][..]),
        ("few.npy --bits 24 --ids three.txt", &["three.txt has 3 ids", "few.npy has 4 codes"]),
        ("few.npy --bits 24 --ids twice.txt", &["twice.txt", "the id \"4\" stands in row 0 and again in row 2"]),
        ("few.npy --bits 24 --ids words.txt", &["words.txt", "\"cat\" stands in row 1 and again in row 2"]),
        ("few.npy --bits 24 --ids below.npy", &["below.npy", "row 3", "-4", "2^64"]),
        ("few.npy --bits 24 --ids gone.txt", &["gone.txt", "open"]),
        ("few.npy --bits 25", &["few.npy", "rows of 3 bytes are not codes of 25 bits", "4 bytes packed"]),
        ("few.npy --bits 20", &["few.npy", "row 0", "after bit 20"]),
        ("few.npy", &["few.npy", "packed codes do not say how many bits they have", "--bits, 17 to 24"]),
        ("half.npy --bits 16", &["half.npy", "row 1, column 0", "0.5"]),
        ("wide.npy --bits 4104", &["4104 bits", "1 to 4096"]),
        ("none.npy", &["none.npy", "no rows"]),
        ("foreign.npy", &["foreign.npy", "npy"]),
        ("gone.npy", &["gone.npy", "open"]),
    ] {
        folder.fails(&format!("index build {line} -o x.sibx"), parts);
    }
    folder.misused("index build few.npy -o x.idx", &["x.idx", ".sibx"]);
    folder.misused("index build few.npy --bits 0 -o x.sibx", &["at least 1"]);
    folder.fails("index build few.npy --bits 24 --id-column a -o x.sibx", &["few.npy", "files of their own"]);
    folder.misused("index build few.npy", &["--out"]);
    assert_eq!(folder.run("index").code, 2);
    folder.fails("index build few.npy --bits 24 -o gone/x.sibx", &["gone/x.sibx"]);
    assert_eq!(names(&folder), before);
}

#[test]
fn added_codes_follow_the_others() {
    let folder = with_index();
    folder.npy_u8("more.npy", 3, &bytes(70, 9));
    folder.ok("index add codes.sibx more.npy --quiet");
    folder.npy_u8("all.npy", 3, &[bytes(300, 0), bytes(70, 9)].concat());
    folder.ok("index build all.npy --bits 24 -o all.sibx --quiet");
    assert_eq!(folder.read("codes.sibx"), folder.read("all.sibx"));
    folder.npy_u8("two.npy", 3, &bytes(2, 1));
    folder.write("ids.txt", "1000\n999\n");
    let old = folder.read("codes.sibx");
    let said = folder.run("index add codes.sibx two.npy --ids ids.txt -o larger.sibx").stderr;
    assert_eq!(said, "larger.sibx: 372 codes of 24 bits\n");
    assert_eq!(folder.read("codes.sibx"), old);
    assert!(open(&folder, "larger.sibx").ids().eq((0..370).chain([1000, 999])));
    folder.ok("index add larger.sibx two.npy");
    assert!(open(&folder, "larger.sibx").ids().skip(370).eq([1000, 999, 1001, 1002]));
}

#[test]
fn a_refused_addition_changes_nothing() {
    let folder = with_index();
    let old = folder.read("codes.sibx");
    folder.npy_u8("two.npy", 3, &bytes(2, 1));
    folder.npy_u8("narrow.npy", 2, &[7; 4]);
    folder.write("used.txt", "1000\n17\n");
    folder.write("twice.txt", "1000\n1000\n");
    folder.write("one.txt", "1000\n");
    folder.write("last.txt", "1000\n18446744073709551615\n");
    let before = names(&folder);
    folder.fails("index add codes.sibx two.npy --ids used.txt", &["codes.sibx", "id 17 (row 1", "in use"]);
    folder.fails("index add codes.sibx two.npy --ids twice.txt", &["twice.txt", "row 0 and again in row 1"]);
    folder.fails("index add codes.sibx two.npy --ids one.txt", &["one.txt has 1 ids", "two.npy has 2 codes"]);
    folder.fails("index add codes.sibx narrow.npy", &["narrow.npy", "2 bytes", "24 bits"]);
    folder.fails("index add gone.sibx two.npy", &["gone.sibx"]);
    folder.misused("index add codes.npy two.npy", &["codes.npy", ".sibx"]);
    assert_eq!((folder.read("codes.sibx"), names(&folder)), (old, before));
    folder.ok("index add codes.sibx two.npy --ids last.txt");
    folder.fails("index add codes.sibx two.npy", &["no ids are left", "give explicit ids"]);
}

#[test]
fn removed_codes_are_gone_and_their_ids_are_not_handed_out() {
    let folder = with_index();
    folder.ok("index remove codes.sibx 299 0 17 --quiet");
    folder.write("gone.txt", "5\n6\n5\n");
    folder.ok("index remove codes.sibx --ids gone.txt --quiet");
    let left: Vec<u64> = (0..299).filter(|id| ![0, 17, 5, 6].contains(id)).collect();
    let index = open(&folder, "codes.sibx");
    assert!(index.ids().eq(left.iter().copied()));
    for (row, &id) in left.iter().enumerate() {
        assert_eq!(index.codes().row(row), &bytes(300, 0)[3 * id as usize..3 * id as usize + 3]);
    }
    let old = folder.read("codes.sibx");
    folder.fails("index remove codes.sibx 1 5", &["codes.sibx", "id 5 is not in the index"]);
    folder.misused("index remove codes.sibx", &["--ids"]);
    folder.misused("index remove codes.sibx one", &["one"]);
    assert_eq!(folder.read("codes.sibx"), old);
    folder.npy_u8("one.npy", 3, &[1, 2, 3]);
    folder.ok("index add codes.sibx one.npy");
    assert_eq!(open(&folder, "codes.sibx").ids().last(), Some(300));
}

#[test]
fn an_emptied_index_answers_with_nothing_and_can_be_filled_again() {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 3, &bytes(2, 0));
    folder.ok("index build codes.npy --bits 24 -o codes.sibx");
    folder.ok("index remove codes.sibx 0 1");
    let facts = info(&folder, "codes.sibx");
    assert_eq!((&facts["codes"], &facts["smallest_id"]), (&0.into(), &Value::Null));
    assert!(folder.ok("index info codes.sibx").contains("ids    none"));
    let lines = folder.ok("search codes.sibx codes.npy -k 3 --json");
    assert_eq!(lines, "{\"neighbours\":[],\"query\":0}\n{\"neighbours\":[],\"query\":1}\n");
    assert_eq!(folder.ok("search codes.sibx codes.npy --radius 24 --json"), lines);
    assert_eq!(folder.ok("search codes.npy codes.sibx --json"), "");
    folder.fails("search codes.sibx codes.npy -o ids.npy", &["no codes to find"]);
    folder.fails("index extend codes.sibx codes.npy --bits 24", &["codes.npy", "2 rows of new bits", "0 stored codes"]);
    folder.ok("index add codes.sibx codes.npy");
    assert!(open(&folder, "codes.sibx").ids().eq([2, 3]));
}

#[test]
fn extending_keeps_the_old_bits_as_a_prefix() {
    let folder = with_index();
    folder.npy_u8("more.npy", 2, &[bytes(100, 3), bytes(100, 8)].concat());
    folder.ok("index extend codes.sibx more.npy --bits 16 -o longer.sibx --quiet");
    let (old, new) = (open(&folder, "codes.sibx"), open(&folder, "longer.sibx"));
    assert_eq!(new.n_bits(), 40);
    let more = read_u8(&folder.read("more.npy")).2;
    for row in 0..300 {
        assert_eq!(&new.codes().row(row)[..3], old.codes().row(row), "row {row}");
        assert_eq!(new.codes().row(row)[3..], more[2 * row..2 * row + 2], "row {row}");
    }
    // Old planes stand unchanged in the file: 3 of the 5 of each block of 256 rows.
    let (old, new) = (folder.read("codes.sibx"), folder.read("longer.sibx"));
    for block in 0..2 {
        let planes = |n_planes: usize| 4096 + block * n_planes * 256..4096 + block * n_planes * 256 + 3 * 256;
        assert_eq!(old[planes(3)], new[planes(5)], "block {block}");
    }
    folder.ok("index remove codes.sibx 1 200 --quiet");
    folder
        .fails("index extend codes.sibx more.npy --bits 16", &["more.npy", "300 rows of new bits", "298 stored codes"]);
}

#[test]
fn bits_are_appended_inside_a_byte_too() {
    let folder = Folder::new();
    let bits: Vec<u8> = (0..21 * 30).map(|at| u8::from(at * at % 11 < 5)).collect();
    let columns = |range: std::ops::Range<usize>| bits.chunks(21).flat_map(|row| row[range.clone()].to_vec()).collect();
    for (name, range) in [("first.npy", 0..11), ("then.npy", 11..14), ("last.npy", 14..21), ("all.npy", 0..21)] {
        let values: Vec<u8> = columns(range.clone());
        folder.npy_u8(name, range.len(), &values);
    }
    folder.ok("index build first.npy -o codes.sibx");
    folder.ok("index extend codes.sibx then.npy");
    folder.ok("index extend codes.sibx last.npy --bits 7");
    folder.ok("index build all.npy -o all.sibx");
    assert_eq!(folder.read("codes.sibx"), folder.read("all.sibx"));
    folder.npy_u8("wide.npy", 512, &[255; 512 * 30]);
    folder.fails("index extend codes.sibx wide.npy --bits 4096", &["wide.npy", "4117 bits", "1 to 4096"]);
}

#[test]
fn damaged_and_foreign_files_are_named_and_never_changed() {
    let folder = with_index();
    let good = folder.read("codes.sibx");
    folder.npy_u8("two.npy", 3, &bytes(2, 1));
    let commands = |name: &str| {
        [
            format!("index info {name} --verify"),
            format!("index add {name} two.npy"),
            format!("index remove {name} 3"),
            format!("index extend {name} codes.npy --bits 24"),
            format!("export {name} --to npy -o out.npy"),
        ]
    };
    let mut header = good.clone();
    header[20] ^= 1;
    let mut body = good.clone();
    body[5000] ^= 1;
    let mut newer = good.clone();
    newer[8] = 3;
    for (bytes, part) in [
        (&good[..good.len() - 1], "cut off"),
        (&good[..4096], "cut off"),
        (&good[..100], "4096"),
        (&good[..5], "not an index file"),
        (&[], "not an index file"),
        (&folder.read("codes.npy"), "not an index file"),
        (&[&good[..], b"x"].concat(), "added to"),
        (&header, "header is damaged"),
        (&body, "codes or ids are damaged"),
        (&newer, "newer"),
    ] {
        folder.write("bad.sibx", bytes);
        for command in commands("bad.sibx") {
            folder.fails(&command, &["bad.sibx", part]);
        }
        if part != "codes or ids are damaged" {
            folder.fails("index info bad.sibx", &["bad.sibx", part]);
            folder.fails("search bad.sibx queries.npy", &["bad.sibx", part]);
        }
        assert_eq!(folder.read("bad.sibx"), bytes);
    }
    for command in commands("gone.sibx") {
        folder.fails(&command, &["gone.sibx"]);
    }
    assert_eq!(names(&folder), ["bad.sibx", "codes.npy", "codes.sibx", "queries.npy", "two.npy"]);
}
