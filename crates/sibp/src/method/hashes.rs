//! Provides the classic hashes as methods: ITQ, LSH, spectral hashing, predicted attributes.

use super::{CodeSearch, Examples, GivenKind, Method, MethodError, Row};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::hash::{
    Hash, HashBlock, HashStack, ItqSettings, LogisticSettings, SpectralHash, fit_attributes, fit_itq, fit_lsh,
};
use crate::run::RunControl;
use crate::transform::{InputTransform, Transform};

/// Encodes training and test objects by a hash fitted to the transformed training inputs.
fn row(
    name: &str,
    transform: &InputTransform,
    examples: &Examples<'_>,
    fit: impl FnOnce(&Inputs) -> Result<Hash, MethodError>,
) -> Result<Vec<Row>, MethodError> {
    let (transform, inputs) = Transform::fit_apply(transform, examples.inputs)?;
    let stack = HashStack::new(vec![HashBlock::new(name, transform, fit(&inputs)?)])?;
    let database = stack.encode(examples.inputs)?;
    Ok(vec![Row::new(name, CodeSearch::of_hash(stack, database, examples.labels.class_of()))])
}

/// Iterative quantisation; at most one bit an input, so longer codes are cut to that.
#[derive(Debug, Clone)]
pub struct Itq {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
    /// Bits.
    pub n_bits: usize,
}

impl Method for Itq {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        row(&self.name, &self.transform, examples, |x| {
            Ok(Hash::Linear(fit_itq(x, &ItqSettings::new(self.n_bits.min(x.n_inputs()), seed))?))
        })
    }
}

/// Random hyperplanes.
#[derive(Debug, Clone)]
pub struct Lsh {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
    /// Bits.
    pub n_bits: usize,
}

impl Method for Lsh {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        row(&self.name, &self.transform, examples, |x| Ok(Hash::Linear(fit_lsh(x, self.n_bits, seed)?)))
    }
}

/// Spectral hashing.
#[derive(Debug, Clone)]
pub struct Spectral {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
    /// Bits.
    pub n_bits: usize,
}

impl Method for Spectral {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, _: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        row(&self.name, &self.transform, examples, |x| Ok(Hash::Spectral(SpectralHash::fit(x, self.n_bits)?)))
    }
}

/// Learns to predict known bits from transformed inputs, a logistic regression a bit.
pub fn attribute_predictor(transform: Transform, inputs: &Inputs, known: &Codes) -> Result<HashStack, MethodError> {
    let hash = fit_attributes(inputs, known, &LogisticSettings::default())?.hash;
    Ok(HashStack::new(vec![HashBlock::new("attributes", transform, Hash::Linear(hash))])?)
}

/// Attributes predicted by logistic regression, a bit each: the paper's Hash.
#[derive(Debug, Clone)]
pub struct Attributes {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
    /// Which attributes the training objects have: known or predicted ones.
    pub given: GivenKind,
}

impl Method for Attributes {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, _: u64, _: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        let Some(known) = examples.attributes else {
            return Err(MethodError::NoAttributes { method: self.name.clone() });
        };
        let predictor = match examples.predictor {
            Some(predictor) => predictor.clone(),
            None => {
                let (transform, inputs) = Transform::fit_apply(&self.transform, examples.inputs)?;
                attribute_predictor(transform, &inputs, known)?
            }
        };
        let database = match self.given {
            GivenKind::Known => known.clone(),
            GivenKind::Predicted => predictor.encode(examples.inputs)?,
            GivenKind::None => return Err(MethodError::NoAttributes { method: self.name.clone() }),
        };
        Ok(vec![Row::new(&self.name, CodeSearch::of_hash(predictor, database, examples.labels.class_of()))])
    }
}
