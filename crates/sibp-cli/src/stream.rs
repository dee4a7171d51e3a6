//! Encodes streams of objects, with given bits from a file or a predictor.

use crate::input::read_codes;
use crate::model::{EncodeArgs, Model};
use crate::output;
use anyhow::bail;
use sibp::codes::Codes;
use sibp::data::{DataError, Features, Transform};
use sibp::encode::{Encoder, encode_parallel};
use sibp::hash::HashStack;
use std::path::{Path, PathBuf};

/// Where the given bits of objects come from.
pub enum GivenSource {
    /// There are none.
    None,
    /// A file with a row for each object.
    Known {
        /// Its rows.
        codes: Codes,
        /// Where it is.
        path: PathBuf,
    },
    /// They are predicted from inputs as they are read.
    Predicted(HashStack),
}

impl GivenSource {
    /// Bits of an object.
    pub fn n_bits(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Known { codes, .. } => codes.n_bits(),
            Self::Predicted(stack) => stack.n_bits(),
        }
    }

    /// The given bits of a chunk whose first object has the number `first_row`.
    ///
    /// # Panics
    /// When the file has fewer rows: see [`Self::check_rows`].
    pub fn rows(&self, features: &Features, first_row: usize) -> Result<Option<Codes>, DataError> {
        match self {
            Self::None => Ok(None),
            Self::Known { codes, .. } => {
                let rows: Vec<usize> = (first_row..first_row + features.n_objects()).collect();
                Ok(Some(codes.select(&rows)))
            }
            Self::Predicted(stack) => stack.encode(features).map(Some),
        }
    }

    /// Refuses features with more rows than given bits, and at their end with fewer.
    pub fn check_rows(&self, n_rows: usize, at_end: bool) -> anyhow::Result<()> {
        let Self::Known { codes, path } = self else { return Ok(()) };
        let n = codes.n_objects();
        if n < n_rows || at_end && n != n_rows {
            bail!(
                "--given-bits: {} has {} but the features have {}{n_rows}; give a row of bits for each object",
                path.display(),
                output::count(n, "row"),
                if at_end { "" } else { "at least " }
            );
        }
        Ok(())
    }
}

/// Whether a path is meant as a file of hashes rather than a model.
pub fn looks_like_hash(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sibh"))
}

/// Encodes a stream of objects, a chunk at a time, by a model or a hash.
pub struct StreamCoder {
    way: Way,
    path: PathBuf,
    given: GivenSource,
    threads: usize,
}

/// From inputs as they are read to bits.
enum Way {
    Model { transform: Transform, learned: Box<dyn Encoder> },
    Hash(HashStack),
}

impl StreamCoder {
    /// Opens a model or a hash, with the given bits that the options name.
    pub fn open(path: &Path, args: &EncodeArgs, threads: usize) -> anyhow::Result<Self> {
        match looks_like_hash(path) {
            true => Self::open_hash(path, args, threads),
            false => Self::of_model(Model::load(path)?, args, threads),
        }
    }

    /// Opens a hash.
    pub fn open_hash(path: &Path, args: &EncodeArgs, threads: usize) -> anyhow::Result<Self> {
        let stack = HashStack::load(path)?;
        let given = match &args.given_bits {
            Some(known) => GivenSource::Known { codes: first_bits(known, &stack)?, path: known.clone() },
            None => GivenSource::None,
        };
        Ok(Self { way: Way::Hash(stack), path: path.to_owned(), given, threads })
    }

    fn of_model(model: Model, args: &EncodeArgs, threads: usize) -> anyhow::Result<Self> {
        let given = model.given_source(args)?;
        let learned = model.coding(args, None)?.encoder;
        let transform = model.file.info.transform;
        Ok(Self { way: Way::Model { transform, learned }, path: model.path, given, threads })
    }

    /// Bits of a code.
    pub fn n_bits(&self) -> usize {
        match &self.way {
            Way::Model { learned, .. } => self.given.n_bits() + learned.n_bits(),
            Way::Hash(stack) => stack.n_bits(),
        }
    }

    /// Refuses inputs of another number than were learned from; `source` names their file.
    pub fn check_inputs(&self, n_inputs: usize, source: &Path) -> anyhow::Result<()> {
        let expected = match &self.way {
            Way::Model { transform, .. } => transform.n_inputs(),
            Way::Hash(stack) => stack.n_inputs(),
        };
        if n_inputs != expected {
            bail!(
                "{} has {n_inputs} columns but {} was fitted to {expected}; give the same inputs in the same order",
                source.display(),
                self.path.display()
            );
        }
        Ok(())
    }

    /// Codes of a chunk of `source` whose first object has the number `first_row`.
    pub fn encode(&self, features: &Features, first_row: usize, source: &Path) -> anyhow::Result<Codes> {
        self.given.check_rows(first_row + features.n_objects(), false)?;
        self.check_inputs(features.n_inputs(), source)?;
        let codes = self.codes(features, first_row);
        codes.map_err(|error| error.in_file(source).into())
    }

    fn codes(&self, features: &Features, first_row: usize) -> Result<Codes, DataError> {
        let given = self.given.rows(features, first_row)?;
        match &self.way {
            Way::Model { transform, learned } => {
                let transformed = transform.apply(features)?;
                let learned = encode_parallel(learned.as_ref(), &transformed, first_row as u64, self.threads);
                Ok(Codes::side_by_side(&given.iter().chain([&learned]).collect::<Vec<_>>()))
            }
            Way::Hash(stack) => {
                let mut codes = stack.encode(features)?;
                if let Some(given) = &given {
                    let bits = (0..codes.n_objects()).flat_map(|row| (0..given.n_bits()).map(move |bit| (row, bit)));
                    bits.for_each(|(row, bit)| codes.set(row, bit, given.get(row, bit)));
                }
                Ok(codes)
            }
        }
    }

    /// Refuses a stream of another length than the given bits, once its length is known.
    pub fn check_length(&self, n_rows: Option<usize>) -> anyhow::Result<()> {
        n_rows.map_or(Ok(()), |n_rows| self.given.check_rows(n_rows, true))
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
