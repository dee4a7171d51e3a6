//! Holds what a user brings: feature vectors, ids and labels, and reads and writes their files.

mod atomic;
mod csv;
mod error;
mod features;
mod fitted_step;
mod fourier;
mod gram;
mod ids;
mod labels;
mod moments;
mod npy;
mod numbers;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod principal;
mod read_labels;
mod source;
mod splits;
mod step;
mod table;
mod transform;

pub(crate) use self::csv::Records;
pub(crate) use error::shown;
pub(crate) use gram::gram;
pub(crate) use npy::{read_integers, shape_text};
pub(crate) use table::{Format, format_of};

pub use atomic::AtomicFile;
pub use error::{DataError, Place};
pub use features::Features;
pub use fitted_step::FittedStep;
pub use fourier::FourierFeatures;
pub use ids::Ids;
pub use labels::Labels;
pub use npy::{
    ByteMatrix, NpyElement, NpyWriter, read_matrix_u8, write_npy, write_npy_f32, write_npy_f64, write_npy_i64,
    write_npy_u8, write_npy_u64,
};
pub use numbers::Storage;
pub use options::{ColumnRef, HeaderLine, ReadOptions};
pub use principal::PrincipalAxes;
pub use read_labels::{read_id_numbers, read_ids, read_labels};
pub use splits::{Split, read_splits};
pub use step::{InputTransform, Step};
pub use table::{RowChunks, Table, read_table};
pub use transform::Transform;
