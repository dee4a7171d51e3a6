//! Describes a fitted model in words and numbers.

use crate::codes::Codes;
use crate::eval::effective_bits;
use crate::format::{Calibration, Fitted, GivenBits, TripletOrigin, UnsupervisedBits};
use crate::model::{AnyModel, RATE_ERROR};
use crate::pipeline::{DrawChoice, TrainingCodes};
use crate::state::JUDGE_LAPSES;
use crate::trace::diagnostics::{Diagnostic, diagnose, warnings};
use crate::trace::{ChainRecord, REFIT_ERROR, REFIT_GRADIENTS};
use crate::transform::FittedStep;
use crate::triplets::{FarChoice, NearChoice, Scheme};
use crate::words::{count, grouped};

/// Summary of one chain.
#[derive(Debug)]
pub struct ChainFacts {
    /// Sweeps done.
    pub sweeps: u64,
    /// Bits of the last draw.
    pub bits: usize,
    /// Kept draws.
    pub draws: usize,
    /// Share of triplets satisfied after the last sweep.
    pub satisfied: Option<f64>,
    /// Log likelihood of the triplets (or of the inputs, without triplets) after the last sweep.
    pub log_likelihood: Option<f64>,
    /// Mean score of the kept draws, by which chains are ranked.
    pub score: f64,
    /// Whether this chain's draw encodes.
    pub encodes: bool,
}

/// Summary of a model.
#[derive(Debug)]
pub struct Description {
    /// Names and values of the model's properties, in order.
    pub facts: Vec<(&'static str, String)>,
    /// Summary of each chain.
    pub chains: Vec<ChainFacts>,
    /// Agreement between chains.
    pub diagnostics: Vec<Diagnostic>,
    /// Warnings about the fit.
    pub warnings: Vec<String>,
}

impl Fitted {
    /// Summarises the model, with these draws as its encoder.
    pub fn describe(&self, draws: DrawChoice) -> Description {
        let (_, encoding_chain) = self.posterior().chosen(draws.into());
        let has_triplets = self.has_triplets();
        let chain = |(at, chain): (usize, &ChainRecord)| ChainFacts {
            sweeps: chain.sweeps_done,
            bits: chain.last.bits.n_bits(),
            draws: chain.draws.len(),
            satisfied: chain.trace.satisfied.last().copied().filter(|_| has_triplets),
            log_likelihood: chain.trace.log_likelihood.last().copied(),
            score: chain.mean_score(),
            encodes: at == encoding_chain,
        };
        let mut diagnostics = diagnose(&self.chains);
        diagnostics.retain(|d| has_triplets || d.name != "satisfied");
        Description {
            facts: facts(self, draws),
            chains: self.chains.iter().enumerate().map(chain).collect(),
            diagnostics,
            warnings: code_warnings(self, draws).into_iter().chain(chain_warnings(self, draws)).collect(),
        }
    }

