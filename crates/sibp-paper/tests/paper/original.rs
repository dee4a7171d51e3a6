//! Tests tables of Animals with Attributes as it is distributed: a text file of numbers an image.

use crate::common::{Folder, fails, misused};
use sibp_paper::Silent;
use sibp_paper::tables::{Table, TableArgs, run};
use std::fmt::Write as _;

const CLASSES: [&str; 4] = ["otter", "tiger", "killer+whale", "zebra"];
const ROOT: &str = "unpacked/Animals_with_Attributes";

/// Four classes, two of which can be split: 128 colours of the whole image, then two of its parts.
fn download() -> Folder {
    let folder = Folder::new();
    for feature in ["cq-hist", "phog-hist"] {
        for (class_ix, class) in CLASSES.iter().enumerate() {
            std::fs::create_dir_all(folder.path(&format!("{ROOT}/Features/{feature}/{class}"))).unwrap();
            let n_images = if class_ix == 1 || class_ix == 2 { 61 } else { 9 };
            for image in 1..=n_images {
                let path = format!("{ROOT}/Features/{feature}/{class}/{class}_{image:04}.txt");
                folder.write(&path, histogram(feature, class_ix, image));
            }
        }
    }
    let numbered = |names: &[&str]| (1..).zip(names).map(|(id, name)| format!("{id}\t{name}\n")).collect::<String>();
    folder.write(&format!("{ROOT}/classes.txt"), numbered(&CLASSES));
    folder.write(&format!("{ROOT}/predicates.txt"), numbered(&["black", "white", "blue", "brown", "gray", "orange"]));
    let matrix = "1 0 0 1 0 1\n0 1 0 1 0 1\n1 0 1 0 0 0\n0 1 1 0 1 0\n";
    folder.write(&format!("{ROOT}/predicate-matrix-binary.txt"), matrix);
    folder
}

/// A class has more of a colour of its own; the parts of the image, which must not be looked at, are the same for all.
fn histogram(feature: &str, class_ix: usize, image: usize) -> String {
    let n_whole = if feature == "cq-hist" { 128 } else { 6 };
    let mut text = String::new();
    for at in 0..n_whole {
        let noise = (7.3 * (class_ix * 100 + image) as f64 + 3.1 * at as f64).sin().abs();
        let _ = write!(text, "{:.5} ", noise + if at % CLASSES.len() == class_ix { 1.0 } else { 0.0 });
    }
    (0..if n_whole == 128 { 256 } else { 0 }).for_each(|_| text.push_str("5 "));
    text + "\n"
}

fn args(folder: &Folder, out: &str, data: &str) -> TableArgs<'static> {
    TableArgs {
        out: folder.path(out),
        data: Some(folder.path(data)),
        input: None,
        dataset: None,
        splits: vec!["split2.csv".to_owned()],
        given: Vec::new(),
        seed: 1,
        sweeps: 5,
        chains: 1,
        per_object: 3,
        threads: 0,
        talk: &Silent,
    }
}

#[test]
fn the_folders_of_the_data_set_are_read_and_split() {
    let folder = download();
    let printed = run(Table::One, &args(&folder, "out", "unpacked")).unwrap();
    assert!(
        printed.contains("140 objects of 128 inputs; split2 (5 repeats; 60 objects to learn from, 60 to ask about)")
    );
    assert!(printed.contains("| 2 categories |") && printed.contains("| Hash | 5 |"), "{printed}");
    // The colours of a class are seen in the whole image, so that inputs are right in all four numbers of neighbours.
    let csv = folder.text("out/table1.csv");
    let reference = |k: usize| {
        let parts = ["split2,2,60,60,reference,none,Reference,", &format!(",0,1,{k},1.0,")];
        csv.lines().any(|line| parts.iter().all(|part| line.contains(part)))
    };
    assert!([1, 3, 15, 30].into_iter().all(reference), "{csv}");
    // The folder itself does as well as the one around it, and the seed fixes the splits.
    run(Table::One, &args(&folder, "again", ROOT)).unwrap();
    // Times differ; numbers do not.
    let timeless =
        |csv: &str| csv.lines().map(|line| line.rsplitn(3, ',').nth(2).unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(timeless(&csv), timeless(&folder.text("again/table1.csv")));
    let phog = TableArgs { input: Some("phog-hist".to_owned()), ..args(&folder, "phog", ROOT) };
    let printed = run(Table::Three, &phog).unwrap();
    assert!(printed.contains("140 objects of 6 inputs"), "{printed}");
}

#[test]
fn what_is_wrong_in_the_folders_is_named() {
    let folder = download();
    let table = || run(Table::Three, &args(&folder, "out", "unpacked"));
    let with_feature =
        |name: &str| run(Table::Three, &TableArgs { input: Some(name.to_owned()), ..args(&folder, "out", "unpacked") });
    let with_splits = |name: &str| {
        run(Table::Three, &TableArgs { splits: vec![name.to_owned()], ..args(&folder, "out", "unpacked") })
    };
    let features = format!("{ROOT}/Features");
    fails(with_feature("surf"), &["Features/surf", "cq-hist, phog-hist"]);
    misused(with_splits("mine.csv"), &["mine", "split5x20"]);
    fails(with_splits("split5.csv"), &["classes.txt does not name sheep"]);
    fails(with_splits("split2x3.csv"), &["has 9 images", "60"]);
    let image = format!("{features}/cq-hist/zebra/zebra_0004.txt");
    let whole = folder.text(&image);
    for (text, words) in [
        ("0.5 0.5", "2 numbers, but"),
        ("0.5 x", "number 2 is \"x\""),
        ("0.5 -1", "number 2 is \"-1\""),
        ("nan", "number 1 is \"nan\""),
    ] {
        folder.write(&image, text);
        fails(table(), &["zebra_0004.txt", words]);
    }
    folder.write(&image, &whole);
    let short = format!("{features}/cq-hist/otter/otter_0001.txt");
    let kept = folder.text(&short);
    folder.write(&short, "0.5 0.5");
    fails(table(), &["otter_0001.txt", "128 of the whole image"]);
    folder.write(&short, kept);
    std::fs::remove_dir_all(folder.path(&format!("{features}/phog-hist/zebra"))).unwrap();
    fails(with_feature("phog-hist"), &["phog-hist/zebra", "a class without images"]);
    std::fs::create_dir(folder.path(&format!("{features}/phog-hist/zebra"))).unwrap();
    fails(with_feature("phog-hist"), &["phog-hist/zebra", "no .txt file"]);
    folder.write(&format!("{ROOT}/classes.txt"), "1\totter\n3\ttiger\n");
    fails(table(), &["classes.txt", "line 2"]);
    std::fs::remove_file(folder.path(&format!("{ROOT}/predicates.txt"))).unwrap();
    fails(table(), &["Missing:", "predicates.txt", "--dataset digits"]);
    assert!(!folder.has("out"), "nothing is begun that cannot be done");
}
