//! Says what went wrong: to whoever starts the server, and to the browser.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::path::PathBuf;
use thiserror::Error;

/// Why a page cannot be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PageError {
    /// The port is taken, or the machine refuses.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// Why.
        source: std::io::Error,
    },
    /// The system has no random numbers.
    #[error("the system gives no random numbers for a token: {reason}")]
    NoToken {
        /// Why.
        reason: String,
    },
    /// The server could not be set up.
    #[error("the server cannot start: {0}")]
    Start(#[from] std::io::Error),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] crate::journal::JournalError),
    /// The model gives no codes to the objects.
    #[error(transparent)]
    Coding(#[from] sibp::pipeline::CodingError),
    /// Codes that cannot be searched or drawn.
    #[error("{0}")]
    Model(String),
    /// There is nothing to show.
    #[error("there are no objects to show")]
    NoObjects,
    /// A folder of images that cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Images {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// An answer that is none: a status, and a sentence for people.
#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    sentence: String,
}

impl Failure {
    /// A failure with this status.
    pub fn new(status: StatusCode, sentence: impl Into<String>) -> Self {
        Self { status, sentence: sentence.into() }
    }

    /// The request makes no sense.
    pub fn bad(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// There is no such thing.
    pub fn missing(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, sentence)
    }

    /// There is no model yet.
    pub fn no_model() -> Self {
        Self::new(StatusCode::CONFLICT, "there is no model yet: answer questions, and codes are learned from them")
    }

    /// Something of ours went wrong.
    pub fn ours(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.sentence }).to_string();
        (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}
