//! Asking the daemon.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::commands::{Command, Events, Request};
use crate::stream::Stream;
use crate::wire::{Answer, Answered, Asked, Greeting, MOST_REPLY, Problem, VERSION};

/// How long the daemon may take for its greeting, and for an answer that needs no waiting.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the daemon gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("no daemon runs: there is no {}", .0.display())]
    Absent(PathBuf),
    #[error("the daemon that made {} is gone", .0.display())]
    Dead(PathBuf),
    #[error("{} belongs to another user", .0.display())]
    Foreign(PathBuf),
    #[error(
        "the daemon (process {pid}) is version {server} and speaks version {theirs} of the control socket, and this sb speaks {VERSION}"
    )]
    Version { server: String, theirs: u32, pid: u32 },
    #[error("the daemon does not answer")]
    Silent,
    #[error("the daemon closed the connection")]
    Closed,
    #[error("the daemon said something that cannot be understood")]
    Garbled(#[source] serde_json::Error),
    #[error("{}", .0.message)]
    Refused(Problem),
    #[error("speak to the daemon")]
    Io(#[from] io::Error),
}

/// A connection to the daemon.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<UnixStream>,
    pub greeting: Greeting,
    capability: Option<String>,
    asked: u64,
}

impl Client {
    /// Connect to the daemon at this socket, if it runs and is our own user's.
    pub fn connect(socket: &Path) -> Result<Self, ClientError> {
        let owner = match std::fs::metadata(socket) {
            Ok(metadata) => metadata.uid(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ClientError::Absent(socket.to_owned()));
            }
            Err(error) => return Err(error.into()),
        };
        if owner != rustix::process::getuid().as_raw() {
            return Err(ClientError::Foreign(socket.to_owned()));
        }
        let stream = UnixStream::connect(socket).map_err(|error| match error.kind() {
            io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => {
                ClientError::Dead(socket.to_owned())
            }
            _ => error.into(),
        })?;
        if !is_own(&stream) {
            return Err(ClientError::Foreign(socket.to_owned()));
        }
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut reader = BufReader::new(stream);
        let greeting: Greeting = serde_json::from_str(&line(&mut reader)?).map_err(ClientError::Garbled)?;
        if greeting.v != VERSION {
            let Greeting { v: theirs, server, pid } = greeting;
            return Err(ClientError::Version { server, theirs, pid });
        }
        Ok(Self { reader, greeting, capability: None, asked: 0 })
    }

    /// Show a session's capability with every request.
    #[must_use]
    pub fn showing(mut self, capability: Option<String>) -> Self {
        self.capability = capability;
        self
    }

    /// How long to wait for an answer; `None` for ever.
    pub fn patience(&self, time: Option<Duration>) -> io::Result<()> {
        self.reader.get_ref().set_read_timeout(time)
    }

    /// Ask, and wait for the answer.
    pub fn ask<C: Command>(&mut self, command: C) -> Result<C::Reply, ClientError> {
        let id = self.send(command.into())?;
        loop {
            let answered: Answered =
                serde_json::from_str(&line(&mut self.reader)?).map_err(ClientError::Garbled)?;
            if answered.id != id {
                continue;
            }
            return match answered.answer() {
                Some(Answer::Ok(reply)) => serde_json::from_str(reply.get()).map_err(ClientError::Garbled),
                Some(Answer::Error(problem)) => Err(ClientError::Refused(problem)),
                None => {
                    Err(ClientError::Garbled(serde::de::Error::custom("it has neither `ok` nor `error`")))
                }
            };
        }
    }

    /// Follow the event log. The connection is the stream's from now on.
    pub fn follow(mut self, events: Events) -> Result<Stream, ClientError> {
        let id = self.send(events.into())?;
        self.reader.get_ref().set_read_timeout(None)?;
        Ok(Stream::new(self.reader, id))
    }

    /// Wait until the daemon closes the connection, at most so long. Says whether it has.
    pub fn wait_for_end(&mut self, most: Duration) -> io::Result<bool> {
        self.reader.get_ref().set_read_timeout(Some(most))?;
        let mut byte = [0; 1];
        match self.reader.read(&mut byte) {
            Ok(0) => Ok(true),
            Ok(_) => Ok(false),
            Err(error) if is_timeout(&error) => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self, request: Request) -> Result<u64, ClientError> {
        self.asked += 1;
        let asked = Asked { v: VERSION, id: self.asked, capability: self.capability.clone(), request };
        let mut bytes = serde_json::to_vec(&asked).map_err(io::Error::other)?;
        bytes.push(b'\n');
        self.reader.get_mut().write_all(&bytes).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => ClientError::Closed,
            _ => error.into(),
        })?;
        Ok(self.asked)
    }
}

/// One line, not without end.
pub(crate) fn line(reader: &mut BufReader<UnixStream>) -> Result<String, ClientError> {
    let mut bytes = Vec::new();
    match reader.by_ref().take(MOST_REPLY as u64).read_until(b'\n', &mut bytes) {
        Ok(_) if bytes.last() == Some(&b'\n') => {
            Ok(String::from_utf8(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?)
        }
        Ok(_) => Err(ClientError::Closed),
        Err(error) if is_timeout(&error) => Err(ClientError::Silent),
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Err(ClientError::Closed),
        Err(error) => Err(error.into()),
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Whether the other end has closed.
pub fn is_closed(stream: &UnixStream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut fds = [PollFd::new(stream, PollFlags::HUP)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&at_once)).is_ok_and(|ready| ready > 0)
        && fds.iter().any(|fd| fd.revents().intersects(PollFlags::HUP | PollFlags::ERR))
}

/// Whether the other end runs as the same user. The modes of the socket and its folder say the same, but not on every
/// system.
pub fn is_own(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::getuid())
}
