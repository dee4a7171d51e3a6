//! Prints results as aligned tables, lines or JSON; every write reports a closed pipe.

pub use sibp_paper::words::{count, csv_cell, grouped, percent, seconds};

use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

/// Stdout with a large buffer. The caller flushes, so that a closed pipe is noticed.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Prints a value as one line of JSON.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = stdout();
    writeln!(out, "{}", serde_json::to_string(value)?)?;
    out.flush()?;
    Ok(())
}

/// Prints a message to stderr; a closed stderr is ignored.
pub fn say(text: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Warns on stderr.
pub fn warn(text: impl std::fmt::Display) {
    use clap::builder::styling::{AnsiColor, Style};
    let style = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    let _ = writeln!(anstream::stderr(), "{style}warning:{style:#} {text}");
}

/// Whether stdout is a terminal and plain text was not asked for.
pub fn colours_on_stdout() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Left, for text.
    Left,
    /// Right, for numbers.
    Right,
}

/// A table whose columns are as wide as their widest cell.
#[derive(Debug, Default)]
pub struct Table {
    header: Vec<String>,
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Begins a table; columns are text (`<name`) or numbers (`>name`).
    pub fn new(columns: &[&str]) -> Self {
        let align = |c: &&str| if c.starts_with('>') { Align::Right } else { Align::Left };
        let name = |c: &&str| c.trim_start_matches(['<', '>']).to_owned();
        let header = columns.iter().map(name).collect();
        Self { header, align: columns.iter().map(align).collect(), rows: Vec::new() }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes the table, two spaces between columns.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let width = |c: usize| self.lines().map(|row| row.get(c).map_or(0, |t| t.chars().count())).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        for row in self.lines() {
            let mut line = String::new();
            for ((cell, &width), align) in row.iter().zip(&widths).zip(&self.align) {
                match align {
                    Align::Left => line.push_str(&format!("{cell:<width$}  ")),
                    Align::Right => line.push_str(&format!("{cell:>width$}  ")),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        let header = (!self.header.iter().all(String::is_empty)).then_some(&self.header);
        header.into_iter().chain(&self.rows)
    }
}

/// Formats a number with its significant digits.
pub fn significant(value: f64) -> String {
    match value.abs() {
        a if a >= 1000.0 => format!("{value:.1}"),
        a if a >= 10.0 => format!("{value:.2}"),
        a if a >= 0.001 || a == 0.0 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

/// Formats an amount of memory with its unit.
pub fn bytes(bytes: u64) -> String {
    match bytes as f64 / 1e9 {
        gigabytes if gigabytes >= 1e6 => format!("{:.2e} GB", gigabytes),
        gigabytes if gigabytes >= 10.0 => format!("{} GB", grouped(gigabytes.round() as usize)),
        gigabytes if gigabytes >= 1.0 => format!("{gigabytes:.1} GB"),
        gigabytes => format!("{:.0} MB", (1e3 * gigabytes).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align() {
        let mut table = Table::new(&["<name", ">n"]);
        table.row(["a".into(), "1".into()]);
        table.row(["long".into(), "1000".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "name     n\na        1\nlong  1000\n");
    }
}
