//! Reads labels, ids, triplets and splits from files, and checks what is said about the unusable ones.

use crate::common::{Folder, le, npy};
use sibp::data::{
    ColumnRef, Ids, Inputs, Labels, ReadOptions, Table, read_id_numbers, read_ids, read_labels, read_splits,
};
use sibp::triplets::{Triplet, read_triplets};

fn after<'a>(text: &'a str, file: &str) -> &'a str {
    text.split_once(&format!("{file}: ")).unwrap_or_else(|| panic!("no file in {text}")).1
}

#[test]
fn labels_from_arrays_and_text() {
    let folder = Folder::new();
    let plain = ReadOptions::default();
    let labels = |name: &str, bytes: &[u8]| read_labels(&folder.file(name, bytes), &plain).unwrap();
    for shape in ["(3,)", "(3, 1)"] {
        let read = labels("y.npy", &npy("<i4", "False", shape, &le![10i32, 9i32, 10i32]));
        assert_eq!((read.class_of(), read.names()), (&[1, 0, 1][..], &["9".to_owned(), "10".to_owned()][..]));
    }
    assert_eq!(labels("y.txt", b"cat\ndog\ncat\n").names(), ["cat", "dog"]);
    assert_eq!(labels("y.csv", b"2\r\n1\r\n").class_of(), [1, 0]);
    assert_eq!(labels("y.csv", b"kind\n2\n1\n").class_of(), [1, 0]);
    assert_eq!(labels("y.csv", b"Label\ncat\ndog\n").names(), ["cat", "dog"]);
    let named = ReadOptions { label_column: Some(ColumnRef::from("y")), ..ReadOptions::default() };
    let path = folder.file("t.csv", "x,y\n1,b\n2,a\n");
    assert_eq!(read_labels(&path, &named).unwrap().class_of(), [1, 0]);
    let ids = ReadOptions { id_column: Some(ColumnRef::from("x")), ..ReadOptions::default() };
    assert_eq!(read_ids(&path, &ids).unwrap().texts(), ["1", "2"]);
}

#[test]
fn unusable_labels_are_named() {
    let folder = Folder::new();
    let error = |name: &str, bytes: &[u8]| {
        let text = read_labels(&folder.file(name, bytes), &ReadOptions::default()).unwrap_err().to_string();
        after(&text, name).to_owned()
    };
    let float = error("y.npy", &npy("<f8", "False", "(1,)", &le![1f64]));
    assert_eq!(float, "the array has type float64; whole numbers are needed; save y.astype('int64')");
    assert!(error("y.npy", &npy("|u1", "False", "(1, 2)", &[1, 2])).contains("shape (1, 2); one number an object"));
    let large = folder.file("y.npy", npy("<u8", "False", "(1,)", &le![u64::MAX]));
    assert_eq!(read_labels(&large, &ReadOptions::default()).unwrap().names(), ["18446744073709551615"]);
    assert_eq!(error("y.npy", &npy("|u1", "False", "(0,)", &[])), "there are no rows");
    assert_eq!(error("y.csv", b""), "there are no rows");
    assert_eq!(error("y.csv", b"label\n"), "there are no rows");
    assert!(error("y.csv", b"a,b\n1,2\n").contains("(n, 2); one column is needed"));
    assert!(error("y.csv", b"a\n\nb\n").starts_with("line 2 is blank"));
    assert!(error("y.csv", b"a\nb,c\n").starts_with("line 2 (row 1): 2 cells"));
    assert!(error("y.csv", b"a\n\"\"\nb\n").contains("line 2"));
}

