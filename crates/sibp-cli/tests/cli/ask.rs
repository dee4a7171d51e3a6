//! Tests `sibp ask`, and fits that continue earlier ones with further answers.

use crate::common::{Folder, N, json_lines};
use std::collections::BTreeSet;

const FIT: &str = "fit x.npy --ids ids.txt --chains 3 --seed 1 --no-rehearsal --distil 0 --quiet";

/// Answers about the small data set: near is the one of the anchor's class.
fn answers(n: usize) -> String {
    let row = |at: usize| {
        let anchor = at * 7 % N;
        let (near, far) = ((anchor + 3 * (1 + at % 11)) % N, (anchor + 1 + 3 * (at % 5)) % N);
        format!("object-{anchor},object-{near},object-{far}\n")
    };
    "anchor,near,far\n".to_owned() + &(0..n).map(row).collect::<String>()
}

fn with_answers() -> Folder {
    let folder = Folder::with_data();
    folder.write("t.csv", answers(80));
    folder.ok(&format!("{FIT} --triplets t.csv --sweeps 30 -o m.sibp"));
    folder
}

/// What a line asks, without the order of near and far.
fn question(line: &str) -> Vec<String> {
    let cells: Vec<&str> = line.split(',').collect();
    let mut pair = [cells[1], cells[2]];
    pair.sort();
    [cells[0], pair[0], pair[1]].map(String::from).to_vec()
}

#[test]
fn questions_are_written_with_ids_and_kinds() {
    let folder = with_answers();
    let line = "ask m.sibp x.npy --ids ids.txt -n 30 --answered t.csv --seed 3";
    let ran = folder.run(&format!("{line} -o q.csv"));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let said =
        "30 questions: 23 informative, 5 at random, 2 answered before; an informative one is expected to give 0.";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let text = folder.text("q.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("anchor,near,far,kind,probability,information", 31));
    let answered: BTreeSet<Vec<String>> = answers(80).lines().skip(1).map(question).collect();
    for line in &lines[1..] {
        let kind = line.split(',').nth(3).unwrap();
        assert_eq!(answered.contains(&question(line)), kind == "repeat", "{line}");
        let numbers: Vec<f64> = line.split(',').skip(4).map(|cell| cell.parse().unwrap()).collect();
        assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)) && line.starts_with("object-"), "{line}");
    }
    // The training objects are known without their inputs, and neither threads nor the way out change anything.
    let stdout = folder.ok("ask m.sibp -n 30 --answered t.csv --seed 3 --threads 1 --quiet");
    assert_eq!(stdout, text);
    let found = json_lines(&folder.ok(&format!("{line} --json --quiet")));
    assert_eq!(found.len(), 30);
    assert_eq!(found[0]["anchor"], lines[1].split(',').next().unwrap());
    assert!(found[0]["information"].as_f64().unwrap() >= 0.0 && found[0]["kind"].is_string());
    assert_ne!(folder.ok(&line.replace("--seed 3", "--seed 4")), text);
}

#[test]
fn a_pool_limits_the_questions() {
    let folder = with_answers();
    folder.write("pool.csv", answers(100));
    let ran = folder.run("ask m.sibp -n 50 --answered t.csv --pool pool.csv --repeat 0");
    let asked: BTreeSet<Vec<String>> = ran.stdout.lines().skip(1).map(question).collect();
    let of = |n: usize| answers(n).lines().skip(1).map(question).collect::<BTreeSet<_>>();
    let left: BTreeSet<Vec<String>> = of(100).difference(&of(80)).cloned().collect();
    assert_eq!(asked, left);
    assert!(
        ran.stderr.contains(&format!("warning: there are no more than {} questions", left.len())),
        "{}",
        ran.stderr
    );
    folder.fails("ask m.sibp --answered t.csv --pool t.csv --repeat 0", &["answered already"]);
}

#[test]
fn the_first_questions_need_no_model() {
    let folder = Folder::with_data();
    let ran = folder.run("ask --cold x.npy --ids ids.txt -n 12");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().skip(1).collect();
    assert!(lines.len() == 12 && lines.iter().all(|line| line.ends_with(",control,,")), "{lines:?}");
    let anchors: BTreeSet<&str> = lines.iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(anchors.len(), 12);
    assert!(ran.stderr.contains("12 questions: 12 at random"), "{}", ran.stderr);
    assert_eq!(folder.ok("ask --cold --objects 5 -n 100 --quiet").lines().count(), 31, "5 x 6 questions");
}

#[test]
fn mistakes_are_named() {
    let folder = with_answers();
    folder.misused("ask", &["MODEL"]);
    folder.misused("ask m.sibp -n 0", &["-n", "1 or more"]);
    folder.misused("ask m.sibp --control 0.9 --repeat 0.2", &["--control, --repeat"]);
    folder.misused("ask m.sibp -o q.npy", &["q.npy", ".csv or .tsv"]);
    folder.misused("ask --cold", &["MODEL"]);
    folder.misused("ask --cold x.npy y.npy", &["--cold"]);
    folder.write("bad.csv", "anchor,near,far\nobject-0,object-1,nobody\n");
    folder.fails("ask m.sibp --answered bad.csv", &["bad.csv", "nobody"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o plain.sibp");
    folder.fails("ask plain.sibp x.npy", &["plain.sibp", "without triplets"]);
    folder.npy_f64("wide.npy", 2, &[0.0; 20]);
    folder.fails("ask m.sibp wide.npy", &["wide.npy has 2 columns"]);
}

#[test]
fn a_continued_fit_resumes_to_the_same_bytes() {
    let folder = with_answers();
    folder.write("all.csv", answers(120));
    let line = format!("{FIT} --triplets all.csv --continue m.sibp");
    let line = line.replace(" --chains 3", "");
    folder.ok(&format!("{line} -o whole.sibp"));
    let found = json_lines(&folder.ok("inspect whole.sibp --json"));
    assert!(found[0].to_string().contains("120"), "{}", found[0]);
    folder.stopped(&line, "next.sibp");
    folder.ok(&format!("{line} --resume -o next.sibp"));
    assert!(folder.read("next.sibp") == folder.read("whole.sibp"), "other bytes than the uninterrupted run");
    folder.ok(&format!("{FIT} --triplets all.csv --sweeps 50 -o anew.sibp"));
    assert!(folder.read("anew.sibp") != folder.read("whole.sibp"));
    let said = folder.run(&format!("{line} -o again.sibp").replace(" --quiet", ""));
    assert!(said.stderr.contains("3 chains of 50 sweeps, after 30 of the earlier fit"), "{}", said.stderr);
}

#[test]
fn what_cannot_be_continued_is_refused() {
    let folder = with_answers();
    folder.write("few.csv", answers(40));
    let fit = FIT.replace(" --chains 3", "");
    folder.fails(&format!("{fit} --triplets few.csv --continue m.sibp -o n.sibp"), &["80 triplets", "only 40"]);
    folder.fails(
        &format!("{fit} --triplets t.csv --continue m.sibp --preset hash -o n.sibp"),
        &["cannot continue: model"],
    );
    folder.fails(&format!("{fit} --triplets t.csv --continue m.sibp --chains 4 -o n.sibp"), &["settings.chains was 3"]);
    folder.misused(&format!("{fit} --triplets t.csv --continue m.sibp -o m.sibp"), &["--continue", "same file"]);
    folder.fails(&format!("{fit} --triplets t.csv --continue x.npy -o n.sibp"), &["x.npy"]);
}
