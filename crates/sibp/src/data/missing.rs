//! Finds the values that a table lacks, counts them by column, and fills them in by a rule that a model can keep.

use super::inputs::Inputs;
use super::{DataError, Precision};
use serde::{Deserialize, Serialize};

/// Values of a few columns that are held at once to find their medians.
const VALUES_AT_ONCE: usize = 1 << 24;

/// What is done where a table lacks a value: an empty cell, NA, NaN, null, none or ?, in any case of letters.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Missing {
    /// The table is refused, with an error that counts the missing values by column.
    #[default]
    Refuse,
    /// The mean of the column takes its place.
    Mean,
    /// The median of the column takes its place.
    Median,
    /// A number for each column takes its place.
    Fill(Vec<f64>),
}

/// The rule for missing values that objects were read by, so that others can be read alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Filling {
    /// The mean of the column took their place.
    Mean {
        /// The mean of each column.
        values: Vec<f64>,
    },
    /// The median of the column took their place.
    Median {
        /// The median of each column.
        values: Vec<f64>,
    },
    /// Their rows were left out.
    Drop,
}

impl Filling {
    /// How others are read alike; rows that would be left out are refused, as every object is to get a code.
    pub fn missing(&self) -> Missing {
        match self {
            Self::Mean { values } | Self::Median { values } => Missing::Fill(values.clone()),
            Self::Drop => Missing::Refuse,
        }
    }

    /// What is wrong with a rule that was read from a file, if anything.
    pub(crate) fn fault(&self, n_inputs: usize) -> Option<&'static str> {
        match self {
            Self::Mean { values } | Self::Median { values } if values.len() != n_inputs => {
                Some("has another number of values for missing ones than columns")
            }
            Self::Mean { values } | Self::Median { values } if !values.iter().all(|value| value.is_finite()) => {
                Some("has a value for missing ones that is not finite")
            }
            _ => None,
        }
    }
}

/// Whether a text cell says that there is no value.
pub(super) fn says_missing(text: &str) -> bool {
    const WORDS: [&str; 9] = ["na", "n/a", "#n/a", "nan", "-nan", "null", "none", "<na>", "?"];
    text.is_empty() || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The missing values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The column, among the inputs.
    pub column: usize,
    /// How many values are missing.
    pub n_missing: usize,
    /// The first row without one.
    pub first_row: usize,
}

/// The missing values of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gaps {
    counts: Vec<(usize, usize)>,
    rows: Vec<usize>,
    n_rows: usize,
}

impl Gaps {
    /// The gaps of a table of so many columns, of which no row was seen yet.
    pub(super) fn new(n_columns: usize) -> Self {
        Self { counts: vec![(0, 0); n_columns], rows: Vec::new(), n_rows: 0 }
    }

    /// Counts those of further rows.
    pub(super) fn see(&mut self, values: &[f64]) {
        for row in values.chunks_exact(self.counts.len().max(1)) {
            let mut is_whole = true;
            for (count, _) in self.counts.iter_mut().zip(row).filter(|(_, value)| value.is_nan()) {
                *count = (count.0 + 1, if count.0 == 0 { self.n_rows } else { count.1 });
                is_whole = false;
            }
            if !is_whole {
                self.rows.push(self.n_rows);
            }
            self.n_rows += 1;
        }
    }

    /// Rows that lack a value, in order.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Whether no value is missing.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of missing values.
    pub fn n_missing(&self) -> usize {
        self.counts.iter().map(|(n_missing, _)| n_missing).sum()
    }

    /// The columns that lack values.
    pub fn columns(&self) -> impl Iterator<Item = Gap> {
        let gap = |(column, &(n_missing, first_row))| Gap { column, n_missing, first_row };
        self.counts.iter().enumerate().map(gap).filter(|gap| gap.n_missing > 0)
    }

    /// Lists the columns with their numbers of missing values and the first row of each, of many the first few.
    pub fn words(&self, names: Option<&[String]>) -> String {
        const MOST: usize = 12;
        let name = |column: usize| match names.and_then(|names| names.get(column)) {
            Some(name) => format!("{name:?}"),
            None => format!("column {column}"),
        };
        let word = |gap: Gap| format!("{} in {} (first in row {})", gap.n_missing, name(gap.column), gap.first_row);
        let words: Vec<String> = self.columns().take(MOST).map(word).collect();
        match self.columns().count().saturating_sub(MOST) {
            0 => words.join(", "),
            n => format!("{} and {n} more columns", words.join(", ")),
        }
    }

