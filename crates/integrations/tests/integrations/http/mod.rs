//! The door to the network: what goes through it, what comes back, and what it keeps out.

mod outside;
mod private;

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use signalbox_integrations::http::{HttpError, Names, Reach, Request, Response, is_public, send, send_by};

use crate::server::{Server, answer, ok};

fn request<'a>(url: &'a str, reach: Reach) -> Request<'a> {
    Request {
        method: "GET",
        url,
        headers: &[],
        body: None,
        reach,
        time: Duration::from_secs(10),
        most: 100_000,
    }
}

fn get(url: &str) -> Result<Response, HttpError> {
    send(&request(url, Reach::Anywhere))
}

/// Names from a table, with a count of how often one was looked up.
fn table(entries: &[(&str, &[&str])]) -> (Names, Arc<AtomicUsize>) {
    let entries: Vec<(String, Vec<IpAddr>)> = entries
        .iter()
        .map(|(name, found)| {
            ((*name).to_owned(), found.iter().map(|address| address.parse().unwrap()).collect())
        })
        .collect();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let names: Names = Arc::new(move |name| {
        counted.fetch_add(1, Ordering::SeqCst);
        entries
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, found)| found.clone())
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    });
    (names, count)
}

#[test]
fn a_request_arrives_and_its_answer_comes_back() {
    let server = Server::answering(vec![answer("201 Created", &[("ETag", "\"x\"")], "made"), ok("")]);
    let url = server.url("/a?b=c");
    let sent = Request {
        method: "POST",
        headers: &[("X-One", "1"), ("Content-Type", "text/plain")],
        body: Some(b"body"),
        ..request(&url, Reach::Anywhere)
    };
    let response = send(&sent).unwrap();
    assert_eq!((response.status, response.body.as_slice()), (201, b"made".as_slice()));
    assert_eq!(response.header("etag"), Some("\"x\""));
    assert_eq!(response.header("none"), None);
    let asked = server.asked();
    assert_eq!((asked.line.as_str(), asked.body.as_slice()), ("POST /a?b=c", b"body".as_slice()));
    assert_eq!(asked.header("x-one"), Some("1"));
    assert!(asked.header("user-agent").unwrap().starts_with("signalbox/"));
    // A method that has a body says that it is empty.
    let empty = Request { method: "POST", ..request(&url, Reach::Anywhere) };
    send(&empty).unwrap();
    assert_eq!(server.asked().header("content-length"), Some("0"));
}

#[test]
fn an_error_status_and_a_redirect_are_answers() {
    let elsewhere = Server::answering(vec![ok("secret")]);
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let location = elsewhere.url("/secret");
        let server = Server::answering(vec![answer(status, &[("Location", &location)], "gone")]);
        let response = get(&server.url("/")).unwrap();
        assert_eq!(response.status.to_string(), status.split(' ').next().unwrap());
        assert_eq!(response.header("location"), Some(location.as_str()));
    }
    assert!(!elsewhere.was_asked());
    let server = Server::answering(vec![answer("500 Oh", &[], "no")]);
    assert_eq!(get(&server.url("/")).unwrap().status, 500);
}

#[test]
fn an_answer_is_bounded_in_length_and_time() {
    let endless = Server::doing(|stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        let piece = [b'x'; 65_536];
        for _ in 0..16_384 {
            if stream.write_all(&piece).is_err() {
                return;
            }
        }
    });
    let error = get(&endless.url("/")).unwrap_err();
    assert_eq!(error.to_string(), "127.0.0.1 answered with more than 100000 bytes");
    let exact = Server::answering(vec![ok(&"x".repeat(100_000)), ok(&"x".repeat(100_001))]);
    assert_eq!(get(&exact.url("/")).unwrap().body.len(), 100_000);
    assert!(get(&exact.url("/")).is_err());

    // One byte at a time, each in time for itself: until the reader has gone.
    let dripping = Server::doing(|stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        let (_wait, never) = std::sync::mpsc::channel::<()>();
        for _ in 0..600 {
            if stream.write_all(b"x").is_err() {
                return;
            }
            let _ = never.recv_timeout(Duration::from_millis(20));
        }
    });
    let silent = Server::doing(|stream, _| {
        let mut rest = Vec::new();
        let _ = std::io::Read::read_to_end(stream, &mut rest);
    });
    for server in [&dripping, &silent] {
        let url = server.url("/");
        let started = Instant::now();
        let short = Request { time: Duration::from_millis(300), ..request(&url, Reach::Anywhere) };
        let error = send(&short).unwrap_err();
        assert!(error.is_passing() && started.elapsed() < Duration::from_secs(3), "{error}");
        assert_eq!(error.to_string(), "127.0.0.1 did not answer within 1 second");
    }
}

