//! Predicts preferences, Eq. (18): the probability that one object is more like a second than like a third.
//!
//! Every kept draw of every chain answers, and the answers are averaged. Training objects have the bits that the draw gave
//! them. The bits of other objects are averaged over, given the draw and their inputs: by an exact sum where they are
//! independent (probit), by draws from their posterior otherwise (Gaussian, new bits of the object among them).

use super::CodingError;
use super::given::GivenBefore;
use crate::codes::Codes;
use crate::data::{Inputs, Table};
use crate::encode::{DrawnCode, EncoderChoice};
use crate::fault::{Fault, planted};
use crate::format::Fitted;
use crate::likelihood::preference::{Chances, Scoring, contribution};
use crate::model::PreferencePrior;
use crate::parallel::{map, n_threads};
use crate::rng::{Purpose, Streams};
use crate::trace::Draw;
use crate::triplets::{Triplet, mentioned};

/// Codes drawn for an object under one draw of the model, at most.
const MOST_CODES: usize = 100;
/// Draws that say how much an answer would tell, at most: evenly spaced over those of all chains.
const MOST_ASKED: usize = 240;

/// The objects that questions are about.
#[derive(Debug, Clone, Copy)]
pub struct Objects<'a> {
    /// Their inputs, before the transform.
    pub inputs: &'a Inputs,
    /// Their given bits, where the caller knows them.
    pub known: Option<&'a Codes>,
    /// Which training object each of them is, if any; empty where none is.
    pub training: &'a [Option<u32>],
}

impl<'a> From<(&'a Inputs, Option<&'a Codes>)> for Objects<'a> {
    /// Objects that the model was not fitted to, with their given bits where these are known.
    fn from((inputs, known): (&'a Inputs, Option<&'a Codes>)) -> Self {
        Self { inputs, known, training: &[] }
    }
}

/// How questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asking {
    /// `None` averages over the bits of unseen objects; an encoder gives them the one code that it has for them.
    pub encoder: Option<EncoderChoice>,
    /// Whether probabilities are recalibrated, where the model knows how.
    pub calibrated: bool,
    /// Codes drawn for an unseen object over all draws of the model together, where the sum over its codes is not exact.
    pub codes: usize,
    /// Seed of codes that are drawn.
    pub seed: u64,
    /// Threads; 0 takes all cores.
    pub threads: usize,
}

impl Default for Asking {
    fn default() -> Self {
        Self { encoder: None, calibrated: true, codes: 2000, seed: 0, threads: 0 }
    }
}

/// Probabilities of triplets.
#[derive(Debug, Clone, PartialEq)]
pub struct Preferences {
    /// One for each triplet.
    pub probabilities: Vec<f64>,
    /// Largest standard error that comes from drawing codes; 0 where all sums are exact.
    pub standard_error: f64,
}

/// What is expected of the answer to a question, before it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prospect {
    /// Probability of the triplet as it stands, recalibrated where that was asked for.
    pub probability: f64,
    /// Bits of information that the answer is expected to give about the model, at most 1 (BALD, Houlsby et al. 2011): the
    /// entropy of the mean probability minus the mean entropy of each draw's. High where draws contradict each other, low
    /// where they agree, also if they agree that nobody knows.
    pub information: f64,
}

impl Fitted {
    /// Which training object each row of a table is: all of them where the inputs are those of the fit, else by their ids,
    /// and without ids by equal inputs, where only one training object has them.
    pub fn training_rows(&self, table: &Table) -> Vec<Option<u32>> {
        if self.info.digests.are_of(&table.inputs) {
            return (0..table.inputs.n_objects() as u32).map(Some).collect();
        }
        match (&self.info.ids, &table.ids) {
            (Some(own), Some(ids)) => ids.texts().iter().map(|id| own.row(id).map(|row| row as u32)).collect(),
            _ => self.info.digests.rows_of(&table.inputs),
        }
    }

    /// The training objects by their ids alone, for questions about them; their bits are known, so no inputs are needed.
    pub fn training_objects(&self) -> (Table, Vec<Option<u32>>) {
        let table = Table { ids: self.info.ids.clone(), ..Table::from(Inputs::none(self.info.n_objects)) };
        (table, (0..self.info.n_objects as u32).map(Some).collect())
    }

