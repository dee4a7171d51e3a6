//! Reads input tables from any supported file, whole or in chunks of rows.

use std::path::{Path, PathBuf};

use super::csv::CsvTable;
use super::inputs::InputsWriter;
use super::npy::NpyRows;
use super::options::ReadOptions;
use super::source::{Block, Source};
use super::{DataError, Filling, Gaps, Ids, Inputs, Labels, Matching, Missing, Precision, Storage, missing};

/// Rows read at once while a whole table is read.
const ROWS_AT_ONCE: usize = 4096;

/// The content of an input file: inputs, ids, labels and column names.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The inputs.
    pub inputs: Inputs,
    /// The ids, if a column was named for them.
    pub ids: Option<Ids>,
    /// The labels, if a column was named for them.
    pub labels: Option<Labels>,
    /// Names of the input columns, if the file has names.
    pub input_names: Option<Vec<String>>,
    /// The rule by which missing values were filled in, if there is one.
    pub filling: Option<Filling>,
}

/// How a table was found in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableNotes {
    /// How its columns were matched to [`ReadOptions::input_names`].
    pub matching: Matching,
    /// The values that were missing and have been filled in.
    pub gaps: Gaps,
}

impl From<Inputs> for Table {
    fn from(inputs: Inputs) -> Self {
        Self { inputs, ids: None, labels: None, input_names: None, filling: None }
    }
}

impl Table {
    /// Attaches labels that came from another file.
    pub fn set_labels(&mut self, labels: Labels) -> Result<(), DataError> {
        DataError::lengths(("input rows", self.inputs.n_objects()), ("labels", labels.len()))?;
        self.labels = Some(labels);
        Ok(())
    }

    /// Attaches ids that came from another file.
    pub fn set_ids(&mut self, ids: Ids) -> Result<(), DataError> {
        DataError::lengths(("input rows", self.inputs.n_objects()), ("ids", ids.len()))?;
        self.ids = Some(ids);
        Ok(())
    }
}

/// Reads a whole `.npy`, `.csv`, `.tsv` or `.parquet` file.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<Table, DataError> {
    read_noted(path, options).map(|(table, _)| table)
}

/// Reads a whole file, and says how its columns were matched and which values were missing.
pub fn read_noted(path: &Path, options: &ReadOptions) -> Result<(Table, TableNotes), DataError> {
    whole_table(path, options).map_err(|error| error.in_file(path))
}

fn whole_table(path: &Path, options: &ReadOptions) -> Result<(Table, TableNotes), DataError> {
    let mut source = open(path, options)?;
    let mut block = Block::default();
    let mut gaps = Gaps::new(source.n_inputs());
    let inputs = match mapped(source.as_ref(), &options.storage)? {
        Some(inputs) => {
            inputs.see_gaps(&mut gaps)?;
            inputs
        }
        None => written(source.as_mut(), options, &mut block, &mut gaps)?,
    };
    if options.missing == Missing::Refuse && !gaps.is_empty() {
        return Err(gaps.error(source.input_names()));
    }
    let filling = filling(&options.missing, &inputs, &gaps)?;
    let numbers = match (&filling, &options.missing) {
        (Some(Filling::Mean { values } | Filling::Median { values }), _) | (_, Missing::Fill(values)) => Some(values),
        _ => None,
    };
    let inputs = match numbers.filter(|_| !gaps.is_empty()) {
        Some(numbers) => missing::filled(&inputs, numbers)?,
        None => inputs,
    };
    let table = Table {
        inputs,
        filling,
        ids: options.id_column.as_ref().map(|_| Ids::new(block.ids)).transpose()?,
        labels: options.label_column.as_ref().map(|_| Labels::from_text(&block.labels)),
        input_names: source.input_names().map(<[String]>::to_vec),
    };
    Ok((table, TableNotes { matching: source.matching(), gaps }))
}

/// Reads all rows into their storage, where missing values are NaN. Where these are refused, those after the first are only
/// counted.
fn written(
    source: &mut dyn Source,
    options: &ReadOptions,
    block: &mut Block,
    gaps: &mut Gaps,
) -> Result<Inputs, DataError> {
    let mut writer = InputsWriter::new(source.n_inputs(), source.precision(), &options.storage)?;
    let mut n_before = usize::MAX;
    while block.n_rows != n_before {
        n_before = block.n_rows;
        block.values.clear();
        source.read(ROWS_AT_ONCE, block)?;
        gaps.see(&block.values);
        if gaps.is_empty() || options.missing != Missing::Refuse {
            writer.push_open(&block.values)?;
        }
    }
    if options.missing == Missing::Refuse && !gaps.is_empty() {
        return Err(gaps.error(source.input_names()));
    }
    writer.finish()
}

impl Filling {
    /// The rule that was asked for, with the numbers that rows of so many columns give it, in which missing values are NaN;
    /// `None` where nothing was asked that depends on them.
    pub fn of_rows(asked: &Missing, n_columns: usize, values: &[f64]) -> Result<Option<Self>, DataError> {
        let mut gaps = Gaps::new(n_columns);
        gaps.see(values);
        let mut writer = InputsWriter::new(n_columns, Precision::Double, &Storage::Memory)?;
        writer.push_open(values)?;
        filling(asked, &writer.finish()?, &gaps)
    }
}

/// The rule that was asked for, with the numbers that the table gives it.
fn filling(asked: &Missing, inputs: &Inputs, gaps: &Gaps) -> Result<Option<Filling>, DataError> {
    Ok(match asked {
        Missing::Refuse | Missing::Fill(_) => None,
        Missing::Mean => Some(Filling::Mean { values: missing::means(inputs, gaps)? }),
        Missing::Median => Some(Filling::Median { values: missing::medians(inputs, gaps)? }),
    })
}

