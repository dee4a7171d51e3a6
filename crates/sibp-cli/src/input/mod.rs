//! Reads the user's files, with the options that several subcommands share.

mod code_chunks;
mod code_pair;
mod code_source;
mod codes;
mod columns;
mod described;
mod judgements;
pub mod memory;
mod missing;
mod odd_columns;
mod resources;
mod table;
mod triplets;

pub use code_chunks::CodeChunks;
pub use code_pair::{Reading, holds_codes, read_database, read_two};
pub use code_source::{CodeSource, Origin, check_encoders};
pub use codes::{looks_like_codes, looks_like_index, read_codes, read_codes_of_any_width, read_pair_of_any_width};
pub use columns::Columns;
pub use described::{ChunkTexts, Described, DescribedArgs, Wanted, read_wanted_ids};
pub use judgements::{note_of_answers, read_judgements_of};
pub use missing::{MissingArg, MissingArgs, among};
pub use odd_columns::warn_of_columns;
pub use table::{SplitArgs, TableArgs, select};
pub use triplets::{FromLabelsArgs, triplets_from_labels, warn_of_small_classes};
