//! The proxy loop: bytes pass between a person's terminal and a program's at once and unchanged.
//!
//! One thread, and the only one that reads or writes either terminal. Whatever else wants the bytes gets a copy
//! afterwards, through a [`Tap`] that never makes this thread wait.

mod ending;
mod handle;
mod keys;
mod passing;
mod typing;

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;

pub use handle::{Condition, Handle, Hold, NotTyped};
use handle::{Request, Shared};
use keys::Keys;
use typing::Typing;

use crate::signals::Signals;
use crate::spawn::{Child, Exit, Size};
use crate::tap::{Gathering, Tap};
use crate::terminal::{Person, Raw};

/// How much is read at once.
const READ: usize = 64 << 10;
/// How far the person's terminal may be behind before the program has to wait for it. A little is worth it: a terminal
/// that takes output in small bites is fed in large ones.
const BEHIND: usize = 32 << 10;
/// How often the program is read before anybody else is looked at. A terminal hands over a few kilobytes at a time, and
/// under a flood the next are there already.
const READS_AT_ONCE: usize = 4;
/// How long a child may take to end that was asked to, by default. Then it is killed.
const GRACE: Duration = Duration::from_secs(3);
/// How long a program may take to stop that was asked to.
const STOPS_WITHIN: Duration = Duration::from_millis(200);
/// How long the side may take in nothing before output goes on without it.
const STALL: Duration = Duration::from_secs(1);
/// A program ended, but others still have its terminal: what they write is awaited for so long...
const QUIET: Duration = Duration::from_millis(50);
/// ...and if they do not stop, for so long.
const LINGER: Duration = Duration::from_secs(1);

/// A program, the person before it, and the loop between them.
#[derive(Debug)]
pub struct Pump {
    child: Child,
    person: Person,
    tap: Option<Tap>,
    grace: Duration,
    shared: Arc<Shared>,
    /// A byte comes here when a signal or a request does.
    wake: UnixStream,
    waker: UnixStream,
}

impl Pump {
    pub fn new(child: Child, person: Person) -> io::Result<Self> {
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        waker.set_nonblocking(true)?;
        let shared = Arc::new(Shared::new(waker.try_clone()?));
        Ok(Self { child, person, tap: None, grace: GRACE, shared, wake, waker })
    }

    /// Hand a copy of everything to this tap. It is closed when the program has ended.
    pub fn tapped(self, tap: Tap) -> Self {
        Self { tap: Some(tap), ..self }
    }

    /// How long the program may take to end when it is asked to.
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    pub fn handle(&self) -> Handle {
        Handle { shared: Arc::clone(&self.shared) }
    }

    /// Run until the program has ended and all its output was passed on. The person's terminal is in raw mode
    /// meanwhile, and as it was afterwards.
    pub fn run(self) -> io::Result<Exit> {
        let signals = Signals::take(&self.waker)?;
        let raw = self.person.raw()?;
        let mut turn = Loop {
            person: self.person,
            child: self.child,
            tap: self.tap,
            grace: self.grace,
            shared: Arc::clone(&self.shared),
            wake: self.wake,
            waker: self.waker,
            raw,
            typing: Typing::default(),
            keyboard: Keys::default(),
            seat: Keys::default(),
            shown: Pending::default(),
            ended: None,
            kill_at: None,
            stop_by: None,
            is_stopping: false,
            has_room: true,
            stalled: None,
            gathering: Gathering::default(),
            buffer: vec![0; READ],
        };
        let exit = turn.run(&signals);
        self.shared.close();
        if let Some(tap) = &turn.tap {
            tap.close();
        }
        exit
    }
}

/// What the loop keeps between two turns.
struct Loop {
    person: Person,
    child: Child,
    tap: Option<Tap>,
    grace: Duration,
    shared: Arc<Shared>,
    wake: UnixStream,
    waker: UnixStream,
    raw: Option<Raw>,
    /// What goes to the program.
    typing: Typing,
    keyboard: Keys,
    seat: Keys,
    /// What the person's terminal has not taken yet.
    shown: Pending,
    ended: Option<Ended>,
    /// When the program is killed that was asked to end.
    kill_at: Option<Instant>,
    /// When the program is stopped that was asked to.
    stop_by: Option<Instant>,
    /// It was not only asked to.
    is_stopping: bool,
    /// Whether the side has room, as far as is known.
    has_room: bool,
    /// Since when the side has no room.
    stalled: Option<Instant>,
    /// What the side has not been woken for.
    gathering: Gathering,
    buffer: Vec<u8>,
}

