//! Tests the tables: what is written, that an interrupted run goes on to the same files, and what is refused.

use crate::common::{Folder, Heard, fails, heights, misused};
use sibp::data::{write_npy_f64, write_npy_i64};
use sibp::method::GivenKind;
use sibp_paper::tables::{Shipped, Table, TableArgs, parse_given, render, run};
use sibp_paper::{BUILD, Silent, Talk};
use std::time::Duration;

const N_INPUTS: usize = 6;
const OF_CLASS: usize = 24;
/// Colours of the bars.
const COLOURS: [&str; 10] =
    ["#3b82f6", "#f07d24", "#1fa874", "#d9467e", "#8b5cf6", "#b59a0a", "#0fa3b1", "#a36a4a", "#555555", "#9bc53d"];

fn tiny<'a>(folder: &Folder, out: &str, talk: &'a dyn Talk) -> TableArgs<'a> {
    TableArgs {
        out: folder.path(out),
        data: Some(folder.path("awa")),
        input: None,
        dataset: None,
        splits: vec!["tiny.csv".to_owned()],
        given: Vec::new(),
        seed: 1,
        sweeps: 12,
        chains: 2,
        per_object: 3,
        threads: 0,
        talk,
    }
}

/// The shipped digits with settings of the command.
fn digits<'a>(folder: &Folder, out: &str, talk: &'a dyn Talk) -> TableArgs<'a> {
    let splits = vec!["split5.csv".to_owned(), "split10.csv".to_owned()];
    TableArgs { data: None, dataset: Some(Shipped::Digits), splits, ..tiny(folder, out, talk) }
}

/// Six classes of which three are split, twice, in the layout of Animals with Attributes.
fn animals() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("awa")).unwrap();
    let (values, labels) = inputs();
    write_inputs(&folder, &values);
    write_npy_i64(&folder.path("awa/labels.npy"), labels.len(), 1, &labels).unwrap();
    folder.write("awa/classes.txt", (1..=6).map(|id| format!("{id}\tanimal{id}\n")).collect::<String>());
    let colours = ["black", "white", "blue", "brown", "gray", "orange"];
    folder.write("awa/predicates.txt", (1..).zip(colours).map(|(id, c)| format!("{id}\t{c}\n")).collect::<String>());
    folder.write(
        "awa/predicate-matrix-binary.txt",
        "1 0 0 1 0 1\n0 1 0 1 0 1\n1 0 1 0 0 0\n0 1 1 0 1 0\n1 1 0 0 1 0\n0 0 1 1 0 1\n",
    );
    let mut split = "repeat,role,row,class_id\n".to_owned();
    for repeat in 0..2 {
        for (row, label) in labels[..3 * OF_CLASS].iter().enumerate() {
            let role = if (row + repeat * (row / 2)) % 2 == 0 { "train" } else { "test" };
            split.push_str(&format!("{repeat},{role},{row},{label}\n"));
        }
    }
    folder.write("awa/tiny.csv", split);
    folder
}

fn write_inputs(folder: &Folder, values: &[f64]) {
    write_npy_f64(&folder.path("awa/features.npy"), values.len() / N_INPUTS, N_INPUTS, values).unwrap();
}

/// Inputs of 0 or more that tell the classes apart, but not always; labels are the ids 1 to 6.
fn inputs() -> (Vec<f64>, Vec<i64>) {
    let labels: Vec<i64> = (0..6 * OF_CLASS).map(|row| (row / OF_CLASS + 1) as i64).collect();
    let mut state = 7u64;
    let mut noise = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / f64::from(1u32 << 24)
    };
    let value = |at: usize| noise() + if at % N_INPUTS == at / N_INPUTS / OF_CLASS { 0.6 } else { 0.0 };
    ((0..6 * OF_CLASS * N_INPUTS).map(value).collect(), labels)
}

/// The Markdown without the line about time.
fn timeless(folder: &Folder, name: &str) -> String {
    folder.text(name).lines().filter(|line| !line.starts_with("Time: ")).collect::<Vec<_>>().join("\n")
}

