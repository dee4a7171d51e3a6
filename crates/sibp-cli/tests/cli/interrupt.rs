//! Tests that a fit which is stopped, cut off or killed goes on to the same bytes.

use crate::common::{Folder, signal, wait_for};
use std::process::Stdio;
use std::time::Duration;

/// Long enough to be interrupted, short enough to be finished.
const FIT: &str = "fit x.npy --labels y.npy --model gaussian --seed 3 --per-object 10 --chains 2 --sweeps 1500 --quiet";

#[test]
fn a_time_limit_keeps_what_was_drawn_and_resume_goes_on_to_the_same_bytes() {
    // Many times as long as the limit, which in turn is much longer than set-up.
    const FIT: &str =
        "fit x.npy --labels y.npy --model gaussian --seed 3 --per-object 10 --chains 2 --sweeps 40000 --quiet";
    let folder = Folder::with_data();
    folder.ok(&format!("{FIT} -o whole.sibp"));
    let ran = folder.run(&format!("{FIT} --time-limit 1s -o m.sibp").replace(" --quiet", ""));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("stopped by the time limit") && ran.stderr.contains("--resume"), "{}", ran.stderr);
    assert!(folder.ok("inspect m.sibp").contains("warning: the run is unfinished"));
    folder.ok("encode m.sibp x.npy --quiet -o codes.npy");
    folder.ok(&format!("{FIT} --resume -o m.sibp"));
    assert!(folder.read("m.sibp") == folder.read("whole.sibp"), "other bytes than the uninterrupted run");
    let again = folder.run(&format!("{FIT} --resume -o m.sibp").replace(" --quiet", ""));
    assert_eq!(again.code, 0);
    assert!(again.stderr.contains("was finished already"), "{}", again.stderr);
}

#[test]
fn every_model_resumes_to_the_same_bytes() {
    let folder = Folder::with_data();
    let models = [
        "--labels y.npy --model probit --per-object 5 --sweeps 40",
        "--model ibp --sweeps 300",
        "--labels y.npy --model gaussian --preset paper --sweeps 200",
    ];
    for model in models {
        let line = format!("fit x.npy {model} --seed 3 --quiet");
        folder.ok(&format!("{line} -o whole.sibp"));
        folder.stopped(&line, "m.sibp");
        folder.ok(&format!("{line} --resume -o m.sibp"));
        assert!(folder.read("m.sibp") == folder.read("whole.sibp"), "{model}: other bytes");
    }
}

#[test]
fn ctrl_c_keeps_what_was_drawn() {
    let folder = Folder::with_data();
    folder.ok(&format!("{FIT} -o whole.sibp"));
    let line = format!("{FIT} --checkpoint-every 20ms -o m.sibp").replace(" --quiet", "");
    let child = folder.command(&line).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    wait_for(&folder.path("m.sibp.checkpoint"));
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("what was drawn is kept") && said.contains("to go on: sibp fit x.npy"), "{said}");
    assert!(folder.has("m.sibp") && !folder.has("m.sibp.checkpoint"));
    assert!(folder.ok("inspect m.sibp").contains("warning: the run is unfinished"));
    folder.ok(&format!("{FIT} --resume -o m.sibp"));
    assert!(folder.read("m.sibp") == folder.read("whole.sibp"), "other bytes than the uninterrupted run");
}

/// 20 kills in the fast tier; `make verify` asks for 200.
#[test]
fn kills_at_random_instants_lose_nothing() {
    let n_kills: u32 = std::env::var("SIBP_KILLS").map_or(20, |text| text.parse().unwrap());
    let folder = Folder::with_data();
    folder.ok(&format!("{FIT} -o whole.sibp"));
    let line = format!("{FIT} --checkpoint-every 10ms --resume -o m.sibp");
    let mut state = 2024u64;
    let (mut n_runs, mut n_killed) = (0, 0);
    while n_killed < n_kills {
        n_runs += 1;
        assert!(n_runs <= 10 * n_kills, "only {n_killed} of {n_runs} runs were long enough to be killed");
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut child = folder.command(&line).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + (state >> 33) % 90));
        // It may have finished by itself; then there is nothing to kill.
        let _ = child.kill();
        n_killed += u32::from(child.wait().unwrap().code().is_none());
        for file in ["m.sibp", "m.sibp.checkpoint"].into_iter().filter(|file| folder.has(file)) {
            assert_eq!(folder.run(&format!("inspect {file}")).code, 0, "run {n_runs}: {file} is torn");
        }
        // A run that got to its end makes room for another, so that every kill has something to hit.
        if folder.has("m.sibp") && !folder.has("m.sibp.checkpoint") {
            assert!(folder.read("m.sibp") == folder.read("whole.sibp"), "run {n_runs}: other bytes");
            std::fs::remove_file(folder.path("m.sibp")).unwrap();
        }
    }
    folder.ok(&line);
    assert!(folder.read("m.sibp") == folder.read("whole.sibp"), "other bytes than the uninterrupted run");
    assert!(!folder.has("m.sibp.checkpoint"));
    println!("{n_killed} kills in {n_runs} runs: no torn file, the same bytes");
}

