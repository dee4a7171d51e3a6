//! Measures a fitted model on judgements that it has not seen.

use super::JudgingError;
use super::interval::{clustered_mean, interval};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::eval::{
    ReliabilityBin, brier_score, calibration_error, euclidean_agreement, hamming_agreement, probability_agreement,
    reliability_bins,
};
use crate::format::Fitted;
use crate::pipeline::{Asking, Objects, Reading};
use crate::transform::{InputTransform, Step, Transform};
use crate::triplets::{Triplet, TripletSet, mentioned};
use std::collections::BTreeMap;

/// How codes and probabilities are read from the model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Assessing {
    /// Which codes are compared.
    pub reading: Reading,
    /// How probabilities are computed.
    pub asking: Asking,
}

/// How well a model agrees with judgements. Agreement is a share of judgements; a tie counts half.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Judgements that were asked.
    pub n_judgements: usize,
    /// Different anchors among them.
    pub n_anchors: usize,
    /// Objects in them, and how many of those the model was fitted to.
    pub n_objects: (usize, usize),
    /// Agreement of the probabilities, averaged over all kept draws.
    pub agreement: f64,
    /// Its 95 % interval. Judgements with one anchor need not be independent: see [`super::interval`].
    pub interval: (f64, f64),
    /// Expected calibration error of the probabilities.
    pub calibration_error: f64,
    /// Brier score of the probabilities; a coin has 0.25.
    pub brier_score: f64,
    /// How often judgements agree that the model was so sure of.
    pub bins: Vec<ReliabilityBin>,
    /// Agreement with each judge, in ascending order of their numbers; empty where judges are not known.
    pub judges: Vec<JudgeAgreement>,
    /// Agreement of codes by Hamming distance.
    pub codes: CodesAgreement,
    /// Agreement of the Euclidean distance between inputs, before the transform.
    pub euclidean: f64,
    /// Agreement of the cosine between inputs.
    pub cosine: f64,
    /// Largest standard error of a probability that comes from drawing codes; 0 where all sums are exact.
    pub drawing_error: f64,
}

/// Agreement with one judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgeAgreement {
    /// The judge's number.
    pub judge: u32,
    /// Judgements of this judge.
    pub n_judgements: usize,
    /// Share that the probabilities agree with.
    pub agreement: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
}

/// Agreement of codes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CodesAgreement {
    /// Length of a code.
    pub n_bits: usize,
    /// Share of judgements that they agree with, ties counting half.
    pub agreement: f64,
    /// Share of judgements with equal distances.
    pub tied: f64,
}

/// Measures a model on judgements over the rows of `objects`, which it should not have been fitted to; `judges` holds the
/// number of each judgement's judge.
pub fn assess(
    fitted: &Fitted,
    objects: Objects<'_>,
    triplets: &[Triplet],
    judges: Option<&[u32]>,
    how: &Assessing,
) -> Result<Assessment, JudgingError> {
    if triplets.is_empty() {
        return Err(JudgingError::TooFew { purpose: "an assessment", found: 0, least: 1 });
    }
    if let Some(judges) = judges.filter(|judges| judges.len() != triplets.len()) {
        return Err(JudgingError::Judges { judges: judges.len(), judgements: triplets.len() });
    }
    let preferences = fitted.preferences(objects, triplets, &how.asking)?;
    let p = &preferences.probabilities;
    let asked = Asked::new(objects, triplets)?;
    let all: Vec<usize> = (0..triplets.len()).collect();
    let clusters = by_anchor(&all, triplets, p);
    let inputs = objects.inputs.select(&asked.rows);
    let (euclidean, cosine) = plain_agreements(&asked, &inputs)?;
    Ok(Assessment {
        n_judgements: triplets.len(),
        n_anchors: clusters.len(),
        n_objects: (asked.rows.len(), asked.training.iter().flatten().count()),
        agreement: probability_agreement(p),
        interval: interval(&clusters).unwrap_or((0.0, 1.0)),
        calibration_error: calibration_error(p),
        brier_score: brier_score(p),
        bins: reliability_bins(p),
        judges: judges.map_or_else(Vec::new, |judges| by_judge(judges, triplets, p)),
        codes: asked.of_codes(fitted, objects, how)?,
        euclidean,
        cosine,
        drawing_error: preferences.standard_error,
    })
}

