//! Explains the distance of two objects: the bits that agree and differ, and what drives each.
//!
//! What drives a bit is told by correlation: of the bit's probability with each input, over the objects at hand. That holds
//! for every model and transform, also where a bit is no function of single inputs.

use super::{Coder, CodingError};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::transform::column_moments;

/// Inputs that are named for a bit, and objects that are shown, at most.
const DRIVERS: usize = 5;
const OWNERS: usize = 5;
/// Objects that are kept for a bit: two more than are shown, as a pair may be among them, and some to look at.
const KEPT: usize = 12;

/// An input and the correlation of a bit with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Driver {
    /// The input.
    pub input: usize,
    /// Correlation over the objects: positive where a larger input speaks for the bit.
    pub correlation: f64,
}

/// One bit of two objects.
#[derive(Debug, Clone, PartialEq)]
pub struct BitOfTwo {
    /// Its place in the code.
    pub bit: usize,
    /// Its weight in weighted distances.
    pub weight: f64,
    /// Which of the two objects have it.
    pub has: [bool; 2],
    /// How probable it is for each of them, where the model tells.
    pub probabilities: Option<[f64; 2]>,
    /// Share of all objects that have it.
    pub share: f64,
    /// The inputs that drive it most, the strongest first.
    pub drivers: Vec<Driver>,
    /// Objects that have it, the surest first; the two themselves are left out.
    pub owners: Vec<usize>,
}

impl BitOfTwo {
    /// Whether the two objects agree in it.
    pub fn agrees(&self) -> bool {
        self.has[0] == self.has[1]
    }
}

/// Why two objects are near or far.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Number of bits that differ.
    pub distance: usize,
    /// Sum of their weights.
    pub weighted: f64,
    /// All bits: those that differ first, then the heavier ones, then the rarer ones, as sharing a rare bit says more.
    pub bits: Vec<BitOfTwo>,
}

/// What one bit stands for among some objects.
#[derive(Debug, Clone, PartialEq)]
pub struct BitFacts {
    /// Its place in the code.
    pub bit: usize,
    /// Its weight in weighted distances.
    pub weight: f64,
    /// Share of the objects that have it.
    pub share: f64,
    /// The inputs that drive it most, the strongest first.
    pub drivers: Vec<Driver>,
    /// Objects that have it, the surest first.
    pub surest: Vec<usize>,
    /// Objects that do not have it, those who come nearest to it first.
    pub just_not: Vec<usize>,
}

/// Explains distances among the same objects again and again: what does not depend on the pair is computed once.
#[derive(Debug, Clone)]
pub struct Explainer {
    codes: Codes,
    bits: Vec<BitFacts>,
}

impl Explainer {
    /// Collects what each bit of these codes stands for; `probabilities` holds those of every object and bit, where the
    /// model tells.
    fn new(codes: Codes, weights: &[f64], objects: &Inputs, probabilities: Option<&[f64]>) -> Self {
        let n_bits = codes.n_bits();
        let moments = column_moments(objects);
        let of_bit = |bit: usize| {
            let has: Vec<bool> = (0..codes.n_objects()).map(|object| codes.get(object, bit)).collect();
            let strength = |object: usize| match probabilities {
                Some(values) => values[object * n_bits + bit],
                None => f64::from(u8::from(has[object])),
            };
            let strengths: Vec<f64> = (0..has.len()).map(strength).collect();
            BitFacts {
                bit,
                weight: weights[bit],
                share: has.iter().filter(|&&has| has).count() as f64 / has.len().max(1) as f64,
                drivers: drivers(objects, &moments, &strengths),
                surest: strongest(&has, true, &strengths),
                just_not: strongest(&has, false, &strengths),
            }
        };
        let bits = (0..n_bits).map(of_bit).collect();
        Self { codes, bits }
    }

    /// The codes that are compared.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// What each bit stands for, in their order.
    pub fn bits(&self) -> &[BitFacts] {
        &self.bits
    }