/// A CSV file as lines of cells, the header first.
fn cells(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let line = |line: &str| {
        // Commas within quotes belong to a cell.
        let parts = line.split('"').enumerate().map(|(at, part)| match at % 2 {
            0 => part.replace(',', "\t"),
            _ => part.to_owned(),
        });
        parts.collect::<String>().split('\t').map(str::to_owned).collect()
    };
    folder.text(name).lines().map(line).collect()
}

/// The lines of a table's CSV file in which these columns have these values.
fn found(folder: &Folder, name: &str, wanted: &[(&str, &str)]) -> Vec<Vec<String>> {
    let mut lines = cells(folder, name);
    let header = lines.remove(0);
    let at = |column: &str| header.iter().position(|cell| cell == column).unwrap();
    lines.retain(|line| wanted.iter().all(|(column, value)| line[at(column)] == *value));
    lines
}

/// One column of these lines.
fn column(folder: &Folder, name: &str, wanted: &[(&str, &str)], column: &str) -> Vec<String> {
    let at = cells(folder, name)[0].iter().position(|cell| cell == column).unwrap();
    found(folder, name, wanted).into_iter().map(|line| line[at].clone()).collect()
}

/// The CSV file without the column of times.
fn timeless_csv(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let mut lines = cells(folder, name);
    let at = lines[0].iter().position(|cell| cell == "seconds").unwrap();
    lines.iter_mut().for_each(|line| drop(line.remove(at)));
    lines
}

fn same_files(folder: &Folder, one: &str, other: &str) {
    for name in ["table1-about.csv", "table1.svg"] {
        assert!(folder.text(&format!("{one}/{name}")) == folder.text(&format!("{other}/{name}")), "{name} differs");
    }
    assert!(timeless_csv(folder, &format!("{one}/table1.csv")) == timeless_csv(folder, &format!("{other}/table1.csv")));
    assert_eq!(timeless(folder, &format!("{one}/table1.md")), timeless(folder, &format!("{other}/table1.md")));
}

/// Percent right of 1-NN by Euclidean distance, as the split file has it.
fn nearest_by_hand(folder: &Folder, repeat: usize) -> f64 {
    let (values, labels) = inputs();
    let split = folder.text("awa/tiny.csv");
    let rows = |role: &str| -> Vec<usize> {
        let lines = split.lines().filter(|line| line.starts_with(&format!("{repeat},{role},")));
        lines.map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect()
    };
    let input = |row: usize| &values[row * N_INPUTS..(row + 1) * N_INPUTS];
    let distance = |a: usize, b: usize| -> f64 { input(a).iter().zip(input(b)).map(|(a, b)| (a - b) * (a - b)).sum() };
    let (train, test) = (rows("train"), rows("test"));
    let nearest = |row: usize| *train.iter().min_by(|&&a, &&b| distance(a, row).total_cmp(&distance(b, row))).unwrap();
    let right = test.iter().filter(|&&row| labels[nearest(row)] == labels[row]).count();
    100.0 * right as f64 / test.len() as f64
}

