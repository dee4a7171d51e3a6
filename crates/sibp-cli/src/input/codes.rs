//! Reads code files, packed or as 0/1 columns.
//!
//! A matrix whose values are all 0 or 1 is taken for 0/1 columns, any other for packed bytes, whose width must be said.
//! Packed bytes that are all 0 or 1 use one bit of each byte, so both readings give the same distances and a wrong
//! guess does no harm.

use crate::output;
use anyhow::{anyhow, bail};
use sibp::codes::{Codes, CodesError};
use sibp::data::{ByteMatrix, read_matrix_u8};
use std::path::Path;

/// Codes to search in, and queries of the same width.
#[derive(Debug)]
pub struct CodePair {
    /// The codes that are searched.
    pub database: Codes,
    /// The query codes.
    pub queries: Codes,
}

/// Whether a path is meant as an array of codes.
pub fn looks_like_codes(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"))
}

/// Whether a path is meant as an index file.
pub fn looks_like_index(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sibx"))
}

/// How the rows of a file hold codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Packed bytes with this many bits a row.
    Packed(usize),
    /// A column of 0 and 1 for each bit.
    Columns(usize),
}

impl Layout {
    /// Finds how rows of `n_columns` bytes hold codes; `n_bits` is known when a model, an index or the user says it.
    pub fn of(path: &Path, n_columns: usize, all_bits: bool, n_bits: Option<usize>) -> anyhow::Result<Self> {
        match n_bits {
            Some(n) if all_bits && n == n_columns => Ok(Self::Columns(n)),
            None if all_bits => Ok(Self::Columns(n_columns)),
            None => bail!(
                "{}: packed codes do not say how many bits they have: give --bits, {} to {}, or encode to .sibx, which \
                 says it",
                path.display(),
                8 * n_columns - 7,
                8 * n_columns
            ),
            Some(n) if n.div_ceil(8) == n_columns => Ok(Self::Packed(n)),
            Some(n) => bail!(
                "{}: rows of {} are not codes of {} ({} packed, or {n} columns of 0 and 1)",
                path.display(),
                output::count(n_columns, "byte"),
                output::count(n, "bit"),
                output::count(n.div_ceil(8), "byte")
            ),
        }
    }

    pub fn n_bits(self) -> usize {
        match self {
            Self::Packed(n) | Self::Columns(n) => n,
        }
    }

    /// Makes codes of rows; `first_row` is the number of the first, for messages.
    pub fn codes(self, path: &Path, n_rows: usize, bytes: Vec<u8>, first_row: usize) -> anyhow::Result<Codes> {
        let n_bits = match self {
            Self::Packed(n_bits) => {
                return Codes::from_bytes(n_rows, n_bits, bytes).map_err(|error| match error {
                    CodesError::Padding { row, n_bits } => anyhow!(
                        "{}: row {}: bits after bit {n_bits} are set; they must be 0 in packed codes of {n_bits} bits",
                        path.display(),
                        first_row + row
                    ),
                    other => anyhow!("{}: {other}", path.display()),
                });
            }
            Self::Columns(n_bits) => n_bits,
        };
        let mut codes = Codes::zeros(n_rows, n_bits);
        for (row, bits) in bytes.chunks_exact(n_bits).enumerate() {
            for (bit_ix, _) in bits.iter().enumerate().filter(|(_, bit)| **bit == 1) {
                codes.set(row, bit_ix, true);
            }
        }
        Ok(codes)
    }
}

/// Reads one file of codes; `n_bits` is known when a model or an index says it.
pub fn read_codes(path: &Path, n_bits: Option<usize>) -> anyhow::Result<Codes> {
    let matrix = read_matrix_u8(path)?;
    let layout = Layout::of(path, matrix.n_columns, all_bits(&matrix), n_bits)?;
    layout.codes(path, matrix.n_rows, matrix.bytes, 0)
}

/// Reads one file of codes for distances alone, which do not depend on how many bits of the last byte are used.
pub fn read_codes_of_any_width(path: &Path) -> anyhow::Result<Codes> {
    let matrix = read_matrix_u8(path)?;
    let all_bits = all_bits(&matrix);
    let layout = if all_bits { Layout::Columns(matrix.n_columns) } else { Layout::Packed(8 * matrix.n_columns) };
    layout.codes(path, matrix.n_rows, matrix.bytes, 0)
}

/// Reads codes and queries, which must be stored in the same way, for distances alone: those do not depend on how many
/// bits of the last byte are used.
pub fn read_pair_of_any_width(database: &Path, queries: &Path, n_bits: Option<usize>) -> anyhow::Result<CodePair> {
    pair(database, queries, n_bits, true)
}

/// Reads codes and queries, which must be stored in the same way.
pub fn read_pair(database: &Path, queries: &Path, n_bits: Option<usize>) -> anyhow::Result<CodePair> {
    pair(database, queries, n_bits, false)
}

fn pair(database: &Path, queries: &Path, n_bits: Option<usize>, any_width: bool) -> anyhow::Result<CodePair> {
    let (first, second) = (read_matrix_u8(database)?, read_matrix_u8(queries)?);
    if first.n_columns != second.n_columns {
        bail!(
            "{} has {} columns but {} has {}; both must hold codes of the same model in the same format (packed or bits)",
            database.display(),
            first.n_columns,
            queries.display(),
            second.n_columns
        );
    }
    let all_bits = all_bits(&first) && all_bits(&second);
    let n_bits = n_bits.or_else(|| (any_width && !all_bits).then_some(8 * first.n_columns));
    let layout = Layout::of(database, first.n_columns, all_bits, n_bits)?;
    Ok(CodePair {
        database: layout.codes(database, first.n_rows, first.bytes, 0)?,
        queries: layout.codes(queries, second.n_rows, second.bytes, 0)?,
    })
}

fn all_bits(matrix: &ByteMatrix) -> bool {
    matrix.bytes.iter().all(|&byte| byte <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readings_of_ones_and_zeros_give_the_same_distances() {
        let path = Path::new("x.npy");
        let bytes = vec![0, 1, 1, 1, 1, 0];
        let codes = |n_bits| Layout::of(path, 3, true, n_bits).unwrap().codes(path, 2, bytes.clone(), 0).unwrap();
        let (bits, packed) = (codes(None), codes(Some(24)));
        assert_eq!((bits.n_bits(), packed.n_bits()), (3, 24));
        assert_eq!(bits.distance(0, bits.row(1)), packed.distance(0, packed.row(1)));
        assert!(Layout::of(path, 3, false, Some(9)).is_err());
    }
}
