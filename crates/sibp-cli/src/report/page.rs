//! Lays out the report's sections as html, with its style and pictures inside.

use super::{bit_table, chart, heat_map, images};
use crate::describe::{Description, describe, quantity, satisfied_at};
use crate::model::{CodeArg, Model};
use crate::output::{count, grouped, percent, significant};
use anyhow::Context;
use sibp::codes::Codes;
use sibp::data::AtomicFile;
use sibp::format::TripletOrigin;
use sibp::trace::{ChainRecord, Draw};
use sibp_paper::drawing::escaped;
use std::io::Write;
use std::path::Path;

const STYLE: &str = include_str!("page.css");

/// A titled part of the page.
#[derive(Debug)]
pub struct Section {
    /// The heading, as plain text.
    pub title: String,
    /// The section's HTML.
    pub html: String,
}

/// The content of the page: a draw, the images of its bits, and further sections.
#[derive(Debug)]
pub struct Options {
    /// Which draw is shown.
    pub code: CodeArg,
    /// Width and height of inputs that are pictures.
    pub image: Option<(usize, usize)>,
    /// Sections that come first.
    pub extra: Vec<Section>,
}

/// Writes the page, atomically.
pub fn write(model: &Model, options: &Options, out: &Path) -> anyhow::Result<()> {
    let page = render(model, options)?;
    let refused = || format!("{}: cannot write", out.display());
    let mut file = AtomicFile::create(out).with_context(refused)?;
    file.write_all(page.as_bytes()).with_context(refused)?;
    file.commit().with_context(refused)
}

fn render(model: &Model, options: &Options) -> anyhow::Result<String> {
    let description = describe(model, options.code);
    let (draw, _) = model.file.posterior().chosen(options.code.into());
    let title = model.path.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned());
    let mut sections: Vec<String> = vec![header(&title, model, &description, draw)];
    sections.extend(warnings(&description));
    sections.extend(options.extra.iter().map(|section| card(&section.title, &section.html)));
    sections.extend(held_out(model));
    sections.push(codes(model, draw)?);
    sections.push(traces(model)?);
    sections.push(bits(model, draw)?);
    sections.extend(bit_table::section(model, draw));
    if let Some(size) = options.image {
        let (title, words) = model.file.info.model.about().pictures;
        let words = format!("<p class=\"soft\">{words}</p>");
        sections.push(card(title, &format!("{words}{}", images::sheet(draw, &model.file.info.transform, size)?)));
    }
    sections.push(diagnostics(&description));
    sections.push(settings(&description));
    let footer = format!("<footer>Written by sibp {}. This page needs no network.</footer>", env!("CARGO_PKG_VERSION"));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{} · sibp</title>\
         <style>\n{STYLE}</style></head>\n<body><main>\n{}\n{footer}\n</main></body></html>\n",
        escaped(&title),
        sections.join("\n")
    ))
}

/// A part of the page with a heading.
pub fn card(title: &str, html: &str) -> String {
    format!("<section class=\"card\"><h2>{}</h2>{html}</section>", escaped(title))
}

fn header(title: &str, model: &Model, description: &Description, draw: &Draw) -> String {
    let info = &model.file.info;
    let encoding = description.chains.iter().position(|chain| chain.encodes);
    let satisfied = encoding.and_then(|at| satisfied_at(&model.file.chains[at], draw.sweep));
    let figure = |value: String, name: &str| format!("<div class=\"figure\"><b>{value}</b>{name}</div>");
    let mut figures = vec![
        figure(draw.bits.n_bits().to_string(), "bits"),
        figure(grouped(info.n_objects), "objects"),
        figure(grouped(info.n_inputs()), "inputs"),
    ];
    if model.has_triplets() {
        figures.push(figure(grouped(info.triplets.n_triplets()), "triplets"));
    }
    if let Some(found) = info.calibration {
        figures.push(figure(percent(found.agreement), "of held-out triplets agree"));
    }
    if let Some(share) = satisfied.filter(|_| model.has_triplets()) {
        figures.push(figure(percent(share), "of learned triplets satisfied"));
    }
    let state = if model.file.finished() { "finished" } else { "unfinished" };
    let run = format!(
        "{} of {}, {state}",
        count(info.settings.chains, "chain"),
        count(info.settings.sweeps as usize, "sweep")
    );
    format!("<h1>{}</h1><p class=\"soft\">{run}</p><div class=\"figures\">{}</div>", escaped(title), figures.join(""))
}