/// Agreement of the Euclidean distance and of the cosine; a half each where objects have no inputs.
fn plain_agreements(asked: &Asked, inputs: &Inputs) -> Result<(f64, f64), JudgingError> {
    if inputs.n_inputs() == 0 {
        return Ok((0.5, 0.5));
    }
    let (_, unit) = Transform::fit_apply(&InputTransform { steps: vec![Step::Unit] }, inputs)?;
    let plain = |x: &Inputs| euclidean_agreement(&asked.triplets, x).map(|found| found.share_with_half_ties());
    Ok((plain(inputs)?, plain(&unit)?))
}

/// Sum of agreement and number of judgements for each anchor of the chosen judgements.
fn by_anchor(chosen: &[usize], triplets: &[Triplet], probabilities: &[f64]) -> Vec<(f64, usize)> {
    let mut clusters: BTreeMap<u32, (f64, usize)> = BTreeMap::new();
    for &at in chosen {
        let cluster = clusters.entry(triplets[at].anchor).or_default();
        *cluster = (cluster.0 + probability_agreement(&probabilities[at..=at]), cluster.1 + 1);
    }
    clusters.into_values().collect()
}

fn by_judge(judges: &[u32], triplets: &[Triplet], probabilities: &[f64]) -> Vec<JudgeAgreement> {
    let mut of_judge: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    judges.iter().enumerate().for_each(|(at, &judge)| of_judge.entry(judge).or_default().push(at));
    let measure = |(judge, chosen): (u32, Vec<usize>)| {
        let clusters = by_anchor(&chosen, triplets, probabilities);
        let agreement = clustered_mean(&clusters)?.value;
        Some(JudgeAgreement { judge, n_judgements: chosen.len(), agreement, interval: interval(&clusters)? })
    };
    of_judge.into_iter().filter_map(measure).collect()
}

/// The objects that occur in judgements, and the judgements renumbered to them.
struct Asked {
    rows: Vec<usize>,
    training: Vec<Option<u32>>,
    triplets: TripletSet,
}

impl Asked {
    fn new(objects: Objects<'_>, triplets: &[Triplet]) -> Result<Self, JudgingError> {
        let (rows, triplets) = mentioned(triplets);
        let training = rows.iter().map(|&row| objects.training.get(row).copied().flatten()).collect();
        let triplets = TripletSet::new(rows.len(), triplets)?;
        Ok(Self { rows, training, triplets })
    }

    /// Agreement of codes: training objects have theirs, others are encoded.
    fn of_codes(&self, fitted: &Fitted, objects: Objects<'_>, how: &Assessing) -> Result<CodesAgreement, JudgingError> {
        let coder = fitted.coder_or_empty(how.reading)?;
        let mut codes = Codes::zeros(self.rows.len(), coder.n_bits());
        for (place, object) in self.training.iter().enumerate() {
            if let Some(object) = object {
                codes.set_row(place, coder.database().row(*object as usize));
            }
        }
        let unseen: Vec<usize> = (0..self.rows.len()).filter(|&place| self.training[place].is_none()).collect();
        if !unseen.is_empty() {
            let rows: Vec<usize> = unseen.iter().map(|&place| self.rows[place]).collect();
            let known = objects.known.map(|known| known.select(&rows));
            let inputs = objects.inputs.select(&rows);
            let encoded = coder.encode_rows(&inputs, known.as_ref(), 0, how.asking.threads)?;
            unseen.iter().enumerate().for_each(|(row, &place)| codes.set_row(place, encoded.row(row)));
        }
        let found = hamming_agreement(&self.triplets, &codes)?;
        let (agreement, tied) = (found.share_with_half_ties(), found.tied_share());
        Ok(CodesAgreement { n_bits: coder.n_bits(), agreement, tied })
    }
}
