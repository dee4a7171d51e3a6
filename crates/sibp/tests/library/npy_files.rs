//! Reads and writes `.npy` files of every kind, and checks what is said about the unusable ones.

use crate::common::{Folder, le, npy};
use sibp::data::{
    ColumnRef, DataError, NpyWriter, ReadOptions, RowChunks, read_matrix_u8, read_table, write_npy_f32, write_npy_f64,
    write_npy_i64, write_npy_u8, write_npy_u64,
};

fn values(bytes: &[u8]) -> Result<Vec<f64>, DataError> {
    let path = Folder::new();
    let path = path.file("x.npy", bytes);
    read_table(&path, &ReadOptions::default()).map(|table| table.inputs.values().to_vec())
}

/// The message, which must begin with the file.
fn message(bytes: &[u8]) -> String {
    let text = values(bytes).unwrap_err().to_string();
    let (file, rest) = text.split_once("x.npy: ").unwrap_or_else(|| panic!("no file in {text}"));
    assert!(file.ends_with('/') || file.ends_with('\\'));
    rest.to_owned()
}

#[test]
fn reads_every_numeric_type_in_both_orders() {
    let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let cases: [(&str, Vec<u8>); 14] = [
        ("<f8", le![1f64, 2f64, 3f64, 4f64, 5f64, 6f64]),
        ("<f4", le![1f32, 2f32, 3f32, 4f32, 5f32, 6f32]),
        ("<f2", le![0x3c00u16, 0x4000u16, 0x4200u16, 0x4400u16, 0x4500u16, 0x4600u16]),
        ("|i1", vec![1, 2, 3, 4, 5, 6]),
        ("<i2", le![1i16, 2i16, 3i16, 4i16, 5i16, 6i16]),
        ("<i4", le![1i32, 2i32, 3i32, 4i32, 5i32, 6i32]),
        ("<i8", le![1i64, 2i64, 3i64, 4i64, 5i64, 6i64]),
        ("|u1", vec![1, 2, 3, 4, 5, 6]),
        ("<u2", le![1u16, 2u16, 3u16, 4u16, 5u16, 6u16]),
        ("<u4", le![1u32, 2u32, 3u32, 4u32, 5u32, 6u32]),
        ("<u8", le![1u64, 2u64, 3u64, 4u64, 5u64, 6u64]),
        (">f8", (1..=6).flat_map(|v| f64::from(v).to_be_bytes()).collect()),
        (">f4", (1..=6u8).flat_map(|v| f32::from(v).to_be_bytes()).collect()),
        (">i2", (1..=6i16).flat_map(i16::to_be_bytes).collect()),
    ];
    for (descr, bytes) in cases {
        assert_eq!(values(&npy(descr, "False", "(2, 3)", &bytes)).unwrap(), expected, "{descr}");
        let turned = values(&npy(descr, "True", "(2, 3)", &bytes)).unwrap();
        assert_eq!(turned, [1.0, 3.0, 5.0, 2.0, 4.0, 6.0], "{descr} in Fortran order");
    }
    assert_eq!(values(&npy("|b1", "False", "(1, 2)", &[0, 1])).unwrap(), [0.0, 1.0]);
}

#[test]
fn says_what_is_wrong_and_where() {
    let eight = [0u8; 8];
    let flat = message(&npy("|u1", "False", "(8,)", &eight));
    assert!(flat.starts_with("the array has shape (8,); a matrix is needed") && flat.contains("reshape(-1, 1)"));
    assert!(message(&npy("|u1", "False", "(2, 2, 2)", &eight)).contains("shape (2, 2, 2)"));
    assert!(message(&npy("<c8", "False", "(1, 1)", &eight)).contains("complex"));
    assert!(message(&npy("|O", "False", "(1, 1)", &eight)).contains("Python objects"));
    assert_eq!(message(&npy("<f8", "False", "(0, 5)", &[])), "there are no rows");
    assert_eq!(message(&npy("<f8", "False", "(5, 0)", &[])), "no column is left for the inputs");
    assert!(message(b"").contains("it ends inside its header"));
    assert!(message(b"PK\x03\x04 a zip file").contains("does not begin with"));
    let nan = npy("<f8", "False", "(2, 2)", &le![1f64, 2f64, 3f64, f64::NAN]);
    assert!(message(&nan).starts_with("1 value is missing, in 1 of 2 rows: 1 in column 1 (first in row 1)"));
    let infinite = npy("<f4", "True", "(2, 2)", &le![1f32, f32::NEG_INFINITY, 3f32, 4f32]);
    assert!(message(&infinite).starts_with("row 1, column 0: the value is -inf"));
}

#[test]
fn sizes_are_checked_against_the_file_before_anything_is_reserved() {
    for shape in ["(2, 3)", "(1, 1)", "(9000000000000000000, 9000000000000000000)", "(4611686018427387904, 4)"] {
        let text = message(&npy("<f8", "False", shape, &[0; 8 * 4]));
        assert!(text.contains(&format!("claims an array of shape {shape}")), "{text}");
        assert!(text.contains("32 bytes of data follow"), "{text}");
    }
    // A version-2 header that claims 4 GiB.
    let text = message(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}");
    assert!(text.contains("its header claims 4294967295 bytes"), "{text}");
}

