//! Lists every way in which input data can be wrong, with the place of the mistake.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A mistake in input data. Rows and columns count from 0, like numpy's; lines of text files count from 1.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DataError {
    /// A value is NaN or infinite.
    #[error("row {row}, column {column}: the value is {value}; replace or drop it, inputs must be finite")]
    NotFinite {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A table lacks values.
    #[error(
        "{n_missing} {} missing, in {n_rows} of {n_objects} rows: {columns}; fill them in or leave the rows out",
        if *n_missing == 1 { "value is" } else { "values are" }
    )]
    MissingValues {
        /// How many.
        n_missing: usize,
        /// Rows that lack a value.
        n_rows: usize,
        /// Rows in all.
        n_objects: usize,
        /// The columns, with how many each lacks and the first row.
        columns: String,
    },
    /// A column has no value at all, so that nothing can take the place of those that are missing.
    #[error("column {column} of the inputs has no value at all; leave the column out")]
    EmptyColumn {
        /// The column, among the inputs.
        column: usize,
    },
    /// The number of values does not fit the shape.
    #[error("{n_values} values do not fill {n_objects} objects x {n_inputs} inputs")]
    Shape {
        /// Rows asked for.
        n_objects: usize,
        /// Columns asked for.
        n_inputs: usize,
        /// Values given.
        n_values: usize,
    },
    /// There is no object or no input column at all.
    #[error("the inputs are empty ({n_objects} objects x {n_inputs} inputs); at least one of each is needed")]
    Empty {
        /// Rows given.
        n_objects: usize,
        /// Columns given.
        n_inputs: usize,
    },
    /// Any other mistake, in a named file.
    #[error("{}: {problem}", file.display())]
    InFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: Box<DataError>,
    },
    /// The system refused to read or write.
    #[error("cannot {action}: {reason}")]
    Io {
        /// What was tried: `"open"`, `"read"`, `"write"`.
        action: &'static str,
        /// The system's message.
        reason: String,
    },
    /// A large table could not be kept on disk.
    #[error("cannot keep a large table in {}: {reason}; choose a folder on a disk with room for it", folder.display())]
    Scratch {
        /// Where it was to be kept.
        folder: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// The file name's ending is not one that can be read here.
    #[error("the name ends in {extension:?}; it must end in one of: {readable}")]
    UnknownFormat {
        /// The ending found.
        extension: String,
        /// The endings that can be read.
        readable: &'static str,
    },
    /// The file does not follow its format.
    #[error("this is not a readable {format} file: {reason}")]
    Broken {
        /// `"npy"`, `"csv"` or `"parquet"`.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// An array or column has a type that cannot be used.
    #[error("{what} has type {found}; {needed}")]
    WrongType {
        /// The array or column.
        what: String,
        /// Its type.
        found: String,
        /// The types that can be used.
        needed: &'static str,
    },
    /// An array has the wrong number of dimensions or columns.
    #[error("the array has shape {found}; {needed}")]
    WrongShape {
        /// The shape as numpy prints it.
        found: String,
        /// The shapes that can be used.
        needed: &'static str,
    },
    /// A cell cannot be used.
    #[error("{place}: {value:?} is not {needed}")]
    BadValue {
        /// Where it stands.
        place: Place,
        /// What stands there.
        value: String,
        /// What would be valid there.
        needed: &'static str,
    },
    /// A row of a text file has more or fewer cells than the first.
    #[error("{place}: {found} cells where the first line has {expected}")]
    Ragged {
        /// Where it stands.
        place: Place,
        /// Cells in this row.
        found: usize,
        /// Cells in the first row.
        expected: usize,
    },
    /// A blank line in a file with one value a line, where it would shift all later rows.
    #[error("line {line} is blank; fill it in or delete it, it would shift the rows after it")]
    BlankLine {
        /// The line.
        line: u64,
    },
    /// A column that was asked for does not exist.
    #[error("there is no column {asked}; the columns are {known}")]
    NoColumn {
        /// The name or number asked for.
        asked: String,
        /// The columns there are.
        known: String,
    },
    /// Columns that a model was fitted to are not in the file.
    #[error(
        "{n_missing} of the columns that are needed {} missing: {missing}; the columns here are {present}",
        if *n_missing == 1 { "is" } else { "are" }
    )]
    MissingInputs {
        /// How many are missing.
        n_missing: usize,
        /// Their names.
        missing: String,
        /// The names in the file.
        present: String,
    },
    /// A column that is needed once stands in the file several times.
    #[error("there are several columns {name:?}, and one is needed; rename or leave out the others")]
    RepeatedInput {
        /// Its name.
        name: String,
    },
    /// Two columns say the same thing, or might contradict each other.
    #[error("the columns {first} and {second} cannot both be read; leave one of them out")]
    ColumnClash {
        /// Number and name of the first.
        first: String,
        /// Number and name of the second.
        second: String,
    },
    /// Votes that would be expanded to too many answers.
    #[error("{place}: there are {n_votes} votes up to here; at most {most} can be read, is a number mistyped?")]
    TooManyVotes {
        /// The row with which the limit is passed.
        place: Place,
        /// Votes up to here.
        n_votes: usize,
        /// The limit.
        most: usize,
    },
    /// The file has no rows.
    #[error("there are no rows")]
    NoRows,
    /// The file has rows but no column is left for the inputs.
    #[error("no column is left for the inputs")]
    NoInputs,
    /// Two objects have the same id.
    #[error("the id {id:?} stands in row {first} and again in row {second}; ids must be unique")]
    DuplicateId {
        /// The id.
        id: String,
        /// Row where it came first.
        first: usize,
        /// Row where it came again.
        second: usize,
    },
    /// Two things that belong together have different lengths.
    #[error("there are {first_len} {first} but {second_len} {second}; both must describe the same objects")]
    Lengths {
        /// Name of the first.
        first: &'static str,
        /// Its length.
        first_len: usize,
        /// Name of the second.
        second: &'static str,
        /// Its length.
        second_len: usize,
    },
    /// A triplet names one object twice.
    #[error("{place}: the triplet {triplet} names an object twice; the three must differ")]
    RepeatedObject {
        /// Where it stands.
        place: Place,
        /// Anchor, near and far as written.
        triplet: String,
    },
    /// The inputs have another number of columns than those a transform was fitted to.
    #[error("the inputs have {found} columns; {expected} are needed, as when the transform was fitted")]
    WrongInputs {
        /// Columns needed.
        expected: usize,
        /// Columns given.
        found: usize,
    },
    /// A square root of a negative value was asked for.
    #[error("row {row}, column {column}: the square root of {value} is asked for; the values must be at least 0")]
    Negative {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A transform step that does not exist.
    #[error("there is no transform step {asked:?}; the steps are {known}, separated by commas")]
    UnknownStep {
        /// The text given.
        asked: String,
        /// The steps there are.
        known: String,
    },
    /// A transform step was given an impossible size.
    #[error("{step}:{asked} asks for {asked} columns; it can give 1 to {most}")]
    BadSize {
        /// The step.
        step: &'static str,
        /// The size asked for.
        asked: usize,
        /// The largest it can have.
        most: usize,
    },
    /// Values too large to be squared and summed.
    #[error("the inputs are so large that the sum of their squares is infinite; standardise or scale them first")]
    TooLarge,
    /// The principal axes could not be found.
    #[error("the principal axes of the inputs could not be found: {reason}; standardise the inputs first")]
    NoAxes {
        /// Why.
        reason: String,
    },
    /// A stored transform contradicts itself.
    #[error("the stored transform is damaged: step {step} {reason}")]
    BadTransform {
        /// Position in the chain.
        step: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A split names a row in both parts, twice, or leaves a part empty.
    #[error("repeat {repeat}: {reason}")]
    BadSplit {
        /// Number of the repeat.
        repeat: usize,
        /// What is wrong.
        reason: String,
    },
}

impl DataError {
    /// Adds the file's name, once.
    pub fn in_file(self, file: &Path) -> Self {
        match self {
            named @ Self::InFile { .. } => named,
            problem => Self::InFile { file: file.to_owned(), problem: Box::new(problem) },
        }
    }

    /// The mistake itself, without the file's name.
    pub fn problem(&self) -> &Self {
        match self {
            Self::InFile { problem, .. } => problem.problem(),
            problem => problem,
        }
    }

    pub(crate) fn io(action: &'static str, error: &std::io::Error) -> Self {
        Self::Io { action, reason: error.to_string() }
    }

    pub(crate) fn lengths(first: (&'static str, usize), second: (&'static str, usize)) -> Result<(), Self> {
        if first.1 == second.1 {
            return Ok(());
        }
        Err(Self::Lengths { first: first.0, first_len: first.1, second: second.0, second_len: second.1 })
    }
}

/// Where a value stands in a file. Rows count from 0 without the header, lines from 1 with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Line of a text file.
    pub line: Option<u64>,
    /// Row of the data.
    pub row: usize,
    /// Column, if one cell is meant.
    pub column: Option<usize>,
    /// The column's name, if it has one.
    pub name: Option<String>,
}

impl Place {
    /// A row of a file that has no lines.
    pub fn row(row: usize) -> Self {
        Self { row, ..Self::default() }
    }

    /// A row of a text file.
    pub fn line(line: u64, row: usize) -> Self {
        Self { line: Some(line), row, ..Self::default() }
    }

    /// Adds a column to the place.
    pub fn column(mut self, column: usize, name: Option<&str>) -> Self {
        self.column = Some(column);
        self.name = name.map(str::to_owned);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line} (row {})", self.row)?,
            None => write!(f, "row {}", self.row)?,
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        if let Some(name) = &self.name {
            write!(f, " ({name})")?;
        }
        Ok(())
    }
}

/// Shortens a long cell, so that an error message stays one line.
pub(crate) fn shown(value: &str) -> String {
    const LONGEST: usize = 60;
    match value.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value.to_owned(),
    }
}
