//! Stores the class of each object, with the classes' names.

/// Class of every object. Classes are numbered by the order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    class_of: Vec<u32>,
    names: Vec<String>,
}

impl Labels {
    /// Numbers the distinct texts in sorted order (numerically where all are integers).
    pub fn from_text<S: AsRef<str>>(texts: &[S]) -> Self {
        let mut names: Vec<String> = texts.iter().map(|t| t.as_ref().to_owned()).collect();
        if names.iter().all(|n| n.parse::<i64>().is_ok()) {
            names.sort_by_key(|n| n.parse::<i64>().unwrap_or(0));
        } else {
            names.sort();
        }
        names.dedup();
        let index: std::collections::BTreeMap<&str, u32> =
            names.iter().zip(0u32..).map(|(n, i)| (n.as_str(), i)).collect();
        let class_of = texts.iter().map(|t| index[t.as_ref()]).collect();
        Self { class_of, names }
    }

    /// Takes classes that are numbered already.
    ///
    /// # Panics
    /// When a class has no name.
    pub fn from_classes(names: Vec<String>, class_of: Vec<u32>) -> Self {
        assert!(class_of.iter().all(|&class| (class as usize) < names.len()), "every class has a name");
        Self { class_of, names }
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.class_of.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.class_of.is_empty()
    }

    /// Class number of every object.
    pub fn class_of(&self) -> &[u32] {
        &self.class_of
    }

    /// Names of the classes, by class number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The labels of the given rows, under the same class numbers.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { class_of: rows.iter().map(|&r| self.class_of[r]).collect(), names: self.names.clone() }
    }
}
