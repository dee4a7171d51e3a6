//! No command writes over a file that it reads, or over a file of another kind, unless it is told to.

use crate::common::{Folder, N, inputs};
use std::collections::BTreeSet;

/// The words of a command before its outputs; the options that name outputs, with a fitting name each; the files it reads.
type Command = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

/// Every command that writes files.
const COMMANDS: [Command; 30] = [
    ("demo --train 100 --sweeps 2", &[("-o", "r.html")], &[]),
    ("triplets from-labels y.npy --ids ids.txt --features x.npy", &[("-o", "new.csv")], &["y.npy", "ids.txt", "x.npy"]),
    ("triplets from-judgements j.jsonl", &[("-o", "new.csv")], &["j.jsonl"]),
    ("triplets convert t.npy --from cblearn", &[("-o", "new.csv")], &["t.npy"]),
    (
        "fit x.npy --labels y.npy --ids ids.txt --sweeps 2 --no-rehearsal",
        &[("-o", "new.sibp")],
        &["x.npy", "y.npy", "ids.txt"],
    ),
    ("merge p1.sibp p2.sibp", &[("-o", "new.sibp")], &["p1.sibp", "p2.sibp"]),
    ("report m.sibp", &[("-o", "new.html")], &["m.sibp"]),
    ("encode m.sibp x.npy", &[("-o", "new.npy")], &["m.sibp", "x.npy"]),
    ("encode m.sibp x.npy --ids ids.txt", &[("-o", "new.sibx")], &["m.sibp", "x.npy", "ids.txt"]),
    ("encode m.sibp x.npy --ids ids.txt", &[("-o", "new.csv")], &["m.sibp", "x.npy", "ids.txt"]),
    ("hash fit x.npy --labels y.npy --method sdh --bits 8", &[("-o", "new.sibh")], &["x.npy", "y.npy"]),
    ("hash encode h.sibh x.npy", &[("-o", "new.npy")], &["h.sibh", "x.npy"]),
    ("extend m.sibp x.npy --labels y.npy --sweeps 2 --chains 1", &[("-o", "new.sibh")], &["x.npy", "y.npy"]),
    ("prune h.sibh x.npy --labels y.npy", &[("-o", "new.sibh")], &["h.sibh", "x.npy", "y.npy"]),
    ("index build c.npy --ids n.npy", &[("-o", "new.sibx")], &["c.npy", "n.npy"]),
    ("index add c.sibx c.npy", &[("-o", "new.sibx")], &["c.npy"]),
    ("index remove c.sibx --ids n1.npy", &[("-o", "new.sibx")], &["n1.npy"]),
    ("index extend c.sibx c.npy --model m.sibp", &[("-o", "new.sibx")], &["c.npy", "m.sibp"]),
    ("search c.sibx c.npy", &[("-o", "new.npy"), ("--distances", "d.npy")], &["c.sibx", "c.npy"]),
    (
        "search c.sibx x.npy --model m.sibp --ids ids.txt --among n1.npy",
        &[("-o", "new.csv")],
        &["c.sibx", "x.npy", "m.sibp", "ids.txt", "n1.npy"],
    ),
    ("search c.sibx --query-ids n1.npy", &[("-o", "new.jsonl")], &["c.sibx", "n1.npy"]),
    ("export c.sibx --to npy", &[("-o", "new.npy"), ("--ids", "i.npy")], &["c.sibx"]),
    ("export m.sibp --to encoder", &[("-o", "new.sibe")], &["m.sibp"]),
    ("encode m.sibe x.npy", &[("-o", "new.npy")], &["m.sibe", "x.npy"]),
    ("predict m.sibp x.npy", &[("-o", "new.csv")], &["m.sibp", "x.npy"]),
    (
        "predict c.sibx c.npy --labels y.npy --ids ids.txt",
        &[("-o", "new.csv")],
        &["c.sibx", "c.npy", "y.npy", "ids.txt"],
    ),
    ("ask m.sibp x.npy -n 2 --answered t.csv", &[("-o", "new.csv")], &["m.sibp", "x.npy", "t.csv"]),
    ("eval m.sibp x.npy --triplets t.csv --curve", &[("--plot", "new.svg")], &["m.sibp", "x.npy", "t.csv"]),
    ("eval m.sibp x.npy --labels y.npy", &[("--wrong", "new.csv")], &["m.sibp", "x.npy", "y.npy"]),
    ("explain m.sibp x.npy 0 1", &[("--plot", "new.svg")], &["m.sibp", "x.npy"]),
];

