//! Serves a page on this machine: codes to look at and search, questions for people (`sibp page`).

use crate::failure::usage;
use crate::file_kind::FileKind;
use crate::input::{TableArgs, read_judgements_of};
use crate::model::{EncodeArgs, Model};
use crate::output;
use crate::stream::FileCoder;
use anyhow::Context;
use sibp::data::{ColumnRef, ReadOptions, Table, TextRows, read_noted};
use sibp::format::TripletOrigin;
use sibp::triplets::FromLabels;
use sibp_page::{Base, Pictures, Server, Settings, Source, Start};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const EXAMPLE: &str = "\
Example:
  sibp page m.sibp X.npy --labels y.npy --image-shape 8x8 --open
  sibp page animals.csv --id-column name --images photos --judgements judgements.jsonl
  sibp page m.sibp texts.csv --id-column id --text title --judgements judgements.jsonl

The second example starts without a model: people answer questions first, and codes are learned
from their answers. The page is served on 127.0.0.1 only, to anyone who has the printed address
with its token. Ctrl-C ends it. Answers are in the journal, and synced, before
they are acknowledged; `sibp triplets from-judgements` makes triplets from them.";

/// The journal of a page that begins without a model.
const JOURNAL: &str = "judgements.jsonl";

/// Triplets that are made of labels, to learn from together with answers.
const MOST_FROM_LABELS: usize = 20_000;

/// `sibp page [MODEL] INPUTS`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model; without one, the inputs
    #[arg(value_name = "MODEL")]
    first: PathBuf,
    /// Inputs of the objects that are shown
    #[arg(value_name = "INPUTS")]
    inputs: Option<PathBuf>,
    /// Pictures of the objects: the files in this folder that are named by id, or by row if there are no ids
    #[arg(long, value_name = "DIR", conflicts_with = "image_shape")]
    images: Option<PathBuf>,
    /// Inputs are pixels of pictures of this width and height, row by row
    #[arg(long, value_name = "WxH", value_parser = super::report::image_size)]
    image_shape: Option<(usize, usize)>,
    /// Column of the inputs that holds a text for each object, which is not an input: its name or its number from 0
    #[arg(long, value_name = "COLUMN")]
    text: Option<String>,
    /// Journal of answers, which is created or appended to; people are asked questions if it is given, or if there is
    /// no model [default without a model: judgements.jsonl]
    #[arg(long, value_name = "FILE")]
    judgements: Option<PathBuf>,
    /// The triplets that the model was learned from, if there are any; answers are added to them
    #[arg(long, value_name = "FILE")]
    triplets: Option<PathBuf>,
    /// Port [default: any free port]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Answers after which codes are first learned
    #[arg(long, value_name = "N", default_value_t = 30)]
    first_fit: usize,
    /// Source of all random numbers: questions, and models that are learned
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of threads for models that are learned; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    encode: EncodeArgs,
}

/// Serves the page until Ctrl-C.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (source, start) = read(args)?;
    let settings = Settings {
        port: args.port,
        reading: args.encode.reading(),
        journal: journal(args, start.is_some()),
        seed: args.seed,
        threads: args.threads,
        first_fit: Some(args.first_fit.max(1)),
        ..Settings::default()
    };
    let server = Server::bind(source, start, settings)?;
    server.notes().iter().for_each(|note| output::say(format!("note: {note}")));
    let stop = server.stopper();
    ctrlc::set_handler(move || stop.stop()).context("cannot listen for Ctrl-C")?;
    let url = server.url();
    let mut out = output::stdout();
    writeln!(out, "{url}")?;
    out.flush()?;
    drop(out);
    output::say("the page is served at this address; Ctrl-C ends it");
    if args.open {
        open(&url);
    }
    server.run()?;
    output::say("ended; all answers that were acknowledged are in the journal");
    Ok(())
}

/// The journal that is written, if any.
fn journal(args: &Args, has_model: bool) -> Option<PathBuf> {
    args.judgements.clone().or_else(|| (!has_model).then(|| JOURNAL.into()))
}

/// Opens a browser; that it cannot be opened is no reason to end.
fn open(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        output::warn(format!("{program} cannot be started; open the address yourself"));
    }
}

/// Reads what is shown, and the model if there is one.
fn read(args: &Args) -> anyhow::Result<(Source, Option<Start>)> {
    let is_model = matches!(FileKind::of(&args.first), Some(FileKind::Model));
    match (&args.inputs, is_model) {
        (None, true) => of_training(args),
        (None, false) => without_model(args, &args.first),
        (Some(inputs), _) => with_model(args, inputs),
    }
}

