//! Routes requests to the views, one a file. Whatever takes time runs beside the connections.

mod bits;
mod judge;
mod map;
mod objects;
mod overview;
mod search;
pub mod state;

use crate::app::App;
use crate::failure::Failure;
use crate::model::Shown;
use crate::{assets, events};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What all requests share, and how many browsers may listen.
#[derive(Clone)]
struct Shared {
    app: Arc<App>,
    listeners: Arc<Semaphore>,
}

/// All routes.
pub fn router(app: Arc<App>) -> Router {
    let listeners = Arc::new(Semaphore::new(app.settings.limits.listeners));
    let views = ["/", "/overview", "/bits", "/bits/{bit}", "/map", "/search", "/search/{object}", "/judge"];
    let router = views.into_iter().fold(Router::new(), |router, path| router.route(path, get(assets::index)));
    router
        .route("/assets/app.js", get(assets::script))
        .route("/assets/app.css", get(assets::style))
        .route("/api/state", get(|State(shared): Shares| plain(shared, |app| Ok(state::state(app)))))
        .route("/api/overview", get(|State(shared): Shares| plain(shared, |app| Ok(overview::overview(app)))))
        .route("/api/objects", get(|State(shared): Shares| plain(shared, |app| Ok(objects::all(app)))))
        .route("/api/object/{object}", get(|s: Shares, p: Number| numbered(s, p, objects::one)))
        .route("/api/image/{object}", get(|s: Shares, p: Number| numbered_bytes(s, p, objects::image)))
        .route("/api/bits", get(|State(shared): Shares| plain(shared, bits::all)))
        .route("/api/bits/{bit}", get(|s: Shares, p: Number| numbered(s, p, bits::one)))
        .route("/api/map", get(|State(shared): Shares| bytes(shared, map::points)))
        .route("/api/map/bit/{bit}", get(|s: Shares, p: Number| numbered_bytes(s, p, map::bit_of_all)))
        .route("/api/search", get(|s: Shares, q: RawQuery| asked(s, q, search::near)).post(posted(search::near_vector)))
        .route("/api/explain", get(|s: Shares, q: RawQuery| asked(s, q, search::explain)))
        .route("/api/judge/next", post(posted(judge::next)))
        .route("/api/judge/answer", post(posted(judge::answer)))
        .route("/api/judge/undo", post(posted(judge::undo)))
        .route("/api/judge/progress", get(|State(shared): Shares| plain(shared, judge::progress)))
        .route("/api/events", get(listen))
        .fallback(|| async { Failure::missing("there is nothing at this address") })
        .method_not_allowed_fallback(|| async { Failure::new(StatusCode::METHOD_NOT_ALLOWED, "not in this way") })
        .with_state(Shared { app, listeners })
}

type Shares = State<Shared>;
type Number = Result<Path<usize>, axum::extract::rejection::PathRejection>;
type Answered<T> = Result<T, Failure>;

/// Runs work on a thread where waiting harms nobody.
async fn beside<T: IntoResponse + Send + 'static>(
    shared: Shared,
    work: impl FnOnce(&App) -> Answered<T> + Send + 'static,
) -> Response {
    match tokio::task::spawn_blocking(move || work(&shared.app)).await {
        Ok(answer) => answer.into_response(),
        Err(_) => Failure::ours("this answer failed inside the server; the others go on").into_response(),
    }
}

/// JSON as a response.
struct Json(Value);

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0.to_string()).into_response()
    }
}

async fn plain(shared: Shared, work: fn(&App) -> Answered<Value>) -> Response {
    beside(shared, move |app| work(app).map(Json)).await
}

async fn bytes(shared: Shared, work: fn(&App) -> Answered<Response>) -> Response {
    beside(shared, work).await
}

async fn numbered(State(shared): Shares, number: Number, work: fn(&App, usize) -> Answered<Value>) -> Response {
    match number {
        Ok(Path(number)) => beside(shared, move |app| work(app, number).map(Json)).await,
        Err(_) => no_number().into_response(),
    }
}

async fn numbered_bytes(
    State(shared): Shares,
    number: Number,
    work: fn(&App, usize) -> Answered<Response>,
) -> Response {
    match number {
        Ok(Path(number)) => beside(shared, move |app| work(app, number)).await,
        Err(_) => no_number().into_response(),
    }
}

fn no_number() -> Failure {
    Failure::missing("objects and bits go by whole numbers from 0 on")
}

/// Answers a question in the address.
async fn asked<Q: DeserializeOwned + Send + 'static>(
    State(shared): Shares,
    RawQuery(query): RawQuery,
    work: fn(&App, Q) -> Answered<Value>,
) -> Response {
    let address = format!("/?{}", query.unwrap_or_default()).parse::<Uri>().unwrap_or_default();
    match Query::<Q>::try_from_uri(&address) {
        Ok(Query(query)) => beside(shared, move |app| work(app, query).map(Json)).await,
        Err(error) => Failure::bad(error.body_text()).into_response(),
    }
}

/// Answers a JSON body.
fn posted<Q: DeserializeOwned + Send + 'static>(
    work: fn(&App, Q) -> Answered<Value>,
) -> impl Fn(Shares, Bytes) -> std::pin::Pin<Box<dyn Future<Output = Response> + Send>> + Clone + Send + Sync + 'static
{
    move |State(shared): Shares, body: Bytes| {
        Box::pin(beside(shared, move |app| {
            let content =
                serde_json::from_slice(&body).map_err(|error| Failure::bad(format!("the request: {error}")))?;
            work(app, content).map(Json)
        }))
    }
}

/// Tells of changes from now on.
async fn listen(State(shared): Shares) -> Response {
    match shared.listeners.clone().try_acquire_owned() {
        Ok(permit) => {
            let body = Body::from_stream(events::listen(shared.app.clone(), permit));
            ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
        }
        Err(_) => Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too many tabs listen; close some").into_response(),
    }
}

/// Bytes without any meaning to the browser.
fn binary(bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response()
}

/// The model at hand.
fn model(app: &App) -> Answered<Arc<Shown>> {
    app.model().ok_or_else(Failure::no_model)
}

/// Refuses an object that is none.
fn object(app: &App, object: usize) -> Answered<usize> {
    let n = app.source.n_objects();
    let refused = || Failure::missing(format!("there is no object {object}; they are 0 to {}", n - 1));
    if object < n { Ok(object) } else { Err(refused()) }
}

/// Refuses a bit that is none.
fn bit(shown: &Shown, bit: usize) -> Answered<usize> {
    let n = shown.codes.n_bits();
    let refused = || Failure::missing(format!("there is no bit {bit}; they are 0 to {}", n.saturating_sub(1)));
    if bit < n { Ok(bit) } else { Err(refused()) }
}
