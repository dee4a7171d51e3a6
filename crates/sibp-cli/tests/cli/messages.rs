//! What commands say when a file is of the wrong kind, or when an option is missing.

use crate::common::{Folder, npy};

#[test]
fn errors_about_model_files_are_said_once() {
    let folder = Folder::with_data();
    folder.write("broken.sibp", "no model at all");
    for (line, part) in [
        ("inspect gone.sibp", "No such file or directory"),
        ("index info gone.sibx", "No such file or directory"),
        ("inspect broken.sibp", "damaged, cut short"),
        ("encode gone.sibh x.npy -o c.npy", "No such file or directory"),
    ] {
        let ran = folder.run(line);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert_eq!(ran.stderr.matches(part).count(), 1, "sibp {line}\n{}", ran.stderr);
    }
}

#[test]
fn a_file_of_the_wrong_kind_names_the_right_command() {
    let folder = Folder::with_model();
    folder.ok("encode m.sibp x.npy -o c.npy");
    folder.ok("encode m.sibp x.npy -o c.sibx");
    folder.ok("hash fit x.npy --method itq --bits 5 -o h.sibh");
    let (index, model, array) = ("c.sibx is an index of codes", "m.sibp is a model", "x.npy is an array of numpy");
    for (line, parts) in [
        ("report c.sibx", [index, "sibp eval"]),
        ("prefer c.sibx x.npy --triplets y.npy", [index, "sibp search"]),
        ("inspect c.sibx", [index, "sibp index info"]),
        ("report x.npy", [array, "sibp fit"]),
        ("encode x.npy m.sibp -o new.npy", [array, "sibp fit"]),
        ("index info m.sibp", [model, "sibp inspect"]),
        ("search m.sibp c.npy", [model, "sibp encode"]),
        ("fit m.sibp --labels y.npy -o new.sibp", [model, "sibp inspect"]),
        ("export m.sibp --to npy -o new.npy", [model, "sibp encode"]),
        ("hash encode m.sibp x.npy -o new.npy", [model, "sibp encode"]),
        ("prefer h.sibh x.npy --triplets y.npy", ["h.sibh is a hash", "sibp encode"]),
    ] {
        folder.fails(line, &parts);
    }
}

/// The message asks for the column to be named, so there is an option for it.
#[test]
fn a_column_that_a_message_asks_for_can_be_named() {
    let folder = Folder::with_data();
    folder.write("objects.csv", "name,colour\na,red\nb,red\nc,blue\n");
    folder.write("t.csv", "anchor,near,far\na,b,c\n");
    folder.fails("triplets check t.csv --ids objects.csv", &["name the column"]);
    let said = folder.ok("triplets check t.csv --ids objects.csv --id-column name");
    assert!(said.starts_with("1 triplet"), "{said}");
    folder.write("z.npy", npy("<f8", "(3, 1)", &[1.0f64, 2.0, 9.0].map(f64::to_le_bytes).concat()));
    let fit = "fit z.npy --sweeps 2 --no-rehearsal --quiet -o z.sibp --labels objects.csv";
    folder.fails(fit, &["name the column"]);
    folder.ok(&format!("{fit} --label-column colour"));
    let fit = "fit z.npy --triplets t.csv --sweeps 2 --chains 1 --no-rehearsal --quiet -o z.sibp --ids objects.csv";
    folder.ok(&format!("{fit} --id-column name"));
    let made = "triplets from-labels objects.csv --label-column colour --ids objects.csv";
    folder.fails(made, &["name the column"]);
    assert!(folder.ok(&format!("{made} --id-column name --per-object 1")).contains("a,b,c"));
}

/// Ids are whole numbers up to 2^64 - 1, in arrays as in text.
#[test]
fn the_largest_ids_can_be_used() {
    let folder = Folder::new();
    folder.npy_u8("c.npy", 1, &[0, 7, 255]);
    let ids = [3u64, 1 << 63, u64::MAX];
    folder.write("ids.npy", npy("<u8", "(3,)", &ids.map(u64::to_le_bytes).concat()));
    folder.write("ids.txt", ids.map(|id| format!("{id}\n")).concat());
    folder.ok("index build c.npy --bits 8 --ids ids.npy -o a.sibx --quiet");
    folder.ok("index build c.npy --bits 8 --ids ids.txt -o b.sibx --quiet");
    assert_eq!(folder.read("a.sibx"), folder.read("b.sibx"));
    assert!(folder.ok("search a.sibx c.npy -k 1 --format csv").contains("2,1,18446744073709551615,0"));
    folder.write("bad.npy", npy("<i8", "(3,)", &[1i64, -2, 3].map(i64::to_le_bytes).concat()));
    folder.fails("index build c.npy --bits 8 --ids bad.npy -o c.sibx", &["bad.npy", "row 1", "-2", "2^64 - 1"]);
}
