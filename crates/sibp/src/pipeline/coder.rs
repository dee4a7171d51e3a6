//! Turns raw inputs into codes or probabilities, by a fitted model or by a stack of hashes.

use super::given::GivenBefore;
use super::{CodingError, DrawChoice, Reading};
use crate::codes::Codes;
use crate::data::{Filling, Inputs};
use crate::encode::{Encoder, JoinedEncoder, encode_parallel};
use crate::fingerprint::{Digester, Fingerprint};
use crate::format::{Fitted, GivenBits, PortableEncoder, PortableGiven};
use crate::hash::{HashBlock, HashStack};
use crate::model::ModelKind;
use crate::parallel::n_threads;
use crate::trace::{Draw, RestoreError};
use crate::transform::Transform;

/// Gives codes to objects, seen or unseen.
///
/// Given bits stand before learned ones. They are predicted where the model can do that; otherwise, or where the
/// caller knows them, they are passed with the objects. Unsupervised bits, where a model has some, stand last.
pub struct Coder {
    way: Way,
    weights: Vec<f64>,
    database: Codes,
    fingerprint: Fingerprint,
    input_names: Option<Vec<String>>,
}

/// How inputs become bits: by a model or by a stack of hashes.
enum Way {
    Model {
        given: Option<GivenBefore>,
        transform: Transform,
        learned: JoinedEncoder,
        /// Gives the bits that stand last.
        unsupervised: Option<HashStack>,
        name: &'static str,
    },
    Hash(HashStack),
}

impl Fitted {
    /// Prepares draws for encoding by refitted coefficients. A run does that at its end for the best and the last draw of
    /// each chain; other draws, and those of a run that was cut off, need the inputs of the training objects (before the
    /// transform).
    pub fn refit(&mut self, draws: DrawChoice, inputs: &Inputs, threads: usize) -> Result<(), CodingError> {
        let best_chain = self.posterior().best_chain();
        let mut chosen = Vec::new();
        for (chain_ix, chain) in self.chains.iter_mut().enumerate() {
            let all = draws == DrawChoice::Kept && chain_ix == best_chain;
            let sweeps = [chain.best().sweep, chain.sweeps_done];
            let open = |draw: &&mut Draw| (all || sweeps.contains(&draw.sweep)) && !draw.is_refitted();
            chosen.extend(chain.draws.iter_mut().chain([&mut chain.last]).filter(open));
        }
        if chosen.is_empty() {
            return Ok(());
        }
        if !self.info.digests.are_of(inputs) {
            return Err(CodingError::OtherInputs);
        }
        let inputs = self.info.transform.apply(inputs)?;
        Ok(self.info.model.refit(&inputs, self.info.transform.anchors(), &mut chosen, n_threads(threads))?)
    }

    /// The coder of this model; an error if the model has no bits.
    pub fn coder(&self, reading: impl Into<Reading>) -> Result<Coder, CodingError> {
        let reading = reading.into();
        let draws = self.encoding_draws(&reading)?;
        self.coder_by(&draws, &reading)
    }

    /// The coder of this model, even if its codes have no bits.
    pub fn coder_or_empty(&self, reading: impl Into<Reading>) -> Result<Coder, CodingError> {
        let reading = reading.into();
        self.coder_by(&self.chosen_draws(reading.draws)?, &reading)
    }

    fn encoding_draws(&self, reading: &Reading) -> Result<Vec<&Draw>, CodingError> {
        let chosen = self.chosen_draws(reading.draws)?;
        // Given bits may tell all apart, so that none are learned.
        let none_given = self.info.given.as_ref().is_none_or(|given| given.codes.n_bits() == 0);
        match none_given && chosen.iter().all(|draw| draw.bits.n_bits() == 0) {
            true => Err(CodingError::NoBits),
            false => Ok(chosen),
        }
    }

    /// What turns inputs into learned bits alone, without those that stand before and behind them.
    pub fn learned_coder(&self, reading: impl Into<Reading>) -> Result<Coder, CodingError> {
        let reading = reading.into();
        self.coder_between(None, &self.chosen_draws(reading.draws)?, None, &reading)
    }

