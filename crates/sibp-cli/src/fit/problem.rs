//! Reads and checks all that a fit needs, before any work is done.

use super::given;
use super::parse::DecayArg;
use crate::commands::fit::{Args, DistanceArg, LinkingArgs, ModelArg};
use crate::failure::usage;
use crate::input::{read_triplets_of, select, triplets_from_labels};
use crate::model::kind_name;
use crate::output;
use anyhow::bail;
use sibp::bits::BitMatrix;
use sibp::data::{Features, InputTransform, Labels, Table, Transform};
use sibp::format::{Digests, GivenBits, ModelInfo, TripletOrigin};
use sibp::kernel::Schedule;
use sibp::model::{AnyModel, DdIbpModel, GaussianModel, Observations, Positions, PreferencePrior, ProbitModel};
use sibp::prior::proximity::{Decay, DecayKind, Distance, Places};
use sibp::run::RunSettings;
use sibp::triplets::{Triplet, TripletSet, check};
use std::path::Path;

/// A model, the data it is to explain, and the words that describe both in the model file.
#[derive(Debug)]
pub struct Problem {
    /// Transformed inputs and triplets.
    pub observations: Observations,
    /// Model and settings.
    pub info: ModelInfo,
}

impl Problem {
    /// Reads everything the options name.
    pub fn read(args: &Args, features: &Path) -> anyhow::Result<Self> {
        check_options(args)?;
        let mut args = args.clone();
        let schedule = args.schedule()?;
        let mut table = args.table.read(features)?;
        let mut given = given::read(&args, table.features.n_objects())?;
        if let Some(split) = args.split.read(table.features.n_objects())? {
            table = select(&table, &split.train)?;
            given = given.map(|given| GivenBits { codes: given.codes.select(&split.train), ..given });
        }
        given::warn_of_constants(given.as_ref());
        if args.tune {
            super::tune::choose(&mut args, &table)?;
        }
        let args = &args;
        let steps: InputTransform = args.transform().parse().map_err(|e| usage(format!("--transform: {e}")))?;
        let (triplets, origin) = triplets(args, &table)?;
        let triplets = TripletSet::new(table.features.n_objects(), triplets)?;
        warn_of_oddities(&triplets);
        let (transform, transformed) =
            Transform::fit_apply(&steps, &table.features).map_err(|error| error.in_file(features))?;
        let sampling = &args.sampling;
        let classes = table.labels.as_ref().map(Labels::class_of);
        let model = model(args, &transformed, classes, schedule)?;
        let settings = RunSettings {
            seed: sampling.seed,
            sweeps: sampling.sweeps,
            chains: sampling.chains,
            draws: sampling.draws,
        };
        model.check().map_err(|error| usage(error.to_string()))?;
        settings.check().map_err(|error| usage(error.to_string()))?;
        Ok(Self::new(table, transformed, transform, triplets, origin, model, settings).with_given(given))
    }

    /// Joins data that were read with a model.
    pub fn new(
        table: Table,
        transformed: Features,
        transform: Transform,
        triplets: TripletSet,
        origin: TripletOrigin,
        model: AnyModel,
        settings: RunSettings,
    ) -> Self {
        let digests = Digests::new(&table.features, table.labels.as_ref(), table.ids.as_ref(), &triplets);
        let mut observations = Observations::new(transformed, triplets);
        let mut inputs = None;
        if let AnyModel::DdIbp(model) = &model {
            match (model.distance, &table.labels) {
                (Distance::Output, Some(labels)) => {
                    observations.positions = Positions::Classes(labels.class_of().to_vec());
                }
                _ => inputs = Some(observations.features.clone()),
            }
        }
        let info = ModelInfo {
            model,
            settings,
            transform,
            n_objects: table.features.n_objects(),
            input_names: table.input_names,
            triplets: origin,
            digests,
            labels: table.labels,
            ids: table.ids,
            given: None,
            inputs,
        };
        Self { observations, info }
    }
}

impl Problem {
    /// The same with bits that the objects have already.
    fn with_given(mut self, given: Option<GivenBits>) -> Self {
        if let Some(given) = &given {
            self.observations.given = BitMatrix::from_codes(&given.codes);
        }
        self.info.digests = self.info.digests.with_given(given.as_ref().map(|given| &given.codes));
        self.info.given = given;
        self
    }
}

/// The preset with what the user changed.
fn model(args: &Args, inputs: &Features, classes: Option<&[u32]>, schedule: Schedule) -> anyhow::Result<AnyModel> {
    let preset = args.preset.into();
    let start = args.sampling.start;
    Ok(match args.model {
        ModelArg::Probit => AnyModel::Probit(probit_model(args, schedule)),
        ModelArg::Gaussian | ModelArg::Ibp => {
            let supervised = args.model == ModelArg::Gaussian;
            let mut model = GaussianModel { schedule, ..GaussianModel::preset(preset, inputs, supervised) };
            model.start = start.unwrap_or(model.start);
            model.preference = preference(args, model.preference);
            if supervised { AnyModel::Gaussian(model) } else { AnyModel::Ibp(model) }
        }
        ModelArg::Ddibp => {
            let mut model = DdIbpModel { schedule, ..linked_model(&args.linking, inputs, classes)? };
            model.start = start.unwrap_or(model.start);
            AnyModel::DdIbp(model)
        }
    })
}

