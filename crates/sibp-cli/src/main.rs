//! Runs the `sibp` command: learn short binary codes, encode, search.
fn main() {}
