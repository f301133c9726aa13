//! Signals as flags that a loop looks at, and a pipe that wakes it.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::low_level::{pipe, unregister};
use signal_hook::{SigId, flag};

/// The signals that are taken. When this is dropped they do again what they do by default.
#[derive(Debug)]
pub(crate) struct Signals {
    pub resized: Flag,
    pub child: Flag,
    pub hung_up: Flag,
    pub interrupted: Flag,
    pub terminated: Flag,
    pub suspended: Flag,
    registered: Vec<SigId>,
}

/// How many have taken signals. A signal that was taken once is never given back by the system's interface that
/// is used here, so while nobody takes them the default is done by hand.
static TAKEN: Mutex<Taken> = Mutex::new(Taken { count: 0, nobody: None });

struct Taken {
    count: usize,
    /// Raised while nobody takes them. Made by the first who does.
    nobody: Option<Arc<AtomicBool>>,
}

#[derive(Debug, Default)]
pub(crate) struct Flag(Arc<AtomicBool>);

impl Flag {
    /// Whether it was raised since it was last asked.
    pub fn take(&self) -> bool {
        // A load alone is nearly always enough.
        self.0.load(Ordering::Acquire) && self.0.swap(false, Ordering::AcqRel)
    }
}

impl Signals {
    /// Take them, and write a byte to `waker` whenever one comes.
    pub fn take(waker: &UnixStream) -> io::Result<Self> {
        let mut signals = Self {
            resized: Flag::default(),
            child: Flag::default(),
            hung_up: Flag::default(),
            interrupted: Flag::default(),
            terminated: Flag::default(),
            suspended: Flag::default(),
            registered: Vec::new(),
        };
        let flags = [
            (SIGWINCH, Arc::clone(&signals.resized.0)),
            (SIGCHLD, Arc::clone(&signals.child.0)),
            (SIGHUP, Arc::clone(&signals.hung_up.0)),
            (SIGINT, Arc::clone(&signals.interrupted.0)),
            (SIGTERM, Arc::clone(&signals.terminated.0)),
            (SIGTSTP, Arc::clone(&signals.suspended.0)),
        ];
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        taken.count += 1;
        if let Some(nobody) = &taken.nobody {
            nobody.store(false, Ordering::SeqCst);
        } else {
            let nobody = Arc::new(AtomicBool::new(false));
            for (signal, _) in &flags {
                flag::register_conditional_default(*signal, Arc::clone(&nobody))?;
            }
            taken.nobody = Some(nobody);
        }
        drop(taken);
        for (signal, raised) in flags {
            signals.registered.push(flag::register(signal, raised)?);
            signals.registered.push(pipe::register(signal, waker.try_clone()?)?);
        }
        Ok(signals)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        taken.count -= 1;
        if let Some(nobody) = taken.nobody.as_ref().filter(|_| taken.count == 0) {
            nobody.store(true, Ordering::SeqCst);
        }
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}
