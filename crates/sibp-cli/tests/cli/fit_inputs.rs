//! Tests what `sibp fit` does with odd and broken inputs: an error that names the place, or a fit that stays finite.

use crate::common::{Folder, M, N, classes, inputs, npy, npy_ordered};

const QUICK: &str = "--model gaussian --seed 1 --sweeps 5 --per-object 5 --quiet -o m.sibp";

#[test]
fn values_that_are_not_finite_are_named() {
    let folder = Folder::with_data();
    for (bad, shown) in [(f64::NAN, "1 value is missing"), (f64::INFINITY, "inf")] {
        let mut values = inputs(N, 0);
        values[7 * M + 2] = bad;
        folder.npy_f64("bad.npy", M, &values);
        folder.fails(&format!("fit bad.npy --labels y.npy {QUICK}"), &["bad.npy", "row 7", "column 2", shown]);
    }
    assert!(!folder.has("m.sibp"));
}

#[test]
fn files_that_do_not_belong_together_are_named() {
    let folder = Folder::with_data();
    folder.npy_i64("short.npy", &classes(N - 1));
    folder.fails(&format!("fit x.npy --labels short.npy {QUICK}"), &["x.npy has 60", "short.npy has 59"]);
    folder.fails(&format!("fit nothing.npy --labels y.npy {QUICK}"), &["nothing.npy", "cannot open"]);
    folder
        .fails(&format!("fit ids.txt --labels y.npy {QUICK}"), &["ids.txt", "line 2", "\"object-1\" is not a number"]);
    folder.write("x.foo", "");
    folder.fails(&format!("fit x.foo --labels y.npy {QUICK}"), &["x.foo", ".npy, .csv, .tsv, .parquet"]);
    folder.write("empty.csv", "");
    folder.fails(&format!("fit empty.csv --labels y.npy {QUICK}"), &["empty.csv", "no rows"]);
    folder.write("broken.npy", "not numpy");
    folder.fails(&format!("fit broken.npy --labels y.npy {QUICK}"), &["broken.npy", "not a readable npy"]);
}

#[test]
fn labels_that_allow_no_triplets_are_told_why() {
    let folder = Folder::with_data();
    folder.npy_i64("one.npy", &vec![4; N]);
    folder.fails(&format!("fit x.npy --labels one.npy {QUICK}"), &["one class", "\"4\"", "two classes"]);
    folder.npy_i64("alone.npy", &(0..N as i64).collect::<Vec<_>>());
    folder.fails(&format!("fit x.npy --labels alone.npy {QUICK}"), &["alone in its class"]);
    folder.npy_f64("x1.npy", M, &inputs(1, 0));
    folder.npy_i64("y1.npy", &[0]);
    folder.fails(&format!("fit x1.npy --labels y1.npy {QUICK}"), &["one class"]);
    folder.ok("fit x1.npy --model ibp --sweeps 5 --quiet -o one.sibp");
}

#[test]
fn broken_triplets_are_named_by_line() {
    let folder = Folder::with_data();
    let fails = |text: &str, parts: &[&str]| {
        folder.write("t.csv", text);
        folder.fails("fit x.npy --triplets t.csv --sweeps 5 -o m.sibp", &[&["t.csv"], parts].concat());
    };
    fails("anchor,near,far\n0,1,2\n3,3,4\n", &["line 3", "(3, 3, 4)", "twice"]);
    fails("anchor,near,far\n0,1,60\n", &["line 2", "\"60\"", "fewer objects"]);
    fails("anchor,near,far\n0,-1,2\n", &["line 2", "negative"]);
    fails("anchor,near,far\n0,x,2\n", &["line 2", "(near)", "\"x\""]);
    fails("anchor,near,far\n0,1\n", &["line 2", "2 cells"]);
    fails("anchor,near,far\n", &["no triplets"]);
    fails("", &["no rows"]);
}

#[test]
fn ids_name_objects_and_must_be_unique() {
    let folder = Folder::with_data();
    folder.write("t.csv", "anchor,near,far\nobject-0,object-3,object-1\nobject-1,object-4,object-2\n");
    folder.ok("fit x.npy --ids ids.txt --triplets t.csv --model gaussian --sweeps 5 --quiet -o m.sibp");
    folder.write("t.csv", "anchor,near,far\nobject-0,object-3,nobody\n");
    folder.fails("fit x.npy --ids ids.txt --triplets t.csv --sweeps 5 -o m.sibp", &["t.csv", "line 2", "\"nobody\""]);
    folder.write("twice.txt", (0..N).map(|i| format!("{}\n", i % 59)).collect::<String>());
    folder.fails(
        "fit x.npy --ids twice.txt --model ibp --sweeps 5 -o m.sibp",
        &["twice.txt", "\"0\"", "row 0", "row 59"],
    );
}

#[test]
fn repeated_and_contradictory_triplets_are_counted_and_the_fit_stays_finite() {
    let folder = Folder::with_data();
    folder.write("t.csv", "anchor,near,far\n0,3,1\n0,3,1\n0,1,3\n1,4,2\n");
    let ran = folder.run("fit x.npy --triplets t.csv --model gaussian --sweeps 30 --json -o m.sibp");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("warning: triplets that repeat an earlier one: 1;"), "{}", ran.stderr);
    assert!(ran.stderr.contains("questions answered both ways: 1;"), "{}", ran.stderr);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(summary["chains"][0]["log_likelihood"].as_f64().unwrap().is_finite());
}

