//! Reads files of judgements: judges, votes, ties, ids that only the file knows, and the formats of other packages.

use crate::common::{Folder, le, npy};
use sibp::data::Ids;
use sibp::triplets::{
    Judgements, ReadingReport, Triplet, collect_judgements, is_salmon, read_cblearn, read_judgements, read_salmon,
    read_triplets,
};
use std::path::Path;

fn triplet(anchor: u32, near: u32, far: u32) -> Triplet {
    Triplet { anchor, near, far }
}

fn judges(found: &Judgements) -> Vec<&str> {
    (0..found.triplets.len()).map(|at| found.judge(at).unwrap()).collect()
}

fn problem<T: std::fmt::Debug>(found: Result<T, sibp::data::DataError>, file: &str) -> String {
    let text = found.unwrap_err().to_string();
    text.split_once(&format!("{file}: ")).unwrap_or_else(|| panic!("no file in {text}")).1.to_owned()
}

#[test]
fn answers_and_judges_stand_in_any_order_of_columns() {
    let folder = Folder::new();
    let text =
        "Judge,FAR,when,Near,anchor,Answer\nann,2,x,1,0,near\nbob,2,x,1,0,FAR\nann,2,x,1,0,Cannot say\nc,0,x,1,2,tie\n";
    let path = folder.file("j.csv", text);
    let found = read_judgements(&path, 3).unwrap();
    let (one, other) = (triplet(0, 1, 2), triplet(0, 2, 1));
    let expected = [one, other, one, other, triplet(2, 1, 0), triplet(2, 0, 1)];
    assert_eq!(found.triplets, expected);
    assert_eq!(judges(&found), ["ann", "bob", "ann", "ann", "c", "c"]);
    assert_eq!(found.tied, [2, 3, 4, 5]);
    assert_eq!(found.report, ReadingReport { n_rows: 4, n_ties: 2, ..ReadingReport::default() });
    assert_eq!(read_triplets(&path, 3).unwrap(), expected, "both read the same");
}

#[test]
fn votes_are_repeated_answers() {
    let folder = Folder::new();
    let text = "anchor\tnear\tfar\tvotes_far\tvotes_near\n0\t1\t2\t1\t3\n0\t2\t1\t0\t2\n1\t0\t2\t0\t0\n";
    let found = read_judgements(&folder.file("v.tsv", text), 3).unwrap();
    let (one, other) = (triplet(0, 1, 2), triplet(0, 2, 1));
    assert_eq!(found.triplets, [one, one, one, other, other, other]);
    assert_eq!((found.judges, found.tied.len()), (None, 0));
    let report = ReadingReport { n_rows: 3, n_votes: 6, n_split_votes: 1, n_without_votes: 1, n_ties: 0 };
    assert_eq!(found.report, report);
}

#[test]
fn unusable_judgements_are_named() {
    let folder = Folder::new();
    let error = |text: &str| problem(read_judgements(&folder.file("j.csv", text), 3), "j.csv");
    let judged = "anchor,near,far,judge\n0,1,2,ann\n0,1,2,\n";
    assert!(error(judged).starts_with("line 3 (row 1), column 3 (judge): \"\" is not a judge"), "{}", error(judged));
    let said = "anchor,near,far,answer\n0,1,2,left\n";
    assert_eq!(error(said), "line 2 (row 0), column 3 (answer): \"left\" is not near, far, tie or cannot say");
    let votes = |near: &str| error(&format!("anchor,near,far,votes_near,votes_far\n0,1,2,4,0\n0,1,2,{near},1\n"));
    for bad in ["-1", "1.5", "", "many"] {
        let expected = format!("line 3 (row 1), column 3 (votes_near): {bad:?} is not a whole number of votes");
        assert_eq!(votes(bad), expected);
    }
    assert!(votes("1000000").starts_with("line 3 (row 1): there are 1000005 votes up to here; at most 1000000"));
    assert!(votes("18446744073709551615").contains("votes up to here"));
    assert!(error("anchor,near,far,votes_near\n").starts_with("there is no column votes_far; the columns are anchor"));
    assert!(error("anchor,near,far,votes_far\n").starts_with("there is no column votes_near"));
    let both = error("anchor,near,far,Answer,votes_far\n");
    assert!(both.starts_with("the columns 3 (Answer) and 4 (votes_far) cannot both be read"), "{both}");
    assert!(error("anchor,near,far,near\n").starts_with("the columns 1 (near) and 3 (near)"));
}

