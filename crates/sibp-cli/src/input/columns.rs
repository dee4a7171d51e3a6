//! Takes the columns of a file by the names that a model or hash was fitted to.

use crate::output;
use sibp::data::{DataError, Filling, Matching, ReadOptions};
use std::path::{Path, PathBuf};

/// The inputs that a model or hash was fitted to.
#[derive(Debug, Clone)]
pub struct Columns {
    names: Option<Vec<String>>,
    filling: Option<Filling>,
    n_inputs: usize,
    /// The file of the model or hash.
    owner: PathBuf,
    quiet: bool,
}

impl Columns {
    /// The inputs of the model or hash at `owner`; their names are not known where it was fitted to a file without names.
    pub fn new(names: Option<&[String]>, n_inputs: usize, owner: &Path) -> Self {
        Self { names: names.map(<[String]>::to_vec), filling: None, n_inputs, owner: owner.to_owned(), quiet: false }
    }

    /// Fills missing values in as those were to which it was fitted.
    pub fn filled_by(self, filling: Option<&Filling>) -> Self {
        Self { filling: filling.cloned(), ..self }
    }

    /// Says nothing about columns that stand in another order or are passed over.
    pub fn quiet(self, quiet: bool) -> Self {
        Self { quiet, ..self }
    }

    /// Adds the names, and what is done about missing values, to what is to be read.
    pub fn of(&self, options: ReadOptions) -> ReadOptions {
        let missing = self.filling.as_ref().map(Filling::missing).unwrap_or_default();
        ReadOptions { input_names: self.names.clone(), missing, ..options }
    }

    /// Says how the columns of `source` were matched, and refuses another number of them.
    pub fn check(&self, source: &Path, n_inputs: usize, matching: &Matching) -> anyhow::Result<()> {
        let (source, owner) = (source.display(), self.owner.display());
        if n_inputs != self.n_inputs {
            let expected = self.n_inputs;
            anyhow::bail!(
                "{source} has {n_inputs} columns but {owner} was fitted to {expected}; give the same inputs in the same order"
            );
        }
        if self.quiet {
            return Ok(());
        }
        if matching.reordered {
            output::say(format!("note: {source}: the columns are taken by their names, in the order of {owner}"));
        }
        if !matching.ignored.is_empty() {
            let ignored = matching.ignored_words();
            output::say(format!("note: {source}: columns that {owner} was not fitted to are ignored: {ignored}"));
        }
        Ok(())
    }

    /// Names the model or hash where columns that it was fitted to are missing, or values that it has no rule for.
    pub fn explain(&self, error: DataError) -> anyhow::Error {
        let owner = self.owner.display();
        match error.problem() {
            DataError::MissingValues { .. } => match &self.filling {
                Some(Filling::Drop) => anyhow::anyhow!(
                    "{error}: {owner} was fitted with --missing drop, and gives no codes to such rows (with --missing mean it would)"
                ),
                _ => anyhow::anyhow!("{error}: {owner} was fitted without a rule for missing values (--missing)"),
            },
            DataError::MissingInputs { .. } | DataError::RepeatedInput { .. } => {
                anyhow::anyhow!("{error}; {owner} was fitted to columns with these names")
            }
            _ => error.into(),
        }
    }
}
