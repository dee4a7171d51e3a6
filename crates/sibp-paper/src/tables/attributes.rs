//! Reads the known bits of every class: the first attributes of Animals with Attributes.

use anyhow::{Context, bail};
use sibp::data::Labels;
use std::path::Path;

/// Number of attributes that are known of every class: the paper's colours.
pub const N_ATTRIBUTES: usize = 5;

/// Bits of every class.
pub struct Attributes {
    pub names: Vec<String>,
    /// The attributes of each class; the first line is class 1.
    matrix: Vec<Vec<bool>>,
}

impl Attributes {
    /// Names and bits of the first attributes; every class of the labels must have them.
    pub fn read(folder: &Path, labels: &Labels) -> anyhow::Result<Self> {
        let text = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).with_context(|| path.display().to_string())
        };
        // Each line is a number and a name.
        let name = |line: &str| line.split_whitespace().last().unwrap_or_default().to_owned();
        let names: Vec<String> = text("predicates.txt")?.lines().take(N_ATTRIBUTES).map(name).collect();
        let file = folder.join("predicate-matrix-binary.txt");
        let mut matrix = Vec::new();
        for (at, line) in text("predicate-matrix-binary.txt")?.lines().enumerate() {
            let cells: Vec<&str> = line.split_whitespace().take(N_ATTRIBUTES).collect();
            if cells.len() < N_ATTRIBUTES || cells.iter().any(|cell| !["0", "1"].contains(cell)) {
                bail!("{}: line {} does not begin with {N_ATTRIBUTES} cells of 0 or 1", file.display(), at + 1);
            }
            matrix.push(cells.iter().map(|&cell| cell == "1").collect());
        }
        let attributes = Self { names, matrix };
        match labels.names().iter().find(|name| attributes.of_class(name).is_none()) {
            Some(name) => bail!(
                "{}: there is no line for the label {name}; labels are class ids, 1 for the first line",
                file.display()
            ),
            None => Ok(attributes),
        }
    }

    pub fn of_class(&self, id: &str) -> Option<&[bool]> {
        self.matrix.get(id.parse::<usize>().ok()?.checked_sub(1)?).map(Vec::as_slice)
    }
}