    /// Probabilities of triplets over the rows of `objects`, averaged over the kept draws of all chains.
    pub fn preferences<'a>(
        &'a self,
        objects: impl Into<Objects<'a>>,
        triplets: &[Triplet],
        asking: &Asking,
    ) -> Result<Preferences, CodingError> {
        let mut sums = vec![(0.0, 0.0); triplets.len()];
        let n_draws = self.ask_draws(objects.into(), triplets, asking, usize::MAX, |answers| {
            for (sum, (probability, variance)) in sums.iter_mut().zip(answers) {
                *sum = (sum.0 + probability, sum.1 + variance);
            }
        })?;
        let n = n_draws as f64;
        let standard_error = sums.iter().map(|(_, variance)| variance.sqrt() / n).fold(0.0, f64::max);
        let probabilities = sums.iter().map(|(sum, _)| self.calibrated(sum / n, asking)).collect();
        Ok(Preferences { probabilities, standard_error })
    }

    /// What the answers to questions over the rows of `objects` are expected to tell.
    pub fn prospects<'a>(
        &'a self,
        objects: impl Into<Objects<'a>>,
        triplets: &[Triplet],
        asking: &Asking,
    ) -> Result<Vec<Prospect>, CodingError> {
        let mut sums = vec![(0.0, 0.0); triplets.len()];
        let n_draws = self.ask_draws(objects.into(), triplets, asking, MOST_ASKED, |answers| {
            for (sum, (probability, _)) in sums.iter_mut().zip(answers) {
                *sum = (sum.0 + probability, sum.1 + entropy(probability));
            }
        })?;
        let n = n_draws as f64;
        let prospect = |(probability, entropies): (f64, f64)| Prospect {
            probability: self.calibrated(probability / n, asking),
            information: (entropy(probability / n) - entropies / n).max(0.0),
        };
        Ok(sums.into_iter().map(prospect).collect())
    }

    /// Passes on the answers of every draw, of `most` draws at most, and says how many they were.
    fn ask_draws(
        &self,
        objects: Objects<'_>,
        triplets: &[Triplet],
        asking: &Asking,
        most: usize,
        mut hear: impl FnMut(Vec<(f64, f64)>),
    ) -> Result<usize, CodingError> {
        let prior = self.info.model.preference().ok_or(CodingError::NoPreferences)?;
        let n_objects = objects.inputs.n_objects();
        let members = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]);
        if let Some(object) = members.max().filter(|&object| object as usize >= n_objects) {
            return Err(CodingError::UnknownObject { object, n_objects });
        }
        let (rows, asked) = mentioned(triplets);
        let draws: Vec<&Draw> = self.chains.iter().flat_map(|chain| chain.all_draws()).collect();
        let draws: Vec<&Draw> = draws.iter().copied().step_by(draws.len().div_ceil(most).max(1)).collect();
        let party = Party::new(self, objects, &rows, *asking, draws.len())?;
        for draw in &draws {
            hear(party.answers(draw, prior, &asked)?);
        }
        Ok(draws.len())
    }

    fn calibrated(&self, probability: f64, asking: &Asking) -> f64 {
        let sharpness = self.info.calibration.filter(|_| asking.calibrated);
        sharpness.map_or(probability, |sharpness| sharpness.sharpen(probability))
    }
}

/// Entropy of a coin, in bits.
fn entropy(probability: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
    term(probability) + term(1.0 - probability)
}

/// The objects of the questions: their bits are known, or have a law under each draw.
struct Party<'a> {
    fitted: &'a Fitted,
    asking: Asking,
    /// The training object that each is, or its place among the unseen ones.
    places: Vec<Place>,
    /// Transformed inputs of the unseen objects, if there are some.
    unseen: Option<Inputs>,
    given: Option<Codes>,
    n_drawn: usize,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Training(usize),
    Unseen(usize),
}

/// The bits of unseen objects under one draw.
enum Law {
    /// Probabilities, objects x bits.
    Independent(Vec<f64>),
    /// Draws of their codes, with the weight of what each has alone.
    Drawn(Vec<Vec<(DrawnCode, f64)>>),
}

