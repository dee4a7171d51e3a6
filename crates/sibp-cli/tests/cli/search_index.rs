//! Tests `sibp search` with index files, by radius, among ids, and with a model's bit probabilities.
#![allow(clippy::unwrap_used)]

use crate::common::{Folder, M, N, inputs, json_lines};
use sibp::codes::Codes;
use sibp::data::{ReadOptions, read_table};
use sibp::encode::{Encoder, EncoderChoice, ProbitEncoder};
use sibp::format::Fitted;
use sibp::index::HammingIndex;
use sibp::trace::posterior::CodeChoice;

const ROWS: usize = 500;

fn bytes(n_rows: usize, salt: usize) -> Vec<u8> {
    (0..2 * n_rows).map(|at| (((at + salt) * (at % 5 + 3) * 41) >> 2) as u8).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 2, &bytes(ROWS, 0));
    folder.npy_u8("queries.npy", 2, &bytes(9, 77));
    folder.ok("index build codes.npy --bits 16 -o codes.sibx --quiet");
    folder
}

/// (distance, id) of every code, nearest first.
fn naive(query: &[u8], ids: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let codes = bytes(ROWS, 0);
    let distance = |row: &[u8]| row.iter().zip(query).map(|(a, b)| u64::from((a ^ b).count_ones())).sum::<u64>();
    let mut found: Vec<(u64, u64)> = codes.chunks(2).zip(ids).map(|(row, id)| (distance(row), id)).collect();
    found.sort_unstable();
    found
}

fn found(line: &serde_json::Value) -> Vec<(f64, u64)> {
    let hit = |n: &serde_json::Value| (n["distance"].as_f64().unwrap(), n["id"].as_u64().unwrap());
    line["neighbours"].as_array().unwrap().iter().map(hit).collect()
}

fn whole(found: Vec<(u64, u64)>) -> Vec<(f64, u64)> {
    found.into_iter().map(|(distance, id)| (distance as f64, id)).collect()
}

#[test]
fn an_index_answers_as_the_codes_it_was_built_from() {
    let folder = folder();
    folder.ok("index build queries.npy --bits 16 -o queries.sibx --quiet");
    folder.write("some.txt", "3\n499\n17\n44\n45\n");
    for options in [
        "-k 1 --json",
        "-k 7",
        "-k 499 --format csv",
        "-k 100000 --json",
        "-k 20 --threads 1 --json",
        "--radius 0 --json",
        "--radius 4 --format csv",
        "--radius 2.5 --json",
        "-k 3 --among some.txt --json",
        "--radius 8 --among some.txt --json",
    ] {
        let expected = folder.ok(&format!("search codes.npy queries.npy {options}"));
        for files in ["codes.sibx queries.npy", "codes.sibx queries.sibx", "codes.npy queries.sibx"] {
            assert_eq!(folder.ok(&format!("search {files} {options}")), expected, "{files} {options}");
        }
    }
    for source in ["npy", "sibx"] {
        folder.ok(&format!("search codes.{source} queries.npy -k 4 -o {source}-ids.npy --distances {source}-d.npy"));
    }
    assert_eq!(folder.read("npy-ids.npy"), folder.read("sibx-ids.npy"));
    assert_eq!(folder.read("npy-d.npy"), folder.read("sibx-d.npy"));
}

#[test]
fn given_ids_break_ties_and_are_what_is_printed() {
    let folder = folder();
    let ids: Vec<u64> = (0..ROWS as u64).map(|row| row * 311 % 503 + 10_000_000_000).collect();
    folder.write("ids.txt", ids.iter().map(|id| format!("{id}\n")).collect::<String>());
    folder.ok("index build codes.npy --bits 16 --ids ids.txt -o named.sibx --quiet");
    for k in [1, 10, ROWS, ROWS + 1] {
        let lines = json_lines(&folder.ok(&format!("search named.sibx queries.npy -k {k} --json")));
        assert_eq!(lines.len(), 9);
        for (line, query) in lines.iter().zip(bytes(9, 77).chunks(2)) {
            let mut expected = naive(query, ids.iter().copied());
            expected.truncate(k);
            assert_eq!(found(line), whole(expected));
        }
    }
}

