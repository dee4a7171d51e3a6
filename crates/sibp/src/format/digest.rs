//! Computes digests of training data, so that a run is never resumed on other data and training objects are recognised.

use crate::codes::Codes;
use crate::data::{Ids, Inputs, Labels};
use crate::fingerprint::hex;
use crate::triplets::TripletSet;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// SHA-256 digests of the training data, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Inputs before any transform.
    #[serde(rename = "features")]
    pub inputs: String,
    /// Labels, where there are some.
    pub labels: Option<String>,
    /// Ids, where there are some.
    pub ids: Option<String>,
    /// Triplets, where there are some.
    pub triplets: Option<String>,
    /// Given bits, where there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// The first 64 bits of the digest of every object's inputs, by which training objects are recognised in other tables;
    /// empty without triplets, and in files of older programs. Stored as a tensor.
    #[serde(skip)]
    pub rows: Vec<u64>,
}

impl Digests {
    /// Whether these are the inputs (before any transform).
    pub fn are_of(&self, inputs: &Inputs) -> bool {
        self.inputs == of_inputs(inputs, &mut |_| ())
    }

    /// Which training object has exactly the inputs of each row, if a single one has; empty where rows were not digested.
    pub fn rows_of(&self, inputs: &Inputs) -> Vec<Option<u32>> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let mut known: Vec<(u64, u32)> = self.rows.iter().copied().zip(0..).collect();
        known.sort_unstable();
        let mut found = Vec::with_capacity(inputs.n_objects());
        inputs.for_each_row(|row| {
            let digest = of_row(row);
            let first = known.partition_point(|&(other, _)| other < digest);
            found.push(
                match known[first..].iter().take_while(|&&(other, _)| other == digest).collect::<Vec<_>>()[..] {
                    [&(_, object)] => Some(object),
                    // Objects with equal inputs can have different bits: nobody knows which of them this is.
                    _ => None,
                },
            );
        });
        found
    }

    /// Digests everything; the inputs are those before any transform.
    pub fn new(inputs: &Inputs, labels: Option<&Labels>, ids: Option<&Ids>, triplets: &TripletSet) -> Self {
        let mut rows = Vec::new();
        let digest = match triplets.is_empty() {
            true => of_inputs(inputs, &mut |_| ()),
            false => of_inputs(inputs, &mut |row| rows.push(of_row(row))),
        };
        Self {
            inputs: digest,
            labels: labels.map(of_labels),
            ids: ids.map(|ids| of_texts(ids.texts())),
            triplets: (!triplets.is_empty()).then(|| of_triplets(triplets)),
            given: None,
            rows,
        }
    }

    /// Adds the digest of the given bits.
    pub fn with_given(self, codes: Option<&Codes>) -> Self {
        Self { given: codes.map(of_codes), ..self }
    }
}

/// The digest of all inputs; `each` is called with every row on the way, since inputs may have to be read from a disk.
fn of_inputs(inputs: &Inputs, each: &mut dyn FnMut(&[f64])) -> String {
    let mut hash = Sha256::new();
    hash.update((inputs.n_objects() as u64).to_le_bytes());
    hash.update((inputs.n_inputs() as u64).to_le_bytes());
    inputs.for_each_row(|row| {
        row.iter().for_each(|value| hash.update(value.to_le_bytes()));
        each(row);
    });
    hex(&hash.finalize())
}

fn of_row(row: &[f64]) -> u64 {
    let mut hash = Sha256::new();
    row.iter().for_each(|value| hash.update(value.to_le_bytes()));
    let digest = hash.finalize();
    digest.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn of_labels(labels: &Labels) -> String {
    let mut hash = Sha256::new();
    add_texts(&mut hash, labels.names());
    labels.class_of().iter().for_each(|class| hash.update(class.to_le_bytes()));
    hex(&hash.finalize())
}

fn of_codes(codes: &Codes) -> String {
    let mut hash = Sha256::new();
    hash.update((codes.n_bits() as u64).to_le_bytes());
    hash.update(codes.bytes());
    hex(&hash.finalize())
}

fn of_texts(texts: &[String]) -> String {
    let mut hash = Sha256::new();
    add_texts(&mut hash, texts);
    hex(&hash.finalize())
}

fn of_triplets(triplets: &TripletSet) -> String {
    let mut hash = Sha256::new();
    triplets.judges().iter().for_each(|judge| hash.update(judge.to_le_bytes()));
    for t in triplets.triplets() {
        [t.anchor, t.near, t.far].iter().for_each(|object| hash.update(object.to_le_bytes()));
    }
    hex(&hash.finalize())
}

/// Hashes texts with their lengths before them, so that no two lists give the same bytes.
fn add_texts(hash: &mut Sha256, texts: &[String]) {
    hash.update((texts.len() as u64).to_le_bytes());
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_counts() {
        let inputs = |values: &[f64]| Inputs::new(2, values.len() / 2, values.to_vec()).unwrap();
        let none = TripletSet::empty(2);
        let of = |inputs: &Inputs, labels: &[&str]| Digests::new(inputs, Some(&Labels::from_text(labels)), None, &none);
        let first = of(&inputs(&[1.0, 2.0]), &["a", "b"]);
        assert_eq!(first, of(&inputs(&[1.0, 2.0]), &["a", "b"]));
        assert_ne!(first.inputs, of(&inputs(&[1.0, -2.0]), &["a", "b"]).inputs);
        assert_ne!(first.labels, of(&inputs(&[1.0, 2.0]), &["b", "a"]).labels);
        assert_ne!(of_texts(&["ab".into(), "c".into()]), of_texts(&["a".into(), "bc".into()]));
        assert_eq!((first.ids, first.triplets), (None, None));
        assert_eq!(hex(&[0, 0xab]), "00ab");
    }

    #[test]
    fn rows_are_recognised_in_any_order_unless_two_are_alike() {
        let triplets = TripletSet::new(4, vec![crate::triplets::Triplet { anchor: 0, near: 1, far: 2 }]).unwrap();
        let inputs = Inputs::new(4, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.0, 4.0]).unwrap();
        let digests = Digests::new(&inputs, None, None, &triplets);
        assert_eq!(digests.rows_of(&inputs), [Some(0), None, Some(2), None]);
        let others = Inputs::new(3, 2, vec![5.0, 6.0, 1.0, 2.5, 1.0, 2.0]).unwrap();
        assert_eq!(digests.rows_of(&others), [Some(2), None, Some(0)]);
        let narrow = Inputs::new(1, 1, vec![1.0]).unwrap();
        assert_eq!(digests.rows_of(&narrow), [None]);
        assert!(Digests::new(&inputs, None, None, &TripletSet::empty(4)).rows_of(&inputs).is_empty());
    }
}