impl<'a> Party<'a> {
    fn new(
        fitted: &'a Fitted,
        objects: Objects<'a>,
        rows: &[usize],
        asking: Asking,
        n_draws: usize,
    ) -> Result<Self, CodingError> {
        let mut unseen = Vec::new();
        let mut place = |&row: &usize| match objects.training.get(row).copied().flatten() {
            Some(object) if !planted(Fault::TrainingBitsForgotten) => Place::Training(object as usize),
            _ => {
                unseen.push(row);
                Place::Unseen(unseen.len() - 1)
            }
        };
        let places: Vec<Place> = rows.iter().map(&mut place).collect();
        let raw = (!unseen.is_empty()).then(|| objects.inputs.select(&unseen));
        let given = match &fitted.info.given {
            None if objects.known.is_some() => return Err(CodingError::UnusedGivenBits),
            None => None,
            Some(given) => {
                let known = objects.known.map(|known| known.select(&unseen));
                let others = match &raw {
                    None => Codes::zeros(0, given.codes.n_bits()),
                    Some(raw) => GivenBefore::from(given).of(raw, known.as_ref())?,
                };
                let mut all = Codes::zeros(rows.len(), given.codes.n_bits());
                for (at, place) in places.iter().enumerate() {
                    match *place {
                        Place::Training(object) => all.set_row(at, given.codes.row(object)),
                        Place::Unseen(object) => all.set_row(at, others.row(object)),
                    }
                }
                Some(all)
            }
        };
        let unseen = raw.map(|raw| fitted.info.transform.apply(&raw)).transpose()?;
        Ok(Self { fitted, asking, places, unseen, given, n_drawn: asking.codes.div_ceil(n_draws).clamp(1, MOST_CODES) })
    }

    /// Probability of every triplet under a draw, and the variance of what was drawn for it.
    fn answers(
        &self,
        draw: &Draw,
        prior: &PreferencePrior,
        triplets: &[Triplet],
    ) -> Result<Vec<(f64, f64)>, CodingError> {
        let scoring = prior.scoring_of(draw)?;
        let given_weights: &[f64] = match &self.given {
            Some(given) => draw.tensor("given_weights", &[given.n_bits()])?,
            None => &[],
        };
        let law = self.law(draw, prior)?;
        let answer = |at: usize| {
            let members = [triplets[at].anchor, triplets[at].near, triplets[at].far].map(|object| object as usize);
            let certain = self.certain(members, given_weights);
            match &law {
                Law::Independent(probabilities) => {
                    (self.expected(draw, &scoring, (members, certain), probabilities), 0.0)
                }
                Law::Drawn(codes) => self.sampled(draw, &scoring, (members, certain), codes),
            }
        };
        Ok(map(n_threads(self.asking.threads), triplets.len(), answer))
    }

    /// The bits of unseen objects under a draw.
    fn law(&self, draw: &Draw, prior: &PreferencePrior) -> Result<Law, CodingError> {
        let info = &self.fitted.info;
        let Some(unseen) = &self.unseen else { return Ok(Law::Independent(Vec::new())) };
        let choice = self.asking.encoder.unwrap_or(info.model.about().law);
        let encoder = info.model.encoder(draw, &info.training(), Some(choice), self.asking.seed)?;
        if self.asking.encoder.is_none() {
            if let Some(probabilities) = encoder.probabilities(unseen) {
                return Ok(Law::Independent(probabilities));
            }
            if let Some(codes) = encoder.draws(unseen, 0, self.n_drawn) {
                let streams = Streams::new(self.asking.seed, 0);
                let weighed = |(object, codes): (usize, Vec<DrawnCode>)| {
                    let mut rng = streams.rng(Purpose::OwnBits, 0, object as u64);
                    let own = |code: &DrawnCode, rng: &mut _| (0..code.n_new).map(|_| prior.draw_weight(rng)).sum();
                    codes.into_iter().map(|code| (own(&code, &mut rng), code)).map(|(own, code)| (code, own)).collect()
                };
                return Ok(Law::Drawn(codes.into_iter().enumerate().map(weighed).collect()));
            }
        }
        let codes = encoder.encode(unseen, 0);
        let bit = |at: usize| f64::from(u8::from(codes.get(at / codes.n_bits(), at % codes.n_bits())));
        Ok(Law::Independent((0..codes.n_objects() * codes.n_bits()).map(bit).collect()))
    }

