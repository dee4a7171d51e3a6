//! Shows the whole path on handwritten digits, without any files (`sibp demo`).

use crate::demo::{compare, digits, picture};
use crate::fit::progress::{Bars, waited};
use crate::model::{CodeArg, EncodeArgs, Model};
use crate::output::{self, count, grouped};
use crate::report::{self, Options, Section};
use sibp::codes::Codes;
use sibp::data::Table;
use sibp::encode::encode_parallel;
use sibp::fit::{ModelOptions, Problem, TrainingData, default_transform};
use sibp::format::{ModelFile, TripletOrigin};
use sibp::index::HammingIndex;
use sibp::model::{ModelKind, Preset};
use sibp::run::{RunControl, RunSettings, fit};
use sibp::triplets::{FromLabels, TripletSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLE: &str = "\
Example:
  sibp demo

It writes report.html into the current folder; open it in a browser.";

/// Neighbours drawn.
const N_NEIGHBOURS: usize = 4;

/// `sibp demo`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Digits to learn from; the rest are for trying
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u16).range(100..=1600))]
    train: u16,
    /// Sweeps of every chain
    #[arg(long, default_value_t = 150)]
    sweeps: u64,
    /// Source of all random numbers: split, triplets, chains
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the report
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
}

/// Learns, compares, searches, reports.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let digits = digits::split(usize::from(args.train), args.seed)?;
    let mut out = output::stdout();
    let problem = problem(&digits, args)?;
    writeln!(
        out,
        "Handwritten digits, 8 x 8 pixels: {} to learn from, {} kept aside.\n{} say which digits are alike, such as \
         \"this 3 is more like that 3 than like this 8\".",
        digits.train.n_objects(),
        grouped(digits.test.n_objects()),
        count(problem.observations.triplets.len(), "triplet")
    )?;
    out.flush()?;
    let model = learn(problem, args)?;
    let coding = model.coding(&EncodeArgs::default(), None)?;
    let train = &coding.database;
    writeln!(out, "\nLearned {} a digit; nobody said how many.\n", count(train.n_bits(), "bit"))?;
    out.flush()?;
    let test = encode_parallel(coding.encoder.as_ref(), &model.transform(&digits.test, Path::new("digits"))?, 0, 0);
    let lines = compare::compare(&digits, train, &test, args.seed)?;
    writeln!(
        out,
        "Labels of the {} unseen digits, found by their nearest neighbours:",
        grouped(digits.test.n_objects())
    )?;
    compare::table(&lines).write(&mut out)?;
    writeln!(out)?;
    draw_search(&mut out, &digits, train, &test)?;
    let html = format!(
        "<p class=\"soft\">Share of {} unseen digits whose label the nearest of {} stored digits vote for, and mean \
         average precision. ITQ has at most as many bits as inputs.</p>{}",
        grouped(digits.test.n_objects()),
        digits.train.n_objects(),
        compare::html(&lines)
    );
    let extra = vec![Section { title: "Unseen digits".into(), html }];
    let options = Options { code: CodeArg::Map, image: Some((digits::SIDE, digits::SIDE)), extra };
    report::write(&model, &options, &args.out)?;
    writeln!(out, "\n{} shows the codes, the chains and the diagnostics: open it in a browser.", args.out.display())?;
    out.flush()?;
    Ok(())
}

fn problem(digits: &digits::Digits, args: &Args) -> anyhow::Result<Problem> {
    let table = Table {
        features: digits.train.clone(),
        ids: None,
        labels: Some(digits.train_labels.clone()),
        input_names: None,
    };
    let options = FromLabels { seed: args.seed, ..FromLabels::default() };
    let built = options.build(&digits.train_labels, &digits.train)?;
    let origin = TripletOrigin::Labels { n_triplets: built.triplets.len(), options };
    let triplets = TripletSet::new(digits.train.n_objects(), built.triplets)?;
    let steps = default_transform(ModelKind::Probit).parse()?;
    let settings = RunSettings { chains: 2, ..RunSettings::new(args.seed, args.sweeps) };
    let data = TrainingData { table, triplets, origin, given: None };
    Ok(Problem::new(data, &steps, &ModelOptions::new(ModelKind::Probit, Preset::Hash), settings)?)
}

fn learn(problem: Problem, args: &Args) -> anyhow::Result<Model> {
    let settings = &problem.info.settings;
    let bars = Bars::new(settings.chains, settings.sweeps, true, args.quiet);
    let began = Instant::now();
    let control = RunControl { on_progress: &|progress| bars.show(progress), ..RunControl::default() };
    let outcome = fit(&problem.info.model, &problem.observations, settings, &control, None);
    bars.finish();
    let chains = outcome?.chains;
    if !args.quiet {
        let chain = count(settings.chains, "chain");
        output::say(format!("{chain} of {} sweeps in {}", settings.sweeps, waited(began.elapsed())));
    }
    Ok(Model { path: PathBuf::from("sibp demo: handwritten digits"), file: ModelFile { info: problem.info, chains } })
}

/// Searches for the first unseen digit and draws it with its neighbours.
fn draw_search(out: &mut impl Write, digits: &digits::Digits, train: &Codes, test: &Codes) -> anyhow::Result<()> {
    let index = HammingIndex::from_codes(train)?;
    let query = 0;
    let found = index.search(&test.select(&[query]), N_NEIGHBOURS, 1)?;
    let in_colour = output::colours_on_stdout();
    let name = |labels: &sibp::data::Labels, row: usize| labels.names()[labels.class_of()[row] as usize].clone();
    let mut pictures = vec![picture::lines(&digits.test.row(query), in_colour)];
    let mut captions = vec![format!("query: a {}", name(&digits.test_labels, query))];
    for (distance, id) in found.row(0) {
        pictures.push(picture::lines(&digits.train.row(id as usize), in_colour));
        captions.push(format!("{}, {}", name(&digits.train_labels, id as usize), count(distance as usize, "bit")));
    }
    writeln!(out, "A search: an unseen digit, its nearest stored codes, and how many bits differ.\n")?;
    for line in 0..picture::WIDTH / 2 {
        let row: Vec<&str> = pictures.iter().map(|picture| picture[line].as_str()).collect();
        writeln!(out, "{}", row.join("  ").trim_end())?;
    }
    let width = picture::WIDTH;
    let row: Vec<String> = captions.iter().map(|caption| format!("{caption:^width$}")).collect();
    writeln!(out, "{}", row.join("  ").trim_end())?;
    Ok(())
}
