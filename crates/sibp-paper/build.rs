//! Gives the crate the hash of the sources that decide its results, so that results of other builds are told apart.

#[path = "src/build_hash.rs"]
mod build_hash;

fn main() -> std::io::Result<()> {
    // Asked for when it runs, as a target folder that is kept may have compiled it for a clone elsewhere.
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").ok_or(std::io::ErrorKind::NotFound)?;
    let (root, sources) = build_hash::sources(std::path::Path::new(&folder));
    for name in sources {
        println!("cargo::rerun-if-changed={}", root.join(name).display());
    }
    println!("cargo::rustc-env=SIBP_BUILD={}", build_hash::build_hash(&root, sources)?);
    Ok(())
}