/// The dd-IBP with the user's distances, or those that suit the data.
fn linked_model(args: &LinkingArgs, inputs: &Features, classes: Option<&[u32]>) -> anyhow::Result<DdIbpModel> {
    let (distance, places) = match (args.distance.unwrap_or(DistanceArg::Input), classes) {
        (DistanceArg::Input, _) => (Distance::Input, Places::Inputs(inputs)),
        (DistanceArg::Output, Some(classes)) => (Distance::Output, Places::Classes(classes)),
        (DistanceArg::Output, None) => {
            return Err(usage("--distance output is between classes: give --labels or --label-column"));
        }
    };
    let decay = match args.decay.unwrap_or(DecayArg::Suited(DecayKind::Exponential)) {
        DecayArg::Given(decay) => decay,
        DecayArg::Suited(kind) => Decay::suited(kind, &places),
    };
    Ok(DdIbpModel::preset(inputs, distance, decay))
}

/// The probit model with what the user changed.
pub fn probit_model(args: &Args, schedule: Schedule) -> ProbitModel {
    let mut model = ProbitModel { schedule, ..ProbitModel::preset(args.preset.into()) };
    model.start = args.sampling.start.unwrap_or(model.start);
    model.preference = preference(args, model.preference);
    model
}

fn preference(args: &Args, preset: PreferencePrior) -> PreferencePrior {
    PreferencePrior {
        pseudo_weight: args.sampling.pseudo_weight.unwrap_or(preset.pseudo_weight),
        lapse: args.sampling.lapse.unwrap_or(preset.lapse),
        weights: args.sampling.weights.unwrap_or(preset.weights),
    }
}

/// Options that exclude or need each other in ways that the parser cannot say.
fn check_options(args: &Args) -> anyhow::Result<()> {
    let has_labels = args.table.has_labels();
    let supervised = args.model.supervised();
    let name = kind_name(args.model.into());
    if args.model != ModelArg::Ddibp && (args.linking.distance.is_some() || args.linking.decay.is_some()) {
        return Err(usage("--distance and --decay are for the model ddibp"));
    }
    if supervised && !has_labels && args.triplets.is_none() {
        return Err(usage(format!(
            "the model {name} learns from triplets: give --labels, --label-column or --triplets (or --model ibp, which \
             needs neither)",
        )));
    }
    if !supervised && args.triplets.is_some() {
        let why = format!("the model {name} does not look at triplets; leave --triplets out or choose --model probit");
        return Err(usage(why));
    }
    if args.given_bits.is_some() && !supervised {
        let why = format!("--given-bits help to explain triplets, which the model {name} does not look at");
        return Err(usage(why));
    }
    if args.given_bits.is_some() && args.tune {
        return Err(usage("--tune does not know given bits yet; tune without them and give what it chose"));
    }
    let from_labels = supervised && args.triplets.is_none();
    if let Some(option) = args.from_labels.first_set().filter(|_| !from_labels) {
        let why = if supervised { "--triplets gives them".to_owned() } else { format!("{name} looks at none") };
        return Err(usage(format!("{option} says how to make triplets from labels, but {why}")));
    }
    Ok(())
}

fn triplets(args: &Args, table: &Table) -> anyhow::Result<(Vec<Triplet>, TripletOrigin)> {
    match (&args.triplets, &table.labels) {
        _ if !args.model.supervised() => Ok((Vec::new(), TripletOrigin::None)),
        (Some(path), _) => {
            let triplets = read_triplets_of(path, table)?;
            if triplets.is_empty() {
                bail!("{}: there are no triplets; the model learns from them", path.display());
            }
            let origin = TripletOrigin::Given { n_triplets: triplets.len() };
            Ok((triplets, origin))
        }
        (None, Some(labels)) => {
            let options = args.from_labels.options(args.sampling.seed);
            let built = triplets_from_labels(&options, labels, &table.features)?;
            let n_triplets = built.triplets.len();
            Ok((built.triplets, TripletOrigin::Labels { n_triplets, options }))
        }
        (None, None) => Err(usage("give --labels, --label-column or --triplets")),
    }
}

fn warn_of_oddities(triplets: &TripletSet) {
    let report = check(triplets);
    if report.n_duplicates > 0 {
        let n = output::grouped(report.n_duplicates);
        output::warn(format!("triplets that repeat an earlier one: {n}; they count again"));
    }
    if report.n_contradicted_questions > 0 {
        let n = output::grouped(report.n_contradicted_questions);
        output::warn(format!("questions answered both ways: {n}; the lapse rate absorbs what it can"));
    }
}
