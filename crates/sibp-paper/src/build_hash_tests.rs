//! Checks what the hash of a build depends on, and that this build has the hash of its sources.

use crate::build_hash::{SOURCES, build_hash, sources};
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
    let hash = |root: &tempfile::TempDir| build_hash(root.path(), &SOURCES).unwrap();
    workspace(one.path());
    workspace(&two.path().join("elsewhere"));
    let first = hash(&one);
    assert_eq!(first.len(), 16);
    assert_eq!(first, build_hash(&two.path().join("elsewhere"), &SOURCES).unwrap(), "another place");
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
    assert!(build_hash(one.path(), &SOURCES).is_err(), "a source that is not there");
}

#[test]
fn a_package_outside_the_workspace_has_the_hash_of_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    workspace(folder.path());
    let member = folder.path().join("crates/sibp-paper");
    assert_eq!(sources(&member).1, SOURCES);
    // Unpacked two folders below a workspace, as vendored packages may be.
    let package = folder.path().join("vendor/sibp-paper");
    std::fs::create_dir_all(package.join("src")).unwrap();
    std::fs::write(package.join("Cargo.toml"), "sibp = \"=1.0.0\"").unwrap();
    std::fs::write(package.join("src/lib.rs"), "//! Reproduces.\n").unwrap();
    let hash = || {
        let (root, names) = sources(&package);
        assert_eq!(root, package);
        build_hash(&root, names).unwrap()
    };
    let first = hash();
    std::fs::write(folder.path().join("crates/sibp/src/lib.rs"), "another library").unwrap();
    assert_eq!(hash(), first, "the workspace around it counts");
    std::fs::write(package.join("Cargo.toml"), "sibp = \"=1.0.1\"").unwrap();
    assert_ne!(hash(), first, "the version of the library does not count");
}

#[test]
fn this_build_has_the_hash_of_its_sources() {
    let (root, names) = sources(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(build_hash(&root, names).unwrap(), BUILD, "the build script did not run after a change");
}
