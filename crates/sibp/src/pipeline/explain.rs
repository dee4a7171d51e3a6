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
        let codes = self.encode_rows(objects, known, 0, 0)?;
        let n_bits = codes.n_bits();
        let probabilities = match self.probability_error() {
            None => Some(self.probabilities(objects, known)?),
            Some(_) => None,
        };
        let strength = |object: usize, bit: usize| match &probabilities {
            Some(values) => values[object * n_bits + bit],
            None => f64::from(u8::from(codes.get(object, bit))),
        };
        let moments = column_moments(objects);
        let of_bit = |bit: usize| {
            let values: Vec<f64> = (0..codes.n_objects()).map(|object| strength(object, bit)).collect();
            let n_owners = (0..codes.n_objects()).filter(|&object| codes.get(object, bit)).count();
            BitOfTwo {
                bit,
                weight: self.weights()[bit],
                has: pair.map(|object| codes.get(object, bit)),
                probabilities: probabilities.as_ref().map(|_| pair.map(|object| values[object])),
                share: n_owners as f64 / codes.n_objects().max(1) as f64,
                drivers: drivers(objects, &moments, &values),
                owners: owners(&codes, bit, &values, pair),
            }
        };
        let mut bits: Vec<BitOfTwo> = (0..n_bits).map(of_bit).collect();
        bits.sort_by(|a, b| {
            let rank = |bit: &BitOfTwo| (bit.agrees(), -bit.weight, !bit.has[0], bit.share);
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)).then(a.3.total_cmp(&b.3))
        });
        let differing = bits.iter().filter(|bit| !bit.agrees());
        let weighted = differing.clone().map(|bit| bit.weight).sum();
        Ok(Explanation { distance: differing.count(), weighted, bits })
    }
}

/// The surest owners of a bit.
fn owners(codes: &Codes, bit: usize, strengths: &[f64], pair: [usize; 2]) -> Vec<usize> {
    let mut found: Vec<usize> =
        (0..codes.n_objects()).filter(|object| codes.get(*object, bit) && !pair.contains(object)).collect();
    found.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]));
    found.truncate(OWNERS);
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
    fn inputs_that_are_constant_drive_nothing() {
        let inputs = Inputs::new(4, 2, vec![1.0, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 3.0]).unwrap();
        let moments = column_moments(&inputs);
        let found = drivers(&inputs, &moments, &[0.0, 1.0, 2.0, 3.0]);
        assert_eq!((found.len(), found[0].input), (1, 1));
        assert!((found[0].correlation - 1.0).abs() < 1e-12);
        assert!(drivers(&inputs, &moments, &[2.0; 4]).is_empty());
    }
}
