//! Checks what the hash of a build depends on, and that this build has the hash of its sources.

use crate::build_hash::{SOURCES, build_hash};
use crate::kept::BUILD;
use std::path::Path;

/// A workspace of small files.
fn workspace(root: &Path) {
    for name in SOURCES {
        let path = root.join(name);
        if name.ends_with("src") {
            std::fs::create_dir_all(path.join("eval")).unwrap();
            std::fs::write(path.join("lib.rs"), format!("//! {name}\nmod eval;\n")).unwrap();
            std::fs::write(path.join("eval/mod.rs"), "//! Measures.\n").unwrap();
        } else {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        }
    }
}

#[test]
fn contents_and_names_decide_and_nothing_else() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let hash = |root: &tempfile::TempDir| build_hash(root.path()).unwrap();
    workspace(one.path());
    workspace(&two.path().join("elsewhere"));
    let first = hash(&one);
    assert_eq!(first.len(), 16);
    assert_eq!(first, build_hash(&two.path().join("elsewhere")).unwrap(), "another place");
    let write = |name: &str, text: &str| std::fs::write(one.path().join(name), text).unwrap();
    write("crates/sibp/src/eval/mod.rs", "//! Measures.\r\n");
    assert_eq!(hash(&one), first, "another way to end lines");
    write("crates/sibp/src/notes.txt", "not a source");
    write("README.md", "nor this");
    assert_eq!(hash(&one), first);
    let changes = [
        ("crates/sibp/src/eval/mod.rs", "//! Measures!\n"),
        ("crates/sibp-paper/src/lib.rs", "\n"),
        ("crates/sibp/src/eval/new.rs", ""),
        ("Cargo.lock", "another version of a dependency"),
        ("crates/sibp/Cargo.toml", "features"),
    ];
    let mut seen = vec![first];
    for (name, text) in changes {
        write(name, text);
        assert!(!seen.contains(&hash(&one)), "{name} does not count");
        seen.push(hash(&one));
    }
    std::fs::rename(one.path().join("crates/sibp/src/lib.rs"), one.path().join("crates/sibp/src/bil.rs")).unwrap();
    assert!(!seen.contains(&hash(&one)), "names do not count");
    std::fs::remove_file(one.path().join("Cargo.lock")).unwrap();
    assert!(build_hash(one.path()).is_err(), "a source that is not there");
}

#[test]
fn this_build_has_the_hash_of_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert_eq!(build_hash(&root).unwrap(), BUILD, "the build script did not run after a change");
}
