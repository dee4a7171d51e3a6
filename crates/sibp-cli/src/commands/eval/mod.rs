//! Measures codes: k-NN accuracy, precision, mean average precision, triplet agreement; and agreement of a model with
//! judgements (`sibp eval`).

mod judge;
mod plot;
mod refit;
mod wrong;

use crate::failure::usage;
use crate::input::{Reading, SplitArgs, TableArgs, holds_codes, read_database, read_two, select};
use crate::measure::{CodeTrial, Measures};
use crate::model::{EncodeArgs, Model};
use crate::output::{self, Table, percent};
use crate::stream::{Asked, FileCoder};
use crate::writing::{ForceArgs, Kind, Writing};
use anyhow::bail;
use serde_json::{Map, Value, json};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels, ReadOptions, read_labels};
use sibp::eval::{Agreement, Placed, hamming_agreement, nearest_kept};
use sibp::judging::JudgingError;
use sibp::transform::Transform;
use sibp::triplets::{FromLabels, TripletSet, read_triplets};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp eval m.sibp X_test.npy --labels y_test.npy    (unseen objects against the training codes)
  sibp eval m.sibp X_test.npy --labels y_test.npy --code concatenate --expected
  sibp eval m.sibp test.csv --id-column name --label-column class --wrong wrong.csv
  sibp eval m.sibp X.npy --triplets test.csv         (agreement with judgements; no labels needed)
  sibp eval m.sibp --triplets test.csv               (about the training objects alone)
  sibp eval m.sibp X.npy --triplets all.csv --folds 5
  sibp eval m.sibp X.npy --triplets all.csv --curve --more 500 --plot curve.svg
  sibp eval codes.sibx --labels y.npy                (each code against all others)
  sibp eval codes.sibx queries.sibx --database-labels y.npy --labels y_queries.npy

Triplet agreement is the share of triplets about the tried objects with near nearer than far,
by Hamming distance; ties count against. Without --triplets they are made from the labels
(paired, 30 per object).

The line nearest kept says whether codes also tell apart objects of one class: which of the 10 nearest
tried objects of an object's class, by Euclidean distance, are among the 10 nearest by codes.

With triplets and without labels, the model's probabilities are measured on these judgements,
beside its codes and plain distances between the inputs; ties count half. Training objects, which
are recognised by their inputs or ids, have the bits that were learned for them. Give judgements
that the model was not fitted to. The interval allows for anchors that differ in difficulty.

--folds K fits K times without a part of the judgements, and K times without a part of the objects
and all judgements about them, each time with the settings of the model. --curve fits to growing
parts of the judgements and estimates what more of them would bring.";

/// `sibp eval MODEL INPUTS --labels FILE`, `sibp eval MODEL INPUTS --triplets FILE` or `sibp eval CODES [QUERIES] --labels FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// A model, or codes to search in (.sibx or .npy)
    source: PathBuf,
    /// Inputs of the objects to try (with a model), or their codes; without them, codes are tried against each other
    queries: Option<PathBuf>,
    /// Labels of the codes that are searched, if queries are given separately; a model has its own
    #[arg(long, value_name = "FILE")]
    database_labels: Option<PathBuf>,
    /// Numbers of neighbours, separated by commas
    #[arg(short, long, value_delimiter = ',', default_value = "1,5,15,30")]
    k: Vec<usize>,
    /// Triplets about the tried objects; by default they are made from the labels. Without labels, a model is measured
    /// on them alone
    #[arg(long, value_name = "FILE")]
    triplets: Option<PathBuf>,
    /// Bits per code, for packed codes in .npy
    #[arg(long, value_name = "N", value_parser = crate::commands::search::at_least_one)]
    bits: Option<usize>,
    /// Also compare codes of other models, and codes that do not record what made them
    #[arg(long)]
    any_encoder: bool,
    /// With a model: list the objects whose label is not found by 15 neighbours (.csv), by id or row
    #[arg(long, value_name = "FILE", conflicts_with = "triplets")]
    wrong: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Compare the probabilities of an object's bits instead of the bits, by the model's weights (probit models only)
    #[arg(long)]
    expected: bool,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    judging: JudgingArgs,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    split: SplitArgs,
    #[command(flatten)]
    encode: EncodeArgs,
    #[command(flatten)]
    force: ForceArgs,
}

