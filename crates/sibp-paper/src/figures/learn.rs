//! Fits the models of the synthetic experiments, keeps what they drew and measures their codes.

use super::FigureArgs;
use crate::kept::{BUILD, Found, Kept, Settings};
use crate::synthetic::{Synthetic, mixture};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::{Labels, Table};
use sibp::eval::{hamming_agreement, mean};
use sibp::format::GivenBits;
use sibp::model::{Distance, GammaPrior, ModelKind, ModelOptions, Preset};
use sibp::pipeline::{DrawChoice, Fit, Teaching};
use sibp::run::RunControl;
use sibp::triplets::{FromLabels, Scheme, TripletSet};
use std::time::Instant;

/// The models of the figures, by their names in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    SuperGaussian,
    SuperProbit,
    Ibp,
    InputDdIbp,
    OutputDdIbp,
}

impl System {
    pub fn name(self) -> &'static str {
        match self {
            Self::SuperGaussian => "Super Gaussian IBP",
            Self::SuperProbit => "Super Probit IBP",
            Self::Ibp => "IBP",
            Self::InputDdIbp => "Input dd-IBP",
            Self::OutputDdIbp => "Output dd-IBP",
        }
    }

    /// Name used in file names.
    fn file_name(self) -> String {
        self.name().to_lowercase().replace(' ', "-")
    }

    fn transform(self) -> &'static str {
        self.options().kind.about().transform
    }

    fn supervised(self) -> bool {
        self.options().kind.about().supervised
    }

    /// The model's options: the paper's likelihood with unit weights. With free weights a few bits would carry all
    /// weight, and the rest would explain the inputs only.
    fn options(self) -> ModelOptions {
        let paper = |kind| ModelOptions::new(kind, Preset::Paper);
        let unit = |kind| ModelOptions { weights: Some(GammaPrior::Fixed(1.0)), ..paper(kind) };
        match self {
            Self::SuperProbit => unit(ModelKind::Probit),
            Self::SuperGaussian => unit(ModelKind::Gaussian),
            Self::InputDdIbp => paper(ModelKind::DdIbp),
            Self::OutputDdIbp => ModelOptions { distance: Distance::Output, ..paper(ModelKind::DdIbp) },
            Self::Ibp => paper(ModelKind::Ibp),
        }
    }
}

/// The points, triplets and given bits of an experiment.
pub struct Experiment {
    /// `fig2` or `fig3`.
    name: &'static str,
    pub points: Synthetic,
    pub triplets: TripletSet,
    /// The given bits; none in Figure 2.
    pub given: Codes,
}

impl Experiment {
    pub fn new(
        name: &'static str,
        args: &FigureArgs<'_>,
        given: impl FnOnce(&Labels) -> Codes,
    ) -> anyhow::Result<Self> {
        let points = mixture(args.seed)?;
        let options = FromLabels {
            scheme: Scheme::Product,
            per_object: args.per_object,
            seed: args.seed,
            ..FromLabels::default()
        };
        let built = options.build(&points.labels, &points.inputs)?;
        let triplets = TripletSet::new(points.inputs.n_objects(), built.triplets)?;
        let given = given(&points.labels);
        Ok(Self { name, points, triplets, given })
    }

    /// Fits one model, where that is not done yet, and measures the codes of its best draw.
    pub fn learn(&self, system: System, args: &FigureArgs<'_>) -> anyhow::Result<Learned> {
        let path = args.out.join("results").join(format!("{}-{}.json", self.name, system.file_name()));
        let settings = self.settings(system, args);
        let drawn: Drawn = match Kept::find(&path, &settings) {
            Found::Done(drawn) => {
                args.say(format!("{}: there already", system.name()));
                drawn
            }
            Found::Other(_) | Found::Nothing => {
                let result = self.draw(system, args)?;
                Kept { settings, result: result.clone() }.write(&path)?;
                result
            }
        };
        let codes = Codes::from_bytes(self.given.n_objects(), drawn.n_bits, drawn.bytes)
            .with_context(|| format!("{}: damaged; remove it", path.display()))?;
        self.measure(system, codes, drawn.seconds)
    }