#[derive(Debug, Default)]
struct Pending {
    bytes: Vec<u8>,
    written: usize,
}

impl Pending {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.written);
        self.written = 0;
        self.bytes.extend_from_slice(bytes);
    }

    fn left(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy)]
struct Ended {
    exit: Exit,
    quiet_at: Instant,
    at_latest: Instant,
}

/// Who can be read or written.
#[derive(Debug, Default)]
struct Ready {
    woken: bool,
    keyboard: bool,
    child_reads: bool,
    child_wrote: bool,
    display: bool,
}

impl Loop {
    fn run(&mut self, signals: &Signals) -> io::Result<Exit> {
        // It may have ended before anybody took signals.
        self.look_at_child()?;
        loop {
            let now = Instant::now();
            if let Some(exit) = self.is_over(now) {
                return Ok(exit);
            }
            let reads = self.reads_child(now);
            let ready = self.wait(reads, now)?;
            if ready.woken {
                self.wake_up(signals)?;
            }
            self.keep_time()?;
            if ready.display {
                self.show_rest();
            }
            if ready.keyboard {
                self.read_keyboard();
            }
            if ready.child_reads {
                self.typing.write(self.child.master());
            }
            if reads && ready.child_wrote {
                self.read_child_for_a_while();
            }
        }
    }

    /// Whether the program has ended and nothing of it is left to pass on.
    fn is_over(&self, now: Instant) -> Option<Exit> {
        let ended = self.ended.as_ref()?;
        let is_drained = now >= ended.quiet_at || now >= ended.at_latest;
        (is_drained && self.shown.left().is_empty()).then_some(ended.exit)
    }

    /// Whether to read what the program says: not while much of it is still to be shown, or there is no room to keep it.
    fn reads_child(&mut self, now: Instant) -> bool {
        if self.shown.left().len() >= BEHIND {
            return false;
        }
        if !self.has_room {
            self.has_room = self.tap.as_ref().is_none_or(|tap| tap.has_room(&self.waker));
        }
        if self.has_room {
            self.stalled = None;
            return true;
        }
        now.saturating_duration_since(*self.stalled.get_or_insert(now)) >= STALL
    }

