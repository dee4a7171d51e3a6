//! Reads what the user brings, with the options that several subcommands share.

mod codes;
mod table;
mod triplets;

pub use codes::{CodePair, looks_like_codes, read_codes, read_pair};
pub use table::{SplitArgs, TableArgs, select};
pub use triplets::{FromLabelsArgs, triplets_from_labels};
