//! Reads text tables with every oddity, and checks what is said about the unusable ones.

use crate::common::Folder;
use sibp::data::{ColumnRef, DataError, HeaderLine, ReadOptions, RowChunks, Table, read_table};

fn options(id: Option<&str>, label: Option<&str>) -> ReadOptions {
    ReadOptions { id_column: id.map(ColumnRef::from), label_column: label.map(ColumnRef::from), ..Default::default() }
}

fn read(text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Table, DataError> {
    let folder = Folder::new();
    read_table(&folder.file("x.csv", text), options)
}

fn message(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let text = read(text, options).unwrap_err().to_string();
    text.split_once("x.csv: ").unwrap_or_else(|| panic!("no file in {text}")).1.to_owned()
}

fn names(table: &Table) -> Vec<&str> {
    table.input_names.as_ref().unwrap().iter().map(String::as_str).collect()
}

#[test]
fn reads_headers_ids_and_labels_wherever_they_stand() {
    let text = "width,name,kind,height\n1.5,cat,a,2\n-3e2, dog ,b,.5\n";
    let table = read(text, &options(Some("name"), Some("kind"))).unwrap();
    assert_eq!(table.inputs.values().to_vec(), [1.5, 2.0, -300.0, 0.5]);
    assert_eq!(names(&table), ["width", "height"]);
    assert_eq!(table.ids.as_ref().unwrap().texts(), ["cat", "dog"]);
    assert_eq!(table.labels.as_ref().unwrap().names(), ["a", "b"]);
    // The same without header, by number.
    let table = read("1,cat,a\n2,dog,b\n", &options(Some("1"), Some("2"))).unwrap();
    assert_eq!((table.inputs.values().to_vec(), table.input_names.as_ref()), (vec![1.0, 2.0], None));
    let by_index = ReadOptions { id_column: Some(ColumnRef::Index(1)), ..options(None, Some("2")) };
    assert_eq!(read("1,cat,a\n2,dog,b\n", &by_index).unwrap(), table);
}

#[test]
fn a_header_is_found_or_told() {
    let plain = ReadOptions::default();
    assert_eq!(read("a,b\n1,2\n", &plain).unwrap().inputs.n_objects(), 1);
    assert_eq!(read("1,2\n3,4\n", &plain).unwrap().inputs.n_objects(), 2);
    // Numbers as names: only the user can tell.
    let present = ReadOptions { header: HeaderLine::Present, ..plain.clone() };
    assert_eq!(names(&read("0,1\n3,4\n", &present).unwrap()), ["0", "1"]);
    // An id column named in a header of numbers tells it too.
    assert_eq!(names(&read("id,0,1\na,3,4\n", &options(Some("id"), None)).unwrap()), ["0", "1"]);
    let absent = ReadOptions { header: HeaderLine::Absent, ..plain.clone() };
    assert!(message("a,b\n1,2\n", &absent).starts_with("line 1 (row 0), column 0: \"a\" is not a number"));
    assert!(message("1,x\n1,2\n", &plain).starts_with("line 1 (row 0), column 1: \"x\" is not a number"));
}

#[test]
fn byte_order_mark_crlf_quotes_and_newlines_inside_cells() {
    let text = "\u{feff}\"id\",\"a \"\"b\"\"\",c\r\n\"x, y\",1,2\r\n\"two\r\nlines\",\"3\",4\r\nlast,5,6";
    let table = read(text, &options(Some("id"), None)).unwrap();
    assert_eq!(table.inputs.values().to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(names(&table), ["a \"b\"", "c"]);
    assert_eq!(table.ids.unwrap().texts(), ["x, y", "two\r\nlines", "last"]);
    assert_eq!(read("\u{feff}1,2\n", &ReadOptions::default()).unwrap().inputs.values().to_vec(), [1.0, 2.0]);
    let folder = Folder::new();
    for name in ["x.tsv", "x.TAB"] {
        let table = read_table(&folder.file(name, "a\tb\n1\t2\n"), &ReadOptions::default()).unwrap();
        assert_eq!(table.inputs.n_inputs(), 2);
    }
    let semicolon = ReadOptions { delimiter: Some(b';'), ..Default::default() };
    assert_eq!(read("1;2\n", &semicolon).unwrap().inputs.n_inputs(), 2);
}

#[test]
fn names_line_row_column_and_value() {
    let plain = ReadOptions::default();
    // Blank lines, CRLF and a cell of two lines before the bad one: line 7 is where an editor shows it.
    let text = "a,b\r\n1,2\r\n\r\n\r\n\"3\r\n\",4\r\n5,oops\r\n";
    assert!(message(text, &plain).starts_with("line 7 (row 2), column 1 (b): \"oops\" is not a number"));
    let text = text.replace("\r\n", "\n");
    assert!(message(&text, &plain).starts_with("line 7 (row 2), column 1 (b): \"oops\" is not a number"));
    assert_eq!(message("a,b\n1,2\n3\n", &plain), "line 3 (row 1): 1 cells where the first line has 2");
    assert_eq!(message("a,b\n1,2\n3,4,5\n", &plain), "line 3 (row 1): 3 cells where the first line has 2");
    let gaps = message("a,b\n1,\n2,3\nNA,NaN\n", &plain);
    assert!(
        gaps.starts_with("3 values are missing, in 2 of 3 rows: 1 in \"a\" (first in row 2), 2 in \"b\""),
        "{gaps}"
    );
    for value in ["inf", "-Infinity", "1e999"] {
        let text = message(format!("a,b\n1,{value}\n"), &plain);
        assert_eq!(text, format!("line 2 (row 0), column 1 (b): \"{value}\" is not a finite number"));
    }
    assert!(message(b"a,b\n1,\xff\xfe\n", &plain).contains("column 1 (b): \"\u{fffd}\u{fffd}\" is not UTF-8 text"));
    assert_eq!(message("", &plain), "there are no rows");
    assert_eq!(message("\n\n \n", &plain), "there are no rows");
    assert_eq!(message("a,b\n", &plain), "there are no rows");
    assert_eq!(message("\u{feff}", &plain), "there are no rows");
    assert_eq!(
        message("1\n\n2\n", &plain),
        "line 2 is blank; fill it in or delete it, it would shift the rows after it"
    );
    assert_eq!(read("1\n2\n\n\n", &plain).unwrap().inputs.n_objects(), 2);
    let long = message(format!("a\n{}\n", "x".repeat(100_000)), &plain);
    assert!(long.len() < 250, "{} bytes", long.len());
}

#[test]
fn names_unknown_columns_and_duplicate_ids() {
    let text = "id,a\nx,1\ny,2\nx,3\n";
    assert_eq!(
        message(text, &options(Some("id"), None)),
        "the id \"x\" stands in row 0 and again in row 2; ids must be unique"
    );
    let unknown = message(text, &options(Some("name"), None));
    assert_eq!(unknown, "there is no column \"name\"; the columns are \"id\", \"a\"");
    let unknown = message("1,2\n3,4\n", &options(Some("7"), None));
    assert_eq!(unknown, "there is no column \"7\"; the columns are numbered 0 to 1 (there is no header)");
    assert!(message("id,a\n,1\n", &options(Some("id"), None)).contains("(id): \"\" is not an id: it is empty"));
    assert!(message("a,y\n1,\n", &options(None, Some("y"))).contains("(y): \"\" is not a label: it is empty"));
    assert_eq!(message("id\nx\n", &options(Some("id"), None)), "no column is left for the inputs");
}

#[test]
fn streams_chunks() {
    let folder = Folder::new();
    let text: String = (0..100).map(|i| format!("n{i},{i},{}\n", i * i)).collect();
    let path = folder.file("x.csv", format!("id,a,b\n{text}"));
    let options = options(Some("id"), None);
    let chunks = RowChunks::open(&path, &options, 30).unwrap();
    assert_eq!((chunks.n_inputs(), chunks.n_objects()), (2, None));
    assert_eq!(chunks.input_names().unwrap(), ["a", "b"]);
    let chunks: Vec<_> = chunks.map(Result::unwrap).collect();
    assert_eq!(chunks.iter().map(|c| c.n_objects()).collect::<Vec<_>>(), [30, 30, 30, 10]);
    let joined: Vec<f64> = chunks.iter().flat_map(|c| c.values().to_vec()).collect();
    assert_eq!(joined, read_table(&path, &options).unwrap().inputs.values().to_vec());
    let path = folder.file("y.csv", "a\n1\n2\n3\nx\n");
    let text = RowChunks::open(&path, &ReadOptions::default(), 2).unwrap().last().unwrap().unwrap_err().to_string();
    assert!(text.contains("line 5 (row 3), column 0 (a): \"x\""), "{text}");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_so() {
    let folder = Folder::new();
    let text = read_table(&folder.file("x.parquet", "PAR1"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(text.contains("leaves out the input `parquet`"), "{text}");
}
