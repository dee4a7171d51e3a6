//! Attacks the server: each of these must fail to get in, or to keep others out.

use crate::browser::{Answer, N, Page, journal_in, quick, source, start, table};
use serde_json::json;
use sibp_page::journal::JournalError;
use sibp_page::{Limits, PageError, Pictures, Server, Settings, Source};
use std::io::Write;
use std::time::Duration;

const PATHS: [&str; 7] = ["/", "/judge", "/assets/app.js", "/api/state", "/api/objects", "/api/image/0", "/api/events"];

#[test]
fn nobody_gets_in_without_the_token() {
    let page = Page::with_model();
    let wrong = format!("sibp-{}={}", page.address.port(), "0".repeat(64));
    let other = format!("sibp-1={}", page.token);
    for path in PATHS {
        for headers in [vec![], vec![("cookie", wrong.as_str())], vec![("cookie", other.as_str())]] {
            let answer = page.request(&format!("GET {path}"), &headers, "");
            assert_eq!(answer.status, 401, "{path}: {}", answer.text());
            assert!(!answer.text().contains(&page.token));
        }
    }
    let answer = page.request("POST /api/judge/next", &[("content-type", "application/json")], "{}");
    assert_eq!(answer.status, 401);
}

#[test]
fn a_token_in_the_address_becomes_a_cookie_and_disappears() {
    let page = Page::with_model();
    let answer = page.request(&format!("GET /search/3?k=5&token={}", page.token), &[], "");
    assert_eq!((answer.status, answer.header("location")), (303, Some("/search/3?k=5")));
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(page.request("GET /", &[("cookie", cookie)], "").status, 200);
    for token in ["", "0", &page.token[1..], &format!("{}0", page.token), &"f".repeat(64)] {
        let answer = page.request(&format!("GET /?token={token}"), &[], "");
        assert_eq!((answer.status, answer.header("set-cookie")), (401, None), "{token}");
    }
    // The address that is left never leads to another server.
    let answer = page.request(&format!("GET //evil.example/?token={}", page.token), &[], "");
    assert_eq!(answer.header("location"), Some("/evil.example/"));
}

/// A page of somebody else whose name is made to lead here (DNS rebinding) sends its own name as the host.
#[test]
fn another_host_is_refused_even_with_the_token() {
    let page = Page::with_model();
    let port = page.address.port();
    let cookie = page.cookie();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".into(),
        format!("127.0.0.1:{}", port ^ 1),
        String::new(),
        format!("127.0.0.1:{port}.evil.example"),
        format!("localhost:{port}@evil.example"),
    ] {
        for path in PATHS.map(str::to_owned).into_iter().chain([format!("/?token={}", page.token)]) {
            let answer = page.request(&format!("GET {path}"), &[("host", &host), ("cookie", &cookie)], "");
            assert_eq!(answer.status, 403, "{host} {path}: {}", answer.text());
            assert_eq!(answer.header("set-cookie"), None);
        }
    }
    let two = format!(
        "GET /api/state HTTP/1.1\r\nhost: {}\r\nhost: evil.example\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n",
        page.host()
    );
    assert!([400, 403].contains(&page.raw(two.as_bytes()).status));
    for host in [format!("localhost:{port}"), format!("[::1]:{port}"), format!("LOCALHOST:{port}")] {
        assert_eq!(page.request("GET /api/state", &[("host", &host), ("cookie", &cookie)], "").status, 200, "{host}");
    }
}

#[test]
fn posts_of_other_pages_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    let (cookie, own) = (page.cookie(), format!("http://{}", page.host()));
    let body = json!({ "judge": "ann", "n": 1, "seen": [] }).to_string();
    let post = |headers: &[(&str, &str)]| {
        let all = [&[("cookie", cookie.as_str()), ("content-type", "application/json")], headers].concat();
        page.request("POST /api/judge/next", &all, &body).status
    };
    let localhost = format!("http://localhost:{}", page.address.port());
    let secure = format!("https://{}", page.host());
    for origin in ["http://evil.example", "null", "", "http://127.0.0.1:1", &localhost, &secure] {
        assert_eq!(post(&[("origin", origin)]), 403, "{origin}");
        assert_eq!(post(&[("origin", origin), ("sec-fetch-site", "same-origin")]), 403, "{origin}");
    }
    for site in ["cross-site", "same-site", "none"] {
        assert_eq!(post(&[("sec-fetch-site", site)]), 403, "{site}");
    }
    assert_eq!(post(&[("sec-fetch-site", "same-site"), ("origin", &own)]), 403, "another port of this machine");
    assert_eq!(post(&[]), 403, "nothing says where it comes from");
    assert_eq!((post(&[("origin", &own)]), post(&[("sec-fetch-site", "same-origin")])), (200, 200));
}

