//! Tests ids and columns on their way from a file to an answer.

use crate::common::{Folder, M, N, classes, inputs, json_lines};
use serde_json::{Value, json};
use sibp::index::HammingIndex;

/// things.csv with ids, labels, titles and prices beside the inputs, and a model.
fn folder() -> Folder {
    let folder = Folder::with_data();
    let (values, labels) = (inputs(N, 0), classes(N));
    let names: Vec<String> = (0..M).map(|input| format!("x{input}")).collect();
    let mut text = format!("sku,title,price,kind,{}\n", names.join(","));
    for (row, inputs) in values.chunks(M).enumerate() {
        let cells: Vec<String> = inputs.iter().map(f64::to_string).collect();
        text += &format!("sku-{row},\"Thing, {row}\",{row}.50,class{},{}\n", labels[row], cells.join(","));
    }
    folder.write("things.csv", text);
    folder.ok("fit x.npy --labels y.npy --model gaussian --seed 1 --sweeps 30 --per-object 8 --quiet -o m.sibp");
    folder
}

/// The same table without titles and prices.
fn plain(folder: &Folder) -> String {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        // The title of all but the first line holds a comma.
        let first = if cells[0] == "sku" { 3 } else { 4 };
        format!("{},{}\n", cells[0], cells[first..].join(","))
    };
    folder.text("things.csv").lines().map(line).collect()
}

const ENCODE: &str = "encode m.sibp things.csv --id-column sku --keep title,price --label-column kind --quiet";

#[test]
fn ids_and_columns_come_back_with_results() {
    let folder = folder();
    folder.ok(&format!("{ENCODE} -o things.sibx"));
    let lines = json_lines(&folder.ok("search things.sibx --id sku-7 --id sku-3 -k 5 --json"));
    assert_eq!((&lines[0]["id"], &lines[1]["id"]), (&json!("sku-7"), &json!("sku-3")));
    for line in &lines {
        for hit in line["neighbours"].as_array().unwrap() {
            let row = hit["id"].as_str().unwrap().strip_prefix("sku-").unwrap();
            assert_eq!(hit["about"], json!({ "title": format!("Thing, {row}"), "price": format!("{row}.50") }));
        }
    }
    let csv = folder.ok("search things.sibx --id sku-7 -k 2 --format csv");
    assert!(csv.starts_with("query,rank,id,distance,title,price\nsku-7,1,sku-"), "{csv}");
    assert!(csv.contains(",\"Thing, "), "{csv}");
    assert!(folder.ok("search things.sibx --id sku-7 -k 2").contains("  Thing, "));
    folder.misused("search things.sibx --id sku-7 -o ids.npy", &["texts", ".csv"]);
    folder.fails("search things.sibx --id nobody", &["nobody", "things.sibx"]);
    let info: Value = serde_json::from_str(&folder.ok("index info things.sibx --verify --json")).unwrap();
    assert_eq!((&info["ids_are_texts"], &info["columns"]), (&json!(true), &json!(["title", "price"])));
}

#[test]
fn a_code_asked_for_by_id_is_not_its_own_neighbour() {
    let folder = folder();
    folder.ok(&format!("{ENCODE} -o things.sibx"));
    folder.ok("encode m.sibp x.npy --quiet -o rows.sibx");
    let ids = |line: &str| -> Vec<String> {
        let lines = json_lines(&folder.ok(&format!("search {line} --json")));
        let id = |hit: &Value| hit["id"].to_string();
        lines.iter().flat_map(|line| line["neighbours"].as_array().unwrap().iter().map(id)).collect()
    };
    // Many codes are equal, so a code need not be the first of those at distance 0.
    for row in [0, 1, 7, 29, 59] {
        let all = ids(&format!("rows.sibx --id {row} -k 60 --with-self"));
        let others: Vec<String> = all.iter().filter(|id| **id != row.to_string()).cloned().collect();
        assert_eq!((all.len(), others.len()), (60, 59));
        for k in [1, 3, 20, 59, 60] {
            assert_eq!(ids(&format!("rows.sibx --id {row} -k {k}")), others[..k.min(59)], "row {row}, k {k}");
        }
        assert_eq!(ids(&format!("rows.sibx --id {row} --radius 99")), others);
        let named: Vec<String> = others.iter().map(|id| format!("\"sku-{id}\"")).collect();
        assert_eq!(ids(&format!("things.sibx --id sku-{row} -k 59")), named);
    }
    folder.write("some.txt", "17\n4\n");
    assert_eq!(ids("rows.sibx --query-ids some.txt -k 1 --with-self").len(), 2);
    folder.ok("search rows.sibx --query-ids some.txt -k 59 -o ids.npy");
    folder.ok("encode m.sibp x.npy --quiet -o rows.npy");
    assert_eq!(ids("rows.npy --id 7 -k 20"), ids("rows.sibx --id 7 -k 20"));
}

