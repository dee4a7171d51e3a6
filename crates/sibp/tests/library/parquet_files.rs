//! Reads Parquet files of every supported kind, and checks what is said about the unusable ones.

use crate::common::Folder;
use crate::parquet_maker::{Cells, file, list_file};
use parquet::basic::{Compression, ZstdLevel};
use sibp::data::{ColumnRef, DataError, ReadOptions, RowChunks, Table, read_table};

fn read(bytes: &[u8], options: &ReadOptions) -> Result<Table, DataError> {
    let folder = Folder::new();
    read_table(&folder.file("x.parquet", bytes), options)
}

fn message(bytes: &[u8], options: &ReadOptions) -> String {
    let text = read(bytes, options).unwrap_err().to_string();
    text.split_once("x.parquet: ").unwrap_or_else(|| panic!("no file in {text}")).1.to_owned()
}

fn named(id: Option<&str>, label: Option<&str>) -> ReadOptions {
    ReadOptions { id_column: id.map(ColumnRef::from), label_column: label.map(ColumnRef::from), ..Default::default() }
}

const SCHEMA: &str = "message m {
    required double a; optional float b; required int32 c; required int64 d (INTEGER(64,false));
    required boolean e; required binary id (UTF8); optional int32 y; optional int64 __index_level_0__; }";

fn columns() -> Vec<Cells> {
    vec![
        Cells::Double(vec![0.5, 1.5, 2.5]),
        Cells::Float(vec![Some(1.0), Some(2.0), Some(3.0)]),
        Cells::Int(vec![Some(-1), Some(-2), Some(-3)]),
        Cells::Long(vec![-1, 1, 2]),
        Cells::Bool(vec![true, false, true]),
        Cells::Text(vec!["x", "y", "z"]),
        Cells::Int(vec![Some(5), Some(4), Some(5)]),
        Cells::OptionalLong(vec![Some(7), Some(8), Some(9)]),
    ]
}

#[test]
fn reads_numbers_ids_and_labels_in_every_compression() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())] {
        let bytes = file(SCHEMA, &[columns(), columns()], compression);
        let error = message(&bytes, &named(Some("id"), Some("y")));
        assert!(error.contains("the id \"x\" stands in row 0 and again in row 3"), "{error}");
        let bytes = file(SCHEMA, &[columns()], compression);
        let table = read(&bytes, &named(Some("id"), Some("y"))).unwrap();
        let top = u64::MAX as f64;
        assert_eq!(table.inputs.row(0).to_vec(), [0.5, 1.0, -1.0, top, 1.0]);
        assert_eq!(table.inputs.row(2).to_vec(), [2.5, 3.0, -3.0, 2.0, 1.0]);
        assert_eq!(table.input_names.unwrap(), ["a", "b", "c", "d", "e"]);
        assert_eq!(table.ids.unwrap().texts(), ["x", "y", "z"]);
        assert_eq!(table.labels.unwrap().class_of(), [1, 0, 1]);
    }
}

#[test]
fn reads_a_column_of_lists() {
    let rows = [vec![Some(1.0), Some(2.0)], vec![Some(3.0), Some(4.0)]];
    let table = read(&list_file(&rows), &ReadOptions::default()).unwrap();
    assert_eq!((table.inputs.n_inputs(), table.inputs.values().to_vec()), (2, vec![1.0, 2.0, 3.0, 4.0]));
    assert_eq!(table.input_names, None);
    let ragged = [vec![Some(1.0), Some(2.0)], vec![Some(3.0)]];
    let text = message(&list_file(&ragged), &ReadOptions::default());
    assert_eq!(
        text,
        "row 1, column 0 (v): \"a list of 1 values\" is not as long as the first list; all must have the same length"
    );
    let hole = [vec![Some(1.0), None]];
    assert!(message(&list_file(&hole), &ReadOptions::default()).starts_with("row 0, column 0 (v): \"null\""));
    let empty = [vec![Some(1.0)], vec![]];
    assert!(message(&list_file(&empty), &ReadOptions::default()).starts_with("row 1, column 0 (v): \"null\""));
}

