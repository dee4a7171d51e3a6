//! Gives the crate the hash of the sources that decide its results, so that results of other builds are told apart.

#[path = "src/build_hash.rs"]
mod build_hash;

fn main() -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in build_hash::SOURCES {
        println!("cargo::rerun-if-changed=../../{name}");
    }
    println!("cargo::rustc-env=SIBP_BUILD={}", build_hash::build_hash(&root)?);
    Ok(())
}
