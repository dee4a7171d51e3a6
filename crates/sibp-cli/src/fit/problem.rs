//! Reads and checks all that a fit needs, before any work is done.

use super::{given, schedule, tune};
use crate::commands::fit::{Args, DistanceArg, PresetArg};
use crate::failure::usage;
use crate::input::MissingArg;
use crate::input::{among, note_of_answers, read_judgements_of, select, warn_of_columns, warn_of_small_classes};
use crate::output;
use crate::progress::Waiting;
use crate::writing::is_same;
use anyhow::bail;
use sibp::data::{Inputs, Table};
use sibp::format::{Fitted, GivenBits, load_for_resume};
use sibp::model::{DecayChoice, DecayKind, Distance, ModelKind, ModelOptions, Preset, Schedule, SettingsError};
use sibp::pipeline::{Effort, Fit, FitError, Lesson, Prepared, Sizes, Teaching};
use sibp::run::DEFAULT_DRAWS;
use sibp::transform::InputTransform;
use sibp::triplets::{FromLabels, Judgements, TripletSet, check, collect_judgements};
use std::path::Path;

/// The settings of a fit beside its data; tuning replaces those that the user left open.
pub struct Choices {
    pub options: ModelOptions,
    /// `None` leaves it to the fit.
    pub transform: Option<InputTransform>,
    pub from_labels: FromLabels,
}

/// Reads everything the options name.
pub fn read(args: &Args, inputs: &Path, out: &Path) -> anyhow::Result<Prepared> {
    check_options(args)?;
    let mut choices = Choices::of(args)?;
    if args.running.resume && choices.options.schedule.is_none() {
        choices.options.schedule = unthinned_schedule(out, args.model.0);
    }
    let telling = args.running.telling();
    let earlier = earlier(args, out)?;
    let likely = choices.likely_transform()?;
    let work = Effort::from(args.sampling.effort).work(lesson(args));
    let storage =
        args.memory.choose(inputs, &args.missing.options(&args.table), out, telling, |rows, n_objects| Sizes {
            chains: args.sampling.chain.map_or(args.sampling.chains.unwrap_or(work.chains), |_| 1),
            draws: args.sampling.draws.unwrap_or(DEFAULT_DRAWS),
            ..Sizes::new(args.model.0, &likely, (n_objects, rows.n_inputs(), rows.number_bytes()))
        })?;
    let learned = args.missing.read(&args.table, inputs, storage, args.running.quiet)?;
    let mut given = given::read(args, &learned.table)?;
    let mut judgements = args.triplets.as_ref().map(|path| read_judgements_of(path, &learned.table)).transpose()?;
    let split = args.split.read(learned.table.inputs.n_objects())?;
    let rows = learned.rows(split.map(|split| split.train))?;
    let mut table = learned.table;
    if let Some(rows) = &rows {
        table = select(&table, rows)?;
        given = given.map(|given| GivenBits { codes: given.codes.select(rows), ..given });
        if let (Some(path), Some(all)) = (&args.triplets, &judgements) {
            judgements = Some(among(all, rows, path)?);
        }
    }
    warn_of_columns(inputs, &table);
    if let Some(given) = &given {
        given::warn_of_constants(&given.source, &given.codes);
    }
    if args.tune {
        tune::choose(args, &mut choices, &table, judgements.as_ref(), given.as_ref())?;
    }
    let teaching = match (&args.triplets, judgements) {
        (Some(path), Some(judgements)) => taught(args, path, judgements)?,
        _ => Teaching::Labels(choices.from_labels),
    };
    let chosen_by_hand = args.from_labels.per_object.is_some() || args.tune;
    let fit = Fit::new(table, teaching).model(choices.options).transform(choices.transform).given(given);
    let fit = if chosen_by_hand { fit.leaves_triplets(false) } else { fit };
    let prepared = prepare(args, continuing(fit, earlier.as_ref()), inputs)?;
    if let Some(report) = &prepared.labels_report {
        warn_of_small_classes(report, args.from_labels.per_object);
    }
    Ok(prepared)
}

/// Reads triplets about objects of which nothing else is known; their ids are those that the triplets name.
pub fn read_bare(args: &Args, triplets: &Path, out: &Path) -> anyhow::Result<Prepared> {
    check_options(args)?;
    for (is_set, option) in [
        (args.given_bits.is_some(), "--given-bits"),
        (args.unsupervised_bits.is_some_and(|n_bits| n_bits > 0), "--unsupervised-bits"),
        (matches!(args.preset, Some(PresetArg::Open)), "--preset open"),
        (args.transform.is_some(), "--transform"),
        (args.tune, "--tune"),
        (args.table.has_labels(), "--labels"),
    ] {
        if is_set {
            return Err(usage(format!("{option} needs the inputs of the objects, or the rows they stand in")));
        }
    }
    let choices = Choices::of(args)?;
    let earlier = earlier(args, out)?;
    let (judgements, ids) = collect_judgements(triplets)?;
    let table = Table { ids: Some(ids.clone()), ..Table::from(Inputs::none(ids.len())) };
    let fit = Fit::new(table, taught(args, triplets, judgements)?).model(choices.options);
    prepare(args, continuing(fit, earlier.as_ref()), triplets)
}

