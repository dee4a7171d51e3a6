//! Tests fits to human judgements: without inputs, with judges, and the code that stands for all chains.

use crate::common::{Folder, json_lines, read_u8};
use serde_json::Value;
use std::fmt::Write;

/// Animals and trees, and questions about them that a careful judge answers by the groups.
const OBJECTS: [&str; 10] = ["cat", "dog", "cow", "pig", "hen", "oak", "fir", "elm", "ash", "yew"];

fn is_tree(object: usize) -> bool {
    object >= 5
}

/// All questions with one object of the anchor's group and one of the other; `bob`, who has every third, answers half of
/// them wrong.
fn answers() -> String {
    let mut text = "anchor,near,far,judge\n".to_owned();
    let mut at = 0u32;
    for anchor in 0..10usize {
        for near in (0..10).filter(|&near| near != anchor && is_tree(near) == is_tree(anchor)) {
            for far in (0..10).filter(|&far| is_tree(far) != is_tree(anchor)) {
                at += 1;
                let by_bob = at.is_multiple_of(3);
                let turned = by_bob && at.is_multiple_of(2);
                let others = if turned { [far, near] } else { [near, far] };
                let [anchor, near, far] = [anchor, others[0], others[1]].map(|object| OBJECTS[object]);
                writeln!(text, "{anchor},{near},{far},{}", if by_bob { "bob" } else { "ann" }).unwrap();
            }
        }
    }
    text
}

fn judged() -> Folder {
    let folder = Folder::new();
    folder.write("answers.csv", answers());
    folder.write("asked.csv", "anchor,near,far\ncat,dog,oak\noak,fir,cat\nyew,cow,elm\n");
    folder
}

#[test]
fn triplets_alone_teach_codes_of_named_objects() {
    let folder = judged();
    folder.ok("fit --triplets answers.csv --sweeps 60 --chains 4 --distil 16 --seed 1 --quiet -o m.sibp");
    let lines = json_lines(&folder.ok("prefer m.sibp --triplets asked.csv --json"));
    let p: Vec<f64> = lines.iter().map(|line| line["probability"].as_f64().unwrap()).collect();
    assert!(p[0] > 0.7 && p[1] > 0.7 && p[2] < 0.3, "{p:?}");
    assert_eq!(lines[0]["near"], "dog");
    folder.ok("encode m.sibp --training --format bits -o codes.npy");
    let (n, k, bits) = read_u8(&folder.read("codes.npy"));
    assert!(n == 10 && (1..=16).contains(&k), "{n} codes of {k} bits");
    let distance = |i: usize, j: usize| (0..k).filter(|&bit| bits[i * k + bit] != bits[j * k + bit]).count();
    // Objects are numbered as the file names them first; by their names, groups are closer than strangers.
    let text = answers();
    let mut names: Vec<&str> = Vec::new();
    for name in text.lines().skip(1).flat_map(|line| line.split(',').take(3)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let row = |name: &str| names.iter().position(|other| *other == name).unwrap();
    assert!(distance(row("cat"), row("dog")) < distance(row("cat"), row("oak")));
    assert!(distance(row("fir"), row("yew")) < distance(row("fir"), row("pig")));
    let found: Value = serde_json::from_str(&folder.ok("eval m.sibp --triplets asked.csv --json")).unwrap();
    assert!(found["agreement"]["share"] == 2.0 / 3.0 && found["euclidean"].is_null(), "{found}");
    folder.write("x.csv", "1.0,2.0\n3.0,4.0\n");
    folder.fails("encode m.sibp x.csv -o new.npy", &["x.csv", "2 columns", "fitted to 0"]);
}

#[test]
fn options_that_need_inputs_say_so() {
    let folder = judged();
    for option in ["--transform centre", "--tune", "--labels y.npy", "--given-bits h.npy"] {
        let name = option.split(' ').next().unwrap();
        folder.misused(&format!("fit --triplets answers.csv {option} -o m.sibp"), &[name, "inputs"]);
    }
    folder.fails("fit --triplets answers.csv --model gaussian -o m.sibp", &["gaussian", "needs inputs", "probit"]);
    folder.misused("fit -o m.sibp", &["<INPUTS>"]);
}

#[test]
fn a_judge_who_tosses_coins_has_the_highest_lapse_rate() {
    let folder = judged();
    folder.ok("fit --triplets answers.csv --sweeps 60 --chains 4 --seed 1 --quiet --no-rehearsal -o m.sibp");
    let found: Value = serde_json::from_str(&folder.ok("inspect m.sibp --json")).unwrap();
    let judges = found["judges"].as_array().unwrap();
    assert_eq!((&judges[0]["judge"], &judges[1]["judge"]), (&"bob".into(), &"ann".into()));
    let [bob, ann] = [0, 1].map(|at| judges[at]["lapse"].as_f64().unwrap());
    assert!(bob > 0.3 && ann < 0.1, "bob {bob}, ann {ann}");
    let text = folder.ok("inspect m.sibp");
    assert!(text.contains("2; lapse rates: bob"), "{text}");
    let by_judge: Value = serde_json::from_str(&folder.ok("eval m.sibp --triplets answers.csv --json")).unwrap();
    assert_eq!(by_judge["judges"].as_array().unwrap().len(), 2, "{by_judge}");
}

#[test]
fn a_distilled_code_is_made_where_triplets_teach_and_can_be_left_out() {
    let folder = judged();
    let fit = "fit --triplets answers.csv --sweeps 20 --chains 2 --seed 1 --quiet --no-rehearsal";
    folder.ok(&format!("{fit} --distil 12 -o with.sibp"));
    folder.ok(&format!("{fit} --distil 0 -o without.sibp"));
    let choice = |line: &str| {
        let found: Value = serde_json::from_str(&folder.ok(line)).unwrap();
        found["code"]["choice"].as_str().unwrap().to_owned()
    };
    assert_eq!(choice("inspect with.sibp --json"), "distil");
    assert_eq!(choice("inspect without.sibp --json"), "map");
    assert_eq!(choice("inspect with.sibp --code map --json"), "map");
    folder.fails("encode without.sibp --training --code distil -o c.npy", &["without.sibp", "no distilled code"]);
    folder.ok(&format!("{fit} --distil 12 --threads 1 -o again.sibp"));
    assert!(folder.read("with.sibp") == folder.read("again.sibp"), "the same bytes on any number of threads");
}

#[test]
fn links_are_chosen_by_name() {
    let folder = judged();
    let fit = "fit --triplets answers.csv --sweeps 5 --chains 1 --quiet --no-rehearsal --distil 0";
    for (link, words) in [("ratio", "pseudo-weight"), ("logistic", "ln slope"), ("logistic:0.5", "slope 0.5 (fixed)")] {
        folder.ok(&format!("{fit} --link {link} -o m.sibp"));
        let text = folder.ok("inspect m.sibp");
        assert!(text.contains(words), "{link}: {text}");
    }
    folder.misused(&format!("{fit} --link linear -o m.sibp"), &["linear", "ratio, logistic"]);
    folder.misused(&format!("{fit} --link logistic:0 -o m.sibp"), &["slope is 0"]);
    assert!(folder.ok("fit --triplets answers.csv --print-schedule").contains("lapse,slope,"));
    assert!(!folder.ok("fit --print-schedule").contains("slope"));
}
