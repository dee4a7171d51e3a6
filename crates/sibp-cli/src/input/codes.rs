//! Reads code files, packed or as 0/1 columns.
//!
//! A matrix whose values are all 0 or 1 is taken for 0/1 columns, any other for packed bytes. Packed bytes that are
//! all 0 or 1 use one bit of each byte, so both readings give the same distances: nothing hangs on the guess.

use crate::failure::usage;
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::{ByteMatrix, read_matrix_u8};
use std::path::Path;

/// Codes to search in, and queries of the same width.
#[derive(Debug)]
pub struct CodePair {
    /// What is searched.
    pub database: Codes,
    /// What is asked.
    pub queries: Codes,
}

/// Whether a path is meant as a code file rather than a model.
pub fn looks_like_codes(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"))
}

/// Reads one file of codes; `n_bits` is known when a model says it.
pub fn read_codes(path: &Path, n_bits: Option<usize>) -> anyhow::Result<Codes> {
    let matrix = read_matrix_u8(path)?;
    let as_bits = all_bits(&matrix) && n_bits.is_none_or(|n| n == matrix.n_columns);
    to_codes(path, &matrix, as_bits, n_bits)
}

/// Reads codes and queries, which must be stored in the same way.
pub fn read_pair(database: &Path, queries: &Path, n_bits: Option<usize>) -> anyhow::Result<CodePair> {
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
    let as_bits = all_bits(&first) && all_bits(&second) && n_bits.is_none_or(|n| n == first.n_columns);
    Ok(CodePair {
        database: to_codes(database, &first, as_bits, n_bits)?,
        queries: to_codes(queries, &second, as_bits, n_bits)?,
    })
}

fn all_bits(matrix: &ByteMatrix) -> bool {
    matrix.bytes.iter().all(|&byte| byte <= 1)
}

fn to_codes(path: &Path, matrix: &ByteMatrix, as_bits: bool, n_bits: Option<usize>) -> anyhow::Result<Codes> {
    let n_bits = match (as_bits, n_bits) {
        (true, _) => matrix.n_columns,
        (false, None) => 8 * matrix.n_columns,
        (false, Some(n)) if n.div_ceil(8) == matrix.n_columns => n,
        (false, Some(n)) => {
            return Err(usage(format!(
                "{}: rows of {} bytes are not codes of the model's {n} bits ({} bytes packed, or {n} columns of 0 and 1)",
                path.display(),
                matrix.n_columns,
                n.div_ceil(8)
            )));
        }
    };
    if !as_bits {
        return Codes::from_bytes(matrix.n_rows, n_bits, matrix.bytes.clone())
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()));
    }
    let mut codes = Codes::zeros(matrix.n_rows, n_bits);
    for (row, bits) in matrix.bytes.chunks_exact(matrix.n_columns).enumerate() {
        for (bit_ix, _) in bits.iter().enumerate().filter(|(_, bit)| **bit == 1) {
            codes.set(row, bit_ix, true);
        }
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readings_of_ones_and_zeros_give_the_same_distances() {
        let matrix = ByteMatrix { n_rows: 2, n_columns: 3, bytes: vec![0, 1, 1, 1, 1, 0] };
        let path = Path::new("x.npy");
        let bits = to_codes(path, &matrix, true, None).unwrap();
        let packed = to_codes(path, &matrix, false, None).unwrap();
        assert_eq!((bits.n_bits(), packed.n_bits()), (3, 24));
        assert_eq!(bits.distance(0, bits.row(1)), packed.distance(0, packed.row(1)));
        assert!(to_codes(path, &matrix, false, Some(9)).is_err());
    }
}
