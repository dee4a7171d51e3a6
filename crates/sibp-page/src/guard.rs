//! Lets requests in before they are routed: by host, token, origin, type, size and time.

use crate::failure::Failure;
use crate::token::Token;
use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use std::time::Duration;

/// What may be used up before anybody is known to be let in, and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time; further ones are turned away.
    pub connections: usize,
    /// Browsers that hear of changes at a time.
    pub listeners: usize,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Time for a request's head, and for its body.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 64, listeners: 24, body_bytes: 1 << 20, time: Duration::from_secs(10) }
    }
}

/// Nothing is loaded from elsewhere, nothing inline runs, nobody frames the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What is known of the server that is guarded.
pub struct Guard {
    hosts: Vec<String>,
    token: Token,
    cookie: String,
}

/// What becomes of a request.
pub enum Verdict {
    /// It is routed.
    Pass,
    /// It is answered at once.
    Answer(Box<Response>),
}

impl Guard {
    /// Guards a server on this port of this machine.
    pub fn new(port: u16, token: Token) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}")).to_vec();
        // Cookies do not know ports: two pages at a time need two names.
        Self { hosts, token, cookie: format!("sibp-{port}") }
    }

    /// Looks at the head of a request.
    pub fn judge(&self, head: &Parts) -> Verdict {
        match self.check(head) {
            Ok(None) => Verdict::Pass,
            Ok(Some(answer)) => Verdict::Answer(Box::new(answer)),
            Err(failure) => Verdict::Answer(Box::new(failure.into_response())),
        }
    }

    fn check(&self, head: &Parts) -> Result<Option<Response>, Failure> {
        let host = self.host(&head.headers)?;
        if ![Method::GET, Method::HEAD, Method::POST].contains(&head.method) {
            return Err(Failure::new(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are answered"));
        }
        if let Some((token, rest)) = token_of(&head.uri).filter(|_| head.method == Method::GET) {
            return self.let_in(&token, &rest).map(Some);
        }
        if !self.has_cookie(&head.headers) {
            return Err(unknown());
        }
        check_site(head)?;
        if head.method == Method::POST {
            check_origin(&head.headers, host)?;
            check_type(&head.headers)?;
        }
        Ok(None)
    }

    /// The host that the browser thinks it talks to. A name that leads here by somebody else's DNS is none of ours.
    fn host<'a>(&self, headers: &'a HeaderMap) -> Result<&'a str, Failure> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
        match hosts.next().is_none() && self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)) {
            true => Ok(host),
            false => Err(Failure::new(
                StatusCode::FORBIDDEN,
                "this server answers under its own address only; take the one that sibp page printed",
            )),
        }
    }

    /// Turns a token in the address into a cookie, and the address into one without it.
    fn let_in(&self, token: &str, rest: &str) -> Result<Response, Failure> {
        if !self.token.is(token) {
            return Err(unknown());
        }
        let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie, self.token.text());
        let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, rest.to_owned())];
        Ok((StatusCode::SEE_OTHER, headers).into_response())
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == self.cookie).any(|(_, value)| self.token.is(value))
    }
}

fn unknown() -> Failure {
    Failure::new(
        StatusCode::UNAUTHORIZED,
        "this page is open to whoever has its address with the token; open the one that sibp page printed",
    )
}

/// The token in an address, and the address without it. The rest stays on this server: it begins with one slash.
fn token_of(uri: &Uri) -> Option<(String, String)> {
    let query = uri.query()?;
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="))?.to_owned();
    let rest: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("token=")).collect();
    let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
    Some((token, if rest.is_empty() { path } else { format!("{path}?{}", rest.join("&")) }))
}

/// Refuses what another page asks for, also one of another port of this machine, for which cookies are the same. Opening
/// the page from elsewhere is no such thing.
fn check_site(head: &Parts) -> Result<(), Failure> {
    let of = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    match (of("sec-fetch-site"), of("sec-fetch-mode")) {
        (None | Some("same-origin" | "none"), _) => Ok(()),
        (_, Some("navigate")) if head.method == Method::GET && !head.uri.path().starts_with("/api") => Ok(()),
        _ => Err(foreign()),
    }
}

/// A browser says where a POST comes from; what says nothing is let in by no guess.
fn check_origin(headers: &HeaderMap, host: &str) -> Result<(), Failure> {
    let own = format!("http://{host}");
    let of = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match (of("origin"), of("sec-fetch-site")) {
        (Some(origin), _) if origin.eq_ignore_ascii_case(&own) => Ok(()),
        (None, Some("same-origin")) => Ok(()),
        _ => Err(foreign()),
    }
}

fn foreign() -> Failure {
    Failure::new(StatusCode::FORBIDDEN, "this request comes from another page")
}

/// Forms of other pages cannot send JSON.
fn check_type(headers: &HeaderMap) -> Result<(), Failure> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        true => Ok(()),
        false => Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json")),
    }
}

/// Reads a body to its end, within its size and time.
pub async fn read_body(headers: &HeaderMap, body: Body, limits: &Limits) -> Result<Bytes, Response> {
    let too_large = || Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "the request is larger than this server takes");
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if length.and_then(|text| text.parse::<usize>().ok()).is_some_and(|length| length > limits.body_bytes) {
        return Err(too_large().into_response());
    }
    match tokio::time::timeout(limits.time, axum::body::to_bytes(body, limits.body_bytes)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large().into_response()),
        Err(_) => Err(Failure::new(StatusCode::REQUEST_TIMEOUT, "the request came too slowly").into_response()),
    }
}

/// Adds what every answer says to the browser about itself.
pub fn seal(response: &mut Response, path: &str) {
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set("content-security-policy", POLICY);
    set("x-content-type-options", "nosniff");
    set("referrer-policy", "no-referrer");
    set("cross-origin-resource-policy", "same-origin");
    set("cross-origin-opener-policy", "same-origin");
    set("x-frame-options", "DENY");
    if path.starts_with("/api") || !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_without_its_token_stays_on_this_server() {
        let rest = |text: &str| token_of(&text.parse().unwrap());
        let found = |token: &str, rest: &str| Some((token.to_owned(), rest.to_owned()));
        assert_eq!(rest("/?token=abc"), found("abc", "/"));
        assert_eq!(rest("/search/3?k=5&token=abc"), found("abc", "/search/3?k=5"));
        assert_eq!(rest("//evil.example/?token=abc"), found("abc", "/evil.example/"));
        assert_eq!(rest("/\\evil.example/?token=abc"), found("abc", "/evil.example/"));
        assert_eq!(rest("/?untoken=abc"), None);
    }
}
