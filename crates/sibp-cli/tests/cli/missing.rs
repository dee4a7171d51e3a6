//! Missing values are counted by column, filled in by a rule that the model keeps, or left out with all that goes with them.

use crate::common::{Folder, M, N, inputs};

const NAMES: &str = "length,width,height,mass,age,price";

/// A table in which these cells are missing, each written in another way.
fn csv(n: usize, salt: u64, missing: &[(usize, usize)]) -> String {
    let mut text = format!("name,{NAMES},kind\n");
    for (row, values) in inputs(n, salt).chunks(M).enumerate() {
        let cell = |(column, value): (usize, &f64)| match missing.iter().position(|at| *at == (row, column)) {
            Some(at) => ["", "NA", "nan", "null", "?"][at % 5].to_owned(),
            None => value.to_string(),
        };
        let cells: Vec<String> = values.iter().enumerate().map(cell).collect();
        text += &format!("object-{row},{},{}\n", cells.join(","), row % 3);
    }
    text
}

const GAPS: [(usize, usize); 5] = [(3, 0), (7, 0), (7, 4), (9, 4), (20, 4)];
const FIT: &str = "fit x.csv --id-column name --label-column kind --model gaussian --seed 1 --sweeps 20 --per-object 6";
const READ: &str = "--id-column name --label-column kind";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("x.csv", csv(N, 0, &GAPS));
    folder.write("whole.csv", csv(N, 0, &[]));
    folder.write("test.csv", csv(20, 5, &[(2, 1), (5, 5)]));
    folder
}

#[test]
fn missing_values_are_counted_by_column() {
    let folder = folder();
    let parts = [
        "x.csv: 5 values are missing, in 4 of 60 rows",
        "2 in \"length\" (first in row 3)",
        "3 in \"age\" (first in row 7)",
    ];
    folder.fails(&format!("{FIT} -o m.sibp"), &parts);
    folder.fails(&format!("{FIT} -o m.sibp"), &["--missing mean", "--missing drop"]);
    folder.fails("hash fit x.csv --id-column name --label-column kind --method itq --bits 4 -o h.sibh", &parts);
    folder.ok("fit whole.csv --id-column name --label-column kind --sweeps 5 --no-rehearsal --quiet -o m.sibp");
    let parts = ["test.csv: 2 values are missing, in 2 of 20 rows", "1 in \"width\" (first in row 2)", "m.sibp"];
    folder.fails(&format!("encode m.sibp test.csv {READ} -o c.npy"), &parts);
    folder.fails(&format!("eval m.sibp test.csv {READ}"), &parts);
    assert!(!folder.has("c.npy"));
}

/// The middle of a column over the rows that have a value.
fn middle(rule: &str, column: usize, gaps: &[(usize, usize)]) -> f64 {
    let all = inputs(N, 0);
    let rows = (0..N).filter(|row| !gaps.contains(&(*row, column)));
    let mut values: Vec<f64> = rows.map(|row| all[row * M + column]).collect();
    if rule == "mean" {
        return values.iter().fold(0.0, |sum, value| sum + value / values.len() as f64);
    }
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2] / 2.0 + values[values.len() / 2] / 2.0
}

/// A table with the middles where cells were missing.
fn filled(rule: &str, n: usize, salt: u64, gaps: &[(usize, usize)]) -> String {
    let cells: Vec<Vec<String>> =
        csv(n, salt, gaps).lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let row = |(at, mut row): (usize, Vec<String>)| {
        for &(_, column) in gaps.iter().filter(|(row, _)| at == row + 1) {
            row[column + 1] = middle(rule, column, &GAPS).to_string();
        }
        row.join(",") + "\n"
    };
    cells.into_iter().enumerate().map(row).collect()
}

/// Tables that were filled in by hand, with the middles of the training rows, give the same codes.
#[test]
fn means_and_medians_of_training_fill_unseen_rows() {
    let folder = folder();
    for rule in ["mean", "median"] {
        let said = folder.run(&format!("{FIT} --missing {rule} -o {rule}.sibp")).stderr;
        assert!(said.contains("5 missing values in 4 rows are filled in"), "{said}");
        folder.write("filled.csv", filled(rule, N, 0, &GAPS));
        folder.ok(&format!("{} -o filled.sibp --quiet", FIT.replace("x.csv", "filled.csv")));
        folder.write("filled-test.csv", filled(rule, 20, 5, &[(2, 1), (5, 5)]));
        let codes = |model: &str, file: &str| {
            folder.ok(&format!("encode {model} {file} {READ} --quiet -o c.npy"));
            folder.read("c.npy")
        };
        assert_eq!(codes(&format!("{rule}.sibp"), "test.csv"), codes("filled.sibp", "filled-test.csv"), "{rule}");
        assert_eq!(codes(&format!("{rule}.sibp"), "x.csv"), codes("filled.sibp", "filled.csv"), "{rule}");
        folder.ok(&format!("eval {rule}.sibp test.csv {READ}"));
        let hash = format!("hash fit x.csv {READ} --method itq --bits 4 --quiet --missing {rule} -o h.sibh");
        folder.ok(&hash);
        let by_hash = codes("h.sibh", "test.csv");
        assert_eq!(by_hash, codes("h.sibh", "filled-test.csv"), "{rule}");
        folder.ok(&format!("predict {rule}.sibp test.csv --id-column name"));
    }
}