    pub(super) fn coder_by(&self, draws: &[&Draw], reading: &Reading) -> Result<Coder, CodingError> {
        let unsupervised =
            self.info.unsupervised.as_ref().and_then(|bits| bits.first(self.parts_by(draws).unsupervised));
        self.coder_between(self.info.given.as_ref(), draws, unsupervised, reading)
    }

    fn coder_between(
        &self,
        given: Option<&GivenBits>,
        draws: &[&Draw],
        unsupervised: Option<(Codes, HashStack)>,
        reading: &Reading,
    ) -> Result<Coder, CodingError> {
        let encoders = draws.iter().map(|draw| self.encoder(draw, reading)).collect::<Result<Vec<_>, _>>()?;
        let last = unsupervised.as_ref().map(|(codes, _)| codes);
        let known = given.map(|given| &given.codes);
        let learned = draws.iter().map(|draw| reading.training.of(draw));
        let databases: Vec<&Codes> = known.into_iter().chain(learned).chain(last).collect();
        let mut weights = match given {
            Some(given) => summed_weights(given, draws)?,
            None => Vec::new(),
        };
        weights.extend(draws.iter().flat_map(|draw| draw.weights.iter().copied()));
        weights.resize(weights.len() + last.map_or(0, Codes::n_bits), untaught_weight(draws));
        Ok(Coder {
            weights,
            database: Codes::side_by_side(&databases),
            fingerprint: self.fingerprint(known.into_iter().chain(last), draws),
            input_names: self.info.input_names.clone(),
            way: Way::Model {
                given: given.map(GivenBefore::from),
                transform: self.info.transform.clone(),
                learned: JoinedEncoder::new(encoders),
                unsupervised: unsupervised.map(|(_, hash)| hash),
                name: self.info.model.about().name,
            },
        })
    }

    /// What the bits mean: which of the training objects have them. The encoder does not matter, nor whether training
    /// objects have learned or encoded bits: all of these codes are meant to be compared.
    fn fingerprint<'a>(&self, others: impl Iterator<Item = &'a Codes>, draws: &[&'a Draw]) -> Fingerprint {
        let codes = others.chain(draws.iter().map(|draw| &draw.bits));
        let digest = Digester::new("model").bytes(self.info.digests.inputs.as_bytes());
        let add = |digest: Digester, codes: &Codes| digest.count(codes.n_bits()).bytes(codes.bytes());
        draws.iter().fold(codes.fold(digest, add), |digest, draw| digest.numbers(&draw.weights)).finish()
    }

    /// The encoder of one draw.
    fn encoder(&self, draw: &Draw, reading: &Reading) -> Result<Box<dyn Encoder>, CodingError> {
        Ok(self.info.model.encoder(draw, &self.info.training(), reading.encoder, reading.seed)?)
    }
}

/// The weight of an unsupervised bit, for every draw that of a learned bit on average. Learned bits of an object may
/// be wrong, and expected distances fade them by so much; bits of the inputs never are, and would count for more than
/// what was taught unless they fade as much as learned bits do on average.
fn untaught_weight(draws: &[&Draw]) -> f64 {
    let n_learned: usize = draws.iter().map(|draw| draw.weights.len()).sum();
    if n_learned == 0 {
        return 1.0;
    }
    let taught: f64 = draws.iter().flat_map(|draw| &draw.weights).sum();
    let sure: f64 = draws.iter().map(|draw| (1.0 - 2.0 * draw.encoding_error()).max(0.0)).sum();
    taught / n_learned as f64 * sure
}

/// Weights of the given bits: their sums over the draws, as each draw's distance counts them once.
fn summed_weights(given: &GivenBits, draws: &[&Draw]) -> Result<Vec<f64>, RestoreError> {
    let n_bits = given.codes.n_bits();
    let mut sums = vec![0.0; n_bits];
    for draw in draws {
        let weights = draw.tensor("given_weights", &[n_bits])?;
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }
    Ok(sums)
}