    fn settings(&self, system: System, args: &FigureArgs<'_>) -> Settings {
        let all = [
            ("model", json!(system.name())),
            ("build", json!(BUILD)),
            ("transform", json!(system.transform())),
            ("given", json!(self.given.bytes())),
            ("seed", json!(args.seed)),
            ("sweeps", json!(args.sweeps)),
            ("chains", json!(args.chains)),
            ("per-object", json!(args.per_object)),
        ];
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn draw(&self, system: System, args: &FigureArgs<'_>) -> anyhow::Result<Drawn> {
        let table = Table { labels: Some(self.points.labels.clone()), ..self.points.inputs.clone().into() };
        let teaching = match system.supervised() {
            true => Teaching::from(self.triplets.triplets().to_vec()),
            false => Teaching::Nothing,
        };
        let given = GivenBits { source: self.name.to_owned(), codes: self.given.clone(), predictor: None };
        let fit = Fit::new(table, teaching)
            .model(system.options())
            .given(Some(given).filter(|given| given.codes.n_bits() > 0))
            .seed(args.seed)
            .sweeps(args.sweeps)
            .chains(args.chains)
            .calibrates(false)
            .distils(None);
        args.say(format!("{}: {} chains of {} sweeps", system.name(), args.chains, args.sweeps));
        let shown = args.talk.chains(args.chains, args.sweeps, system.supervised());
        let control =
            RunControl { threads: args.threads, stop: args.talk.stop()?, on_progress: &shown, ..RunControl::default() };
        let began = Instant::now();
        let fitted = fit.run(&control);
        drop(shown);
        let fitted = fitted?;
        if !fitted.finished() {
            bail!("stopped; models that are done are kept in {}, and the same command goes on", args.out.display());
        }
        let codes = fitted.coder_or_empty(DrawChoice::Map)?.database().clone();
        let seconds = began.elapsed().as_secs_f64();
        Ok(Drawn { n_bits: codes.n_bits(), bytes: codes.bytes().to_vec(), seconds })
    }

    fn measure(&self, system: System, codes: Codes, seconds: f64) -> anyhow::Result<Learned> {
        let classes = self.points.labels.class_of();
        let n = codes.n_objects();
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let (same, other): (Vec<_>, Vec<_>) = pairs.partition(|&(i, j)| classes[i] == classes[j]);
        let distance = |&(i, j): &(usize, usize)| f64::from(codes.distance(i, codes.row(j)));
        let apart = |pairs: &[(usize, usize)]| mean(&pairs.iter().map(distance).collect::<Vec<_>>());
        let (within, between) = (apart(&same), apart(&other));
        let satisfied = hamming_agreement(&self.triplets, &codes)?.share();
        Ok(Learned { system, codes, within, between, satisfied, seconds })
    }
}

/// The stored codes of a model: given bits, then learned ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Drawn {
    n_bits: usize,
    bytes: Vec<u8>,
    seconds: f64,
}

/// The codes of a model, with measures of their quality.
pub struct Learned {
    pub system: System,
    /// Given bits, then learned ones.
    pub codes: Codes,
    /// Mean Hamming distance within and between categories.
    pub within: f64,
    pub between: f64,
    /// Share of triplets that plain Hamming distance satisfies.
    pub satisfied: f64,
    pub seconds: f64,
}

impl Learned {
    /// Number of bits in which the majorities of two categories differ.
    pub fn apart(&self, labels: &Labels, a: u32, b: u32) -> usize {
        let majority = |class: u32, bit_ix: usize| {
            let rows: Vec<usize> = (0..labels.len()).filter(|&row| labels.class_of()[row] == class).collect();
            2 * rows.iter().filter(|&&row| self.codes.get(row, bit_ix)).count() > rows.len()
        };
        (0..self.codes.n_bits()).filter(|&bit_ix| majority(a, bit_ix) != majority(b, bit_ix)).count()
    }

    /// That number for the two categories that differ least.
    pub fn least_apart(&self, labels: &Labels) -> usize {
        let n = labels.names().len() as u32;
        let pairs = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| self.apart(labels, a, b)).min().unwrap_or(0)
    }
}
