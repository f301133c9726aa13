//! Made-to-order failures, for tests: of the file layer, "fail the 17th operation with ENOSPC", and bugs.
//!
//! Only debug builds look at the environment; in a release build every function here is empty.
//! `SIGNALBOX_FAULT=<k>:<eio|enospc|short|kill>` chooses the operation and the failure, and
//! `SIGNALBOX_FAULT_MARK` names a file that is made when the failure happens, so that a test knows when it
//! has gone past the last operation of a command. `SIGNALBOX_PANIC` names what has a bug.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Eio,
    Enospc,
    Short,
    Kill,
}

#[derive(Debug)]
struct Plan {
    at: u64,
    kind: Kind,
    mark: Option<std::path::PathBuf>,
}

static COUNT: AtomicU64 = AtomicU64::new(0);

fn plan() -> Option<&'static Plan> {
    static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
    if !cfg!(debug_assertions) {
        return None;
    }
    PLAN.get_or_init(|| {
        let text = std::env::var("SIGNALBOX_FAULT").ok()?;
        let (at, kind) = text.split_once(':')?;
        let kind = match kind {
            "eio" => Kind::Eio,
            "enospc" => Kind::Enospc,
            "short" => Kind::Short,
            "kill" => Kind::Kill,
            _ => return None,
        };
        Some(Plan {
            at: at.parse().ok()?,
            kind,
            mark: std::env::var_os("SIGNALBOX_FAULT_MARK").map(Into::into),
        })
    })
    .as_ref()
}

/// Panic here, if this is what was asked to have a bug.
#[expect(clippy::panic, reason = "to panic is what it is for")]
pub fn break_if_asked(name: &str) {
    if cfg!(debug_assertions) && std::env::var("SIGNALBOX_PANIC").is_ok_and(|asked| asked == name) {
        panic!("{name} was asked to break");
    }
}

/// Count one operation; fail here if it is the chosen one.
pub(crate) fn point() -> io::Result<()> {
    match due() {
        None | Some(Kind::Short) => Ok(()),
        Some(kind) => Err(fail(kind)),
    }
}

/// Count one write of `length` bytes; the answer is how many of them may be written before the failure.
pub(crate) fn write_point(length: usize) -> io::Result<Option<usize>> {
    match due() {
        None => Ok(None),
        // A full disk takes what still fits.
        Some(Kind::Short | Kind::Enospc | Kind::Kill) => Ok(Some(length / 2)),
        Some(Kind::Eio) => Err(fail(Kind::Eio)),
    }
}

/// What to report after the part that [`write_point`] allowed was written.
pub(crate) fn after_part() -> io::Error {
    fail(plan().map_or(Kind::Eio, |plan| plan.kind))
}

fn due() -> Option<Kind> {
    let plan = plan()?;
    (COUNT.fetch_add(1, Ordering::Relaxed) + 1 == plan.at).then(|| {
        if let Some(mark) = &plan.mark {
            // The mark itself must not count as an operation.
            let _ = std::fs::OpenOptions::new().create(true).append(true).open(mark);
        }
        plan.kind
    })
}

fn fail(kind: Kind) -> io::Error {
    use rustix::io::Errno;
    match kind {
        Kind::Eio => Errno::IO.into(),
        Kind::Enospc | Kind::Short => Errno::NOSPC.into(),
        Kind::Kill => {
            let me = rustix::process::getpid();
            let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
            Errno::IO.into()
        }
    }
}
