//! Holds what the page shows: objects with their names, labels, texts and pictures.

use crate::Pictures;
use sibp::Codes;
use sibp::data::Table;
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
