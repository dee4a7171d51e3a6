//! Tests that a disk without room and a folder without permission leave the old file as it was, and no litter.
//!
//! A limit on the size of files acts as a full disk: writes fail once some bytes were written.
#![cfg(unix)]

use crate::common::{Folder, Ran};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Every command that writes a file over an older one, whatever that is (`--force`).
const WRITERS: [(&str, &str); 9] = [
    ("fit x.npy --labels y.npy --model gaussian --seed 2 --sweeps 20 --per-object 8 --quiet -o", "old.sibp"),
    ("fit x.npy --labels y.npy --model gaussian --storage disk --sweeps 20 --per-object 8 --quiet -o", "old.sibp"),
    ("encode m.sibp x.npy --quiet --format bits -o", "old.npy"),
    ("export old.sibx --to faiss -o", "old.faiss"),
    ("export old.sibx --to parquet -o", "old.parquet"),
    ("index build bits.npy --quiet -o", "old.sibx"),
    ("index add old.sibx bits.npy --quiet -o", "old.sibx"),
    ("triplets from-labels y.npy --per-object 8 --seed 1 -o", "old-triplets.csv"),
    ("report m.sibp -o", "old.html"),
];

/// Those of more than 1024 bytes.
const LARGE: [&str; 3] = ["old.sibp", "old.sibx", "old.html"];

fn with_old_files() -> Folder {
    let folder = Folder::with_model();
    folder.ok("encode m.sibp x.npy --quiet --format bits -o bits.npy");
    folder.ok("index build bits.npy --quiet -o old.sibx");
    for (_, name) in WRITERS.iter().filter(|(_, name)| *name != "old.sibx") {
        folder.write(name, "old bytes");
    }
    folder
}

/// All files of the folder with their bytes.
fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder.path(".")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), folder.read(&name))).collect()
}

fn finish(mut command: Command) -> std::io::Result<Ran> {
    let output = command.output()?;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ok(Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) })
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = with_old_files();
    let before = contents(&folder);
    // No room at all, and room for 512 or 1024 bytes (shells differ in their unit) of files that are larger.
    for (blocks, writers) in
        [(0, WRITERS.to_vec()), (1, WRITERS.into_iter().filter(|w| LARGE.contains(&w.1)).collect())]
    {
        for (line, name) in writers {
            let sibp = folder.command("");
            let mut shell = Command::new("sh");
            shell.current_dir(folder.path("."));
            // Without the signal, the write fails as on a full disk.
            shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {line} {name} --force")]);
            shell.arg(sibp.get_program());
            let ran = finish(shell).unwrap();
            assert_eq!(ran.code, 1, "{line} with {blocks} blocks: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains("File too large"), "{line}: {}", ran.stderr);
            assert!(contents(&folder) == before, "{line} with {blocks} blocks: a file changed or was left behind");
        }
    }
}

#[test]
fn a_folder_without_permission_keeps_its_files() {
    const NOBODY: u32 = 65534;
    let folder = with_old_files();
    let before = contents(&folder);
    let is_root = std::fs::metadata(folder.path(".")).unwrap().uid() == 0;
    let permit = |mode: u32| std::fs::set_permissions(folder.path("."), PermissionsExt::from_mode(mode)).unwrap();
    permit(0o555);
    for (line, name) in WRITERS {
        let mut command = folder.command(&format!("{line} {name} --force"));
        // The superuser may write anywhere, so another user is asked to.
        if is_root {
            command.uid(NOBODY);
        }
        let ran = match finish(command) {
            Ok(ran) => ran,
            Err(error) => {
                eprintln!("skipped: the command cannot be run by another user than root: {error}");
                break;
            }
        };
        assert_eq!(ran.code, 1, "{line}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("ermission denied"), "{line}: {}", ran.stderr);
    }
    permit(0o755);
    assert!(contents(&folder) == before, "a file changed or was left behind");
}
