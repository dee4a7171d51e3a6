//! Tests `sibp predict`.

use crate::common::{Folder, M, N, inputs, json_lines};

#[test]
fn a_model_labels_unseen_objects_by_the_labels_it_was_fitted_with() {
    let folder = Folder::with_model();
    folder.npy_f64("new.npy", M, &inputs(N, 99));
    let lines = json_lines(&folder.ok("predict m.sibp new.npy -k 5 --json"));
    let right = lines.iter().enumerate().filter(|(row, line)| line["label"] == ["0", "1", "2"][row % 3]).count();
    assert!(right > N * 9 / 10, "{right} of {N}");
    assert!(lines.iter().all(|line| line["votes"].as_u64() <= Some(5) && line["voters"] == 5 && line["id"].is_null()));
    let table = folder.ok("predict m.sibp new.npy -k 5");
    assert_eq!(table.lines().count(), N + 1);
    assert_eq!(table.lines().next().unwrap().split_whitespace().collect::<Vec<_>>(), ["object", "label", "votes"]);
}

#[test]
fn codes_vote_by_the_stated_rule() {
    let folder = Folder::new();
    // Distances from the query 0: 0, 1, 1, 8.
    folder.npy_u8("codes.npy", 1, &[0, 2, 4, 255]);
    folder.npy_u8("queries.npy", 1, &[0]);
    folder.write("labels.txt", "near\nlater\nlater\nfar\n");
    let label = |k: usize| {
        json_lines(&folder.ok(&format!("predict codes.npy queries.npy --labels labels.txt -k {k} --json")))[0].clone()
    };
    assert_eq!(label(1)["label"], "near");
    assert_eq!(label(2)["label"], "near", "equal votes go to the smaller sum of distances");
    assert_eq!((&label(3)["label"], &label(3)["votes"]), (&"later".into(), &2.into()));
    assert_eq!(label(100)["voters"], 4);
    folder.ok("predict codes.npy queries.npy --labels labels.txt -k 3 -o p.csv");
    assert_eq!(folder.text("p.csv"), "object,label,votes\n0,later,2\n");
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::with_model();
    folder.npy_u8("codes.npy", 1, &[0, 2, 4, 255]);
    folder.write("labels.txt", "a\nb\n");
    folder.misused("predict codes.npy codes.npy", &["codes.npy", "--labels"]);
    folder.fails("predict codes.npy codes.npy --labels labels.txt", &["labels.txt has 2", "codes.npy has 4"]);
    folder.misused("predict m.sibp x.npy --labels y.npy", &["--labels", "model"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o plain.sibp");
    folder.fails("predict plain.sibp x.npy", &["plain.sibp", "without labels"]);
    folder.misused("predict m.sibp x.npy -o p.txt", &[".csv"]);
    folder.misused("predict m.sibp x.npy -k 0", &["at least 1"]);
}
