//! Collects the accuracy of methods over repeats, and prints means, deviations and paired tests.

use crate::{NEIGHBOURS, Repeat};
use anyhow::Result;
use sibp::eval::{Summary, corrected_t_test, paired_t_test};
use sibp::method::{Examples, Method, measure};
use sibp::run::RunControl;

/// A method's accuracy in percent, by number of neighbours and repeat; a classifier has one column only.
struct Row {
    name: String,
    columns: Vec<Vec<f64>>,
}

/// A row a method, in the order in which they came.
#[derive(Default)]
pub struct AccuracyTable {
    rows: Vec<Row>,
    /// Objects to learn from, and to ask about, in a repeat.
    sizes: Option<(usize, usize)>,
}

impl AccuracyTable {
    /// Adds one repeat of a method.
    pub fn push(&mut self, name: &str, values: Vec<f64>) {
        if !self.rows.iter().any(|row| row.name == name) {
            self.rows.push(Row { name: name.to_owned(), columns: vec![Vec::new(); values.len()] });
        }
        if let Some(row) = self.rows.iter_mut().find(|row| row.name == name) {
            row.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
    }

    /// Adds what a method reaches when it is trained on one half and asked about the other.
    pub fn measure(&mut self, method: &dyn Method, halves: &Repeat, seed: u64) -> Result<()> {
        self.sizes = Some((halves.train.n_objects(), halves.test.n_objects()));
        let examples = Examples::new(&halves.train, &halves.train_labels);
        let asked = (&halves.test, &halves.test_labels);
        for reading in measure(method, &examples, asked, &NEIGHBOURS, seed, &RunControl::default())? {
            self.push(&reading.name, reading.accuracy.iter().map(|share| 100.0 * share).collect());
        }
        Ok(())
    }

    /// Names of the methods.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.name.as_str())
    }

    /// Prints means and deviations.
    pub fn print(&self, title: &str) -> Result<()> {
        println!("| {title} | 1-NN | 3-NN | 15-NN | 30-NN |\n|---|---|---|---|---|");
        for row in &self.rows {
            let cells = row.columns.iter().map(|values| Summary::of(values).map(|s| format!("{s:.1}")));
            println!("| {} | {} |", row.name, cells.collect::<Result<Vec<_>, _>>()?.join(" | "));
        }
        Ok(())
    }

    /// Prints how much one method is above another at each number of neighbours, with p of the one-sided paired test and,
    /// where the sizes of the halves are known, of the test that is corrected for repeats that share objects; nothing
    /// where one method is missing or there is a single repeat.
    pub fn print_above(&self, ours: &str, other: &str) -> Result<()> {
        let find = |name: &str| self.rows.iter().find(|row| row.name == name);
        let (Some(first), Some(second)) = (find(ours), find(other)) else { return Ok(()) };
        let mut cells = Vec::new();
        for (at, column) in first.columns.iter().enumerate().filter(|(_, column)| column.len() > 1) {
            let other = second.columns.get(at).unwrap_or(&second.columns[0]);
            let test = paired_t_test(column, other)?;
            let corrected = match self.sizes {
                Some((train, test)) => format!(" / {:.3}", corrected_t_test(column, other, train, test)?.p),
                None => String::new(),
            };
            cells.push(format!("{:+.1} (p {:.3}{corrected})", test.mean_difference, test.p));
        }
        if !cells.is_empty() {
            println!("{ours} above {other}: {}", cells.join(", "));
        }
        Ok(())
    }
}
