//! Starting and ending the server: its addresses, its threads, and the links that let a person in.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use signalbox_desk::Desk;
use tokio::sync::watch;

use crate::gate::Gate;
use crate::live::Live;
use crate::routes;
use crate::tickets::Tickets;

/// How many ports are tried where the wanted one is taken.
const PORTS: u16 = 50;
/// How long requests under way may take when it ends.
const FAREWELL: Duration = Duration::from_millis(500);

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub port: u16,
    /// Besides this machine itself.
    pub addresses: Vec<IpAddr>,
    /// Names, besides addresses and `localhost`, under which browsers may reach it.
    pub names: Vec<String>,
}

/// Why it does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("listen on port {port}")]
    Listen { port: u16, source: io::Error },
    #[error("start the server")]
    Start(#[source] io::Error),
    #[error("read the keys of the web page")]
    Keys(#[source] io::Error),
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub struct Running {
    port: u16,
    passed_over: Option<u16>,
    tickets: Arc<Tickets>,
    end: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
    over: Receiver<()>,
}

/// What all requests share.
pub(crate) struct App {
    pub desk: Desk,
    pub gate: Gate,
    pub live: Live,
    pub end: watch::Receiver<bool>,
}

/// Serve on this machine's own addresses, and on those that were asked for.
pub fn start(desk: Desk, options: &Options) -> Result<Running, StartError> {
    let (port, listeners) = listen(options)?;
    let tickets = Arc::new(Tickets::load(desk.home()).map_err(StartError::Keys)?);
    let gate = Gate::new(port, options, Arc::clone(&tickets));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("web")
        .enable_all()
        .build()
        .map_err(StartError::Start)?;
    let (end, ended) = watch::channel(false);
    let live = Live::begin(desk.home(), ended.clone()).map_err(StartError::Start)?;
    let app = Arc::new(App { desk, gate, live, end: ended.clone() });
    let (told, over) = channel();
    let thread = std::thread::Builder::new()
        .name("web server".to_owned())
        .spawn(move || {
            runtime.block_on(serve(app, listeners, ended));
            runtime.shutdown_timeout(FAREWELL);
            let _ = told.send(());
        })
        .map_err(StartError::Start)?;
    let passed_over = (port != options.port && options.port != 0).then_some(options.port);
    Ok(Running { port, passed_over, tickets, end, thread: Some(thread), over })
}

/// Listen on one port at every address. A taken port is passed over.
fn listen(options: &Options) -> Result<(u16, Vec<TcpListener>), StartError> {
    let mut trouble = None;
    for port in options.port..=options.port.saturating_add(PORTS) {
        match listen_on(port, options) {
            Ok(found) => return Ok(found),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && port != 0 => trouble = Some(error),
            Err(source) => return Err(StartError::Listen { port, source }),
        }
    }
    let source = trouble.unwrap_or_else(|| io::ErrorKind::AddrInUse.into());
    Err(StartError::Listen { port: options.port, source })
}

fn listen_on(port: u16, options: &Options) -> io::Result<(u16, Vec<TcpListener>)> {
    let (mut port, mut listeners) = (port, Vec::new());
    for place in places(options) {
        match bind(SocketAddr::new(place, port)) {
            Ok(listener) => {
                port = listener.local_addr()?.port();
                listeners.push(listener);
            }
            // There is no such protocol here.
            Err(error) if place == Ipv6Addr::LOCALHOST && error.kind() != io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Ok((port, listeners))
}

/// This machine's own addresses and those that are wanted, each once. One that means all of its kind stands for these,
/// because a port cannot be had both there and at one of them.
fn places(options: &Options) -> Vec<IpAddr> {
    let own = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let wanted = own.into_iter().chain(options.addresses.iter().copied());
    let is_covered = |place: &IpAddr| {
        options.addresses.iter().any(|all| {
            // What listens at `::` is reached in the older protocol too.
            *all != *place && all.is_unspecified() && (all.is_ipv6() || place.is_ipv4())
        })
    };
    let mut places: Vec<IpAddr> = Vec::new();
    for place in wanted.filter(|place| !is_covered(place)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

async fn serve(app: Arc<App>, listeners: Vec<TcpListener>, ended: watch::Receiver<bool>) {
    let router = routes::router(app);
    let mut serving = Vec::new();
    for listener in listeners {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { continue };
        let (router, mut ended) = (router.clone(), ended.clone());
        serving.push(tokio::spawn(async move {
            let end = async move { over(&mut ended).await };
            let _ = axum::serve(listener, router).with_graceful_shutdown(end).await;
        }));
    }
    let mut ended = ended;
    over(&mut ended).await;
    for task in serving {
        let _ = tokio::time::timeout(FAREWELL, task).await;
    }
}

/// Wait until the server ends.
pub(crate) async fn over(ended: &mut watch::Receiver<bool>) {
    let _ = ended.wait_for(|over| *over).await;
}

impl Running {
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port that was wanted, if somebody else has it.
    pub fn passed_over(&self) -> Option<u16> {
        self.passed_over
    }

    /// A link that lets its bearer in, once.
    pub fn link(&self) -> String {
        format!("http://127.0.0.1:{}/enter/{}", self.port, self.tickets.mint_link())
    }

    /// A token for scripts, which bring it in the header `Authorization: Bearer …`.
    pub fn token(&self) -> io::Result<String> {
        self.tickets.mint_token()
    }

    /// End it, and wait until it has.
    pub fn stop(mut self) {
        self.finish();
    }

    /// Whether it has ended by itself, waiting for at most so long.
    pub fn has_ended(&self, most: Duration) -> bool {
        !matches!(self.over.recv_timeout(most), Err(std::sync::mpsc::RecvTimeoutError::Timeout))
    }

    fn finish(&mut self) {
        let _ = self.end.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// What a browser gets that asks for this.
    fn fetch(port: u16, path: &str) -> String {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")
            .expect("the request");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("the answer");
        text
    }

    #[test]
    fn a_link_that_nobody_used_in_time_says_how_to_get_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = signalbox_store::Home::new(folder.path());
        home.prepare().expect("a home");
        let options = Options { port: 0, addresses: Vec::new(), names: Vec::new() };
        let server = start(Desk::new(home), &options).expect("a server");
        let path = |link: &str| format!("/enter/{}", link.rsplit('/').next().unwrap_or_default());
        let link = server.link();
        server.tickets.let_links_expire();
        let said = fetch(server.port(), &path(&link));
        assert!(said.starts_with("HTTP/1.1 401"), "{said}");
        assert!(said.contains("older than ten minutes") && said.contains("Run `sb web --open`"), "{said}");
        assert!(!said.to_ascii_lowercase().contains("set-cookie"), "{said}");
        let fresh = fetch(server.port(), &path(&server.link()));
        assert!(fresh.starts_with("HTTP/1.1 303"), "{fresh}");
    }

    #[test]
    fn an_address_that_means_all_stands_for_them() {
        let at = |addresses: &[&str]| {
            let addresses = addresses.iter().filter_map(|address| address.parse().ok()).collect();
            let places = places(&Options { port: 0, addresses, names: Vec::new() });
            places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(at(&[]), "127.0.0.1 ::1");
        assert_eq!(at(&["127.0.0.1", "192.0.2.7", "192.0.2.7"]), "127.0.0.1 ::1 192.0.2.7");
        assert_eq!(at(&["0.0.0.0", "192.0.2.7"]), "::1 0.0.0.0");
        assert_eq!(at(&["::", "192.0.2.7"]), "::");
        assert_eq!(at(&["::", "0.0.0.0"]), "::");
    }
}