    /// Whether the model was fitted to triplets.
    pub fn has_triplets(&self) -> bool {
        self.info.triplets.n_triplets() > 0
    }
}

/// Share of triplets satisfied after a sweep.
pub fn satisfied_at(chain: &ChainRecord, sweep: u64) -> Option<f64> {
    chain.trace.satisfied.get(usize::try_from(sweep.checked_sub(1)?).ok()?).copied()
}

/// The displayed name of a column of the trace.
pub fn quantity(name: &str) -> &str {
    match name {
        "n_bits" => "bits",
        "log_joint" => "log joint",
        "log_likelihood" => "log likelihood",
        "satisfied" => "share of triplets satisfied",
        "noise_variance" => "noise variance",
        "feature_variance" => "image variance",
        "coefficient_variance" => "coefficient variance",
        "lapse" => "lapse rate",
        "slope" => "slope of the link",
        other => other,
    }
}

fn facts(file: &Fitted, draws: DrawChoice) -> Vec<(&'static str, String)> {
    let info = &file.info;
    let settings = &info.settings;
    let labels = info.labels.as_ref().map_or("no labels".into(), |l| format!("labels of {} classes", l.names().len()));
    let ids = if info.ids.is_some() { ", ids" } else { "" };
    let inputs = count(info.n_inputs(), "input");
    let run = format!(
        "{} of {}, {} of each kept, seed {}",
        count(settings.chains, "chain"),
        count(settings.sweeps as usize, "sweep"),
        count(settings.plan().n_kept(), "draw"),
        settings.seed
    );
    let mut facts = vec![
        ("model", model_words(&info.model)),
        ("data", format!("{} of {inputs}, {labels}{ids}", count(info.n_objects, "object"))),
        ("triplets", triplet_words(&info.triplets)),
        ("inputs", transform_words(info.transform.steps())),
    ];
    facts.extend(info.given.as_ref().map(|given| ("given bits", given_words(given))));
    facts.extend(info.unsupervised.as_ref().map(|bits| ("unsupervised bits", unsupervised_words(bits))));
    facts.push(("run", run));
    facts.extend(info.part.as_ref().map(|part| ("part", format!("chain {} of {}", part.chain, part.of))));
    facts.extend(info.continues.as_ref().map(|earlier| {
        let sweeps = count(earlier.sweeps as usize, "sweep");
        ("continues", format!("chains started from the last draws of an earlier fit, after {sweeps}"))
    }));
    facts.push(("codes", code_words(file, draws)));
    let codes = encoded(file, draws);
    let (n_codes, _) = covered(&codes);
    facts.push(("different codes", format!("{} of {}", grouped(n_codes), count(info.n_objects, "object"))));
    facts.push((
        "effective bits",
        format!("{:.0} of {}: copies of a bit count once", effective_bits(&codes), codes.n_bits()),
    ));
    facts.extend(info.calibration.map(|found| ("held out", held_out_words(&found))));
    facts.extend(info.model.facts());
    facts.extend(judge_words(file).map(|words| ("judges", words)));
    facts.extend(info.calibration.map(|calibration| ("preferences", calibration_words(&calibration))));
    facts.extend(
        refit_gradient(file).map(|norm| ("refit", format!("gradients at most {norm:.1e} posterior deviations"))),
    );
    facts.extend(left_out_error(file).map(|error| {
        ("refit", format!("least squares; {:.1} % of bits are wrong for objects that are left out", 100.0 * error))
    }));
    facts.extend(rate_error(file).map(|error| ("expected bits", rate_words(error))));
    facts
}

/// Codes that cover so large a share of the objects are too few to rank neighbours.
const FEW_CODES: usize = 3;
const COVERED: f64 = 0.5;
/// With fewer objects that says nothing.
const FEWEST_OBJECTS: usize = 30;

/// What a search would suffer from: codes that say nothing about other objects, or the same about most.
pub fn code_warnings(file: &Fitted, draws: DrawChoice) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(held_out) = file.info.calibration.filter(Calibration::is_chance) {
        found.push(format!(
            "the codes are no better than chance for objects that were not learned from: they agree with {:.1} % of held-out \
             triplets. These inputs may not tell what the labels or triplets say",
            100.0 * held_out.agreement
        ));
    }
    let (_, share) = covered(&encoded(file, draws));
    if file.info.n_objects >= FEWEST_OBJECTS && share > COVERED {
        found.push(format!(
            "{FEW_CODES} codes cover {:.0} % of the objects, so that most neighbours are at distance 0 and come in the order \
             of the file; unsupervised bits would tell them apart",
            100.0 * share
        ));
    }
    found
}

/// What the chains tell about the fit: whether it is finished, where they disagree, and what that means for a search.
///
/// Fits do not say this by themselves, neither in the command nor in Python: it does not make codes wrong.
pub fn chain_warnings(file: &Fitted, draws: DrawChoice) -> Vec<String> {
    let mut found = warnings(file.info.settings.sweeps, &file.chains);
    if diagnose(&file.chains).iter().any(Diagnostic::is_disagreement) {
        found.push(disagreement_words(file, draws));
    }
    found
}