/// Dropping rows is the same as a file without them, with labels, ids, given bits and triplets in step.
#[test]
fn rows_are_dropped_with_all_that_goes_with_them() {
    let folder = folder();
    let gone: Vec<usize> = vec![3, 7, 9, 20];
    let text = folder.text("x.csv");
    let kept = |text: &str, header: usize| -> String {
        let keep = |(at, _): &(usize, &str)| *at < header || !gone.contains(&(at - header));
        text.lines().enumerate().filter(keep).map(|(_, line)| line.to_owned() + "\n").collect()
    };
    folder.write("short.csv", kept(&text, 1));
    let said = folder.run(&format!("{FIT} --missing drop -o m.sibp")).stderr;
    assert!(said.contains("4 of 60 rows lack a value and are left out"), "{said}");
    folder.ok(&format!("{} --quiet -o short.sibp", FIT.replace("x.csv", "short.csv")));
    folder.ok("encode m.sibp --training -o a.npy --quiet");
    folder.ok("encode short.sibp --training -o b.npy --quiet");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    folder.fails(
        &format!("encode m.sibp test.csv {READ} -o c.npy"),
        &["2 values are missing", "--missing drop, and gives no codes"],
    );
    // Files of their own, and triplets that mention rows which are left out.
    let numbers: String = text
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            cells[1..=M].join(",") + "\n"
        })
        .collect();
    folder.write("n.csv", &numbers);
    folder.write("n-short.csv", kept(&numbers, 1));
    let ids: String = (0..N).map(|row| format!("o{row}\n")).collect();
    folder.write("ids.txt", &ids);
    folder.write("ids-short.txt", kept(&ids, 0));
    let triplets = |rows: &[usize]| -> String {
        let line = |row: &usize| format!("o{row},o{},o{}\n", row + 30, (row + 1) % 30 + 30);
        "anchor,near,far\n".to_owned() + &rows.iter().map(line).collect::<String>()
    };
    folder.write("t.csv", triplets(&(0..30).collect::<Vec<_>>()));
    folder.write("t-short.csv", triplets(&(0..30).filter(|row| !gone.contains(row)).collect::<Vec<_>>()));
    let fit = "--sweeps 10 --chains 1 --seed 2 --no-rehearsal --distil 0";
    let ran = folder.run(&format!("fit n.csv --ids ids.txt --triplets t.csv {fit} --missing drop -o m.sibp"));
    assert!(
        ran.code == 0 && ran.stderr.contains("4 of 30 triplets mention an object that is left out"),
        "{}",
        ran.stderr
    );
    folder.ok(&format!("fit n-short.csv --ids ids-short.txt --triplets t-short.csv {fit} --quiet -o short.sibp"));
    folder.ok("encode m.sibp --training -o a.npy --quiet");
    folder.ok("encode short.sibp --training -o b.npy --quiet");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    folder.write("t.csv", "anchor,near,far\no3,o1,o2\n");
    folder.fails(
        &format!("fit n.csv --ids ids.txt --triplets t.csv {fit} --missing drop -o m.sibp"),
        &["t.csv", "every triplet mentions an object"],
    );
}

#[test]
fn what_cannot_be_filled_is_refused() {
    let folder = folder();
    folder.write("e.csv", "a,b\n1,\n2,NA\n3,\n");
    folder.fails("fit e.csv --model ibp --missing mean -o m.sibp", &["e.csv", "column 1", "no value at all"]);
    folder.fails("fit e.csv --model ibp --missing drop -o m.sibp", &["e.csv", "no value at all"]);
    folder.write("split.csv", "repeat,role,row\n0,train,0\n0,train,1\n0,test,2\n");
    folder.misused(&format!("{FIT} --split split.csv --missing mean -o m.sibp"), &["--missing", "--split"]);
}

/// Columns that tell nothing, and the index that pandas writes unless it is told not to.
#[test]
fn columns_that_were_hardly_meant_are_named() {
    let folder = Folder::new();
    let rows = |index: bool| -> String {
        let values = inputs(N, 0);
        let line = |(row, values): (usize, &[f64])| {
            let index = if index { format!("{row},") } else { String::new() };
            format!("{index}{},{},7,{}\n", values[0], values[1], row % 3)
        };
        values.chunks(M).enumerate().map(line).collect()
    };
    folder.write("plain.csv", format!("a,b,same,kind\n{}", rows(false)));
    folder.write("pandas.csv", format!(",a,b,same,kind\n{}", rows(true)));
    folder.write("again.csv", format!("Unnamed: 0,a,b,same,kind\n{}", rows(true)));
    let fit = |file: &str| {
        let ran = folder.run(&format!("fit {file} --label-column kind --sweeps 2 --no-rehearsal --quiet -o m.sibp"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stderr
    };
    let plain = fit("plain.csv");
    assert!(plain.contains("1 of 3 columns have the same value in every row") && plain.contains("\"same\""), "{plain}");
    assert!(!plain.contains("index"), "{plain}");
    assert!(fit("pandas.csv").contains("column 0 (without a name) looks like the index of a frame"));
    assert!(fit("again.csv").contains("\"Unnamed: 0\" looks like the index of a frame"));
    let ids = folder
        .run("fit again.csv --id-column 0 --label-column kind --sweeps 2 --no-rehearsal --quiet -o m.sibp")
        .stderr;
    assert!(!ids.contains("index"), "{ids}");
}