/// Cookies do not know ports, so that a page of another port of this machine has them; it must not be able to use them.
#[test]
fn pages_of_other_ports_read_nothing() {
    let page = Page::with_model();
    let get = |path: &str, site: &str, mode: &str| {
        let headers = [("cookie", page.cookie()), ("sec-fetch-site", site.into()), ("sec-fetch-mode", mode.into())];
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        page.request(&format!("GET {path}"), &headers, "").status
    };
    for path in ["/api/state", "/api/image/0", "/assets/app.js"] {
        for mode in ["cors", "no-cors"] {
            assert_eq!(get(path, "same-site", mode), 403, "{path} {mode}");
            assert_eq!(get(path, "cross-site", mode), 403, "{path} {mode}");
        }
    }
    assert_eq!(get("/api/state", "cross-site", "navigate"), 403);
    assert_eq!((get("/api/state", "same-origin", "cors"), get("/judge", "none", "navigate")), (200, 200));
    let answer = page.get("/api/state");
    assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[test]
fn only_json_is_posted() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    let (cookie, own) = (page.cookie(), format!("http://{}", page.host()));
    let body = json!({ "judge": "ann" }).to_string();
    for kind in
        ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "", "application/jsonp"]
    {
        let headers = [("cookie", cookie.as_str()), ("origin", own.as_str()), ("content-type", kind)];
        assert_eq!(page.request("POST /api/judge/next", &headers, &body).status, 415, "{kind}");
    }
    let headers = [("cookie", cookie.as_str()), ("origin", own.as_str())];
    assert_eq!(page.request("POST /api/judge/next", &headers, &body).status, 415);
    for body in ["", "{", "[]", "{\"judge\": 3}", "{\"judge\": \"\"}", "{\"judge\": \"a\\nb\"}", &"[".repeat(100_000)] {
        let headers = [headers[0], headers[1], ("content-type", "application/json; charset=utf-8")];
        assert_eq!(page.request("POST /api/judge/next", &headers, body).status, 400, "{}", &body[..body.len().min(20)]);
    }
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
        assert_eq!(page.request(&format!("{method} /api/state"), &headers, "").status, 405, "{method}");
    }
}

#[test]
fn large_bodies_are_refused_before_and_while_they_come() {
    let page = Page::with_model();
    let head = format!(
        "POST /api/search HTTP/1.1\r\nhost: {0}\r\ncookie: {1}\r\norigin: http://{0}\r\ncontent-type: application/json\r\nconnection: close\r\n",
        page.host(),
        page.cookie()
    );
    // It is told to be large, and nothing follows.
    let answer = page.raw(format!("{head}content-length: 2000000\r\n\r\n").as_bytes());
    assert_eq!((answer.status, answer.error().contains("larger")), (413, true));
    // It does not tell how large it is.
    let mut request = format!("{head}transfer-encoding: chunked\r\n\r\n").into_bytes();
    let chunk = [format!("{:x}\r\n", 65_536).as_bytes(), &[b' '; 65_536], b"\r\n"].concat();
    (0..17).for_each(|_| request.extend(&chunk));
    assert_eq!(page.raw(&request).status, 413);
    let large = format!("{{\"values\": [{}0]}}", "0,".repeat(400_000));
    let answer = page.post("/api/search", &serde_json::from_str(&large).unwrap());
    assert_eq!((answer.status, answer.error().contains("3 inputs")), (400, true), "below the limit it is read");
    // A head that does not end.
    let answer =
        page.raw(format!("GET / HTTP/1.1\r\nhost: {}\r\nx: {}\r\n\r\n", page.host(), "a".repeat(200_000)).as_bytes());
    assert!([0, 431].contains(&answer.status), "{}", answer.status);
    assert_eq!(page.get("/api/state").status, 200);
}

#[test]
fn slow_requests_are_ended() {
    let page = Page::new(source(), Some(start()), Settings { limits: quick(), ..Settings::default() });
    let mut slow_head = page.connect();
    slow_head.write_all(b"GET /api/state HTTP/1.1\r\nhost:").unwrap();
    let mut slow_body = page.connect();
    let head = format!(
        "POST /api/search HTTP/1.1\r\nhost: {0}\r\ncookie: {1}\r\norigin: http://{0}\r\ncontent-type: application/json\r\ncontent-length: 100\r\nconnection: close\r\n\r\n{{",
        page.host(),
        page.cookie()
    );
    slow_body.write_all(head.as_bytes()).unwrap();
    let answer = Answer::read(slow_body);
    assert_eq!((answer.status, answer.error().contains("slowly")), (408, true));
    // The connection is closed, with an answer or without.
    assert!([0, 408].contains(&Answer::read(slow_head).status));
    assert_eq!(page.get("/api/state").status, 200);
}

