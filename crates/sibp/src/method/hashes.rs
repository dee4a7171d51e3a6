//! Offers the classic hashes as methods: ITQ, LSH, spectral hashing, predicted attributes.

use super::{CodeSearch, Examples, GivenKind, Method, MethodError, Reading};
use crate::baseline::{ItqSettings, LogisticSettings, SpectralHash, fit_attributes, fit_itq, fit_lsh};
use crate::codes::Codes;
use crate::data::{Features, InputTransform, Transform};
use crate::encode::Encoder;
use crate::hash::{Hash, HashBlock, HashStack};
use crate::run::RunControl;

/// Both sides encoded by what was fitted to the transformed training inputs.
fn reading<E: Encoder + 'static>(
    name: &str,
    transform: &InputTransform,
    examples: &Examples<'_>,
    fit: impl FnOnce(&Features) -> Result<E, MethodError>,
) -> Result<Vec<Reading>, MethodError> {
    let (transform, features) = Transform::fit_apply(transform, examples.features)?;
    let encoder = fit(&features)?;
    let database = encoder.encode(&features, 0);
    let search = CodeSearch::new(transform, Box::new(encoder), database, examples.labels.class_of());
    Ok(vec![Reading::new(name, search)])
}

/// Iterative quantisation; at most one bit an input, so longer codes are cut to that.
#[derive(Debug, Clone)]
pub struct Itq {
    /// Its name in tables.
    pub name: String,
    /// What is done to inputs first.
    pub transform: InputTransform,
    /// Bits.
    pub n_bits: usize,
}

impl Method for Itq {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, _: &RunControl<'_>) -> Result<Vec<Reading>, MethodError> {
        reading(&self.name, &self.transform, examples, |x| {
            Ok(fit_itq(x, &ItqSettings::new(self.n_bits.min(x.n_inputs()), seed))?)
        })
    }
}

/// Random hyperplanes.
#[derive(Debug, Clone)]
pub struct Lsh {
    /// Its name in tables.
    pub name: String,
    /// What is done to inputs first.
    pub transform: InputTransform,
    /// Bits.
    pub n_bits: usize,
}

impl Method for Lsh {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, _: &RunControl<'_>) -> Result<Vec<Reading>, MethodError> {
        reading(&self.name, &self.transform, examples, |x| Ok(fit_lsh(x, self.n_bits, seed)?))
    }
}

/// Spectral hashing.
#[derive(Debug, Clone)]
pub struct Spectral {
    /// Its name in tables.
    pub name: String,
    /// What is done to inputs first.
    pub transform: InputTransform,
    /// Bits.
    pub n_bits: usize,
}

impl Method for Spectral {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, _: u64, _: &RunControl<'_>) -> Result<Vec<Reading>, MethodError> {
        reading(&self.name, &self.transform, examples, |x| Ok(SpectralHash::fit(x, self.n_bits)?))
    }
}

/// Learns to predict known bits from transformed inputs, a logistic regression a bit.
pub fn attribute_predictor(transform: Transform, features: &Features, known: &Codes) -> Result<HashStack, MethodError> {
    let hash = fit_attributes(features, known, &LogisticSettings::default())?.hash;
    Ok(HashStack::new(vec![HashBlock::new("attributes", transform, Hash::Linear(hash))])?)
}

/// Attributes predicted by logistic regression, a bit each: the paper's Hash.
#[derive(Debug, Clone)]
pub struct Attributes {
    /// Its name in tables.
    pub name: String,
    /// What is done to inputs first.
    pub transform: InputTransform,
    /// Which attributes training objects are searched by.
    pub given: GivenKind,
}

impl Method for Attributes {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, _: u64, _: &RunControl<'_>) -> Result<Vec<Reading>, MethodError> {
        let Some(known) = examples.attributes else {
            return Err(MethodError::NoAttributes { method: self.name.clone() });
        };
        let predictor = match examples.predictor {
            Some(predictor) => predictor.clone(),
            None => {
                let (transform, features) = Transform::fit_apply(&self.transform, examples.features)?;
                attribute_predictor(transform, &features, known)?
            }
        };
        let database = match self.given {
            GivenKind::Known => known.clone(),
            GivenKind::Predicted => predictor.encode(examples.features)?,
            GivenKind::None => return Err(MethodError::NoAttributes { method: self.name.clone() }),
        };
        Ok(vec![Reading::new(&self.name, CodeSearch::of_hash(predictor, database, examples.labels.class_of()))])
    }
}
