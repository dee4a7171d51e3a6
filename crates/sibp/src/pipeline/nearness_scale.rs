//! Chooses the scale of inputs on which near objects are alike, for unsupervised bits.
//!
//! The transform that tells classes best by regression need not be the one on which nearness means most: regression weighs
//! columns itself, distances do not.

use super::recipe::compared_rows;
use crate::baseline::EuclideanKnn;
use crate::data::{Inputs, Labels};
use crate::transform::{InputTransform, Step, Transform};

/// Objects whose neighbours are looked at, at most.
const MOST_ASKED: usize = 500;
/// Neighbours of each.
const NEAREST: usize = 10;

/// Inputs as they are, standardised, or on the scale of the model's transform: the one on which the nearest objects are most
/// often of the same class, the first of equals.
pub fn nearness_scale(transform: &InputTransform, inputs: &Inputs, labels: &Labels) -> InputTransform {
    let rows = compared_rows(inputs.n_objects());
    let some = inputs.select(&rows);
    let classes: Vec<u32> = rows.iter().map(|&row| labels.class_of()[row]).collect();
    let plain = InputTransform { steps: vec![Step::Centre] };
    let mut scales = vec![plain.clone(), InputTransform { steps: vec![Step::Standardise] }, same_scale(transform)];
    // Most transforms stand on one of the first two.
    if scales[..2].contains(&scales[2]) {
        scales.pop();
    }
    let mut best = (plain, 0);
    for scale in scales {
        let Ok((_, scaled)) = Transform::fit_apply(&scale, &some) else { continue };
        let n_alike = n_alike(scaled, &classes);
        if n_alike > best.1 {
            best = (scale, n_alike);
        }
    }
    best.0
}

/// How many of the nearest of some objects are of their class.
fn n_alike(inputs: Inputs, classes: &[u32]) -> usize {
    let asked: Vec<usize> = (0..inputs.n_objects()).step_by(inputs.n_objects().div_ceil(MOST_ASKED)).collect();
    let queries = inputs.select(&asked);
    let Ok(found) = EuclideanKnn::new(inputs).neighbours(&queries, NEAREST + 1) else { return 0 };
    let alike = |(&object, near): (&usize, Vec<(f64, u32)>)| {
        let others = near.into_iter().filter(|&(_, other)| other as usize != object).take(NEAREST);
        others.filter(|&(_, other)| classes[other as usize] == classes[object]).count()
    };
    asked.iter().zip(found).map(alike).sum()
}

/// The steps of a transform that change values one by one, with centred columns.
pub fn same_scale(transform: &InputTransform) -> InputTransform {
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
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Objects of two inputs with these deviations; the first one tells the class.
    fn chosen(deviations: [f64; 2]) -> String {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let values: Vec<f64> = (0..200).flat_map(|_| deviations.map(|d| d * (rng.random::<f64>() - 0.5))).collect();
        let labels: Vec<&str> = values.chunks_exact(2).map(|x| if x[0] > 0.0 { "a" } else { "b" }).collect();
        let inputs = Inputs::new(200, 2, values.clone()).unwrap();
        nearness_scale(&"sqrt,anchors:20".parse().unwrap(), &inputs, &Labels::from_text(&labels)).to_string()
    }

    #[test]
    fn inputs_that_tell_nothing_are_not_to_drown_those_that_do() {
        assert_eq!(chosen([1.0, 1000.0]), "standardise");
        assert_eq!(chosen([1000.0, 1.0]), "centre");
    }

    #[test]
    fn scales_of_a_transform_are_those_of_single_values() {
        let of = |text: &str| same_scale(&text.parse().unwrap()).to_string();
        assert_eq!(of("standardise,scale"), "standardise");
        assert_eq!(of("sqrt,anchors:20"), "sqrt,centre");
        assert_eq!(of("none"), "centre");
        assert_eq!(of("unit,centre,scale,pca:3"), "unit,centre");
    }
}
