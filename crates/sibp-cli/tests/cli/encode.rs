//! Tests `sibp encode`.

use crate::common::{Folder, M, N, inputs, read_u8};

#[test]
fn packed_rows_are_the_bits_as_numpy_packs_them() {
    let folder = Folder::with_model();
    let ran = folder.run("encode m.sibp x.npy -o codes.npy");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("codes.npy: 60 codes of "), "{}", ran.stderr);
    folder.ok("encode m.sibp x.npy --format bits --quiet -o bits.npy");
    let (n, width, packed) = read_u8(&folder.read("codes.npy"));
    let (n_rows, n_bits, bits) = read_u8(&folder.read("bits.npy"));
    assert_eq!((n, n_rows, width), (N, N, n_bits.div_ceil(8)));
    assert!(bits.iter().all(|&b| b <= 1) && bits.contains(&1));
    for (row, code) in packed.chunks(width).enumerate() {
        let unpacked: Vec<u8> = (0..n_bits).map(|bit| code[bit / 8] >> (7 - bit % 8) & 1).collect();
        assert_eq!(unpacked, bits[row * n_bits..(row + 1) * n_bits]);
    }
}

#[test]
fn chunks_and_threads_change_nothing() {
    let folder = Folder::with_model();
    // More rows than one chunk holds, with the first rows again at the end.
    let mut values = inputs(5000, 7);
    values.extend_from_within(..50 * M);
    folder.npy_f64("many.npy", M, &values);
    for encoder in ["best-code", "ridge", "least-squares", "gibbs"] {
        let line = format!("encode m.sibp many.npy --encoder {encoder} --quiet");
        folder.ok(&format!("{line} --threads 1 -o one.npy"));
        folder.ok(&format!("{line} --threads 3 -o three.npy"));
        assert!(folder.read("one.npy") == folder.read("three.npy"), "{encoder}");
        let (n, width, codes) = read_u8(&folder.read("one.npy"));
        assert_eq!(n, 5050);
        // The Gibbs encoder draws by row number; the others look at the inputs only.
        if encoder != "gibbs" {
            assert!(codes[..50 * width] == codes[5000 * width..], "{encoder}");
        }
    }
}

#[test]
fn csv_gives_the_codes_of_npy() {
    let folder = Folder::with_model();
    let row =
        |(at, r): (usize, &[f64])| format!("n{at},{}\n", r.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    let rows: String = inputs(N, 0).chunks(M).enumerate().map(row).collect();
    folder.write("x.csv", format!("name,a,b,c,d,e,f\n{rows}"));
    folder.ok("encode m.sibp x.csv --id-column name --quiet -o a.npy");
    folder.ok("encode m.sibp x.npy --quiet -o b.npy");
    assert!(folder.read("a.npy") == folder.read("b.npy"));
}

#[test]
fn mistakes_are_named_and_leave_no_file() {
    let folder = Folder::with_model();
    folder.npy_f64("narrow.npy", M - 1, &[0.5; (M - 1) * 3]);
    folder.fails("encode m.sibp narrow.npy -o c.npy", &["narrow.npy has 5 columns", "m.sibp", "6"]);
    let mut values = inputs(5000, 7);
    values[4500 * M + 1] = f64::NAN;
    folder.npy_f64("nan.npy", M, &values);
    folder.fails(
        "encode m.sibp nan.npy -o c.npy",
        &["nan.npy", "1 value is missing, in 1 of 5000 rows", "column 1 (first in row 4500)"],
    );
    folder.misused("encode m.sibp x.npy -o codes.txt", &["codes.txt", ".sibx, .npy or .csv"]);
    folder.misused("encode m.sibp x.npy", &["--out"]);
    folder.misused("encode m.sibp x.npy --encoder best -o c.npy", &["best-code", "ridge"]);
    folder.fails("encode x.npy x.npy -o c.npy", &["x.npy"]);
    folder.fails("encode gone.sibp x.npy -o c.npy", &["gone.sibp"]);
    assert!(!folder.has("c.npy") && !folder.has("codes.txt"));
}