/// Fits again to parts of the judgements.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Judgements")]
struct JudgingArgs {
    /// Cross-validate: hold out each of K parts of the judgements, then of the objects
    #[arg(long, value_name = "K", requires = "triplets")]
    folds: Option<usize>,
    /// Fit to growing parts of the judgements, and estimate what more of them would bring
    #[arg(long, requires = "triplets")]
    curve: bool,
    /// Number of further judgements whose gain --curve estimates
    #[arg(long, value_name = "N", default_value_t = 500, requires = "curve")]
    more: usize,
    /// Draw the learning curve (.svg)
    #[arg(long, value_name = "FILE", requires = "curve", value_parser = svg_path)]
    plot: Option<PathBuf>,
}

/// A path that ends in `.svg`.
pub fn svg_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
        true => Ok(path),
        false => Err("plots are written as SVG; give a name that ends in .svg".to_owned()),
    }
}

/// Codes to search in and codes to try, with classes numbered alike.
struct Trial {
    database: Codes,
    database_classes: Vec<u32>,
    queries: Codes,
    /// Bit probabilities of the queries, used instead of their codes, and the weight of each bit.
    expected: Option<(Asked, Vec<f32>)>,
    classes: Vec<u32>,
    names: Vec<String>,
    /// Whether the queries are the database, so that each is left out of its own list.
    same: bool,
    triplets: Option<TripletSet>,
    /// Ids of the queries, where they have some.
    ids: Option<Vec<String>>,
    /// Inputs of the queries, where a model encodes them.
    inputs: Option<Inputs>,
}

/// The measured values.
struct Results {
    ks: Vec<usize>,
    measures: Measures,
    agreement: Option<Agreement>,
    /// For each of [`SCALES`], which share of the nearest of the class by inputs are so by codes, too.
    nearest_kept: [Option<f64>; SCALES.len()],
}

/// Neighbours of the class that are to be kept.
const NEAREST: usize = 10;
/// Objects among which they are looked for, at most.
const MOST_PLACED: usize = 20_000;
/// Scales on which inputs are near: their names, and their transforms.
const SCALES: [(&str, &str); 2] = [("plain", "none"), ("standardised", "standardise")];

/// Builds the trial, measures, prints.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.k.is_empty() || args.k.contains(&0) {
        return Err(usage("-k: every number of neighbours must be at least 1"));
    }
    if args.expected && holds_codes(&args.source) {
        return Err(usage("--expected goes with a model, which knows the probabilities of bits; codes hold bits only"));
    }
    let read = [&args.source].into_iter().chain(&args.queries).chain(&args.database_labels).chain(&args.triplets);
    let read = read.chain(args.table.files()).chain(&args.split.split).chain(&args.encode.given_bits);
    let mut writing = Writing::reading(read, args.force);
    writing.check_any(args.judging.plot.as_ref(), Kind::Picture)?;
    writing.check_any(args.wrong.as_ref(), Kind::Table(&wrong::COLUMNS))?;
    if args.wrong.is_some() && holds_codes(&args.source) {
        return Err(usage("--wrong goes with a model and the inputs of labelled objects"));
    }
    let refits = args.judging.folds.is_some() || args.judging.curve;
    if refits && holds_codes(&args.source) {
        return Err(usage("--folds and --curve go with a model, whose settings every fit has"));
    }
    let trial = match (holds_codes(&args.source), &args.queries) {
        (false, inputs) => {
            let model = Model::load(&args.source)?;
            let inputs = inputs.as_deref();
            if args.triplets.is_some() && (refits || !args.table.has_labels()) {
                check_preferences(&model)?;
            }
            match (&args.triplets, inputs) {
                (Some(triplets), _) if refits => return refit::run(args, &model, inputs, triplets),
                (Some(triplets), _) if !args.table.has_labels() || model.file.info.labels.is_none() => {
                    return judge::run(args, &model, inputs, triplets);
                }
                (_, Some(inputs)) => from_model(args, &model, inputs)?,
                (_, None) => return Err(usage("with a model, give the inputs of the objects to try")),
            }
        }
        (true, Some(queries)) => from_codes(args, queries)?,
        (true, None) => from_one(args)?,
    };
    let results = measure(&trial, args)?;
    if let Some(path) = &args.wrong {
        let n_wrong = wrong::write(&trial, path, args.threads)?;
        output::say(format!("{}: {} that 15 neighbours label wrong", path.display(), output::count(n_wrong, "object")));
    }
    if args.json { print_json(&trial, &results) } else { print(&trial, &results) }
}

