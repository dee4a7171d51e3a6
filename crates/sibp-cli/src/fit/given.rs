//! Reads the given bits of the objects.

use crate::commands::fit::Args;
use crate::input::read_codes;
use crate::output;
use crate::stream::looks_like_hash;
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::{Table, read_matrix_u8};
use sibp::format::GivenBits;
use sibp::hash::HashStack;
use std::path::Path;

/// The file of `--given-bits`: a row for each object, or a hash that predicts them.
pub fn read(args: &Args, table: &Table) -> anyhow::Result<Option<GivenBits>> {
    let Some(path) = &args.given_bits else { return Ok(None) };
    if looks_like_hash(path) {
        return predicted(path, table).map(Some);
    }
    let codes = known(path, args.given_width, table.inputs.n_objects())?;
    Ok(Some(GivenBits { source: path.display().to_string(), codes, predictor: None }))
}

/// A file with a row of bits for each of `n_objects`: 0/1 columns, or packed bytes of `n_bits` bits.
pub fn known(path: &Path, n_bits: Option<usize>, n_objects: usize) -> anyhow::Result<Codes> {
    let codes = match n_bits {
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
    Ok(codes)
}

/// Bits that a hash predicts; the model takes the hash in, so that it can predict those of other objects.
fn predicted(path: &Path, table: &Table) -> anyhow::Result<GivenBits> {
    let stack = HashStack::load(path)?;
    let inputs = &table.inputs;
    let (expected, got) = (stack.n_inputs(), inputs.n_inputs());
    if expected != got {
        bail!("--given-bits: {} reads {expected} inputs, but the inputs have {got}", path.display());
    }
    // The model hands its own inputs on to the hash, so their order must be the same.
    if let (Some(names), Some(own)) = (stack.input_names(), &table.input_names)
        && let Some((name, own)) = names.iter().zip(own).find(|(name, own)| name != own)
    {
        bail!(
            "--given-bits: where {} was fitted to the column {name:?}, the inputs have {own:?}; give the same columns in the \
             same order",
            path.display()
        );
    }
    let codes = stack.encode(inputs).map_err(|error| error.in_file(path))?;
    Ok(GivenBits { source: path.display().to_string(), codes, predictor: Some(stack) })
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

/// Warns of given bits that are the same for all objects: they can explain no triplet.
pub fn warn_of_constants(source: &str, codes: &Codes) {
    for bit in 0..codes.n_bits() {
        let owners = (0..codes.n_objects()).filter(|&row| codes.get(row, bit)).count();
        if owners == 0 || owners == codes.n_objects() {
            output::warn(format!("{source}: bit {bit} is the same for all objects; it explains no triplet"));
        }
    }
}
