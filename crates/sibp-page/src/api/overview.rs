//! Tells how good the model is (`GET /api/overview`): held-out agreement, what diagnostics say, traces of the chains.

use crate::app::App;
use crate::model::Shown;
use serde_json::{Value, json};
use sibp::describe::quantity;
use sibp::judging::interval;
use sibp::trace::ChainRecord;
use sibp::trace::diagnostics::{Diagnostic, diagnose};
use sibp::words::{count, grouped};

/// Points of a trace that are sent, at most.
const POINTS: usize = 500;

/// What there is to say about the model.
pub fn overview(app: &App) -> Value {
    let Some(model) = app.model() else {
        return json!({ "version": 0, "agreement": null, "headline": "There is no model yet.", "diagnostics": [],
            "traces": [] });
    };
    let chains = &model.fitted.chains;
    let has_triplets = model.fitted.has_triplets();
    let wanted = |name: &str| has_triplets || name != "satisfied";
    let diagnostics: Vec<Value> = diagnose(chains).iter().filter(|found| wanted(&found.name)).map(diagnostic).collect();
    let traces: Vec<Value> = ["n_bits", "log_likelihood", "satisfied"]
        .into_iter()
        .filter(|name| wanted(name))
        .filter_map(|name| trace(name, chains))
        .collect();
    json!({
        "version": model.version,
        "agreement": agreement(&model),
        "headline": headline(&model),
        "diagnostics": diagnostics,
        "traces": traces,
    })
}

/// Agreement with triplets that a rehearsal held out. Those about one object are not independent, so the interval is that of
/// as many values as objects, or triplets, were held out.
fn agreement(model: &Shown) -> Option<Value> {
    let found = model.fitted.info.calibration?;
    let n = if found.n_held > 0 { found.n_held } else { found.n_triplets };
    let (low, high) = interval(&[(found.agreement * n as f64, n)])?;
    Some(json!({ "value": found.agreement, "low": low, "high": high, "questions": found.n_triplets }))
}

fn headline(model: &Shown) -> String {
    let info = &model.fitted.info;
    let learned = match info.triplets.n_triplets() {
        0 => String::new(),
        n => format!(", learned from {} triplets", grouped(n)),
    };
    let (bits, objects) = (count(model.parts.total(), "bit"), count(info.n_objects, "object"));
    format!("{bits} for {objects}{learned}.")
}

fn diagnostic(found: &Diagnostic) -> Value {
    json!({
        "name": quantity(&found.name),
        "value": found.r_hat,
        "sentence": found.sentence(),
        "good": !found.is_disagreement(),
    })
}

/// A column of the trace, of long runs every so many sweeps.
fn trace(name: &str, chains: &[ChainRecord]) -> Option<Value> {
    let columns: Vec<Vec<f64>> = chains.iter().map(|chain| chain.trace.column(name)).collect::<Option<_>>()?;
    let longest = columns.iter().map(Vec::len).max().filter(|&n| n > 0)?;
    let step = longest.div_ceil(POINTS);
    let sweeps: Vec<usize> = (0..longest).step_by(step).map(|at| at + 1).collect();
    let thin = |column: &Vec<f64>| -> Vec<Option<f64>> {
        (0..longest).step_by(step).map(|at| column.get(at).copied().filter(|value| value.is_finite())).collect()
    };
    let chains: Vec<Vec<Option<f64>>> = columns.iter().map(thin).collect();
    Some(json!({ "name": quantity(name), "sweeps": sweeps, "chains": chains }))
}
