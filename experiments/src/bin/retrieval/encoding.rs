//! Encodes databases of any size, some rows at a time on all cores.

use anyhow::Result;
use sibp::codes::Codes;
use sibp::data::Inputs;
use sibp::parallel;
use std::collections::BTreeSet;

/// Rows that are transformed at a time.
const ROWS: usize = 2000;

/// What `encode` makes of all rows: a list of codes, as it makes of some rows that begin with the given number.
pub fn in_chunks(inputs: &Inputs, encode: impl Fn(&Inputs, u64) -> Result<Vec<Codes>> + Sync) -> Result<Vec<Codes>> {
    let n = inputs.n_objects();
    let chunks = parallel::map(parallel::n_threads(0), n.div_ceil(ROWS), |chunk| {
        let rows: Vec<usize> = (chunk * ROWS..((chunk + 1) * ROWS).min(n)).collect();
        encode(&inputs.select(&rows), rows[0] as u64)
    });
    let chunks: Vec<Vec<Codes>> = chunks.into_iter().collect::<Result<_>>()?;
    let whole = |at: usize| {
        let bytes = chunks.iter().flat_map(|chunk| chunk[at].bytes().iter().copied()).collect();
        Ok(Codes::from_bytes(n, chunks[0][at].n_bits(), bytes)?)
    };
    (0..chunks[0].len()).map(whole).collect()
}

/// Number of different codes.
pub fn n_distinct(codes: &Codes) -> usize {
    (0..codes.n_objects()).map(|object| codes.row(object)).collect::<BTreeSet<_>>().len()
}
