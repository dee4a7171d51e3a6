//! Fits again to parts of the judgements: cross-validation and learning curve (`sibp eval --folds`, `--curve`).

use super::{Args, plot};
use crate::failure::usage;
use crate::input::read_judgements_of;
use crate::interrupt;
use crate::model::Model;
use crate::output::{self, Table, grouped, percent};
use crate::progress::steps;
use anyhow::bail;
use serde_json::{Value, json};
use sibp::data::Table as Objects;
use sibp::judging::{Curve, CurveSettings, Estimate, Folds, Judged, Over, Recipe, curve, folds};
use sibp::run::RunControl;
use std::io::Write;
use std::path::Path;

/// Fits again with the settings of the model and prints what was asked for.
pub fn run(args: &Args, model: &Model, inputs: Option<&Path>, triplets: &Path) -> anyhow::Result<()> {
    if args.split.split.is_some() {
        return Err(usage("--split does not go with --folds and --curve, which split by themselves"));
    }
    let table = match inputs {
        Some(path) => args.table.read_for(path, &model.columns())?,
        None if model.file.info.n_inputs() == 0 => model.file.training_objects().0,
        None => return Err(usage("give the inputs of the objects, which every fit needs")),
    };
    let inputs = inputs.unwrap_or(&model.path);
    let triplets = read_judgements_of(triplets, &table)?.triplets;
    check_given(model, &table, inputs)?;
    let recipe = Recipe::from(&model.file.info);
    let given = model.file.info.given.as_ref();
    let judged = Judged { recipe: &recipe, table: &table, given, triplets: &triplets };
    let stop = interrupt::listen()?;
    let control = RunControl { threads: args.threads, stop, ..RunControl::default() };
    let explain = |error| super::explain(model, error, inputs);
    let mut found = Vec::new();
    if let Some(k) = args.judging.folds {
        let bar = steps("folds", 2 * k, args.json);
        for over in [Over::Judgements, Over::Objects] {
            found.push(folds(&judged, k, over, &control, &mut |_| bar.inc(1)).map_err(explain)?);
        }
        bar.finish_and_clear();
    }
    let learned = match args.judging.curve {
        false => None,
        true => {
            let settings = CurveSettings { more: args.judging.more, ..CurveSettings::default() };
            let bar = steps("fits", settings.repeats * settings.parts.len(), args.json);
            let learned = curve(&judged, &settings, &control, &mut |_| bar.inc(1)).map_err(explain)?;
            bar.finish_and_clear();
            Some(learned)
        }
    };
    if let (Some(path), Some(learned)) = (&args.judging.plot, &learned) {
        plot::write(path, learned)?;
    }
    match args.json {
        true => output::print_json(&as_json(&found, learned.as_ref())),
        false => print(&judged, &found, learned.as_ref()),
    }
}

/// Given bits are known for the training objects only.
fn check_given(model: &Model, table: &Objects, inputs: &Path) -> anyhow::Result<()> {
    if model.file.info.given.is_some() && !model.file.info.digests.are_of(&table.inputs) {
        bail!(
            "{} was fitted with given bits, which are known for its training objects only; {} holds other inputs",
            model.path.display(),
            inputs.display()
        );
    }
    Ok(())
}

fn estimate(of: Option<Estimate>) -> Value {
    of.map_or(Value::Null, |e| json!({ "share": e.value, "standard_error": e.standard_error, "judgements": e.n }))
}

fn as_json(found: &[Folds], learned: Option<&Curve>) -> Value {
    let mut all = serde_json::Map::new();
    for folds in found {
        let agreement = estimate(folds.agreement);
        match folds.over {
            Over::Judgements => all.insert("held_out_judgements".to_owned(), agreement),
            Over::Objects => {
                all.insert("at_least_one_held_out_object".to_owned(), estimate(folds.partly));
                all.insert("held_out_objects".to_owned(), agreement)
            }
        };
    }
    if let Some(curve) = learned {
        let point = |p: &sibp::judging::CurvePoint| json!({ "judgements": p.n_learned, "share": p.agreement, "standard_error": p.standard_error });
        let points: Vec<Value> = curve.points.iter().map(point).collect();
        let (gain, limit) = (curve.gain, curve.limit);
        all.insert(
            "learning_curve".to_owned(),
            json!({
                "points": points,
                "judgements": curve.n_judgements,
                "more": curve.more,
                "gain": { "share": gain.0, "deviation": gain.1 },
                "lack_of_fit": curve.lack_of_fit,
                "limit": { "share": limit.0, "deviation": limit.1 },
            }),
        );
    }
    Value::Object(all)
}

fn print(judged: &Judged<'_>, found: &[Folds], learned: Option<&Curve>) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let settings = judged.recipe.settings;
    writeln!(
        out,
        "{} about {}; every fit has {} of {}",
        output::count(judged.triplets.len(), "judgement"),
        output::count(judged.table.inputs.n_objects(), "object"),
        output::count(settings.chains, "chain"),
        output::count(settings.sweeps as usize, "sweep"),
    )?;
    if !found.is_empty() {
        print_folds(found, &mut out)?;
    }
    if let Some(curve) = learned {
        print_curve(curve, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

fn print_folds(found: &[Folds], out: &mut impl Write) -> anyhow::Result<()> {
    let mut table = Table::new(&["<held out", ">agreement", ">standard error", ">judgements"]);
    let mut row = |name: &str, of: Option<Estimate>| match of {
        None => table.row([name.to_owned(), "-".to_owned(), "-".to_owned(), "0".to_owned()]),
        Some(of) => {
            let error = of.standard_error.map_or("-".to_owned(), percent);
            table.row([name.to_owned(), percent(of.value), error, grouped(of.n)]);
        }
    };
    for folds in found {
        match folds.over {
            Over::Judgements => row("judgements", folds.agreement),
            Over::Objects => {
                row("objects: judgements among them alone", folds.agreement);
                row("objects: judgements about at least one", folds.partly);
            }
        }
    }
    table.write(out)?;
    Ok(())
}

fn print_curve(curve: &Curve, out: &mut impl Write) -> anyhow::Result<()> {
    let mut table = Table::new(&[">learned from", ">agreement", ">standard error"]);
    for point in &curve.points {
        let error = point.standard_error.map_or("-".to_owned(), percent);
        table.row([grouped(point.n_learned.round() as usize), percent(point.agreement), error]);
    }
    table.write(out)?;
    writeln!(out, "{}", curve.sentence())?;
    Ok(())
}