    /// A and B of the given bits.
    fn certain(&self, members: [usize; 3], weights: &[f64]) -> (f64, f64) {
        let Some(given) = &self.given else { return (0.0, 0.0) };
        let of_bit = |(bit, weight): (usize, &f64)| {
            let (a, b) =
                contribution(given.get(members[0], bit), given.get(members[1], bit), given.get(members[2], bit));
            (weight * a, weight * b)
        };
        weights.iter().enumerate().map(of_bit).fold((0.0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
    }

    fn expected(
        &self,
        draw: &Draw,
        scoring: &Scoring,
        (members, certain): ([usize; 3], (f64, f64)),
        probabilities: &[f64],
    ) -> f64 {
        if let Some((a, b)) = self.trained(draw, members) {
            return scoring.probability(certain.0 + a, certain.1 + b);
        }
        let k = draw.bits.n_bits();
        let probability = |member: usize, bit: usize| match self.places[member] {
            Place::Training(object) => f64::from(u8::from(draw.bits.get(object, bit))),
            Place::Unseen(object) => probabilities[object * k + bit],
        };
        let chances = |bit: usize| {
            let [anchor, near, far] = members.map(|member| probability(member, bit));
            Chances::new(anchor, near, far)
        };
        let chances: Vec<Chances> = (0..k).map(chances).collect();
        scoring.expected(certain, &chances, &draw.weights)
    }

    /// A and B of the learned bits where all three are training objects.
    fn trained(&self, draw: &Draw, members: [usize; 3]) -> Option<(f64, f64)> {
        let object = |member: usize| match self.places[member] {
            Place::Training(object) => Some(draw.bits.row(object)),
            Place::Unseen(_) => None,
        };
        let (anchor, near, far) = (object(members[0])?, object(members[1])?, object(members[2])?);
        let (mut a, mut b) = (0.0, 0.0);
        for (at, weights) in draw.weights.chunks(8).enumerate() {
            let separates = near[at] ^ far[at];
            let sides = !(anchor[at] ^ near[at]);
            for (bit, weight) in weights.iter().enumerate().filter(|(bit, _)| separates >> (7 - bit) & 1 == 1) {
                *(if sides >> (7 - bit) & 1 == 1 { &mut a } else { &mut b }) += weight;
            }
        }
        Some((a, b))
    }

    /// Mean and variance of the mean, over the codes that were drawn.
    fn sampled(
        &self,
        draw: &Draw,
        scoring: &Scoring,
        (members, certain): ([usize; 3], (f64, f64)),
        codes: &[Vec<(DrawnCode, f64)>],
    ) -> (f64, f64) {
        let answer = |at: usize| {
            let bit = |member: usize, bit: usize| match self.places[member] {
                Place::Training(object) => draw.bits.get(object, bit),
                Place::Unseen(object) => codes[object][at].0.bits[bit],
            };
            let own = |member: usize| match self.places[member] {
                Place::Training(_) => 0.0,
                Place::Unseen(object) => codes[object][at].1,
            };
            // What near has alone speaks for far, and the other way round; what the anchor has alone, for neither.
            let (mut a, mut b) = (certain.0 + own(members[2]), certain.1 + own(members[1]));
            for (bit_ix, weight) in draw.weights.iter().enumerate() {
                let [anchor, near, far] = members.map(|member| bit(member, bit_ix));
                let (for_a, for_b) = contribution(anchor, near, far);
                a += weight * for_a;
                b += weight * for_b;
            }
            scoring.probability(a, b)
        };
        let n = self.n_drawn as f64;
        let answers: Vec<f64> = (0..self.n_drawn).map(answer).collect();
        let mean = answers.iter().sum::<f64>() / n;
        let square = answers.iter().map(|p| (p - mean) * (p - mean)).sum::<f64>();
        (mean, if self.n_drawn > 1 { square / (n * (n - 1.0)) } else { 0.25 })
    }
}
