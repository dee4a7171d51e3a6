//! Fits the hashes to compare with, and measures them on the same databases and queries.

use crate::encoding::{in_chunks, n_distinct};
use crate::mnist::of_codes;
use crate::search_set::SearchSet;
use crate::table::Row;
use anyhow::Result;
use sibp::data::{Inputs, Labels};
use sibp::encode::Encoder;
use sibp::hash::{HcSdhSettings, ItqSettings, LinearHash, SdhSettings, fit_hcsdh, fit_itq, fit_sdh};
use sibp::transform::{InputTransform, Transform};
use std::time::Instant;

/// A hash to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Supervised discrete hashing.
    Sdh,
    /// The same with codes of classes by a Hadamard matrix.
    HcSdh,
    /// Iterative quantisation, without labels; at most one bit an input.
    Itq,
}

/// A hash to fit under a name, with so many bits.
pub struct Wanted {
    pub name: String,
    pub kind: Kind,
    pub n_bits: usize,
}

impl Wanted {
    pub fn new(name: impl Into<String>, kind: Kind, n_bits: usize) -> Self {
        Self { name: name.into(), kind, n_bits }
    }
}

/// Hashes of the same transformed inputs.
pub struct References {
    transform: Transform,
    hashes: Vec<Reference>,
}

struct Reference {
    name: String,
    kind: Kind,
    hash: LinearHash,
    seconds: f64,
}

impl References {
    /// Fits the transform once and every hash to what it gives; the seconds of a hash count the transform's.
    pub fn fit(
        (inputs, labels): (&Inputs, &Labels),
        transform: &InputTransform,
        wanted: &[Wanted],
        seed: u64,
    ) -> Result<Self> {
        let began = Instant::now();
        let (transform, inputs) = Transform::fit_apply(transform, inputs)?;
        let before = began.elapsed().as_secs_f64();
        let fit = |wanted: &Wanted| {
            let (n_bits, began) = (wanted.n_bits, Instant::now());
            let hash = match wanted.kind {
                Kind::Sdh => fit_sdh(&inputs, labels, &SdhSettings::new(n_bits, seed)),
                Kind::HcSdh => fit_hcsdh(&inputs, labels, &HcSdhSettings::new(n_bits, seed)),
                Kind::Itq => fit_itq(&inputs, &ItqSettings::new(n_bits.min(inputs.n_inputs()), seed)),
            }?;
            let seconds = before + began.elapsed().as_secs_f64();
            Ok(Reference { name: wanted.name.clone(), kind: wanted.kind, hash, seconds })
        };
        let hashes = wanted.iter().map(fit).collect::<Result<_>>()?;
        Ok(Self { transform, hashes })
    }

    /// A row for each hash by the Hamming distance, and one for SDH whose queries are not cut to bits.
    pub fn rows(&self, set: &SearchSet) -> Result<Vec<Row>> {
        let encode = |inputs: &Inputs, _| {
            let inputs = self.transform.apply(inputs)?;
            Ok(self.hashes.iter().map(|reference| reference.hash.encode(&inputs, 0)).collect())
        };
        let (database, queries) = (in_chunks(&set.database, encode)?, in_chunks(&set.queries, encode)?);
        let asked = self.transform.apply(&set.queries)?;
        let mut rows = Vec::new();
        for ((reference, database), queries) in self.hashes.iter().zip(&database).zip(&queries) {
            let sizes = (database.n_bits(), n_distinct(database), reference.seconds);
            rows.push(of_codes(reference.name.clone(), set.by_codes(database, queries)?, sizes));
            if reference.kind == Kind::Sdh {
                let (soft, weights) = (probabilities(&reference.hash, &asked)?, vec![1.0; database.n_bits()]);
                let means = set.by_probabilities(database, &soft, &weights)?;
                rows.push(of_codes(format!("{}, real-valued queries", reference.name), means, sizes));
            }
        }
        Ok(rows)
    }
}

/// Heights over the hyperplanes as numbers from 0 to 1: distances expected by them rank as the inner products of heights
/// and signs do.
fn probabilities(hash: &LinearHash, inputs: &Inputs) -> Result<Vec<f32>> {
    let mut heights = Vec::new();
    hash.for_each_margin(inputs, |_, margins| heights.extend_from_slice(margins))?;
    let highest = heights.iter().fold(0.0f64, |highest, height| highest.max(height.abs()));
    Ok(heights.iter().map(|height| (0.5 + 0.5 * height / highest) as f32).collect())
}
