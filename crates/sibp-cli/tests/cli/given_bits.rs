//! Tests bits that objects have before a fit: they are kept, come first in codes, and are asked for.

use crate::common::{Folder, N};

const FIT: &str = "fit x.npy --labels y.npy --seed 1 --sweeps 20 --per-object 8 --quiet";

/// Bits of every object: its row modulo 4.
fn folder() -> Folder {
    let folder = Folder::with_data();
    let bits: Vec<u8> = (0..N).flat_map(|row| [(row & 1) as u8, (row >> 1 & 1) as u8]).collect();
    folder.npy_u8("h.npy", 2, &bits);
    let packed: Vec<u8> = bits.chunks(2).map(|bits| bits[0] << 7 | bits[1] << 6).collect();
    folder.npy_u8("packed.npy", 1, &packed);
    folder
}

#[test]
fn codes_begin_with_the_given_bits_under_both_models() {
    let folder = folder();
    for model in ["probit", "gaussian"] {
        folder.ok(&format!("{FIT} --model {model} --given-bits h.npy -o m.sibp"));
        folder.ok("encode m.sibp x.npy --given-bits h.npy --format bits --quiet -o codes.npy");
        let file = folder.read("codes.npy");
        let header = 10 + usize::from(file[8]) + 256 * usize::from(file[9]);
        let width = (file.len() - header) / N;
        assert!(width > 2, "{model}: {width} columns");
        for row in 0..N {
            let start = header + row * width;
            assert_eq!(&file[start..start + 2], [(row & 1) as u8, (row >> 1 & 1) as u8], "{model}, row {row}");
        }
    }
}

#[test]
fn packed_bits_give_the_same_model_and_every_command_takes_them() {
    let folder = folder();
    folder.ok(&format!("{FIT} --given-bits h.npy -o a.sibp"));
    folder.ok(&format!("{FIT} --given-bits packed.npy --given-width 2 -o b.sibp"));
    for (model, bits) in [("a", "h"), ("b", "packed")] {
        folder.ok(&format!("encode {model}.sibp x.npy --given-bits {bits}.npy --quiet -o {model}.npy"));
    }
    assert!(folder.read("a.npy") == folder.read("b.npy"));
    folder.write("t.csv", "anchor,near,far\n0,3,1\n");
    folder.ok("prefer a.sibp x.npy --triplets t.csv --given-bits h.npy");
    folder.ok("predict a.sibp x.npy --given-bits h.npy");
    folder.ok("eval a.sibp x.npy --labels y.npy --given-bits h.npy");
    folder.ok("search a.npy x.npy --model a.sibp --given-bits h.npy -k 3");
    folder.ok("search a.npy x.npy --model a.sibp --given-bits h.npy -k 3 --weighted a.sibp");
    folder.ok("search a.npy x.npy --model a.sibp --given-bits h.npy -k 3 --expected");
    assert!(folder.ok("inspect a.sibp").contains("2 given bits from h.npy"));
    folder.ok("report a.sibp -o a.html");
}

#[test]
fn unusable_given_bits_are_named_and_leave_nothing() {
    let folder = folder();
    folder.npy_u8("two.npy", 2, &(0..2 * N).map(|at| if at == 7 { 2 } else { 0 }).collect::<Vec<_>>());
    folder
        .fails(&format!("{FIT} --given-bits two.npy -o m.sibp"), &["row 3, column 1", "2 is no bit", "--given-width"]);
    folder.npy_u8("short.npy", 2, &[0, 1, 1, 0]);
    folder.fails(&format!("{FIT} --given-bits short.npy -o m.sibp"), &["2 rows", "60 objects"]);
    folder.npy_u8("wide.npy", N + 1, &vec![0; N * (N + 1)]);
    folder.fails(&format!("{FIT} --given-bits wide.npy -o m.sibp"), &["61 given bits for 60 objects", "transposed"]);
    folder.misused("fit x.npy --model ibp --given-bits h.npy -o m.sibp", &["--given-bits", "ibp"]);
    assert!(!folder.has("m.sibp"));
    folder.ok(&format!("{FIT} --given-bits h.npy -o m.sibp"));
    folder.misused("encode m.sibp x.npy -o c.npy", &["2 given bits", "h.npy", "--given-bits"]);
    folder.fails("encode m.sibp x.npy --given-bits short.npy -o c.npy", &["2 rows", "inputs have 60"]);
    folder.fails("encode m.sibp x.npy --given-bits wide.npy -o c.npy", &["wide.npy", "2 bits"]);
    folder.ok(&format!("{FIT} -o plain.sibp"));
    folder.misused("encode plain.sibp x.npy --given-bits h.npy -o c.npy", &["without given bits"]);
    assert!(!folder.has("c.npy"));
    let constant: Vec<u8> = (0..N).flat_map(|row| [(row & 1) as u8, 1]).collect();
    folder.npy_u8("constant.npy", 2, &constant);
    let ran = folder.run(&format!("{FIT} --given-bits constant.npy -o m.sibp"));
    assert!(ran.code == 0 && ran.stderr.contains("bit 1 is the same for all objects"), "{}", ran.stderr);
}
