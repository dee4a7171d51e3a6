//! Reads input tables with their ids and labels, whole or the rows of a split.

use super::Columns;
use crate::failure::usage;
use anyhow::bail;
use sibp::data::{
    ColumnRef, Labels, ReadOptions, Split, Table, read_ids, read_labels, read_noted, read_splits, read_table,
};
use std::path::{Path, PathBuf};

/// Where labels and ids stand.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Labels and ids")]
pub struct TableArgs {
    /// Labels, one per object: .npy of integers, or a text file with one per line
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Column that holds the labels, in the labels file or else in the inputs: its name or its number from 0
    #[arg(long, value_name = "COLUMN")]
    pub label_column: Option<String>,
    /// Ids, one per object: a text file with one per line, or .npy of integers
    #[arg(long, value_name = "FILE")]
    pub ids: Option<PathBuf>,
    /// Column that holds the ids, in the ids file or else in the inputs: its name or its number from 0
    #[arg(long, value_name = "COLUMN")]
    pub id_column: Option<String>,
}

impl TableArgs {
    /// Reads the inputs with labels and ids, and checks that all describe the same objects.
    pub fn read(&self, inputs: &Path) -> anyhow::Result<Table> {
        self.joined(inputs, read_table(inputs, &self.options())?)
    }

    /// Reads the inputs that a model or hash was fitted to, by their names where both sides have some, with labels and ids.
    pub fn read_for(&self, inputs: &Path, columns: &Columns) -> anyhow::Result<Table> {
        let found = read_noted(inputs, &columns.of(self.options()));
        let (table, notes) = found.map_err(|error| columns.explain(error))?;
        columns.check(inputs, table.inputs.n_inputs(), &notes.matching)?;
        self.joined(inputs, table)
    }

    /// Adds the labels and ids of files of their own.
    pub fn joined(&self, inputs: &Path, mut table: Table) -> anyhow::Result<Table> {
        for (file, column, option) in
            [(&self.labels, &self.label_column, "--label-column"), (&self.ids, &self.id_column, "--id-column")]
        {
            if let (Some(file), Some(column)) = (file, column)
                && file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"))
            {
                return Err(usage(format!(
                    "{option} {column}: {} is an array, whose columns have no names",
                    file.display()
                )));
            }
        }
        if let Some(path) = &self.labels {
            let labels = read_labels(path, &self.columns())?;
            same_length(inputs, table.inputs.n_objects(), path, labels.len())?;
            table.set_labels(labels)?;
        }
        if let Some(path) = &self.ids {
            let ids = read_ids(path, &self.columns())?;
            same_length(inputs, table.inputs.n_objects(), path, ids.len())?;
            table.set_ids(ids)?;
        }
        Ok(table)
    }

    /// How the inputs file is to be read.
    pub fn options(&self) -> ReadOptions {
        let mut columns = self.columns();
        columns.id_column = columns.id_column.filter(|_| self.ids.is_none());
        columns.label_column = columns.label_column.filter(|_| self.labels.is_none());
        columns
    }

    /// The named columns, wherever they stand.
    fn columns(&self) -> ReadOptions {
        let column = |name: &Option<String>| name.as_deref().map(ColumnRef::from);
        ReadOptions {
            id_column: column(&self.id_column),
            label_column: column(&self.label_column),
            ..ReadOptions::default()
        }
    }

    /// The files of labels and ids.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.labels.iter().chain(&self.ids)
    }

    /// Whether labels were named in any way.
    pub fn has_labels(&self) -> bool {
        self.labels.is_some() || self.label_column.is_some()
    }
}

/// Refuses two files whose numbers of rows differ, naming both.
fn same_length(inputs: &Path, n_objects: usize, other: &Path, n_other: usize) -> anyhow::Result<()> {
    if n_objects != n_other {
        bail!(
            "{} has {n_objects} rows but {} has {n_other}; both must describe the same objects in the same order",
            inputs.display(),
            other.display()
        );
    }
    Ok(())
}

/// Which rows to take.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Splits")]
pub struct SplitArgs {
    /// Use only some rows: a .csv with columns repeat, role (train or test) and row
    #[arg(long, value_name = "FILE")]
    pub split: Option<PathBuf>,
    /// Which repeat of the split
    #[arg(long, value_name = "N", requires = "split")]
    pub repeat: Option<usize>,
}

impl SplitArgs {
    /// The chosen repeat over `n_objects` rows, if a split was named.
    pub fn read(&self, n_objects: usize) -> anyhow::Result<Option<Split>> {
        let Some(path) = &self.split else { return Ok(None) };
        let mut splits = read_splits(path, n_objects)?;
        let repeat = self.repeat.unwrap_or(0);
        if repeat >= splits.len() {
            let last = splits.len() - 1;
            return Err(usage(format!("{}: there is no repeat {repeat}; they are 0 to {last}", path.display())));
        }
        Ok(Some(splits.swap_remove(repeat)))
    }
}

/// The rows of a table, in the given order.
pub fn select(table: &Table, rows: &[usize]) -> anyhow::Result<Table> {
    let ids = table.ids.as_ref().map(|ids| rows.iter().map(|&row| ids.texts()[row].clone()).collect());
    Ok(Table {
        inputs: table.inputs.select_kept(rows)?,
        ids: ids.map(sibp::data::Ids::new).transpose()?,
        labels: table.labels.as_ref().map(|labels| select_labels(labels, rows)),
        input_names: table.input_names.clone(),
        filling: table.filling.clone(),
    })
}

/// The labels of some rows, with only the classes that are left.
fn select_labels(labels: &Labels, rows: &[usize]) -> Labels {
    let texts: Vec<&str> = rows.iter().map(|&row| labels.names()[labels.class_of()[row] as usize].as_str()).collect();
    Labels::from_text(&texts)
}