/// The rows of a file that is to stay on disk and can be memory-mapped as it is.
fn mapped(source: &dyn Source, storage: &Storage) -> Result<Option<Inputs>, DataError> {
    let (Storage::Disk(_), Some(n_rows)) = (storage, source.n_rows()) else { return Ok(None) };
    let numbers = source.map()?;
    numbers.map(|numbers| Inputs::kept(n_rows, source.n_inputs(), numbers, storage.clone())).transpose()
}

/// Reads an input file of any length in chunks of rows, in order. Label columns are passed over.
///
/// Memory holds one chunk for `.npy` and text, one row group for `.parquet`, and all of a column-major `.npy`.
/// After an error there are no more chunks.
pub struct RowChunks {
    source: Box<dyn Source>,
    path: PathBuf,
    chunk_rows: usize,
    ended: bool,
    /// Texts of the last chunk.
    ids: Vec<String>,
    kept: Vec<String>,
    /// Numbers that take the place of missing values.
    fill: Option<Vec<f64>>,
    /// What is missing so far, where nothing takes its place.
    gaps: Gaps,
}

impl RowChunks {
    /// Opens the file and checks what can be checked beforehand. Chunks have `chunk_rows` rows (at least 1).
    pub fn open(path: &Path, options: &ReadOptions, chunk_rows: usize) -> Result<Self, DataError> {
        let source = open(path, options).map_err(|error| error.in_file(path))?;
        let fill = match &options.missing {
            Missing::Fill(values) => Some(values.clone()),
            Missing::Refuse | Missing::Mean | Missing::Median => None,
        };
        let gaps = Gaps::new(source.n_inputs());
        let path = path.to_owned();
        let (ids, kept) = (Vec::new(), Vec::new());
        Ok(Self { source, path, chunk_rows: chunk_rows.max(1), ended: false, ids, kept, fill, gaps })
    }

    /// Number of input columns.
    pub fn n_inputs(&self) -> usize {
        self.source.n_inputs()
    }

    /// Names of the input columns, if the file has names.
    pub fn input_names(&self) -> Option<&[String]> {
        self.source.input_names()
    }

    /// How the columns were matched to [`ReadOptions::input_names`].
    pub fn matching(&self) -> Matching {
        self.source.matching()
    }

    /// Number of rows in all, where the format tells it beforehand (not for text).
    pub fn n_objects(&self) -> Option<usize> {
        self.source.n_rows()
    }

    /// Bytes in which a number of the whole table would be stored.
    pub fn number_bytes(&self) -> usize {
        self.source.precision().bytes()
    }

    /// Ids of the last chunk's rows, if a column was named for them.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Texts of the last chunk's kept columns, row by row.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// Reads on to the end, so that the error counts all that is missing.
    fn all_gaps(&mut self) -> Result<DataError, DataError> {
        loop {
            let mut block = Block::default();
            self.source.read(self.chunk_rows, &mut block)?;
            if block.n_rows == 0 {
                return Ok(self.gaps.error(self.source.input_names()));
            }
            self.gaps.see(&block.values);
        }
    }

    fn chunk(&mut self) -> Result<Option<Inputs>, DataError> {
        let mut block = Block::default();
        self.source.read(self.chunk_rows, &mut block)?;
        (self.ids, self.kept) = (block.ids, block.kept);
        if block.n_rows == 0 {
            return Ok(None);
        }
        match &self.fill {
            Some(values) => missing::fill(&mut block.values, values),
            None => self.gaps.see(&block.values),
        }
        if !self.gaps.is_empty() {
            return Err(self.all_gaps()?);
        }
        Inputs::new(block.n_rows, self.source.n_inputs(), block.values).map(Some)
    }
}

impl Iterator for RowChunks {
    type Item = Result<Inputs, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let chunk = self.chunk().map_err(|error| error.in_file(&self.path));
        self.ended = !matches!(chunk, Ok(Some(_)));
        chunk.transpose()
    }
}

/// The file formats, told by the ending of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    Text,
    Parquet,
}

pub(crate) fn format_of(path: &Path, readable: &'static str) -> Result<Format, DataError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "npy" => Ok(Format::Npy),
        "csv" | "tsv" | "tab" | "txt" => Ok(Format::Text),
        "parquet" => Ok(Format::Parquet),
        _ => Err(DataError::UnknownFormat { extension, readable }),
    }
}

fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn Source>, DataError> {
    match format_of(path, ".npy, .csv, .tsv, .parquet")? {
        Format::Npy if options.id_column.is_some() || options.label_column.is_some() || !options.keep.is_empty() => {
            Err(DataError::WrongType {
                what: "the file".into(),
                found: "npy".into(),
                needed: "it has no id or label column; give ids and labels as files of their own",
            })
        }
        Format::Npy => Ok(Box::new(NpyRows::open(path)?)),
        Format::Text => Ok(Box::new(CsvTable::open(path, options)?)),
        Format::Parquet => open_parquet(path, options),
    }
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path, options: &ReadOptions) -> Result<Box<dyn Source>, DataError> {
    Ok(Box::new(super::parquet::ParquetTable::open(path, options)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(_: &Path, _: &ReadOptions) -> Result<Box<dyn Source>, DataError> {
    Err(DataError::UnknownFormat {
        extension: "parquet".into(),
        readable: ".npy, .csv, .tsv (this build leaves out the input `parquet`)",
    })
}