#[test]
fn a_radius_gives_all_within_it_and_none_beyond() {
    let folder = folder();
    for radius in [0, 3, 16, 1000] {
        let lines = json_lines(&folder.ok(&format!("search codes.sibx queries.npy --radius {radius} --json")));
        for (line, query) in lines.iter().zip(bytes(9, 77).chunks(2)) {
            let mut expected = naive(query, 0..);
            expected.retain(|&(distance, _)| distance <= radius);
            assert_eq!(found(line), whole(expected));
        }
    }
    folder.misused("search codes.sibx queries.npy --radius 2 -k 3", &["--radius", "-k"]);
    folder.misused("search codes.sibx queries.npy --radius 2 -o ids.npy", &["--radius", ".csv"]);
    for radius in ["=-1", " NaN", " inf", " near"] {
        folder.misused(&format!("search codes.sibx queries.npy --radius{radius}"), &["--radius"]);
    }
}

#[test]
fn among_looks_only_at_the_ids_of_a_file() {
    let folder = folder();
    let some = [3u64, 499, 17, 44, 45];
    folder.write("some.txt", "3\n499\n17\n44\n17\n45\n");
    let lines = json_lines(&folder.ok("search codes.sibx queries.npy -k 4 --among some.txt --json"));
    for (line, query) in lines.iter().zip(bytes(9, 77).chunks(2)) {
        let mut expected = naive(query, 0..);
        expected.retain(|(_, id)| some.contains(id));
        expected.truncate(4);
        assert_eq!(found(line), whole(expected));
    }
    folder.ok("search codes.sibx queries.npy -k 10 --among some.txt -o ids.npy");
    assert!(String::from_utf8_lossy(&folder.read("ids.npy")).contains("(9, 5)"));
    folder.write("other.txt", "3\n500\n1000\n");
    let ran = folder.run("search codes.sibx queries.npy --among other.txt --json");
    assert_eq!(ran.stderr, "warning: other.txt: 2 of 3 ids are not among the codes\n");
    assert!(json_lines(&ran.stdout).iter().all(|line| found(line).len() == 1));
    folder.write("words.txt", "3\nfour\n5\n");
    folder.fails("search codes.sibx queries.npy --among words.txt", &["words.txt", "row 1", "\"four\""]);
    folder.fails("search codes.sibx queries.npy --among gone.txt", &["gone.txt", "open"]);
}

#[test]
fn ids_beyond_int64_are_written_as_uint64() {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 2, &[7, 7]);
    folder.write("ids.txt", "18446744073709551615\n");
    folder.ok("index build codes.npy --bits 16 --ids ids.txt -o codes.sibx");
    assert!(folder.ok("search codes.sibx codes.npy").contains("18446744073709551615:0"));
    folder.ok("search codes.sibx codes.npy -o ids.npy");
    let written = folder.read("ids.npy");
    assert!(String::from_utf8_lossy(&written).contains("'descr': '<u8'"), "{written:?}");
    assert_eq!(written[written.len() - 8..], u64::MAX.to_le_bytes());
    // Those that fit are what most programs expect.
    folder.ok("index build codes.npy --bits 16 -o small.sibx");
    folder.ok("search small.sibx codes.npy -o small.npy");
    assert!(String::from_utf8_lossy(&folder.read("small.npy")).contains("'descr': '<i8'"));
}

#[test]
fn widths_that_differ_are_named() {
    let folder = folder();
    folder.npy_u8("wide.npy", 3, &[9; 6]);
    folder.ok("index build wide.npy --bits 24 -o wide.sibx");
    folder.fails("search codes.sibx wide.npy", &["wide.npy", "rows of 3 bytes", "16 bits"]);
    folder.fails("search codes.npy wide.sibx", &["codes.npy", "rows of 2 bytes", "24 bits"]);
    folder.fails("search codes.sibx wide.sibx", &["wide.sibx is of 24 bits", "codes.sibx of 16"]);
    folder.misused("search codes.sibx queries.npy -k 0", &["at least 1"]);
    folder.write("codes.txt.sibx", "text");
    folder.fails("search codes.txt.sibx queries.npy", &["codes.txt.sibx", "not an index file", "sibp index build"]);
}