#[test]
fn streams_across_row_groups() {
    let schema = "message m { required double a; }";
    let groups: Vec<Vec<Cells>> =
        (0..5).map(|g| vec![Cells::Double((0..10).map(|i| f64::from(10 * g + i)).collect())]).collect();
    let bytes = file(schema, &groups, Compression::SNAPPY);
    let folder = Folder::new();
    let path = folder.file("x.parquet", bytes);
    for chunk_rows in [1, 7, 10, 100] {
        let chunks = RowChunks::open(&path, &ReadOptions::default(), chunk_rows).unwrap();
        assert_eq!(chunks.n_objects(), Some(50));
        let joined: Vec<f64> = chunks.flat_map(|c| c.unwrap().values().to_vec()).collect();
        assert_eq!(joined, (0..50).map(f64::from).collect::<Vec<_>>());
    }
}

#[test]
fn says_what_is_wrong_and_where() {
    let gap = |n: usize, name: &str, row: usize| {
        format!(
            "{n} value is missing, in {n} of 4 rows: {n} in {name:?} (first in row {row}); fill them in or leave the rows out"
        )
    };
    let schema = "message m { required double a; optional float b; }";
    let two = |a: Vec<f64>, b: Vec<Option<f32>>| vec![Cells::Double(a), Cells::Float(b)];
    let good = two(vec![1.0, 2.0], vec![Some(1.0), Some(2.0)]);
    let bytes = file(schema, &[good.clone(), two(vec![3.0, 4.0], vec![Some(3.0), None])], Compression::SNAPPY);
    let text = message(&bytes, &ReadOptions::default());
    assert_eq!(text, gap(1, "b", 3));
    let bytes = file(schema, &[good, two(vec![f64::NAN, 4.0], vec![Some(3.0), Some(4.0)])], Compression::SNAPPY);
    let text = message(&bytes, &ReadOptions::default());
    assert_eq!(text, gap(1, "a", 2));
    let all = file(SCHEMA, &[columns()], Compression::SNAPPY);
    let text = message(&all, &ReadOptions::default());
    assert!(text.starts_with("column \"id\" has type BYTE_ARRAY") && text.contains("name it as id or label"), "{text}");
    let text = message(&all, &named(Some("name"), None));
    assert!(text.starts_with("there is no column \"name\"; the columns are \"a\", \"b\""), "{text}");
    let dates = file("message m { required int32 a (DATE); }", &[vec![Cells::Int(vec![Some(1)])]], Compression::SNAPPY);
    assert!(message(&dates, &ReadOptions::default()).contains("column \"a\" has type INT32 (Date)"));
    let none = file("message m { required double a; }", &[], Compression::SNAPPY);
    assert_eq!(message(&none, &ReadOptions::default()), "there are no rows");
    assert!(message(b"", &ReadOptions::default()).contains("too short"));
    assert!(message(b"a,b\n1,2\n3,4\n", &ReadOptions::default()).contains("does not end in PAR1"));
}

/// Columns are taken by the names that are asked for, and a column of text among the others does no harm.
#[test]
fn columns_are_found_by_name() {
    let schema = "message m { required double a; required binary note (UTF8); required double b; }";
    let cells = vec![Cells::Double(vec![1.0, 2.0]), Cells::Text(vec!["x", "y"]), Cells::Double(vec![3.0, 4.0])];
    let bytes = file(schema, &[cells], Compression::SNAPPY);
    let wanted = |names: &[&str]| ReadOptions {
        input_names: Some(names.iter().map(|&name| name.to_owned()).collect()),
        ..ReadOptions::default()
    };
    assert_eq!(read(&bytes, &wanted(&["b", "a"])).unwrap().inputs.values().to_vec(), [3.0, 1.0, 4.0, 2.0]);
    let folder = Folder::new();
    let chunks = RowChunks::open(&folder.file("x.parquet", &bytes), &wanted(&["b"]), 1).unwrap();
    assert_eq!(chunks.matching().ignored, ["a", "note"]);
    assert_eq!(chunks.map(|chunk| chunk.unwrap().values()[0]).collect::<Vec<_>>(), [3.0, 4.0]);
    let text = message(&bytes, &wanted(&["a", "c"]));
    assert!(
        text.starts_with("1 of the columns that are needed is missing: \"c\"; the columns here are \"a\""),
        "{text}"
    );
}
