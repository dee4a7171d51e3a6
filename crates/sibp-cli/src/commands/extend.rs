//! Extends codes by bits that new objects need, and leaves every old bit as it is (`sibp extend`).

use crate::commands::fit::PresetArg;
use crate::failure::usage;
use crate::fit::given;
use crate::input::{Columns, FromLabelsArgs, TableArgs, read_judgements_of};
use crate::model::{CodeArg, Model};
use crate::output::{self, count, percent};
use crate::stream::looks_like_hash;
use crate::writing::{ForceArgs, Kind, Writing};
use crate::{interrupt, parse, progress};
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::{AtomicFile, Labels, ReadOptions, Table, read_labels, read_table};
use sibp::extend::{ExtendSettings, Extension, GrowingCode, Recovered, recover};
use sibp::model::{GammaPrior, LapsePrior, ModelKind, ModelOptions};
use sibp::pipeline::DrawChoice;
use sibp::transform::InputTransform;
use sibp::triplets::{Teacher, Triplet};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp extend m.sibp new.npy --labels new_labels.npy --remember X.npy -o codes.sibh
  sibp extend codes.sibh newer.npy --labels newer_labels.npy -o codes.sibh
  sibp extend --given-bits old_codes.npy X.npy --labels y.npy -o codes.sibh
  sibp encode codes.sibh X.npy -o codes.npy

Old codes are the beginning of new ones, byte for byte up to the last byte's unused bits.
Each chain leaves out a fifth of the new objects. Nothing is added unless the chains' bits raise
agreement with triplets about these (paired test at 80 %); then each bit without which agreement is
at least as high is dropped. Old bits get new weights: search with --weighted codes.sibh.";

/// `sibp extend [OLD] INPUTS [--labels FILE | --triplets FILE] -o CODES`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// What to extend, a model (.sibp) or codes that were extended before (.sibh), then the inputs of the new objects.
    /// With --given-bits the inputs are enough
    #[arg(num_args = 1..=2, required = true, value_names = ["OLD", "INPUTS"])]
    paths: Vec<PathBuf>,
    /// Where to write the longer codes (.sibh); may be OLD itself
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Triplets about the new objects: columns anchor, near, far (rows of the inputs, or ids)
    #[arg(long, value_name = "FILE")]
    triplets: Option<PathBuf>,
    /// Old bits of the new objects (.npy): extended if there is no OLD, otherwise used instead of predictions
    #[arg(long, value_name = "FILE")]
    given_bits: Option<PathBuf>,
    /// Number of given bits, when their file holds packed bytes instead of 0/1 columns
    #[arg(long, value_name = "BITS", requires = "given_bits")]
    given_width: Option<usize>,
    /// Inputs of objects that OLD already serves, which new bits then take into account; their labels are those of
    /// the model
    #[arg(long, value_name = "FILE", conflicts_with = "triplets")]
    remember: Option<PathBuf>,
    /// Labels of the objects to remember, if the model does not hold them
    #[arg(long, value_name = "FILE", requires = "remember")]
    remember_labels: Option<PathBuf>,
    /// Largest number of objects that are remembered (in the file) for the next extension
    #[arg(long, value_name = "N", default_value_t = 1000)]
    memory: usize,
    /// Which draws of a model are its bits
    #[arg(long, value_enum, default_value = "suited", hide_default_value = true)]
    code: CodeArg,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    from_labels: FromLabelsArgs,
    #[command(flatten)]
    learning: LearningArgs,
    /// Print only warnings and errors to stderr
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// How further bits are learned.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Learning")]
struct LearningArgs {
    /// As for fit: unit weights (hash) or learned ones (paper)
    #[arg(long, value_enum, default_value = "hash")]
    preset: PresetArg,
    /// Transform of the inputs before further bits are learned, as for fit [default: that of the model, else
    /// standardise,scale]
    #[arg(long, value_name = "STEPS")]
    transform: Option<String>,
    /// Source of all random numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Sweeps of every chain
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
    /// Chains that propose bits
    #[arg(long, default_value_t = 5)]
    chains: usize,
    /// Pseudo-weight, as for fit
    #[arg(long, value_name = "NUMBER")]
    pseudo_weight: Option<f64>,
    /// Lapse rate, as for fit
    #[arg(long, value_parser = parse::lapse)]
    lapse: Option<LapsePrior>,
    /// Weights of the bits, as for fit
    #[arg(long, value_parser = parse::weights)]
    weights: Option<GammaPrior>,
    /// Weights of old bits, in the same form [default: all of them together weigh as much as ten new ones]
    #[arg(long, value_parser = parse::weights)]
    old_weights: Option<GammaPrior>,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// The codes to extend, and the data that come with them.
struct Old {
    code: GrowingCode,
    /// Old bits of the new objects, where they are given and need not be predicted.
    given: Option<Codes>,
    /// Labels of the objects that a model was fitted to.
    labels: Option<Labels>,
    /// The model's own input transform.
    transform: Option<InputTransform>,
}

/// Reads everything, learns, saves.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (inputs, old) = args.paths.split_last().ok_or_else(|| usage("give OLD and INPUTS"))?;
    let old = old.first().map(PathBuf::as_path);
    if !looks_like_hash(&args.out) {
        return Err(usage(format!("{}: codes that grow are written to .sibh", args.out.display())));
    }
    // Codes that grew before may be written over: they are the beginning of the longer ones.
    let taught = args.table.files().chain(&args.triplets).chain(&args.given_bits);
    let remembered = args.remember.iter().chain(&args.remember_labels);
    Writing::reading([inputs].into_iter().chain(taught).chain(remembered), args.force).check(&args.out, Kind::Hash)?;
    AtomicFile::create(&args.out)
        .map_err(|error| anyhow::anyhow!("{}: cannot write here: {error}", args.out.display()))?;
    if args.triplets.is_none() && !args.table.has_labels() {
        return Err(usage("new bits are learned from triplets: give --labels, --label-column or --triplets"));
    }
    let opened = old.map(|path| open_old(args, path)).transpose()?;
    let columns = opened.as_ref().map(|old| old.columns(args));
    let table = match &columns {
        Some(columns) => args.table.read_for(inputs, columns)?,
        None => args.table.read(inputs)?,
    };
    let judgements = args.triplets.as_ref().map(|path| read_judgements_of(path, &table)).transpose()?;
    let triplets = judgements.map(|judgements| judgements.triplets);
    let mut old = with_given(args, opened, &table)?;
    let mut settings = settings(args, old.transform.take())?;
    settings.stop = interrupt::listen()?;
    if let Some(path) = &args.remember {
        remember(args, path, columns.as_ref(), &mut old, &settings)?;
    }
    let n_old = old.code.stack.n_bits();
    let bar = progress::steps("chains", args.learning.chains, args.quiet);
    let on_chain = |_: usize| bar.inc(1);
    settings.on_chain = &on_chain;
    let learned =
        old.code.learn(&table.inputs, teacher(args, &table, triplets.as_deref())?, old.given.as_ref(), &settings);
    bar.finish_and_clear();
    let report = learned?;
    old.code.save(&args.out)?;
    say(args, &old.code, n_old, &report)
}