/// Refuses a model that has never seen a triplet.
fn check_preferences(model: &Model) -> anyhow::Result<()> {
    if !model.has_triplets() {
        bail!(
            "{}: the model was fitted without triplets, so it knows no preferences; fit one with --labels or --triplets",
            model.path.display()
        );
    }
    Ok(())
}

/// Rewords an error of judging for the command line; `source` names the file of the objects.
fn explain(model: &Model, error: JudgingError, source: &Path) -> anyhow::Error {
    match error {
        JudgingError::Coding(error) => model.explain(error, source),
        JudgingError::FoldCount { .. } => usage(format!("--folds: {error}")),
        error => error.into(),
    }
}

fn from_model(args: &Args, model: &Model, path: &Path) -> anyhow::Result<Trial> {
    if args.database_labels.is_some() {
        return Err(usage("--database-labels goes with codes; a model brings the labels it was fitted with"));
    }
    if !args.table.has_labels() {
        return Err(usage(
            "give the labels of the tried objects with --labels or --label-column, or judgements with --triplets",
        ));
    }
    let Some(known) = &model.file.info.labels else {
        bail!(
            "{}: the model was fitted without labels; evaluate codes with their labels instead",
            model.path.display()
        );
    };
    let mut table = args.table.read_for(path, &model.columns())?;
    let mut coder = FileCoder::of_model(model, &args.encode, args.threads)?;
    coder.check_length(Some(table.inputs.n_objects()))?;
    if let Some(split) = args.split.read(table.inputs.n_objects())? {
        table = select(&table, &split.test)?;
        coder.select(&split.test);
    }
    let Some(labels) = &table.labels else { bail!("{}: there are no labels", path.display()) };
    let queries = coder.encode(&table.inputs, 0, path)?;
    let expected = match args.expected {
        true => Some((coder.expect(&table.inputs, 0, path)?, coder.weights())),
        false => None,
    };
    let triplets = match (&args.triplets, &table.ids) {
        (Some(path), Some(ids)) => Some(TripletSet::new(ids.len(), read_triplets(path, ids)?)?),
        (Some(path), None) => Some(given(path, queries.n_objects())?),
        (None, _) => made(labels),
    };
    let ids = table.ids.as_ref().map(|ids| ids.texts().to_vec());
    let trial = trial(coder.coder.database().clone(), known, queries, labels, triplets);
    Ok(Trial { expected, ids, inputs: Some(table.inputs), ..trial })
}

fn from_codes(args: &Args, queries: &Path) -> anyhow::Result<Trial> {
    let (Some(tried), Some(searched)) = (&args.table.labels, &args.database_labels) else {
        return Err(usage(
            "give the labels of the tried codes with --labels and of the searched ones with --database-labels",
        ));
    };
    let reading = Reading { n_bits: args.bits, any_width: false, any_encoder: args.any_encoder };
    let pair = read_two(&args.source, queries, reading)?;
    let labels = labels_for(tried, queries, &pair.queries)?;
    let database_labels = labels_for(searched, &args.source, &pair.database)?;
    let triplets = triplets_of_codes(args, &labels)?;
    Ok(trial(pair.database, &database_labels, pair.queries, &labels, triplets))
}

