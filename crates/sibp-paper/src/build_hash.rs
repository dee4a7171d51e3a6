//! Computes the hash of a build from the sources that decide its results; the build script compiles this file too.

use std::io;
use std::path::{Path, PathBuf};

/// Files, and folders of Rust sources, that decide results, from the root of the workspace.
pub const SOURCES: [&str; 6] = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/sibp/Cargo.toml",
    "crates/sibp/src",
    "crates/sibp-paper/Cargo.toml",
    "crates/sibp-paper/src",
];

/// The same in a published package, whose manifest names the one version of the library that it is built with.
const PACKAGED: [&str; 2] = ["Cargo.toml", "src"];

/// Where the sources of this crate's build lie, and which they are: in the workspace, or in a package without one.
pub fn sources(manifest_dir: &Path) -> (PathBuf, &'static [&'static str]) {
    let root = manifest_dir.join("../..");
    // A package may be unpacked below any folder, other workspaces among them.
    let member = root.join("crates/sibp-paper").canonicalize().ok();
    if member.is_some() && member == manifest_dir.canonicalize().ok() {
        (root, &SOURCES)
    } else {
        (manifest_dir.to_owned(), &PACKAGED)
    }
}

/// The hash of these sources below this root, as 16 hexadecimal digits.
///
/// It depends on contents and on names below the root alone: not on where the root is, on times, on version control, or
/// on how lines end.
pub fn build_hash(root: &Path, sources: &[&str]) -> io::Result<String> {
    let mut files = Vec::new();
    for name in sources {
        list(root, name, &mut files)?;
    }
    files.sort_unstable();
    let mut hash = Fnv::new();
    for name in &files {
        let text = std::fs::read(root.join(name))?;
        let kept = text.into_iter().filter(|&byte| byte != b'\r');
        // Neither names nor sources hold the byte 0.
        name.bytes().chain([0]).chain(kept).chain([0]).for_each(|byte| hash.add(byte));
    }
    Ok(format!("{:016x}", hash.0))
}

/// Adds a file, or the Rust sources of a folder, by names with slashes.
fn list(root: &Path, name: &str, files: &mut Vec<String>) -> io::Result<()> {
    let path = root.join(name);
    if !path.is_dir() {
        files.push(name.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let inside = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() || inside.ends_with(".rs") {
            list(root, &inside, files)?;
        }
    }
    Ok(())
}

/// FNV-1a with 64 bits: no dependency, and builds have no reason to collide.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
}