    /// Explains the distance of two of the objects; `probabilities` holds those of the first one's bits and then of the
    /// second one's, where the model tells.
    ///
    /// # Panics
    /// When there are not as many objects.
    pub fn pair(&self, pair: [usize; 2], probabilities: Option<&[f64]>) -> Explanation {
        let n_bits = self.bits.len();
        let of_two = |facts: &BitFacts| BitOfTwo {
            bit: facts.bit,
            weight: facts.weight,
            has: pair.map(|object| self.codes.get(object, facts.bit)),
            probabilities: probabilities.map(|values| [values[facts.bit], values[n_bits + facts.bit]]),
            share: facts.share,
            drivers: facts.drivers.clone(),
            owners: facts.surest.iter().copied().filter(|object| !pair.contains(object)).take(OWNERS).collect(),
        };
        let mut bits: Vec<BitOfTwo> = self.bits.iter().map(of_two).collect();
        bits.sort_by(|a, b| {
            let rank = |bit: &BitOfTwo| (bit.agrees(), -bit.weight, !bit.has[0], bit.share);
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)).then(a.3.total_cmp(&b.3))
        });
        let differing = bits.iter().filter(|bit| !bit.agrees());
        let weighted = differing.clone().map(|bit| bit.weight).sum();
        Explanation { distance: differing.count(), weighted, bits }
    }
}

impl Coder {
    /// Explains the distance of two of these objects; `known` holds their given bits where the caller knows them.
    ///
    /// # Panics
    /// When there are not as many objects.
    pub fn explain(
        &self,
        objects: &Inputs,
        known: Option<&Codes>,
        pair: [usize; 2],
    ) -> Result<Explanation, CodingError> {
        let explainer = self.explainer(objects, known)?;
        let two = known.map(|known| known.select(&pair));
        let probabilities = self.probabilities_if_any(&objects.select(&pair), two.as_ref())?;
        Ok(explainer.pair(pair, probabilities.as_deref()))
    }

    /// Prepares explanations of distances among these objects, of which any number may be asked.
    pub fn explainer(&self, objects: &Inputs, known: Option<&Codes>) -> Result<Explainer, CodingError> {
        let codes = self.encode_rows(objects, known, 0, 0)?;
        let probabilities = self.probabilities_if_any(objects, known)?;
        Ok(Explainer::new(codes, self.weights(), objects, probabilities.as_deref()))
    }

    /// The same for the training objects by their own codes, where they have no inputs to tell anything.
    pub fn explainer_of_training(&self) -> Explainer {
        let codes = self.database().clone();
        let none = Inputs::none(codes.n_objects());
        Explainer::new(codes, self.weights(), &none, None)
    }

    /// Probabilities of the bits of these objects; `None` where the model tells none.
    pub fn probabilities_if_any(
        &self,
        objects: &Inputs,
        known: Option<&Codes>,
    ) -> Result<Option<Vec<f64>>, CodingError> {
        match self.probability_error() {
            None => self.probabilities(objects, known).map(Some),
            Some(_) => Ok(None),
        }
    }
}

/// The objects that have a bit, or those that have not, by falling strength.
fn strongest(has: &[bool], wanted: bool, strengths: &[f64]) -> Vec<usize> {
    let mut found: Vec<usize> = (0..has.len()).filter(|&object| has[object] == wanted).collect();
    let by_strength = |a: &usize, b: &usize| strengths[*b].total_cmp(&strengths[*a]).then(a.cmp(b));
    // Of many objects only a few are wanted.
    if found.len() > KEPT {
        found.select_nth_unstable_by(KEPT, by_strength);
        found.truncate(KEPT);
    }
    found.sort_by(by_strength);
    found
}