/// Checks the fit, and says what is odd about it; `source` is the file of its objects.
fn prepare(args: &Args, fit: Fit, source: &Path) -> anyhow::Result<Prepared> {
    let sampling = &args.sampling;
    let fit = fit.calibrates(!sampling.no_rehearsal).max_bits(sampling.max_bits);
    let fit = fit.unsupervised_bits(args.unsupervised_bits).only_chain(sampling.chain.map(|(chain, _)| chain));
    let fit = fit.seed(sampling.seed).effort(sampling.effort.into()).draws(sampling.draws);
    let fit = if let Some(sweeps) = sampling.sweeps { fit.sweeps(sweeps) } else { fit };
    let chains = sampling.chain.map(|(_, of)| of).or(sampling.chains);
    let fit = if let Some(chains) = chains { fit.chains(chains) } else { fit };
    let fit = fit.until_flat(args.running.time_limit.is_none());
    let fit = match args.sampling.distil {
        Some(n_bits) => fit.distils((n_bits > 0).then_some(n_bits)),
        None => fit,
    };
    let waiting = Waiting::begin("preparing inputs and triplets", args.running.quiet);
    let prepared = fit.prepare(args.memory.free());
    drop(waiting);
    let prepared = prepared.map_err(|error| explain(error, source))?;
    args.memory.tell(&prepared.sizes, args.running.telling());
    warn_of_oddities(&prepared.observations.triplets);
    Ok(prepared)
}

/// Rewords a fit error by the names of the command-line options.
fn explain(error: FitError, inputs: &Path) -> anyhow::Error {
    match error {
        FitError::Data(error) => error.in_file(inputs).into(),
        FitError::Memory(shortage) => crate::input::memory::explain(&shortage),
        FitError::Model(SettingsError::NoClasses) => {
            usage("--distance output is between classes: give --labels or --label-column")
        }
        FitError::Model(_) | FitError::Settings(_) => usage(error.to_string()),
        error => error.into(),
    }
}

/// The model's plain schedule, if that is what the run to be resumed began with: earlier versions did so however many
/// objects there were, and a run goes on as it began.
fn unthinned_schedule(out: &Path, kind: ModelKind) -> Option<Schedule> {
    let file = load_for_resume(out).ok()?;
    let (model, plain) = (&file.info.model, kind.about().schedule());
    (model.kind() == kind && *model.schedule() == plain).then_some(plain)
}

/// The fit of `--continue`.
fn earlier(args: &Args, out: &Path) -> anyhow::Result<Option<Fitted>> {
    let Some(path) = &args.sampling.continues else { return Ok(None) };
    if is_same(path, out) {
        return Err(usage("--continue and -o name the same file; an interrupted run could not be resumed"));
    }
    Ok(Some(Fitted::load(path)?))
}

fn continuing(fit: Fit, earlier: Option<&Fitted>) -> Fit {
    match earlier {
        Some(earlier) => fit.continues(earlier),
        None => fit,
    }
}

/// What the work that suits the fit depends on, before anything is read.
fn lesson(args: &Args) -> Lesson {
    if args.triplets.is_some() { Lesson::Judgements } else { Lesson::Classes }
}

impl Choices {
    /// Collects the user's settings. A schedule that cannot be parsed is reported before any file is read.
    fn of(args: &Args) -> anyhow::Result<Self> {
        let sampling = &args.sampling;
        let options = ModelOptions {
            kind: args.model.0,
            preset: args.preset.map(Preset::from),
            link: sampling.link,
            schedule: sampling.schedule.as_deref().map(schedule::read).transpose()?,
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
        };
        let transform = args.transform.as_deref().map(str::parse).transpose();
        let transform = transform.map_err(|e| usage(format!("--transform: {e}")))?;
        Ok(Self { options, transform, from_labels: args.from_labels.options(sampling.seed) })
    }
}

impl Choices {
    /// The user's transform, or the model's default, which the judgements may replace.
    pub fn likely_transform(&self) -> anyhow::Result<InputTransform> {
        match &self.transform {
            Some(transform) => Ok(transform.clone()),
            None => Ok(self.options.kind.about().transform.parse()?),
        }
    }
}

/// Checks options that exclude or require each other in ways the parser cannot express.
fn check_options(args: &Args) -> anyhow::Result<()> {
    let has_labels = args.table.has_labels();
    let about = args.model.0.about();
    let (name, supervised) = (about.name, about.supervised);
    if !about.distances && (args.linking.distance.is_some() || args.linking.decay.is_some()) {
        let linked: Vec<&str> = names(|kind| kind.about().distances);
        return Err(usage(format!("--distance and --decay are for the model {}", linked.join(" or "))));
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
    let fills = matches!(args.missing.missing, Some(MissingArg::Mean | MissingArg::Median));
    if args.split.split.is_some() && fills {
        return Err(usage(
            "--missing mean and median do not go with --split, as they would be those of training and test rows together; \
             --missing drop does",
        ));
    }
    let from_labels = supervised && args.triplets.is_none();
    if let Some(option) = args.from_labels.first_set().filter(|_| !from_labels) {
        let why = if supervised { "--triplets gives them".to_owned() } else { format!("{name} looks at none") };
        return Err(usage(format!("{option} says how to make triplets from labels, but {why}")));
    }
    Ok(())
}

/// Names of the models for which a condition holds.
pub fn names(is_so: impl Fn(ModelKind) -> bool) -> Vec<&'static str> {
    ModelKind::ALL.iter().filter(|&&kind| is_so(kind)).map(|kind| kind.name()).collect()
}

fn taught(args: &Args, path: &Path, judgements: Judgements) -> anyhow::Result<Teaching> {
    if judgements.triplets.is_empty() {
        bail!("{}: there are no triplets; the model learns from them", path.display());
    }
    if !args.running.quiet {
        note_of_answers(path, &judgements.report);
    }
    Ok(Teaching::Triplets(judgements))
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
