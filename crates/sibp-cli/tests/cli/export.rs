//! Tests `sibp export`, with the real faiss and pyarrow where a Python has them.

use crate::common::{Folder, read_u8};
use std::path::PathBuf;
use std::process::Command;

const ROWS: usize = 40;

const WITH_FAISS: &str = r#"
import sys, faiss, numpy
index = faiss.read_index_binary(sys.argv[1])
distances, ids = index.search(numpy.load(sys.argv[2]), 1)
print(type(index).__name__, index.ntotal, index.d, distances.max(), *ids[:, 0])
"#;

const WITH_PYARROW: &str = r#"
import sys, pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
print(table.schema.field("id").type, table.schema.field("code").type, table.schema.metadata[b"sibp.bits"].decode())
for row in table.to_pylist():
    print(row["id"], row["code"].hex())
"#;

/// The first Python that has a module: that of an environment variable, the search bench's, or `python3`.
fn python_with(module: &str) -> Option<PathBuf> {
    let bench = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../benches/search/.venv/bin/python");
    let named = std::env::var_os("SIBP_FAISS_PYTHON").map(PathBuf::from);
    let import = format!("import numpy, {module}");
    let has = |python: &PathBuf| Command::new(python).args(["-c", &import]).output().is_ok_and(|o| o.status.success());
    [named, Some(bench), Some("python3".into())].into_iter().flatten().find(has)
}

fn run_python(python: &PathBuf, script: &str, folder: &Folder, files: &[&str]) -> String {
    let files = files.iter().map(|name| folder.path(name));
    let out = Command::new(python).args(["-c", script]).args(files).output().expect("python starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("python prints text")
}

/// Distinct codes of 12 bits.
fn bytes() -> Vec<u8> {
    (0..ROWS).flat_map(|row| [row as u8 * 5, (row as u8) << 4]).collect()
}

fn ids() -> Vec<u64> {
    (0..ROWS as u64).map(|row| 900 - 13 * row).collect()
}

/// codes.sibx with row numbers, named.sibx with ids.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.npy_u8("codes.npy", 2, &bytes());
    folder.write("ids.txt", ids().iter().map(|id| format!("{id}\n")).collect::<String>());
    folder.ok("index build codes.npy --bits 12 -o codes.sibx --quiet");
    folder.ok("index build codes.npy --bits 12 --ids ids.txt -o named.sibx --quiet");
    folder
}

#[test]
fn arrays_come_back_as_the_same_index() {
    let folder = folder();
    let ran = folder.run("export named.sibx --to npy -o out.npy --ids ids.npy");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", "out.npy: 40 codes of 12 bits\n"));
    assert_eq!(read_u8(&folder.read("out.npy")), (ROWS, 2, bytes()));
    folder.ok("index build out.npy --bits 12 --ids ids.npy -o again.sibx");
    assert_eq!(folder.read("again.sibx"), folder.read("named.sibx"));
    let ran = folder.run("export named.sibx --to npy -o out.npy");
    assert!(ran.code == 0 && ran.stderr.starts_with("warning: the ids are not row numbers"), "{}", ran.stderr);
    let ran = folder.run("export codes.sibx --to npy -o out.npy --quiet");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let summary = folder.ok("export codes.sibx --to npy -o out.npy --json");
    assert_eq!(summary, "{\"bits\":12,\"codes\":40,\"out\":\"out.npy\"}\n");
}

#[test]
fn codes_are_exported_without_an_index_too() {
    let folder = folder();
    for to in ["faiss", "npy", "parquet"] {
        folder.ok(&format!("export codes.sibx --to {to} -o from-index.{to}"));
        folder.ok(&format!("export codes.npy --bits 12 --to {to} -o from-codes.{to}"));
        assert_eq!(folder.read(&format!("from-index.{to}")), folder.read(&format!("from-codes.{to}")), "{to}");
    }
}

#[test]
fn faiss_opens_the_file_and_finds_every_code() {
    let folder = folder();
    folder.ok("export codes.sibx --to faiss -o codes.faiss");
    folder.ok("export named.sibx --to faiss -o named.faiss");
    assert!(folder.read("codes.faiss").starts_with(b"IBxF") && folder.read("named.faiss").starts_with(b"IBMp"));
    let Some(python) = python_with("faiss") else {
        eprintln!("skipped: no Python with faiss-cpu; run benches/search/bench.py once or set SIBP_FAISS_PYTHON");
        return;
    };
    let listed = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let rows: Vec<u64> = (0..ROWS as u64).collect();
    let said = run_python(&python, WITH_FAISS, &folder, &["codes.faiss", "codes.npy"]);
    assert_eq!(said, format!("IndexBinaryFlat 40 16 0 {}\n", listed(&rows)));
    let said = run_python(&python, WITH_FAISS, &folder, &["named.faiss", "codes.npy"]);
    assert_eq!(said, format!("IndexBinaryIDMap 40 16 0 {}\n", listed(&ids())));
}

