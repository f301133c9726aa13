//! The control socket. One thread for all who are connected: it reads requests, works out who asks, passes them to the
//! loop, and writes answers as fast as each takes them. Nobody who is slow, silent or rude keeps anybody else waiting.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Deserialize;
use serde_json::Value;
use signalbox_api::wire::{Answer, Answered, Asked as Line, Greeting, Kind, MOST_REQUEST, Problem, VERSION};
use signalbox_api::{CATALOG, Request, is_own};
use signalbox_core::{AgentId, Who, nearest};
use signalbox_store::config::Config;
use signalbox_store::{Home, above, agents, files, process, session};

use crate::msg::{Asked, Caller, Connection, Msg};
use crate::streams::Streams;

/// The most that are connected at once.
const MOST: usize = 2_000;
/// The most that may wait to be written to one, in bytes.
const MOST_UNWRITTEN: usize = 16 << 20;

/// How long somebody who was rude may take to read why.
const FAREWELL: Duration = Duration::from_secs(2);

/// What the loop says to those who are connected.
#[derive(Clone)]
pub struct Mouth {
    words: Sender<(Connection, u64, Answer)>,
    bell: Arc<UnixStream>,
}

impl Mouth {
    pub fn answer(&self, connection: Connection, id: u64, answer: Answer) {
        let _ = self.words.send((connection, id, answer));
        // A bell that is full rings already.
        let _ = (&*self.bell).write(&[1]);
    }

    /// Make the door look up, because it is time to close.
    pub fn ring(&self) {
        let _ = (&*self.bell).write(&[1]);
    }
}

pub struct Door {
    listener: UnixListener,
    bell: UnixStream,
    words: Receiver<(Connection, u64, Answer)>,
    guests: HashMap<Connection, Guest>,
    next: Connection,
    inbox: SyncSender<Msg>,
    streams: Streams,
    home: Home,
    config: Arc<Mutex<Config>>,
    greeting: Vec<u8>,
    over: Arc<std::sync::atomic::AtomicBool>,
}

/// One who is connected.
struct Guest {
    stream: UnixStream,
    pid: u32,
    read: Vec<u8>,
    unwritten: Vec<u8>,
    caller: Option<Caller>,
    /// Nothing more is taken from it, from then on; it may read what was said to it.
    leaving: Option<Instant>,
}

/// What belongs together at the door.
pub struct House {
    pub home: Home,
    pub config: Arc<Mutex<Config>>,
    pub inbox: SyncSender<Msg>,
    pub streams: Streams,
    pub version: String,
    pub over: Arc<std::sync::atomic::AtomicBool>,
}

