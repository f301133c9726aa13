//! The two servers: which path means what, and what an answer carries besides its body.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::{Value, json};

use super::world::Said;
use super::{OWNER, REPO, Shared, TOKEN, lock};
use crate::model::http::{self, Incoming};

/// A request that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// With its query.
    pub path: String,
    pub authorization: Option<String>,
    /// `If-None-Match`.
    pub tag: Option<String>,
    pub range: Option<String>,
    pub status: u16,
}

/// An answer that is not the usual one.
#[derive(Debug, Clone)]
pub struct Instead {
    /// Words in the path.
    pub of: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

/// What an answer's body is.
#[derive(Clone)]
pub enum Body {
    Bytes(Vec<u8>),
    /// What is made of the usual body.
    Changed(Arc<dyn Fn(Value) -> Value + Send + Sync>),
    /// So many bytes of the same letter.
    Long(u64),
    /// It begins and never ends.
    Stuck,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Changed(_) => f.write_str("changed"),
            Self::Long(count) => write!(f, "{count} bytes"),
            Self::Stuck => f.write_str("stuck"),
        }
    }
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Value,
}

impl Answer {
    fn ok(body: Value) -> Self {
        Self { status: 200, headers: Vec::new(), body }
    }

    fn error(status: u16, message: &str) -> Self {
        let body = json!({ "message": message, "documentation_url": "https://docs.github.com/rest", "status": status.to_string() });
        Self { status, headers: Vec::new(), body }
    }
}

pub fn api(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    let Some(incoming) = http::read(&mut BufReader::new(stream))? else { return Ok(()) };
    let mut answer = answer(shared, &incoming);
    let tag = tag_of(&answer.body);
    let is_same = answer.status == 200 && incoming.header("if-none-match") == Some(tag.as_str());
    let (date, left, reset) = {
        let mut world = lock(&shared.world);
        if !is_same && answer.status == 200 {
            world.left = world.left.saturating_sub(1);
        }
        (world.clock(), world.left, world.epoch() + 1800)
    };
    answer.headers.extend([
        ("Date".to_owned(), format!("Sun, 15 Nov 2026 {date} GMT")),
        ("X-RateLimit-Limit".to_owned(), "5000".to_owned()),
        ("X-RateLimit-Remaining".to_owned(), left.to_string()),
        ("X-RateLimit-Reset".to_owned(), reset.to_string()),
    ]);
    if answer.status == 200 {
        answer.headers.push(("ETag".to_owned(), tag));
    }
    let instead = lock(&shared.instead).iter().find(|one| incoming.path.contains(&one.of)).cloned();
    let (status, headers, body) = match instead {
        None if is_same => (304, answer.headers, Body::Bytes(Vec::new())),
        None => (answer.status, answer.headers, Body::Bytes(answer.body.to_string().into_bytes())),
        Some(instead) => {
            // Where both say something of the same, the unusual counts.
            let is_said =
                |name: &str| instead.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
            answer.headers.retain(|(name, _)| !is_said(name) && name != "ETag");
            answer.headers.extend(instead.headers.clone());
            let body = match instead.body {
                Body::Changed(change) => Body::Bytes(change(answer.body).to_string().into_bytes()),
                other => other,
            };
            (instead.status, answer.headers, body)
        }
    };
    lock(&shared.asked).push(asked(&incoming, status));
    write(stream, status, &headers, &body)
}

pub fn logs(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    let Some(incoming) = http::read(&mut BufReader::new(stream))? else { return Ok(()) };
    let instead = lock(&shared.instead).iter().find(|one| incoming.path.contains(&one.of)).cloned();
    let log = incoming.path.strip_prefix("/kept/").and_then(|id| id.parse().ok()).and_then(|id| {
        let world = lock(&shared.world);
        let log = world.find_check(id)?.log.clone()?;
        Some(
            log.lines()
                .map(|line| format!("2026-11-15T{}.1234567Z {line}\n", world.clock()))
                .collect::<String>(),
        )
    });
    let (status, headers, body) = match (log, instead) {
        (_, Some(instead)) => (instead.status, instead.headers, instead.body),
        (Some(log), None) => (200, Vec::new(), Body::Bytes(format!("\u{feff}{log}").into_bytes())),
        (None, None) => (404, Vec::new(), Body::Bytes(Vec::new())),
    };
    // A long log can be had in parts, as where GitHub keeps them.
    let (status, headers, body) = match (incoming.header("range"), body) {
        (Some(range), Body::Long(length)) => {
            let (from, to) = range.trim_start_matches("bytes=").split_once('-').unwrap_or_default();
            let from: u64 = from.parse().unwrap_or(0);
            let to = to.parse().unwrap_or(length - 1).min(length - 1);
            let part = ("Content-Range".to_owned(), format!("bytes {from}-{to}/{length}"));
            let mut body = vec![b'x'; usize::try_from(to - from).unwrap_or(0)];
            body.push(b'\n');
            if to > from {
                body.extend_from_slice(b"the end\n");
            }
            (206, vec![part], Body::Bytes(body))
        }
        (_, body) => (status, headers, body),
    };
    lock(&shared.asked_for_logs).push(asked(&incoming, status));
    write(stream, status, &headers, &body)
}

fn asked(incoming: &Incoming, status: u16) -> Asked {
    let header = |name: &str| incoming.header(name).map(ToOwned::to_owned);
    Asked {
        path: incoming.path.clone(),
        authorization: header("authorization"),
        tag: header("if-none-match"),
        range: header("range"),
        status,
    }
}

