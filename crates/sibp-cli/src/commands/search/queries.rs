//! Opens the codes to search in and the queries, and yields the queries a chunk at a time.

use crate::input::{
    ChunkTexts, Described, DescribedArgs, Origin, Wanted, check_encoders, looks_like_index, read_codes,
    read_codes_of_any_width, read_pair_of_any_width, read_wanted_ids,
};
use crate::model::EncodeArgs;
use crate::stream::{Asked, FileCoder};
use anyhow::{Context, bail};
use sibp::codes::Codes;
use sibp::data::{ColumnRef, ReadOptions, RowChunks};
use sibp::index::HammingIndex;
use std::path::Path;

/// Queries answered at once.
const CHUNK: usize = 1024;

/// Some queries, in order.
pub struct Chunk {
    /// Their codes or bit probabilities.
    pub asked: Asked,
    /// Their ids, where they are known.
    pub ids: Option<Vec<String>>,
    /// The numbers of the stored codes that they are, which are not to be found.
    pub own: Option<Vec<u64>>,
}

/// Chunks of queries, in order.
pub type Chunks = Box<dyn Iterator<Item = anyhow::Result<Chunk>>>;

/// The files of a search.
pub struct Question<'a> {
    pub codes: &'a Path,
    pub threads: usize,
    pub any_encoder: bool,
}

/// How inputs become queries.
pub struct Coding<'a> {
    pub model: &'a Path,
    pub encode: &'a EncodeArgs,
    pub expected: bool,
    pub described: &'a DescribedArgs,
    pub label_column: Option<&'a str>,
}

/// Stored codes by their ids.
pub struct ByIds<'a> {
    pub given: &'a [String],
    pub file: Option<&'a Path>,
    pub with_self: bool,
}

impl Question<'_> {
    /// Opens queries that are codes; `n_bits` is known when a model says it.
    pub fn codes(&self, queries: &Path, n_bits: Option<usize>) -> anyhow::Result<(HammingIndex, Chunks)> {
        match (looks_like_index(self.codes), looks_like_index(queries)) {
            (false, false) => {
                let pair = read_pair_of_any_width(self.codes, queries, n_bits)?;
                Ok((HammingIndex::from_codes(&pair.database)?, of_codes(pair.queries, None, None)))
            }
            (true, false) => {
                let index = HammingIndex::open(self.codes)?;
                self.check(&index, Origin { path: queries, encoder: None })?;
                let queries = read_codes(queries, Some(index.n_bits()))?;
                Ok((index, of_codes(queries, None, None)))
            }
            (is_index, true) => {
                let asked = HammingIndex::open(queries)?;
                let index = self.database(is_index, asked.n_bits())?;
                check_width(queries, asked.n_bits(), self.codes, index.n_bits())?;
                self.check(&index, Origin { path: queries, encoder: asked.encoder() })?;
                Ok((index, of_index(asked)))
            }
        }
    }

    /// Takes stored codes for queries; each leaves itself out unless it is asked for.
    pub fn by_ids(&self, by: &ByIds, n_bits: Option<usize>) -> anyhow::Result<(HammingIndex, Chunks)> {
        let index = match (looks_like_index(self.codes), n_bits) {
            (true, _) => HammingIndex::open(self.codes)?,
            (false, Some(n_bits)) => HammingIndex::from_codes(&read_codes(self.codes, Some(n_bits))?)?,
            (false, None) => HammingIndex::from_codes(&read_codes_of_any_width(self.codes)?)?,
        };
        let mut texts = by.given.to_vec();
        match by.file.map(|path| read_wanted_ids(path, index.is_named())).transpose()? {
            Some(Wanted::Texts(more)) => texts.extend(more),
            Some(Wanted::Numbers(more)) => texts.extend(more.iter().map(u64::to_string)),
            None => {}
        }
        let rows = self.rows_of(&index, &texts)?;
        let mut codes = Codes::zeros(rows.len(), index.n_bits());
        for (at, &row) in rows.iter().enumerate() {
            codes.set_row(at, index.codes_of_rows(row..row + 1).row(0));
        }
        let numbers: Vec<u64> = rows.iter().map(|&row| index.id_of_row(row)).collect();
        Ok((index, of_codes(codes, Some(texts), (!by.with_self).then_some(numbers))))
    }

    fn rows_of(&self, index: &HammingIndex, ids: &[String]) -> anyhow::Result<Vec<usize>> {
        let rows = match index.is_named() {
            true => index.named_positions(ids),
            // What is no number is no id of this index.
            false => {
                let numbers: Vec<Option<u64>> = ids.iter().map(|id| id.parse().ok()).collect();
                let found = index.positions(&numbers.iter().map(|id| id.unwrap_or_default()).collect::<Vec<_>>());
                numbers.iter().zip(found).map(|(id, row)| id.and(row)).collect()
            }
        };
        let known = |(row, id): (&Option<usize>, &String)| {
            row.with_context(|| format!("the id {id} is not in {}", self.codes.display()))
        };
        rows.iter().zip(ids).map(known).collect()
    }

    /// Opens queries that are inputs, which the model turns into codes, or into bit probabilities with weights.
    pub fn inputs(&self, queries: &Path, coding: &Coding) -> anyhow::Result<(HammingIndex, Option<Vec<f32>>, Chunks)> {
        let coder = FileCoder::open(coding.model, coding.encode, self.threads)?;
        // Every error is reported before the first line is printed.
        if coding.expected {
            coder.check_probabilities()?;
        }
        let label_column = coding.label_column.map(ColumnRef::from);
        let options = ReadOptions { label_column, ..coding.described.options() };
        let chunks = coder.open_rows(queries, &options, CHUNK, false)?;
        let described = coder.describe(queries, &options, coding.described)?;
        let (n_bits, weights) = (coder.coder.n_bits(), coding.expected.then(|| coder.weights()));
        let index = self.database(looks_like_index(self.codes), n_bits)?;
        check_width(coding.model, n_bits, self.codes, index.n_bits())?;
        self.check(&index, Origin { path: coding.model, encoder: Some(coder.coder.fingerprint()) })?;
        let source = queries.to_owned();
        Ok((
            index,
            weights,
            Box::new(Encoded { chunks, coder, described, source, expected: coding.expected, n_rows: 0 }),
        ))
    }

    fn database(&self, is_index: bool, n_bits: usize) -> anyhow::Result<HammingIndex> {
        if is_index {
            return Ok(HammingIndex::open(self.codes)?);
        }
        Ok(HammingIndex::from_codes(&read_codes(self.codes, Some(n_bits))?)?)
    }

    /// Refuses what was made by another encoder than the codes.
    pub fn check(&self, index: &HammingIndex, other: Origin) -> anyhow::Result<()> {
        check_encoders(Origin { path: self.codes, encoder: index.encoder() }, other, self.any_encoder)
    }
}