#[test]
fn whatever_is_not_http_is_an_error() {
    let huge_header = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(200_000));
    for garbage in [
        b"".as_slice(),
        b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"HTTP/1.1 999999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
        &[0xff; 1000],
        huge_header.as_bytes(),
    ] {
        let server = Server::answering(vec![garbage.to_vec()]);
        let error = get(&server.url("/hooks/secret?key=secret")).unwrap_err();
        assert!(error.to_string().starts_with("127.0.0.1 "), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[test]
fn requests_cannot_be_forged_by_their_parts() {
    let server = Server::answering(Vec::new());
    let url = server.url("/");
    for headers in [
        [("X-A", "a\r\nX-B: b")],
        [("X-A", "a\n")],
        [("X-A: b\r\nX-B", "b")],
        [("", "b")],
        [("Host", "elsewhere")],
        [("Content-Length", "3")],
        [("transfer-encoding", "chunked")],
    ] {
        let sent = Request { headers: &headers, ..request(&url, Reach::Anywhere) };
        let error = send(&sent).unwrap_err();
        assert!(matches!(error, HttpError::Bad(_)) && !error.to_string().contains('\n'), "{error}");
    }
    let sent = Request { method: "GET / HTTP/1.1\r\nX", ..request(&url, Reach::Anywhere) };
    assert!(matches!(send(&sent), Err(HttpError::Bad(_))));
    assert!(!server.was_asked());
}

#[test]
fn the_checked_address_is_the_one_that_is_connected_to() {
    // A name that answers differently at the second question is asked only once.
    let server = Server::answering(vec![ok("one"), ok("secret")]);
    let (names, count) = table(&[("rebinding.test", &["127.0.0.1"])]);
    let url = format!("http://rebinding.test:{}/", server.address.port());
    assert_eq!(send_by(Arc::clone(&names), &request(&url, Reach::Anywhere)).unwrap().body, b"one");
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert_eq!(server.asked().header("host"), Some(url.trim_start_matches("http://").trim_end_matches('/')));
    let flips = Arc::new(AtomicUsize::new(0));
    let flipping: Names = {
        let flips = Arc::clone(&flips);
        Arc::new(move |_| {
            let first = flips.fetch_add(1, Ordering::SeqCst) == 0;
            // The first is public and never reached from a test: the time for it is short.
            Ok(vec![if first { "192.0.1.1" } else { "127.0.0.1" }.parse().unwrap()])
        })
    };
    let short = Request { time: Duration::from_millis(200), ..request(&url, Reach::Public) };
    assert!(matches!(send_by(flipping, &short), Err(HttpError::Failed(_))));
    assert_eq!(flips.load(Ordering::SeqCst), 1);
    assert!(!server.was_asked());
}

#[test]
fn a_name_that_takes_too_long_is_left_behind() {
    let (_held, forever) = std::sync::mpsc::channel::<()>();
    let forever = std::sync::Mutex::new(forever);
    let slow: Names = Arc::new(move |_| {
        let _ = forever.lock().unwrap().recv_timeout(Duration::from_secs(60));
        Ok(Vec::new())
    });
    let short = Request { time: Duration::from_millis(100), ..request("https://slow.test/", Reach::Public) };
    let started = Instant::now();
    let error = send_by(slow, &short).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(error.to_string(), "slow.test did not answer within 1 second");
    let panicking: Names = Arc::new(|_| panic!("on purpose"));
    let error = send_by(panicking, &request("https://bad.test/", Reach::Public)).unwrap_err();
    assert_eq!(error.to_string(), "bad.test is not known: its name leads to no address");
}

#[test]
fn certificates_are_verified() {
    // A server that speaks no TLS stands for one that cannot be trusted: there is no way around it.
    let server = Server::answering(vec![ok("secret")]);
    let error = get(&server.url("/").replace("http:", "https:")).unwrap_err();
    assert!(matches!(error, HttpError::Failed(_)), "{error}");
    assert!(!server.was_asked());
}

#[test]
fn what_is_public_is_told_from_what_is_not() {
    for (address, want) in [
        ("1.1.1.1", true),
        ("8.8.8.8", true),
        ("9.255.255.255", true),
        ("11.0.0.0", true),
        ("100.63.255.255", true),
        ("100.128.0.0", true),
        ("126.255.255.255", true),
        ("128.0.0.0", true),
        ("169.253.255.255", true),
        ("172.15.255.255", true),
        ("172.32.0.0", true),
        ("192.0.1.0", true),
        ("192.167.255.255", true),
        ("198.17.255.255", true),
        ("198.20.0.0", true),
        ("223.255.255.255", true),
        ("2606:4700::1111", true),
        ("2001:200::1", true),
        ("2a00::1", true),
        ("64:ff9b::808:808", true),
        ("::ffff:8.8.8.8", true),
        ("64:ff9b::10.0.0.1", false),
        ("2001:1ff::1", false),
        ("4000::1", false),
        ("1fff::1", false),
        ("::ffff:10.0.0.1", false),
        ("100.64.0.0", false),
        ("100.127.255.255", false),
    ] {
        assert_eq!(is_public(address.parse().unwrap()), want, "{address}");
    }
}