#[test]
fn parquet_readers_see_ids_and_codes() {
    let folder = folder();
    folder.ok("export named.sibx --to parquet -o named.parquet");
    let file = folder.read("named.parquet");
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    let Some(python) = python_with("pyarrow.parquet") else {
        eprintln!("skipped: no Python with pyarrow; set SIBP_FAISS_PYTHON to one that has it");
        return;
    };
    let said = run_python(&python, WITH_PYARROW, &folder, &["named.parquet"]);
    let row = |(id, code): (u64, &[u8])| format!("{id} {:02x}{:02x}\n", code[0], code[1]);
    let rows: String = ids().into_iter().zip(bytes().chunks(2)).map(row).collect();
    assert_eq!(said, format!("uint64 fixed_size_binary[2] 12\n{rows}"));
}

#[test]
fn mistakes_are_named_and_leave_nothing() {
    let folder = folder();
    folder.npy_u8("one.npy", 2, &[1, 16]);
    folder.write("huge.txt", "9223372036854775808\n");
    folder.ok("index build one.npy --bits 12 --ids huge.txt -o huge.sibx");
    folder.fails("export huge.sibx --to faiss -o out.faiss", &["9223372036854775808", "faiss"]);
    folder.fails("export codes.npy --to npy --bits 30 -o out.npy", &["codes.npy", "2 bytes", "30 bits"]);
    folder.fails("export codes.sibx --to parquet -o gone/out.parquet", &["gone/out.parquet"]);
    folder.fails("export gone.sibx --to faiss -o out.faiss", &["gone.sibx"]);
    folder.write("foreign.sibx", "text");
    folder.fails("export foreign.sibx --to faiss -o out.faiss", &["foreign.sibx", "not an index file"]);
    folder.misused("export codes.sibx --to npy -o out.bin", &["out.bin", ".npy"]);
    folder.misused("export codes.sibx --to npy -o out.npy --ids out.npy", &["same file"]);
    folder.misused("export codes.sibx --to npy -o out.npy --ids ids.txt", &["ids.txt", ".npy"]);
    folder.misused("export codes.sibx --to faiss -o out.faiss --ids i.npy", &["--ids", "--to npy"]);
    folder.misused("export codes.sibx --to faiss --bits 12 -o out.faiss", &["--bits"]);
    folder.misused("export codes.sibx --to csv -o out.csv", &["csv", "parquet"]);
    folder.misused("export codes.sibx -o out.npy", &["--to"]);
    assert!(!folder.has("out.faiss") && !folder.has("out.npy") && !folder.has("out.csv"));
}

#[test]
fn an_empty_index_is_exported_as_such() {
    let folder = Folder::new();
    folder.npy_u8("one.npy", 2, &[1, 16]);
    folder.ok("index build one.npy --bits 16 -o empty.sibx");
    folder.ok("index remove empty.sibx 0");
    for to in ["faiss", "npy", "parquet"] {
        folder.ok(&format!("export empty.sibx --to {to} -o empty.{to}"));
    }
    assert_eq!(read_u8(&folder.read("empty.npy")), (0, 2, Vec::new()));
}

#[test]
fn sql_holds_every_code_once_and_every_object() {
    let folder = folder();
    let ran = folder.run("export named.sibx --to postgres --name fruit -o codes.sql");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "codes.sql: 40 codes of 12 bits\n"));
    let text = String::from_utf8(folder.read("codes.sql")).expect("it is text");
    let rows: Vec<&str> =
        text.split("FROM STDIN;\n").nth(1).and_then(|rest| rest.split("\\.\n").next()).unwrap_or("").lines().collect();
    assert_eq!(rows.len(), ROWS);
    assert_eq!(rows[1], "887\t000001010001");
    assert!(text.contains("CREATE SCHEMA \"fruit\";") && text.ends_with("COMMIT;\n"), "{text}");
    // It may be written again, and nothing else may be written over.
    folder.ok("export codes.sibx --to postgres -o codes.sql --quiet");
    folder.write("mine.sql", "DELETE FROM mine;\n");
    folder.misused("export codes.sibx --to postgres -o mine.sql", &["mine.sql"]);
    folder.misused("export codes.sibx --to postgres -o codes.npy", &["a file of SQL"]);
    folder.misused("export codes.sibx --to npy --name fruit -o out.npy", &["--name"]);
}

#[test]
fn sql_keeps_names_and_texts() {
    let folder = Folder::new();
    folder.write("codes.csv", "id,bit0,bit1,note\na b,0,1,x\\y\nc,1,1,\"say \"\"hi\"\"\"\n");
    folder.ok("index build codes.csv --id-column id --keep note -o named.sibx --quiet");
    folder.ok("export named.sibx --to postgres -o codes.sql --quiet");
    let text = String::from_utf8(folder.read("codes.sql")).expect("it is text");
    assert!(text.contains("\na b\t01\tx\\\\y\nc\t11\tsay \"hi\"\n"), "{text}");
    assert!(text.contains("id text COLLATE \"C\"") && text.contains("\"note\" text"), "{text}");
}
