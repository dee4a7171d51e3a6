//! Finds what is near (`/api/search`) and says why (`/api/explain`).

use super::{Answered, model, object};
use crate::app::App;
use crate::failure::Failure;
use crate::model::Shown;
use serde::Deserialize;
use serde_json::{Value, json};
use sibp::index::{Metric, Queries, Search};
use sibp::{Codes, Inputs};
use std::time::Instant;

/// Neighbours that are sent, at most, and by default.
const MOST: usize = 500;
const USUAL: usize = 20;

/// How distances are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// Bits that differ.
    #[default]
    Plain,
    /// Their weights.
    Weighted,
    /// Their weights, by the probabilities of the query's bits.
    Expected,
}

/// A search for what is near an object.
#[derive(Debug, Deserialize)]
pub struct Near {
    object: usize,
    k: Option<usize>,
    #[serde(default)]
    metric: How,
}

/// A search for what is near a vector.
#[derive(Debug, Deserialize)]
pub struct NearVector {
    values: Vec<f64>,
    k: Option<usize>,
    #[serde(default)]
    metric: How,
}

/// A pair of objects.
#[derive(Debug, Deserialize)]
pub struct Pair {
    a: usize,
    b: usize,
}

/// What is near an object; the object itself is left out.
pub fn near(app: &App, asked: Near) -> Answered<Value> {
    let model = model(app)?;
    let at = object(app, asked.object)?;
    let began = Instant::now();
    let code = model.codes.select(&[at]);
    let probabilities = match asked.metric {
        How::Expected => Some(expected_of(app, &model, at)?),
        _ => None,
    };
    let k = wanted(asked.k);
    let mut found = nearest(&model, &code, probabilities.as_deref(), asked.metric, k + 1)?;
    found.retain(|(other, _)| *other != at as u64);
    found.truncate(k);
    Ok(answer(&model, json!({ "object": at }), &found, began))
}

/// What is near a vector of inputs.
pub fn near_vector(app: &App, asked: NearVector) -> Answered<Value> {
    let model = model(app)?;
    let n_inputs = model.coder.n_inputs();
    if asked.values.len() != n_inputs {
        let found = asked.values.len();
        return Err(Failure::bad(format!("the vector has {found} numbers; objects have {n_inputs} inputs")));
    }
    if n_inputs == 0 {
        return Err(Failure::bad("objects have no inputs, so that no vector can be looked for"));
    }
    if model.coder.n_needed() > 0 {
        return Err(Failure::bad("codes begin with given bits, which a vector does not tell"));
    }
    let began = Instant::now();
    let inputs = Inputs::new(1, n_inputs, asked.values).map_err(|error| Failure::bad(error.to_string()))?;
    let code = model.coder.encode_rows(&inputs, None, 0, 1).map_err(|error| Failure::bad(error.to_string()))?;
    let probabilities = match asked.metric {
        How::Expected => Some(model.probabilities(&inputs, None, &[]).map_err(Failure::bad)?.ok_or_else(no_expected)?),
        _ => None,
    };
    let found = nearest(&model, &code, probabilities.as_deref(), asked.metric, wanted(asked.k))?;
    let text: String = (0..code.n_bits()).map(|bit| if code.get(0, bit) { '1' } else { '0' }).collect();
    Ok(answer(&model, json!({ "code": text }), &found, began))
}

fn wanted(k: Option<usize>) -> usize {
    k.unwrap_or(USUAL).clamp(1, MOST)
}

/// Probabilities of an object's bits.
fn expected_of(app: &App, model: &Shown, at: usize) -> Answered<Vec<f64>> {
    let inputs = &app.source.table.inputs;
    if inputs.n_inputs() == 0 {
        return Err(no_expected());
    }
    let found = model.probabilities(&inputs.select(&[at]), app.source.known.as_ref(), &[at]);
    found.map_err(Failure::bad)?.ok_or_else(no_expected)
}

fn no_expected() -> Failure {
    Failure::bad("this model gives bits no probabilities, so that there are no expected distances")
}

fn nearest(
    model: &Shown,
    code: &Codes,
    probabilities: Option<&[f64]>,
    how: How,
    k: usize,
) -> Answered<Vec<(u64, f32)>> {
    let single: Vec<f32> = probabilities.unwrap_or_default().iter().map(|&p| p as f32).collect();
    let (queries, metric) = match how {
        How::Plain => (Queries::Codes(code), Metric::Hamming),
        How::Weighted => (Queries::Codes(code), Metric::Weighted(&model.weights)),
        How::Expected => (Queries::Probabilities(&single), Metric::Expected(&model.weights)),
    };
    let search = Search::nearest(k.min(model.codes.n_objects())).metric(metric).threads(0);
    let found = model.index.search(queries, &search).map_err(|error| Failure::ours(error.to_string()))?;
    Ok(found.row(0).map(|(distance, id)| (id, distance)).collect())
}

fn answer(model: &Shown, query: Value, found: &[(u64, f32)], began: Instant) -> Value {
    let neighbours: Vec<Value> =
        found.iter().map(|(object, distance)| json!({ "object": object, "distance": distance })).collect();
    let seconds = began.elapsed().as_secs_f64();
    json!({ "version": model.version, "query": query, "neighbours": neighbours, "seconds": seconds })
}

/// Why two objects are near or far.
pub fn explain(app: &App, pair: Pair) -> Answered<Value> {
    let model = model(app)?;
    let pair = [object(app, pair.a)?, object(app, pair.b)?];
    let found = model.explain(pair, &app.source).map_err(Failure::ours)?;
    let bit = |bit: &sibp::pipeline::BitOfTwo| {
        let driver = |driver: &sibp::pipeline::Driver| json!([app.source.input(driver.input), driver.correlation]);
        json!({
            "bit": bit.bit, "agrees": bit.agrees(), "a": bit.has[0], "b": bit.has[1],
            "probabilities": bit.probabilities, "weight": bit.weight, "share": bit.share,
            "drivers": bit.drivers.iter().map(driver).collect::<Vec<_>>(), "owners": bit.owners,
        })
    };
    let bits: Vec<Value> = found.bits.iter().map(bit).collect();
    Ok(json!({ "version": model.version, "distance": found.distance, "weighted": found.weighted, "bits": bits }))
}
