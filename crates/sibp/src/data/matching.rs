//! Finds the inputs that a model was fitted to among the columns of a file, by their names.

use super::DataError;
use super::options::listed;
use std::collections::HashMap;

/// How the columns of a file were matched to the names that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matching {
    /// Whether the inputs stand in another order in the file.
    pub reordered: bool,
    /// Names of the columns that were passed over, as nobody asked for them.
    pub ignored: Vec<String>,
}

impl Matching {
    /// Lists the columns that were passed over, of many the first few.
    pub fn ignored_words(&self) -> String {
        listed(&self.ignored)
    }
}

/// The columns, among `candidates`, that have the wanted names, in the wanted order. Where a name was wanted several times
/// it must stand in the file as often, and the order decides.
pub(super) fn matched(
    wanted: &[String],
    names: &[String],
    candidates: &[usize],
) -> Result<(Vec<usize>, Matching), DataError> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    // Backwards, so that the first of several is taken first.
    candidates.iter().rev().for_each(|&column| places.entry(&names[column]).or_default().push(column));
    let mut missing = Vec::new();
    let mut inputs = Vec::with_capacity(wanted.len());
    for name in wanted {
        match places.get_mut(name.as_str()).and_then(Vec::pop) {
            Some(column) => inputs.push(column),
            None => missing.push(name.as_str()),
        }
    }
    if !missing.is_empty() {
        let present: Vec<&str> = candidates.iter().map(|&column| names[column].as_str()).collect();
        let (n_missing, missing) = (missing.len(), listed(&missing));
        return Err(DataError::MissingInputs { n_missing, missing, present: listed(&present) });
    }
    if let Some(name) = wanted.iter().find(|name| places.get(name.as_str()).is_some_and(|left| !left.is_empty())) {
        return Err(DataError::RepeatedInput { name: name.clone() });
    }
    let mut left: Vec<usize> = places.into_values().flatten().collect();
    left.sort_unstable();
    let ignored = left.into_iter().map(|column| names[column].clone()).collect();
    Ok((inputs.clone(), Matching { reordered: !inputs.is_sorted(), ignored }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn found(wanted: &str, names: &str) -> Result<(Vec<usize>, Matching), DataError> {
        let names = texts(names);
        matched(&texts(wanted), &names, &(0..names.len()).collect::<Vec<_>>())
    }

    #[test]
    fn columns_are_found_wherever_they_stand() {
        let same = (vec![0, 1], Matching::default());
        assert_eq!(found("a b", "a b"), Ok(same));
        let (columns, matching) = found("a b", "b x a y").unwrap();
        assert_eq!(
            (columns, matching.reordered, matching.ignored_words().as_str()),
            (vec![2, 0], true, "\"x\", \"y\"")
        );
        assert!(!found("a b", "x a b").unwrap().1.reordered);
    }

    #[test]
    fn names_that_come_twice_are_told_apart_by_their_order() {
        assert_eq!(found("a b a", "b a a").unwrap().0, [1, 0, 2]);
        assert_eq!(found("a b", "a b a"), Err(DataError::RepeatedInput { name: "a".into() }));
    }

    #[test]
    fn missing_columns_are_named() {
        let error = found("a b c", "a z").unwrap_err().to_string();
        assert!(error.contains("\"b\", \"c\"") && error.contains("\"a\", \"z\""), "{error}");
    }
}
