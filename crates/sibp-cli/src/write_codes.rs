//! Writes codes in chunks: to an index, an array or a table; the file appears when it is complete.

use crate::failure::usage;
use crate::input::{ChunkTexts, Described, looks_like_codes, looks_like_index};
use crate::output::{self, csv_cell};
use crate::writing::{CODES, Kind};
use anyhow::Context;
use clap::ValueEnum;
use sibp::codes::Codes;
use sibp::data::{AtomicFile, NpyWriter};
use sibp::index::{IndexWriter, Texts};
use sibp::pipeline::Coder;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How codes are written to arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// ceil(bits / 8) bytes per row
    Packed,
    /// bits bytes per row, each 0 or 1
    Bits,
}

/// What is written to a file of this name.
pub fn kind_of(path: &Path) -> anyhow::Result<Kind> {
    match () {
        () if looks_like_index(path) => Ok(Kind::Index),
        () if looks_like_codes(path) => Ok(CODES),
        () if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv")) => Ok(Kind::CodeTable),
        () => Err(usage(format!("{}: codes are written to .sibx, .npy or .csv", path.display()))),
    }
}

/// A file of codes that is being written.
pub struct CodeWriter {
    sink: Sink,
    path: PathBuf,
    n_rows: usize,
}

enum Sink {
    Npy(NpyWriter<u8>, Format),
    Csv(AtomicFile),
    Index(Box<IndexWriter>),
}

impl CodeWriter {
    /// Begins a file of the codes of this coder.
    pub fn create(path: &Path, format: Format, coder: &Coder, described: &Described) -> anyhow::Result<Self> {
        let n_bits = coder.n_bits();
        let sink = if looks_like_index(path) {
            let writer = match &described.numbers {
                Some(ids) => IndexWriter::create_with_ids(path, n_bits, ids)?,
                None => IndexWriter::create(path, n_bits)?,
            };
            let writer = writer.encoder(Some(coder.fingerprint()));
            Sink::Index(Box::new(writer.columns(described.columns.clone(), described.named)?))
        } else if looks_like_codes(path) {
            if described.numbers.is_some() || !described.columns.is_empty() {
                output::warn(format!("{}: an array has no place for ids; .sibx and .csv keep them", path.display()));
            }
            let n_columns = if format == Format::Packed { n_bits.div_ceil(8) } else { n_bits };
            Sink::Npy(NpyWriter::create(path, n_columns)?, format)
        } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv")) {
            let mut file = AtomicFile::create(path).with_context(|| format!("{}: cannot write", path.display()))?;
            let id = described.numbers.is_some().then(|| "id".to_owned());
            let bits = (0..n_bits).map(|bit| format!("bit{bit}"));
            let names = id.into_iter().chain(described.columns.iter().cloned()).chain(bits);
            writeln!(file, "{}", joined(names)).with_context(|| format!("{}: cannot write", path.display()))?;
            Sink::Csv(file)
        } else {
            return Err(usage(format!("{}: codes are written to .sibx, .npy or .csv", path.display())));
        };
        Ok(Self { sink, path: path.to_owned(), n_rows: 0 })
    }

    /// Rows written so far.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Appends rows with what is known about them; nothing is written where not enough is known.
    pub fn write(&mut self, codes: &Codes, chunk: &ChunkTexts, described: &mut Described) -> anyhow::Result<()> {
        let texts = described.take(codes.n_objects(), chunk)?;
        if described.is_short() {
            self.n_rows += codes.n_objects();
            return Ok(());
        }
        let first = self.n_rows;
        self.n_rows += codes.n_objects();
        match &mut self.sink {
            Sink::Npy(file, Format::Packed) => file.write_rows(codes.bytes())?,
            Sink::Npy(file, Format::Bits) => file.write_rows(&unpacked(codes))?,
            Sink::Index(writer) => writer.append_with_texts(codes, None, texts.as_ref())?,
            Sink::Csv(file) => write_csv(file, codes, first, described.numbers.as_deref(), texts.as_ref())
                .with_context(|| format!("{}: cannot write", self.path.display()))?,
        }
        Ok(())
    }

    /// Puts the file in its place and says how many rows it has; `source` without rows gives none.
    pub fn finish(self, source: &Path, described: &mut Described) -> anyhow::Result<usize> {
        if self.n_rows == 0 {
            anyhow::bail!("{}: there are no rows", source.display());
        }
        described.check_count(source, self.n_rows, "row")?;
        match self.sink {
            Sink::Npy(file, _) => file.finish()?,
            Sink::Index(writer) => writer.finish()?,
            Sink::Csv(file) => file.commit().with_context(|| format!("{}: cannot write", self.path.display()))?,
        }
        Ok(self.n_rows)
    }
}

fn write_csv(
    file: &mut AtomicFile,
    codes: &Codes,
    first: usize,
    numbers: Option<&[u64]>,
    texts: Option<&Texts>,
) -> std::io::Result<()> {
    for row in 0..codes.n_objects() {
        let id = numbers.map(|numbers| numbers[first + row].to_string());
        let cells = texts.iter().flat_map(|texts| texts.row(row)).map(str::to_owned);
        let bits = (0..codes.n_bits()).map(|bit| u8::from(codes.get(row, bit)).to_string());
        writeln!(file, "{}", joined(id.into_iter().chain(cells).chain(bits)))?;
    }
    Ok(())
}

fn joined(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| csv_cell(&cell, ',').to_string()).collect::<Vec<_>>().join(",")
}

fn unpacked(codes: &Codes) -> Vec<u8> {
    let rows = 0..codes.n_objects();
    rows.flat_map(|row| (0..codes.n_bits()).map(move |bit| u8::from(codes.get(row, bit)))).collect()
}