/// A folder with a probit model, codes of its training objects, and other objects as queries.
fn with_probit() -> Folder {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --seed 1 --sweeps 30 --per-object 8 --unsupervised-bits 0 --quiet -o m.sibp");
    folder.npy_f64("q.npy", M, &inputs(30, 99));
    folder.ok("encode m.sibp x.npy --quiet -o codes.npy");
    folder.ok("encode m.sibp q.npy --quiet -o queries.npy");
    let n_bits = Fitted::load(&folder.path("m.sibp")).unwrap().posterior().chosen(CodeChoice::Map).0.bits.n_bits();
    folder.ok(&format!("index build codes.npy --bits {n_bits} -o codes.sibx --quiet"));
    folder
}

#[test]
fn a_model_encodes_the_queries() {
    let folder = with_probit();
    let expected = folder.ok("search codes.sibx queries.npy -k 5 --json");
    for codes in ["codes.sibx", "codes.npy"] {
        assert_eq!(folder.ok(&format!("search {codes} q.npy --model m.sibp -k 5 --json")), expected);
    }
    let weighted = folder.ok("search codes.sibx queries.npy -k 5 --weighted m.sibp --json");
    assert_eq!(folder.ok("search codes.sibx q.npy --model m.sibp --weighted m.sibp -k 5 --json"), weighted);
    assert_eq!(folder.ok("search codes.npy queries.npy -k 5 --weighted m.sibp --json"), weighted);
    folder.npy_f64("narrow.npy", M - 1, &inputs(30, 99));
    folder.fails("search codes.sibx narrow.npy --model m.sibp", &["narrow.npy has 5 columns", "fitted to 6"]);
    folder.npy_u8("bytes.npy", 9, &[200; 18]);
    folder.ok("index build bytes.npy --bits 72 -o wide.sibx");
    for option in ["q.npy --model m.sibp", "q.npy --model m.sibp --expected", "bytes.npy --weighted m.sibp"] {
        folder.fails(&format!("search wide.sibx {option}"), &["m.sibp is of", "wide.sibx of 72"]);
    }
}

/// How many bits a model has is up to its data, so several are tried: at least one does not fill its last byte.
#[test]
fn packed_codes_of_39_bits_do_not_become_40() {
    let folder = Folder::with_data();
    let mut n_rounded = 0;
    for seed in 1..=4 {
        let fit = "fit x.npy --labels y.npy --sweeps 30 --unsupervised-bits 0 --quiet";
        folder.ok(&format!("{fit} --seed {seed} -o m.sibp"));
        folder.ok("encode m.sibp x.npy --quiet -o codes.npy");
        folder.fails("index build codes.npy -o rounded.sibx", &["codes.npy", "do not say how many bits", "--bits"]);
        let file = Fitted::load(&folder.path("m.sibp")).unwrap();
        let n_bits = file.posterior().chosen(CodeChoice::Map).0.bits.n_bits();
        folder.ok("index build codes.npy --model m.sibp --quiet -o by-model.sibx");
        folder.ok(&format!("index build codes.npy --bits {n_bits} --quiet -o by-bits.sibx"));
        folder.ok("encode m.sibp x.npy --quiet -o encoded.sibx");
        assert!(folder.read("encoded.sibx") == folder.read("by-model.sibx"), "seed {seed}");
        for name in ["by-model.sibx", "by-bits.sibx", "encoded.sibx"] {
            assert_eq!(HammingIndex::open(&folder.path(name)).unwrap().n_bits(), n_bits, "{name}");
            folder.ok(&format!("search {name} x.npy --model m.sibp -k 1"));
        }
        let rounded = n_bits.next_multiple_of(8);
        if rounded != n_bits {
            folder.ok(&format!("index build codes.npy --bits {rounded} -o rounded.sibx --quiet"));
            folder.fails("search rounded.sibx x.npy --model m.sibp", &["rounded.sibx of", "build it with --bits"]);
            folder.misused(
                &format!("index build codes.npy --bits {rounded} --model m.sibp -o x.sibx"),
                &["--bits", &n_bits.to_string()],
            );
            n_rounded += 1;
        }
    }
    assert!(n_rounded > 0, "all four models fill their bytes");
}