impl Old {
    /// The inputs that the old bits read.
    fn columns(&self, args: &Args) -> Columns {
        let stack = &self.code.stack;
        let columns = Columns::new(stack.input_names(), stack.n_inputs(), &args.paths[0]);
        columns.filled_by(stack.filling()).quiet(args.quiet)
    }
}

/// Opens a model, or codes that grew before.
fn open_old(args: &Args, path: &Path) -> anyhow::Result<Old> {
    if looks_like_hash(path) {
        return Ok(Old { code: GrowingCode::load(path)?, given: None, labels: None, transform: None });
    }
    let model = Model::load(path)?;
    let stack = model.file.to_stack(&path.display().to_string(), DrawChoice::from(args.code));
    let stack = stack.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    let transform = Some(model.file.info.transform.chosen().clone());
    Ok(Old { code: GrowingCode::new(stack), given: None, labels: model.file.info.labels, transform })
}

/// Joins what is extended with the bits that the new objects have already; without OLD, learns to predict these.
fn with_given(args: &Args, old: Option<Old>, table: &Table) -> anyhow::Result<Old> {
    let n_objects = table.inputs.n_objects();
    let known = args.given_bits.as_ref().map(|path| given::known(path, args.given_width, n_objects)).transpose()?;
    if let (Some(codes), Some(file)) = (&known, &args.given_bits) {
        given::warn_of_constants(&file.display().to_string(), codes);
    }
    match (old, known) {
        (None, None) => Err(usage("say what to extend: OLD before the inputs, or --given-bits")),
        (None, Some(codes)) => {
            let name = args.given_bits.as_ref().map_or(String::new(), |path| path.display().to_string());
            let steps = steps(args.learning.transform.as_deref(), None)?;
            let Recovered { mut code, cross_fitted, accuracy } =
                recover(&name, &table.inputs, &codes, &steps, args.learning.seed)?;
            code.stack = code.stack.named(table.input_names.clone())?;
            if !args.quiet {
                output::say(format!("{name}: {} of held-out bits are predicted from the inputs", percent(accuracy)));
            }
            Ok(Old { code, given: Some(cross_fitted), labels: None, transform: None })
        }
        (Some(old), given) => Ok(Old { given, ..old }),
    }
}

