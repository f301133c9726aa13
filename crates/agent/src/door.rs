//! The agent's socket: whoever may connect is told about the agent, sees its screen, or types in its seat.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use signalbox_api::{is_closed, is_own};
use signalbox_core::agent::{Certainty, State};
use signalbox_pty::frame::{self, Frame, FrameError, Kind};
use signalbox_pty::hub::{Message, SeatHandle, Take, Update, Watcher};
use signalbox_pty::{Handle, Side, Size};
use signalbox_store::clock;

use crate::brain::Known;
use crate::journal::Scribe;
use crate::protocol::{About, Hello, Notice, VERSION, Wants};

/// How many may be connected at once.
const MOST: usize = 256;
/// How long whoever connects may take for their first word.
const FIRST_WORD: Duration = Duration::from_secs(5);
/// How often a watcher is looked after where nothing happens.
const TURN: Duration = Duration::from_millis(200);

/// What is behind the door.
#[derive(Clone)]
pub struct Room {
    pub agent: String,
    pub handle: Handle,
    pub side: Side,
    pub known: Arc<Known>,
    /// The size of the person's own terminal, to go back to when the seat is left.
    pub own_size: Arc<dyn Fn() -> Option<Size> + Send + Sync>,
    /// Where it is written down who had the seat.
    pub journal: Arc<Scribe>,
}

/// Open the door. It closes with the process.
pub fn open(path: &Path, room: Room) -> io::Result<()> {
    // Somebody was killed who had this very name.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // The folder is private, so nobody comes in between the two.
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    let connected = Arc::new(AtomicUsize::new(0));
    std::thread::Builder::new().name("door".to_owned()).spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { continue };
            if !is_own(&stream) || connected.load(Ordering::Relaxed) >= MOST {
                continue;
            }
            let (room, count) = (room.clone(), Arc::clone(&connected));
            count.fetch_add(1, Ordering::Relaxed);
            let spawned = std::thread::Builder::new().name("guest".to_owned()).spawn(move || {
                // Whoever breaks the connection has left.
                let _ = room.receive(&stream);
                count.fetch_sub(1, Ordering::Relaxed);
            });
            if spawned.is_err() {
                connected.fetch_sub(1, Ordering::Relaxed);
            }
        }
    })?;
    Ok(())
}

impl Room {
    fn receive(&self, stream: &UnixStream) -> Result<(), FrameError> {
        stream.set_read_timeout(Some(FIRST_WORD))?;
        let mut from = stream;
        let Some(first) = frame::read(&mut from)? else { return Ok(()) };
        let hello: Hello = match serde_json::from_slice(&first.payload) {
            Ok(hello) if first.kind == Kind::Hello => hello,
            _ => return refuse(stream, "the first word must be a greeting of this version of sb"),
        };
        stream.set_read_timeout(None)?;
        match hello.wants {
            Wants::About => send(stream, Kind::Meta, &self.about(false)),
            Wants::Stop => {
                self.handle.stop();
                send(stream, Kind::Meta, &self.about(false))
            }
            Wants::Watch | Wants::Seat | Wants::SeatByForce => self.attach(stream, &hello),
        }
    }

    fn attach(&self, stream: &UnixStream, hello: &Hello) -> Result<(), FrameError> {
        let mut watcher = self.side.hub().watch();
        let how = match hello.wants {
            Wants::Seat => Some(Take::IfFree),
            Wants::SeatByForce => Some(Take::ByForce),
            _ => None,
        };
        if let Some(how) = how {
            if !take_seat(&watcher, how) {
                return refuse(
                    stream,
                    "somebody else has the read-write seat; `--force` takes it over, and without `-i` you can watch",
                );
            }
            self.resize(Size::new(hello.rows, hello.cols));
            self.note("attach.promoted");
        }
        send(stream, Kind::Meta, &self.about(how.is_some()))?;
        let seat = watcher.seat();
        let reader = stream.try_clone()?;
        let room = self.clone();
        // Ends when the connection does, which is when the writer below has left.
        std::thread::Builder::new()
            .name("guest's keys".to_owned())
            .spawn(move || room.listen(&reader, &seat))?;
        let result = self.show(stream, &mut watcher);
        let _ = stream.shutdown(std::net::Shutdown::Both);
        if watcher.has_seat() {
            self.note("attach.demoted");
        }
        if how.is_some()
            && let Some(size) = (self.own_size)()
        {
            self.handle.resize(size);
        }
        result
    }