fn from_one(args: &Args) -> anyhow::Result<Trial> {
    let Some(path) = &args.table.labels else {
        return Err(usage(format!("{} holds codes only: give their labels with --labels", args.source.display())));
    };
    let (codes, _) = read_database(&args.source, args.bits)?;
    if codes.n_objects() < 2 {
        bail!("{}: one code has no others to be tried against", args.source.display());
    }
    let labels = labels_for(path, &args.source, &codes)?;
    let triplets = triplets_of_codes(args, &labels)?;
    Ok(Trial { same: true, ..trial(codes.clone(), &labels, codes, &labels, triplets) })
}

fn labels_for(path: &Path, source: &Path, codes: &Codes) -> anyhow::Result<Labels> {
    let labels = read_labels(path, &ReadOptions::default())?;
    if labels.len() != codes.n_objects() {
        bail!(
            "{} has {} labels but {} has {} codes; they must describe the same objects",
            path.display(),
            labels.len(),
            source.display(),
            codes.n_objects()
        );
    }
    Ok(labels)
}

fn triplets_of_codes(args: &Args, labels: &Labels) -> anyhow::Result<Option<TripletSet>> {
    match &args.triplets {
        Some(path) => Ok(Some(given(path, labels.len())?)),
        None => Ok(made(labels)),
    }
}

fn given(path: &Path, n_objects: usize) -> anyhow::Result<TripletSet> {
    Ok(TripletSet::new(n_objects, read_triplets(path, n_objects)?)?)
}

/// Builds triplets from the labels; `None` where the labels allow none.
fn made(labels: &Labels) -> Option<TripletSet> {
    let stand_in = sibp::data::Inputs::new(labels.len(), 1, vec![0.0; labels.len()]).ok()?;
    let built = FromLabels::default().build(labels, &stand_in).ok()?;
    TripletSet::new(labels.len(), built.triplets).ok()
}

/// Numbers the classes of both sides by the same names.
fn trial(database: Codes, known: &Labels, queries: Codes, tried: &Labels, triplets: Option<TripletSet>) -> Trial {
    let names: Vec<&str> = known.names().iter().chain(tried.names()).map(String::as_str).collect();
    let joined = Labels::from_text(&names);
    let renumber = |labels: &Labels, first: usize| -> Vec<u32> {
        labels.class_of().iter().map(|&class| joined.class_of()[first + class as usize]).collect()
    };
    let database_classes = renumber(known, 0);
    let classes = renumber(tried, known.names().len());
    let unknown = classes.iter().filter(|class| !database_classes.contains(class)).count();
    if unknown > 0 {
        let n = output::grouped(unknown);
        output::warn(format!("objects with a label that no searched code has: {n}; they count as wrong"));
    }
    let names = joined.names().to_vec();
    Trial {
        database,
        database_classes,
        queries,
        expected: None,
        classes,
        names,
        same: false,
        triplets,
        ids: None,
        inputs: None,
    }
}

/// Drops values of k that exceed the number of available neighbours, then measures.
fn measure(trial: &Trial, args: &Args) -> anyhow::Result<Results> {
    let codes = CodeTrial {
        database: &trial.database,
        database_classes: &trial.database_classes,
        queries: &trial.queries,
        expected: trial.expected.as_ref().map(|(asked, weights)| (asked, weights.as_slice())),
        classes: &trial.classes,
        same: trial.same,
    };
    let n_ranked = codes.n_ranked();
    let ks: Vec<usize> = args.k.iter().copied().filter(|&k| k <= n_ranked).collect();
    if ks.len() < args.k.len() {
        output::warn(format!("only {n_ranked} codes can be neighbours; larger numbers of neighbours are left out"));
    }
    let measures = codes.measure(&ks, args.threads)?;
    let agreement = trial.triplets.as_ref().map(|set| hamming_agreement(set, &trial.queries)).transpose()?;
    Ok(Results { ks, measures, agreement, nearest_kept: SCALES.map(|(_, steps)| kept(trial, steps)) })
}