impl Door {
    /// Open the door. The socket appears under its name when it answers already.
    pub fn open(house: House) -> io::Result<(Self, Mouth)> {
        let House { home, config, inbox, streams, version, over } = house;
        let path = home.daemon_socket();
        let early = path.with_extension(format!("sock.{}", std::process::id()));
        files::remove(&early)?;
        let listener = UnixListener::bind(&early)?;
        std::fs::set_permissions(&early, std::fs::Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        files::rename(&early, &path)?;
        let (ring, bell) = UnixStream::pair()?;
        ring.set_nonblocking(true)?;
        bell.set_nonblocking(true)?;
        let (words_in, words) = channel();
        let greeting = Greeting { v: VERSION, server: version, pid: std::process::id() };
        let mut greeting = serde_json::to_vec(&greeting)?;
        greeting.push(b'\n');
        let guests = HashMap::new();
        let door =
            Self { listener, bell, words, guests, next: 0, inbox, streams, home, config, greeting, over };
        Ok((door, Mouth { words: words_in, bell: Arc::new(ring) }))
    }

    /// Serve until the daemon ends.
    pub fn run(mut self) {
        while !self.over.load(std::sync::atomic::Ordering::Acquire) {
            let ready = self.wait();
            self.hear_bell();
            for connection in ready {
                self.serve(connection);
            }
            self.accept();
            self.see_off();
        }
        // Last words.
        self.speak();
        for guest in self.guests.values_mut() {
            let _ = guest.write();
        }
    }

    /// Who has something to say, or can take something.
    fn wait(&self) -> Vec<Connection> {
        let order: Vec<(&Connection, &Guest)> = self.guests.iter().collect();
        let mut fds = Vec::with_capacity(order.len() + 2);
        fds.push(PollFd::from_borrowed_fd(self.listener.as_fd(), PollFlags::IN));
        fds.push(PollFd::from_borrowed_fd(self.bell.as_fd(), PollFlags::IN));
        for (_, guest) in &order {
            let write = if guest.unwritten.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            fds.push(PollFd::from_borrowed_fd(guest.stream.as_fd(), PollFlags::IN | write));
        }
        let most = Timespec { tv_sec: 1, tv_nsec: 0 };
        if poll(&mut fds, Some(&most)).is_err() {
            return Vec::new();
        }
        let ready = fds.iter().skip(2).zip(&order).filter(|(fd, _)| !fd.revents().is_empty());
        ready.map(|(_, (connection, _))| **connection).collect()
    }

    fn hear_bell(&mut self) {
        let mut rings = [0; 256];
        while matches!((&self.bell).read(&mut rings), Ok(1..)) {}
        self.speak();
    }

    /// Pass on what the loop has said.
    fn speak(&mut self) {
        while let Ok((connection, id, answer)) = self.words.try_recv() {
            if let Some(guest) = self.guests.get_mut(&connection) {
                guest.say(id, answer);
            }
        }
        let ready: Vec<Connection> =
            self.guests.iter().filter(|(_, guest)| !guest.unwritten.is_empty()).map(|(id, _)| *id).collect();
        for connection in ready {
            let done = self.guests.get_mut(&connection).is_some_and(|guest| guest.write().is_err());
            if done {
                self.part(connection);
            }
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            if !is_own(&stream) || self.guests.len() >= MOST || stream.set_nonblocking(true).is_err() {
                continue;
            }
            self.next += 1;
            let pid = rustix::net::sockopt::socket_peercred(&stream)
                .map_or(0, |peer| peer.pid.as_raw_nonzero().get());
            let guest = Guest {
                stream,
                pid: u32::try_from(pid).unwrap_or(0),
                read: Vec::new(),
                unwritten: self.greeting.clone(),
                caller: None,
                leaving: None,
            };
            self.guests.insert(self.next, guest);
            self.serve(self.next);
        }
    }

    /// Read and write what can be.
    fn serve(&mut self, connection: Connection) {
        let Some(guest) = self.guests.get_mut(&connection) else { return };
        let gone = guest.write().is_err() || guest.read_more().is_err();
        let mut lines = Vec::new();
        while let Some(end) = guest.read.iter().position(|byte| *byte == b'\n') {
            lines.push(guest.read.drain(..=end).collect::<Vec<u8>>());
        }
        if guest.read.len() > MOST_REQUEST {
            guest.read.clear();
            guest.leaving = Some(Instant::now());
            let message = format!("a request has {MOST_REQUEST} bytes at most");
            guest.say(0, Answer::Error(Problem::new(Kind::Usage, "request.long", message)));
        }
        for line in lines {
            if !self.hear(connection, &line) {
                return;
            }
        }
        let rest = self.guests.get_mut(&connection).is_some_and(|guest| guest.write().is_err());
        if gone || rest {
            self.part(connection);
        }
    }

    /// Those who had long enough to leave.
    fn see_off(&mut self) {
        let overdue = |guest: &Guest| guest.leaving.is_some_and(|since| since.elapsed() > FAREWELL);
        let gone: Vec<Connection> =
            self.guests.iter().filter(|(_, guest)| overdue(guest)).map(|(id, _)| *id).collect();
        for connection in gone {
            self.part(connection);
        }
    }

    fn part(&mut self, connection: Connection) {
        if self.guests.remove(&connection).is_some() {
            let _ = self.inbox.send(Msg::Left(connection));
        }
    }

    /// One line. Says whether the connection is still ours.
    fn hear(&mut self, connection: Connection, line: &[u8]) -> bool {
        let asked = match understand(line) {
            Ok(asked) => asked,
            Err((id, problem)) => {
                if let Some(guest) = self.guests.get_mut(&connection) {
                    guest.say(id, Answer::Error(problem));
                }
                return true;
            }
        };
        if let Request::Events(wanted) = asked.request {
            if let Some(guest) = self.guests.remove(&connection) {
                let _ = self.inbox.send(Msg::Left(connection));
                self.streams.begin(guest.stream, asked.id, wanted);
            }
            return false;
        }
        let record = self.record(&asked.request);
        let Some(guest) = self.guests.get_mut(&connection) else { return false };
        // Who somebody is does not change, but agents may begin above them.
        if guest.caller.is_none() || asked.capability.is_some() {
            guest.caller = Some(caller(&self.home, &self.config, guest.pid, asked.capability.as_deref()));
        }
        let Some(mut caller) = guest.caller.clone() else { return true };
        // In which agent it runs takes reading the records of all, so it is worked out where it matters.
        if is_about_itself(&asked.request) {
            caller.agent = agent_of(&self.home, &caller.who, &process::chain_from(guest.pid));
        }
        let asked = Asked { connection, id: asked.id, caller, request: asked.request, record };
        let _ = self.inbox.send(Msg::Asked(Box::new(asked)));
        true
    }

    /// The record of the agent that says something of itself.
    fn record(&self, request: &Request) -> Option<agents::Record> {
        let id = match request {
            Request::Register(told) => &told.agent,
            Request::Surroundings(told) => &told.agent,
            _ => return None,
        };
        agents::load(&self.home, id).ok().flatten()
    }
}

impl Guest {
    fn say(&mut self, id: u64, answer: Answer) {
        let line = serde_json::to_vec(&Answered::new(id, answer)).unwrap_or_default();
        if self.unwritten.len() + line.len() > MOST_UNWRITTEN {
            self.leaving = Some(Instant::now());
            return;
        }
        self.unwritten.extend(line);
        self.unwritten.push(b'\n');
    }

