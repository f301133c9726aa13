//! What the pump hands to the side: a bounded queue that never makes the pump wait.
//!
//! Bytes lie in one buffer and what they are in a list beside it, so that a flood costs a copy and no
//! allocation. They are gathered for a moment before the side is woken.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::spawn::Size;

/// How many bytes may wait. Above this the pump stops reading from the program until there is room.
pub(crate) const ROOM: usize = 2 << 20;
/// Output that comes within this time is one happening...
const TOGETHER: Duration = Duration::from_millis(4);
/// ...unless it is longer than this.
pub(crate) const TOGETHER_BYTES: usize = 64 << 10;
/// The side is not woken before so much has come or so much time has passed. Waking it costs more than passing bytes
/// on, and takes the processor from the terminal that is about to show them.
const GATHER: Duration = Duration::from_millis(2);
const GATHER_BYTES: usize = 256 << 10;
/// Nobody types so much: it is a flood, which is worth more patience.
const FLOOD: usize = 12 << 10;
const GATHER_FLOOD: Duration = Duration::from_millis(20);

/// The pump's end.
#[derive(Debug, Clone)]
pub struct Tap {
    shared: Arc<Shared>,
}

/// When the pump lets the side look.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    since: Option<Instant>,
    bytes: usize,
}

impl Gathering {
    /// So many bytes were put in.
    pub fn add(&mut self, bytes: usize, now: Instant) {
        self.since.get_or_insert(now);
        self.bytes += bytes;
    }

    /// When the side is to look at the latest.
    pub fn ends(&self) -> Option<Instant> {
        self.since.map(|since| since + if self.bytes < FLOOD { GATHER } else { GATHER_FLOOD })
    }

    /// Wake the side if it is time.
    pub fn wake_if_due(&mut self, tap: &Tap, now: Instant) {
        if self.bytes >= GATHER_BYTES || self.ends().is_some_and(|at| at <= now) {
            *self = Self::default();
            tap.wake();
        }
    }
}

/// The side's end.
#[derive(Debug)]
pub(crate) struct Drain {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    filled: Condvar,
    emptied: Condvar,
    began: Instant,
}

#[derive(Debug, Default)]
struct Queue {
    batch: Batch,
    /// Who is woken when there is room again.
    pump: Option<UnixStream>,
    /// The pump waits for room.
    pump_waits: bool,
    /// The side is to look.
    is_due: bool,
    /// Nothing more will come.
    is_closed: bool,
    /// What came in that changes the screen (a byte of output, a new size), and how much of it the side is done with.
    put: u64,
    done: u64,
}

/// Happenings in their order.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub bytes: Vec<u8>,
    pub happenings: Vec<Happening>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Happening {
    /// Since the beginning.
    pub at: Duration,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// So many of the batch's next bytes.
    Output(usize),
    Input(usize),
    Resize(Size),
    Mark(String),
    /// So many bytes of output were lost.
    Gap(u64),
}

pub(crate) fn new() -> (Tap, Drain) {
    let shared = Arc::new(Shared {
        queue: Mutex::default(),
        filled: Condvar::new(),
        emptied: Condvar::new(),
        began: Instant::now(),
    });
    (Tap { shared: Arc::clone(&shared) }, Drain { shared })
}

impl Tap {
    /// Whether there is room for more.
    pub(crate) fn output(&self, bytes: &[u8]) -> bool {
        let at = self.shared.began.elapsed();
        let mut queue = self.shared.lock();
        queue.put += bytes.len() as u64;
        queue.batch.bytes.extend_from_slice(bytes);
        match queue.batch.happenings.last_mut() {
            Some(Happening { at: since, what: What::Output(length) })
                if at.saturating_sub(*since) < TOGETHER && *length < TOGETHER_BYTES =>
            {
                *length += bytes.len();
            }
            _ => queue.batch.happenings.push(Happening { at, what: What::Output(bytes.len()) }),
        }
        queue.batch.bytes.len() < ROOM
    }