impl From<PortableEncoder> for Coder {
    /// Makes a coder of an encoder that left its model, without training objects.
    ///
    /// # Panics
    /// When its parts do not belong together: those of a model do, and files are checked when they are read.
    fn from(encoder: PortableEncoder) -> Self {
        let n_inputs = encoder.transform.n_outputs();
        let parts = encoder.learned.iter().map(|part| match part.restore(n_inputs) {
            Ok(part) => part,
            Err(error) => panic!("an encoder was checked, yet it cannot encode: {error}"),
        });
        Self {
            way: Way::Model {
                learned: JoinedEncoder::new(parts.collect()),
                given: encoder.given.map(GivenBefore::from),
                transform: encoder.transform,
                unsupervised: encoder.unsupervised,
                name: encoder.model.name(),
            },
            database: Codes::zeros(0, encoder.weights.len()),
            weights: encoder.weights,
            fingerprint: encoder.fingerprint,
            input_names: encoder.input_names,
        }
    }
}

impl From<HashStack> for Coder {
    /// Makes a coder of a stack of hashes, without training objects.
    fn from(stack: HashStack) -> Self {
        let (weights, fingerprint) = (stack.weights(), stack.fingerprint());
        let input_names = stack.input_names().map(<[String]>::to_vec);
        let database = Codes::zeros(0, stack.n_bits());
        Self { weights, database, fingerprint, input_names, way: Way::Hash(stack) }
    }
}

impl Coder {
    /// Bits of a code.
    pub fn n_bits(&self) -> usize {
        self.weights.len()
    }

    /// What the bits mean. Codes of coders with equal fingerprints can be compared.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Inputs that an object must have, before the transform.
    pub fn n_inputs(&self) -> usize {
        match &self.way {
            Way::Model { transform, .. } => transform.n_inputs(),
            Way::Hash(stack) => stack.n_inputs(),
        }
    }

    /// Names of those inputs in order, where they are known.
    pub fn input_names(&self) -> Option<&[String]> {
        self.input_names.as_deref()
    }

    /// The rule for missing values that it was fitted by.
    pub fn filling(&self) -> Option<&Filling> {
        match &self.way {
            Way::Model { transform, .. } => transform.filling(),
            Way::Hash(stack) => stack.filling(),
        }
    }

    /// Given bits that the caller must pass for every object; 0 where there are none or they are predicted.
    pub fn n_needed(&self) -> usize {
        match &self.way {
            Way::Model { given: Some(given), .. } if given.predictor.is_none() => given.n_bits,
            _ => 0,
        }
    }

    /// Weight of each bit.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Codes of the training objects; empty for a stack of hashes, which stores none.
    pub fn database(&self) -> &Codes {
        &self.database
    }

    /// Encodes objects by their inputs (before the transform), on all cores.
    pub fn encode(&self, inputs: &Inputs) -> Result<Codes, CodingError> {
        self.encode_rows(inputs, None, 0, 0)
    }

    /// Encodes some rows of a stream, of which the first has the number `first_row`, so that chunks of any size give
    /// the same codes. `known` holds the given bits of these rows, where the caller knows them; for a stack of hashes
    /// they may be those of its first blocks.
    pub fn encode_rows(
        &self,
        inputs: &Inputs,
        known: Option<&Codes>,
        first_row: u64,
        threads: usize,
    ) -> Result<Codes, CodingError> {
        match &self.way {
            Way::Hash(stack) => {
                let mut codes = stack.encode(inputs)?;
                if let Some(known) = known {
                    overwrite(&mut codes, known)?;
                }
                Ok(codes)
            }
            Way::Model { transform, learned, unsupervised, .. } => {
                let given = self.given(inputs, known)?;
                let learned = encode_parallel(learned, &transform.apply(inputs)?, first_row, threads);
                let last = unsupervised.as_ref().map(|hash| hash.encode_on(inputs, threads)).transpose()?;
                Ok(Codes::side_by_side(&given.iter().chain([&learned]).chain(&last).collect::<Vec<_>>()))
            }
        }
    }