    fn write(&mut self) -> io::Result<()> {
        while !self.unwritten.is_empty() {
            match self.stream.write(&self.unwritten) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.unwritten.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Take what is there; an error where nothing will come any more.
    fn read_more(&mut self) -> io::Result<()> {
        let mut piece = [0; 16 << 10];
        // Others have their turn in between.
        for _ in 0..16 {
            match self.stream.read(&mut piece) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) if self.leaving.is_some() => {}
                Ok(count) => self.read.extend(piece.iter().take(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A line as a request, or what to answer to it.
fn understand(line: &[u8]) -> Result<Line, (u64, Problem)> {
    let usage = |code: &str, message: String| Problem::new(Kind::Usage, code, message);
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| (0, usage("request.garbled", format!("a request is a line of JSON: {error}"))))?;
    let id = value["id"].as_u64().unwrap_or(0);
    if value["v"].as_u64() != Some(u64::from(VERSION)) {
        let message = format!(
            "this daemon speaks version {VERSION} of the control socket, and was asked in {}",
            value["v"]
        );
        let problem = usage("request.version", message);
        return Err((id, problem.hint("Use the `sb` that started it, or run `sb restart` with yours.")));
    }
    let name = value["do"].as_str().unwrap_or_default().to_owned();
    if !CATALOG.iter().any(|command| command.name == name) {
        let problem = usage("request.unknown", format!("there is no request `{}`", name.escape_debug()));
        let near = nearest(&name, CATALOG.iter().map(|command| command.name));
        return Err((
            id,
            near.map_or(problem.clone(), |near| problem.hint(format!("Did you mean `{near}`?"))),
        ));
    }
    Line::deserialize(value)
        .map_err(|error| (id, usage("request.fields", format!("`{name}` cannot be understood: {error}"))))
}

/// Who is at the other end.
fn caller(home: &Home, config: &Mutex<Config>, pid: u32, capability: Option<&str>) -> Caller {
    let config = config.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let minted = capability.and_then(|word| session::verify(home, word).ok().flatten());
    let chain = process::chain_from(pid);
    let above = above::agents_among(home, &config, &chain).unwrap_or_default();
    let who = match (above.into_iter().next(), minted) {
        (Some(nearest), _) => Who::Agent(nearest.agent),
        (None, Some(minted)) => Who::Agent(minted.agent()),
        (None, None) => Who::Human,
    };
    let out_of_sight = chain.is_empty() && cfg!(target_os = "linux");
    Caller { pid, who, out_of_sight, agent: None }
}

/// Whether an agent that asks for it asks for itself.
fn is_about_itself(request: &Request) -> bool {
    matches!(
        request,
        Request::AddMonitor(_)
            | Request::RemoveMonitor(_)
            | Request::LookNow(_)
            | Request::AddNotifier(_)
            | Request::RemoveNotifier(_)
    )
}

/// The agent in which a process runs: its conversation is one of that agent's, or the agent's own processes are above it.
fn agent_of(home: &Home, who: &Who, chain: &[process::Process]) -> Option<AgentId> {
    let records = agents::all(home).ok()?;
    let sessions = who.session().into_iter().chain(who.lineage());
    let sessions: Vec<_> = sessions.collect();
    let is_above = |record: &agents::Record| {
        [&record.wrapper, &record.child].into_iter().flatten().any(|registered| {
            chain.iter().any(|process| process.pid == registered.pid && process.started == registered.started)
        })
    };
    let alive = || records.iter().filter(|record| record.life() == agents::Life::Runs);
    let by_process = alive().find(|record| is_above(record));
    let by_session = || alive().find(|record| record.sessions.iter().any(|id| sessions.contains(&id)));
    by_process.or_else(by_session).map(|record| record.id.clone())
}

/// How long the door may take to close.
pub const CLOSING: Duration = Duration::from_millis(500);
