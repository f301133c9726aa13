//! The one door to the network: a request and its answer, within bounds.
//!
//! Trust boundary: an address may come from somebody who wants us to knock at a door only we can reach, so whoever asks
//! says how far a request may go ([`Reach`]). With [`Reach::Public`] a name is resolved once, every address it has is
//! looked at, and the connection goes to one of exactly these: there is no second look at the name that could be answered
//! differently. A proxy would resolve the name itself, so none is used then. Redirects are never followed: they are an
//! answer like any other. Certificates are verified against what the machine trusts.
//!
//! The path of an address is often its secret, so no error names more of it than the host.

mod address;
mod agent;
mod target;

use std::time::Duration;

use ureq::http;

pub use address::is_public;
pub use agent::Names;
use target::Target;

/// How far a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Wherever it leads, through the proxies of the environment: the address is the user's own.
    Anywhere,
    /// To what is on the public internet, directly.
    Public,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub method: &'a str,
    pub url: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: Option<&'a [u8]>,
    pub reach: Reach,
    /// For everything, from the name to the last byte of the answer.
    pub time: Duration,
    /// The longest answer that is taken, in bytes.
    pub most: usize,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether it went well.
    pub fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Why there is no answer, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The request itself is wrong; nothing was sent.
    #[error("{0}")]
    Bad(String),
    /// It leads where it may not go; nothing was sent.
    #[error("{0}")]
    Refused(String),
    /// The other side could not be reached or did not answer properly; another time it may.
    #[error("{0}")]
    Failed(String),
}

impl HttpError {
    /// Trying again may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// Ask, and wait for the answer.
pub fn send(request: &Request<'_>) -> Result<Response, HttpError> {
    let target = Target::parse(request.url)?;
    agent::ask(agent::shared(request.reach, &target), request, &target, prepare(request)?)
}

/// Whether a request could be sent, as far as it can be said without looking up its name.
pub fn check(request: &Request<'_>) -> Result<(), HttpError> {
    let target = Target::parse(request.url)?;
    prepare(request)?;
    match target.private() {
        Some(why) if request.reach == Reach::Public => Err(target.refused(why)),
        _ => Ok(()),
    }
}

/// As [`send`], with names looked up in another way than the system's.
pub fn send_by(names: Names, request: &Request<'_>) -> Result<Response, HttpError> {
    let target = Target::parse(request.url)?;
    agent::ask(&agent::with_names(request.reach, names), request, &target, prepare(request)?)
}

fn prepare(request: &Request<'_>) -> Result<http::request::Builder, HttpError> {
    let method = http::Method::from_bytes(request.method.as_bytes())
        .map_err(|_| HttpError::Bad(format!("`{}` is no method of HTTP", request.method.escape_debug())))?;
    let mut builder = http::Request::builder().method(method).uri(request.url);
    for (name, value) in request.headers {
        // What separates headers cannot be part of one; the value may be a secret and is not shown.
        let name = http::HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| HttpError::Bad(format!("`{}` is no name for a header", name.escape_debug())))?;
        let value = http::HeaderValue::from_str(value).map_err(|_| {
            HttpError::Bad(format!("the header `{name}` has a line break or a sign that headers cannot have"))
        })?;
        // These say where a request ends and whom it is for, which is not for settings to say.
        if matches!(name.as_str(), "host" | "content-length" | "transfer-encoding" | "connection") {
            return Err(HttpError::Bad(format!("the header `{name}` is set by itself and cannot be given")));
        }
        builder = builder.header(name, value);
    }
    Ok(builder)
}