    /// Show the screen until the program ends or the watcher leaves.
    fn show(&self, stream: &UnixStream, watcher: &mut Watcher) -> Result<(), FrameError> {
        let mut to = stream;
        let mut size = None;
        loop {
            match watcher.next(TURN) {
                Update::History { replay, size: now } => {
                    if size != Some(now) {
                        size = Some(now);
                        let told = Frame::resize(now);
                        frame::write(&mut to, told.kind, &told.payload)?;
                    }
                    frame::write(&mut to, Kind::History, &replay)?;
                }
                Update::Output(bytes) => frame::write(&mut to, Kind::Output, &bytes)?,
                Update::Message(Message::SeatTakenOver) => {
                    self.note("attach.force-takeover");
                    send(stream, Kind::Notify, &Notice::SeatTakenOver)?;
                }
                Update::Message(Message::SeatExpired) => {
                    self.note("attach.idle-timeout");
                    send(stream, Kind::Notify, &Notice::SeatExpired)?;
                }
                Update::Nothing => {
                    if is_closed(stream) {
                        return Ok(());
                    }
                }
                Update::Over => return send(stream, Kind::Notify, &Notice::Ended),
            }
        }
    }

    /// Take what is typed in the seat.
    fn listen(&self, stream: &UnixStream, seat: &SeatHandle) {
        let mut from = stream;
        while let Ok(Some(frame)) = frame::read(&mut from) {
            match frame.kind {
                Kind::Input if seat.may_type() => self.handle.feed(&frame.payload),
                Kind::Resize if seat.has_seat() => {
                    if let Some(size) = frame.size() {
                        self.resize(size);
                    }
                }
                _ => {}
            }
        }
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }

    /// Write down who has the seat. Whoever types need not wait for a disk that is full.
    fn note(&self, event: &str) {
        let _ = self.journal.write(event, serde_json::json!({}));
    }

    fn resize(&self, size: Size) {
        if size.rows > 0 && size.cols > 0 {
            self.handle.resize(size);
        }
    }

    /// What is known of the agent now.
    fn about(&self, seated: bool) -> About {
        let known = self.known.assessment();
        let size = self.side.size();
        let now: Timestamp = clock::now();
        About {
            v: VERSION,
            agent: self.agent.clone(),
            state: known.as_ref().map_or(State::Starting, |known| known.state),
            certainty: known.as_ref().map_or(Certainty::Guess, |known| known.certainty),
            since: known.as_ref().and_then(|known| known.since).map(|since| since.to_string()),
            explained: known.map(|known| known.explain(now)).unwrap_or_default(),
            rows: size.rows,
            cols: size.cols,
            watchers: self.side.hub().watchers(),
            quiet_ms: self
                .handle
                .last_input_at()
                .map(|at| u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX)),
            seated,
        }
    }
}

/// Whoever has just left may still be in the seat: it is noticed a turn later.
fn take_seat(watcher: &Watcher, how: Take) -> bool {
    let begun = Instant::now();
    while watcher.take_seat(how).is_err() {
        if begun.elapsed() > TURN * 2 {
            return false;
        }
        std::thread::sleep(TURN / 8);
    }
    true
}

fn send<T: serde::Serialize>(stream: &UnixStream, kind: Kind, value: &T) -> Result<(), FrameError> {
    let mut to = stream;
    let bytes = serde_json::to_vec(value).map_err(io::Error::other)?;
    frame::write(&mut to, kind, &bytes)
}

fn refuse(stream: &UnixStream, why: &str) -> Result<(), FrameError> {
    let mut to = stream;
    frame::write(&mut to, Kind::Error, why.as_bytes())
}
