//! Opens what is searched in and what is searched for, and hands out queries a chunk at a time.

use crate::expected::{Expected, Expecter};
use crate::failure::usage;
use crate::input::{looks_like_index, read_codes, read_pair};
use crate::model::{EncodeArgs, Model};
use crate::stream::{GivenSource, StreamCoder, looks_like_hash};
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::{Features, ReadOptions, RowChunks};
use sibp::index::HammingIndex;
use std::path::Path;

/// Queries answered at once.
const CHUNK: usize = 1024;

/// A chunk of queries.
pub enum Asked {
    /// Codes.
    Codes(Codes),
    /// Bit probabilities.
    Expected(Expected),
}

/// Chunks of queries, in order.
pub type Chunks = Box<dyn Iterator<Item = anyhow::Result<Asked>>>;

/// The files of a search.
pub struct Question<'a> {
    pub codes: &'a Path,
    pub queries: &'a Path,
    pub threads: usize,
}

impl Question<'_> {
    /// Queries are codes; `n_bits` is known when a model says it.
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

    /// Queries are features, which the model turns into codes or probabilities.
    pub fn features(
        &self,
        model: &Path,
        encode: &EncodeArgs,
        expected: bool,
    ) -> anyhow::Result<(HammingIndex, Chunks)> {
        let chunks = RowChunks::open(self.queries, &ReadOptions::default(), CHUNK)?;
        let asker = match expected {
            true => Asker::expected(model, encode)?,
            false => Asker::Codes(StreamCoder::open(model, encode, self.threads)?),
        };
        // All that can be wrong is said before the first line is printed.
        asker.check_inputs(chunks.n_inputs(), self.queries)?;
        asker.check_length(chunks.n_objects())?;
        let index = self.database(looks_like_index(self.codes), asker.n_bits())?;
        check_width(model, asker.n_bits(), self.codes, index.n_bits())?;
        let source = self.queries.to_owned();
        let mut n_rows = 0;
        let ask = move |chunk: Result<Features, sibp::data::DataError>| {
            let features = chunk?;
            let first_row = n_rows;
            n_rows += features.n_objects();
            asker.ask(&features, first_row, &source)
        };
        Ok((index, Box::new(chunks.map(ask))))
    }

    fn database(&self, is_index: bool, n_bits: usize) -> anyhow::Result<HammingIndex> {
        if is_index {
            return Ok(HammingIndex::open(self.codes)?);
        }
        Ok(HammingIndex::from_codes(&read_codes(self.codes, Some(n_bits))?)?)
    }
}

/// Says that two files hold codes of different widths, by name.
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

/// Turns features into queries.
enum Asker {
    Codes(StreamCoder),
    Expected { model: Box<Model>, expecter: Expecter, given: GivenSource },
}

impl Asker {
    fn expected(path: &Path, encode: &EncodeArgs) -> anyhow::Result<Self> {
        if looks_like_hash(path) {
            let path = path.display();
            return Err(usage(format!("--expected needs the bit probabilities of a probit model; {path} is a hash")));
        }
        let model = Model::load(path)?;
        let (expecter, given) = (model.expecter(encode)?, model.given_source(encode)?);
        Ok(Self::Expected { model: Box::new(model), expecter, given })
    }

    fn n_bits(&self) -> usize {
        match self {
            Self::Codes(coder) => coder.n_bits(),
            Self::Expected { expecter, .. } => expecter.weights.len(),
        }
    }

    fn check_inputs(&self, n_inputs: usize, source: &Path) -> anyhow::Result<()> {
        match self {
            Self::Codes(coder) => coder.check_inputs(n_inputs, source),
            Self::Expected { model, .. } => model.check_inputs(n_inputs, source),
        }
    }

    fn check_length(&self, n_rows: Option<usize>) -> anyhow::Result<()> {
        match self {
            Self::Codes(coder) => coder.check_length(n_rows),
            Self::Expected { given, .. } => n_rows.map_or(Ok(()), |n_rows| given.check_rows(n_rows, true)),
        }
    }

    fn ask(&self, features: &Features, first_row: usize, source: &Path) -> anyhow::Result<Asked> {
        match self {
            Self::Codes(coder) => coder.encode(features, first_row, source).map(Asked::Codes),
            Self::Expected { model, expecter, given } => {
                given.check_rows(first_row + features.n_objects(), false)?;
                let known = given.rows(features, first_row).map_err(|error| error.in_file(source))?;
                let transformed = model.transform(features, source)?;
                Ok(Asked::Expected(expecter.expect(&transformed, known.as_ref())))
            }
        }
    }
}