#[test]
fn a_flood_of_connections_is_turned_away_and_passes() {
    let limits = Limits { connections: 8, ..quick() };
    let page = Page::new(source(), Some(start()), Settings { limits, ..Settings::default() });
    let flood: Vec<_> = (0..8).map(|_| page.connect()).collect();
    // All of them wait in the queue of the system until they are accepted.
    let mut refused = page.get("/api/state").status;
    for _ in 0..100 {
        if refused == 503 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
        refused = page.get("/api/state").status;
    }
    assert_eq!(refused, 503);
    // Those that say nothing are closed in time, also while they are held open on this side.
    let mut status = 503;
    for _ in 0..1000 {
        status = page.get("/api/state").status;
        if status == 200 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(status, 200);
    drop(flood);
}

#[test]
fn listeners_have_a_limit_of_their_own() {
    let limits = Limits { listeners: 2, ..Limits::default() };
    let page = Page::new(source(), Some(start()), Settings { limits, ..Settings::default() });
    let request = format!("GET /api/events HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", page.host(), page.cookie());
    let listen = || {
        let mut stream = page.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut first = [0; 12];
        std::io::Read::read_exact(&mut stream, &mut first).unwrap();
        (String::from_utf8(first.to_vec()).unwrap(), stream)
    };
    let listeners = [listen(), listen()];
    assert!(listeners.iter().all(|(first, _)| first == "HTTP/1.1 200"));
    assert_eq!(listen().0, "HTTP/1.1 503");
    assert_eq!(page.get("/api/state").status, 200, "others are answered");
}

#[test]
fn pictures_go_by_number_and_never_by_path() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, secret) = (folder.path().join("in"), folder.path().join("secret.png"));
    std::fs::create_dir(&inside).unwrap();
    let png = [0x89, b'P', b'N', b'G', 1, 2, 3];
    std::fs::write(&secret, [&png[..], b"secret"].concat()).unwrap();
    std::fs::write(inside.join("object 0.png"), png).unwrap();
    let table = table();
    let pictures = Pictures::in_folder(&inside, table.ids.as_ref(), N).unwrap();
    let page = Page::new(Source { pictures, ..source() }, Some(start()), Settings::default());
    let answer = page.get("/api/image/0");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/png")));
    for path in [
        "/api/image/../secret.png",
        "/api/image/..%2fsecret.png",
        "/api/image/%2e%2e%2fsecret",
        "/api/image/1",
        "/api/image/-1",
        "/api/image/99999",
        "/api/image/0/../../secret.png",
        "/api/image/18446744073709551616",
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/../../../../etc/passwd",
        "/api/image/object%200",
    ] {
        let answer = page.get(path);
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
        assert!(!answer.text().contains("secret"), "{path}");
    }
}

/// An id, a label or a judge's name is text wherever it goes: it is sent as JSON, which no browser takes for a page.
#[test]
fn names_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), Some(start()), journal_in(folder.path()));
    let hostile = "<img src=x onerror=alert(1)>";
    assert_eq!(page.json("/api/object/3")["id"], hostile);
    assert_eq!(page.json("/api/objects")["ids"][3], hostile);
    page.questions(hostile, 1);
    assert_eq!(page.json("/api/judge/progress")["judges"][0]["name"], hostile);
    for path in ["/", "/api/object/3", "/api/objects", "/api/judge/progress", "/api/nothing", "/search/%3Cscript%3E"] {
        let answer = page.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        let is_page = answer.header("content-type") == Some("text/html; charset=utf-8");
        assert!(!answer.text().contains(hostile) || !is_page, "{path}");
        if path.starts_with("/api") {
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
            assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        }
    }
}

#[test]
fn two_servers_do_not_write_one_journal() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::new(source(), None, journal_in(folder.path()));
    let refused = Server::bind(source(), None, journal_in(folder.path())).err().unwrap();
    assert!(matches!(refused, PageError::Journal(JournalError::Locked { .. })), "{refused}");
    page.stop();
    assert!(Server::bind(source(), None, journal_in(folder.path())).is_ok());
}

#[test]
fn nothing_but_this_machine_is_bound() {
    let page = Page::with_model();
    assert_eq!(page.address.ip().to_string(), "127.0.0.1");
    let taken = Server::bind(source(), None, Settings { port: page.address.port(), ..Settings::default() });
    assert!(matches!(taken.err(), Some(PageError::Listen { .. })));
}
