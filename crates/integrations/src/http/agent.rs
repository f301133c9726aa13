//! How a request goes out: what is looked up, where it connects, and what is made of the answer.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock};

use ureq::config::Config;
use ureq::http::{self, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error, Proxy};

use super::address::is_public;
use super::target::{Host, NOT_PUBLIC, Target};
use super::{HttpError, Reach, Request, Response};

/// How names are looked up.
pub type Names = Arc<dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync>;

/// How many addresses of a name are tried. There is room for twice as many.
const MOST_ADDRESSES: usize = 8;

/// Kept, because each reads all certificates that the machine trusts.
static PUBLIC: LazyLock<Agent> = LazyLock::new(|| agent(Reach::Public, None, system_names()));
static DIRECT: LazyLock<Agent> = LazyLock::new(|| agent(Reach::Anywhere, None, system_names()));
static BY_PROXY: LazyLock<Agent> =
    LazyLock::new(|| agent(Reach::Anywhere, Proxy::try_from_env(), system_names()));

/// The one that goes so far. No proxy can reach this machine as we do.
pub fn shared(reach: Reach, target: &Target) -> &'static Agent {
    match reach {
        Reach::Public => &PUBLIC,
        Reach::Anywhere if target.is_here() => &DIRECT,
        Reach::Anywhere => &BY_PROXY,
    }
}

pub fn with_names(reach: Reach, names: Names) -> Agent {
    agent(reach, None, names)
}

fn system_names() -> Names {
    Arc::new(|name| Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect()))
}

fn agent(reach: Reach, proxy: Option<Proxy>, names: Names) -> Agent {
    let config = Config::builder()
        .proxy(proxy)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("signalbox/", env!("CARGO_PKG_VERSION")))
        // Requests are minutes apart, and a connection that the other side has closed meanwhile would lose one.
        .max_idle_connections(0)
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .build();
    Agent::with_parts(config, DefaultConnector::default(), Checked { reach, names })
}

/// Send it, and take the whole answer.
pub fn ask(
    agent: &Agent,
    request: &Request<'_>,
    target: &Target,
    builder: http::request::Builder,
) -> Result<Response, HttpError> {
    let explain = |error: Error| explain(error, request, target);
    let takes_body = matches!(request.method, "POST" | "PUT" | "PATCH");
    let answer = match request.body.or(takes_body.then_some(&[])) {
        Some(body) => run(agent, request, builder.body(body)),
        None => run(agent, request, builder.body(())),
    };
    let mut answer = answer.map_err(explain)?;
    let headers = answer
        .headers()
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect();
    // The limit itself is taken for too much, so it is one more.
    let most = u64::try_from(request.most).unwrap_or(u64::MAX).saturating_add(1);
    let body = answer.body_mut().with_config().limit(most).read_to_vec().map_err(explain)?;
    if body.len() > request.most {
        return Err(explain(Error::BodyExceedsLimit(most)));
    }
    Ok(Response { status: answer.status().as_u16(), headers, body })
}

fn run<B: ureq::AsSendBody>(
    agent: &Agent,
    request: &Request<'_>,
    built: Result<http::Request<B>, http::Error>,
) -> Result<http::Response<ureq::Body>, Error> {
    let configured = agent.configure_request(built?).timeout_global(Some(request.time)).build();
    agent.run(configured)
}

/// Looks a name up once, and gives out only what may be connected to.
struct Checked {
    reach: Reach,
    names: Names,
}

impl std::fmt::Debug for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checked").field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl Resolver for Checked {
    fn resolve(&self, uri: &Uri, _: &Config, time: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        // The proxy's own address comes here as well, with a scheme of its own.
        let host = uri.host().and_then(Host::parse).ok_or(Error::HostNotFound)?;
        let port = uri.port_u16().or(match uri.scheme_str() {
            Some("https") => Some(443),
            Some("http") => Some(80),
            _ => None,
        });
        let port = port.ok_or(Error::HostNotFound)?;
        if let Some(why) = host.private().filter(|_| self.reach == Reach::Public) {
            return Err(refused(why));
        }
        let found = match host {
            Host::Address(address) => vec![address],
            Host::Name(name) => self.look_up(name, &time)?,
        };
        // One wrong address among good ones is no accident, so it is not skipped.
        if self.reach == Reach::Public && !found.iter().all(|address| is_public(*address)) {
            return Err(refused(NOT_PUBLIC));
        }
        let mut addresses = self.empty();
        for address in found.into_iter().take(MOST_ADDRESSES) {
            addresses.push(SocketAddr::new(address, port));
        }
        if addresses.is_empty() { Err(Error::HostNotFound) } else { Ok(addresses) }
    }
}

impl Checked {
    /// The system may take its time, which is not ours to give: the look-up is left behind then.
    fn look_up(&self, name: String, time: &NextTimeout) -> Result<Vec<IpAddr>, Error> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let names = Arc::clone(&self.names);
        std::thread::Builder::new().name("names".to_owned()).spawn(move || {
            // Nobody listens any more when it took too long.
            let _ = sender.send(names(&name));
        })?;
        match receiver.recv_timeout(*time.after) {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(Error::HostNotFound),
            Err(RecvTimeoutError::Timeout) => Err(Error::Timeout(time.reason)),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotThere(&'static str);

fn refused(why: &'static str) -> Error {
    Error::Other(Box::new(NotThere(why)))
}

fn explain(error: Error, request: &Request<'_>, target: &Target) -> HttpError {
    let host = &target.host;
    let failed = |what: String| HttpError::Failed(format!("{host} {what}"));
    match error {
        Error::Other(other) if other.is::<NotThere>() => target.refused(&other.to_string()),
        Error::HostNotFound => failed("is not known: its name leads to no address".to_owned()),
        Error::Timeout(_) => {
            failed(format!("did not answer within {} seconds", request.time.as_secs_f32().ceil()))
        }
        Error::BodyExceedsLimit(_) => failed(format!("answered with more than {} bytes", request.most)),
        Error::Rustls(error) => failed(untrusted(&error.to_string())),
        Error::Tls(error) => failed(untrusted(error)),
        Error::Io(error) if error.get_ref().is_some() => failed(format!("broke off: {error}")),
        Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            failed(format!("takes no connections at port {}", target.port))
        }
        Error::Io(error) => failed(format!("cannot be reached: {error}")),
        Error::Protocol(_) | Error::LargeResponseHeader(..) => {
            failed("answered with something that is not HTTP".to_owned())
        }
        Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
            failed("cannot be reached through the proxy that the environment names".to_owned())
        }
        // Some of the rest quote the URL.
        _ => failed("could not be asked".to_owned()),
    }
}

fn untrusted(why: &str) -> String {
    if why.contains("No CA certificates") {
        "cannot be trusted, because this machine has no root certificates; install the package `ca-certificates`"
            .to_owned()
    } else {
        format!("offers no connection that can be trusted: {why}")
    }
}
