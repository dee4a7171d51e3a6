//! Reads code files of any length, a chunk of rows at a time, packed or as 0/1 columns.

use super::codes::Layout;
use super::described::ChunkTexts;
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::{Inputs, ReadOptions, RowChunks};
use std::path::{Path, PathBuf};

/// Values read at once.
const VALUES: usize = 4 << 20;

/// The codes of a file, in order.
pub struct CodeChunks {
    path: PathBuf,
    rows: RowChunks,
    layout: Layout,
    next_row: usize,
    n_kept: usize,
}

impl CodeChunks {
    /// Opens a file of bytes or of 0/1 columns. Without `n_bits`, values that are all 0 or 1 are taken for columns:
    /// the file is read through for that, up to its first other value. Packed codes need `n_bits`.
    pub fn open(path: &Path, n_bits: Option<usize>, options: &ReadOptions) -> anyhow::Result<Self> {
        let rows = open(path, options)?;
        // Where the width rules out 0/1 columns, the values need not be read.
        let all_bits = n_bits.is_none_or(|n| n == rows.n_inputs()) && all_bits(path, options)?;
        let layout = Layout::of(path, rows.n_inputs(), all_bits, n_bits)?;
        Ok(Self { path: path.to_owned(), rows, layout, next_row: 0, n_kept: options.keep.len() })
    }

    /// Bits a code.
    pub fn n_bits(&self) -> usize {
        self.layout.n_bits()
    }

    /// Ids and kept cells of the chunk that was read last.
    pub fn texts(&self) -> ChunkTexts {
        ChunkTexts::of(&self.rows, self.n_kept)
    }

    fn codes(&mut self, inputs: &Inputs) -> anyhow::Result<Codes> {
        let n_columns = inputs.n_inputs();
        let mut bytes = Vec::with_capacity(inputs.n_objects() * n_columns);
        for &value in inputs.values().iter() {
            let byte = value as u8;
            if f64::from(byte) != value {
                bail!(
                    "{}: row {}, column {}: {value} is not a whole number from 0 to 255; codes are packed bytes or \
                     columns of 0 and 1",
                    self.path.display(),
                    self.next_row + bytes.len() / n_columns,
                    bytes.len() % n_columns
                );
            }
            bytes.push(byte);
        }
        let codes = self.layout.codes(&self.path, inputs.n_objects(), bytes, self.next_row)?;
        self.next_row += codes.n_objects();
        Ok(codes)
    }
}

impl Iterator for CodeChunks {
    type Item = anyhow::Result<Codes>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next()? {
            Ok(inputs) => Some(self.codes(&inputs)),
            Err(error) => Some(Err(error.into())),
        }
    }
}

fn open(path: &Path, options: &ReadOptions) -> anyhow::Result<RowChunks> {
    let n_columns = RowChunks::open(path, options, 1)?.n_inputs();
    Ok(RowChunks::open(path, options, (VALUES / n_columns).max(1))?)
}

fn all_bits(path: &Path, options: &ReadOptions) -> anyhow::Result<bool> {
    for chunk in open(path, options)? {
        if chunk?.values().iter().any(|&value| value != 0.0 && value != 1.0) {
            return Ok(false);
        }
    }
    Ok(true)
}
