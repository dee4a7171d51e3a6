//! Holds the page itself: one document, one script, one style sheet, built from `web/` and embedded.

use axum::http::header;
use axum::response::{IntoResponse, Response};

const INDEX: &[u8] = include_bytes!("../web/dist/index.html");
const SCRIPT: &[u8] = include_bytes!("../web/dist/app.js");
const STYLE: &[u8] = include_bytes!("../web/dist/app.css");

/// The document, which shows whatever view the address names.
pub async fn index() -> Response {
    reply("text/html; charset=utf-8", "no-cache", INDEX)
}

/// The script. Its address has its hash behind it, so that browsers may keep it.
pub async fn script() -> Response {
    reply("text/javascript; charset=utf-8", KEEP, SCRIPT)
}

/// The style sheet.
pub async fn style() -> Response {
    reply("text/css; charset=utf-8", KEEP, STYLE)
}

const KEEP: &str = "private, max-age=31536000, immutable";

fn reply(kind: &'static str, cache: &'static str, bytes: &'static [u8]) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, cache)], bytes).into_response()
}
