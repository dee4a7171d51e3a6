//! Warns of columns that were hardly meant as inputs: constant ones, and the index that pandas writes.

use crate::output;
use sibp::data::Table;
use std::path::Path;

/// Columns that are named in a warning.
const NAMED: usize = 12;

/// Warns of columns that tell nothing about the objects, by their names.
pub fn warn_of_columns(path: &Path, table: &Table) {
    let (constant, counting) = odd_columns(table);
    let path = path.display();
    let name = |&column: &usize| match table.input_names.as_ref().map(|names| names[column].as_str()) {
        Some("") => format!("column {column} (without a name)"),
        Some(name) => format!("{name:?}"),
        None => column.to_string(),
    };
    if !constant.is_empty() {
        let named: Vec<String> = constant.iter().take(NAMED).map(name).collect();
        let more = match constant.len().saturating_sub(NAMED) {
            0 => String::new(),
            n => format!(" and {} more", output::grouped(n)),
        };
        let (columns, n) = (named.join(", "), output::grouped(constant.len()));
        let all = output::count(table.inputs.n_inputs(), "column");
        output::warn(format!(
            "{path}: {n} of {all} have the same value in every row and carry no information: {columns}{more}"
        ));
    }
    for column in &counting {
        output::warn(format!(
            "{path}: {} looks like the index of a frame, which pandas writes unless index=False; it is taken for an input \
             (leave it out, or name it with --id-column)",
            name(column)
        ));
    }
}

/// Columns with one value, and columns of whole numbers to which nobody gave a name.
fn odd_columns(table: &Table) -> (Vec<usize>, Vec<usize>) {
    let inputs = &table.inputs;
    if inputs.n_objects() < 2 || inputs.n_inputs() == 0 {
        return (Vec::new(), Vec::new());
    }
    let first = inputs.row(0).into_owned();
    let unnamed = |name: &String| name.is_empty() || name.starts_with("Unnamed: ");
    let is_unnamed = |&column: &usize| table.input_names.as_ref().is_some_and(|names| unnamed(&names[column]));
    let mut constant: Vec<usize> = (0..inputs.n_inputs()).collect();
    let mut counting: Vec<usize> =
        (0..inputs.n_inputs()).filter(is_unnamed).filter(|&column| first[column].fract() == 0.0).collect();
    for row in 1..inputs.n_objects() {
        if constant.is_empty() && counting.is_empty() {
            break;
        }
        let values = inputs.row(row);
        constant.retain(|&column| values[column] == first[column]);
        counting.retain(|&column| values[column].fract() == 0.0);
    }
    counting.retain(|column| !constant.contains(column));
    (constant, counting)
}