    /// The error that says all of it.
    pub(super) fn error(&self, names: Option<&[String]>) -> DataError {
        DataError::MissingValues {
            n_missing: self.n_missing(),
            n_rows: self.rows.len(),
            n_objects: self.n_rows,
            columns: self.words(names),
        }
    }
}

/// Puts `values`, one a column, where a block of rows lacks some.
pub(super) fn fill(block: &mut [f64], values: &[f64]) {
    for row in block.chunks_exact_mut(values.len().max(1)) {
        row.iter_mut().zip(values).filter(|(cell, _)| cell.is_nan()).for_each(|(cell, value)| *cell = *value);
    }
}

/// The inputs with `values` in place of those that are missing, in the same storage.
pub(super) fn filled(inputs: &Inputs, values: &[f64]) -> Result<Inputs, DataError> {
    let precision =
        if inputs.number_bytes() == Precision::Single.bytes() { Precision::Single } else { Precision::Double };
    inputs.map_blocks(inputs.n_inputs(), precision, |_, block| {
        let mut block = block.into_owned();
        fill(&mut block, values);
        Ok(block)
    })
}

/// The mean of every column over the rows that have a value.
pub(super) fn means(inputs: &Inputs, gaps: &Gaps) -> Result<Vec<f64>, DataError> {
    let present = present(inputs, gaps)?;
    let mut means = vec![0.0; inputs.n_inputs()];
    inputs.for_each_row(|row| {
        let cells = row.iter().zip(&present).zip(&mut means).filter(|((value, _), _)| !value.is_nan());
        // Divided first, as the sum of large values may overflow.
        cells.for_each(|((value, n_present), mean)| *mean += value / *n_present as f64);
    });
    Ok(means)
}

/// The median of every column over the rows that have a value.
pub(super) fn medians(inputs: &Inputs, gaps: &Gaps) -> Result<Vec<f64>, DataError> {
    present(inputs, gaps)?;
    let at_once = (VALUES_AT_ONCE / inputs.n_objects()).max(1);
    let mut medians = Vec::with_capacity(inputs.n_inputs());
    for first in (0..inputs.n_inputs()).step_by(at_once) {
        let columns = first..(first + at_once).min(inputs.n_inputs());
        let mut values = vec![Vec::with_capacity(inputs.n_objects()); columns.len()];
        inputs.for_each_row(|row| {
            let cells = row[columns.clone()].iter().zip(&mut values).filter(|(value, _)| !value.is_nan());
            cells.for_each(|(value, values)| values.push(*value));
        });
        medians.extend(values.iter_mut().map(|values| median(values)));
    }
    Ok(medians)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    // Halved first, as the sum of large values may overflow.
    if low == high { low } else { low / 2.0 + high / 2.0 }
}

/// Values that every column has; a column without any cannot be filled.
fn present(inputs: &Inputs, gaps: &Gaps) -> Result<Vec<usize>, DataError> {
    let n_objects = inputs.n_objects();
    match gaps.columns().find(|gap| gap.n_missing == n_objects) {
        Some(gap) => Err(DataError::EmptyColumn { column: gap.column }),
        None => Ok(gaps.counts.iter().map(|(n_missing, _)| n_objects - n_missing).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_medians_are_those_of_the_values_that_are_there() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 8.0]), 3.0);
        assert!(
            says_missing("") && says_missing("NA") && says_missing("NaN") && says_missing("?") && !says_missing("0")
        );
        let mut gaps = Gaps::new(2);
        gaps.see(&[1.0, f64::NAN, 2.0, 5.0]);
        gaps.see(&[f64::NAN, f64::NAN]);
        assert_eq!((gaps.n_missing(), gaps.rows()), (3, &[0, 2][..]));
        let names = ["a".to_owned(), "b".to_owned()];
        assert_eq!(gaps.words(Some(&names)), "1 in \"a\" (first in row 2), 2 in \"b\" (first in row 0)");
        let mut block = [1.0, f64::NAN];
        fill(&mut block, &[7.0, 8.0]);
        assert_eq!(block, [1.0, 8.0]);
    }
}