/// The inputs with which these values correlate most; constant ones do with nothing.
fn drivers(objects: &Inputs, (means, deviations): &(Vec<f64>, Vec<f64>), values: &[f64]) -> Vec<Driver> {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt();
    let mut sums = vec![0.0; means.len()];
    for (row, value) in objects.rows().zip(values) {
        let row = row.iter().zip(means);
        sums.iter_mut().zip(row).for_each(|(sum, (x, own))| *sum += (x - own) * (value - mean) / n);
    }
    let driver = |(input, sum): (usize, f64)| {
        let correlation = sum / (deviation * deviations[input]);
        (correlation.is_finite() && correlation != 0.0).then_some(Driver { input, correlation })
    };
    let mut found: Vec<Driver> = sums.into_iter().enumerate().filter_map(driver).collect();
    found.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
    found.truncate(DRIVERS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::pipeline::{Fit, Reading};
    use crate::run::RunControl;

    /// Two classes that the second of three inputs tells apart.
    fn objects() -> (Inputs, Labels) {
        let n = 40;
        let noise = |at: usize| ((at * 7919 + 13) % 101) as f64 / 101.0;
        let row =
            |at: usize| [noise(at), if at.is_multiple_of(2) { 5.0 } else { 0.0 } + noise(3 * at), noise(7 * at + 1)];
        let labels: Vec<&str> = (0..n).map(|at: usize| if at.is_multiple_of(2) { "even" } else { "odd" }).collect();
        (Inputs::new(n, 3, (0..n).flat_map(row).collect()).unwrap(), Labels::from_text(&labels))
    }

    #[test]
    fn bits_that_differ_come_first_and_name_the_input_that_tells_classes_apart() {
        let (inputs, labels) = objects();
        let fit = Fit::by_labels(inputs.clone(), labels).seed(1).sweeps(40).calibrates(false);
        let coder = fit.run(&RunControl::default()).unwrap().coder(Reading::default()).unwrap();
        let found = coder.explain(&inputs, None, [0, 1]).unwrap();
        let codes = coder.encode(&inputs).unwrap();
        assert_eq!(found.distance, codes.distance(0, codes.row(1)) as usize);
        assert!(found.distance > 0 && found.bits.len() == codes.n_bits());
        assert!(found.bits[..found.distance].iter().all(|bit| !bit.agrees()));
        assert!(found.bits[found.distance..].iter().all(BitOfTwo::agrees));
        let first = &found.bits[0];
        assert_eq!(first.drivers[0].input, 1);
        let sign = if first.has[0] { 1.0 } else { -1.0 };
        assert!(first.drivers[0].correlation * sign > 0.8, "{first:?}");
        assert!(first.owners.iter().all(|&owner| codes.get(owner, first.bit) && owner > 1));
        let weights: f64 = found.bits[..found.distance].iter().map(|bit| coder.weights()[bit.bit]).sum();
        assert!((found.weighted - weights).abs() < 1e-12);
        // The same object: nothing differs.
        assert_eq!(coder.explain(&inputs, None, [3, 3]).unwrap().distance, 0);
    }

    #[test]
    fn an_explainer_says_of_every_pair_what_an_explanation_does() {
        let (inputs, labels) = objects();
        let fit = Fit::by_labels(inputs.clone(), labels).seed(1).sweeps(40).calibrates(false);
        let coder = fit.run(&RunControl::default()).unwrap().coder(Reading::default()).unwrap();
        let explainer = coder.explainer(&inputs, None).unwrap();
        let all = coder.probabilities(&inputs, None).unwrap();
        let n_bits = coder.n_bits();
        for pair in [[0, 1], [5, 2], [7, 7]] {
            let two: Vec<f64> = pair.iter().flat_map(|&at| all[at * n_bits..(at + 1) * n_bits].to_vec()).collect();
            assert_eq!(explainer.pair(pair, Some(&two)), coder.explain(&inputs, None, pair).unwrap());
        }
        for facts in explainer.bits() {
            let has = |object: &usize| explainer.codes().get(*object, facts.bit);
            assert!(facts.surest.iter().all(has) && !facts.just_not.iter().any(has), "{facts:?}");
            let strength = |object: usize| all[object * n_bits + facts.bit];
            for list in [&facts.surest, &facts.just_not] {
                assert!(list.windows(2).all(|two| strength(two[0]) >= strength(two[1])), "{facts:?}");
            }
            let others = (0..40).filter(|object| !has(object) && !facts.just_not.contains(object));
            let weakest = facts.just_not.last().map_or(0.0, |&object| strength(object));
            assert!(others.map(strength).all(|strength| strength <= weakest), "nobody nearer is left out");
        }
    }

    #[test]
    fn training_objects_without_inputs_are_explained_by_their_own_codes() {
        let triplet = |anchor, near, far| crate::triplets::Triplet { anchor, near, far };
        let triplets = [triplet(0, 1, 2), triplet(1, 0, 3), triplet(2, 3, 0), triplet(3, 2, 1)];
        let objects = crate::data::Table::from(Inputs::none(4));
        let fit = Fit::new(objects, triplets.repeat(5)).seed(1).sweeps(30).chains(2).calibrates(false);
        let coder = fit.run(&RunControl::default()).unwrap().coder(Reading::default()).unwrap();
        let explainer = coder.explainer_of_training();
        assert_eq!(explainer.codes(), coder.database());
        assert!(explainer.bits().iter().all(|facts| facts.drivers.is_empty()));
        let found = explainer.pair([0, 2], None);
        assert_eq!(found.distance, coder.database().distance(0, coder.database().row(2)) as usize);
    }

    #[test]
    fn inputs_that_are_constant_drive_nothing() {
        let inputs = Inputs::new(4, 2, vec![1.0, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 3.0]).unwrap();
        let moments = column_moments(&inputs);
        let found = drivers(&inputs, &moments, &[0.0, 1.0, 2.0, 3.0]);
        assert_eq!((found.len(), found[0].input), (1, 1));
        assert!((found[0].correlation - 1.0).abs() < 1e-12);
        assert!(drivers(&inputs, &moments, &[2.0; 4]).is_empty());
    }
}