#[test]
fn ids_are_collected_in_the_order_of_appearance() {
    let folder = Folder::new();
    let path = folder.file("j.csv", "far,near,anchor\nzebra,ant,cow\ncow,dog,ant\n");
    let (found, ids) = collect_judgements(&path).unwrap();
    assert_eq!(ids.texts(), ["cow", "ant", "zebra", "dog"]);
    assert_eq!(found.triplets, [triplet(0, 1, 2), triplet(1, 3, 0)]);
    let known = Ids::new(ids.texts().to_vec()).unwrap();
    assert_eq!(read_judgements(&path, &known).unwrap(), found);
    let (found, ids) = collect_judgements(&folder.file("t.npy", npy("|u1", "False", "(1, 3)", &[9, 0, 4]))).unwrap();
    assert_eq!((ids.texts(), found.triplets[0]), (&["9", "0", "4"].map(String::from)[..], triplet(0, 1, 2)));
    let unnamed = collect_judgements(&folder.file("u.csv", "a,b,c\nb,c,d\n")).unwrap();
    assert_eq!((unnamed.0.triplets.len(), unnamed.1.len()), (2, 4));
}

#[test]
fn a_header_of_other_names_is_not_taken_for_objects() {
    let folder = Folder::new();
    let error = |text: &str| problem(collect_judgements(&folder.file("j.csv", text)), "j.csv");
    let other = error("i,j,l\ncat,dog,cow\ndog,cat,cow\n");
    assert!(other.starts_with("line 1 (row 0): \"i,j,l\" is not about an object of any later line; if it is a header"));
    assert!(error("a,b,c\nb,,c\n").starts_with("line 2 (row 1), column 1 (near): \"\" is not an id: it is empty"));
    assert!(error("anchor,near,far\na,b,a\n").contains("the triplet (a, b, a) names an object twice"));
}

#[test]
fn responses_of_salmon() {
    let folder = Folder::new();
    let columns = "alg_ident,head,left,right,winner,loser,puid,head_html,winner_html,loser_html";
    let picture = |name: &str| format!("<img src='/static/targets/{name}.png' />");
    let row = |numbers: &str, puid: &str, names: [&str; 3]| {
        format!("ARR,{numbers},{puid},{}\n", names.map(picture).join(","))
    };
    let rows = row("0,1,2,2,1", "p1", ["cat", "cow", "dog"]) + &row("2,0,1,0,1", "", ["cow", "cat", "dog"]);
    let path = folder.file("r.csv", format!("{columns}\n{rows}"));
    assert!(is_salmon(&path).unwrap());
    let (found, ids) = read_salmon(&path, false).unwrap();
    assert_eq!(ids.texts(), ["cat.png", "cow.png", "dog.png"]);
    assert_eq!(found.triplets, [triplet(0, 1, 2), triplet(1, 0, 2)]);
    assert_eq!(judges(&found), ["p1", "unnamed"]);
    let (found, ids) = read_salmon(&path, true).unwrap();
    assert_eq!((ids.texts(), found.triplets[1]), (&["0", "2", "1"].map(String::from)[..], triplet(1, 0, 2)));
    // An early version: no loser, nobody is named, and names stand beside numbers.
    let early = "head,left,right,winner,puid,head_object,left_object,right_object,winner_object\n0,1,2,2,,a,b,c,c\n";
    let (found, ids) = read_salmon(&folder.file("e.csv", early), false).unwrap();
    assert_eq!((ids.texts(), found.triplets), (&["a", "c", "b"].map(String::from)[..], vec![triplet(0, 1, 2)]));
    assert_eq!(found.judges, None);
}

