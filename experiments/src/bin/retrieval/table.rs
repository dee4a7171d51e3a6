//! Collects rows over seeds, and prints means, deviations and paired tests; every row is also written to a CSV file.

use anyhow::Result;
use sibp::eval::{Summary, paired_t_test};
use std::fs::File;
use std::path::Path;

/// A row of one seed: a value for each column, NaN where there is none.
pub struct Row {
    /// Name of the method.
    pub name: String,
    /// Values in the order of the columns.
    pub values: Vec<f64>,
}

/// A table with a line a method, in the order in which they came.
pub struct Table {
    title: String,
    columns: Vec<&'static str>,
    /// Rows of each method, by seed.
    lines: Vec<(String, Vec<Vec<f64>>)>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Self { title: title.into(), columns: columns.to_vec(), lines: Vec::new() }
    }

    /// Adds a row of the next seed, shows it on stderr and writes it to the file.
    pub fn push(&mut self, seed: u64, row: Row, file: &mut Results) -> Result<()> {
        let cells = self.columns.iter().zip(&row.values).map(|(name, value)| format!("{name} {value:.2}"));
        eprintln!("{}, seed {seed}: {}: {}", self.title, row.name, cells.collect::<Vec<_>>().join(", "));
        file.write(&self.title, seed, &row)?;
        match self.lines.iter_mut().find(|line| line.0 == row.name) {
            Some(line) => line.1.push(row.values),
            None => self.lines.push((row.name, vec![row.values])),
        }
        Ok(())
    }

    /// Prints mean and deviation of every column.
    pub fn print(&self) -> Result<()> {
        println!("| {} | {} |\n|---{}|", self.title, self.columns.join(" | "), "|---".repeat(self.columns.len()));
        for (name, rows) in &self.lines {
            let cells = (0..self.columns.len()).map(|column| cell(&values(rows, column)));
            println!("| {name} | {} |", cells.collect::<Result<Vec<_>>>()?.join(" | "));
        }
        println!();
        Ok(())
    }

    /// Prints how much one method is above another in these columns, with p of the one-sided paired test over seeds;
    /// nothing where one is missing or there is a single seed.
    pub fn print_above(&self, ours: &str, other: &str, columns: &[&str]) -> Result<()> {
        let find = |name: &str| self.lines.iter().find(|line| line.0 == name).map(|line| &line.1);
        let (Some(first), Some(second)) = (find(ours), find(other)) else { return Ok(()) };
        if first.len() < 2 || first.len() != second.len() {
            return Ok(());
        }
        let mut cells = Vec::new();
        for (at, name) in self.columns.iter().enumerate().filter(|(_, name)| columns.contains(name)) {
            let test = paired_t_test(&values(first, at), &values(second, at))?;
            cells.push(format!("{name} {:+.2} (p {:.4})", test.mean_difference, test.p));
        }
        println!("{ours} above {other}: {}", cells.join(", "));
        Ok(())
    }
}

fn values(rows: &[Vec<f64>], column: usize) -> Vec<f64> {
    rows.iter().map(|row| row[column]).collect()
}

fn cell(values: &[f64]) -> Result<String> {
    if values.iter().any(|value| value.is_nan()) {
        return Ok("–".to_owned());
    }
    let summary = Summary::of(values)?;
    let digits = match summary.mean.abs() {
        small if small < 10.0 => 2,
        middling if middling < 1000.0 => 1,
        _ => 0,
    };
    Ok(format!("{summary:.digits$}"))
}

/// The CSV file of a study.
pub struct Results {
    file: csv::Writer<File>,
}

impl Results {
    /// Begins a file with these columns.
    pub fn create(path: &Path, columns: &[&str]) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = csv::Writer::from_path(path)?;
        file.write_record(["table", "method", "seed"].iter().chain(columns))?;
        Ok(Self { file })
    }

    fn write(&mut self, table: &str, seed: u64, row: &Row) -> Result<()> {
        let text = |value: &f64| if value.is_nan() { String::new() } else { value.to_string() };
        let numbers = row.values.iter().map(text);
        self.file.write_record([table.to_owned(), row.name.clone(), seed.to_string()].into_iter().chain(numbers))?;
        Ok(self.file.flush()?)
    }
}
