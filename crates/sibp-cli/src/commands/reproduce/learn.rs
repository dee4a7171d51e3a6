//! Fits the models of the synthetic experiments and measures their codes.

use super::FigureArgs;
use crate::fit::interrupt;
use crate::fit::progress::Bars;
use anyhow::bail;
use sibp::bits::BitMatrix;
use sibp::codes::Codes;
use sibp::data::{Labels, Synthetic, Transform, mixture};
use sibp::eval::{hamming_agreement, mean};
use sibp::model::{AnyModel, DdIbpModel, GaussianModel, Observations, Positions, PreferencePrior, Preset, ProbitModel};
use sibp::posterior::{CodeChoice, Posterior};
use sibp::prior::hyper::GammaPrior;
use sibp::prior::proximity::{Decay, DecayKind, Distance, Places};
use sibp::run::{RunControl, RunEnd, RunSettings, fit};
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

    fn transform(self) -> &'static str {
        if self == Self::SuperProbit { "standardise,scale" } else { "centre" }
    }

    fn supervised(self) -> bool {
        matches!(self, Self::SuperGaussian | Self::SuperProbit)
    }

    /// The paper's likelihood with unit weights: with free ones a few bits would carry all weight, and the rest be about
    /// the inputs only.
    fn model(self, data: &Observations) -> AnyModel {
        let unit = |prior: PreferencePrior| PreferencePrior { weights: GammaPrior::Fixed(1.0), ..prior };
        let linked = |distance: Distance, places: Places| {
            let decay = Decay::suited(DecayKind::Exponential, &places);
            AnyModel::DdIbp(DdIbpModel::preset(&data.features, distance, decay))
        };
        match (self, &data.positions) {
            (Self::SuperProbit, _) => {
                let model = ProbitModel::preset(Preset::Paper);
                AnyModel::Probit(ProbitModel { preference: unit(model.preference), ..model })
            }
            (Self::SuperGaussian, _) => {
                let model = GaussianModel::preset(Preset::Paper, &data.features, true);
                AnyModel::Gaussian(GaussianModel { preference: unit(model.preference), ..model })
            }
            (Self::OutputDdIbp, Positions::Classes(classes)) => linked(Distance::Output, Places::Classes(classes)),
            (Self::InputDdIbp | Self::OutputDdIbp, _) => linked(Distance::Input, Places::Inputs(&data.features)),
            (Self::Ibp, _) => AnyModel::Ibp(GaussianModel::preset(Preset::Paper, &data.features, false)),
        }
    }
}

/// The points and triplets of an experiment.
pub struct Experiment {
    pub points: Synthetic,
    pub triplets: TripletSet,
    /// Bits that are given; of no width in Figure 2.
    pub given: Codes,
}

impl Experiment {
    pub fn new(args: &FigureArgs, given: impl FnOnce(&Labels) -> Codes) -> anyhow::Result<Self> {
        let points = mixture(args.seed)?;
        let options = FromLabels {
            scheme: Scheme::Product,
            per_object: args.per_object,
            seed: args.seed,
            ..FromLabels::default()
        };
        let built = options.build(&points.labels, &points.features)?;
        let triplets = TripletSet::new(points.features.n_objects(), built.triplets)?;
        let given = given(&points.labels);
        Ok(Self { points, triplets, given })
    }

    /// Fits one model and measures the codes of its best draw.
    pub fn learn(&self, system: System, args: &FigureArgs) -> anyhow::Result<Learned> {
        let (_, features) = Transform::fit_apply(&system.transform().parse()?, &self.points.features)?;
        let triplets =
            if system.supervised() { self.triplets.clone() } else { TripletSet::empty(features.n_objects()) };
        let mut data = Observations::new(features, triplets);
        data.positions = Positions::Classes(self.points.labels.class_of().to_vec());
        data.given = BitMatrix::from_codes(&self.given);
        let settings = RunSettings { chains: args.chains, ..RunSettings::new(args.seed, args.sweeps) };
        args.say(format!("{}: {} chains of {} sweeps", system.name(), args.chains, args.sweeps));
        let bars = Bars::new(args.chains, args.sweeps, system.supervised(), args.quiet);
        let control = RunControl {
            threads: args.threads,
            stop: interrupt::listen()?,
            on_progress: &|progress| bars.show(progress),
            ..RunControl::default()
        };
        let began = Instant::now();
        let outcome = fit(&system.model(&data), &data, &settings, &control, None);
        bars.finish();
        let outcome = outcome?;
        if outcome.end != RunEnd::Finished {
            bail!("stopped; nothing was written");
        }
        let learned = &Posterior::new(&outcome.chains).chosen(CodeChoice::Map).0.bits;
        let codes = Codes::side_by_side(&[&self.given, learned]);
        self.measure(system, codes, began.elapsed().as_secs_f64())
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

/// What a model learned.
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