fn warnings(description: &Description) -> Option<String> {
    let items: String = description.warnings.iter().map(|w| format!("<p>{}</p>", escaped(w))).collect();
    let card = || format!("<section class=\"card warn\"><h2>Worth knowing</h2>{items}</section>");
    (!description.warnings.is_empty()).then(card)
}

/// How objects fare that the model has not learned from: what its codes will be worth to others.
fn held_out(model: &Model) -> Option<String> {
    let found = model.file.info.calibration?;
    let by_labels = matches!(model.file.info.triplets, TripletOrigin::Labels { .. });
    let what = if by_labels { "object" } else { "triplet" };
    let about = match found.n_held {
        0 => "were held out from a fit of its own".to_owned(),
        n if by_labels => format!("are about {} that one fit did not learn from", count(n, what)),
        n => format!("are {} that one fit did not learn from", count(n, what)),
    };
    let verdict = match (found.n_held, found.is_chance()) {
        (0, _) => "",
        (_, true) => " That is no better than guesses: these inputs may not tell what the labels or triplets say.",
        (_, false) => " Guesses would agree with half of them.",
    };
    let html = format!(
        "<p>{} of {} agree with the codes; these {about}.{verdict}</p>\
         <p class=\"soft\">Labelled objects of your own tell more: <code>sibp eval</code>.</p>",
        percent(found.agreement),
        count(found.n_triplets, "held-out triplet"),
    );
    Some(card("Objects that were held out", &html))
}

fn codes(model: &Model, draw: &Draw) -> anyhow::Result<String> {
    let given = model.file.info.given.as_ref().map(|given| &given.codes);
    let n_given = given.map_or(0, Codes::n_bits);
    if n_given + draw.bits.n_bits() == 0 {
        return Ok(card("Codes", "<p>The model has no bits.</p>"));
    }
    let whole = Codes::side_by_side(&given.into_iter().chain([&draw.bits]).collect::<Vec<_>>());
    let map = heat_map::draw(&whole, n_given, model.file.info.labels.as_ref())?;
    let grouping = if model.file.info.labels.is_some() { ", grouped by label" } else { "" };
    let shown = match map.n_shown == draw.bits.n_objects() {
        true => String::new(),
        false => format!(" {} of {} objects are shown.", grouped(map.n_shown), grouped(draw.bits.n_objects())),
    };
    let words = format!(
        "<p class=\"soft\">A row is an object{grouping}; a column is a bit, blue where the object owns it. Learned bits stand \
         by the label that owns them most.{shown}</p>"
    );
    Ok(card("Codes of the training objects", &format!("{words}<div class=\"scroll\">{}</div>", map.svg)))
}

