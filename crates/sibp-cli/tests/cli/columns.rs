//! Columns of files are taken by the names that a model was fitted to; wrong ones are refused by name.

use crate::common::{Folder, M, N, classes, inputs};
use sibp::index::HammingIndex;

const NAMES: [&str; M] = ["length", "width", "height", "mass", "age", "price"];

/// A table with these columns in this order; `extra` columns hold text.
fn csv(names: &[&str], extra: &[&str], salt: u64) -> String {
    let values = inputs(N, salt);
    let header: Vec<&str> = names.iter().chain(extra).copied().collect();
    let mut text = header.join(",") + "\n";
    for row in values.chunks(M) {
        let cell = |name: &&str| row[NAMES.iter().position(|own| own == name).unwrap()].to_string();
        let cells = names.iter().map(cell).chain(extra.iter().map(|_| "text".to_owned()));
        text += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

/// A folder with a model that was fitted to named columns, test objects in their order and in others.
fn folder(fit: &str) -> Folder {
    let folder = Folder::new();
    let backwards: Vec<&str> = NAMES.iter().rev().copied().collect();
    folder.write("x.csv", csv(&NAMES, &[], 0));
    folder.write("same.csv", csv(&NAMES, &[], 9));
    folder.write("reversed.csv", csv(&backwards, &[], 9));
    folder.write("more.csv", csv(&NAMES, &["remark", "colour"], 9));
    folder.write("fewer.csv", csv(&NAMES[1..], &["note"], 9));
    folder.npy_f64("same.npy", M, &inputs(N, 9));
    folder.npy_f64("short.npy", M - 1, &inputs(N, 9)[..N * (M - 1)]);
    folder.npy_i64("y.npy", &classes(N));
    folder.write("t.csv", "anchor,near,far\n0,3,1\n1,4,2\n2,5,0\n");
    folder.ok(fit);
    folder
}

const PROBIT: &str = "fit x.csv --labels y.npy --seed 1 --sweeps 30 --per-object 8 --quiet --no-rehearsal -o m.sibp";

/// Whatever reads inputs for a stored model gives the same answer for columns in another order, and says so.
#[test]
fn a_model_takes_columns_by_name() {
    let folder = folder(PROBIT);
    folder.ok("encode m.sibp same.csv --quiet -o codes.npy");
    for line in [
        "eval m.sibp {} --labels y.npy",
        "eval m.sibp {} --triplets t.csv",
        "predict m.sibp {}",
        "prefer m.sibp {} --triplets t.csv",
        "search codes.npy {} --model m.sibp -k 3",
        "search codes.npy {} --model m.sibp --expected -k 3",
        "prune m.sibp {} --labels y.npy",
        "ask m.sibp {} -n 5",
    ] {
        let said = |file: &str| {
            let ran = folder.run(&line.replace("{}", file));
            assert_eq!(ran.code, 0, "{line} {file}: {}", ran.stderr);
            (ran.stdout, ran.stderr)
        };
        let (same, reversed, more) = (said("same.csv"), said("reversed.csv"), said("more.csv"));
        assert!(!same.1.contains("columns"), "{line}: {}", same.1);
        assert_eq!(same.0, reversed.0, "{line}");
        assert!(reversed.1.contains("reversed.csv: the columns are taken by their names"), "{line}: {}", reversed.1);
        assert_eq!(same.0, more.0, "{line}");
        assert!(more.1.contains("ignored: \"remark\", \"colour\""), "{line}: {}", more.1);
        assert_eq!(same.0, said("same.npy").0, "{line}: a file without names is taken as it is");
        folder.fails(&line.replace("{}", "fewer.csv"), &["fewer.csv", "is missing: \"length\"", "m.sibp"]);
        folder.fails(&line.replace("{}", "short.npy"), &["short.npy", "5 columns", "fitted to 6"]);
    }
}

#[test]
fn encode_and_extend_take_columns_by_name() {
    let folder = folder(PROBIT);
    for line in ["encode m.sibp {} -o out.npy", "extend m.sibp {} --labels y.npy --sweeps 20 --chains 2 -o out.sibh"] {
        let out = line.rsplit(' ').next().unwrap();
        let bytes = |file: &str| {
            folder.ok(&line.replace("{}", file));
            folder.read(out)
        };
        assert_eq!(bytes("same.csv"), bytes("reversed.csv"), "{line}");
        assert_eq!(bytes("same.csv"), bytes("more.csv"), "{line}");
        folder.fails(&line.replace("{}", "fewer.csv"), &["is missing: \"length\"", "m.sibp"]);
    }
    let extend = "extend m.sibp same.csv --labels y.npy --sweeps 20 --chains 2 --remember {} -o out.sibh";
    folder.ok(&extend.replace("{}", "x.csv"));
    let before = folder.read("out.sibh");
    let backwards: Vec<&str> = NAMES.iter().rev().copied().collect();
    folder.write("x-reversed.csv", csv(&backwards, &[], 0));
    folder.ok(&extend.replace("{}", "x-reversed.csv"));
    assert!(folder.read("out.sibh") == before, "--remember");
    // What grew from the model knows the names too.
    folder.fails("encode out.sibh fewer.csv -o codes.npy", &["is missing: \"length\"", "out.sibh"]);
    let said = folder.run("encode out.sibh reversed.csv --quiet -o codes.npy").stderr;
    assert_eq!(said, "", "--quiet says nothing");
}

#[test]
fn a_hash_takes_columns_by_name() {
    let folder = folder("hash fit x.csv --method itq --bits 5 -o h.sibh");
    let codes = |line: &str| {
        folder.ok(line);
        folder.read("codes.npy")
    };
    let same = codes("hash encode h.sibh same.csv -o codes.npy");
    assert_eq!(same, codes("hash encode h.sibh reversed.csv -o codes.npy"));
    assert_eq!(same, codes("encode h.sibh more.csv -o codes.npy"));
    folder.fails("hash encode h.sibh fewer.csv -o codes.npy", &["is missing: \"length\"", "h.sibh"]);
    folder.fails(
        "fit reversed.csv --labels y.npy --given-bits h.sibh --sweeps 5 -o m.sibp",
        &["--given-bits", "\"length\"", "\"price\""],
    );
}

/// pandas names the columns of an array by numbers: that line is no object.
#[test]
fn a_line_that_numbers_the_columns_is_a_header() {
    let folder = folder(PROBIT);
    let text = csv(&NAMES, &[], 0);
    let rows = text.split_once('\n').unwrap().1;
    folder.write("numbered.csv", format!("0,1,2,3,4,5\n{rows}"));
    folder.write("bare.csv", rows);
    folder.ok("fit numbered.csv --model ibp --sweeps 5 --seed 1 --quiet -o n.sibp");
    let said = folder.ok("inspect n.sibp --json");
    assert!(said.contains("\"objects\":60") && said.contains("[\"0\",\"1\",\"2\""), "{said}");
    folder.ok("encode n.sibp numbered.csv --quiet -o a.npy");
    folder.ok("encode n.sibp bare.csv --quiet -o b.npy");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
}

#[test]
fn a_column_that_stands_twice_is_refused() {
    let folder = folder(PROBIT);
    folder.write("twice.csv", csv(&NAMES, &["length"], 9));
    folder.fails("encode m.sibp twice.csv -o codes.npy", &["several columns \"length\""]);
}

/// Ids and columns that ride along are found by their names too, beside inputs in any order and text that nobody asked for.
#[test]
fn ids_and_kept_columns_are_no_inputs() {
    let folder = folder(PROBIT);
    let backwards: Vec<&str> = NAMES.iter().rev().copied().collect();
    let rows = csv(&backwards, &["remark"], 9);
    let (header, rows) = rows.split_once('\n').unwrap();
    let described = |(row, line): (usize, &str)| format!("sku-{row},{line},thing {row}\n");
    let rows: String = rows.lines().enumerate().map(described).collect();
    folder.write("things.csv", format!("sku,{header},title\n{rows}"));
    let ids: String = (0..N).map(|row| format!("sku-{row}\n")).collect();
    folder.write("ids.txt", ids);
    let codes = |line: &str| {
        let ran = folder.run(&format!("encode m.sibp {line} -o out.sibx"));
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        let index = HammingIndex::open(&folder.path("out.sibx")).unwrap();
        let texts = index.texts().unwrap();
        let names: Vec<String> = (0..texts.len()).map(|row| texts.row(row).collect::<Vec<_>>().join("|")).collect();
        (index.codes(), names, ran.stderr)
    };
    let (plain, names, _) = codes("same.csv --ids ids.txt");
    assert_eq!(names[7], "sku-7");
    let (found, names, said) = codes("things.csv --id-column sku --keep title");
    assert!(found == plain);
    assert_eq!(names[7], "sku-7|thing 7");
    assert!(said.contains("taken by their names") && said.contains("ignored: \"remark\"\n"), "{said}");
    let search = |line: &str| folder.ok(&format!("search out.sibx {line} --model m.sibp -k 3 --format csv"));
    assert_eq!(search("same.csv --ids ids.txt"), search("things.csv --id-column sku --label-column title"));
    // A kept column is no input, so that a model that needs it lacks it.
    let line = "encode m.sibp things.csv --id-column sku --keep title,length -o out.sibx";
    folder.fails(line, &["things.csv", "is missing: \"length\"", "m.sibp"]);
}

#[test]
fn text_columns_can_be_left_out_of_a_fit() {
    let folder = Folder::new();
    let (x, y) = (crate::common::inputs(crate::common::N, 0), crate::common::classes(crate::common::N));
    let (mut text, mut plain) = ("name,title,a,b,c,d,e,f,kind,note\n".to_owned(), "name,a,b,c,d,e,f,kind\n".to_owned());
    for (at, row) in x.chunks(crate::common::M).enumerate() {
        let cells = row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        text += &format!("o{at},\"A title, {at}\",{cells},k{},\n", y[at]);
        plain += &format!("o{at},{cells},k{}\n", y[at]);
    }
    folder.write("x.csv", text);
    folder.write("plain.csv", plain);
    let fit = "--id-column name --label-column kind --sweeps 10 --no-rehearsal --quiet";
    folder.fails(&format!("fit x.csv {fit} -o m.sibp"), &["x.csv", "title", "--ignore"]);
    folder.fails(&format!("fit x.csv {fit} --ignore title,nothing -o m.sibp"), &["nothing", "there is no column"]);
    folder.ok(&format!("fit x.csv {fit} --ignore title,note -o m.sibp"));
    folder.ok(&format!("fit plain.csv {fit} -o plain.sibp"));
    assert!(folder.read("m.sibp") == folder.read("plain.sibp"), "the same columns give the same model");
}