/// Files of every kind that a command may be told to write over by mistake.
const OTHERS: [&str; 9] =
    ["x.npy", "m.sibp", "m.sibe", "h.sibh", "c.sibx", "t.csv", "page.html", "curve.svg", "unknown"];

fn folder() -> Folder {
    let folder = Folder::with_data();
    folder.ok("fit x.npy --labels y.npy --seed 1 --sweeps 20 --per-object 8 --quiet --no-rehearsal -o m.sibp");
    folder.ok("encode m.sibp x.npy --quiet --format bits -o c.npy");
    folder.ok("export m.sibp --to encoder --quiet -o m.sibe");
    folder.ok("index build c.npy -o c.sibx");
    folder.ok("hash fit x.npy --method itq --bits 5 -o h.sibh");
    for chain in [1, 2] {
        let line = "fit x.npy --labels y.npy --seed 1 --sweeps 2 --quiet --no-rehearsal";
        folder.ok(&format!("{line} --chain {chain}/2 -o p{chain}.sibp"));
    }
    folder.npy_i64("n.npy", &(0..N as i64).collect::<Vec<_>>());
    folder.npy_i64("n1.npy", &[3]);
    folder.write("t.csv", "anchor,near,far\n0,3,1\n1,4,2\n2,5,0\n");
    folder.ok("triplets from-labels y.npy --per-object 2 -o t.npy");
    folder.write("j.jsonl", "{\"record\":\"journal\",\"version\":1,\"objects\":3,\"ids\":false,\"name\":\"a\"}\n");
    folder.write("page.html", "<!doctype html><p>mine</p>");
    folder.write("curve.svg", "<svg></svg>");
    folder.write("unknown", [0xff, 0xfe, 0x00, 0x01]);
    folder
}

/// The command with its outputs, of which one goes elsewhere.
fn line(words: &str, outputs: &[(&str, &str)], changed: &str, to: &str) -> String {
    let named =
        outputs.iter().map(|(option, name)| format!(" {option} {}", if *option == changed { to } else { name }));
    words.to_owned() + &named.collect::<String>()
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = folder();
    for (words, outputs, read) in COMMANDS {
        for (option, fitting) in outputs {
            for file in read {
                let before = folder.read(file);
                // Links under a name that suits the result lead to the same file.
                let ending = fitting.rsplit('.').next().unwrap();
                let (hard, soft) = (format!("hard.{ending}"), format!("soft.{ending}"));
                for link in [&hard, &soft] {
                    let _ = std::fs::remove_file(folder.path(link));
                }
                std::fs::hard_link(folder.path(file), folder.path(&hard)).unwrap();
                std::os::unix::fs::symlink(folder.path(file), folder.path(&soft)).unwrap();
                for out in [*file, &format!("./{file}"), &hard, &soft] {
                    let line = line(words, outputs, option, out);
                    let ran = folder.run(&line);
                    assert_eq!(ran.code, 2, "sibp {line}\n{}", ran.stderr);
                    assert!(folder.read(file) == before, "sibp {line} changed {file}");
                }
                folder.misused(&line(words, outputs, option, &hard), &["is read here", "--force"]);
                folder.misused(&line(words, outputs, option, &soft), &["is read here", "--force"]);
                std::fs::remove_file(folder.path(&hard)).unwrap();
                std::fs::remove_file(folder.path(&soft)).unwrap();
            }
        }
    }
}

