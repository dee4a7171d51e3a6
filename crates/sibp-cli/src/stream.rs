//! Turns the objects of files into codes or probabilities, a chunk at a time, by a model, an encoder or a hash.

use crate::failure::usage;
use crate::input::{Columns, Described, DescribedArgs, read_codes};
use crate::model::{CodeArg, EncodeArgs, Model, TrainingArg, explain};
use crate::output;
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::{DataError, Inputs, ReadOptions, RowChunks};
use sibp::format::PortableEncoder;
use sibp::hash::HashStack;
use sibp::index::Queries;
use sibp::pipeline::{Coder, CodingError};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Whether a path is meant as a file of hashes rather than a model.
pub fn looks_like_hash(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sibh"))
}

/// Whether a path is meant as an encoder rather than a model.
pub fn looks_like_encoder(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sibe"))
}

/// The coder of a model, an encoder or a hash.
pub fn coder_of(path: &Path, encode: &EncodeArgs) -> anyhow::Result<Coder> {
    match path {
        _ if looks_like_hash(path) => Ok(HashStack::load(path)?.into()),
        _ if looks_like_encoder(path) => Ok(load_encoder(path, encode)?.into()),
        _ => Model::load(path)?.coder(encode),
    }
}

/// Loads an encoder; it was made for one way to encode, so none can be chosen.
fn load_encoder(path: &Path, args: &EncodeArgs) -> anyhow::Result<PortableEncoder> {
    let encoder = PortableEncoder::load(path)?;
    let chosen = [
        ("--encoder", args.encoder.is_some()),
        ("--code", args.code != CodeArg::Suited),
        ("--training-codes", args.training_codes != TrainingArg::Learned),
        ("--encoder-seed", args.encoder_seed != 0),
    ];
    match chosen.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(usage(format!(
            "{option} goes with a model; {} encodes in one way, chosen when it was exported",
            path.display()
        ))),
        None => Ok(encoder),
    }
}

/// A chunk of queries: codes or bit probabilities.
#[derive(Debug)]
pub enum Asked {
    /// Queries by their codes.
    Codes(Codes),
    /// Queries by the probabilities of their bits, not rounded to 0 and 1.
    Probabilities {
        /// The probabilities, row by row.
        values: Vec<f32>,
        /// Bits of a row.
        n_bits: usize,
    },
}

impl Asked {
    /// The queries in the form that the index takes.
    pub fn queries(&self) -> Queries<'_> {
        match self {
            Self::Codes(codes) => codes.into(),
            Self::Probabilities { values, .. } => values.as_slice().into(),
        }
    }

    /// A range of the queries.
    pub fn rows(&self, rows: Range<usize>) -> Self {
        match self {
            Self::Codes(codes) => Self::Codes(codes.select(&rows.collect::<Vec<_>>())),
            Self::Probabilities { values, n_bits } => {
                Self::Probabilities { values: values[rows.start * n_bits..rows.end * n_bits].to_vec(), n_bits: *n_bits }
            }
        }
    }
}

/// A coder from a file, with the given bits that the options name.
pub struct FileCoder {
    /// Turns inputs into codes.
    pub coder: Coder,
    path: PathBuf,
    known: Option<Known>,
    threads: usize,
}

/// Given bits from a file, a row an object.
struct Known {
    codes: Codes,
    path: PathBuf,
}

impl FileCoder {
    /// Opens a model, an encoder or a hash.
    pub fn open(path: &Path, args: &EncodeArgs, threads: usize) -> anyhow::Result<Self> {
        match path {
            _ if looks_like_hash(path) => Self::open_hash(path, args, threads),
            _ if looks_like_encoder(path) => Self::open_encoder(path, args, threads),
            _ => Self::of_model(&Model::load(path)?, args, threads),
        }
    }

    fn open_encoder(path: &Path, args: &EncodeArgs, threads: usize) -> anyhow::Result<Self> {
        let encoder = load_encoder(path, args)?;
        let given = encoder.given.as_ref();
        let given = given.map(|given| (given.n_bits, given.source.as_str(), given.predictor.is_some()));
        let known = known_bits(path, given, args)?;
        Ok(Self { coder: encoder.into(), path: path.to_owned(), known, threads })
    }

    /// Opens a hash.
    pub fn open_hash(path: &Path, args: &EncodeArgs, threads: usize) -> anyhow::Result<Self> {
        let stack = HashStack::load(path)?;
        let known = match &args.given_bits {
            Some(file) => Some(Known { codes: first_bits(file, &stack)?, path: file.clone() }),
            None => None,
        };
        Ok(Self { coder: stack.into(), path: path.to_owned(), known, threads })
    }

    /// Builds the coder of a model.
    pub fn of_model(model: &Model, args: &EncodeArgs, threads: usize) -> anyhow::Result<Self> {
        let given = model.file.info.given.as_ref();
        let given = given.map(|given| (given.codes.n_bits(), given.source.as_str(), given.predictor.is_some()));
        let known = known_bits(&model.path, given, args)?;
        Ok(Self { coder: model.coder(args)?, path: model.path.clone(), known, threads })
    }

    /// Weight of each bit, in the precision of searches.
    pub fn weights(&self) -> Vec<f32> {
        self.coder.weights().iter().map(|&weight| weight as f32).collect()
    }

    /// The inputs that the model or hash was fitted to.
    pub fn columns(&self) -> Columns {
        let columns = Columns::new(self.coder.input_names(), self.coder.n_inputs(), &self.path);
        columns.filled_by(self.coder.filling())
    }

