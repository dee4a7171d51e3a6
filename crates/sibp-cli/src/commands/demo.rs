//! Shows the whole path on handwritten digits, without any files (`sibp demo`).

use crate::demo::{compare, digits, picture};
use crate::model::{CodeArg, EncodeArgs, Model};
use crate::output::{self, count, grouped};
use crate::progress::{Bars, waited};
use crate::report::{self, Options, Section};
use crate::writing::{ForceArgs, Kind, Writing};
use sibp::codes::Codes;
use sibp::data::Table;
use sibp::index::{HammingIndex, Search};
use sibp::pipeline::{Fit, Prepared};
use sibp::run::RunControl;
use sibp::triplets::FromLabels;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLE: &str = "\
Example:
  sibp demo

It writes report.html into the current folder; open it in a browser.";

/// Number of neighbours drawn for a query.
const N_NEIGHBOURS: usize = 4;

/// `sibp demo`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Digits to learn from; the rest are for trying
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u16).range(100..=1600))]
    train: u16,
    /// Sweeps of every chain [default: as many as a fit needs]
    #[arg(long)]
    sweeps: Option<u64>,
    /// Source of all random numbers: split, triplets, chains
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the report
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// Learns codes, compares them with other methods, searches, and writes the report.
pub fn run(args: &Args) -> anyhow::Result<()> {
    Writing::reading([], args.force).check(&args.out, Kind::Page)?;
    let digits = digits::split(usize::from(args.train), args.seed)?;
    let mut out = output::stdout();
    let prepared = prepare(&digits, args)?;
    writeln!(
        out,
        "Handwritten digits, 8 x 8 pixels: {} to learn from, {} kept aside.\n{} say which digits are alike, such as \
         \"this 3 is more like that 3 than like this 8\".",
        digits.train.n_objects(),
        grouped(digits.test.n_objects()),
        count(prepared.observations.triplets.len(), "triplet")
    )?;
    out.flush()?;
    let model = learn(&prepared, args)?;
    let coder = model.coder(&EncodeArgs::default())?;
    let train = coder.database();
    writeln!(out, "\nLearned {} a digit; nobody said how many.\n", count(train.n_bits(), "bit"))?;
    out.flush()?;
    let test = coder.encode(&digits.test)?;
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
    let options = Options { code: CodeArg::Suited, image: Some((digits::SIDE, digits::SIDE)), extra };
    report::write(&model, &options, &args.out)?;
    writeln!(out, "\n{} shows the codes, the chains and the diagnostics: open it in a browser.", args.out.display())?;
    out.flush()?;
    Ok(())
}

fn prepare(digits: &digits::Digits, args: &Args) -> anyhow::Result<Prepared> {
    let table = Table { labels: Some(digits.train_labels.clone()), ..digits.train.clone().into() };
    let fit = Fit::new(table, FromLabels { seed: args.seed, ..FromLabels::default() });
    let mut fit = fit.seed(args.seed);
    if let Some(sweeps) = args.sweeps {
        fit = fit.sweeps(sweeps);
    }
    Ok(fit.prepare(None)?)
}

fn learn(prepared: &Prepared, args: &Args) -> anyhow::Result<Model> {
    let settings = &prepared.info.settings;
    let bars = Bars::new(settings.chains, settings.sweeps, true, args.quiet);
    let began = Instant::now();
    let control = RunControl { on_progress: &|progress| bars.show(progress), ..RunControl::default() };
    let outcome = prepared.run(&control, None);
    bars.finish();
    let (file, _) = outcome?;
    if !args.quiet {
        let chain = count(settings.chains, "chain");
        output::say(format!("{chain} of {} sweeps in {}", settings.sweeps, waited(began.elapsed())));
    }
    Ok(Model { path: PathBuf::from("sibp demo: handwritten digits"), file })
}

/// Searches for the first unseen digit and draws it with its neighbours.
fn draw_search(out: &mut impl Write, digits: &digits::Digits, train: &Codes, test: &Codes) -> anyhow::Result<()> {
    let index = HammingIndex::from_codes(train)?;
    let query = 0;
    let found = index.search(&test.select(&[query]), &Search::nearest(N_NEIGHBOURS))?;
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
