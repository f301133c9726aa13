//! What other threads may ask of the pump. Nobody but the pump writes to the program.

use std::collections::VecDeque;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::spawn::Size;

/// Speaks to a running pump. It may be cloned and used from any thread, also after the program has ended.
#[derive(Debug, Clone)]
pub struct Handle {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    requests: Mutex<Requests>,
    waker: UnixStream,
    /// Counts the person's keystrokes.
    pub input_seq: AtomicU64,
    pub last_input: Mutex<Option<Instant>>,
    /// What that count was when the program last printed something.
    pub answered: AtomicU64,
    /// Something was typed for the person, and the program has printed nothing since.
    pub is_silent: AtomicBool,
    next_hold: AtomicU64,
}

#[derive(Debug, Default)]
struct Requests {
    waiting: VecDeque<Request>,
    /// Nobody will answer any more.
    is_over: bool,
}

#[derive(Debug)]
pub(super) enum Request {
    Type { bytes: Vec<u8>, only: Only, ticket: Ticket },
    Release(u64),
    Feed(Vec<u8>),
    Resize(Size),
    Signal(Signal),
    Front(SyncSender<u32>),
    Stop,
}

/// Under which condition bytes are typed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Only {
    /// Nothing was typed meanwhile. The person's keys are held back for that long under that number.
    If { input_seq: u64, hold: Option<(u64, Duration)> },
    /// This hold is still in force.
    Under(u64),
}

/// Where the answer goes.
#[derive(Debug)]
pub(super) struct Ticket {
    pub answer: SyncSender<Result<(), NotTyped>>,
    /// Whoever asked waits no more: the rest is not to be written.
    pub given_up: Arc<AtomicBool>,
}

/// When text may be typed for the person.
#[derive(Debug, Clone, Copy)]
pub struct Condition {
    /// What [`Handle::input_seq`] was when the decision to type was made.
    pub input_seq: u64,
    /// How long the person's keystrokes are kept back at most, counted from the typing. Zero: not at all.
    pub hold: Duration,
    /// How long the program may take to read it all.
    pub patience: Duration,
}

impl Condition {
    /// Type only if nothing was typed since, hold nothing back, and wait for up to ten seconds.
    pub fn unchanged_since(input_seq: u64) -> Self {
        Self { input_seq, hold: Duration::ZERO, patience: Duration::from_secs(10) }
    }

    /// The same, and keep the person's keystrokes back for up to that long.
    pub fn holding(self, hold: Duration) -> Self {
        Self { hold, ..self }
    }
}

/// Why nothing was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotTyped {
    #[error("the person has typed meanwhile")]
    PersonTyped,
    #[error("the person is in the middle of a key or a paste")]
    InsideKey,
    #[error("somebody else holds the keyboard")]
    Held,
    #[error("the program has not read what was typed before")]
    Backlog,
    #[error("the keyboard is not held any more")]
    HoldOver,
    /// The only case in which a part of it was typed.
    #[error("the program stopped reading after {written} bytes")]
    Stuck { written: usize },
    #[error("the program has ended")]
    Over,
}

/// The person's keystrokes are kept back, in order, until this is dropped or its time is over.
#[derive(Debug)]
pub struct Hold {
    handle: Handle,
    id: u64,
    patience: Duration,
}

impl Hold {
    /// Type more before the person's keystrokes go on.
    pub fn type_more(&self, bytes: &[u8]) -> Result<(), NotTyped> {
        self.handle.shared.ask_to_type(bytes, Only::Under(self.id), self.patience)
    }

    /// Let the person's keystrokes go on, as dropping does.
    pub fn release(self) {}
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.handle.shared.ask(Request::Release(self.id));
    }
}

