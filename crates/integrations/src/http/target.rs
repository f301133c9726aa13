//! Where a URL leads. It is read strictly: what another reader could understand differently is refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

use super::HttpError;
use super::address::is_public;

pub const NOT_PUBLIC: &str = "its address is not on the public internet";

/// The longest URL that is taken, in bytes.
const MOST: usize = 8_000;

/// Where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub host: Host,
    pub port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    Address(IpAddr),
    /// In small letters, without a dot at the end.
    Name(String),
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl Target {
    pub fn parse(url: &str) -> Result<Self, HttpError> {
        let bad = |why: &str| HttpError::Bad(format!("the URL {why}"));
        if url.len() > MOST {
            return Err(bad("is too long"));
        }
        if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad(
                "has spaces or letters that URLs do not have; write a name with them as `xn--…`",
            ));
        }
        if url.contains('\\') {
            return Err(bad("has a backslash in it"));
        }
        let uri: Uri =
            url.parse().map_err(|_| bad("cannot be read; it looks like `https://example.com/path`"))?;
        let default = match uri.scheme_str() {
            Some("https") => 443,
            Some("http") => 80,
            _ => return Err(bad("has to begin with `https://` or `http://`")),
        };
        let authority = uri.authority().ok_or_else(|| bad("names no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("has a user or password in it; give them as a header"));
        }
        let host = Host::parse(authority.host()).ok_or_else(|| {
            bad("names no host that can be taken; write a name, or an address in its usual form")
        })?;
        // Whatever follows the host is its port and nothing else.
        let port = match authority.as_str().strip_prefix(authority.host()) {
            Some("") => default,
            Some(rest) => rest
                .strip_prefix(':')
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok())
                .filter(|port| *port != 0)
                .ok_or_else(|| bad("has a port that is none"))?,
            None => return Err(bad("cannot be read")),
        };
        Ok(Self { host, port })
    }

    /// Why it does not lead to the public internet, where that can be seen.
    pub fn private(&self) -> Option<&'static str> {
        self.host.private()
    }

    pub fn refused(&self, why: &str) -> HttpError {
        HttpError::Refused(format!("{} is not asked, because {why}", self.host))
    }

    /// Whether it leads back to this machine.
    pub fn is_here(&self) -> bool {
        match &self.host {
            Host::Address(address) => address.is_loopback(),
            Host::Name(name) => is_localhost(name),
        }
    }
}

fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

impl Host {
    pub fn private(&self) -> Option<&'static str> {
        match self {
            Self::Address(address) if !is_public(*address) => Some(NOT_PUBLIC),
            Self::Name(name) if is_localhost(name) => Some("it is this machine"),
            _ => None,
        }
    }

    pub fn parse(host: &str) -> Option<Self> {
        if let Some(inside) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return inside.parse::<Ipv6Addr>().ok().map(|address| Self::Address(address.into()));
        }
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        if let Ok(address) = name.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        let is_label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        // A last part that is a number makes an address of it for the system: `127.1`, `0x7f.1`, `2130706433`.
        let is_number = |label: &str| {
            label.bytes().all(|byte| byte.is_ascii_digit())
                || label
                    .strip_prefix("0x")
                    .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        let last = name.rsplit('.').next()?;
        (name.len() <= 253 && name.split('.').all(is_label) && !is_number(last)).then_some(Self::Name(name))
    }
}