fn answer(shared: &Shared, incoming: &Incoming) -> Answer {
    if incoming.header("authorization") != Some(&format!("Bearer {TOKEN}")) {
        return Answer::error(401, "Bad credentials");
    }
    let world = lock(&shared.world);
    if world.left == 0 {
        return Answer::error(403, "API rate limit exceeded for user ID 1.");
    }
    let (path, query) = incoming.path.split_once('?').unwrap_or((&incoming.path, ""));
    let parameter = |name: &str| {
        let found = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        found.map(decoded).unwrap_or_default()
    };
    if path == "/user" {
        return Answer::ok(json!({ "login": OWNER, "id": 1, "type": "User" }));
    }
    let Some(rest) = path.strip_prefix(&format!("/repos/{REPO}/")) else {
        return Answer::error(404, "Not Found");
    };
    let parts: Vec<String> = rest.split('/').map(decoded).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let page = |list: Vec<Value>| paged(shared, path, list, &parameter("per_page"), &parameter("page"));
    match parts.as_slice() {
        ["pulls"] => page(world.pulls_of(&parameter("head"))),
        ["pulls", id] => match world.pulls.iter().find(|pull| pull.number == number(id)) {
            Some(pull) => Answer::ok(world.shown_pull(pull, true)),
            None => Answer::error(404, "Not Found"),
        },
        ["pulls", id, "reviews"] => page(said(&world.reviews, number(id))),
        ["pulls", id, "comments"] => page(said(&world.remarks, number(id))),
        ["issues", id, "comments"] => page(said(&world.comments, number(id))),
        ["issues", id] => match world.issues.get(&number(id)) {
            Some(closed) => Answer::ok(json!({
                "number": number(id), "title": "An issue", "state": if closed.is_some() { "closed" } else { "open" },
                "state_reason": closed,
            })),
            None => Answer::error(404, "Not Found"),
        },
        ["git", "matching-refs", "heads", branch @ ..] => {
            let begin = branch.join("/");
            let refs = world.branches.iter().filter(|(name, _)| name.starts_with(&begin)).map(|(name, sha)| {
                json!({ "ref": format!("refs/heads/{name}"), "object": { "type": "commit", "sha": sha } })
            });
            page(refs.collect())
        }
        ["commits", sha, "check-runs"] => {
            let all = world.shown_checks(sha);
            let total = all.len();
            let mut answer = page(all);
            answer.body = json!({ "total_count": total, "check_runs": answer.body });
            answer
        }
        ["commits", sha, "status"] => {
            let all = world.shown_statuses(sha);
            let total = all.len();
            let mut answer = page(all);
            answer.body =
                json!({ "state": "pending", "sha": sha, "total_count": total, "statuses": answer.body });
            answer
        }
        ["actions", "jobs", id] => match world.find_check(number(id)) {
            Some(check) => Answer::ok(check.job()),
            None => Answer::error(404, "Not Found"),
        },
        ["actions", "jobs", id, "logs"] => {
            let mut answer = Answer::error(302, "Found");
            answer.headers.push(("Location".to_owned(), format!("http://{}/kept/{id}", shared.logs)));
            answer
        }
        _ => Answer::error(404, "Not Found"),
    }
}

fn said(by_pull: &BTreeMap<u64, Vec<Said>>, number: u64) -> Vec<Value> {
    by_pull.get(&number).into_iter().flatten().map(|said| said.shown(number)).collect()
}

/// One page of a list, with the header that says where the others are.
fn paged(shared: &Shared, path: &str, list: Vec<Value>, per_page: &str, page: &str) -> Answer {
    let size = per_page.parse::<usize>().unwrap_or(30).clamp(1, 100);
    let page = page.parse::<usize>().unwrap_or(1).max(1);
    let last = list.len().div_ceil(size).max(1);
    let mut answer = Answer::ok(list.into_iter().skip((page - 1) * size).take(size).collect());
    if page < last {
        let link = |page: usize, what: &str| {
            format!("<http://{}{path}?per_page={size}&page={page}>; rel=\"{what}\"", shared.api)
        };
        let links = format!("{}, {}", link(page + 1, "next"), link(last, "last"));
        answer.headers.push(("Link".to_owned(), links));
    }
    answer
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16)).unwrap_or(0);
        bytes.push(if byte == b'%' { (hex(rest.next()) * 16 + hex(rest.next())) as u8 } else { byte });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tag_of(body: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    body.to_string().hash(&mut hasher);
    format!("W/\"{:016x}\"", hasher.finish())
}

fn write(mut stream: &TcpStream, status: u16, headers: &[(String, String)], body: &Body) -> io::Result<()> {
    let length = match body {
        Body::Bytes(bytes) => bytes.len() as u64,
        Body::Long(length) => *length,
        Body::Changed(_) | Body::Stuck => 1000,
    };
    let mut head = format!(
        "HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n"
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if status != 304 {
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    match body {
        Body::Bytes(bytes) => stream.write_all(bytes)?,
        Body::Long(length) => {
            io::copy(&mut io::Read::take(io::repeat(b'['), *length), &mut stream)?;
        }
        Body::Stuck => {
            stream.write_all(b"[")?;
            // Until the other side has had enough.
            let _ = io::Read::read(&mut stream, &mut [0]);
        }
        Body::Changed(_) => {}
    }
    stream.flush()
}
