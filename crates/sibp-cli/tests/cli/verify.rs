//! Tests `sibp verify`.

use crate::common::{Folder, json_lines};

#[test]
fn verdicts_as_table_and_as_json() {
    let folder = Folder::new();
    let table = folder.ok("verify --quick --only classes");
    assert!(table.contains("prior: sums over all classes  passed") && table.contains("1.00e-12"), "{table}");
    let lines = json_lines(&folder.ok("verify --only classes --json --seed 3"));
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["passed"], true);
    assert_eq!(lines[0]["seed"], 3);
    assert_eq!(lines[0]["rows"].as_array().map(Vec::len), Some(4));
    folder.misused("verify --only nonsense", &["no check", "--quick"]);
}

#[test]
fn a_fresh_seed_is_printed_and_serves_the_sequential_checks_only() {
    let folder = Folder::new();
    let ran = folder.run("verify --only classes --json --seed 3 --fresh");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("to repeat: sibp verify --only sequential --seed "), "{}", ran.stderr);
    assert_eq!(json_lines(&ran.stdout)[0]["seed"], 3);
}
