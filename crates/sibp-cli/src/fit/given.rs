//! Reads the bits that objects have already.

use crate::commands::fit::Args;
use crate::input::read_codes;
use crate::output;
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::read_matrix_u8;
use sibp::format::GivenBits;
use std::path::Path;

/// The file of `--given-bits`, a row for each of `n_objects`.
pub fn read(args: &Args, n_objects: usize) -> anyhow::Result<Option<GivenBits>> {
    let Some(path) = &args.given_bits else { return Ok(None) };
    let codes = match args.given_width {
        Some(n_bits) => read_codes(path, Some(n_bits))?,
        None => columns(path)?,
    };
    let (file, n_bits) = (path.display(), codes.n_bits());
    if codes.n_objects() != n_objects {
        let rows = output::count(codes.n_objects(), "row");
        bail!("{file} has {rows} but there are {}", output::count(n_objects, "object"));
    }
    if n_bits > n_objects {
        bail!("{file} has {n_bits} given bits for {}; is it transposed?", output::count(n_objects, "object"));
    }
    Ok(Some(GivenBits { source: path.display().to_string(), codes }))
}

/// One column a bit, each 0 or 1.
fn columns(path: &Path) -> anyhow::Result<Codes> {
    let matrix = read_matrix_u8(path)?;
    if let Some(at) = matrix.bytes.iter().position(|&byte| byte > 1) {
        bail!(
            "{}: row {}, column {}: {} is no bit; give 0/1 columns, or packed bytes with --given-width",
            path.display(),
            at / matrix.n_columns,
            at % matrix.n_columns,
            matrix.bytes[at]
        );
    }
    let mut codes = Codes::zeros(matrix.n_rows, matrix.n_columns);
    for (at, _) in matrix.bytes.iter().enumerate().filter(|(_, byte)| **byte == 1) {
        codes.set(at / matrix.n_columns, at % matrix.n_columns, true);
    }
    Ok(codes)
}

/// Bits that all objects share can explain no triplet.
pub fn warn_of_constants(given: Option<&GivenBits>) {
    let Some(GivenBits { source, codes }) = given else { return };
    for bit in 0..codes.n_bits() {
        let owners = (0..codes.n_objects()).filter(|&row| codes.get(row, bit)).count();
        if owners == 0 || owners == codes.n_objects() {
            output::warn(format!("{source}: bit {bit} is the same for all objects; it explains no triplet"));
        }
    }
}
