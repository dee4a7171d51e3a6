//! Tests `sibp hash`: classic hashes through files.

use crate::common::{Folder, N};

#[test]
fn every_method_fits_saves_and_encodes() {
    let folder = Folder::with_data();
    for (method, bits) in [("spectral", 5), ("itq", 6), ("lsh", 70), ("sdh", 24), ("hcsdh", 16)] {
        folder.ok(&format!("hash fit x.npy --method {method} --bits {bits} --labels y.npy --seed 3 --quiet -o h.sibh"));
        let first = folder.read("h.sibh");
        folder.ok(&format!("hash fit x.npy --method {method} --bits {bits} --labels y.npy --seed 3 --quiet -o h.sibh"));
        assert!(folder.read("h.sibh") == first, "{method}: the same settings give the same bytes");
        let ran = folder.run("hash encode h.sibh x.npy -o c.npy");
        assert!(ran.code == 0 && ran.stderr.contains(&format!("{N} codes of {bits} bits")), "{}", ran.stderr);
    }
    let targets: Vec<u8> = (0..N).flat_map(|row| [(row % 2) as u8, u8::from(row < N / 2)]).collect();
    folder.npy_u8("targets.npy", 2, &targets);
    folder.ok("hash fit x.npy --method attributes --targets targets.npy --quiet -o a.sibh");
    folder.ok("hash encode a.sibh x.npy --format bits --quiet -o h.npy");
    folder.ok("fit x.npy --labels y.npy --given-bits h.npy --sweeps 10 --quiet -o m.sibp");
}

#[test]
fn mistakes_are_named_and_leave_nothing() {
    let folder = Folder::with_data();
    folder.misused("hash fit x.npy --method attributes --bits 3 -o h.sibh", &["--targets"]);
    folder.misused("hash fit x.npy --method itq -o h.sibh", &["--bits"]);
    folder.misused("hash fit x.npy --method sdh --bits 8 -o h.sibh", &["--labels"]);
    folder.misused("hash fit x.npy --method hcsdh --bits 8 -o h.sibh", &["--labels"]);
    folder.misused("hash fit x.npy --labels y.npy --method sdh -o h.sibh", &["--bits"]);
    folder.fails("hash fit x.npy --labels y.npy --method sdh --bits 0 -o h.sibh", &["at least one"]);
    folder.fails("hash fit x.npy --labels y.npy --method hcsdh --bits 1 -o h.sibh", &["1 bits", "2 bits or more"]);
    folder.fails("hash fit x.npy --method itq --bits 7 -o h.sibh", &["at most one for each of the 6 inputs"]);
    assert!(!folder.has("h.sibh"));
    folder.ok("hash fit x.npy --method lsh --bits 9 --quiet -o h.sibh");
    folder.npy_f64("narrow.npy", 1, &[0.0, 1.0]);
    folder.fails("hash encode h.sibh narrow.npy -o c.npy", &["1 columns", "fitted to 6"]);
    folder.ok("fit x.npy --labels y.npy --sweeps 5 --per-object 4 --quiet -o m.sibp");
    folder.fails("hash encode m.sibp x.npy -o c.npy", &["m.sibp", "sibp-model", "sibp-hash"]);
    folder.fails("predict h.sibh x.npy", &["h.sibh", "sibp-hash", "sibp-model"]);
    let mut bytes = folder.read("h.sibh");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    folder.write("h.sibh", bytes);
    folder.fails("hash encode h.sibh x.npy -o c.npy", &["h.sibh", "checksum"]);
    assert!(!folder.has("c.npy"));
}
