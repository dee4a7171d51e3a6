//! Reads and checks all that a fit needs, before any work is done.

use super::given;
use crate::commands::fit::{Args, DistanceArg, ModelArg};
use crate::failure::usage;
use crate::input::{read_triplets_of, select, triplets_from_labels};
use crate::model::kind_name;
use crate::output;
use anyhow::bail;
use sibp::budget::{Budget, Part, Sizes};
use sibp::data::{InputTransform, Storage, Table};
use sibp::fit::{DecayChoice, ModelOptions, Problem, ProblemError, TrainingData};
use sibp::format::{GivenBits, TripletOrigin};
use sibp::prior::proximity::{DecayKind, Distance};
use sibp::run::RunSettings;
use sibp::triplets::{Triplet, TripletSet, check};
use std::path::Path;

/// Reads everything the options name.
pub fn read(args: &Args, features: &Path, out: &Path) -> anyhow::Result<Problem> {
    check_options(args)?;
    let mut args = args.clone();
    // A schedule that cannot be read is found out before any file.
    args.schedule()?;
    let steps = transform(&args)?;
    let (options, telling) = (args.table.options(), args.running.telling());
    let storage = args.memory.choose(features, &options, out, telling, |rows, n_objects| {
        sizes(&args, &steps, (n_objects, rows.n_inputs(), rows.number_bytes()), 0)
    })?;
    let mut table = args.table.read_kept(features, storage)?;
    let mut given = given::read(&args, &table.features)?;
    if let Some(split) = args.split.read(table.features.n_objects())? {
        table = select(&table, &split.train)?;
        given = given.map(|given| GivenBits { codes: given.codes.select(&split.train), ..given });
    }
    if let Some(given) = &given {
        given::warn_of_constants(&given.source, &given.codes);
    }
    if args.tune {
        super::tune::choose(&mut args, &table, given.as_ref().map(|given| &given.codes))?;
    }
    let args = &args;
    let steps = transform(args)?;
    let (triplets, origin) = triplets(args, &steps, &table)?;
    let triplets = TripletSet::new(table.features.n_objects(), triplets)?;
    warn_of_oddities(&triplets);
    let sampling = &args.sampling;
    let settings =
        RunSettings { seed: sampling.seed, sweeps: sampling.sweeps, chains: sampling.chains, draws: sampling.draws };
    let data = TrainingData { table, triplets, origin, given };
    Problem::new(data, &steps, &model_options(args)?, settings).map_err(|error| match error {
        ProblemError::Data(error) => error.in_file(features).into(),
        ProblemError::NoClasses => usage("--distance output is between classes: give --labels or --label-column"),
        ProblemError::Model(_) | ProblemError::Run(_) => usage(error.to_string()),
    })
}

fn transform(args: &Args) -> anyhow::Result<InputTransform> {
    args.transform().parse().map_err(|e| usage(format!("--transform: {e}")))
}

/// What the memory of the fit depends on.
fn sizes(
    args: &Args,
    steps: &InputTransform,
    (n_objects, n_inputs, input_bytes): (usize, usize, usize),
    n_triplets: usize,
) -> Sizes {
    Sizes {
        model: args.model.into(),
        n_objects,
        n_inputs,
        input_bytes,
        n_transformed: steps.n_outputs(n_inputs),
        transformed_bytes: steps.number_bytes(input_bytes),
        n_steps: steps.steps.len(),
        on_disk: false,
        n_triplets,
        chains: args.sampling.chains,
        draws: args.sampling.draws,
    }
}

/// Refuses a fit with this many triplets if memory cannot hold it; the features are in it already.
fn check_memory(args: &Args, steps: &InputTransform, table: &Table, n_triplets: u128) -> anyhow::Result<()> {
    let features = &table.features;
    let shape = (features.n_objects(), features.n_inputs(), features.number_bytes());
    let sizes = Sizes {
        on_disk: matches!(features.storage(), Storage::Disk(_)),
        ..sizes(args, steps, shape, usize::try_from(n_triplets).unwrap_or(usize::MAX))
    };
    args.memory.check_fit(&sizes, Budget::new(&sizes).of(Part::Inputs), args.running.telling())
}

/// The preset with what the user changed.
pub fn model_options(args: &Args) -> anyhow::Result<ModelOptions> {
    let sampling = &args.sampling;
    Ok(ModelOptions {
        kind: args.model.into(),
        preset: args.preset.into(),
        schedule: Some(args.schedule()?),
        start: sampling.start,
        pseudo_weight: sampling.pseudo_weight,
        lapse: sampling.lapse,
        weights: sampling.weights,
        given_weights: sampling.given_weights,
        distance: match args.linking.distance {
            None | Some(DistanceArg::Input) => Distance::Input,
            Some(DistanceArg::Output) => Distance::Output,
        },
        decay: args.linking.decay.unwrap_or(DecayChoice::Suited(DecayKind::Exponential)),
    })
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
    let from_labels = supervised && args.triplets.is_none();
    if let Some(option) = args.from_labels.first_set().filter(|_| !from_labels) {
        let why = if supervised { "--triplets gives them".to_owned() } else { format!("{name} looks at none") };
        return Err(usage(format!("{option} says how to make triplets from labels, but {why}")));
    }
    Ok(())
}

fn triplets(args: &Args, steps: &InputTransform, table: &Table) -> anyhow::Result<(Vec<Triplet>, TripletOrigin)> {
    match (&args.triplets, &table.labels) {
        _ if !args.model.supervised() => {
            check_memory(args, steps, table, 0)?;
            Ok((Vec::new(), TripletOrigin::None))
        }
        (Some(path), _) => {
            let triplets = read_triplets_of(path, table)?;
            check_memory(args, steps, table, triplets.len() as u128)?;
            if triplets.is_empty() {
                bail!("{}: there are no triplets; the model learns from them", path.display());
            }
            let origin = TripletOrigin::Given { n_triplets: triplets.len() };
            Ok((triplets, origin))
        }
        (None, Some(labels)) => {
            let options = args.from_labels.options(args.sampling.seed);
            check_memory(args, steps, table, options.n_triplets(labels))?;
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
