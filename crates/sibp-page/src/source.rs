//! Holds what the page shows: objects with their names, labels, texts and pictures.

use crate::Pictures;
use sibp::Codes;
use sibp::data::{Labels, Table};
use sibp::triplets::{Judgements, Triplet};

/// What the model at hand was learned from, so that answers can be added to it.
#[derive(Debug, Clone)]
pub enum Base {
    /// These triplets; none where there is no model yet.
    Triplets(Vec<Triplet>),
    /// Nobody knows, so that answers are kept but nothing is learned from them here.
    Unknown,
}

impl Base {
    /// The triplets to which answers are added; `None` where they are not known.
    pub fn triplets(&self) -> Option<&[Triplet]> {
        match self {
            Self::Triplets(triplets) => Some(triplets),
            Self::Unknown => None,
        }
    }
}

/// The objects that are shown.
#[derive(Debug)]
pub struct Source {
    /// Inputs, ids, labels and names of the inputs.
    pub table: Table,
    /// A text for each object.
    pub texts: Option<Vec<String>>,
    /// Their pictures.
    pub pictures: Pictures,
    /// Their given bits, where a model needs them.
    pub known: Option<Codes>,
    /// What the model was learned from.
    pub base: Base,
}

impl Source {
    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        self.table.inputs.n_objects()
    }

    /// The name of an object for people: its id, or its row number.
    pub fn name(&self, object: usize) -> String {
        match &self.table.ids {
            Some(ids) => ids.texts()[object].clone(),
            None => object.to_string(),
        }
    }

    /// The name of an input.
    pub fn input(&self, input: usize) -> String {
        match &self.table.input_names {
            Some(names) => names[input].clone(),
            None => format!("column {input}"),
        }
    }

    /// How objects are shown: as pictures, as text or by their numbers.
    pub fn show(&self) -> &'static str {
        match (&self.pictures, &self.texts) {
            (Pictures::None, None) => "numbers",
            (Pictures::None, Some(_)) => "text",
            _ => "images",
        }
    }

    /// Objects class by class, or in their order where they have no labels; of more than `most` an even sample of each class.
    pub fn sample(&self, most: usize) -> Vec<usize> {
        sample(self.n_objects(), self.table.labels.as_ref(), most)
    }

    /// What is learned from: the base with these answers behind it; `None` where the base is not known.
    pub fn teaching(&self, answers: Judgements) -> Option<Judgements> {
        let base = self.base.triplets()?;
        if base.is_empty() {
            return Some(answers);
        }
        let names = (0..answers.triplets.len()).map(|at| answers.judge(at).unwrap_or("somebody").to_owned());
        let names: Vec<String> = base.iter().map(|_| BASE.to_owned()).chain(names).collect();
        let triplets = base.iter().chain(&answers.triplets).copied().collect();
        let judges = sibp::triplets::Judges::from_names(names).ok();
        Judgements::new(triplets, judges).ok()
    }
}

/// The judge of triplets that nobody at this page gave.
const BASE: &str = "(before this page)";

fn sample(n_objects: usize, labels: Option<&Labels>, most: usize) -> Vec<usize> {
    let groups: Vec<Vec<usize>> = match labels {
        None => vec![(0..n_objects).collect()],
        Some(labels) => {
            let mut groups = vec![Vec::new(); labels.names().len()];
            labels.class_of().iter().enumerate().for_each(|(row, &class)| groups[class as usize].push(row));
            groups
        }
    };
    let sampled = |rows: Vec<usize>| -> Vec<usize> {
        let share = (rows.len() * most / n_objects).max(usize::from(!rows.is_empty()));
        let n = if n_objects <= most { rows.len() } else { share };
        (0..n).map(|at| rows[at * rows.len() / n]).collect()
    };
    let mut found: Vec<usize> = groups.into_iter().flat_map(sampled).collect();
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_gives_its_share() {
        assert_eq!(sample(4, Some(&Labels::from_text(&["a", "b", "a", "b"])), 2000), [0, 2, 1, 3]);
        let many: Vec<&str> = (0..10_000).map(|row| if row % 100 == 0 { "rare" } else { "usual" }).collect();
        let found = sample(10_000, Some(&Labels::from_text(&many)), 2000);
        assert_eq!(found.len(), 2000);
        assert_eq!(found.iter().filter(|&&row| row % 100 == 0).count(), 20);
        assert_eq!(sample(5000, None, 2000).len(), 2000);
    }
}
