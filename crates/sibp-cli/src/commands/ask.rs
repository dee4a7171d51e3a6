//! Chooses the questions to ask next (`sibp ask`).

use crate::failure::usage;
use crate::input::{TableArgs, read_judgements_of};
use crate::model::{EncodeArgs, Model};
use crate::output;
use crate::stream::FileCoder;
use crate::writing::{ForceArgs, TRIPLETS, Writing};
use anyhow::Context;
use serde_json::json;
use sibp::ask::{AskError, AskSettings, Kind, Question, suggest, suggest_cold};
use sibp::data::{AtomicFile, Ids, Inputs, Table};
use sibp::pipeline::Objects;
use sibp::triplets::Triplet;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp ask --cold X.npy -n 100 -o questions.csv
  sibp ask m.sibp X.npy -n 20 --answered triplets.csv -o questions.csv
  sibp ask m.sibp -n 20 --answered triplets.csv --pool can-be-asked.csv --json

Each question is a line: is anchor more like near than like far? near and far stand in random
order. Most questions are informative: the draws of the model disagree about the
answer. Some are random (control), by which models can be compared fairly, and some were
answered before (repeat), which shows how far judges agree with themselves. probability is that
of near, information the expected gain in bits, at most 1. Add the answers to those you have and
continue: sibp fit X.npy --triplets all.csv --continue m.sibp -o next.sibp";

/// `sibp ask MODEL [INPUTS]`, or `sibp ask --cold INPUTS`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model; with --cold, inputs of the objects
    #[arg(value_name = "MODEL", required_unless_present = "objects")]
    first: Option<PathBuf>,
    /// Inputs of the objects to ask about [default: the objects that the model was fitted to]
    #[arg(conflicts_with = "cold")]
    inputs: Option<PathBuf>,
    /// Ask the first questions, without a model: anchors far apart in the inputs, pairs at random
    #[arg(long)]
    cold: bool,
    /// Number of objects, if they have no inputs
    #[arg(long, value_name = "N", requires = "cold", conflicts_with = "first")]
    objects: Option<usize>,
    /// Number of questions
    #[arg(short, value_name = "N", default_value_t = 20)]
    n: usize,
    /// Where to write the questions (.csv or .tsv) [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Triplets already answered: they are only asked again as repeats
    #[arg(long, value_name = "FILE")]
    answered: Option<PathBuf>,
    /// Questions that can be asked: columns anchor, near, far in any order of near and far [default: all]
    #[arg(long, value_name = "FILE")]
    pool: Option<PathBuf>,
    /// Fixes the random choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Share of random questions
    #[arg(long, value_name = "SHARE", default_value_t = 0.15, conflicts_with = "cold")]
    control: f64,
    /// Share of questions that were answered before
    #[arg(long, value_name = "SHARE", default_value_t = 0.07, conflicts_with = "cold")]
    repeat: f64,
    /// Candidates for all informative questions together; each has at least 100
    #[arg(long, value_name = "N", default_value_t = 10_000, conflicts_with = "cold")]
    candidates: usize,
    /// Given bits of the objects, for a model that was fitted with given bits and does not predict them
    #[arg(long, value_name = "FILE", conflicts_with = "cold")]
    given_bits: Option<PathBuf>,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print one line of JSON for each question
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Print only warnings and errors to stderr
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    force: ForceArgs,
}

/// Chooses the questions and writes them.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let separator = match args.out.as_deref().map(separator) {
        Some(separator) => separator?,
        None => ',',
    };
    let read = args.first.iter().chain(&args.inputs).chain(&args.answered).chain(&args.pool);
    let read = read.chain(&args.given_bits).chain(args.table.files());
    Writing::reading(read, args.force).check_any(args.out.as_ref(), TRIPLETS)?;
    let (ids, questions) = if args.cold { cold(args)? } else { by_model(args)? };
    if questions.len() < args.n {
        let found = output::count(questions.len(), "question");
        output::warn(format!("there are no more than {found} to ask"));
    }
    let sheet = Sheet { ids: ids.as_ref(), questions: &questions };
    match &args.out {
        Some(path) => {
            let refused = || format!("{}: cannot write", path.display());
            let mut file = AtomicFile::create(path).with_context(refused)?;
            sheet.write(&mut file, separator)?;
            file.commit().with_context(refused)?;
        }
        None => {
            let mut out = output::stdout();
            if args.json {
                sheet.write_json(&mut out)?
            } else {
                sheet.write(&mut out, separator)?
            }
            out.flush()?;
        }
    }
    if !args.quiet {
        output::say(summary(&questions));
    }
    Ok(())
}

fn separator(path: &Path) -> anyhow::Result<char> {
    match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
        "csv" => Ok(','),
        "tsv" => Ok('\t'),
        _ => Err(usage(format!("{}: questions are written to .csv or .tsv", path.display()))),
    }
}

/// The first questions, without a model.
fn cold(args: &Args) -> anyhow::Result<(Option<Ids>, Vec<Question>)> {
    let table = match (&args.first, args.objects) {
        (Some(inputs), _) => args.table.read(inputs)?,
        (None, Some(n_objects)) => Table::from(Inputs::none(n_objects)),
        (None, None) => return Err(usage("--cold needs the inputs of the objects, or --objects N")),
    };
    let files = Files::read(args, &table)?;
    let questions = suggest_cold(&table.inputs, &files.settings(args)).map_err(explain)?;
    Ok((table.ids, questions))
}

