//! Tests `sibp demo` at a small size: it needs no files and its figures are computed.

use crate::common::Folder;

#[test]
fn learns_compares_draws_and_reports() {
    let folder = Folder::new();
    let ran = folder.run("demo --train 200 --sweeps 12");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("200 to learn from, 1,597 kept aside"), "{}", ran.stdout);
    for method in ["sibp codes", "ITQ codes", "LSH codes", "raw inputs", "linear SVM"] {
        let line =
            ran.stdout.lines().find(|l| l.starts_with(method)).unwrap_or_else(|| panic!("{method}: {}", ran.stdout));
        let first: f64 = line.split(" %").next().unwrap().split_whitespace().last().unwrap().parse().unwrap();
        assert!(first > 50.0 && first <= 100.0, "{line}");
    }
    assert!(ran.stdout.contains("query: a ") && ran.stdout.contains('@'), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\x1b'), "escape codes without a terminal");
    assert!(folder.text("report.html").contains("Unseen digits"));
    assert!(std::fs::read_dir(folder.path(".")).unwrap().count() == 1, "only the report is left behind");
    let again = folder.run("demo --train 200 --sweeps 12 --quiet -o other.html");
    assert_eq!(again.stdout.replace("other.html", "report.html"), ran.stdout, "the same seed, the same demo");
    assert_eq!(again.stderr, "");
    folder.misused("demo --train 5000", &["5000"]);
}
