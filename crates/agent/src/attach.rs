//! The other end of an agent's door: ask about an agent, or sit down at its terminal.

use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use signalbox_api::is_own;
use signalbox_pty::Size;
use signalbox_pty::frame::{self, Frame, FrameError, Kind};

use crate::protocol::{About, Hello, Notice, VERSION, Wants};

/// How long an agent may take to answer a question.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why an agent cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error("nobody answers at the agent's socket")]
    Nobody(#[source] io::Error),
    #[error("it does not answer; is its `sb agent` stopped?")]
    Silent,
    #[error("the agent's socket belongs to somebody else")]
    Stranger,
    #[error("{0}")]
    Refused(String),
    #[error("the connection to the agent broke")]
    Broken(#[from] FrameError),
    #[error("use the terminal")]
    Terminal(#[from] io::Error),
}

/// How it came to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// By the detach keys, or because standard input ended.
    Detached,
    /// The agent ended.
    Ended,
}

/// What an agent says about itself.
pub fn about(socket: &Path) -> Result<About, AttachError> {
    ask(socket, Wants::About)
}

/// Ask an agent to end.
pub fn stop(socket: &Path) -> Result<About, AttachError> {
    ask(socket, Wants::Stop)
}

/// The same, from one who may be stopped, for somebody who cannot wait.
pub fn about_within(socket: &Path, patience: Duration) -> Result<About, AttachError> {
    let stream = connect(socket, Wants::About, Size::new(0, 0))?;
    meta(&stream, patience)
}

fn ask(socket: &Path, wants: Wants) -> Result<About, AttachError> {
    let stream = connect(socket, wants, own_size().unwrap_or_default())?;
    meta(&stream, PATIENCE)
}

fn connect(socket: &Path, wants: Wants, size: Size) -> Result<UnixStream, AttachError> {
    let stream = UnixStream::connect(socket).map_err(AttachError::Nobody)?;
    if !is_own(&stream) {
        return Err(AttachError::Stranger);
    }
    let hello = Hello { v: VERSION, wants, rows: size.rows, cols: size.cols };
    let bytes = serde_json::to_vec(&hello).map_err(io::Error::other)?;
    frame::write(&mut &stream, Kind::Hello, &bytes)?;
    Ok(stream)
}

/// The first answer. Who does not give it soon is stopped, or too busy to be of use.
fn meta(stream: &UnixStream, patience: Duration) -> Result<About, AttachError> {
    stream.set_read_timeout(Some(patience))?;
    let answer = frame::read(&mut &*stream).map_err(|error| match error {
        FrameError::Io(cause)
            if matches!(cause.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
        {
            AttachError::Silent
        }
        other => other.into(),
    })?;
    stream.set_read_timeout(None)?;
    match answer {
        Some(Frame { kind: Kind::Meta, payload }) => {
            Ok(serde_json::from_slice(&payload).map_err(io::Error::other)?)
        }
        Some(Frame { kind: Kind::Error, payload }) => {
            Err(AttachError::Refused(String::from_utf8_lossy(&payload).into_owned()))
        }
        _ => Err(AttachError::Nobody(io::Error::from(io::ErrorKind::UnexpectedEof))),
    }
}

/// Open a connection for a program that shows the terminal somewhere else. A size of 0 leaves the agent's as it is.
pub(crate) fn open(socket: &Path, wants: Wants, size: Size) -> Result<(UnixStream, About), AttachError> {
    let stream = connect(socket, wants, size)?;
    let about = meta(&stream, PATIENCE)?;
    Ok((stream, about))
}

/// Sit down at an agent's terminal until the person leaves or the agent ends. `say` gets words for the person.
pub fn attach(
    socket: &Path,
    wants: Wants,
    detach: &[u8],
    say: &(dyn Fn(&str) + Sync),
) -> Result<Left, AttachError> {
    let stream = connect(socket, wants, own_size().unwrap_or_default())?;
    let about = meta(&stream, PATIENCE)?;
    let keys = if about.seated { "you type here" } else { "you are watching" };
    let leave = format!("{} leaves", name_of(detach));
    say(&format!("attached to {}: {keys}; {leave}", about.agent));
    if let Some(own) = own_size()
        && (own.rows < about.rows || own.cols < about.cols)
    {
        say(&format!(
            "your terminal has {}x{} characters, the agent's {}x{}: not all of it will be seen",
            own.cols, own.rows, about.cols, about.rows
        ));
    }
    let raw = Raw::begin()?;
    let banner = Banner { agent: about.agent.clone(), leave, is_terminal: io::stdout().is_terminal() };
    banner.title(keys)?;
    let left = Arc::new(AtomicBool::new(false));
    let keyboard = stream.try_clone()?;
    let (flag, detach) = (Arc::clone(&left), detach.to_vec());
    // Standard input cannot be waited for together with the socket on every system, so each has its thread. This one
    // ends with the process.
    std::thread::spawn(move || {
        type_into(&keyboard, about.seated, &detach);
        flag.store(true, Ordering::Release);
        let _ = keyboard.shutdown(std::net::Shutdown::Both);
    });
    let ended = show(&stream, &banner);
    drop(raw);
    match ended {
        Ok(()) => Ok(Left::Ended),
        Err(_) if left.load(Ordering::Acquire) => Ok(Left::Detached),
        Err(error) => Err(error),
    }
}

/// Show what comes until the agent has ended.
fn show(stream: &UnixStream, banner: &Banner) -> Result<(), AttachError> {
    let mut out = io::stdout().lock();
    let mut from = stream;
    loop {
        let frame = frame::read(&mut from)?;
        let Some(frame) = frame else {
            return Err(AttachError::Nobody(io::Error::from(io::ErrorKind::UnexpectedEof)));
        };
        match frame.kind {
            Kind::History => {
                out.write_all(RESET)?;
                out.write_all(&frame.payload)?;
                out.flush()?;
            }
            Kind::Output => {
                out.write_all(&frame.payload)?;
                out.flush()?;
            }
            Kind::Notify => match serde_json::from_slice::<Notice>(&frame.payload) {
                Ok(Notice::Ended) => return Ok(()),
                Ok(notice) => banner.tell(&mut out, notice.sentence())?,
                Err(_) => {}
            },
            Kind::Error => {
                return Err(AttachError::Refused(String::from_utf8_lossy(&frame.payload).into_owned()));
            }
            _ => {}
        }
    }
}

/// What the person is told while the screen belongs to the agent: in the title, and news on the last line too, which
/// the agent's program draws over in time.
struct Banner {
    agent: String,
    leave: String,
    is_terminal: bool,
}

impl Banner {
    fn title(&self, words: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.is_terminal {
            write!(out, "\x1b[22;2t\x1b]2;{}: {words}; {}\x07", self.agent, self.leave)?;
        }
        out.flush()
    }

    fn tell(&self, out: &mut impl Write, words: &str) -> io::Result<()> {
        if self.is_terminal {
            let row = own_size().map_or(24, |size| size.rows);
            write!(out, "\x1b]2;{}: {words}; {}\x07", self.agent, self.leave)?;
            write!(out, "\x07\x1b7\x1b[{row};1H\x1b[0;7m{words}; {}\x1b[0m\x1b[K\x1b8", self.leave)?;
        }
        out.flush()
    }
}

/// Everything off and an empty screen, before another one is painted.
const RESET: &[u8] = b"\x1b[?1049l\x1b[?25h\x1b[0m\x1b[r\x1b[2J\x1b[H";
/// What the agent's program may have switched on in our terminal, off.
const LEAVE: &[u8] =
    b"\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[<u\x1b[0m\x1b[r\x1b[?25h\x1b[23;2t\r\n";

/// Send what is typed, until the detach keys or the end.
fn type_into(stream: &UnixStream, seated: bool, detach: &[u8]) {
    let mut keys = Keys::new(detach);
    let mut buffer = [0; 4096];
    let mut to = stream;
    let mut size = own_size();
    loop {
        // The window may change while nothing is typed.
        match wait_for_key() {
            Ok(true) => {}
            Ok(false) => {
                let now = own_size();
                if seated
                    && now != size
                    && let Some(now) = now
                {
                    size = Some(now);
                    let told = Frame::resize(now);
                    if frame::write(&mut to, told.kind, &told.payload).is_err() {
                        return;
                    }
                }
                continue;
            }
            Err(_) => return,
        }
        let Ok(count @ 1..) = io::stdin().lock().read(&mut buffer) else { return };
        let (typed, leaves) = keys.filter(buffer.get(..count).unwrap_or_default());
        if seated && !typed.is_empty() && frame::write(&mut to, Kind::Input, &typed).is_err() {
            return;
        }
        if leaves {
            return;
        }
    }
}

fn wait_for_key() -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let turn = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
    match poll(&mut fds, Some(&turn)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Finds the detach keys among what is typed. What only began like them is sent after all.
#[derive(Debug)]
struct Keys {
    detach: Vec<u8>,
    matched: usize,
}

impl Keys {
    fn new(detach: &[u8]) -> Self {
        Self { detach: detach.to_vec(), matched: 0 }
    }

    /// What is to be sent, and whether the person leaves.
    fn filter(&mut self, typed: &[u8]) -> (Vec<u8>, bool) {
        let mut send = Vec::new();
        for byte in typed {
            if self.detach.get(self.matched) == Some(byte) {
                self.matched += 1;
                if self.matched == self.detach.len() {
                    return (send, true);
                }
                continue;
            }
            send.extend_from_slice(self.detach.get(..self.matched).unwrap_or_default());
            self.matched = 0;
            // The first key twice sends it once: else it could never be typed.
            if self.detach.first() == Some(byte) {
                self.matched = 1;
            } else {
                send.push(*byte);
            }
        }
        (send, false)
    }
}

/// Keys as people write them.
fn name_of(keys: &[u8]) -> String {
    let name = |byte: &u8| match byte {
        1..=26 => format!("Ctrl-{}", char::from(byte + 64)),
        other => char::from(*other).to_string(),
    };
    keys.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// The size of the person's terminal.
pub fn own_size() -> Option<Size> {
    let size = Size::from(tcgetwinsize(io::stdout()).ok()?);
    (size.rows > 0 && size.cols > 0).then_some(size)
}

/// The terminal in raw mode, until this is dropped.
struct Raw {
    before: Option<Termios>,
}

impl Raw {
    fn begin() -> io::Result<Self> {
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return Ok(Self { before: None });
        }
        let before = tcgetattr(stdin.as_fd())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin.as_fd(), OptionalActions::Now, &raw)?;
        Ok(Self { before: Some(before) })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = io::stdout().lock().write_all(LEAVE);
            let _ = io::stdout().lock().flush();
            let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Flush, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detach_keys_are_found_wherever_reads_cut_them() {
        /// What is read in pieces, what of it is sent, and whether the person leaves.
        type Case = (&'static [&'static [u8]], &'static [u8], bool);
        let cases: &[Case] = &[
            (&[b"ls\n"], b"ls\n", false),
            (&[b"\x01d"], b"", true),
            (&[b"a\x01", b"d"], b"a", true),
            (&[b"\x01x"], b"\x01x", false),
            (&[b"\x01\x01d"], b"\x01", true),
            (&[b"d\x01", b"\x01", b"e"], b"d\x01\x01e", false),
        ];
        for (typed, sent, leaves) in cases {
            let mut keys = Keys::new(b"\x01d");
            let mut all = Vec::new();
            let mut left = false;
            for piece in *typed {
                let (send, leave) = keys.filter(piece);
                all.extend(send);
                left |= leave;
            }
            assert_eq!((all.as_slice(), left), (*sent, *leaves), "{typed:?}");
        }
    }

    #[test]
    fn keys_have_names() {
        assert_eq!(name_of(b"\x01d"), "Ctrl-A d");
    }
}