#[test]
fn table_1_has_all_methods_and_tests() {
    let folder = animals();
    let printed = run(Table::One, &tiny(&folder, "out", &Silent)).unwrap();
    assert_eq!(printed, folder.text("out/table1.md"));
    for words in [
        "| Hash | 5 |",
        "| IBP, ridge |",
        "| Input dd-IBP, ridge |",
        "| Output dd-IBP, links |",
        "| Super Gaussian IBP, best-code |",
        "| Super Probit IBP to the letter, last draw |",
        "| Super Probit IBP to the letter, average over the last 50 sweeps |",
        "| Super Probit IBP to the letter, last draw, refitted coefficients |",
        "| Super Probit IBP, last draw |",
        "| Super Probit IBP, last draw of the best chain |",
        "| Super Probit IBP, chains side by side |",
        "| Reference, raw inputs | – |",
        "| Reference, inputs sqrt,standardise,scale | – |",
        "| Super Probit IBP, last draw above Reference, raw inputs | 1-NN",
        "| Super Probit IBP, last draw above Reference, inputs sqrt,standardise,scale | 1-NN",
        "| Super Gaussian IBP, ridge above IBP, ridge | 1-NN",
        "| Super Gaussian IBP, least-squares above IBP, least-squares | 1-NN",
        "With these encoders the claim",
        "| Super Probit IBP to the letter, last draw above IBP, least-squares | 1-NN",
        "the corrected resampled t-test (Nadeau and Bengio, 2003)",
        "[h z], h of training objects true",
        "[h z], h predicted for all",
        "z alone",
        "black, white, blue, brown, gray",
        "seeds 1 to 2",
    ] {
        assert!(printed.contains(words), "{words} is missing in\n{printed}");
    }
    assert!(printed.contains("**"), "the best of a column is bold");
    // Every comparison is tested at all numbers of neighbours, by both tests.
    for line in printed.lines().filter(|line| line.contains(" above ") && line.contains("-NN +")) {
        assert!(["1-NN ", "3-NN ", "15-NN ", "30-NN "].iter().all(|k| line.contains(k)), "{line}");
        assert_eq!(line.matches("(p ").count(), 4, "{line}");
        assert_eq!(line.matches(" / ").count(), 4, "{line}");
    }
    // Hash with two kinds of given bits; three kinds for the latent models, which are read in 4, 5, 5, 4, 6 and 3 ways; two
    // references. Each on two repeats by four numbers of neighbours.
    let n_lines = cells(&folder, "out/table1.csv").len();
    assert_eq!(n_lines, 1 + (2 + 3 * (4 + 5 + 5 + 4 + 6 + 3) + 2) * 2 * 4);
    for repeat in 0..2 {
        let (at, seed) = (repeat.to_string(), (repeat + 1).to_string());
        let wanted = [
            ("split", "tiny"),
            ("categories", "3"),
            ("train", "36"),
            ("test", "36"),
            ("system", "reference"),
            ("given", "none"),
            ("repeat", at.as_str()),
            ("seed", seed.as_str()),
            ("k", "1"),
            ("bits", ""),
            ("build", BUILD),
        ];
        let accuracy = column(&folder, "out/table1.csv", &wanted, "accuracy");
        assert_eq!(accuracy.len(), 1);
        assert!((100.0 * accuracy[0].parse::<f64>().unwrap() - nearest_by_hand(&folder, repeat)).abs() < 1e-9);
    }
    let svg = folder.text("out/table1.svg");
    assert!(svg.contains("3 categories, z alone") && svg.contains(">Super Probit IBP, last draw</text>"));
    // A panel for each kind of given bits: nine methods and, with given bits, Hash, by four numbers of neighbours. The
    // legend has each of the ten once. There are no dots, since the paper has no figures about three categories.
    let n_bars: usize = COLOURS.iter().map(|colour| heights(&svg, colour).len()).sum();
    assert_eq!(n_bars, (10 + 10 + 9) * 4 + 10);
    assert_eq!(svg.matches("<circle").count(), 0);
}

#[test]
fn an_interrupted_table_goes_on_to_the_same_files() {
    let folder = animals();
    let long = |out: &str, threads: usize| TableArgs { sweeps: 300, threads, ..tiny(&folder, out, &Silent) };
    run(Table::One, &long("whole", 2)).unwrap();
    let heard = Heard::default();
    let first = folder.path("cut/results/tiny-0-super-probit-class.json");
    let ran = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !first.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            heard.ask_to_stop();
        });
        run(Table::One, &TableArgs { talk: &heard, ..long("cut", 1) })
    });
    let kept = format!("results are kept in {}", folder.path("cut").display());
    fails(ran, &["stopped", &kept, "goes on from there"]);
    assert!(!folder.has("cut/table1.md"));
    let heard = Heard::default();
    run(Table::One, &TableArgs { talk: &heard, ..long("cut", 1) }).unwrap();
    assert!(heard.all().contains("results are there already"), "{}", heard.all());
    same_files(&folder, "whole", "cut");
}

