//! Starts extensible codes: from a fitted model, or from codes alone, whose bits are then predicted from inputs.

use super::{GrowingCode, PARTS};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::encode::Encoder;
use crate::format::Fitted;
use crate::hash::{Hash, HashBlock, HashStack, LearnError, LogisticSettings, StackError, fit_attributes};
use crate::pipeline::{CodingError, Reading};
use crate::rng::{Purpose, Streams};
use crate::transform::{InputTransform, Transform};
use rand::seq::SliceRandom;
use thiserror::Error;

/// Why these codes cannot be extended.
#[derive(Debug, Error)]
pub enum OriginError {
    /// The model's bits are not thresholds of projections, as only those of the probit model are.
    #[error(
        "only the bits of a probit model can be extended as they are; encode objects with this one and extend their codes"
    )]
    NotLinear,
    /// The model's given bits of other objects are unknown.
    #[error(
        "the model was fitted with given bits from {source_name} and cannot predict them; encode objects and extend their \
         codes, or fit with a hash (.sibh) as given bits"
    )]
    NoPredictor {
        /// Where the given bits came from.
        source_name: String,
    },
    /// The model does not encode.
    #[error(transparent)]
    Coding(#[from] CodingError),
    /// Bits that cannot be predicted.
    #[error(transparent)]
    Baseline(#[from] LearnError),
    /// Inputs that the transform does not allow.
    #[error(transparent)]
    Data(#[from] crate::data::DataError),
    /// Blocks that do not belong together.
    #[error(transparent)]
    Stack(#[from] StackError),
}

impl Fitted {
    /// All bits of the model's codes as a stack, in their order: it gives the same codes as the model does.
    pub fn to_stack(&self, name: &str, reading: impl Into<Reading>) -> Result<HashStack, OriginError> {
        let coder = self.coder(reading)?;
        let names = self.info.input_names.clone();
        let n_given = self.info.given.as_ref().map_or(0, |given| given.codes.n_bits());
        let mut blocks = Vec::new();
        if let Some(given) = &self.info.given {
            let Some(predictor) = &given.predictor else {
                return Err(OriginError::NoPredictor { source_name: given.source.clone() });
            };
            blocks.extend_from_slice(predictor.with_weights(&coder.weights()[..n_given])?.blocks());
        }
        let last = match coder.unsupervised() {
            Some((hash, weights)) => hash.with_weights(weights)?.blocks().to_vec(),
            None => Vec::new(),
        };
        let n_last: usize = last.iter().map(|block| block.hash.n_bits()).sum();
        if coder.n_bits() > n_given + n_last {
            blocks.push(coder.to_block(name).ok_or(OriginError::NotLinear)?);
        }
        blocks.extend(last);
        Ok(HashStack::new(blocks)?.named(names)?)
    }
}

/// A predictor of existing codes, and its accuracy.
#[derive(Debug)]
pub struct Recovered {
    /// Predicts the bits of any object.
    pub code: GrowingCode,
    /// The bits of the objects at hand as they would be predicted if they had not been seen.
    pub cross_fitted: Codes,
    /// Share of bits that are predicted correctly in this way.
    pub accuracy: f64,
}

/// Learns to predict bits from inputs, one logistic regression a bit.
///
/// Further bits must be learned beside old bits that are wrong as often as those of unseen objects will be, which is
/// why they are cross-fitted.
pub fn recover(
    name: &str,
    inputs: &Inputs,
    codes: &Codes,
    transform: &InputTransform,
    seed: u64,
) -> Result<Recovered, OriginError> {
    let (transform, transformed) = Transform::fit_apply(transform, inputs)?;
    let settings = LogisticSettings::default();
    let hash = fit_attributes(&transformed, codes, &settings)?.hash;
    let block = HashBlock::new(name, transform, Hash::Linear(hash));
    let mut objects: Vec<usize> = (0..inputs.n_objects()).collect();
    objects.shuffle(&mut Streams::new(seed, 0).rng(Purpose::Extend, 1, 0));
    let mut cross_fitted = Codes::zeros(codes.n_objects(), codes.n_bits());
    for part in 0..PARTS.min(objects.len()) {
        let rows = |is_held: bool| {
            let chosen = objects.iter().enumerate().filter(|(at, _)| (at % PARTS == part) == is_held);
            chosen.map(|(_, &object)| object).collect::<Vec<usize>>()
        };
        let (held, kept) = (rows(true), rows(false));
        if kept.is_empty() {
            continue;
        }
        let fit = fit_attributes(&transformed.select(&kept), &codes.select(&kept), &settings)?;
        let predicted = fit.hash.encode(&transformed.select(&held), 0);
        held.iter().enumerate().for_each(|(at, &object)| cross_fitted.set_row(object, predicted.row(at)));
    }
    let n_wrong: u32 = (0..codes.n_objects()).map(|object| cross_fitted.distance(object, codes.row(object))).sum();
    let accuracy = 1.0 - f64::from(n_wrong) / (codes.n_objects() * codes.n_bits()) as f64;
    let code = GrowingCode::new(HashStack::new(vec![block])?);
    Ok(Recovered { code, cross_fitted, accuracy })
}