/// Inputs that are encoded a chunk at a time.
struct Encoded {
    chunks: RowChunks,
    coder: FileCoder,
    described: Described,
    source: std::path::PathBuf,
    expected: bool,
    n_rows: usize,
}

impl Encoded {
    fn chunk(&mut self) -> anyhow::Result<Option<Chunk>> {
        let Some(inputs) = self.chunks.next().transpose().map_err(|error| self.coder.unread(error))? else {
            self.described.check_count(&self.source, self.n_rows, "row")?;
            return Ok(None);
        };
        let first_row = self.n_rows;
        self.n_rows += inputs.n_objects();
        let asked = match self.expected {
            true => self.coder.expect(&inputs, first_row, &self.source)?,
            false => self.coder.encode(&inputs, first_row, &self.source).map(Asked::Codes)?,
        };
        let ids = self.described.take_ids(inputs.n_objects(), &ChunkTexts::of(&self.chunks, 0))?;
        if ids.as_ref().is_some_and(|ids| ids.len() < inputs.n_objects()) {
            self.described.check_count(&self.source, self.n_rows, "row")?;
        }
        Ok(Some(Chunk { asked, ids, own: None }))
    }
}

impl Iterator for Encoded {
    type Item = anyhow::Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        self.chunk().transpose()
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

fn of_codes(queries: Codes, ids: Option<Vec<String>>, own: Option<Vec<u64>>) -> Chunks {
    Box::new(ranges(queries.n_objects()).map(move |rows| {
        let asked = Asked::Codes(queries.select(&rows.clone().collect::<Vec<_>>()));
        let ids = ids.as_ref().map(|ids| ids[rows.clone()].to_vec());
        Ok(Chunk { asked, ids, own: own.as_ref().map(|own| own[rows].to_vec()) })
    }))
}

fn of_index(queries: HammingIndex) -> Chunks {
    let has_ids = queries.is_named() || !queries.ids_are_row_numbers();
    Box::new(ranges(queries.len()).map(move |rows| {
        let id = |row: usize| match queries.texts().filter(|_| queries.is_named()) {
            Some(texts) => texts.cell(row, 0).to_owned(),
            None => queries.id_of_row(row).to_string(),
        };
        let ids = has_ids.then(|| rows.clone().map(id).collect());
        Ok(Chunk { asked: Asked::Codes(queries.codes_of_rows(rows)), ids, own: None })
    }))
}
