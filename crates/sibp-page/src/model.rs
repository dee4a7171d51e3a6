//! Holds a model as it is shown: the codes of all objects, an index over them, and what is computed once when it is asked for.

use crate::{PageError, Source};
use sibp::extend::bit_uses;
use sibp::pipeline::{CodeParts, Explainer, Explanation, Objects, Plane, Reading, plane};
use sibp::triplets::{FromLabels, Triplet};
use sibp::{Coder, Codes, Fitted, HammingIndex, Inputs};
use std::sync::OnceLock;

/// Objects of whose labels triplets are made, by which bits are judged, at most; and triplets of each.
const MOST_LABELLED: usize = 1_000;
const PER_OBJECT: usize = 5;

/// A model, and all that views need of it.
pub struct Shown {
    /// Rises with every model that is swapped in; the first is 1.
    pub version: u64,
    /// The model.
    pub fitted: Fitted,
    /// Turns inputs into codes.
    pub coder: Coder,
    /// Codes of all objects, as the coder gives them; learned ones where objects have no inputs.
    pub codes: Codes,
    /// Searches those codes.
    pub index: HammingIndex,
    /// Weight of each bit, in the precision of searches.
    pub weights: Vec<f32>,
    /// Numbers of bits of each kind.
    pub parts: CodeParts,
    /// Which training object each object is.
    pub training: Vec<Option<u32>>,
    /// What the fit and its chains warn of.
    pub warnings: Vec<String>,
    plane: OnceLock<Result<Plane, String>>,
    explainer: OnceLock<Result<Explainer, String>>,
    by_labels: OnceLock<Vec<Triplet>>,
}

/// How triplets fare with a bit and without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Without {
    /// Share of triplets that weighted distances satisfy with all bits.
    pub with: f64,
    /// The same without the bit.
    pub without: f64,
}

impl Shown {
    /// Prepares a model for the objects of the page.
    pub fn new(version: u64, fitted: Fitted, reading: Reading, source: &Source) -> Result<Self, PageError> {
        let coder = fitted.coder(reading)?;
        let inputs = &source.table.inputs;
        let codes = match inputs.n_inputs() {
            0 => coder.database().clone(),
            _ => coder.encode_rows(inputs, source.known.as_ref(), 0, 0)?,
        };
        if codes.n_objects() != source.n_objects() {
            let (own, other) = (codes.n_objects(), source.n_objects());
            return Err(PageError::Model(format!("the model has codes of {own} objects, and {other} are shown")));
        }
        let index = HammingIndex::from_codes(&codes).map_err(|error| PageError::Model(error.to_string()))?;
        Ok(Self {
            version,
            weights: coder.weights().iter().map(|&weight| weight as f32).collect(),
            parts: fitted.code_parts(reading.draws)?,
            training: training(&fitted, source),
            warnings: fitted.describe(reading.draws).warnings,
            fitted,
            coder,
            codes,
            index,
            plane: OnceLock::new(),
            explainer: OnceLock::new(),
            by_labels: OnceLock::new(),
        })
    }

    /// The kind of a bit, by its place in the code.
    pub fn kind(&self, bit: usize) -> &'static str {
        match bit {
            bit if bit < self.parts.given => "given",
            bit if bit < self.parts.given + self.parts.learned => "learned",
            _ => "unsupervised",
        }
    }

    /// Objects in the plane of the principal axes of their codes.
    pub fn plane(&self) -> Result<&Plane, &str> {
        let found = self.plane.get_or_init(|| plane(&self.codes).map_err(|error| error.to_string()));
        found.as_ref().map_err(String::as_str)
    }

    /// What each bit stands for.
    pub fn explainer(&self, source: &Source) -> Result<&Explainer, &str> {
        let make = || match source.table.inputs.n_inputs() {
            0 => Ok(self.coder.explainer_of_training()),
            _ => self.coder.explainer(&source.table.inputs, source.known.as_ref()).map_err(|error| error.to_string()),
        };
        self.explainer.get_or_init(make).as_ref().map_err(String::as_str)
    }

    /// Computes what views will ask for, before they do.
    pub fn warm(&self, source: &Source) {
        // Whoever asks is told what is wrong.
        let _ = self.plane();
        let _ = self.explainer(source);
        self.by_labels(source);
    }

    /// Why two objects are near or far.
    pub fn explain(&self, pair: [usize; 2], source: &Source) -> Result<Explanation, String> {
        let explainer = self.explainer(source)?;
        let probabilities = match source.table.inputs.n_inputs() {
            0 => None,
            _ => self.probabilities(&source.table.inputs.select(&pair), source.known.as_ref(), &pair)?,
        };
        Ok(explainer.pair(pair, probabilities.as_deref()))
    }

    /// Probabilities of the bits of some objects, where the model tells.
    pub fn probabilities(
        &self,
        inputs: &Inputs,
        known: Option<&Codes>,
        rows: &[usize],
    ) -> Result<Option<Vec<f64>>, String> {
        let known = known.map(|known| known.select(rows));
        self.coder.probabilities_if_any(inputs, known.as_ref()).map_err(|error| error.to_string())
    }

    /// The objects as questions are about them.
    pub fn objects<'a>(&'a self, source: &'a Source) -> Objects<'a> {
        Objects { inputs: &source.table.inputs, known: source.known.as_ref(), training: &self.training }
    }

    /// How answers, or else triplets made of labels, would fare without a bit.
    pub fn without(&self, bit: usize, answers: &[Triplet], source: &Source) -> Option<Without> {
        let triplets = if answers.is_empty() { self.by_labels(source) } else { answers };
        let n = triplets.len() as f64;
        if triplets.is_empty() {
            return None;
        }
        let weights = self.coder.weights();
        let distance = |a: u32, b: u32| self.codes.weighted_distance(a as usize, self.codes.row(b as usize), weights);
        let satisfied = |t: &&Triplet| distance(t.near, t.anchor) < distance(t.far, t.anchor);
        let with = triplets.iter().filter(satisfied).count() as f64;
        let uses = bit_uses(&self.codes, weights, triplets)[bit];
        let without = with - uses.n_explained as f64 + uses.n_spoiled as f64;
        Some(Without { with: with / n, without: without / n })
    }

    /// Triplets made of the labels, where there are some.
    fn by_labels(&self, source: &Source) -> &[Triplet] {
        self.by_labels.get_or_init(|| {
            let Some(labels) = &source.table.labels else { return Vec::new() };
            let rows = source.sample(MOST_LABELLED);
            let options = FromLabels { per_object: PER_OBJECT, ..FromLabels::default() };
            let built = options.build(&labels.select(&rows), &source.table.inputs.select(&rows));
            let row = |at: u32| rows[at as usize] as u32;
            let whole = |t: Triplet| Triplet { anchor: row(t.anchor), near: row(t.near), far: row(t.far) };
            // Labels that are all the same, or all different, make none.
            built.map(|built| built.triplets.into_iter().map(whole).collect()).unwrap_or_default()
        })
    }
}

/// Which training object each of the objects is.
fn training(fitted: &Fitted, source: &Source) -> Vec<Option<u32>> {
    match source.table.inputs.n_inputs() {
        0 => (0..source.n_objects() as u32).map(Some).collect(),
        _ => fitted.training_rows(&source.table),
    }
}
