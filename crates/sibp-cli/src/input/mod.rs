//! Reads the user's files, with the options that several subcommands share.

mod code_chunks;
mod codes;
mod id_numbers;
pub mod memory;
mod resources;
mod table;
mod triplets;

pub use code_chunks::CodeChunks;
pub use codes::{looks_like_codes, looks_like_index, read_codes, read_pair};
pub use id_numbers::{IdArgs, read_id_file};
pub use table::{SplitArgs, TableArgs, read_triplets_of, select};
pub use triplets::{FromLabelsArgs, triplets_from_labels, warn_of_small_classes};
