//! Holds `sibp fit` to what it says about memory.

use crate::common::{Folder, npy};
use std::fs::OpenOptions;
use std::process::Stdio;

/// 20,000 objects of 32 inputs in eight classes.
fn folder() -> Folder {
    let (n, m) = (20_000, 32);
    let folder = Folder::new();
    let value = |at: usize| ((at * 7919 + at / m * 104_729) % 1000) as f64 / 1000.0 + ((at / m) % 8 * (at % m)) as f64;
    folder.npy_f64("x.npy", m, &(0..n * m).map(value).collect::<Vec<_>>());
    folder.npy_i64("y.npy", &(0..n as i64).map(|i| i % 8).collect::<Vec<_>>());
    folder
}

/// Megabytes in a line such as "needs about 85 MB; 20 GB are free".
fn told(stderr: &str) -> f64 {
    let line = stderr.lines().find_map(|line| line.strip_prefix("needs about ")).unwrap_or_else(|| panic!("{stderr}"));
    let mut words = line.split([' ', ';']);
    let number: f64 = words.next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{line}"));
    if words.next() == Some("GB") { 1000.0 * number } else { number }
}

/// The largest number of megabytes that the system ever showed for the process under this name.
fn peak(mut child: std::process::Child, name: &str) -> (f64, String) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0f64;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kilobytes = text.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = kilobytes.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0.0) * 1024e-6);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    (peak, stderr)
}

#[test]
#[cfg(target_os = "linux")]
fn a_fit_takes_about_the_memory_that_it_says() {
    let folder = folder();
    for model in ["probit", "gaussian"] {
        let line = format!(
            "fit x.npy --labels y.npy --model {model} --per-object 20 --sweeps 2 --draws 1 --verbose -o m.sibp"
        );
        let child = folder.command(&line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (peak, stderr) = peak(child, "VmHWM:");
        let told = told(&stderr);
        println!("{model}: told {told:.0} MB, took {peak:.0} MB");
        assert!(peak < 2.0 * told && told < 2.0 * peak, "{model}: told {told} MB, took {peak} MB");
    }
}

#[test]
fn the_need_is_told_on_request_only_while_it_is_small() {
    let folder = Folder::with_data();
    let line = "fit x.npy --labels y.npy --model gaussian --sweeps 2 -o m.sibp";
    assert!(!folder.run(line).stderr.contains("needs about "));
    let ran = folder.run(&format!("{line} --verbose"));
    assert!(
        ran.stderr.contains(" MB; ") && ran.stderr.contains("needs about ") && ran.stderr.contains("  triplets: "),
        "{}",
        ran.stderr
    );
    folder.misused(&format!("{line} --verbose --quiet"), &["--quiet"]);
}

/// The most memory that a fit held which no file stands behind, in megabytes.
#[cfg(target_os = "linux")]
fn peak_of_its_own(folder: &Folder, options: &str) -> (f64, String) {
    let line = format!("fit x.npy --model ibp --sweeps 1 --draws 1 --chains 1 {options} -o m.sibp");
    let child = folder.command(&line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    peak(child, "RssAnon:")
}

/// 41 MB of inputs as read and once more transformed; on disk none of it is memory of our own, and the models are the same
/// bytes.
#[test]
#[cfg(target_os = "linux")]
fn inputs_on_disk_leave_memory_free() {
    let (n, m) = (40_000, 128);
    let folder = Folder::new();
    let value = |at: usize| ((at * 7919 + at / m * 104_729) % 1000) as f64 / 1000.0 + ((at / m) % 8 * (at % m)) as f64;
    folder.npy_f64("x.npy", m, &(0..n * m).map(value).collect::<Vec<_>>());
    let (memory, _) = peak_of_its_own(&folder, "--storage memory");
    let model = std::fs::read(folder.path("m.sibp")).unwrap();
    let (disk, stderr) = peak_of_its_own(&folder, "--storage disk --verbose");
    println!("in memory {memory:.0} MB, on disk {disk:.0} MB");
    assert!(disk < 0.5 * memory, "{memory} {disk}");
    assert!(stderr.contains("and up to 82 MB of disk"), "{stderr}");
    assert_eq!(std::fs::read(folder.path("m.sibp")).unwrap(), model);
    // With less memory than the fit would need, inputs go to disk unasked, and say so.
    let (limited, stderr) = peak_of_its_own(&folder, "--memory-limit 60MB");
    assert!(stderr.contains("60 MB are free; they are kept on disk in "), "{stderr}");
    assert!(limited < 0.5 * memory, "{memory} {limited}");
    assert_eq!(std::fs::read(folder.path("m.sibp")).unwrap(), model);
    let line = "fit x.npy --model ibp --memory-limit 60MB --storage memory -o other.sibp";
    folder.fails(line, &["x.npy: 40,000 objects of 128 inputs do not fit", "60 MB are free"]);
    folder.fails("fit x.npy --model ibp --storage disk --scratch gone -o m.sibp", &["gone", "choose a folder"]);
    folder.misused("fit x.npy --model ibp --memory-limit much -o m.sibp", &["'much' is no unit"]);
}

/// A sparse file stands for inputs that no machine holds.
#[test]
fn features_larger_than_memory_are_refused_with_figures() {
    let folder = Folder::new();
    let (n, m) = (4_000_000_000u64, 128u64);
    let header = npy("<f4", &format!("({n}, {m})"), &[]);
    folder.write("x.npy", &header);
    folder.npy_i64("y.npy", &[0, 1]);
    let file = OpenOptions::new().write(true).open(folder.path("x.npy")).unwrap();
    if file.set_len(header.len() as u64 + n * m * 4).is_err() {
        eprintln!("skipped: the file system holds no sparse file of 2 TB");
        return;
    }
    let parts = [
        "x.npy: 4,000,000,000 objects of 128 inputs do not fit",
        "with its inputs in memory",
        "on disk they need up to 10,240 GB",
        "are free (--storage disk, --scratch FOLDER)",
        "a sample of the objects",
    ];
    folder.fails("fit x.npy --labels y.npy -o m.sibp", &parts);
    assert!(!folder.has("m.sibp"));
}