fn remember(
    args: &Args,
    path: &Path,
    columns: Option<&Columns>,
    old: &mut Old,
    settings: &ExtendSettings,
) -> anyhow::Result<()> {
    let inputs = match columns {
        Some(columns) => TableArgs::default().read_for(path, columns)?.inputs,
        None => read_table(path, &ReadOptions::default())?.inputs,
    };
    let labels = match &args.remember_labels {
        Some(file) => Some(read_labels(file, &ReadOptions::default())?),
        None => old.labels.take(),
    };
    let Some(labels) = labels else {
        return Err(usage("--remember: there are no labels of these objects; give them with --remember-labels"));
    };
    if labels.len() != inputs.n_objects() {
        anyhow::bail!(
            "--remember: {} has {} but there are {}",
            path.display(),
            count(inputs.n_objects(), "row"),
            count(labels.len(), "label")
        );
    }
    let options = args.from_labels.options(args.learning.seed);
    let remembered = old.code.remember(&inputs, Teacher::Labels(&labels, options), settings);
    remembered.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))
}

fn teacher<'a>(args: &Args, table: &'a Table, triplets: Option<&'a [Triplet]>) -> anyhow::Result<Teacher<'a>> {
    match (triplets, &table.labels) {
        (Some(triplets), _) => Ok(Teacher::Triplets(triplets)),
        (None, Some(labels)) => Ok(Teacher::Labels(labels, args.from_labels.options(args.learning.seed))),
        (None, None) => Err(usage("give --labels, --label-column or --triplets")),
    }
}

fn steps(text: Option<&str>, of_model: Option<InputTransform>) -> anyhow::Result<InputTransform> {
    match (text, of_model) {
        (None, Some(steps)) => Ok(steps),
        (text, _) => {
            let text = text.unwrap_or(ModelKind::default().about().transform);
            text.parse().map_err(|error| usage(format!("--transform: {error}")))
        }
    }
}

fn settings(args: &Args, of_model: Option<InputTransform>) -> anyhow::Result<ExtendSettings<'static>> {
    let learning = &args.learning;
    let options = ModelOptions {
        pseudo_weight: learning.pseudo_weight,
        lapse: learning.lapse,
        weights: learning.weights,
        preset: Some(learning.preset.into()),
        ..ModelOptions::default()
    };
    Ok(ExtendSettings {
        model: options,
        old_weights: learning.old_weights,
        transform: steps(learning.transform.as_deref(), of_model)?,
        seed: learning.seed,
        chains: learning.chains,
        sweeps: learning.sweeps,
        capacity: args.memory,
        threads: learning.threads,
        ..ExtendSettings::default()
    })
}

fn say(args: &Args, code: &GrowingCode, n_old: usize, report: &Extension) -> anyhow::Result<()> {
    if args.json {
        return output::print_json(&json!({
            "out": args.out.display().to_string(),
            "old_bits": n_old,
            "tried": report.n_tried,
            "added": report.n_added,
            "bits": code.stack.n_bits(),
            "agreement_before": report.before,
            "agreement_proposed": report.proposed,
            "agreement_after": report.after,
            "p": report.test.p,
            "judged": report.n_judged,
            "objects": report.n_objects,
            "remembered": code.memory.n_objects(),
            "seconds": report.seconds,
        }));
    }
    if args.quiet {
        return Ok(());
    }
    let out = args.out.display();
    let time = output::seconds(report.seconds);
    let objects = count(report.n_objects, "object");
    if report.n_added == 0 {
        output::say(format!(
            "{out}: nothing added to {}: {} tried bits do not raise agreement with held-out triplets above {} (p {:.3}); \
             {objects}, {time}",
            count(n_old, "bit"),
            report.n_tried,
            percent(report.before),
            report.test.p
        ));
    } else {
        output::say(format!(
            "{out}: {} behind {}, of {} tried; held-out triplets {} before, {} with all tried, {} with those kept (p {:.3}); \
             {objects}, {time}",
            count(report.n_added, "new bit"),
            count(n_old, "old bit"),
            report.n_tried,
            percent(report.before),
            percent(report.proposed),
            percent(report.after),
            report.test.p
        ));
    }
    Ok(())
}
