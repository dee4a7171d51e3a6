//! Tests `sibp report`: one file that needs nothing else.

use crate::common::Folder;

#[test]
fn the_page_is_whole_and_loads_nothing() {
    let folder = Folder::with_model();
    let ran = folder.run("report m.sibp --image-shape 3x2 -o r.html");
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
    folder.fails("report m.sibp --image-shape 8x8 -o s.html", &["8x8", "6"]);
    folder.misused("report m.sibp --image big", &["8x8"]);
}

/// A table with names of columns and objects, and a class in the last column.
fn spreadsheet(folder: &Folder) {
    let mut text = "name,length,width,height,mass,age,price,class\n".to_owned();
    let (x, y) = (crate::common::inputs(crate::common::N, 0), crate::common::classes(crate::common::N));
    for (at, row) in x.chunks(crate::common::M).enumerate() {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        text += &format!("thing{at},{},class{}\n", cells.join(","), y[at]);
    }
    folder.write("x.csv", text);
}

#[test]
fn inputs_and_objects_are_named_and_held_out_objects_are_told_of() {
    let folder = Folder::new();
    spreadsheet(&folder);
    let fit = "fit x.csv --id-column name --label-column class --transform standardise,scale --sweeps 20 --quiet";
    folder.ok(&format!("{fit} -o m.sibp"));
    folder.ok("report m.sibp -o r.html");
    let page = folder.text("r.html");
    for part in
        ["What the bits stand for", "thing", "class0 ", "length", "Objects that were held out", "of held-out triplets"]
    {
        assert!(page.contains(part), "{part:?} is missing");
    }
    let held: serde_json::Value = serde_json::from_str(&folder.ok("inspect m.sibp --json")).unwrap();
    let agreement = held["held_out"]["agreement"].as_f64().unwrap();
    assert!(page.contains(&format!("{:.1} %", 100.0 * agreement)), "{agreement}");
    folder.ok(&format!("{fit} --no-rehearsal -o n.sibp"));
    folder.ok("report n.sibp -o n.html");
    assert!(!folder.text("n.html").contains("held out"));
    // Similarity to anchors mixes all inputs, so none of them drives a bit.
    folder.ok("fit x.csv --id-column name --label-column class --transform anchors:20 --sweeps 10 --quiet -o a.sibp");
    folder.ok("report a.sibp -o a.html");
    let page = folder.text("a.html");
    assert!(page.contains("sibp explain") && !page.contains("inputs that drive it"));
}

#[test]
fn objects_that_are_labelled_wrong_are_listed_by_id() {
    let folder = Folder::new();
    spreadsheet(&folder);
    folder.ok("fit x.csv --id-column name --label-column class --sweeps 20 --quiet -o m.sibp");
    // Two objects with another label than their neighbours.
    let text = folder.text("x.csv");
    let swapped: Vec<String> = text
        .lines()
        .map(|line| match line.starts_with("thing3,") || line.starts_with("thing7,") {
            true => format!("{},class0", line.rsplit_once(',').unwrap().0),
            false => line.to_owned(),
        })
        .collect();
    folder.write("y.csv", swapped.join("\n") + "\n");
    let eval = "eval m.sibp y.csv --id-column name --label-column class";
    folder.ok(&format!("{eval} --wrong wrong.csv"));
    let list = folder.text("wrong.csv");
    assert!(list.starts_with("object,label,predicted\n"), "{list}");
    let json: serde_json::Value = serde_json::from_str(&folder.ok(&format!("{eval} -k 15 --json"))).unwrap();
    let accuracy = json["knn_accuracy"]["15"].as_f64().unwrap();
    let n_wrong = list.lines().count() - 1;
    assert_eq!(n_wrong, ((1.0 - accuracy) * crate::common::N as f64).round() as usize, "{list}");
    for name in ["thing3", "thing7"] {
        let class =
            text.lines().find(|line| line.starts_with(&format!("{name},"))).unwrap().rsplit_once(',').unwrap().1;
        assert!(class == "class0" || list.contains(&format!("{name},class0,")), "{list}");
    }
    folder.misused(&format!("{eval} --wrong y.csv"), &["y.csv"]);
}