/// What disagreement of chains means for a search, which depends on where codes come from.
fn disagreement_words(file: &Fitted, draws: DrawChoice) -> String {
    let codes = match file.choice(draws) {
        _ if file.chains.len() == 1 => {
            "codes are one draw of the chain; more sweeps, or another seed, may give other ones"
        }
        DrawChoice::Distilled => "the code is made of all chains, so that it rests on what they agree about",
        DrawChoice::Concatenate | DrawChoice::LastOfEach | DrawChoice::Kept => {
            "codes are bits of all chains side by side, so that each chain counts in every distance"
        }
        DrawChoice::Suited | DrawChoice::Map | DrawChoice::Last => {
            "codes come from one chain, so that a search does not mix them; another seed may give other codes that serve as \
             well"
        }
    };
    format!(
        "what this means for a search: {codes}. How good they are is measured on held-out objects (`sibp eval`), not by R-hat; \
         only averages over chains, as probabilities of preferences are, get better with more sweeps"
    )
}

/// The codes that training objects are given by their inputs.
fn encoded(file: &Fitted, draws: DrawChoice) -> Codes {
    let chosen = file.chosen_draws(draws).unwrap_or_else(|_| vec![file.posterior().chosen(draws.into()).0]);
    file.training_codes(&chosen, TrainingCodes::Encoded)
}

/// Number of different codes, and the share of objects that have one of the most frequent.
fn covered(codes: &Codes) -> (usize, f64) {
    let code = |object: u32| codes.row(object as usize);
    // Sorted rather than counted in a map: there may be many objects.
    let mut objects: Vec<u32> = (0..codes.n_objects() as u32).collect();
    objects.sort_unstable_by(|&a, &b| code(a).cmp(code(b)));
    let mut sizes: Vec<usize> = objects.chunk_by(|&a, &b| code(a) == code(b)).map(<[u32]>::len).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let most: usize = sizes.iter().take(FEW_CODES).sum();
    (sizes.len(), most as f64 / codes.n_objects().max(1) as f64)
}

fn model_words(model: &AnyModel) -> String {
    format!("{} ({})", model.about().name, model.about().sentence())
}

fn triplet_words(origin: &TripletOrigin) -> String {
    match origin {
        TripletOrigin::None => "none".into(),
        TripletOrigin::Given { n_triplets } => format!("{} from a file", grouped(*n_triplets)),
        TripletOrigin::Labels { n_triplets, options } => {
            let scheme = match options.scheme {
                Scheme::Paired => "paired",
                Scheme::Product => "product",
            };
            let near = match options.near {
                NearChoice::Nearest => "nearest",
                NearChoice::Random => "random",
            };
            let far = match options.far {
                FarChoice::Random => "random",
                FarChoice::NearestImpostor => "the nearest impostors",
            };
            let (n, l) = (grouped(*n_triplets), options.per_object);
            format!("{n} from labels ({scheme}, {l} an object, near {near}, far {far}, seed {})", options.seed)
        }
    }
}

fn given_words(given: &GivenBits) -> String {
    format!("{} from {}, first in every code", count(given.codes.n_bits(), "given bit"), given.source)
}

fn unsupervised_words(bits: &UnsupervisedBits) -> String {
    match bits.fills_to {
        Some(width) => format!("fill codes up to {width} bits, last in every code"),
        None => format!("{}, last in every code", bits.codes.n_bits()),
    }
}

fn transform_words(steps: &[FittedStep]) -> String {
    let word = |step: &FittedStep| match step {
        FittedStep::SquareRoot => "square root".to_owned(),
        FittedStep::Unit => "rows of unit norm".to_owned(),
        FittedStep::Single => "rounded to single precision".to_owned(),
        FittedStep::Centre { .. } => "centred".to_owned(),
        FittedStep::Standardise { .. } => "standardised".to_owned(),
        FittedStep::Scale { .. } => "scaled to unit norm".to_owned(),
        FittedStep::Principal(axes) => format!("{} principal axes", axes.n_outputs()),
        FittedStep::Anchors(anchors) => format!("{} to {} anchors", anchors.similarity().words(), anchors.n_outputs()),
        FittedStep::Fourier(fourier) => format!("{} Fourier terms", fourier.n_outputs()),
    };
    if steps.is_empty() { "as they are".into() } else { steps.iter().map(word).collect::<Vec<_>>().join(", ") }
}