#[test]
fn no_command_writes_over_a_file_of_another_kind() {
    let folder = folder();
    for (words, outputs, _) in COMMANDS {
        for (option, fitting) in outputs {
            for other in OTHERS {
                let own = [
                    ("x.npy", "d.npy"),
                    ("m.sibp", "new.sibp"),
                    ("m.sibe", "new.sibe"),
                    ("h.sibh", "new.sibh"),
                    ("c.sibx", "new.sibx"),
                ];
                let is_own = own.contains(&(other, fitting)) && fitting != &"d.npy"
                    || other == "t.csv"
                        && fitting == &"new.csv"
                        && (words.starts_with("triplets") || words.starts_with("ask"))
                    || other == "page.html" && fitting.ends_with("html")
                    || other == "curve.svg" && fitting.ends_with("svg")
                    || other == "x.npy" && *option == "--distances";
                if is_own {
                    continue;
                }
                let name = format!("taken.{}", fitting.rsplit('.').next().unwrap());
                folder.write(&name, folder.read(other));
                let line = line(words, outputs, option, &name);
                folder.misused(&line, &[&name, "would be replaced", "--force"]);
                assert!(folder.read(&name) == folder.read(other), "sibp {line}");
                std::fs::remove_file(folder.path(&name)).unwrap();
            }
        }
    }
}

/// The walk above knows every command with an output, so that a new one cannot be forgotten.
#[test]
fn every_command_with_an_output_is_walked_over() {
    let folder = Folder::new();
    let mut found = BTreeSet::new();
    let mut names = vec![String::new()];
    while let Some(name) = names.pop() {
        let help = folder.ok(&format!("{name} --help"));
        let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let commands = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let words = commands.filter_map(|line| line.split_whitespace().next()).filter(|word| *word != "help");
        names.extend(words.map(|word| format!("{name} {word}")));
        if help.contains("--force") || help.contains("--out <FILE>") {
            assert!(help.contains("--force"), "sibp{name} has an output and no --force");
            found.insert(name.trim().to_owned());
        }
    }
    let is_of = |name: &str, words: &str| words == name || words.starts_with(&format!("{name} "));
    let walked: BTreeSet<String> =
        found.iter().filter(|name| COMMANDS.iter().any(|(words, ..)| is_of(name, words))).cloned().collect();
    assert_eq!(found, walked);
}

#[test]
fn force_writes_over_anything() {
    let folder = folder();
    folder.ok("encode m.sibp x.npy --quiet --format bits --force -o x.npy");
    assert_eq!(folder.read("x.npy"), folder.read("c.npy"));
    folder.write("r.html", "mine");
    folder.ok("report m.sibp --force -o r.html");
    assert!(folder.text("r.html").to_lowercase().starts_with("<!doctype html"));
}

#[test]
fn names_that_say_something_else_are_refused() {
    let folder = folder();
    for (line, part) in [
        ("fit x.npy --labels y.npy -o new.csv", "ends in .sibp, not .csv"),
        ("fit x.npy --labels y.npy -o new.npy", "ends in .sibp, not .npy"),
        ("report m.sibp -o new.sibp", "ends in .html, not .sibp"),
        ("hash fit x.npy --method itq --bits 3 -o h.sibp", "ends in .sibh, not .sibp"),
        ("export c.sibx --to faiss -o c.npy", "ends in .faiss, not .npy"),
        ("search c.sibx c.npy -o a.npy --distances a.npy", "two results"),
        ("export c.sibx --to npy -o a.npy --ids a.npy", "two results"),
    ] {
        folder.misused(line, &[part]);
    }
    folder.npy_f64("z.npy", 6, &inputs(N, 3));
    folder.ok("encode m.sibp z.npy -o new.npy --quiet");
    folder.ok("encode m.sibp z.npy -o new.npy --quiet");
}

/// A run that was cut off left its draws in a checkpoint, which a new run must not throw away.
#[test]
fn a_checkpoint_is_not_thrown_away() {
    let folder = folder();
    std::fs::copy(folder.path("m.sibp"), folder.path("n.sibp.checkpoint")).unwrap();
    let fit = "fit x.npy --labels y.npy --seed 1 --sweeps 20 --per-object 8 --quiet --no-rehearsal -o n.sibp";
    folder.misused(fit, &["n.sibp.checkpoint", "--resume", "--force"]);
    assert!(folder.has("n.sibp.checkpoint") && !folder.has("n.sibp"));
    folder.ok(&format!("{fit} --force"));
    assert!(!folder.has("n.sibp.checkpoint") && folder.has("n.sibp"));
    folder.write("n.sibp.checkpoint", "notes of mine");
    folder.misused(fit, &["n.sibp.checkpoint", "would be replaced"]);
    assert_eq!(folder.text("n.sibp.checkpoint"), "notes of mine");
}
