//! Encodes on several threads.

use super::Encoder;
use crate::codes::Codes;
use crate::data::Inputs;
use crate::parallel::{map, n_threads};

/// Encodes on several threads (0: all cores); the codes do not depend on how many.
pub fn encode_parallel(encoder: &dyn Encoder, inputs: &Inputs, first_row: u64, threads: usize) -> Codes {
    let n = inputs.n_objects();
    let threads = n_threads(threads).min(n).max(1);
    if threads == 1 {
        return encoder.encode(inputs, first_row);
    }
    let part = n.div_ceil(threads).max(1);
    let starts: Vec<usize> = (0..n).step_by(part).collect();
    let parts = map(threads, starts.len(), |at| {
        let rows: Vec<usize> = (starts[at]..(starts[at] + part).min(n)).collect();
        encoder.encode(&inputs.select(&rows), first_row + starts[at] as u64)
    });
    let mut codes = Codes::zeros(n, encoder.n_bits());
    for (start, part) in starts.iter().zip(&parts) {
        (0..part.n_objects()).for_each(|row| codes.set_row(start + row, part.row(row)));
    }
    codes
}
