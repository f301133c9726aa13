//! Who is let through: every request, to every route, before anything else.
//!
//! 1. `Host` must be one of this server's own names, exactly. A page that makes its own name point here says its name.
//! 2. `Origin`, where there is one, must be this server's own. What changes something, and every WebSocket, must have one,
//!    unless it comes from a script with a token of its own, which no browser sends by itself.
//! 3. A token: the cookie of a browser, which other sites' pages cannot make it send (`SameSite=Strict`), or a script's
//!    `Authorization: Bearer`. Both at once, or one twice, is nobody we know.
//!
//! The same holds on whatever address it listens. There is no CORS: no other page may read any answer.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue,
    ORIGIN, REFERRER_POLICY, UPGRADE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::answer::{self, Wants};
use crate::routes::ENTER;
use crate::server::{App, Options};
use crate::tickets::{Scope, Tickets, word};

/// The rules of one server.
#[derive(Debug)]
pub struct Gate {
    hosts: Vec<String>,
    origins: Vec<String>,
    cookie: String,
    pub tickets: Arc<Tickets>,
}

/// The word by which the browser knows scripts and styles of ours; another one for each page.
#[derive(Debug, Clone)]
pub struct Nonce(pub String);

/// Why somebody is not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Host,
    Origin,
    Token,
}

impl Gate {
    pub fn new(port: u16, options: &Options, tickets: Arc<Tickets>) -> Self {
        let mut hosts =
            vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        // An address that means all of them is none that a browser goes to.
        hosts.extend(options.addresses.iter().filter(|address| !address.is_unspecified()).map(|address| {
            match address {
                IpAddr::V4(address) => format!("{address}:{port}"),
                IpAddr::V6(address) => format!("[{address}]:{port}"),
            }
        }));
        hosts.extend(options.names.iter().map(|name| format!("{}:{port}", name.to_ascii_lowercase())));
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        // Cookies do not know ports, and there may be two servers.
        Self { hosts, origins, cookie: format!("signalbox-{port}"), tickets }
    }

    /// The cookie that holds a browser's token.
    pub fn cookie(&self, token: &str) -> String {
        format!("{}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000", self.cookie)
    }

    /// Whether a request may come in.
    pub fn judge(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refused> {
        let host = only(headers, &HOST).map_err(|()| Refused::Host)?;
        if !host.is_some_and(|host| self.hosts.iter().any(|own| own == host)) {
            return Err(Refused::Host);
        }
        let origin = only(headers, &ORIGIN).map_err(|()| Refused::Origin)?;
        if origin.is_some_and(|origin| !self.origins.iter().any(|own| own == origin)) {
            return Err(Refused::Origin);
        }
        if path.starts_with(ENTER) && method == Method::GET {
            return Ok(());
        }
        let scope = self.scope(headers)?;
        let changes = !matches!(*method, Method::GET | Method::HEAD) || headers.contains_key(UPGRADE);
        if changes && origin.is_none() && scope == Scope::Browser {
            return Err(Refused::Origin);
        }
        Ok(())
    }

    /// As what the request comes.
    fn scope(&self, headers: &HeaderMap) -> Result<Scope, Refused> {
        let bearer = only(headers, &AUTHORIZATION).map_err(|()| Refused::Token)?;
        match (bearer, self.cookie_of(headers)?) {
            (None, Some(token)) if self.tickets.knows(token, Scope::Browser) => Ok(Scope::Browser),
            (Some(header), None) => {
                let token = header.strip_prefix("Bearer ").ok_or(Refused::Token)?;
                if self.tickets.knows(token, Scope::Script) { Ok(Scope::Script) } else { Err(Refused::Token) }
            }
            _ => Err(Refused::Token),
        }
    }

    /// The token in the cookie of our name, which may be there once.
    pub fn cookie_of<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a str>, Refused> {
        let mut found = None;
        for header in headers.get_all(COOKIE) {
            let text = header.to_str().map_err(|_| Refused::Token)?;
            for (name, value) in text.split(';').filter_map(|pair| pair.trim().split_once('=')) {
                if name == self.cookie && found.replace(value).is_some() {
                    return Err(Refused::Token);
                }
            }
        }
        Ok(found)
    }
}

/// The one value of a header, as text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(());
    }
    first.map(|value| value.to_str().map_err(|_| ())).transpose()
}

/// In front of every route.
pub(crate) async fn keep(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let nonce = word();
    let wants = Wants::of(request.uri().path());
    let judged = app.gate.judge(request.method(), request.uri().path(), request.headers());
    let mut response = match judged {
        Ok(()) => {
            request.extensions_mut().insert(Nonce(nonce.clone()));
            next.run(request).await
        }
        Err(refused) => refuse(refused, wants, &nonce),
    };
    harden(response.headers_mut(), &nonce);
    response
}

fn refuse(refused: Refused, wants: Wants, nonce: &str) -> Response {
    let (status, code, message, hint) = match refused {
        Refused::Host => (
            StatusCode::FORBIDDEN,
            "web.host",
            "this server does not go by that name",
            "Open the address that `sb web` prints; `web.names` in config.toml adds names.",
        ),
        Refused::Origin => (
            StatusCode::FORBIDDEN,
            "web.origin",
            "the request comes from another page",
            "Open the address that `sb web` prints.",
        ),
        Refused::Token => (
            StatusCode::UNAUTHORIZED,
            "web.token",
            "this browser is not signed in, or no longer",
            "Run `sb web --open` in a terminal: it prints a fresh link and opens it.",
        ),
    };
    answer::problem(wants, status, code, message, Some(hint), nonce)
}

/// What every answer says to the browser.
fn harden(headers: &mut HeaderMap, nonce: &str) {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; img-src 'self'; \
         font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; \
         base-uri 'none'; require-trusted-types-for 'script'; trusted-types signalbox"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    let fixed: [(HeaderName, &'static str); 5] = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
