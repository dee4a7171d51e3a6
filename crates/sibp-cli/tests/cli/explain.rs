//! Tests `sibp explain`: bits of two objects with what drives them, by the names that the file has.

use crate::common::{Folder, M, N, classes, inputs};

const NAMES: [&str; M] = ["length", "width", "height", "mass", "age", "price"];

/// A model fitted to a table with names of columns and objects.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = format!("name,{}\n", NAMES.join(","));
    for (at, row) in inputs(N, 0).chunks(M).enumerate() {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        text += &format!("thing{at},{}\n", cells.join(","));
    }
    folder.write("x.csv", text);
    folder.npy_i64("y.npy", &classes(N));
    folder.ok("fit x.csv --id-column name --labels y.npy --seed 1 --sweeps 30 --quiet --no-rehearsal -o m.sibp");
    folder
}

#[test]
fn bits_are_told_by_names_of_inputs_and_objects() {
    let folder = folder();
    let said = folder.ok("explain m.sibp x.csv --id-column name thing0 thing1");
    assert!(said.starts_with("thing0 and thing1: "), "{said}");
    assert!(said.contains("differs") && NAMES.iter().any(|name| said.contains(name)), "{said}");
    let json: serde_json::Value =
        serde_json::from_str(&folder.ok("explain m.sibp x.csv --id-column name thing0 thing1 --json")).unwrap();
    let bits = json["bits"].as_array().unwrap();
    let differing = bits.iter().filter(|bit| bit["agrees"] == false).count();
    assert_eq!(json["distance"], differing);
    assert!(bits.iter().all(|bit| (bit["a"] == bit["b"]) == bit["agrees"].as_bool().unwrap()));
    // As the search counts.
    folder.ok("encode m.sibp x.csv --id-column name --quiet -o codes.sibx");
    let found = folder.ok(&format!("search codes.sibx --id thing0 -k {N} --json"));
    let line: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert!(line.to_string().contains("thing1"), "{line}");
}

#[test]
fn objects_that_are_not_there_are_named() {
    let folder = folder();
    folder.fails("explain m.sibp x.csv --id-column name thing0 nothing", &["x.csv", "nothing", "no object"]);
    folder.npy_f64("x.npy", M, &inputs(N, 0));
    folder.ok("explain m.sibp x.npy 0 1 --all");
    folder.fails(&format!("explain m.sibp x.npy 0 {N}"), &["x.npy", "no row"]);
    folder.fails("explain m.sibp x.npy 0 thing1", &["thing1", "--id-column"]);
}

#[test]
fn an_explanation_is_drawn_with_names() {
    let folder = folder();
    folder.ok("explain m.sibp x.csv --id-column name thing0 thing1 --plot why.svg");
    let svg = folder.text("why.svg");
    assert!(svg.starts_with("<svg") && svg.contains("thing0 and thing1: "), "{svg}");
    assert!(NAMES.iter().any(|name| svg.contains(&format!(">{name}</text>"))), "{svg}");
    assert!(svg.matches("thing").count() > 6, "owners are named: {svg}");
    // A row for each bit that differs and a few others, and with --all for every bit.
    let rows = |svg: &str| svg.matches(">bit ").count();
    folder.ok("explain m.sibp x.csv --id-column name thing0 thing1 --all --plot all.svg");
    let json: serde_json::Value =
        serde_json::from_str(&folder.ok("explain m.sibp x.csv --id-column name thing0 thing1 --json")).unwrap();
    let n_bits = json["bits"].as_array().unwrap().len();
    assert_eq!(rows(&folder.text("all.svg")), n_bits);
    assert_eq!(rows(&svg), n_bits.min(json["distance"].as_u64().unwrap() as usize + 5));
    folder.misused("explain m.sibp x.csv --id-column name thing0 thing1 --plot why.png", &["svg"]);
}