    /// P(bit = 1) of every object and bit, row by row; given and unsupervised bits are certain.
    pub fn probabilities(&self, inputs: &Inputs, known: Option<&Codes>) -> Result<Vec<f64>, CodingError> {
        if let Some(error) = self.probability_error() {
            return Err(error);
        }
        let Way::Model { transform, learned, unsupervised, .. } = &self.way else { return Ok(Vec::new()) };
        let given = self.given(inputs, known)?;
        let last = unsupervised.as_ref().map(|hash| hash.encode_on(inputs, 0)).transpose()?;
        let values = learned.probabilities(&transform.apply(inputs)?).unwrap_or_default();
        if given.is_none() && last.is_none() {
            return Ok(values);
        }
        let n_learned = learned.n_bits();
        let certain = |codes: &Option<Codes>, row: usize| -> Vec<f64> {
            let bits =
                |codes: &Codes| (0..codes.n_bits()).map(|bit| f64::from(u8::from(codes.get(row, bit)))).collect();
            codes.as_ref().map_or(Vec::new(), bits)
        };
        let mut all = Vec::with_capacity(inputs.n_objects() * self.n_bits());
        for row in 0..inputs.n_objects() {
            all.extend(certain(&given, row));
            all.extend_from_slice(&values[row * n_learned..(row + 1) * n_learned]);
            all.extend(certain(&last, row));
        }
        Ok(all)
    }

    /// What it needs to encode, for a model of this kind; `None` where that is more than numbers.
    pub(super) fn portable(&self, model: ModelKind) -> Option<PortableEncoder> {
        let Way::Model { given, transform, learned, unsupervised, .. } = &self.way else { return None };
        Some(PortableEncoder {
            model,
            transform: transform.clone(),
            learned: learned.stored_parts()?,
            given: given.as_ref().map(PortableGiven::from),
            unsupervised: unsupervised.clone(),
            weights: self.weights.clone(),
            fingerprint: self.fingerprint,
            input_names: self.input_names.clone(),
        })
    }

    /// Why bits have no probabilities given inputs alone; `None` where they have.
    pub fn probability_error(&self) -> Option<CodingError> {
        match &self.way {
            Way::Model { learned, .. } if learned.has_probabilities() => None,
            Way::Model { name, .. } => Some(CodingError::NoProbabilities { model: name }),
            Way::Hash(_) => Some(CodingError::NoProbabilities { model: "a hash" }),
        }
    }

    /// The learned bits as a block of thresholds, if they are thresholds of projections; `None` if not, or without
    /// bits.
    pub fn to_block(&self, source: &str) -> Option<HashBlock> {
        let Way::Model { given, transform, learned, .. } = &self.way else { return None };
        let first = given.as_ref().map_or(0, |given| given.n_bits);
        let weights = self.weights[first..first + learned.n_bits()].to_vec();
        HashBlock::of_hyperplanes(source, transform.clone(), &learned.hyperplanes()?, weights)
    }

    /// What gives the unsupervised bits, with their weights; `None` where codes have none.
    pub(crate) fn unsupervised(&self) -> Option<(&HashStack, &[f64])> {
        let Way::Model { unsupervised: Some(hash), .. } = &self.way else { return None };
        Some((hash, &self.weights[self.weights.len() - hash.n_bits()..]))
    }

    /// Given bits of these objects, for a model whose codes begin with some.
    fn given(&self, inputs: &Inputs, known: Option<&Codes>) -> Result<Option<Codes>, CodingError> {
        match (&self.way, known) {
            (Way::Model { given: Some(given), .. }, known) => given.of(inputs, known).map(Some),
            (_, Some(_)) => Err(CodingError::UnusedGivenBits),
            (_, None) => Ok(None),
        }
    }
}

/// Replaces the first bits of codes by known ones.
fn overwrite(codes: &mut Codes, known: &Codes) -> Result<(), CodingError> {
    let (rows, bits) = (known.n_objects(), known.n_bits());
    if rows != codes.n_objects() || bits > codes.n_bits() {
        let (n_objects, n_bits) = (codes.n_objects(), codes.n_bits());
        return Err(CodingError::GivenShape { n_objects, n_bits, rows, bits });
    }
    for row in 0..rows {
        (0..bits).for_each(|bit| codes.set(row, bit, known.get(row, bit)));
    }
    Ok(())
}
