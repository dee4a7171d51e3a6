//! Tests `sibp triplets`.

use crate::common::Folder;
use serde_json::Value;

#[test]
fn made_from_labels_they_hold_near_and_far_of_the_right_classes() {
    let folder = Folder::with_data();
    let ran = folder.run("triplets from-labels y.npy --per-object 4 --seed 1 -o t.csv");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("240 triplets over 60 objects of 3 classes"), "{}", ran.stderr);
    let text = folder.text("t.csv");
    assert_eq!(text.lines().next(), Some("anchor,near,far"));
    for line in text.lines().skip(1) {
        let rows: Vec<usize> = line.split(',').map(|n| n.parse().unwrap()).collect();
        assert!(rows[0] % 3 == rows[1] % 3 && rows[0] % 3 != rows[2] % 3, "{line}");
    }
    assert_eq!(folder.ok("triplets from-labels y.npy --per-object 4 --seed 1"), text, "stdout and file must agree");
    assert_ne!(folder.ok("triplets from-labels y.npy --per-object 4 --seed 2"), text);
    let product = folder.ok("triplets from-labels y.npy --per-object 4 --scheme product");
    assert_eq!(product.lines().count(), 60 * 16 + 1);
}

#[test]
fn every_output_is_read_back() {
    let folder = Folder::with_data();
    for out in ["t.csv", "t.tsv", "t.npy"] {
        folder.ok(&format!("triplets from-labels y.npy --per-object 4 -o {out}"));
        assert!(
            folder.ok(&format!("triplets check {out}")).starts_with("240 triplets over 60 objects\nduplicates: 0\n")
        );
    }
    folder.ok("triplets from-labels y.npy --ids ids.txt --per-object 4 -o t.csv");
    assert!(folder.text("t.csv").contains("object-0,object-"));
    folder.ok("triplets check t.csv --ids ids.txt");
    folder.misused("triplets from-labels y.npy --ids ids.txt -o t.npy", &[".csv"]);
    folder.misused("triplets from-labels y.npy -o t.parquet", &["t.parquet"]);
}

#[test]
fn distances_need_features() {
    let folder = Folder::with_data();
    folder.misused("triplets from-labels y.npy --near nearest", &["--features"]);
    folder.ok("triplets from-labels y.npy --near nearest --far impostor --features x.npy -o t.csv");
}

#[test]
fn check_counts_and_names() {
    let folder = Folder::new();
    folder.write("t.csv", "anchor,near,far\n0,1,2\n0,1,2\n0,2,1\n");
    let report: Value = serde_json::from_str(&folder.ok("triplets check t.csv --objects 5 --json")).unwrap();
    assert_eq!((&report["n_triplets"], &report["n_duplicates"]), (&3.into(), &1.into()));
    assert_eq!((&report["n_contradicted_questions"], &report["n_unmentioned"]), (&1.into(), &2.into()));
    folder.fails("triplets check t.csv --objects 2", &["t.csv", "line 2", "\"2\""]);
    folder.write("self.csv", "anchor,near,far\n1,1,2\n");
    folder.fails("triplets check self.csv", &["self.csv", "line 2", "twice"]);
    assert_eq!(folder.run("triplets").code, 2);
    for name in ["from-labels", "check", "convert"] {
        let help = folder.ok(&format!("triplets {name} --help"));
        assert!(help.contains(&format!("Example:\n  sibp triplets {name} ")), "{name}:\n{help}");
    }
}

/// Answers by three people who agree, one who tosses coins, and one who contradicts half of their own answers.
fn judged() -> String {
    let mut text = "judge,anchor,near,far,answer\n".to_owned();
    for object in 0..20 {
        let (anchor, shown) = (["cat", "cow", "dog"][object % 3], format!("toy {object}"));
        let mut say = |judge: &str, answer: &str| text += &format!("{judge},{anchor},egg,{shown},{answer}\n");
        ["ann", "bob", "eve"].iter().for_each(|judge| say(judge, "near"));
        say("coin", if object % 2 == 0 { "near" } else { "far" });
        say("forgets", "near");
        say("forgets", if object % 4 < 2 { "near" } else { "far" });
    }
    text + "ann,cat,egg,toy 1,tie\nbob,cat,egg,rare,near\n"
}

#[test]
fn check_tells_judges_and_rare_objects_apart() {
    let folder = Folder::new();
    folder.write("j.csv", judged());
    let text = folder.ok("triplets check j.csv");
    assert!(text.starts_with("123 triplets over 25 objects\n"), "{text}");
    assert!(text.contains("rows: 122; ties: 1, each counts as one answer each way"), "{text}");
    assert!(
        text.contains("repeated questions: 20; answered both ways: 15; answers that go with the majority:"),
        "{text}"
    );
    assert!(text.contains("judges: 5; no better than chance: 2"), "{text}");
    let flagged: Vec<&str> = text.lines().filter(|line| line.ends_with("no better than chance")).collect();
    assert!(flagged.len() == 2 && flagged[0].starts_with("coin "), "{text}");
    assert!(flagged[1].starts_with("forgets") && flagged[1].contains("50.0 % of 20"), "{text}");
    let rare = text.lines().find(|line| line.starts_with("objects asked about too little: 1 ")).unwrap();
    assert!(rare.ends_with(": rare (1)"), "{rare}");
    let report: Value = serde_json::from_str(&folder.ok("triplets check j.csv --json")).unwrap();
    assert_eq!((&report["n_triplets"], &report["reading"]["n_ties"]), (&123.into(), &1.into()));
    assert_eq!(report["rarely_asked"]["first"][0]["object"], "rare");
    let judges = report["judges"].as_array().unwrap();
    let named =
        |at: usize| (judges[at]["judge"].as_str().unwrap(), judges[at]["no_better_than_chance"].as_bool().unwrap());
    assert_eq!((named(0), named(3), named(4)), (("ann", false), ("coin", true), ("forgets", true)));
    assert_eq!((&judges[0]["n_answers"], &judges[0]["n_ties"]), (&21.into(), &1.into()));
}