fn by_model(args: &Args) -> anyhow::Result<(Option<Ids>, Vec<Question>)> {
    let path = args.first.as_deref().context("there is no model")?;
    let model = Model::load(path)?;
    if !model.has_triplets() {
        anyhow::bail!("{}: the model was fitted without triplets, so it has no questions", model.path.display());
    }
    let info = &model.file.info;
    let (table, training) = match &args.inputs {
        Some(inputs) => {
            let table = args.table.read_for(inputs, &model.columns().quiet(args.quiet))?;
            let training = model.file.training_rows(&table);
            (table, training)
        }
        None => {
            let table = Table { ids: info.ids.clone(), ..Table::from(Inputs::none(info.n_objects)) };
            (table, (0..info.n_objects as u32).map(Some).collect())
        }
    };
    let source = args.inputs.as_deref().unwrap_or(path);
    let coder = match (&info.given, training.iter().all(Option::is_some) && !training.is_empty()) {
        (Some(_), false) => {
            let encode = EncodeArgs { given_bits: args.given_bits.clone(), ..EncodeArgs::default() };
            let coder = FileCoder::of_model(&model, &encode, args.threads)?;
            coder.check_length(Some(table.inputs.n_objects()))?;
            Some(coder)
        }
        _ => None,
    };
    let files = Files::read(args, &table)?;
    if args.answered.is_none() && !args.quiet {
        output::say("note: without --answered, questions that were answered already may come again");
    }
    let known = coder.as_ref().and_then(FileCoder::known);
    let objects = Objects { inputs: &table.inputs, known, training: &training };
    let questions = suggest(&model.file, objects, &files.settings(args)).map_err(|error| match error {
        AskError::Coding(error) => model.explain(error, source),
        error => explain(error),
    })?;
    Ok((table.ids, questions))
}

fn explain(error: AskError) -> anyhow::Error {
    match error {
        AskError::NoQuestions => usage(format!("-n: {error}")),
        AskError::Shares { .. } => usage(format!("--control, --repeat: {error}")),
        error => error.into(),
    }
}

/// Triplets of the files that the options name.
struct Files {
    answered: Vec<Triplet>,
    pool: Option<Vec<Triplet>>,
}

impl Files {
    fn read(args: &Args, table: &Table) -> anyhow::Result<Self> {
        let read = |path: &PathBuf| read_judgements_of(path, table).map(|found| found.triplets);
        let answered = args.answered.as_ref().map(read).transpose()?.unwrap_or_default();
        Ok(Self { answered, pool: args.pool.as_ref().map(read).transpose()? })
    }

    fn settings(&self, args: &Args) -> AskSettings<'_> {
        AskSettings {
            candidates: args.candidates,
            controls: args.control,
            repeats: args.repeat,
            answered: &self.answered,
            pool: self.pool.as_deref(),
            threads: args.threads,
            ..AskSettings::new(args.n, args.seed)
        }
    }
}

/// The questions, with the names of the objects.
struct Sheet<'a> {
    ids: Option<&'a Ids>,
    questions: &'a [Question],
}

impl Sheet<'_> {
    fn write(&self, out: &mut impl Write, separator: char) -> std::io::Result<()> {
        let header = ["anchor", "near", "far", "kind", "probability", "information"];
        writeln!(out, "{}", header.join(&separator.to_string()))?;
        for Question { triplet: t, kind, prospect } in self.questions {
            let name = |row: u32| match self.ids {
                Some(ids) => output::csv_cell(&ids.texts()[row as usize], separator),
                None => row.to_string(),
            };
            let number = |value: Option<f64>| value.map(|value| format!("{value:.4}")).unwrap_or_default();
            let numbers = [prospect.map(|p| p.probability), prospect.map(|p| p.information)].map(number);
            let mut cells = [t.anchor, t.near, t.far].map(name).to_vec();
            cells.push(kind.name().to_owned());
            cells.extend(numbers);
            writeln!(out, "{}", cells.join(&separator.to_string()))?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut impl Write) -> std::io::Result<()> {
        for Question { triplet: t, kind, prospect } in self.questions {
            let name = |row: u32| match self.ids {
                Some(ids) => json!(ids.texts()[row as usize]),
                None => json!(row),
            };
            let [anchor, near, far] = [t.anchor, t.near, t.far].map(name);
            let line = json!({
                "anchor": anchor, "near": near, "far": far, "kind": kind,
                "probability": prospect.map(|p| p.probability),
                "information": prospect.map(|p| p.information),
            });
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

fn summary(questions: &[Question]) -> String {
    let of = |kind: Kind| questions.iter().filter(move |question| question.kind == kind);
    let counts = [(Kind::Informative, "informative"), (Kind::Control, "at random"), (Kind::Repeat, "answered before")]
        .map(|(kind, words)| (of(kind).count(), words));
    let parts: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, words)| format!("{} {words}", output::grouped(*n))).collect();
    let information = |kind: Kind| {
        let found: Vec<f64> = of(kind).filter_map(|question| question.prospect).map(|p| p.information).collect();
        (!found.is_empty()).then(|| format!("{:.3}", sibp::eval::mean(&found)))
    };
    let mut words = format!("{}: {}", output::count(questions.len(), "question"), parts.join(", "));
    if let Some(chosen) = information(Kind::Informative) {
        words += &format!("; an informative one is expected to give {chosen} bits");
        words += &information(Kind::Control).map(|other| format!(", a random one {other}")).unwrap_or_default();
    }
    words
}
