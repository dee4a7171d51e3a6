//! Opens the codes to search in and the queries, and yields the queries a chunk at a time.

use crate::input::{looks_like_index, read_codes, read_pair};
use crate::model::EncodeArgs;
use crate::stream::{Asked, FileCoder};
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::{Inputs, ReadOptions, RowChunks};
use sibp::index::HammingIndex;
use std::path::Path;

/// Queries answered at once.
const CHUNK: usize = 1024;

/// Chunks of queries, in order.
pub type Chunks = Box<dyn Iterator<Item = anyhow::Result<Asked>>>;

/// The files of a search.
pub struct Question<'a> {
    pub codes: &'a Path,
    pub queries: &'a Path,
    pub threads: usize,
}

impl Question<'_> {
    /// Opens queries that are codes; `n_bits` is known when a model says it.
    pub fn codes(&self, n_bits: Option<usize>) -> anyhow::Result<(HammingIndex, Chunks)> {
        let (index, queries) = match (looks_like_index(self.codes), looks_like_index(self.queries)) {
            (false, false) => {
                let pair = read_pair(self.codes, self.queries, n_bits)?;
                (HammingIndex::from_codes(&pair.database)?, of_codes(pair.queries))
            }
            (true, false) => {
                let index = HammingIndex::open(self.codes)?;
                let queries = read_codes(self.queries, Some(index.n_bits()))?;
                (index, of_codes(queries))
            }
            (is_index, true) => {
                let queries = HammingIndex::open(self.queries)?;
                let index = self.database(is_index, queries.n_bits())?;
                check_width(self.queries, queries.n_bits(), self.codes, index.n_bits())?;
                (index, of_index(queries))
            }
        };
        Ok((index, queries))
    }

    /// Opens queries that are inputs, which the model turns into codes, or into bit probabilities with weights.
    pub fn inputs(
        &self,
        model: &Path,
        encode: &EncodeArgs,
        expected: bool,
    ) -> anyhow::Result<(HammingIndex, Option<Vec<f32>>, Chunks)> {
        let chunks = RowChunks::open(self.queries, &ReadOptions::default(), CHUNK)?;
        let coder = FileCoder::open(model, encode, self.threads)?;
        // Every error is reported before the first line is printed.
        if expected {
            coder.check_probabilities()?;
        }
        coder.check_inputs(chunks.n_inputs(), self.queries)?;
        coder.check_length(chunks.n_objects())?;
        let (n_bits, weights) = (coder.coder.n_bits(), expected.then(|| coder.weights()));
        let index = self.database(looks_like_index(self.codes), n_bits)?;
        check_width(model, n_bits, self.codes, index.n_bits())?;
        let source = self.queries.to_owned();
        let mut n_rows = 0;
        let ask = move |chunk: Result<Inputs, sibp::data::DataError>| {
            let inputs = chunk?;
            let first_row = n_rows;
            n_rows += inputs.n_objects();
            match expected {
                true => coder.expect(&inputs, first_row, &source),
                false => coder.encode(&inputs, first_row, &source).map(Asked::Codes),
            }
        };
        Ok((index, weights, Box::new(chunks.map(ask))))
    }

    fn database(&self, is_index: bool, n_bits: usize) -> anyhow::Result<HammingIndex> {
        if is_index {
            return Ok(HammingIndex::open(self.codes)?);
        }
        Ok(HammingIndex::from_codes(&read_codes(self.codes, Some(n_bits))?)?)
    }
}

/// Refuses two files that hold codes of different widths, naming both.
pub fn check_width(first: &Path, n_first: usize, second: &Path, n_second: usize) -> anyhow::Result<()> {
    if n_first == n_second {
        return Ok(());
    }
    // Packed codes do not tell how many bits of their last byte are used.
    let hint = match looks_like_index(second) && n_second == n_first.next_multiple_of(8) {
        true => format!("; if it was built from packed codes of {n_first} bits, build it with --bits {n_first}"),
        false => "; both must come from the same model".into(),
    };
    bail!("{} is of {n_first} bits but {} of {n_second}{hint}", first.display(), second.display())
}

fn ranges(n: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..n).step_by(CHUNK).map(move |first| first..(first + CHUNK).min(n))
}

fn of_codes(queries: Codes) -> Chunks {
    Box::new(ranges(queries.n_objects()).map(move |rows| Ok(Asked::Codes(queries.select(&rows.collect::<Vec<_>>())))))
}

fn of_index(queries: HammingIndex) -> Chunks {
    Box::new(ranges(queries.len()).map(move |rows| Ok(Asked::Codes(queries.codes_of_rows(rows)))))
}