/// Which share of the nearest tried objects of an object's class, by inputs after these steps, are so by codes, too. Of many
/// objects some are looked at, evenly spaced.
fn kept(trial: &Trial, steps: &str) -> Option<f64> {
    let inputs = trial.inputs.as_ref().filter(|inputs| inputs.n_inputs() > 0)?;
    let n = inputs.n_objects();
    let rows: Vec<usize> = (0..n).step_by(n.div_ceil(MOST_PLACED).max(1)).collect();
    let (_, inputs) = Transform::fit_apply(&steps.parse().ok()?, &inputs.select(&rows)).ok()?;
    let classes: Vec<u32> = rows.iter().map(|&row| trial.classes[row]).collect();
    let tried = Placed { inputs: &inputs, codes: &trial.queries.select(&rows), classes: &classes };
    nearest_kept(tried, tried, true, NEAREST)
}

fn print(trial: &Trial, results: &Results) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let against = if trial.same {
        "each against all others".to_owned()
    } else {
        format!("against {}", output::count(trial.database.n_objects(), "code"))
    };
    let n = output::count(trial.queries.n_objects(), "object");
    writeln!(out, "{n} of {} classes, {} bits, {against}", trial.names.len(), trial.database.n_bits())?;
    let mut table = Table::new(&[">k", ">k-NN accuracy", ">precision at k"]);
    for ((k, accuracy), precision) in results.ks.iter().zip(&results.measures.accuracy).zip(&results.measures.precision)
    {
        table.row([k.to_string(), percent(*accuracy), percent(*precision)]);
    }
    table.write(&mut out)?;
    writeln!(out, "mean average precision  {}", percent(results.measures.mean_average_precision))?;
    if let Some(agreement) = &results.agreement {
        let (share, tied) = (percent(agreement.share()), percent(agreement.tied_share()));
        writeln!(out, "triplet agreement       {share} of {} ({tied} tied)", output::grouped(agreement.n_triplets))?;
    }
    let shares = SCALES.iter().zip(results.nearest_kept);
    let shares: Vec<String> =
        shares.filter_map(|((scale, _), share)| Some(format!("{} by {scale} inputs", percent(share?)))).collect();
    if !shares.is_empty() {
        writeln!(out, "nearest kept            {} ({NEAREST} of the class)", shares.join(", "))?;
    }
    out.flush()?;
    Ok(())
}

fn print_json(trial: &Trial, results: &Results) -> anyhow::Result<()> {
    let by_k = |values: &[f64]| -> Map<String, Value> {
        results.ks.iter().zip(values).map(|(k, value)| (k.to_string(), json!(value))).collect()
    };
    let agreement = results
        .agreement
        .as_ref()
        .map(|a| json!({ "share": a.share(), "triplets": a.n_triplets, "satisfied": a.n_satisfied, "tied": a.n_tied }));
    let nearest_kept: Map<String, Value> = SCALES
        .iter()
        .zip(results.nearest_kept)
        .map(|((scale, _), share)| ((*scale).to_owned(), json!(share)))
        .collect();
    output::print_json(&json!({
        "objects": trial.queries.n_objects(),
        "codes": trial.database.n_objects(),
        "classes": trial.names.len(),
        "bits": trial.database.n_bits(),
        "knn_accuracy": by_k(&results.measures.accuracy),
        "precision_at": by_k(&results.measures.precision),
        "mean_average_precision": results.measures.mean_average_precision,
        "triplet_agreement": agreement,
        "nearest_kept": nearest_kept,
    }))
}
