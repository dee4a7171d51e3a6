//! Gives objects bits that no label or triplet taught, so that codes also tell apart what was never taught.

use super::FitError;
use crate::data::{DataError, Inputs};
use crate::format::GivenBits;
use crate::hash::{Hash, HashBlock, HashStack, ItqSettings, fit_itq};
use crate::transform::{InputTransform, Step, Transform};

/// Bits of the inputs by iterative quantisation, which predicts those of other objects too. Inputs are put on the scales of
/// the model's transform.
pub fn unsupervised_bits(
    n_bits: usize,
    transform: &InputTransform,
    inputs: &Inputs,
    seed: u64,
) -> Result<GivenBits, FitError> {
    let most = inputs.n_inputs();
    if n_bits == 0 || n_bits > most {
        return Err(DataError::BadSize { step: "unsupervised bits", asked: n_bits, most }.into());
    }
    let (transform, centred) = Transform::fit_apply(&same_scale(transform), inputs)?;
    let wrong = |reason: String| FitError::Unsupervised { reason };
    let hash = fit_itq(&centred, &ItqSettings::new(n_bits, seed)).map_err(|error| wrong(error.to_string()))?;
    let source = "iterative quantisation of the inputs";
    let block = HashBlock::new(source, transform, Hash::Linear(hash));
    let stack = HashStack::new(vec![block]).map_err(|error| wrong(error.to_string()))?;
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
    fn scales_are_those_of_the_model() {
        let of = |text: &str| same_scale(&text.parse().unwrap()).to_string();
        assert_eq!(of("standardise,scale"), "standardise");
        assert_eq!(of("sqrt,anchors:20"), "sqrt,centre");
        assert_eq!(of("none"), "centre");
        assert_eq!(of("unit,centre,scale,pca:3"), "unit,centre");
    }
}