#[test]
fn other_settings_and_damaged_results_are_made_anew() {
    let folder = animals();
    run(Table::One, &tiny(&folder, "fresh", &Silent)).unwrap();
    run(Table::One, &TableArgs { sweeps: 6, ..tiny(&folder, "used", &Silent) }).unwrap();
    let again = || {
        let heard = Heard::default();
        let printed = run(Table::One, &tiny(&folder, "used", &heard)).unwrap();
        (heard.all(), printed)
    };
    let (said, _) = again();
    // Two repeats of six latent models with three kinds of given bits; the others do not depend on sweeps.
    assert!(said.contains("36 results made with other settings (sweeps): made anew"), "{said}");
    assert!(said.contains("8 of 44 results are there already"), "{said}");
    same_files(&folder, "fresh", "used");
    // Of the three results that share a fit, only those are made that are not there.
    folder.write("used/results/tiny-1-ibp.json", "{\"settings\":");
    std::fs::remove_file(folder.path("used/results/tiny-1-ibp-predicted.json")).unwrap();
    let (said, printed) = again();
    assert!(printed.contains("44 results"), "{printed}");
    assert!(said.contains("42 of 44 results are there already"), "{said}");
    assert!(said.contains("2 of 2: ibp-predicted and ibp, tiny, repeat 1"), "{said}");
    same_files(&folder, "fresh", "used");
    // What another build made is not taken, whatever its version.
    let name = "used/results/tiny-0-reference.json";
    let text = folder.text(name);
    assert!(text.contains(BUILD), "{text}");
    folder.write(name, text.replace(BUILD, "0123456789abcdef"));
    let (said, _) = again();
    assert!(said.contains("1 result made with other settings (build): made anew"), "{said}");
    assert!(folder.text(name).contains(BUILD));
    // Other data are other results.
    let (mut values, _) = inputs();
    values[0] += 0.125;
    write_inputs(&folder, &values);
    let (said, _) = again();
    assert!(said.contains("training data") && !said.contains("there already"), "{said}");
}

#[test]
fn tables_2_and_3_share_the_fits() {
    let folder = animals();
    let third = run(Table::Three, &tiny(&folder, "out", &Silent)).unwrap();
    assert!(third.contains(" bits) | average (") && third.contains("6 kept draws"), "{third}");
    assert!(third.contains("3 categories, Super Probit IBP to the letter, z alone"), "{third}");
    let heard = Heard::default();
    let second = run(Table::Two, &tiny(&folder, "out", &heard)).unwrap();
    assert!(heard.all().contains("12 of 20 results are there already"), "{}", heard.all());
    assert_eq!(second, folder.text("out/table2.md"));
    for words in [
        "| | 3 categories | bits | paper |",
        "| Linear SVM, raw inputs |",
        "| Linear SVM, inputs sqrt,standardise,scale |",
        "| Reference (30-NN), raw inputs |",
        "| Reference (30-NN), inputs sqrt,standardise,scale |",
        "| Super Probit IBP to the letter (30-NN), last draw, z alone |",
        "last draw, z alone against Linear SVM, raw inputs: ",
        "last draw, z alone against Linear SVM, inputs sqrt,standardise,scale: ",
        "that it is above): ",
    ] {
        assert!(second.contains(words), "{words} is missing in\n{second}");
    }
    for name in ["table2.csv", "table2.svg", "table3.csv", "table3.svg"] {
        assert!(folder.has(&format!("out/{name}")), "{name}");
    }
}

/// Rows of one chain do not depend on how many chains there are, so that no row is the best of several.
#[test]
fn the_last_draw_is_that_of_one_chain() {
    let folder = animals();
    let given = vec![GivenKind::None];
    let made = |out: &str, chains: usize| {
        run(Table::One, &TableArgs { chains, given: given.clone(), ..tiny(&folder, out, &Silent) }).unwrap();
        let of = |reading: &str, name: &str| {
            let wanted = [("system", "super-probit"), ("reading", reading)];
            column(&folder, &format!("{out}/table1.csv"), &wanted, name)
        };
        let one = ["last draw", "last draw, training objects encoded", "average over kept draws"];
        let numbers = one.map(|reading| (of(reading, "accuracy"), of(reading, "bits"), of(reading, "chains")));
        (numbers, of("chains side by side", "bits"), of("chains side by side", "chains"))
    };
    let (one, three) = (made("one", 1), made("three", 3));
    assert_eq!(one.0, three.0);
    assert!(one.0[0].0.len() == 2 * 4 && one.0[0].2.iter().all(|n| n == "1"));
    assert_ne!(one.1, three.1, "more chains have more bits");
    assert!(three.2.iter().all(|n| n == "3"));
}