#[test]
fn ids_of_their_own_file_are_those_of_a_column() {
    let folder = folder();
    folder.ok(&format!("{ENCODE} -o things.sibx"));
    folder.ok("encode m.sibp x.npy --ids things.csv --id-column sku --keep title,price --quiet -o apart.sibx");
    assert!(folder.read("things.sibx") == folder.read("apart.sibx"));
    folder.ok("encode m.sibp x.npy --quiet --format bits -o bits.npy");
    folder.ok(
        "index build bits.npy --model m.sibp --ids things.csv --id-column sku --keep title,price --quiet -o built.sibx",
    );
    assert!(folder.read("things.sibx") == folder.read("built.sibx"));
    folder.ok(&format!("{ENCODE} -o codes.csv"));
    let text = folder.text("codes.csv");
    assert!(text.starts_with("id,title,price,bit0,bit1,"), "{text}");
    assert!(text.lines().nth(8).unwrap().starts_with("sku-7,\"Thing, 7\",7.50,"), "{text}");
    folder.ok("index build codes.csv --model m.sibp --id-column id --keep title,price --quiet -o again.sibx");
    assert!(folder.read("things.sibx") == folder.read("again.sibx"));
    folder.ok("encode m.sibp x.npy --ids ids.txt --quiet -o named.csv");
    assert!(folder.text("named.csv").contains("\nobject-59,"));
}

#[test]
fn numbers_stay_numbers() {
    let folder = folder();
    let numbers: Vec<String> = (0..N as u64).map(|row| (u64::MAX - 3 * row).to_string()).collect();
    folder.write("numbers.txt", numbers.join("\n"));
    folder.ok("encode m.sibp x.npy --ids numbers.txt --quiet -o codes.sibx");
    let lines = json_lines(&folder.ok("search codes.sibx --id 18446744073709551615 -k 60 --with-self --json"));
    assert!(lines[0]["neighbours"].as_array().unwrap().iter().all(|hit| hit["id"].is_u64()));
    // What is written otherwise than a number is would not come back: it stays a text.
    folder.write("padded.txt", (0..N).map(|row| format!("{row:04}\n")).collect::<String>());
    folder.ok("encode m.sibp x.npy --ids padded.txt --quiet -o padded.sibx");
    assert!(
        folder
            .ok("search padded.sibx --id 0007 -k 1 --with-self --format csv")
            .starts_with("query,rank,id,distance\n0007,1,00")
    );
    folder.fails("search padded.sibx --id 7", &["the id 7 is not in padded.sibx"]);
}

#[test]
fn among_text_ids_is_a_search_of_those_alone() {
    let folder = folder();
    folder.ok(&format!("{ENCODE} -o things.sibx"));
    let some: Vec<usize> = (0..N).filter(|row| row * row % 7 < 3).collect();
    folder.write("some.txt", some.iter().map(|row| format!("sku-{row}\n")).collect::<String>() + "sku-999\n");
    let gone: Vec<String> = (0..N).filter(|row| !some.contains(row)).map(|row| format!("sku-{row}")).collect();
    folder.ok(&format!("index remove things.sibx {} --quiet -o few.sibx", gone.join(" ")));
    let ran = folder.run("search things.sibx x.npy --model m.sibp -k 7 --among some.txt --json");
    assert!(ran.stderr.contains("1 of") && ran.stderr.contains("not among the codes"), "{}", ran.stderr);
    assert_eq!(ran.stdout, folder.ok("search few.sibx x.npy --model m.sibp -k 7 --json"));
    let index = HammingIndex::open(&folder.path("few.sibx")).unwrap();
    assert_eq!(index.len(), some.len());
    folder.fails("index remove things.sibx sku-1 nobody", &["things.sibx", "\"nobody\" is not in the index"]);
}

