//! Stores a unique text id for each object, and finds the object of an id.

use super::DataError;

/// Unique ids, one a row.
///
/// ```
/// use sibp::data::Ids;
/// let ids = Ids::new(vec!["cat".into(), "ant".into()])?;
/// assert_eq!(ids.row("ant"), Some(1));
/// assert_eq!(ids.row("bee"), None);
/// assert!(Ids::new(vec!["cat".into(), "cat".into()]).is_err());
/// # Ok::<(), sibp::data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids {
    texts: Vec<String>,
    /// Rows in the order of their texts, for binary search.
    sorted: Vec<usize>,
}

impl Ids {
    /// Takes the texts, after checking that none occurs twice.
    pub fn new(texts: Vec<String>) -> Result<Self, DataError> {
        let mut sorted: Vec<usize> = (0..texts.len()).collect();
        sorted.sort_by(|&a, &b| texts[a].cmp(&texts[b]).then(a.cmp(&b)));
        // The earliest repetition is the one that a reader of the file meets first.
        let again = sorted.windows(2).filter(|pair| texts[pair[0]] == texts[pair[1]]).min_by_key(|pair| pair[1]);
        if let Some(pair) = again {
            return Err(DataError::DuplicateId { id: texts[pair[0]].clone(), first: pair[0], second: pair[1] });
        }
        Ok(Self { texts, sorted })
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The ids in row order.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The row of an id.
    pub fn row(&self, id: &str) -> Option<usize> {
        let at = self.sorted.binary_search_by(|&row| self.texts[row].as_str().cmp(id)).ok()?;
        Some(self.sorted[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_row_and_names_both_rows_of_a_duplicate() {
        let texts: Vec<String> = (0..50).map(|i| format!("id{}", (i * 37) % 50)).collect();
        let ids = Ids::new(texts.clone()).unwrap();
        for (row, text) in texts.iter().enumerate() {
            assert_eq!(ids.row(text), Some(row));
        }
        let twice = ["b", "a", "c", "a", "b"].map(String::from).to_vec();
        let error = Ids::new(twice).unwrap_err();
        assert_eq!(error, DataError::DuplicateId { id: "a".into(), first: 1, second: 3 });
        assert!(error.to_string().contains("row 1 and again in row 3"));
    }
}
