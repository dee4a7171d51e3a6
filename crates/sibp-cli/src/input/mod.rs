//! Reads the user's files, with the options that several subcommands share.

mod code_chunks;
mod codes;
mod id_numbers;
mod judgements;
pub mod memory;
mod resources;
mod table;
mod triplets;

pub use code_chunks::CodeChunks;
pub use codes::{looks_like_codes, looks_like_index, read_codes, read_pair};
pub use id_numbers::{IdArgs, read_id_file};
pub use judgements::{note_of_answers, read_judgements_of};
pub use table::{SplitArgs, TableArgs, select};
pub use triplets::{FromLabelsArgs, triplets_from_labels, warn_of_small_classes};