impl Handle {
    /// Type these bytes as one, and only if the person has not typed since and is not in the middle of
    /// something. The pump decides and writes in one go, so no keystroke can come in between.
    ///
    /// Where a hold was asked for, it is returned and ends when it is dropped.
    pub fn type_if(&self, bytes: &[u8], condition: Condition) -> Result<Option<Hold>, NotTyped> {
        let Condition { input_seq, hold, patience } = condition;
        let id = self.shared.next_hold.fetch_add(1, Ordering::Relaxed);
        let wanted = (!hold.is_zero()).then_some((id, hold));
        // Made first: if this thread gives up, the hold ends with it.
        let guard = wanted.map(|(id, _)| Hold { handle: self.clone(), id, patience });
        self.shared.ask_to_type(bytes, Only::If { input_seq, hold: wanted }, patience)?;
        Ok(guard)
    }

    /// What the person at the attached read-write seat typed. It counts as the person's own.
    pub fn feed(&self, bytes: &[u8]) {
        self.shared.ask(Request::Feed(bytes.to_vec()));
    }

    /// Give the program's terminal another size.
    pub fn resize(&self, size: Size) {
        self.shared.ask(Request::Resize(size));
    }

    /// Send a signal to the program.
    pub fn signal(&self, signal: Signal) {
        self.shared.ask(Request::Signal(signal));
    }

    /// The process group in the foreground of the program's terminal, which has the number of its leader: of the program
    /// itself, or of what runs in it at the moment if it is a shell. `None` once it has ended.
    pub fn foreground(&self) -> Option<u32> {
        let (answer, answers) = sync_channel(1);
        if self.shared.ask(Request::Front(answer)) { answers.recv().ok() } else { None }
    }

    /// End the program: ask it to, and kill it if it does not within the pump's grace.
    pub fn stop(&self) {
        self.shared.ask(Request::Stop);
    }

    /// How often the person has typed. Answers of their terminal, focus and a moving mouse do not count.
    pub fn input_seq(&self) -> u64 {
        self.shared.input_seq.load(Ordering::Acquire)
    }

    /// Whether the program has printed anything since the person typed last. If not, the screen cannot show what they typed.
    pub fn has_answered(&self) -> bool {
        self.shared.answered.load(Ordering::Acquire) == self.input_seq()
    }

    /// Whether the program has printed nothing since something was typed for the person. Then it may not have read it yet.
    pub fn is_silent(&self) -> bool {
        self.shared.is_silent.load(Ordering::Acquire)
    }

    /// When the person typed last.
    pub fn last_input_at(&self) -> Option<Instant> {
        *lock(&self.shared.last_input)
    }
}

impl Shared {
    pub fn new(waker: UnixStream) -> Self {
        Self {
            requests: Mutex::default(),
            waker,
            input_seq: AtomicU64::new(0),
            last_input: Mutex::new(None),
            answered: AtomicU64::new(0),
            is_silent: AtomicBool::new(false),
            next_hold: AtomicU64::new(0),
        }
    }

    /// Whether anybody will see to it.
    fn ask(&self, request: Request) -> bool {
        let mut requests = lock(&self.requests);
        if requests.is_over {
            return false;
        }
        requests.waiting.push_back(request);
        drop(requests);
        // A full pipe wakes as well as another byte would.
        let _ = (&self.waker).write(&[0]);
        true
    }

    fn ask_to_type(&self, bytes: &[u8], only: Only, patience: Duration) -> Result<(), NotTyped> {
        let (answer, answers): (_, Receiver<Result<(), NotTyped>>) = sync_channel(1);
        let given_up = Arc::new(AtomicBool::new(false));
        let ticket = Ticket { answer, given_up: Arc::clone(&given_up) };
        if !self.ask(Request::Type { bytes: bytes.to_vec(), only, ticket }) {
            return Err(NotTyped::Over);
        }
        if let Ok(answer) = answers.recv_timeout(patience) {
            return answer;
        }
        given_up.store(true, Ordering::Release);
        let _ = (&self.waker).write(&[0]);
        // The pump answers now, with how far it came, or has ended and dropped the question.
        answers.recv().unwrap_or(Err(NotTyped::Over))
    }

    pub fn next_request(&self) -> Option<Request> {
        lock(&self.requests).waiting.pop_front()
    }

    /// Whoever asks from now on hears that it is over, and so do those who wait.
    pub fn close(&self) {
        let mut requests = lock(&self.requests);
        requests.is_over = true;
        requests.waiting.clear();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