#[test]
fn expected_distances_equal_a_naive_sum_over_bit_probabilities() {
    let folder = with_probit();
    let file = Fitted::load(&folder.path("m.sibp")).unwrap();
    let (draw, _) = file.posterior().chosen(CodeChoice::Map);
    let n_inputs = file.info.transform.n_outputs();
    let encoder = ProbitEncoder::new(draw, n_inputs, EncoderChoice::Refit).unwrap();
    let queries = read_table(&folder.path("q.npy"), &ReadOptions::default()).unwrap().inputs;
    let probabilities = encoder.probabilities(&file.info.transform.apply(&queries).unwrap()).unwrap();
    let codes: Codes = HammingIndex::open(&folder.path("codes.sibx")).unwrap().codes();
    let n_bits = encoder.n_bits();
    assert!(n_bits > 1 && probabilities.iter().any(|p| (0.1..0.9).contains(p)), "the model tells nothing apart");
    let lines = json_lines(&folder.ok("search codes.sibx q.npy --model m.sibp --expected -k 60 --json"));
    assert_eq!(lines.len(), 30);
    for (line, query) in lines.iter().zip(probabilities.chunks(n_bits)) {
        let answers = found(line);
        assert_eq!(answers.len(), N);
        assert!(answers.windows(2).all(|pair| pair[0] < pair[1]), "neighbours come by distance, then id");
        for (distance, id) in answers {
            let cost = |bit: usize| if codes.get(id as usize, bit) { 1.0 - query[bit] } else { query[bit] };
            let naive: f64 = (0..n_bits).map(|bit| draw.weights[bit] * cost(bit)).sum();
            assert!((distance - naive).abs() <= 1e-6 * (1.0 + naive), "{distance} for {naive}");
        }
    }
}

#[test]
fn expected_distances_have_a_radius_too() {
    let folder = with_probit();
    let all = json_lines(&folder.ok("search codes.sibx q.npy --model m.sibp --expected -k 60 --json"));
    let middle = found(&all[0])[20].0;
    let near =
        json_lines(&folder.ok(&format!("search codes.sibx q.npy --model m.sibp --expected --radius {middle} --json")));
    for (line, all) in near.iter().zip(&all) {
        let within: Vec<_> = found(all).into_iter().filter(|&(distance, _)| distance <= middle).collect();
        assert_eq!(found(line), within);
    }
    assert!(found(&near[0]).len() >= 21);
}

#[test]
fn expected_and_codes_of_several_chains() {
    let folder = Folder::with_data();
    folder
        .ok("fit x.npy --labels y.npy --model probit --seed 1 --sweeps 20 --chains 2 --per-object 8 --quiet -o m.sibp");
    folder.ok("encode m.sibp x.npy --code concatenate --format bits --quiet -o codes.npy");
    folder.ok("index build codes.npy -o codes.sibx --quiet");
    let lines =
        json_lines(&folder.ok("search codes.sibx x.npy --model m.sibp --code concatenate --expected -k 1 --json"));
    assert_eq!(lines.len(), N);
    // An object's own bits are the most probable ones, so nothing is nearer than them.
    let own = HammingIndex::open(&folder.path("codes.sibx")).unwrap().codes();
    for (row, line) in lines.iter().enumerate() {
        let nearest = found(line)[0].1 as usize;
        assert_eq!(own.row(nearest), own.row(row), "row {row}");
    }
}

#[test]
fn expected_is_refused_where_it_has_no_meaning() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --model gaussian --seed 1 --sweeps 20 --per-object 8 --quiet -o g.sibp");
    folder.ok("encode g.sibp x.npy --quiet -o codes.npy");
    folder.misused("search codes.npy x.npy --model g.sibp --expected", &["--expected", "g.sibp is gaussian"]);
    folder.misused("search codes.npy x.npy --expected", &["--model"]);
    folder.misused("search codes.npy x.npy --model g.sibp --expected --weighted g.sibp", &["--weighted"]);
    folder.fails("search codes.npy x.npy --model codes.npy", &["codes.npy"]);
}