    /// Opens a file of inputs to be read `chunk_rows` rows at a time, by the names of their columns where both sides have some.
    pub fn open_rows(
        &self,
        source: &Path,
        options: &ReadOptions,
        chunk_rows: usize,
        quiet: bool,
    ) -> anyhow::Result<RowChunks> {
        let columns = self.columns().quiet(quiet);
        let chunks = RowChunks::open(source, &columns.of(options.clone()), chunk_rows);
        let chunks = chunks.map_err(|error| columns.explain(error))?;
        columns.check(source, chunks.n_inputs(), &chunks.matching())?;
        self.check_length(chunks.n_objects())?;
        Ok(chunks)
    }

    /// Opens the ids and columns that go with the codes of a file of inputs.
    pub fn describe(&self, source: &Path, options: &ReadOptions, args: &DescribedArgs) -> anyhow::Result<Described> {
        let described = args.open(source, &self.columns().of(options.clone()));
        described.map_err(|error| match error.downcast::<DataError>() {
            Ok(error) => self.unread(error),
            Err(error) => error,
        })
    }

    /// Explains why a chunk of inputs could not be read.
    pub fn unread(&self, error: DataError) -> anyhow::Error {
        self.columns().explain(error)
    }

    /// Refuses a coder without bit probabilities, before the first chunk.
    pub fn check_probabilities(&self) -> anyhow::Result<()> {
        match self.coder.probability_error() {
            Some(error) => Err(self.explain(error, &self.path)),
            None => Ok(()),
        }
    }

    /// Refuses a stream of another length than the given bits, once its length is known.
    pub fn check_length(&self, n_rows: Option<usize>) -> anyhow::Result<()> {
        n_rows.map_or(Ok(()), |n_rows| self.check_rows(n_rows, true))
    }

    /// Refuses inputs with more rows than given bits, and at their end with fewer.
    fn check_rows(&self, n_rows: usize, at_end: bool) -> anyhow::Result<()> {
        let Some(Known { codes, path }) = &self.known else { return Ok(()) };
        let n = codes.n_objects();
        if n < n_rows || at_end && n != n_rows {
            bail!(
                "--given-bits: {} has {} but the inputs have {}{n_rows}; give a row of bits for each object",
                path.display(),
                output::count(n, "row"),
                if at_end { "" } else { "at least " }
            );
        }
        Ok(())
    }

    /// Keeps the given bits of these rows only.
    pub fn select(&mut self, rows: &[usize]) {
        if let Some(known) = &mut self.known {
            known.codes = known.codes.select(rows);
        }
    }

    /// Given bits of all rows, where a file holds them.
    pub fn known(&self) -> Option<&Codes> {
        self.known.as_ref().map(|known| &known.codes)
    }

    /// Codes of a chunk of `source` whose first object has the number `first_row`.
    pub fn encode(&self, inputs: &Inputs, first_row: usize, source: &Path) -> anyhow::Result<Codes> {
        let known = self.known_rows(inputs, first_row)?;
        let codes = self.coder.encode_rows(inputs, known.as_ref(), first_row as u64, self.threads);
        codes.map_err(|error| self.explain(error, source))
    }

    /// Bit probabilities of a chunk of `source` whose first object has the number `first_row`.
    pub fn expect(&self, inputs: &Inputs, first_row: usize, source: &Path) -> anyhow::Result<Asked> {
        let known = self.known_rows(inputs, first_row)?;
        let values = self.coder.probabilities(inputs, known.as_ref());
        let values = values.map_err(|error| self.explain(error, source))?;
        Ok(Asked::Probabilities { values: values.into_iter().map(|p| p as f32).collect(), n_bits: self.coder.n_bits() })
    }

    fn known_rows(&self, inputs: &Inputs, first_row: usize) -> anyhow::Result<Option<Codes>> {
        let end = first_row + inputs.n_objects();
        self.check_rows(end, false)?;
        Ok(self.known.as_ref().map(|known| known.codes.select(&(first_row..end).collect::<Vec<_>>())))
    }

    fn explain(&self, error: CodingError, source: &Path) -> anyhow::Error {
        explain(&self.path, error, source)
    }
}

/// The given bits that the user names, where codes begin with some (their number, where they came from, and whether they
/// are predicted); an error where they are missing.
fn known_bits(owner: &Path, given: Option<(usize, &str, bool)>, args: &EncodeArgs) -> anyhow::Result<Option<Known>> {
    match (given, &args.given_bits) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(usage(format!("--given-bits: {} was fitted without given bits", owner.display()))),
        (Some((n_bits, ..)), Some(path)) => {
            Ok(Some(Known { codes: read_codes(path, Some(n_bits))?, path: path.clone() }))
        }
        (Some((n_bits, source_name, false)), None) => {
            Err(explain(owner, CodingError::NoGivenBits { n_bits, source_name: source_name.to_owned() }, owner))
        }
        (Some(_), None) => Ok(None),
    }
}

/// Codes of the first blocks of a stack, as many as the file holds.
fn first_bits(path: &Path, stack: &HashStack) -> anyhow::Result<Codes> {
    let widths = stack.blocks().iter().scan(0, |n_bits, block| {
        *n_bits += block.hash.n_bits();
        Some(*n_bits)
    });
    let widths: Vec<usize> = widths.collect();
    let found: Vec<Codes> = widths.iter().filter_map(|&n_bits| read_codes(path, Some(n_bits)).ok()).collect();
    match <[Codes; 1]>::try_from(found) {
        Ok([codes]) => Ok(codes),
        Err(found) => bail!(
            "--given-bits: {} must hold the bits of the first blocks, and blocks end after {:?} bits; {}",
            path.display(),
            widths,
            if found.is_empty() { "it fits none" } else { "it fits several: give 0/1 columns" }
        ),
    }
}
