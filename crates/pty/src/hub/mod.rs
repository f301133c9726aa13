//! Those who look on: each sees the program's output as soon as it can, and none can slow it down.
//!
//! Output goes once into a ring that all of them read. Whoever falls behind it, because they are slow or the program
//! is quick, gets a replay of the present screen instead of what they missed. The more of them there are, the longer
//! each waits between two readings, so that many cost little.

mod seat;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use seat::{Occupied, Seat, Take, WatcherId};

use crate::screen::Screen;
use crate::spawn::Size;

/// How far behind one may be and still get every byte.
const RING: usize = 128 << 10;
/// How long a watcher waits between two readings: at least this, this much more for every other, and this many times
/// longer for one who could not keep up.
const PACE: Duration = Duration::from_millis(4);
const PACE_EACH: Duration = Duration::from_micros(500);
const PACE_BEHIND: u32 = 4;

/// Where output is shown to whoever looks on. It may be cloned.
#[derive(Debug, Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Locked before `state`, never after it.
    screen: Arc<Mutex<Screen>>,
    state: Mutex<State>,
    /// Rung when there is output and somebody waits for it.
    output: Condvar,
    /// Rung when there is a message or an end.
    message: Condvar,
}

#[derive(Debug)]
struct State {
    ring: VecDeque<u8>,
    /// How many bytes were ever shown: where the ring ends.
    end: u64,
    /// Counts what cannot be shown as bytes: sizes and gaps.
    epoch: u64,
    is_over: bool,
    watchers: Vec<Mailbox>,
    next_id: u64,
    /// How many wait for output.
    waiting: usize,
    seat: Seat,
    /// The last replay, and what it is a replay of.
    replay: Option<(Place, Arc<[u8]>)>,
}

#[derive(Debug)]
struct Mailbox {
    id: WatcherId,
    messages: VecDeque<Message>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    end: u64,
    epoch: u64,
}

/// What a watcher is told beside output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// Somebody took the read-write seat by force.
    SeatTakenOver,
    /// The read-write seat was lost by doing nothing.
    SeatExpired,
}

/// What a watcher is to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// Paint everything anew, on a terminal of this size.
    History {
        replay: Arc<[u8]>,
        size: Size,
    },
    Output(Vec<u8>),
    Message(Message),
    /// Nothing happened within the time given.
    Nothing,
    /// The program has ended, and everything was seen.
    Over,
}

impl Hub {
    /// `idle`: how long the read-write seat may be idle before it is lost.
    pub fn new(screen: Arc<Mutex<Screen>>, idle: Option<Duration>) -> Self {
        let state = State {
            ring: VecDeque::new(),
            end: 0,
            epoch: 0,
            is_over: false,
            watchers: Vec::new(),
            next_id: 1,
            waiting: 0,
            seat: Seat::new(idle),
            replay: None,
        };
        let inner =
            Inner { screen, state: Mutex::new(state), output: Condvar::new(), message: Condvar::new() };
        Self { inner: Arc::new(inner) }
    }

    /// Begin to look on. The first thing to be seen is the present screen.
    pub fn watch(&self) -> Watcher {
        let mut state = self.inner.lock();
        let id = WatcherId(state.next_id);
        state.next_id += 1;
        state.watchers.push(Mailbox { id, messages: VecDeque::new() });
        Watcher { hub: self.clone(), id, seen: None, next_at: None }
    }

    /// How many look on.
    pub fn watchers(&self) -> usize {
        self.inner.lock().watchers.len()
    }

    /// Whether anybody looks on. If not, output need not be prepared for them.
    pub(crate) fn is_watched(&self) -> bool {
        self.watchers() > 0
    }

    /// Show harmless output. Called while the screen is locked, so that screen and ring are always of one moment.
    pub(crate) fn show(&self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.inner.lock();
        state.end += bytes.len() as u64;
        let over = (state.ring.len() + bytes.len()).saturating_sub(RING);
        let length = state.ring.len();
        state.ring.drain(..over.min(length));
        state.ring.extend(bytes.iter().skip(over.saturating_sub(length)));
        self.inner.ring_for_output(state);
    }

    /// Something happened that only a replay can show. Called while the screen is locked.
    pub(crate) fn jump(&self) {
        let mut state = self.inner.lock();
        state.epoch += 1;
        state.ring.clear();
        self.inner.ring_for_output(state);
    }

    fn ring(&self) {
        self.inner.message.notify_all();
        self.inner.output.notify_all();
    }

