//! Tests `sibp search` against a naive loop.

mod common;

use common::{Folder, json_lines};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const CODES: [u8; 12] = [0b1010_0000, 7, 0b1010_0001, 7, 0, 0, 255, 255, 0b1010_0000, 7, 3, 128];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 2, &CODES);
    folder.npy_u8("queries.npy", 2, &[0b1010_0000, 7, 1, 0]);
    folder
}

fn naive(query: [u8; 2]) -> Vec<(u64, u64)> {
    let distance = |row: &[u8]| row.iter().zip(query).map(|(a, b)| u64::from((a ^ b).count_ones())).sum::<u64>();
    let mut found: Vec<(u64, u64)> = CODES.chunks(2).zip(0..).map(|(row, id)| (distance(row), id)).collect();
    found.sort_unstable();
    found
}

#[test]
fn answers_equal_a_naive_loop_in_every_format() {
    let folder = folder();
    let expected = [naive([0b1010_0000, 7]), naive([1, 0])];
    let lines = json_lines(&folder.ok("search codes.npy queries.npy -k 4 --json"));
    assert_eq!(lines.len(), 2);
    for (query, (line, expected)) in lines.iter().zip(&expected).enumerate() {
        assert_eq!(line["query"], query);
        let hit = |n: &serde_json::Value| (n["distance"].as_u64().unwrap(), n["id"].as_u64().unwrap());
        assert_eq!(line["neighbours"].as_array().unwrap().iter().map(hit).collect::<Vec<_>>(), expected[..4]);
    }
    let csv = folder.ok("search codes.npy queries.npy -k 2 --format csv");
    let [(d0, i0), (d1, i1)] = [expected[0][0], expected[0][1]];
    assert!(csv.starts_with(&format!("query,rank,id,distance\n0,1,{i0},{d0}\n0,2,{i1},{d1}\n1,1,")), "{csv}");
    folder.ok("search codes.npy queries.npy -k 2 -o found.csv");
    assert_eq!(folder.text("found.csv"), csv);
    let table = folder.ok("search codes.npy queries.npy -k 2");
    assert_eq!(
        table.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(),
        ["0".to_owned(), format!("{i0}:{d0}"), format!("{i1}:{d1}")]
    );
}

#[test]
fn arrays_hold_ids_and_distances() {
    let folder = folder();
    folder.ok("search codes.npy queries.npy -k 3 -o ids.npy --distances d.npy");
    let expected: Vec<(u64, u64)> =
        [naive([0b1010_0000, 7]), naive([1, 0])].iter().flat_map(|f| f[..3].to_vec()).collect();
    let tail = |bytes: Vec<u8>| -> Vec<[u8; 8]> {
        bytes[bytes.len() - 48..].chunks(8).map(|c| c.try_into().unwrap()).collect()
    };
    let ids: Vec<u64> = tail(folder.read("ids.npy")).into_iter().map(u64::from_le_bytes).collect();
    let distances: Vec<f64> = tail(folder.read("d.npy")).into_iter().map(f64::from_le_bytes).collect();
    assert_eq!(ids, expected.iter().map(|&(_, id)| id).collect::<Vec<_>>());
    assert_eq!(distances, expected.iter().map(|&(d, _)| d as f64).collect::<Vec<_>>());
}

#[test]
fn more_neighbours_than_codes_gives_all_of_them() {
    let folder = folder();
    let lines = json_lines(&folder.ok("search codes.npy queries.npy -k 100 --json"));
    assert_eq!(lines[0]["neighbours"].as_array().unwrap().len(), 6);
}

#[test]
fn bits_and_packed_codes_and_weights_agree() {
    let folder = Folder::with_model();
    folder.ok("encode m.sibp x.npy --quiet -o packed.npy");
    folder.ok("encode m.sibp x.npy --quiet --format bits -o bits.npy");
    let packed = folder.ok("search packed.npy packed.npy -k 5 --json");
    assert_eq!(packed, folder.ok("search bits.npy bits.npy -k 5 --json"));
    // All weights of the preset hash are 1.
    let weighted = json_lines(&folder.ok("search packed.npy packed.npy -k 5 --weighted m.sibp --json"));
    for (plain, weighted) in json_lines(&packed).iter().zip(&weighted) {
        for (a, b) in plain["neighbours"].as_array().unwrap().iter().zip(weighted["neighbours"].as_array().unwrap()) {
            assert_eq!((&a["id"], a["distance"].as_f64()), (&b["id"], b["distance"].as_f64()));
        }
    }
    folder.npy_u8("other.npy", 9, &[255; 18]);
    folder.fails("search other.npy other.npy --weighted m.sibp", &["other.npy", "9 bytes"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 2, &[5; 40_000]);
    let mut child = folder
        .command("search codes.npy codes.npy -k 10 --json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(first.starts_with("{\"neighbours\""), "{first}");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    folder.npy_u8("wide.npy", 3, &[9; 6]);
    folder.fails("search codes.npy wide.npy", &["codes.npy has 2 columns", "wide.npy has 3"]);
    folder.npy_i64("flat.npy", &[1, 2, 3]);
    folder.fails("search flat.npy flat.npy", &["flat.npy", "shape"]);
    folder.npy_f64("half.npy", 2, &[0.5, 1.0]);
    folder.fails("search half.npy half.npy", &["half.npy", "row 0", "0.5"]);
    folder.fails("search gone.npy codes.npy", &["gone.npy", "open"]);
    folder.misused("search codes.npy queries.npy -k 0", &["at least 1"]);
    folder.misused("search codes.npy queries.npy -o found.xlsx", &["found.xlsx", ".csv"]);
    folder.misused("search codes.npy queries.npy -o found.csv --distances d.npy", &["--distances"]);
    folder.misused("search codes.npy", &["<QUERIES>"]);
}