#[test]
fn check_lists_ten_rare_objects_and_counts_the_rest() {
    let folder = Folder::new();
    folder.write("t.csv", (0..12).map(|at| format!("0,{},{}\n", 2 * at + 1, 2 * at + 2)).collect::<String>());
    let text = folder.ok("triplets check t.csv");
    assert!(text.contains("objects asked about too little: 24 (the median has 1 answer): 1 (1), 2 (1), "), "{text}");
    assert!(text.contains("10 (1) and 14 more"), "{text}");
    folder.write("h.csv", "i,j,l\ncat,dog,cow\ncow,cat,dog\n");
    folder.fails("triplets check h.csv", &["h.csv", "line 1", "a header", "anchor, near and far"]);
    folder.write("v.csv", "anchor,near,far,votes_near,votes_far\ncat,dog,cow,1000001,0\n");
    folder.fails("triplets check v.csv", &["v.csv", "line 2", "1000001 votes"]);
    folder.write("n.csv", "anchor,near,far\n0,1,-2\n");
    folder.fails("triplets check n.csv", &["n.csv", "line 2", "(far)", "\"-2\"", "negative"]);
}

#[test]
fn responses_of_salmon_are_converted_with_their_judges() {
    let folder = Folder::new();
    folder.write(
        "responses.csv",
        "head,left,right,winner,loser,puid,head_filename,winner_filename,loser_filename\n\
         0,1,2,1,2,ann,cat.png,cow.png,\"dog, big.png\"\n0,1,2,2,1,bob,cat.png,\"dog, big.png\",cow.png\n",
    );
    let ran = folder.run("triplets convert responses.csv -o t.csv");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 answers about 3 objects by 2 judges"), "{}", ran.stderr);
    let expected =
        "anchor,near,far,judge\ncat.png,cow.png,\"dog, big.png\",ann\ncat.png,\"dog, big.png\",cow.png,bob\n";
    assert_eq!(folder.text("t.csv"), expected);
    assert!(folder.ok("triplets check t.csv").contains("judges: 2"));
    assert_eq!(
        folder.ok("triplets convert responses.csv --from salmon --numbers"),
        "anchor,near,far,judge\n0,1,2,ann\n0,2,1,bob\n"
    );
    folder.fails("triplets convert t.csv --from salmon", &["t.csv", "head, winner and loser"]);
    folder.misused("triplets convert t.csv", &["t.csv", "--from"]);
    folder.misused("triplets convert responses.csv -o t.npy", &["t.npy", ".csv"]);
    folder.misused("triplets convert responses.csv --from salmon --responses r.csv", &["--responses"]);
}

#[test]
fn arrays_of_cblearn_are_converted_with_their_ties() {
    let folder = Folder::new();
    folder.write("q.csv", "4,1,2\n1,4,2\n2,1,4\n");
    folder.write("r.csv", "1\n0\n-2\n");
    let ordered = folder.ok("triplets convert q.csv --from cblearn");
    assert_eq!(ordered, "anchor,near,far\n4,1,2\n1,4,2\n2,1,4\n");
    let ran = folder.run("triplets convert q.csv --responses r.csv -o t.tsv");
    assert!(ran.code == 0 && ran.stderr.contains("ties: 1"), "{}", ran.stderr);
    let expected = "anchor\tnear\tfar\tanswer\n4\t1\t2\tnear\n1\t4\t2\ttie\n2\t4\t1\tnear\n2\t4\t1\tnear\n";
    assert_eq!(folder.text("t.tsv"), expected);
    let report: Value = serde_json::from_str(&folder.ok("triplets check t.tsv --json")).unwrap();
    assert_eq!((&report["n_triplets"], &report["reading"]["n_ties"]), (&5.into(), &1.into()));
    folder.misused("triplets convert q.csv --from cblearn --numbers", &["--numbers"]);
    folder.misused("triplets convert q.npy", &["q.npy", "--from"]);
}

#[test]
fn fit_takes_votes_as_repeated_answers_and_notes_them() {
    let folder = Folder::with_data();
    let mut votes = "anchor,near,far,votes_near,votes_far\n".to_owned();
    let mut plain = "anchor,near,far\n".to_owned();
    for at in 0..57 {
        votes += &format!("object-{at},object-{},object-{},2,1\n", at + 3, at + 1);
        let (near, far) = (format!("object-{}", at + 3), format!("object-{}", at + 1));
        plain += &format!("object-{at},{near},{far}\nobject-{at},{near},{far}\nobject-{at},{far},{near}\n");
    }
    folder.write("v.csv", votes);
    folder.write("p.csv", plain);
    let fit = |triplets: &str, out: &str| {
        folder.run(&format!(
            "fit x.npy --ids ids.txt --triplets {triplets} --model gaussian --seed 1 --sweeps 5 -o {out}"
        ))
    };
    let noted = fit("v.csv", "v.sibp");
    assert!(
        noted.code == 0 && noted.stderr.contains("v.csv: rows: 57; votes: 171, rows with votes both ways: 57"),
        "{}",
        noted.stderr
    );
    let silent = fit("p.csv", "p.sibp");
    assert!(silent.code == 0 && !silent.stderr.contains("note:"), "{}", silent.stderr);
    assert!(folder.read("v.sibp") == folder.read("p.sibp"), "the same answers must give the same model");
}