fn traces(model: &Model) -> anyhow::Result<String> {
    let chains = &model.file.chains;
    let column = |pick: &dyn Fn(&ChainRecord) -> Vec<f64>| -> Vec<Vec<f64>> { chains.iter().map(pick).collect() };
    let mut charts = vec![
        (
            "Number of bits (K)",
            chart::lines(&column(&|c| c.trace.column("n_bits").unwrap_or_default()), "sweep", &|y| format!("{y:.0}"))?,
        ),
        (
            "Log likelihood",
            chart::lines(&column(&|c| c.trace.log_likelihood.clone()), "sweep", &|y| format!("{y:.0}"))?,
        ),
    ];
    if model.has_triplets() {
        let satisfied = chart::lines(&column(&|c| c.trace.satisfied.clone()), "sweep", &percent)?;
        charts.push(("Triplets satisfied", satisfied));
    }
    let keys: String = (0..chains.len())
        .map(|at| {
            let colour = chart::COLOURS[at % chart::COLOURS.len()];
            let css = format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2);
            format!("<span class=\"key\"><i style=\"background:{css}\"></i>chain {}</span>", at + 1)
        })
        .collect();
    let drawn: String = charts.iter().map(|(name, svg)| format!("<div><h3>{name}</h3>{svg}</div>")).collect();
    let start =
        format!("<p class=\"soft\">Every chain starts from {} of its own.</p>", model.file.info.model.start().words());
    Ok(card("How the chains went", &format!("{start}<p class=\"soft\">{keys}</p><div class=\"charts\">{drawn}</div>")))
}

fn bits(model: &Model, draw: &Draw) -> anyhow::Result<String> {
    let n = draw.bits.n_objects() as f64;
    let owners = |bit: usize| (0..draw.bits.n_objects()).filter(|&row| draw.bits.get(row, bit)).count() as f64 / n;
    let mut shares: Vec<f64> = (0..draw.bits.n_bits()).map(owners).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let owned = chart::bars(&shares, "bits, most owned first", &percent)?;
    let mut html = format!("<div><h3>Share of objects that own a bit</h3>{owned}</div>");
    let mut weights = draw.weights.clone();
    weights.sort_by(|a, b| b.total_cmp(a));
    let mut words = String::new();
    if weights.first() == weights.last() {
        if let Some(weight) = weights.first().filter(|_| model.has_triplets()) {
            words = format!("<p class=\"soft\">All learned bits have the weight {weight}.</p>");
        }
    } else {
        let drawn = chart::bars(&weights, "bits, heaviest first", &|y| format!("{y:.2}"))?;
        html.push_str(&format!("<div><h3>Weights in the preference likelihood</h3>{drawn}</div>"));
    }
    if let Some(given) = &model.file.info.given
        && let Ok(weights) = draw.tensor("given_weights", &[given.codes.n_bits()])
    {
        let drawn = chart::bars(weights, "given bits, in their order", &|y| format!("{y:.2}"))?;
        html.push_str(&format!("<div><h3>Weights of given bits</h3>{drawn}</div>"));
    }
    Ok(card("Bits", &format!("{words}<div class=\"charts\">{html}</div>")))
}

fn diagnostics(description: &Description) -> String {
    let row = |d: &sibp::trace::diagnostics::Diagnostic| {
        let mean = d.means.iter().sum::<f64>() / d.means.len() as f64;
        let number = |value: Option<f64>, digits: usize| value.map_or("–".into(), |v| format!("{v:.digits$}"));
        format!(
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escaped(quantity(&d.name)),
            significant(mean),
            number(d.r_hat, 2),
            number(d.ess, 0)
        )
    };
    let rows: String = description.diagnostics.iter().map(row).collect();
    let html = format!(
        "<p class=\"soft\">Over the last half of the sweeps. R-hat near 1 says that chains agree; ESS is the number of \
         independent draws that the sweeps are worth.</p><div class=\"scroll\"><table><tr><th>quantity</th>\
         <th class=\"n\">mean</th><th class=\"n\">R-hat</th><th class=\"n\">ESS</th></tr>{rows}</table></div>"
    );
    card("Diagnostics", &html)
}

fn settings(description: &Description) -> String {
    let row = |(name, value): &(&str, String)| {
        let value = if *name == "schedule" { format!("<code>{}</code>", escaped(value)) } else { escaped(value) };
        format!("<tr><td class=\"name\">{name}</td><td>{value}</td></tr>")
    };
    let rows: String = description.facts.iter().map(row).collect();
    card("Settings", &format!("<div class=\"scroll\"><table>{rows}</table></div>"))
}