#[test]
fn ids_that_are_numbers() {
    let folder = Folder::new();
    let read = |name: &str, bytes: &[u8]| read_id_numbers(&folder.file(name, bytes), &ReadOptions::default());
    assert_eq!(read("i.npy", &npy("<i8", "False", "(3,)", &le![7i64, 0i64, 7i64])).unwrap(), [7, 0, 7]);
    assert_eq!(read("i.txt", b"3\n18446744073709551615\n").unwrap(), [3, u64::MAX]);
    assert_eq!(read("i.npy", &npy("<u8", "False", "(2,)", &le![3u64, u64::MAX])).unwrap(), [3, u64::MAX]);
    // The largest ids are no header though they are no signed numbers.
    assert_eq!(read("i.csv", b"18446744073709551615\n4\n5\n").unwrap(), [u64::MAX, 4, 5]);
    assert_eq!(read("i.csv", b"id\n4\n").unwrap(), [4]);
    let error = |name: &str, bytes: &[u8]| after(&read(name, bytes).unwrap_err().to_string(), name).to_owned();
    assert!(error("i.npy", &npy("<i8", "False", "(2,)", &le![7i64, -1i64])).starts_with("row 1: \"-1\" is not an id"));
    assert!(error("i.txt", b"4\n5\ncat\n").starts_with("row 2: \"cat\" is not an id: a whole number"));
    assert!(error("i.txt", b"4\n5.0\n").contains("\"5.0\""));
    assert_eq!(error("i.npy", &npy("<i8", "False", "(0,)", &[])), "there are no rows");
}

#[test]
fn different_lengths_are_named() {
    let inputs = Inputs::new(3, 1, vec![0.0; 3]).unwrap();
    let mut table = Table { inputs, ids: None, labels: None, input_names: None, filling: None };
    let text = table.set_labels(Labels::from_text(&["a", "b"])).unwrap_err().to_string();
    assert_eq!(text, "there are 3 input rows but 2 labels; both must describe the same objects");
    let text = table.set_ids(Ids::new(vec!["a".into()]).unwrap()).unwrap_err().to_string();
    assert_eq!(text, "there are 3 input rows but 1 ids; both must describe the same objects");
    table.set_labels(Labels::from_text(&["a", "b", "b"])).unwrap();
    assert_eq!(table.labels.unwrap().len(), 3);
}

#[test]
fn triplets_by_row_and_by_id() {
    let folder = Folder::new();
    let expected = [Triplet { anchor: 0, near: 1, far: 2 }, Triplet { anchor: 2, near: 0, far: 1 }];
    let array = folder.file("t.npy", npy("|u1", "False", "(2, 3)", &[0, 1, 2, 2, 0, 1]));
    assert_eq!(read_triplets(&array, 3).unwrap(), expected);
    let turned = folder.file("f.npy", npy(">i2", "True", "(2, 3)", &[0, 0, 0, 2, 0, 1, 0, 0, 0, 2, 0, 1]));
    assert_eq!(read_triplets(&turned, 3).unwrap(), expected);
    assert_eq!(read_triplets(&folder.file("t.csv", "0,1,2\n2,0,1\n"), 3).unwrap(), expected);
    assert_eq!(read_triplets(&folder.file("t.tsv", "0\t1\t2\r\n2\t0\t1"), 3).unwrap(), expected);
    let ids = Ids::new(["cat", "dog", "7"].map(String::from).to_vec()).unwrap();
    let text = "when,Far,anchor,near\n1,7,cat,dog\n2,dog,7,cat\n";
    assert_eq!(read_triplets(&folder.file("t.csv", text), &ids).unwrap(), expected);
    assert_eq!(read_triplets(&folder.file("t.csv", "cat,dog,7\n7,cat,dog\n"), &ids).unwrap(), expected);
    assert_eq!(read_triplets(&folder.file("t.csv", "anchor,near,far\n"), 3).unwrap(), []);
    assert_eq!(read_triplets(&folder.file("t.npy", npy("<i8", "False", "(0, 3)", &[])), 3).unwrap(), []);
}