#[test]
fn unusable_responses_of_salmon_are_named() {
    let folder = Folder::new();
    let error = |text: &str| problem(read_salmon(&folder.file("r.csv", text), false), "r.csv");
    assert!(error("anchor,near,far\n").starts_with("there is no column head, winner and loser"));
    assert!(error("head,winner,loser\n0,1\n").starts_with("line 2 (row 0): 2 cells where the first line has 3"));
    assert!(error("head,winner,loser\n0,1,1\n").contains("the triplet (0, 1, 1) names an object twice"));
    let stranger = error("head,left,right,winner\n0,1,2,3\n");
    assert!(stranger.starts_with("line 2 (row 0), column 3 (winner): \"3\" is not what stands in left or right"));
    assert!(!is_salmon(&folder.file("t.csv", "anchor,near,far\n")).unwrap());
    assert_eq!(problem(is_salmon(&folder.file("n.csv", "")), "n.csv"), "there are no rows");
}

#[test]
fn arrays_of_cblearn() {
    let folder = Folder::new();
    let queries =
        folder.file("q.npy", npy("<i4", "False", "(3, 3)", &le![5i32, 1i32, 2i32, 5i32, 1i32, 2i32, 1i32, 2i32, 5i32]));
    let (one, other, last) = (triplet(0, 1, 2), triplet(0, 2, 1), triplet(1, 2, 0));
    let read = |responses: Option<&Path>| {
        let (found, ids) = read_cblearn(&queries, responses).unwrap();
        assert_eq!(ids.texts(), ["5", "1", "2"]);
        found
    };
    assert_eq!(read(None).triplets, [one, one, last]);
    let booleans = folder.file("b.npy", npy("|b1", "False", "(3,)", &[1, 0, 1]));
    assert_eq!(read(Some(&booleans)).triplets, [one, other, last]);
    let counts = folder.file("c.npy", npy("|i1", "False", "(3,)", &[255, 0, 2]));
    let found = read(Some(&counts));
    assert_eq!((found.triplets, found.tied), (vec![other, one, other, last, last], vec![1, 2]));
    for text in ["response\nTrue\nFalse\n1\n", "1\n-1\n1.0\n"] {
        assert_eq!(read(Some(&folder.file("r.csv", text))).triplets, [one, other, last]);
    }
    let text = folder.file("t.csv", "5.000000000000000000e+00,1,2\n5,1,2\n1,2,5\n");
    assert_eq!(read_cblearn(&text, Some(&booleans)).unwrap().0.triplets, [one, other, last]);
    let beside = folder.file("t.csv", "a,b,c,Response\n5,1,2,1\n5,1,2,-1\n1,2,5,1\n");
    assert_eq!(read_cblearn(&beside, None).unwrap().0.triplets, [one, other, last]);
    assert!(read_cblearn(&beside, Some(&booleans)).unwrap_err().to_string().contains("cannot both be read"));
}

#[test]
fn unusable_arrays_of_cblearn_are_named() {
    let folder = Folder::new();
    let error = |text: &str| problem(read_cblearn(&folder.file("q.csv", text), None), "q.csv");
    assert!(error("0,1,2,3\n").contains("shape (n, 4); three columns are needed, or a fourth"));
    assert!(
        error("0,1,2\n0,1,x\n").starts_with("line 2 (row 1), column 2 (far): \"x\" is not the number of an object")
    );
    assert!(error("0,1,2\n0,-1,3\n").starts_with("line 2 (row 1), column 1 (near): \"-1\" is not the number"));
    assert!(error("a,b,c,response\n0,1,2,maybe\n").starts_with("line 2 (row 0), column 3 (response): \"maybe\""));
    let queries = folder.file("q.npy", npy("|u1", "False", "(2, 3)", &[0, 1, 2, 0, 1, 2]));
    let short = folder.file("r.npy", npy("|i1", "False", "(1,)", &[1]));
    let text = read_cblearn(&queries, Some(&short)).unwrap_err().to_string();
    assert!(text.starts_with("there are 2 queries but 1 responses"), "{text}");
    let blank = folder.file("r.csv", "1\n\n1\n");
    assert!(problem(read_cblearn(&queries, Some(&blank)), "r.csv").starts_with("line 2 is blank"));
    let floats = folder.file("f.npy", npy("<f4", "False", "(1,)", &le![1f32]));
    assert!(problem(read_cblearn(&queries, Some(&floats)), "f.npy").contains("float32; whole numbers"));
}
