//! Those who do what may take long: as many as there is work, up to a bound, and none when there is none.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most that work at once.
const MOST: usize = 128;
/// How many more there may be for those that do not come back.
const MOST_LOST: usize = 128;
/// How long one without work stays.
const LINGER: Duration = Duration::from_secs(20);

type Work = Box<dyn FnOnce() + Send>;

/// The pool.
#[derive(Clone, Default)]
pub struct Workers {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    hall: Mutex<Hall>,
    bell: Condvar,
}

#[derive(Default)]
struct Hall {
    waiting: VecDeque<Work>,
    idle: usize,
    alive: usize,
    lost: usize,
}

impl Workers {
    /// Have something done, as soon as somebody is free.
    pub fn give(&self, work: Work) {
        let mut hall = self.shared.enter();
        hall.waiting.push_back(work);
        if hall.idle >= hall.waiting.len() {
            self.shared.bell.notify_one();
            return;
        }
        if hall.alive < MOST + hall.lost {
            hall.alive += 1;
            let shared = Arc::clone(&self.shared);
            // A small stack: there may be many, and none does anything deep.
            let hired = std::thread::Builder::new()
                .name("worker".to_owned())
                .stack_size(512 << 10)
                .spawn(move || shared.work());
            if hired.is_err() {
                hall.alive -= 1;
            }
        }
    }

    /// One does not come back; another may take its place.
    pub fn lose_one(&self) {
        let mut hall = self.shared.enter();
        hall.lost = (hall.lost + 1).min(MOST_LOST);
    }
}

impl Shared {
    fn enter(&self) -> MutexGuard<'_, Hall> {
        self.hall.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut hall = self.enter();
        loop {
            if let Some(work) = hall.waiting.pop_front() {
                drop(hall);
                work();
                hall = self.enter();
                continue;
            }
            hall.idle += 1;
            let (back, waited) = self.bell.wait_timeout(hall, LINGER).unwrap_or_else(PoisonError::into_inner);
            hall = back;
            hall.idle -= 1;
            if waited.timed_out() && hall.waiting.is_empty() {
                hall.alive -= 1;
                return;
            }
        }
    }
}