    /// The program has ended.
    pub(crate) fn end(&self) {
        let mut state = self.inner.lock();
        state.is_over = true;
        drop(state);
        self.inner.output.notify_all();
        self.inner.message.notify_all();
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring_for_output(&self, state: MutexGuard<'_, State>) {
        let is_waited_for = state.waiting > 0;
        drop(state);
        if is_waited_for {
            self.output.notify_all();
        }
    }

    /// What paints the present screen, made once for all who ask at the same place.
    fn replay(&self) -> (Place, Arc<[u8]>, Size) {
        let screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let size = screen.size();
        let place = self.lock().place();
        if let Some((known, replay)) = &self.lock().replay
            && *known == place
        {
            return (place, Arc::clone(replay), size);
        }
        let replay: Arc<[u8]> = screen.replay().into();
        self.lock().replay = Some((place, Arc::clone(&replay)));
        (place, replay, size)
    }

    fn wait<'a>(&self, on: &Condvar, state: MutexGuard<'a, State>, until: Instant) -> MutexGuard<'a, State> {
        let left = until.saturating_duration_since(Instant::now());
        on.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl State {
    fn place(&self) -> Place {
        Place { end: self.end, epoch: self.epoch }
    }

    fn mailbox(&mut self, id: WatcherId) -> Option<&mut Mailbox> {
        self.watchers.iter_mut().find(|mailbox| mailbox.id == id)
    }

    fn tell(&mut self, id: WatcherId, message: Message) {
        if let Some(mailbox) = self.mailbox(id) {
            mailbox.messages.push_back(message);
        }
    }

    fn expire_seat(&mut self, now: Instant) -> bool {
        let lost = self.seat.expire(now);
        if let Some(who) = lost {
            self.tell(who, Message::SeatExpired);
        }
        lost.is_some()
    }

    fn pace(&self) -> Duration {
        PACE + PACE_EACH * u32::try_from(self.watchers.len()).unwrap_or(u32::MAX)
    }

    /// What follows a place, if the ring still has it.
    fn since(&self, seen: Place) -> Option<Vec<u8>> {
        let missed = usize::try_from(self.end.checked_sub(seen.end)?).ok()?;
        let from = self.ring.len().checked_sub(missed).filter(|_| seen.epoch == self.epoch)?;
        Some(self.ring.range(from..).copied().collect())
    }
}

/// One who looks on. Dropping it is leaving.
#[derive(Debug)]
pub struct Watcher {
    hub: Hub,
    id: WatcherId,
    /// What was last shown; `None` before the first time.
    seen: Option<Place>,
    next_at: Option<Instant>,
}

impl Watcher {
    pub fn id(&self) -> WatcherId {
        self.id
    }

    /// What is to be seen next, as soon as there is something, but no later than after `patience`.
    pub fn next(&mut self, patience: Duration) -> Update {
        let hub = self.hub.clone();
        let inner = &*hub.inner;
        let begun = Instant::now();
        let deadline = begun + patience;
        let mut state = inner.lock();
        loop {
            let now = Instant::now();
            if state.expire_seat(now) {
                inner.message.notify_all();
                inner.output.notify_all();
            }
            if let Some(message) = state.mailbox(self.id).and_then(|mailbox| mailbox.messages.pop_front()) {
                return Update::Message(message);
            }
            let is_news = self.seen != Some(state.place());
            if !is_news && state.is_over {
                return Update::Over;
            }
            let too_soon = self.next_at.filter(|at| *at > now && is_news && !state.is_over);
            if is_news && too_soon.is_none() {
                break;
            }
            if now >= deadline {
                return Update::Nothing;
            }
            let until = state.seat.expires_at().map_or(deadline, |at| at.min(deadline));
            if let Some(at) = too_soon {
                state = inner.wait(&inner.message, state, at.min(until));
            } else {
                state.waiting += 1;
                state = inner.wait(&inner.output, state, until);
                state.waiting -= 1;
            }
        }
        let pace = state.pace();
        if let Some(output) = self.seen.and_then(|seen| state.since(seen)) {
            self.seen = Some(state.place());
            self.next_at = Some(Instant::now() + pace);
            return Update::Output(output);
        }
        let was_behind = self.seen.is_some();
        drop(state);
        let (place, replay, size) = inner.replay();
        self.seen = Some(place);
        self.next_at = Some(Instant::now() + if was_behind { pace * PACE_BEHIND } else { pace });
        Update::History { replay, size }
    }

    /// Take the read-write seat.
    pub fn take_seat(&self, how: Take) -> Result<(), Occupied> {
        let mut state = self.hub.inner.lock();
        let now = Instant::now();
        state.expire_seat(now);
        if let Some(before) = state.seat.take(self.id, how, now)? {
            state.tell(before, Message::SeatTakenOver);
        }
        drop(state);
        self.ring();
        Ok(())
    }

    /// The seat for whoever takes what this watcher types.
    pub fn seat(&self) -> SeatHandle {
        SeatHandle { hub: self.hub.clone(), id: self.id }
    }

    pub fn leave_seat(&self) {
        self.hub.inner.lock().seat.leave(self.id);
    }

    /// Whether this one may type, which counts as doing something.
    pub fn may_type(&self) -> bool {
        let mut state = self.hub.inner.lock();
        let now = Instant::now();
        let lost = state.expire_seat(now);
        let may = state.seat.types(self.id, now);
        drop(state);
        if lost {
            self.ring();
        }
        may
    }

    pub fn has_seat(&self) -> bool {
        self.hub.inner.lock().seat.holder() == Some(self.id)
    }

    fn ring(&self) {
        self.hub.inner.message.notify_all();
        self.hub.inner.output.notify_all();
    }
}

/// The seat of one watcher, seen from another thread.
#[derive(Debug, Clone)]
pub struct SeatHandle {
    hub: Hub,
    id: WatcherId,
}

impl SeatHandle {
    /// Whether this one may type, which counts as doing something.
    pub fn may_type(&self) -> bool {
        let mut state = self.hub.inner.lock();
        let now = Instant::now();
        let lost = state.expire_seat(now);
        let may = state.seat.types(self.id, now);
        drop(state);
        if lost {
            self.hub.ring();
        }
        may
    }

    pub fn has_seat(&self) -> bool {
        self.hub.inner.lock().seat.holder() == Some(self.id)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut state = self.hub.inner.lock();
        state.seat.leave(self.id);
        state.watchers.retain(|mailbox| mailbox.id != self.id);
    }
}
