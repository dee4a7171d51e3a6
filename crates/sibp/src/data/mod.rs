//! Holds the user's data: input vectors, ids and labels, and reads and writes their files.

mod atomic;
mod csv;
mod error;
mod ids;
mod inputs;
mod labels;
mod matching;
mod missing;
mod npy;
mod numbers;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod read_labels;
mod source;
mod splits;
mod table;
mod text_rows;

pub(crate) use self::csv::Records;
pub(crate) use error::shown;
pub(crate) use npy::{holds_booleans, read_integers, shape_text};
pub(crate) use table::{Format, format_of};

pub use atomic::AtomicFile;
pub use error::{DataError, Place};
pub use ids::Ids;
pub use inputs::Inputs;
pub use labels::Labels;
pub use matching::Matching;
pub use missing::{Filling, Gap, Gaps, Missing};
pub use npy::{
    ByteMatrix, NpyElement, NpyWriter, read_matrix_u8, write_npy, write_npy_f32, write_npy_f64, write_npy_i64,
    write_npy_u8, write_npy_u64,
};
pub(crate) use numbers::Precision;
pub use numbers::Storage;
pub use options::{ColumnRef, HeaderLine, ReadOptions};
pub use read_labels::{read_id_numbers, read_ids, read_labels, read_texts};
pub use splits::{Split, read_splits};
pub use table::{RowChunks, Table, TableNotes, read_noted, read_table};
pub use text_rows::TextRows;