    pub(crate) fn input(&self, bytes: &[u8]) {
        let at = self.shared.began.elapsed();
        let mut queue = self.shared.lock();
        queue.batch.bytes.extend_from_slice(bytes);
        queue.batch.happenings.push(Happening { at, what: What::Input(bytes.len()) });
    }

    pub(crate) fn resize(&self, size: Size) {
        self.shared.lock().put += 1;
        self.say(What::Resize(size));
    }

    /// Put a marker into the recording.
    pub fn mark(&self, label: impl Into<String>) {
        self.say(What::Mark(label.into()));
    }

    /// Output that was not handed over.
    pub(crate) fn lost(&self, bytes: u64) {
        let at = self.shared.began.elapsed();
        let mut queue = self.shared.lock();
        queue.put += bytes;
        if let Some(Happening { what: What::Gap(lost), .. }) = queue.batch.happenings.last_mut() {
            *lost += bytes;
        } else {
            queue.batch.happenings.push(Happening { at, what: What::Gap(bytes) });
        }
    }

    fn say(&self, what: What) {
        let at = self.shared.began.elapsed();
        let mut queue = self.shared.lock();
        queue.batch.happenings.push(Happening { at, what });
        drop(queue);
        self.wake();
    }

    /// Let the side look at what has come.
    pub(crate) fn wake(&self) {
        self.shared.lock().is_due = true;
        self.shared.filled.notify_all();
    }

    /// Whether more may be put in. If not, `pump` gets a byte as soon as that changes.
    pub(crate) fn has_room(&self, pump: &UnixStream) -> bool {
        let mut queue = self.shared.lock();
        if queue.batch.bytes.len() < ROOM {
            return true;
        }
        queue.pump_waits = true;
        if queue.pump.is_none() {
            queue.pump = pump.try_clone().ok();
        }
        false
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        let mut queue = self.shared.lock();
        queue.is_closed = true;
        queue.is_due = true;
        drop(queue);
        self.shared.filled.notify_all();
        self.shared.emptied.notify_all();
    }

    /// Wait until the side has seen all that came before this call and changes the screen. The answer is a number that
    /// stays the same as long as nothing more comes; nothing if it takes longer.
    pub(crate) fn wait_seen(&self, patience: Duration) -> Option<u64> {
        let deadline = Instant::now() + patience;
        let mut queue = self.shared.lock();
        let wanted = queue.put;
        while queue.done < wanted {
            queue.is_due = true;
            self.shared.filled.notify_all();
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            queue = wait(&self.shared.emptied, queue, left);
        }
        Some(wanted)
    }
}

impl Drain {
    /// The next happenings, in the emptied `batch`. `false` when nothing more will come.
    pub fn next(&mut self, batch: &mut Batch) -> bool {
        let mut queue = self.shared.lock();
        while !queue.is_due || queue.batch.happenings.is_empty() {
            if queue.is_closed {
                return false;
            }
            queue.is_due = false;
            queue = self.shared.filled.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.is_due = queue.is_closed;
        std::mem::swap(&mut queue.batch, batch);
        let pump = if std::mem::take(&mut queue.pump_waits) { queue.pump.take() } else { None };
        drop(queue);
        if let Some(mut pump) = pump {
            let _ = pump.write(&[0]);
        }
        true
    }

    /// All of this batch was seen to.
    pub fn done(&self, batch: &mut Batch) {
        let seen = batch.happenings.iter().map(|happening| match happening.what {
            What::Output(length) => length as u64,
            What::Gap(lost) => lost,
            What::Resize(_) => 1,
            What::Input(_) | What::Mark(_) => 0,
        });
        let seen: u64 = seen.sum();
        batch.happenings.clear();
        batch.bytes.clear();
        // What a backlog needed is not needed for ever.
        batch.bytes.shrink_to(GATHER_BYTES * 2);
        self.shared.lock().done += seen;
        self.shared.emptied.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a>(condition: &Condvar, queue: MutexGuard<'a, Queue>, left: Duration) -> MutexGuard<'a, Queue> {
    condition.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0
}