/// Objects of which a model knows the codes alone: those that it was fitted to.
fn of_training(args: &Args) -> anyhow::Result<(Source, Option<Start>)> {
    let model = Model::load(&args.first)?;
    if model.file.info.n_inputs() > 0 {
        return Err(usage(format!("{}: give the inputs of the objects too", args.first.display())));
    }
    let (table, _) = model.file.training_objects();
    let base = base(args, &model, &table)?;
    let source = Source { pictures: pictures(args, &table)?, table, texts: None, known: None, base };
    Ok((source, Some(Start { fitted: model.file, path: model.path })))
}

fn without_model(args: &Args, inputs: &Path) -> anyhow::Result<(Source, Option<Start>)> {
    if args.triplets.is_some() {
        return Err(usage("--triplets are what a model was learned from; there is no model"));
    }
    let texts = texts(args, inputs)?;
    let ignore = args.text.iter().map(|name| ColumnRef::from(name.as_str())).collect();
    let options = ReadOptions { ignore, ..args.table.options() };
    let (table, _) = read_noted(inputs, &options)?;
    let table = args.table.joined(inputs, table)?;
    let base = Base::Triplets(Vec::new());
    Ok((Source { pictures: pictures(args, &table)?, table, texts, known: None, base }, None))
}

fn with_model(args: &Args, inputs: &Path) -> anyhow::Result<(Source, Option<Start>)> {
    let model = Model::load(&args.first)?;
    let coder = FileCoder::of_model(&model, &args.encode, args.threads)?;
    let texts = texts(args, inputs)?;
    let columns = coder.columns();
    let ignore = args.text.iter().map(|name| ColumnRef::from(name.as_str())).collect();
    let options = ReadOptions { ignore, ..columns.of(args.table.options()) };
    let (table, notes) = read_noted(inputs, &options).map_err(|error| columns.explain(error))?;
    columns.check(inputs, table.inputs.n_inputs(), &notes.matching)?;
    let mut table = args.table.joined(inputs, table)?;
    coder.check_length(Some(table.inputs.n_objects()))?;
    if table.input_names.is_none() {
        table.input_names = model.file.info.input_names.clone();
    }
    let base = base(args, &model, &table)?;
    let known = coder.known().cloned();
    let source = Source { pictures: pictures(args, &table)?, table, texts, known, base };
    Ok((source, Some(Start { fitted: model.file, path: model.path })))
}

/// What the model was learned from: triplets of a file, or those that labels make.
fn base(args: &Args, model: &Model, table: &Table) -> anyhow::Result<Base> {
    if let Some(path) = &args.triplets {
        return Ok(Base::Triplets(read_judgements_of(path, table)?.triplets));
    }
    let info = &model.file.info;
    let same = model.file.training_rows(table).iter().enumerate().all(|(row, found)| *found == Some(row as u32));
    Ok(match (&info.triplets, &table.labels) {
        (TripletOrigin::Labels { options, .. }, Some(labels)) if same && info.given.is_none() => {
            // A fit beside people who answer cannot wait for as many as a model of its own has.
            let most = (MOST_FROM_LABELS / table.inputs.n_objects().max(1)).max(1);
            let options = FromLabels { per_object: options.per_object.min(most), ..*options };
            Base::Triplets(options.build(labels, &table.inputs)?.triplets)
        }
        _ => Base::Unknown,
    })
}

fn pictures(args: &Args, table: &Table) -> anyhow::Result<Pictures> {
    if let Some(folder) = &args.images {
        return Ok(Pictures::in_folder(folder, table.ids.as_ref(), table.inputs.n_objects())?);
    }
    let Some((width, height)) = args.image_shape else { return Ok(Pictures::None) };
    let found = Pictures::of_pixels(width, height, &table.inputs);
    let n_inputs = table.inputs.n_inputs();
    found.ok_or_else(|| usage(format!("--image-shape {width}x{height}: objects have {n_inputs} inputs")))
}

/// The text of each object.
fn texts(args: &Args, inputs: &Path) -> anyhow::Result<Option<Vec<String>>> {
    let Some(column) = &args.text else { return Ok(None) };
    let mut rows = TextRows::open(inputs, &[ColumnRef::from(column.as_str())])?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next_row()? {
        texts.extend(row);
    }
    Ok(Some(texts))
}
