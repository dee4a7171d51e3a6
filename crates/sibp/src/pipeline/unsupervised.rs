//! Gives objects bits that no label or triplet taught, so that codes also tell apart what was never taught.

use super::FitError;
use crate::data::{DataError, Inputs};
use crate::format::GivenBits;
use crate::hash::{Hash, HashBlock, HashStack, ItqSettings, fit_itq};
use crate::transform::{InputTransform, Step, Transform};

/// Bits at most.
const MOST: usize = 1024;

/// Bits of the inputs by iterative quantisation, which predicts those of other objects too; more bits than inputs are made by
/// rotations of their own. Inputs are put on the scales of the model's transform.
pub fn unsupervised_bits(
    n_bits: usize,
    transform: &InputTransform,
    inputs: &Inputs,
    seed: u64,
) -> Result<GivenBits, FitError> {
    if n_bits > MOST {
        return Err(DataError::BadSize { step: "unsupervised bits", asked: n_bits, most: MOST }.into());
    }
    let (transform, centred) = Transform::fit_apply(&same_scale(transform), inputs)?;
    let wrong = |reason: String| FitError::Unsupervised { reason };
    let source = "iterative quantisation of the inputs";
    let mut blocks = Vec::new();
    for first in (0..n_bits).step_by(inputs.n_inputs().max(1)) {
        let settings = ItqSettings::new(inputs.n_inputs().min(n_bits - first), seed.wrapping_add(first as u64));
        let hash = fit_itq(&centred, &settings).map_err(|error| wrong(error.to_string()))?;
        blocks.push(HashBlock::new(source, transform.clone(), Hash::Linear(hash)));
    }
    let stack = HashStack::new(blocks).map_err(|error| wrong(error.to_string()))?;
    Ok(GivenBits { source: source.to_owned(), codes: stack.encode(inputs)?, predictor: Some(stack) })
}

/// The steps of a transform that change values one by one, with centred columns.
fn same_scale(transform: &InputTransform) -> InputTransform {
    let kept = [Step::SquareRoot, Step::Standardise, Step::Unit, Step::Centre];
    let mut steps: Vec<Step> = transform.steps.iter().copied().filter(|step| kept.contains(step)).collect();
    if !matches!(steps.last(), Some(Step::Standardise | Step::Centre)) {
        steps.push(Step::Centre);
    }
    InputTransform { steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bits_than_inputs_are_of_different_rotations() {
        let values: Vec<f64> = (0..300).map(|at| ((at * at * 7919 + 31 * at) % 2003) as f64).collect();
        let inputs = Inputs::new(100, 3, values).unwrap();
        let bits = unsupervised_bits(8, &"standardise".parse().unwrap(), &inputs, 1).unwrap();
        assert_eq!((bits.codes.n_objects(), bits.codes.n_bits()), (100, 8));
        let column = |bit: usize| -> Vec<bool> { (0..100).map(|object| bits.codes.get(object, bit)).collect() };
        let columns: Vec<Vec<bool>> = (0..8).map(column).collect();
        assert!((0..8).all(|a| (0..a).all(|b| columns[a] != columns[b])));
        assert_eq!(bits.predictor.unwrap().encode(&inputs).unwrap(), bits.codes);
        assert!(unsupervised_bits(MOST + 1, &InputTransform::default(), &inputs, 1).is_err());
    }

    #[test]
    fn scales_are_those_of_the_model() {
        let of = |text: &str| same_scale(&text.parse().unwrap()).to_string();
        assert_eq!(of("standardise,scale"), "standardise");
        assert_eq!(of("sqrt,anchors:20"), "sqrt,centre");
        assert_eq!(of("none"), "centre");
        assert_eq!(of("unit,centre,scale,pca:3"), "unit,centre");
    }
}