#[test]
fn unusable_triplets_are_named() {
    let folder = Folder::new();
    let error = |text: &str| {
        let text = read_triplets(&folder.file("t.csv", text), 3).unwrap_err().to_string();
        after(&text, "t.csv").to_owned()
    };
    assert!(error("0,1,2\n0,3,1\n").starts_with("line 2 (row 1), column 1 (near): \"3\" is not a row of the inputs"));
    assert!(error("0,1,-2\n").contains("column 2 (far): \"-2\" is not a row number: it is negative"));
    assert!(error("0,1,2\n0,1,1.5\n").contains("line 2 (row 1), column 2 (far): \"1.5\" is not a row number"));
    assert!(error("i,j,l\n0,1,2\n").contains("a header must name anchor, near and far"));
    assert!(
        error("far,near,anchor\n1,1,0\n").starts_with("line 2 (row 0): the triplet (0, 1, 1) names an object twice")
    );
    assert!(error("0,1\n").contains("shape (n, 2); three columns are needed"));
    assert!(error("0,1,2\n0,1\n").starts_with("line 2 (row 1): 2 cells"));
    assert_eq!(error(""), "there are no rows");
    let ids = Ids::new(["cat", "dog", "cow"].map(String::from).to_vec()).unwrap();
    let text = read_triplets(&folder.file("t.csv", "cat,cow,dog\ncat,cow,pig\n"), &ids).unwrap_err().to_string();
    assert_eq!(after(&text, "t.csv"), "line 2 (row 1), column 2 (far): \"pig\" is not the id of any object");
    let array = |descr: &str, shape: &str, bytes: &[u8]| {
        let path = folder.file("t.npy", npy(descr, "False", shape, bytes));
        after(&read_triplets(&path, 3).unwrap_err().to_string(), "t.npy").to_owned()
    };
    assert!(array("|i1", "(1, 3)", &[0, 1, 255]).starts_with("row 0, column 2 (far): \"-1\" is not a row number"));
    assert!(array("|i1", "(2, 3)", &[0, 1, 2, 0, 9, 1]).starts_with("row 1, column 1 (near): \"9\""));
    assert!(array("|i1", "(1, 3)", &[1, 0, 1]).starts_with("row 0: the triplet (1, 0, 1) names an object twice"));
    assert!(array("|i1", "(3, 2)", &[0; 6]).contains("shape (3, 2); three columns are needed"));
    assert!(array("<f4", "(1, 3)", &[0; 12]).contains("type float32; whole numbers"));
    let text = read_triplets(&folder.path("t.parquet"), 3).unwrap_err().to_string();
    assert!(text.contains("must end in one of: .npy, .csv, .tsv"), "{text}");
}

#[test]
fn splits_are_read_and_checked() {
    let folder = Folder::new();
    let read = |text: &str| read_splits(&folder.file("s.csv", text), 10);
    let splits =
        read("repeat,role,row,class_id\n0,train,3,1\n0,test,4,1\n1,test,3,1\n1,train,9,2\n1,train,0,2\n").unwrap();
    assert_eq!((splits.len(), &splits[1].train, &splits[1].test), (2, &vec![9, 0], &vec![3]));
    let error = |text: &str| after(&read(text).unwrap_err().to_string(), "s.csv").to_owned();
    assert!(error("repeat,role\n0,train\n").contains("no column \"row\""));
    assert!(
        error("repeat,role,row\n0,train,10\n").starts_with("line 2 (row 0), column 2 (row): \"10\" is not a row of")
    );
    assert!(error("repeat,role,row\n0,valid,1\n").contains("column 1 (role): \"valid\" is not train or test"));
    assert!(error("repeat,role,row\n4000000000,train,1\n").contains("column 0 (repeat): \"4000000000\""));
    assert_eq!(error("repeat,role,row\n0,train,1\n"), "repeat 0: the test part is empty");
    assert_eq!(error("repeat,role,row\n0,train,1\n0,test,1\n"), "repeat 0: row 1 comes twice");
    assert!(error("repeat,role,row\n0,train\n").starts_with("line 2 (row 0): 2 cells"));
    assert_eq!(error("repeat,role,row\n"), "there are no rows");
}