fn code_words(file: &Fitted, draws: DrawChoice) -> String {
    let draws = file.choice(draws);
    if let (DrawChoice::Distilled, Some(draw)) = (draws, &file.distilled) {
        return format!("{} that stand for all chains", count(draw.bits.n_bits(), "bit"));
    }
    let (draw, chain_ix) = file.posterior().chosen(draws.into());
    let which = match draws {
        DrawChoice::Suited | DrawChoice::Distilled | DrawChoice::Map => "its kept draw with the highest score",
        DrawChoice::Last => "its last draw",
        DrawChoice::Concatenate | DrawChoice::LastOfEach => "and so on for every chain, side by side",
        DrawChoice::Kept => "and all its kept draws, side by side",
    };
    let chain = match file.chains.len() {
        1 => "the only chain".to_owned(),
        _ => format!("chain {} (best mean score of its draws)", chain_ix + 1),
    };
    format!("{} from {chain}, sweep {}: {which}", count(draw.bits.n_bits(), "bit"), draw.sweep)
}

/// Judges that are named, those who answer most at random.
const NAMED_JUDGES: usize = 5;

/// Mean lapse rate of each judge over all kept draws, the highest first; empty where judges have none of their own.
pub fn judge_lapses(file: &Fitted) -> Vec<(&str, f64)> {
    let Some(names) = &file.info.judges else { return Vec::new() };
    let draws: Vec<_> = file.chains.iter().flat_map(|chain| chain.all_draws()).collect();
    let rates = draws.iter().filter_map(|draw| draw.tensor(JUDGE_LAPSES, &[names.len()]).ok());
    let rates: Vec<&[f64]> = rates.collect();
    if rates.is_empty() {
        return Vec::new();
    }
    let mean = |judge: usize| rates.iter().map(|rates| rates[judge]).sum::<f64>() / rates.len() as f64;
    let mut found: Vec<(&str, f64)> = names.iter().map(String::as_str).zip((0..names.len()).map(mean)).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

fn judge_words(file: &Fitted) -> Option<String> {
    let found = judge_lapses(file);
    let named: Vec<String> =
        found.iter().take(NAMED_JUDGES).map(|(name, rate)| format!("{name} {:.1} %", 100.0 * rate)).collect();
    let which = if found.len() > NAMED_JUDGES { "highest " } else { "" };
    (!found.is_empty()).then(|| format!("{}; {which}lapse rates: {}", found.len(), named.join(", ")))
}

/// The held-out agreement in words.
pub fn held_out_words(found: &Calibration) -> String {
    format!("{:.1} % of held-out triplets agree", 100.0 * found.agreement)
}

fn calibration_words(calibration: &Calibration) -> String {
    let n = grouped(calibration.n_triplets);
    match calibration.sharpness {
        1.0 => "as the link has them".to_owned(),
        sharpness => format!("log odds times {sharpness:.2}, by {n} held-out triplets"),
    }
}

/// Largest norm of the gradient at refitted coefficients, each coordinate in units of its posterior standard deviation;
/// `None` where none were refitted.
pub fn refit_gradient(file: &Fitted) -> Option<f64> {
    let draws = file.chains.iter().flat_map(|chain| chain.all_draws());
    let norms = draws.filter_map(|draw| draw.tensors.get(REFIT_GRADIENTS)).flat_map(|tensor| tensor.values.iter());
    norms.copied().reduce(f64::max)
}

/// Largest share of bits that are wrong when their object is left out, where coefficients were chosen by such objects.
fn left_out_error(file: &Fitted) -> Option<f64> {
    let draws = file.chains.iter().flat_map(|chain| chain.all_draws());
    draws.filter_map(|draw| draw.tensors.get(REFIT_ERROR)?.values.first().copied()).reduce(f64::max)
}

/// Estimated relative standard error of the expected number of bits, on which updates of concentration and coefficient
/// variance rest; files of earlier versions do not tell.
pub fn rate_error(file: &Fitted) -> Option<f64> {
    file.chains.first()?.last.scalars.get(RATE_ERROR).copied()
}

/// Describes the estimated error of the expected number of bits in words.
fn rate_words(error: f64) -> String {
    format!("a priori known to {:.3} % (standard error)", 100.0 * error)
}