#[test]
fn more_triplets_than_memory_holds_are_refused_before_they_are_made() {
    let folder = Folder::new();
    // 200,000 objects with 50,000 near and far ones each.
    let n = 200_000;
    folder.write("x.npy", npy("|u1", &format!("({n}, 1)"), &vec![1; n]));
    folder.write("y.npy", npy("|u1", &format!("({n},)"), &(0..n).map(|i| (i % 2) as u8).collect::<Vec<_>>()));
    let line = "fit x.npy --labels y.npy --scheme product --per-object 50000 -o m.sibp";
    folder.fails(line, &["500,000,000,000,000 triplets", "are free", "--per-object"]);
    folder.fails(
        "triplets from-labels y.npy --scheme product --per-object 50000 -o t.csv",
        &["500,000,000,000,000 triplets"],
    );
}

#[test]
fn inputs_too_large_to_be_squared_are_refused_unless_they_are_scaled() {
    let folder = Folder::with_data();
    folder.npy_f64("huge.npy", M, &inputs(N, 0).iter().map(|v| v * 1e200).collect::<Vec<_>>());
    for model in ["probit", "gaussian"] {
        let line = format!("fit huge.npy --labels y.npy --model {model} --transform none --sweeps 2 -o m.sibp");
        folder.fails(&line, &["huge.npy: the inputs are so large", "standardise or scale"]);
        folder.ok(&line.replace("none", "standardise"));
    }
}

#[test]
fn odd_but_lawful_features_are_fitted() {
    let folder = Folder::with_data();
    let mut constant = inputs(N, 0);
    constant.iter_mut().skip(1).step_by(M).for_each(|v| *v = 5.0);
    folder.npy_f64("constant.npy", M, &constant);
    folder.ok(&format!("fit constant.npy --labels y.npy --transform standardise {QUICK}"));
    folder.npy_f64("zeros.npy", M, &vec![0.0; N * M]);
    folder.ok(&format!("fit zeros.npy --labels y.npy {QUICK}"));
    folder.npy_f64("wide.npy", N * M / 4, &inputs(N, 0));
    folder.npy_i64("y4.npy", &[0, 0, 1, 1]);
    let ran = folder.run(&format!("fit wide.npy --labels y4.npy {QUICK}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("fewer than 5 others in their class: 4;"), "{}", ran.stderr);
    // Nobody asked for the number of near objects that a fit takes by itself.
    let ran = folder.run("fit wide.npy --labels y4.npy --model gaussian --sweeps 5 --quiet -o by_itself.sibp");
    assert!(ran.code == 0 && !ran.stderr.contains("in their class"), "{}", ran.stderr);
    folder.npy_f64("negative.npy", M, &vec![-1.0; N * M]);
    folder.fails(
        &format!("fit negative.npy --labels y.npy --transform sqrt {QUICK}"),
        &["negative.npy", "row 0", "column 0", "square root of -1"],
    );
}

#[test]
fn arrays_of_every_layout_give_the_same_model() {
    let folder = Folder::with_data();
    let values: Vec<f64> = inputs(N, 0).iter().map(|v| (v * 10.0).round() + 0.0).collect();
    let shape = format!("({N}, {M})");
    let column_major: Vec<f64> =
        (0..M).flat_map(|c| (0..N).map(move |r| (r, c))).map(|(r, c)| values[r * M + c]).collect();
    let bytes = |values: &[f64], put: fn(f64) -> Vec<u8>| values.iter().flat_map(|&v| put(v)).collect::<Vec<u8>>();
    let layouts = [
        npy("<f8", &shape, &bytes(&values, |v| v.to_le_bytes().into())),
        npy(">f8", &shape, &bytes(&values, |v| v.to_be_bytes().into())),
        npy("<f4", &shape, &bytes(&values, |v| (v as f32).to_le_bytes().into())),
        npy("<i4", &shape, &bytes(&values, |v| (v as i32).to_le_bytes().into())),
        npy(">i2", &shape, &bytes(&values, |v| (v as i16).to_be_bytes().into())),
        npy_ordered("<f8", &shape, true, &bytes(&column_major, |v| v.to_le_bytes().into())),
    ];
    for (at, file) in layouts.iter().enumerate() {
        folder.write("layout.npy", file);
        folder.ok(&format!("fit layout.npy --labels y.npy {QUICK}"));
        folder.write(&format!("{at}.sibp"), folder.read("m.sibp"));
        assert!(folder.read("m.sibp") == folder.read("0.sibp"), "layout {at}");
    }
}

#[test]
fn text_tables_with_marks_quotes_and_headers_are_read() {
    let folder = Folder::with_data();
    let values = inputs(N, 0);
    let row = |r: usize| {
        let cells: Vec<String> = values[r * M..(r + 1) * M].iter().map(|v| format!("\"{v}\"")).collect();
        format!("\"name, {r}\",{},class {}\r\n", cells.join(","), r % 3)
    };
    let rows: String = (0..N).map(row).collect();
    folder.write("x.csv", format!("\u{feff}name,a,b,c,d,e,\"f\ng\",class\r\n{rows}"));
    folder.ok(&format!("fit x.csv --id-column name --label-column class {QUICK}"));
    let text = folder.ok("inspect m.sibp --json");
    assert!(text.contains(r#""classes":["class 0","class 1","class 2"]"#) && text.contains(r#""f\ng""#), "{text}");
    folder.write("ragged.csv", "a,b\n1,2\n3\n");
    folder.fails("fit ragged.csv --model ibp --sweeps 5 -o m.sibp", &["ragged.csv", "line 3", "1 cells"]);
    folder.fails(
        "fit x.csv --id-column nobody --label-column class -o m.sibp",
        &["x.csv", "no column \"nobody\"", "\"name\""],
    );
}
