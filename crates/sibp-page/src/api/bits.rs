//! Shows bits: the heat map of codes (`GET /api/bits`), and what one bit stands for.

use super::{Answered, bit, model};
use crate::app::{App, locked};
use crate::base64;
use crate::failure::Failure;
use crate::model::Shown;
use serde_json::{Value, json};
use sibp::triplets::Triplet;

/// Rows of the heat map, at most.
const ROWS: usize = 2_000;

/// All bits with their shares, and the codes of so many objects as a picture shows.
pub fn all(app: &App) -> Answered<Value> {
    let model = model(app)?;
    let order = app.source.sample(ROWS);
    let mut packed = Vec::with_capacity(order.len() * model.codes.n_bytes());
    for &row in &order {
        // The first bit is the highest of a byte in the library, and the lowest in the browser.
        packed.extend(model.codes.row(row).iter().map(|byte| byte.reverse_bits()));
    }
    let bits: Vec<Value> = shares(&model)
        .into_iter()
        .enumerate()
        .map(|(bit, share)| {
            json!({ "bit": bit, "kind": model.kind(bit), "share": share, "weight": model.coder.weights()[bit] })
        })
        .collect();
    let (codes, bytes) = (base64::encode(&packed), model.codes.n_bytes());
    Ok(json!({ "version": model.version, "bits": bits, "order": order, "codes": codes, "bytes": bytes }))
}

/// Share of objects that have each bit.
fn shares(model: &Shown) -> Vec<f64> {
    let n = model.codes.n_objects();
    let mut owners = vec![0usize; model.codes.n_bits()];
    for object in 0..n {
        for (at, &byte) in model.codes.row(object).iter().enumerate() {
            let mut left = byte;
            while left != 0 {
                let place = left.leading_zeros() as usize;
                owners[8 * at + place] += 1;
                left &= !(0x80 >> place);
            }
        }
    }
    owners.into_iter().map(|owners| owners as f64 / n.max(1) as f64).collect()
}

/// What one bit stands for.
pub fn one(app: &App, at: usize) -> Answered<Value> {
    let model = model(app)?;
    let at = bit(&model, at)?;
    let facts = &model.explainer(&app.source).map_err(Failure::ours)?.bits()[at];
    let drivers: Vec<Value> = facts
        .drivers
        .iter()
        .map(|driver| json!({ "input": app.source.input(driver.input), "correlation": driver.correlation }))
        .collect();
    let without = model
        .without(at, &answers(app), &app.source)
        .map(|found| json!({ "agreement": found.without, "agreement_with": found.with }));
    Ok(json!({
        "version": model.version,
        "bit": at,
        "kind": model.kind(at),
        "share": facts.share,
        "weight": facts.weight,
        "drivers": drivers,
        "surest": facts.surest,
        "just_not": facts.just_not,
        "without": without,
    }))
}

fn answers(app: &App) -> Vec<Triplet> {
    let Some(desk) = &app.desk else { return Vec::new() };
    locked(desk).ledger().triplets().map(|(triplet, ..)| triplet).collect()
}
