//! Fits to growing parts of the judgements, and tells what further ones would bring.

use super::power_law::{Measured, PowerLaw};
use super::recipe::Judged;
use super::{JudgingError, questions};
use crate::rng::{Purpose, Streams};
use crate::run::RunControl;

/// Fewest judgements that a learning curve makes sense for.
const FEWEST: usize = 40;
/// Points of the fitted curve.
const N_DRAWN: usize = 40;

/// Which parts are fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveSettings {
    /// Repeats, each with its own held-out judgements and its own order of the others.
    pub repeats: usize,
    /// Share of the judgements that a repeat holds out.
    pub held_out: f64,
    /// Parts of the other judgements that are learned from, ascending; each contains those before it.
    pub parts: Vec<f64>,
    /// Further judgements whose gain is told.
    pub more: usize,
}

impl Default for CurveSettings {
    fn default() -> Self {
        Self { repeats: 4, held_out: 0.2, parts: vec![0.125, 0.25, 0.5, 1.0], more: 500 }
    }
}

/// One size of a learning curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Judgements that were learned from, on average over the repeats.
    pub n_learned: f64,
    /// Mean agreement with held-out judgements.
    pub agreement: f64,
    /// Its standard error over repeats; `None` for a single one.
    pub standard_error: Option<f64>,
}

/// A learning curve, measured and extrapolated.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Every fit.
    pub measured: Vec<Measured>,
    /// Means over repeats.
    pub points: Vec<CurvePoint>,
    /// Number of judgements and agreement with its standard deviation, along the fitted law.
    pub law: Vec<(f64, f64, f64)>,
    /// All judgements that there are.
    pub n_judgements: usize,
    /// Further judgements.
    pub more: usize,
    /// What those bring: mean and standard deviation.
    pub gain: (f64, f64),
    /// Agreement that no number of judgements exceeds: mean and standard deviation.
    pub limit: (f64, f64),
    /// Probability of means as far from the law, if it holds; `None` for a single repeat.
    pub lack_of_fit: Option<f64>,
}

/// Below this probability the curve is taken for no power law.
const LEVEL: f64 = 0.01;

impl Curve {
    /// The gain in words, with a caution where the curve follows no power law.
    pub fn sentence(&self) -> String {
        let (gain, error) = (100.0 * self.gain.0, 100.0 * self.gain.1);
        let told = format!("another {} answers bring {gain:+.1} ± {error:.1} points", self.more);
        match self.is_lawful() {
            true => told,
            false => format!("{told}; but the curve does not flatten as the law has it, so that the error is larger"),
        }
    }

    /// Whether the measured agreement rises as a power law does.
    pub fn is_lawful(&self) -> bool {
        self.lack_of_fit.is_none_or(|p| p >= LEVEL)
    }
}

/// Measures and extrapolates the learning curve; `on_fit` is called after each fit.
pub fn curve(
    judged: &Judged<'_>,
    settings: &CurveSettings,
    control: &RunControl<'_>,
    on_fit: &mut dyn FnMut(&Measured),
) -> Result<Curve, JudgingError> {
    let CurveSettings { repeats, held_out, parts, more } = settings;
    let ascending = parts.windows(2).all(|pair| pair[0] < pair[1]);
    let inside = parts.iter().all(|&part| part > 0.0 && part <= 1.0) && *held_out > 0.0 && *held_out < 1.0;
    if parts.len() < 3 || *repeats == 0 || !ascending || !inside {
        return Err(JudgingError::CurveSettings);
    }
    let found = judged.triplets.len();
    if found < FEWEST {
        return Err(JudgingError::TooFew { purpose: "a learning curve", found, least: FEWEST });
    }
    let kept: Vec<usize> = (0..judged.table.inputs.n_objects()).collect();
    let mut measured = Vec::new();
    for repeat in 0..*repeats {
        let mut rng = Streams::new(judged.recipe.settings.seed, 0).rng(Purpose::Judging, 1, repeat as u64);
        let groups = questions::shuffled(judged.triplets, &mut rng);
        let n_held = ((held_out * groups.len() as f64) as usize).max(1);
        let (held, others) = groups.split_at(n_held);
        let asked = questions::at(judged.triplets, held);
        for part in parts {
            let n_groups = ((part * others.len() as f64).round() as usize).max(1);
            let learned = questions::at(judged.triplets, &others[..n_groups]);
            let fitted = judged.fit(&kept, &learned, control)?;
            let agreement = judged.agreement(&fitted, &asked, control.threads)?;
            let point = Measured { repeat, n_learned: learned.len(), agreement, n_asked: asked.len() };
            on_fit(&point);
            measured.push(point);
        }
    }
    extrapolated(measured, parts.len(), found, *more)
}

fn extrapolated(measured: Vec<Measured>, n_parts: usize, n: usize, more: usize) -> Result<Curve, JudgingError> {
    let law = PowerLaw::fit(&measured);
    let law = law.ok_or(JudgingError::TooFew { purpose: "a learning curve", found: n, least: FEWEST })?;
    let point = |part: usize| {
        let of_part = || measured.iter().skip(part).step_by(n_parts);
        let count = of_part().count() as f64;
        let mean = of_part().map(|m| m.agreement).sum::<f64>() / count;
        let squares: f64 = of_part().map(|m| (m.agreement - mean).powi(2)).sum();
        let standard_error = (count > 1.0).then(|| (squares / (count - 1.0) / count).sqrt());
        let n_learned = of_part().map(|m| m.n_learned as f64).sum::<f64>() / count;
        CurvePoint { n_learned, agreement: mean, standard_error }
    };
    let points: Vec<CurvePoint> = (0..n_parts).map(point).collect();
    let (first, last) = (points[0].n_learned, (n + more) as f64);
    let drawn = |at: usize| {
        let n = first * (last / first).powf(at as f64 / (N_DRAWN - 1) as f64);
        let (mean, deviation) = law.at(n);
        (n, mean, deviation)
    };
    Ok(Curve {
        points,
        law: (0..N_DRAWN).map(drawn).collect(),
        n_judgements: n,
        more,
        gain: law.gain(n as f64, more as f64),
        limit: law.limit(),
        lack_of_fit: law.lack_of_fit(&measured, n_parts),
        measured,
    })
}
