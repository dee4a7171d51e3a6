//! Tests `sibp verify`.

mod common;

use common::{Folder, json_lines};

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