#[test]
fn an_npy_file_has_no_id_column() {
    let folder = Folder::new();
    let path = folder.file("x.npy", npy("|u1", "False", "(1, 2)", &[1, 2]));
    let options = ReadOptions { id_column: Some(ColumnRef::Index(0)), ..ReadOptions::default() };
    let text = read_table(&path, &options).unwrap_err().to_string();
    assert!(text.contains("it has no id or label column"), "{text}");
    let text = read_table(&folder.path("none.npy"), &options).unwrap_err().to_string();
    assert!(text.contains("none.npy: "), "{text}");
    let text = read_table(&folder.path("x.xlsx"), &options).unwrap_err().to_string();
    assert!(text.contains("ends in \"xlsx\"; it must end in one of: .npy, .csv, .tsv, .parquet"), "{text}");
}

#[test]
fn streams_chunks_with_global_row_numbers() {
    let folder = Folder::new();
    let all: Vec<u8> = (0..50).collect();
    for order in ["False", "True"] {
        let path = folder.file("x.npy", npy("|u1", order, "(25, 2)", &all));
        let whole = read_table(&path, &ReadOptions::default()).unwrap().inputs;
        for chunk_rows in [1, 7, 25, 1000] {
            let chunks = RowChunks::open(&path, &ReadOptions::default(), chunk_rows).unwrap();
            assert_eq!((chunks.n_objects(), chunks.n_inputs()), (Some(25), 2));
            let chunks: Vec<_> = chunks.map(Result::unwrap).collect();
            assert!(chunks.iter().rev().skip(1).all(|c| c.n_objects() == chunk_rows));
            let joined: Vec<f64> = chunks.iter().flat_map(|c| c.values().to_vec()).collect();
            assert_eq!(joined, whole.values().to_vec());
        }
    }
    let bad = folder.file("y.npy", npy("<f4", "False", "(3, 1)", &le![1f32, 2f32, f32::NAN]));
    let mut chunks = RowChunks::open(&bad, &ReadOptions::default(), 2).unwrap();
    assert!(chunks.next().unwrap().is_ok());
    let text = chunks.next().unwrap().unwrap_err().to_string();
    assert!(text.contains("1 in column 0 (first in row 2)"), "{text}");
    assert!(chunks.next().is_none());
}

#[test]
fn bytes_must_be_whole_numbers_up_to_255() {
    let folder = Folder::new();
    let path = folder.file("h.npy", npy("<f4", "False", "(2, 2)", &le![0f32, 1f32, 1f32, 255f32]));
    let matrix = read_matrix_u8(&path).unwrap();
    assert_eq!((matrix.n_rows, matrix.n_columns, matrix.bytes), (2, 2, vec![0, 1, 1, 255]));
    for (value, text) in [(0.5f32, "0.5"), (256.0, "256"), (-1.0, "-1")] {
        let path = folder.file("h.npy", npy("<f4", "False", "(2, 2)", &le![0f32, 1f32, 1f32, value]));
        let message = read_matrix_u8(&path).unwrap_err().to_string();
        let expected = format!("row 1, column 1: \"{text}\" is not a whole number from 0 to 255");
        assert!(message.contains("h.npy: ") && message.contains(&expected), "{message}");
    }
}

#[test]
fn writes_what_it_reads_with_numpys_own_header() {
    let folder = Folder::new();
    let path = folder.path("out.npy");
    write_npy_u8(&path, 2, 3, &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), npy("|u1", "False", "(2, 3)", &[1, 2, 3, 4, 5, 6]));
    assert_eq!(read_matrix_u8(&path).unwrap().bytes, [1, 2, 3, 4, 5, 6]);
    write_npy_f32(&path, 1, 2, &[0.5, -1.5]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), npy("<f4", "False", "(1, 2)", &le![0.5f32, -1.5f32]));
    write_npy_f64(&path, 2, 1, &[0.1, -1e300]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), npy("<f8", "False", "(2, 1)", &le![0.1f64, -1e300f64]));
    write_npy_i64(&path, 1, 1, &[i64::MIN]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), npy("<i8", "False", "(1, 1)", &le![i64::MIN]));
    write_npy_u64(&path, 1, 1, &[u64::MAX]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), npy("<u8", "False", "(1, 1)", &le![u64::MAX]));
    let text = write_npy_u8(&path, 2, 2, &[1]).unwrap_err().to_string();
    assert!(text.contains("1 values do not fill 2 objects x 2 inputs"), "{text}");
    assert_eq!(folder.names(), ["out.npy"]);
}

#[test]
fn a_stream_of_rows_keeps_the_old_file_until_it_ends() {
    let folder = Folder::new();
    let path = folder.file("out.npy", b"old");
    let mut writer = NpyWriter::<u8>::create(&path, 2).unwrap();
    writer.write_rows(&[1, 2, 3, 4]).unwrap();
    assert!(writer.write_rows(&[1]).is_err());
    writer.write_rows(&[5, 6]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    writer.finish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), npy("|u1", "False", "(3, 2)", &[1, 2, 3, 4, 5, 6]));
    let mut dropped = NpyWriter::<u8>::create(&path, 2).unwrap();
    dropped.write_rows(&[9, 9]).unwrap();
    drop(dropped);
    assert_eq!(read_matrix_u8(&path).unwrap().n_rows, 3);
    let mut vector = NpyWriter::<i64>::create_vector(&path).unwrap();
    vector.write_rows(&[7, 8]).unwrap();
    vector.finish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), npy("<i8", "False", "(2,)", &le![7i64, 8i64]));
    assert_eq!(folder.names(), ["out.npy"]);
    assert!(NpyWriter::<u8>::create(&folder.path("no/such/folder.npy"), 2).is_err());
}
