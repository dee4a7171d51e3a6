//! Sends the map as plain numbers (`GET /api/map`): a point an object, and who has a bit.

use super::{Answered, binary, bit, model};
use crate::app::App;
use crate::failure::Failure;
use axum::http::HeaderValue;
use axum::response::Response;

/// The points of all objects: pairs of little-endian floats.
pub fn points(app: &App) -> Answered<Response> {
    let model = model(app)?;
    let plane = model.plane().map_err(Failure::ours)?;
    let bytes = plane.points.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    let mut response = binary(bytes);
    let [a, b] = plane.explained;
    set(&mut response, "x-version", model.version.to_string());
    set(&mut response, "x-explained", format!("{a:.6},{b:.6}"));
    Ok(response)
}

/// Who has a bit: a byte an object.
pub fn bit_of_all(app: &App, at: usize) -> Answered<Response> {
    let model = model(app)?;
    let at = bit(&model, at)?;
    let mut response = binary(model.codes.column(at));
    set(&mut response, "x-version", model.version.to_string());
    Ok(response)
}

fn set(response: &mut Response, name: &'static str, text: String) {
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().insert(name, value);
    }
}