#[test]
fn resuming_with_anything_changed_names_it() {
    let folder = Folder::with_data();
    folder.stopped(FIT, "m.sibp");
    let kept = folder.read("m.sibp");
    let refuse = |line: String, parts: &[&str]| {
        folder.fails(&format!("{line} --resume -o m.sibp"), parts);
        assert!(folder.read("m.sibp") == kept, "a refused resume must leave the file alone");
    };
    refuse(FIT.replace("--seed 3", "--seed 4"), &["cannot resume", "seed", "3", "4"]);
    refuse(FIT.replace("--per-object 10", "--per-object 9"), &["per_object", "10", "9"]);
    refuse(FIT.replace("--chains 2", "--chains 3"), &["chains"]);
    refuse(format!("{FIT} --preset paper"), &["cannot resume"]);
    refuse(format!("{FIT} --transform standardise"), &["cannot resume", "transform"]);
    let mut other = crate::common::inputs(crate::common::N, 0);
    other[0] += 1.0;
    folder.npy_f64("x.npy", crate::common::M, &other);
    refuse(FIT.into(), &["cannot resume", "features"]);
}

#[test]
fn a_finished_model_goes_on_to_the_bytes_of_more_sweeps_at_once() {
    let folder = Folder::with_data();
    folder.write("t.csv", "anchor,near,far\n0,2,1\n1,3,0\n2,4,3\n4,0,5\n5,3,2\n");
    let models = [
        "--labels y.npy --model probit --per-object 5",
        "--labels y.npy --model gaussian --preset paper --draws 6",
        "--model ibp",
        "--triplets t.csv --chains 3",
    ];
    for model in models {
        let line = format!("fit x.npy {model} --seed 3 --quiet");
        folder.ok(&format!("{line} --sweeps 60 -o whole.sibp"));
        folder.ok(&format!("{line} --sweeps 30 -o m.sibp --force"));
        folder.ok(&format!("{line} --sweeps 60 --resume -o m.sibp"));
        assert!(folder.read("m.sibp") == folder.read("whole.sibp"), "{model}: other bytes than 60 sweeps at once");
    }
}

#[test]
fn a_finished_model_that_cannot_go_on_says_what_to_do() {
    let folder = Folder::with_data();
    let line = "fit x.npy --labels y.npy --model gaussian --seed 3 --per-object 5 --draws 4 --quiet";
    folder.ok(&format!("{line} --sweeps 30 -o m.sibp"));
    let kept = folder.read("m.sibp");
    folder.fails(
        &format!("{line} --sweeps 40 --resume -o m.sibp"),
        &["from 30 to 40 sweeps", "at least 60", "start anew"],
    );
    folder.fails(&format!("{line} --sweeps 20 --resume -o m.sibp"), &["to 20 sweeps", "30 are done already"]);
    let other = line.replace("--seed 3", "--seed 4");
    folder.fails(&format!("{other} --sweeps 60 --resume -o m.sibp"), &["cannot resume", "seed"]);
    assert!(folder.read("m.sibp") == kept, "a refused run must leave the file alone");
}

/// A run without any sweep has learned nothing: no model is written, and an older one stays.
#[test]
fn a_time_limit_that_allows_no_sweep_is_an_error() {
    let folder = Folder::with_data();
    folder.ok(&format!("{FIT} -o m.sibp"));
    let before = folder.read("m.sibp");
    let line = format!("{FIT} --seed 4 --time-limit 0.001ms -o m.sibp").replace("--seed 3 ", "");
    folder.fails(&line, &["no time for a single sweep", "--time-limit"]);
    assert!(folder.read("m.sibp") == before && !folder.has("m.sibp.checkpoint"));
}

/// While files are read there is nothing to keep, so that the first Ctrl-C ends the command, in order.
#[test]
fn ctrl_c_before_the_first_sweep_ends_at_once() {
    let folder = Folder::with_data();
    let made = std::process::Command::new("mkfifo").arg(folder.path("labels.txt")).status();
    assert!(made.expect("mkfifo runs").success());
    let line = "fit x.npy --labels labels.txt --sweeps 10 -o m.sibp";
    let child = folder.command(line).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // This opens as soon as the command reads the labels, of which none come.
    let pipe = std::fs::OpenOptions::new().write(true).open(folder.path("labels.txt")).unwrap();
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    drop(pipe);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped before anything was drawn"), "{said}");
    assert!(!folder.has("m.sibp"));
}
