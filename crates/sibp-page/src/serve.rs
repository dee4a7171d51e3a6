//! Accepts connections on this machine, and nothing else, until it is told to stop.

use crate::app::{App, locked};
use crate::guard::{Guard, Verdict, read_body, seal};
use crate::{PageError, Settings, Source, Start, api, asker, learner};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore};

/// Bytes of a request's head.
const HEAD_BYTES: usize = 64 << 10;
/// Time that requests have to end when the server does.
const GRACE: Duration = Duration::from_secs(2);
/// Connections that are told so at a time.
const PORCH: usize = 16;
/// Says that there are too many connections.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close\r\n\
    retry-after: 1\r\ncontent-length: 60\r\n\r\n{\"error\": \"there are too many connections; close some tabs\"}";

/// A page that is ready to be served.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
    stop: Stop,
}

/// Ends a server from another thread.
#[derive(Clone, Default)]
pub struct Stop(Arc<Notify>);

impl Stop {
    /// Ends it: requests that are under way are answered first.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

impl Server {
    /// Binds 127.0.0.1, prepares the model and reads the journal.
    pub fn bind(source: Source, start: Option<Start>, settings: Settings) -> Result<Self, PageError> {
        let port = settings.port;
        let refused = |source| PageError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let app = Arc::new(App::new(source, start, settings)?);
        Ok(Self { app, listener, address, stop: Stop::default() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address with the token, which lets a browser in.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.app.token.text())
    }

    /// What is worth saying before anybody looks: lines of the journal that were cut off, pictures that are missing.
    pub fn notes(&self) -> Vec<String> {
        locked(&self.app.notes).clone()
    }

    /// Ends the server.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// Serves until it is stopped.
    pub fn run(self) -> Result<(), PageError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let app = self.app.clone();
        let threads: Vec<_> = [asker::run as fn(&App), learner::run]
            .into_iter()
            .filter(|_| app.desk.is_some())
            .map(|work| {
                let app = app.clone();
                thread::spawn(move || work(&app))
            })
            .collect();
        if let Some(model) = app.model() {
            let app = app.clone();
            // The process may end before that does: nothing depends on it.
            thread::spawn(move || model.warm(&app.source));
        }
        let served = runtime.block_on(self.serve());
        app.end();
        runtime.shutdown_timeout(GRACE);
        // A fit ends soon after the flag, but for a step that cannot be stopped; nobody waits for that one, as nothing of it
        // is kept.
        let began = Instant::now();
        while began.elapsed() < GRACE && threads.iter().any(|thread| !thread.is_finished()) {
            thread::sleep(Duration::from_millis(10));
        }
        served
    }

    async fn serve(self) -> Result<(), PageError> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let limits = self.app.settings.limits;
        let door = Arc::new(Door {
            guard: Guard::new(self.address.port(), self.app.token.clone()),
            router: api::router(self.app.clone()),
            app: self.app,
            room: Arc::new(Semaphore::new(limits.connections)),
            porch: Arc::new(Semaphore::new(PORCH)),
            n_busy: AtomicUsize::new(0),
        });
        let accepting = tokio::spawn(accept(listener, door.clone()));
        self.stop.0.notified().await;
        accepting.abort();
        let began = Instant::now();
        while door.n_busy.load(Ordering::Relaxed) > 0 && began.elapsed() < GRACE {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }
}

/// All that connections share.
struct Door {
    app: Arc<App>,
    guard: Guard,
    router: Router,
    room: Arc<Semaphore>,
    /// Room for those who are told that there is none.
    porch: Arc<Semaphore>,
    /// Requests that are being answered.
    n_busy: AtomicUsize,
}

async fn accept(listener: tokio::net::TcpListener, door: Arc<Door>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No file descriptors are left, say; others will be closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let door = door.clone();
        match door.room.clone().try_acquire_owned() {
            Ok(permit) => {
                tokio::spawn(async move {
                    let _permit = permit;
                    door.connect(stream).await;
                });
            }
            // Of very many not even that is said: they are closed.
            Err(_) => {
                if let Ok(permit) = door.porch.clone().try_acquire_owned() {
                    tokio::spawn(async move {
                        let _permit = permit;
                        turn_away(stream).await;
                    });
                }
            }
        }
    }
}

/// Says that there is no room. What the other side has sent is read, as the answer would be lost otherwise.
async fn turn_away(mut stream: TcpStream) {
    let said = async {
        stream.write_all(BUSY).await?;
        stream.shutdown().await?;
        let mut sent = [0; 4096];
        while stream.read(&mut sent).await? > 0 {}
        std::io::Result::Ok(())
    };
    let _ = tokio::time::timeout(Duration::from_millis(500), said).await;
}

impl Door {
    /// Answers the requests of one connection.
    async fn connect(self: Arc<Self>, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let limits = self.app.settings.limits;
        let service = service_fn(move |request| {
            let door = self.clone();
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let mut server = http1::Builder::new();
        server.timer(TokioTimer::new()).header_read_timeout(limits.time).max_buf_size(HEAD_BYTES);
        // A connection that breaks is the other side's affair.
        let _ = server.serve_connection(TokioIo::new(stream), service).await;
    }

    async fn answer(&self, request: hyper::Request<Incoming>) -> Response {
        self.n_busy.fetch_add(1, Ordering::Relaxed);
        let path = request.uri().path().to_owned();
        let mut response = self.judged(request).await;
        seal(&mut response, &path);
        self.n_busy.fetch_sub(1, Ordering::Relaxed);
        response
    }

    /// Routes a request that the guard lets through.
    async fn judged(&self, request: hyper::Request<Incoming>) -> Response {
        let (head, body) = request.into_parts();
        if let Verdict::Answer(response) = self.guard.judge(&head) {
            return *response;
        }
        let body = match head.method {
            Method::POST => match read_body(&head.headers, Body::new(body), &self.app.settings.limits).await {
                Ok(bytes) => Body::from(bytes),
                Err(response) => return response,
            },
            _ => Body::empty(),
        };
        route(self.router.clone(), Request::from_parts(head, body)).await
    }
}

async fn route(mut router: Router, request: Request) -> Response {
    use tower_service::Service;
    match router.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