#[test]
fn the_row_to_the_letter_has_the_papers_settings() {
    let folder = animals();
    let given = vec![GivenKind::None];
    let args = TableArgs { sweeps: 110, given, ..tiny(&folder, "out", &Silent) };
    run(Table::Three, &args).unwrap();
    let kept: serde_json::Value =
        serde_json::from_str(&folder.text("out/results/tiny-0-super-probit-letter.json")).unwrap();
    assert_eq!((&kept["settings"]["transform"], &kept["settings"]["chains"]), (&"none".into(), &1.into()), "{kept}");
    let bits = |reading: &str| -> usize {
        let wanted = [("system", "super-probit-letter"), ("reading", reading), ("k", "1"), ("repeat", "0")];
        column(&folder, "out/table3.csv", &wanted, "bits")[0].parse().unwrap()
    };
    // Of 110 sweeps, 55 are kept, and the last 50 of them are averaged over.
    let (last, average) = (bits("last draw"), bits("average over the last 50 sweeps"));
    assert!(average > 25 * last && last > 0, "{last} {average}");
}

/// A page depends on its CSV files alone.
#[test]
fn a_page_is_laid_out_from_its_csv_files() {
    let folder = animals();
    let given = vec![GivenKind::None];
    for table in [Table::One, Table::Two, Table::Three] {
        let printed = run(table, &TableArgs { given: given.clone(), ..tiny(&folder, "out", &Silent) }).unwrap();
        assert_eq!(printed, render(table, &folder.path("out")).unwrap());
    }
    // The same files elsewhere, without data and kept results.
    std::fs::create_dir(folder.path("bare")).unwrap();
    for name in ["table2.csv", "table2-about.csv"] {
        folder.write(&format!("bare/{name}"), folder.text(&format!("out/{name}")));
    }
    assert_eq!(render(Table::Two, &folder.path("bare")).unwrap(), folder.text("out/table2.md"));
    assert_eq!(folder.text("bare/table2.svg"), folder.text("out/table2.svg"));
    // A changed number is another page.
    let csv = folder.text("bare/table2.csv");
    let (at, line) = csv.lines().enumerate().find(|(_, line)| line.contains(",svm,")).unwrap();
    let accuracy = cells(&folder, "bare/table2.csv")[at]
        [cells(&folder, "bare/table2.csv")[0].iter().position(|c| c == "accuracy").unwrap()]
    .clone();
    folder.write("bare/table2.csv", csv.replace(line, &line.replace(&format!(",{accuracy},"), ",0.00390625,")));
    assert_ne!(render(Table::Two, &folder.path("bare")).unwrap(), folder.text("out/table2.md"));
    // Numbers of two builds make no page.
    folder.write("bare/table2.csv", csv.replacen(BUILD, "0123456789abcdef", 1));
    fails(render(Table::Two, &folder.path("bare")), &["table2.csv", "0123456789abcdef", BUILD]);
    fails(render(Table::One, &folder.path("bare")), &["table1-about.csv", "cannot be read"]);
}

/// Where the data are of some classes alone, the page says so.
#[test]
fn a_part_of_the_classes_is_named() {
    let folder = animals();
    let printed = |out: &str| {
        let given = vec![GivenKind::None];
        run(Table::Three, &TableArgs { sweeps: 3, given, ..tiny(&folder, out, &Silent) }).unwrap()
    };
    assert!(printed("all").contains("144 objects of 6 inputs; tiny"));
    folder.write("awa/classes.txt", (1..=50).map(|id| format!("{id}\tanimal{id}\n")).collect::<String>());
    assert!(printed("some").contains("144 objects of 6 inputs, 6 of the data set's 50 classes; tiny"));
}

