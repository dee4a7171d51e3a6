//! Shows objects: all of them by name (`GET /api/objects`), one with all that is known of it, and its picture.

use super::{Answered, object};
use crate::app::App;
use crate::failure::Failure;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Inputs of an object that are sent, at most.
const VALUES: usize = 64;

/// Names and labels of all objects, as columns.
pub fn all(app: &App) -> Value {
    let source = &app.source;
    let n = source.n_objects();
    let ids: Vec<String> = (0..n).map(|object| source.name(object)).collect();
    let labels = source.table.labels.as_ref().map(|labels| labels.class_of());
    json!({ "n": n, "ids": ids, "labels": labels })
}

/// All that is known of one object.
pub fn one(app: &App, at: usize) -> Answered<Value> {
    let at = object(app, at)?;
    let source = &app.source;
    let label = source.table.labels.as_ref().map(|labels| &labels.names()[labels.class_of()[at] as usize]);
    let row = source.table.inputs.row(at);
    let value = |(input, value): (usize, &f64)| json!({ "name": source.input(input), "value": value });
    let values: Vec<Value> = row.iter().enumerate().take(VALUES).map(value).collect();
    Ok(json!({
        "object": at,
        "id": source.name(at),
        "label": label,
        "text": source.texts.as_ref().map(|texts| &texts[at]),
        "values": values,
        "image": source.pictures.has(at),
    }))
}

/// The picture of an object.
pub fn image(app: &App, at: usize) -> Answered<Response> {
    let at = object(app, at)?;
    let found = app.source.pictures.picture(at, &app.source.table.inputs);
    let (kind, bytes) = found.map_err(Failure::missing)?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}
