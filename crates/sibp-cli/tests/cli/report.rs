//! Tests `sibp report`: one file that needs nothing else.

use crate::common::Folder;

#[test]
fn the_page_is_whole_and_loads_nothing() {
    let folder = Folder::with_model();
    let ran = folder.run("report m.sibp --image 3x2 -o r.html");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let page = folder.text("r.html");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for part in [
        "<title>m.sibp",
        "prefers-color-scheme: dark",
        "<polyline",
        "data:image/png;base64,",
        "R-hat",
        "What each bit paints",
    ] {
        assert!(page.contains(part), "{part:?} is missing");
    }
    for part in ["<script", "<link", "@import", "url(", "src=\"http", "href=\"http"] {
        assert!(!page.contains(part), "{part:?} must not be there");
    }
    // Names of the SVG vocabulary are the only addresses.
    assert_eq!(page.matches("http").count(), page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn models_without_labels_or_triplets_have_a_page_too() {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --model ibp --sweeps 10 --chains 1 --quiet -o m.sibp");
    folder.ok("report m.sibp");
    let page = folder.text("report.html");
    assert!(page.contains("plain IBP") && page.contains("there is one chain only"));
    // Bits and log likelihood, a line each.
    assert_eq!(page.matches("stroke-width=\"2\"").count(), 2);
    folder.ok("fit x.npy --model ibp --sweeps 10 --chains 3 --quiet -o m.sibp");
    folder.ok("report m.sibp");
    let page = folder.text("report.html");
    assert!(page.contains("Number of bits (K)") && page.contains("chain 3</span>"));
    assert_eq!(page.matches("stroke-width=\"2\"").count(), 6, "every chain has its lines");
}

#[test]
fn given_bits_and_starts_are_shown() {
    let folder = Folder::with_data();
    let bits: Vec<f64> =
        (0..crate::common::N).flat_map(|row| [(row % 2) as f64, (row % 3 == 0) as u8 as f64]).collect();
    folder.npy_f64("h.npy", 2, &bits);
    folder.ok("fit x.npy --labels y.npy --given-bits h.npy --start hyperplanes:4 --sweeps 10 --quiet -o m.sibp");
    folder.ok("report m.sibp -o r.html");
    let page = folder.text("r.html");
    for part in ["2 given</text>", " learned</text>", "Weights of given bits", "4 random hyperplanes of its own"] {
        assert!(page.contains(part), "{part:?} is missing");
    }
}

#[test]
fn names_cannot_become_markup() {
    let folder = Folder::with_data();
    folder.write("y.txt", (0..crate::common::N).map(|r| format!("<b>{}</b>\n", r % 3)).collect::<String>());
    folder.ok("fit x.npy --labels y.txt --model gaussian --sweeps 10 --per-object 5 --quiet -o m.sibp");
    folder.ok("report m.sibp -o r.html");
    assert!(!folder.text("r.html").contains("<b>0</b>") && folder.text("r.html").contains("&lt;b&gt;0&lt;/b&gt;"));
    folder.fails("report m.sibp --image 8x8 -o s.html", &["8x8", "6"]);
    folder.misused("report m.sibp --image big", &["8x8"]);
}