#[test]
fn parts_of_a_table_can_be_had_alone() {
    let folder = animals();
    let part = |given: &[GivenKind]| {
        run(Table::One, &TableArgs { given: given.to_vec(), ..tiny(&folder, "part", &Silent) }).unwrap()
    };
    run(Table::One, &tiny(&folder, "all", &Silent)).unwrap();
    let printed = part(&[GivenKind::None, GivenKind::Predicted]);
    assert!(
        printed.contains("h predicted for all") && printed.contains("z alone") && !printed.contains("objects true")
    );
    // The same lines, without those of the part that was not asked for.
    let of_parts = |line: &Vec<String>| !line.contains(&"known".to_owned());
    let (all, some) = (timeless_csv(&folder, "all/table1.csv"), timeless_csv(&folder, "part/table1.csv"));
    assert_eq!(all.into_iter().filter(of_parts).collect::<Vec<_>>(), some);
    let alone = part(&[GivenKind::None]);
    assert!(alone.contains("z alone") && !alone.contains("Given bits"), "{alone}");
    let named = ["known", "predicted", "none"].map(|name| parse_given(name).unwrap());
    assert_eq!(named, [GivenKind::Known, GivenKind::Predicted, GivenKind::None]);
    assert!(parse_given("all").unwrap_err().contains("known, predicted and none"));
    let known = TableArgs { given: vec![GivenKind::None, GivenKind::Known], ..digits(&folder, "out", &Silent) };
    misused(run(Table::One, &known), &["no attributes", "h z"]);
}

#[test]
fn digits_need_no_folder_and_have_no_attributes() {
    let folder = Folder::new();
    let splits = vec!["split5.csv".to_owned()];
    let short = TableArgs { splits, sweeps: 3, chains: 1, per_object: 2, ..digits(&folder, "out", &Silent) };
    let printed = run(Table::One, &short).unwrap();
    assert!(!printed.contains("| Hash |") && !printed.contains("h predicted"), "{printed}");
    assert!(printed.contains("handwritten digits, 1,797 objects of 64 inputs; split5 (5 repeats;"), "{printed}");
    assert!(!printed.contains("paper, 1 / 3"), "the paper has no figures about digits:\n{printed}");
    // k-NN of raw digits is far above chance, whatever the models do in three sweeps.
    let accuracy =
        column(&folder, "out/table1.csv", &[("system", "reference"), ("k", "1"), ("repeat", "0")], "accuracy");
    assert!(accuracy.len() == 1 && accuracy[0].starts_with("0.9"), "{accuracy:?}");
}

#[test]
fn missing_data_are_named_and_options_checked() {
    let folder = animals();
    std::fs::create_dir(folder.path("empty")).unwrap();
    let of_digits = || digits(&folder, "out", &Silent);
    let files =
        ["features.npy", "labels.npy", "classes.txt", "predicates.txt", "predicate-matrix-binary.txt", "split10.csv"];
    let empty = TableArgs { data: Some(folder.path("empty")), dataset: None, ..of_digits() };
    fails(run(Table::One, &empty), &files);
    fails(run(Table::Two, &empty), &["empty", "--dataset digits", "Lampert"]);
    misused(run(Table::One, &TableArgs { dataset: None, ..of_digits() }), &["--data", "--dataset digits"]);
    let splits = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let unknown = TableArgs { splits: splits(&["tiny.csv"]), ..of_digits() };
    misused(run(Table::Three, &unknown), &["split5.csv", "tiny.csv"]);
    let twice = TableArgs { splits: splits(&["tiny.csv", "tiny.csv"]), ..tiny(&folder, "out", &Silent) };
    misused(run(Table::Three, &twice), &["same name"]);
    fails(run(Table::Three, &TableArgs { sweeps: 0, ..of_digits() }), &["number of sweeps is 0"]);
    fails(run(Table::Three, &TableArgs { chains: 0, ..of_digits() }), &["number of chains is 0"]);
    let input = Some("sift-hist".to_owned());
    let of_arrays = TableArgs { input: input.clone(), ..tiny(&folder, "out", &Silent) };
    misused(run(Table::One, &of_arrays), &["--feature", "awa"]);
    misused(run(Table::One, &TableArgs { input, ..of_digits() }), &["--feature"]);
    folder.write("awa/predicate-matrix-binary.txt", "1 0 0 1 0\n0 1 2 1 0\n");
    let tiny = |out: &str| run(Table::One, &tiny(&folder, out, &Silent));
    fails(tiny("out"), &["predicate-matrix-binary.txt", "line 2"]);
    folder.write("awa/predicate-matrix-binary.txt", "1 0 0 1 0\n0 1 1 1 0\n");
    fails(tiny("out"), &["no line for the label 3"]);
    folder.write("file", "");
    fails(run(Table::One, &digits(&folder, "file", &Silent)), &["file", "cannot make the folder"]);
    assert!(!folder.has("out"), "nothing is begun that cannot be done");
}