#[test]
fn queries_are_known_by_their_ids() {
    let folder = folder();
    folder.ok(&format!("{ENCODE} -o things.sibx"));
    folder.write("plain.csv", plain(&folder));
    let by_column = "search things.sibx plain.csv --model m.sibp --id-column sku --label-column kind -k 1 --format csv";
    assert!(folder.ok(by_column).contains("\nsku-59,1,sku-"));
    folder.ok("encode m.sibp x.npy --ids ids.txt --quiet -o named.sibx");
    let from_index = folder.ok("search things.sibx named.sibx -k 1 --format csv");
    assert!(from_index.contains("\nobject-59,1,sku-"), "{from_index}");
    assert_eq!(folder.ok("search things.sibx x.npy --model m.sibp --ids ids.txt -k 1 --format csv"), from_index);
    folder.write("short.txt", "a\nb\n");
    folder
        .fails("search things.sibx x.npy --model m.sibp --ids short.txt -o x.csv", &["short.txt has 2 ids", "60 rows"]);
    folder.fails("encode m.sibp x.npy --ids short.txt -o x.sibx", &["short.txt has 2 ids", "x.npy has 60 rows"]);
    folder.write("long.txt", (0..61).map(|row| format!("a{row}\n")).collect::<String>());
    folder.fails("encode m.sibp x.npy --ids long.txt -o x.sibx", &["long.txt has 61 ids", "x.npy has 60 rows"]);
    folder.write("twice.txt", (0..60).map(|row| format!("a{}\n", row % 59)).collect::<String>());
    folder.fails("encode m.sibp x.npy --ids twice.txt -o x.sibx", &["twice.txt", "a0", "row 0 and again in row 59"]);
    assert!(!folder.has("x.sibx"));
}

#[test]
fn a_labelled_file_is_predicted() {
    let folder = folder();
    folder.ok("encode m.sibp things.csv --id-column sku --keep title,price,kind --quiet -o things.sibx");
    let lines = json_lines(&folder.ok("predict things.sibx things.sibx --label-column kind -k 5 --json"));
    assert_eq!((&lines[7]["id"], &lines[7]["truth"]), (&json!("sku-7"), &json!("class1")));
    assert!(lines.iter().filter(|line| line["label"] == line["truth"]).count() > N / 2);
    folder.write("plain.csv", plain(&folder));
    let ran = folder.ok("predict m.sibp plain.csv --id-column sku --label-column kind -k 5 --json");
    let lines = json_lines(&ran);
    assert_eq!((&lines[59]["id"], &lines[59]["truth"]), (&json!("sku-59"), &json!("class2")));
    folder.ok("predict m.sibp plain.csv --id-column sku --label-column kind -o p.csv");
    assert!(folder.text("p.csv").starts_with("object,label,votes,truth\nsku-0,0,"), "{}", folder.text("p.csv"));
    folder.ok("predict m.sibp x.npy --ids ids.txt -o p.csv");
    assert!(folder.text("p.csv").starts_with("object,label,votes\nobject-0,0,"), "{}", folder.text("p.csv"));
    folder.fails("predict things.sibx things.sibx --label-column colour", &["things.sibx", "\"colour\""]);
}

#[test]
fn training_objects_keep_the_ids_of_the_fit() {
    let folder = folder();
    folder.ok("fit x.npy --ids ids.txt --labels y.npy --model gaussian --seed 1 --sweeps 30 --quiet -o named.sibp");
    folder.ok("encode named.sibp --training --quiet -o training.sibx");
    assert!(folder.ok("search training.sibx --id object-5 -k 1 --format csv").contains("\nobject-5,1,object-"));
}

#[test]
fn indexes_with_texts_grow_by_their_like() {
    let folder = folder();
    folder.ok(&format!("{ENCODE} -o things.sibx"));
    let old = folder.read("things.sibx");
    folder.fails("index add things.sibx things.sibx", &["things.sibx", "\"sku-0\" is in the index already"]);
    folder.ok("encode m.sibp x.npy --quiet -o rows.sibx");
    folder.fails("index add things.sibx rows.sibx", &["its ids are texts", "--id-column"]);
    folder.fails("index add rows.sibx things.sibx", &["its ids are numbers"]);
    folder.ok("encode m.sibp x.npy --ids ids.txt --quiet -o named.sibx");
    folder.fails("index add things.sibx named.sibx", &["title, price"]);
    assert!(folder.read("things.sibx") == old, "what is refused changes nothing");
    let text = folder.text("things.csv").replace("sku-", "new-");
    folder.write("new.csv", text);
    folder.ok(&format!("{} -o new.sibx", ENCODE.replace("things.csv", "new.csv")));
    let added: Value = serde_json::from_str(&folder.ok("index add things.sibx new.sibx --json")).unwrap();
    assert_eq!((&added["codes"], &added["ids"][59]), (&json!(120), &json!("new-59")));
    assert!(folder.ok("search things.sibx --id new-59 -k 1 --format csv").contains(",\"Thing, "));
    let added: Value = serde_json::from_str(&folder.ok("index add rows.sibx rows.sibx --json")).unwrap();
    assert_eq!(added["ids"], json!((60..120).collect::<Vec<_>>()));
}