    fn wait(&self, reads: bool, now: Instant) -> io::Result<Ready> {
        let mut child = PollFlags::empty();
        child.set(PollFlags::IN, reads);
        child.set(PollFlags::OUT, self.typing.has_more());
        let mut fds = Vec::with_capacity(4);
        fds.push(PollFd::new(&self.wake, PollFlags::IN));
        // Asked for nothing, it would still report that its other end is closed, over and over.
        let child_at = (!child.is_empty()).then(|| {
            fds.push(PollFd::from_borrowed_fd(self.child.master(), child));
            fds.len() - 1
        });
        let keyboard_at = self.person.keyboard().filter(|_| self.typing.has_room()).map(|keyboard| {
            fds.push(PollFd::from_borrowed_fd(keyboard, PollFlags::IN));
            fds.len() - 1
        });
        let display_at = self.person.display().filter(|_| !self.shown.left().is_empty()).map(|display| {
            fds.push(PollFd::from_borrowed_fd(display, PollFlags::OUT));
            fds.len() - 1
        });
        let timeout = self.next_deadline().map(|at| {
            let left = at.saturating_duration_since(now);
            Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
        });
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready { woken: true, ..Ready::default() }),
            Err(error) => return Err(error.into()),
        }
        let seen =
            |at: Option<usize>| at.and_then(|at| fds.get(at)).map_or(PollFlags::empty(), PollFd::revents);
        Ok(Ready {
            woken: !seen(Some(0)).is_empty(),
            keyboard: !seen(keyboard_at).is_empty(),
            child_reads: seen(child_at).contains(PollFlags::OUT),
            child_wrote: seen(child_at).intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR),
            display: !seen(display_at).is_empty(),
        })
    }

    fn next_deadline(&self) -> Option<Instant> {
        let ended = self.ended.map(|ended| ended.quiet_at.min(ended.at_latest));
        let stalled = self.stalled.map(|since| since + STALL);
        let due =
            [self.typing.hold_ends(), self.kill_at, self.stop_by, self.gathering.ends(), ended, stalled];
        due.into_iter().flatten().min()
    }

    /// See to what has become due.
    fn keep_time(&mut self) -> io::Result<()> {
        if self.next_deadline().is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if let Some(tap) = &self.tap {
            self.gathering.wake_if_due(tap, now);
        }
        if self.typing.hold_ends().is_some_and(|at| at <= now) {
            let had_keys = self.typing.release();
            self.pass_on(had_keys);
        }
        if self.stop_by.is_some_and(|at| at <= now) {
            self.stop_child()?;
        }
        if self.kill_at.is_some_and(|at| at <= now) {
            self.kill_at = None;
            self.child.signal(Signal::KILL);
            self.look_at_child()?;
        }
        Ok(())
    }

    /// A signal or a request came.
    fn wake_up(&mut self, signals: &Signals) -> io::Result<()> {
        let mut bytes = [0; 64];
        while let Ok(count @ 1..) = self.wake.read(&mut bytes) {
            if count < bytes.len() {
                break;
            }
        }
        if signals.resized.take()
            && let Some(size) = self.person.size()
        {
            self.resize(size);
        }
        if signals.interrupted.take() {
            // As if the person had pressed the key: the program decides what it means.
            self.typing.push(b"\x03", true);
            self.typing.write(self.child.master());
        }
        if signals.hung_up.take() {
            self.hang_up();
        }
        if signals.terminated.take() {
            self.end_child(Signal::TERM);
        }
        if signals.suspended.take() && ending::has_job_control() {
            self.child.signal(Signal::TSTP);
            self.stop_by = Some(Instant::now() + STOPS_WITHIN);
        }
        if signals.child.take() {
            self.look_at_child()?;
        }
        while let Some(request) = self.shared.next_request() {
            self.answer(request);
        }
        self.typing.drop_given_up();
        Ok(())
    }

    fn answer(&mut self, request: Request) {
        match request {
            Request::Type { bytes, only, ticket } => {
                let now = Instant::now();
                let allowed = match only {
                    handle::Only::If { input_seq, .. } => self.may_type(input_seq, now),
                    handle::Only::Under(hold) => self.typing.may_type_under(hold),
                };
                if let Err(why) = allowed {
                    let _ = ticket.answer.send(Err(why));
                    return;
                }
                if let Some(tap) = &self.tap {
                    tap.input(&bytes);
                    self.gathering.add(bytes.len(), now);
                }
                if let handle::Only::If { hold: Some((id, length)), .. } = only {
                    self.typing.hold(id, now + length);
                }
                self.shared.is_silent.store(true, Ordering::Release);
                self.typing.type_for(bytes, ticket);
                self.typing.write(self.child.master());
            }
            Request::Release(id) => {
                let had_keys = self.typing.release_if(id);
                self.pass_on(had_keys);
            }
            Request::Feed(bytes) => {
                let is_typing = self.seat.follow(&bytes, Instant::now());
                self.take_input(&bytes, is_typing);
            }
            Request::Resize(size) => self.resize(size),
            Request::Signal(signal) => self.child.signal(signal),
            Request::Front(answer) => {
                if let Some(group) = self.child.foreground() {
                    let _ = answer.send(group.as_raw_nonzero().get().unsigned_abs());
                }
            }
            Request::Stop => self.end_child(Signal::TERM),
        }
    }

    fn may_type(&self, input_seq: u64, now: Instant) -> Result<(), NotTyped> {
        if self.ended.is_some() {
            return Err(NotTyped::Over);
        }
        if self.shared.input_seq.load(Ordering::Acquire) != input_seq || self.is_key_waiting() {
            return Err(NotTyped::PersonTyped);
        }
        if !self.keyboard.is_between(now) || !self.seat.is_between(now) {
            return Err(NotTyped::InsideKey);
        }
        self.typing.may_type()
    }

    fn is_key_waiting(&self) -> bool {
        let Some(keyboard) = self.person.keyboard() else { return false };
        let mut fds = [PollFd::from_borrowed_fd(keyboard, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
    }

    fn resize(&mut self, size: Size) {
        if self.child.resize(size).is_ok()
            && let Some(tap) = &self.tap
        {
            tap.resize(size);
        }
    }
}
