//! Tells browsers of changes: server-sent events, each with the whole state, and a sign of life in between.

use crate::api::state;
use crate::app::App;
use axum::body::Bytes;
use futures_core::Stream;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// Time between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Changes within this time are told at once.
const TOGETHER: Duration = Duration::from_millis(150);

/// Events of one browser, as bytes.
pub struct Events(mpsc::Receiver<Bytes>);

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// Begins to tell; `permit` is held as long as the browser listens.
pub fn listen(app: Arc<App>, permit: OwnedSemaphorePermit) -> Events {
    let (send, receive) = mpsc::channel(4);
    tokio::spawn(async move {
        let _permit = permit;
        let mut changes = app.changes();
        let mut next = event(&app).await;
        while send.send(next).await.is_ok() && !app.is_over() {
            next = match tokio::time::timeout(HEARTBEAT, changes.changed()).await {
                Ok(Ok(())) => {
                    tokio::time::sleep(TOGETHER).await;
                    changes.mark_unchanged();
                    event(&app).await
                }
                Ok(Err(_)) => return,
                Err(_) => Bytes::from_static(b": still here\n\n"),
            };
        }
    });
    Events(receive)
}

/// The state as an event.
async fn event(app: &Arc<App>) -> Bytes {
    let app = app.clone();
    let state = tokio::task::spawn_blocking(move || state::state(&app).to_string()).await.unwrap_or_default();
    Bytes::from(format!("event: state\ndata: {state}\n\n"))
}
