//! The answer that is given whatever happens: in time, once, and a refusal where the hook itself breaks.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signalbox_drivers::{Driver, HookKind, Reply};

use super::{Trouble, blind};

/// The variable that shortens the deadline, in milliseconds.
pub const DEADLINE: &str = "SIGNALBOX_HOOK_DEADLINE_MS";

/// How long CLIs wait that say nothing else.
const USUAL: Duration = Duration::from_secs(30);

/// Whether the answer is on its way. Only one is given.
static ANSWERED: AtomicBool = AtomicBool::new(false);
static DUE: OnceLock<(Instant, Duration)> = OnceLock::new();
static ASKED: OnceLock<(HookKind, Option<&'static Driver>)> = OnceLock::new();

/// From here on a panic or a passed deadline is answered too.
pub fn arm(kind: HookKind, driver: Option<&'static Driver>) {
    let _ = ASKED.set((kind, driver));
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
        give_up(&Trouble::Inside(format!("Signalbox broke{at}; please report it")));
    }));
    let limit = driver.and_then(|driver| driver.timeout(kind)).unwrap_or(USUAL);
    // Two thirds of what the CLI waits: it lets the tool run when it gives up on a hook.
    let limit = set_by_user().unwrap_or(limit * 2 / 3).min(limit);
    let _ = DUE.set((Instant::now(), limit));
}

/// How long there still is.
pub fn remaining() -> Duration {
    DUE.get().map_or(USUAL, |(begun, limit)| limit.saturating_sub(begun.elapsed()))
}

/// From here on the deadline holds whatever the hook is doing. The short way through a hook waits for nothing but
/// standard input, and a thread costs a tenth of all its time; whatever goes further calls this first.
pub fn watch() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    let Some((_, limit)) = DUE.get() else { return };
    if WATCHED.swap(true, Ordering::SeqCst) {
        return;
    }
    let left = remaining();
    // A thread that cannot be started leaves the hook without a deadline, but not without an answer.
    let _ = std::thread::Builder::new().stack_size(128 * 1024).spawn(move || {
        std::thread::sleep(left);
        give_up(&Trouble::Late(*limit));
    });
}

fn set_by_user() -> Option<Duration> {
    std::env::var(DEADLINE).ok()?.parse().ok().map(Duration::from_millis)
}

/// Answer for a hook that cannot go on, and end the process.
fn give_up(trouble: &Trouble) {
    if ANSWERED.swap(true, Ordering::SeqCst) {
        // Somebody else is answering; the process ends when that is done.
        std::thread::park();
    }
    let Some((kind, driver)) = ASKED.get() else { std::process::exit(2) };
    let reply = blind(*kind, *driver, &trouble.to_string());
    let code = write(&reply);
    trouble.record(*kind);
    std::process::exit(i32::from(code));
}

/// Give the answer.
pub fn give(reply: &Reply) -> u8 {
    if ANSWERED.swap(true, Ordering::SeqCst) {
        std::thread::park();
    }
    write(reply)
}

/// The exit code. An answer that cannot be written is given by the code that most CLIs take for a no.
fn write(reply: &Reply) -> u8 {
    let mut stdout = std::io::stdout().lock();
    let said = stdout.write_all(reply.stdout.as_bytes()).and_then(|()| stdout.flush());
    // It may quote what somebody sent, and stands on a person's terminal.
    let words = signalbox_core::text::many_lines(&reply.stderr);
    let _ = std::io::stderr().lock().write_all(words.as_bytes());
    match said {
        Ok(()) if is_refusal(reply) && nobody_hears() => 2,
        Ok(()) => reply.exit,
        Err(_) => 2,
    }
}

fn is_refusal(reply: &Reply) -> bool {
    let driver = ASKED.get().and_then(|(_, driver)| *driver).or_else(|| signalbox_drivers::find("claude"));
    // Not worth a look where nothing is refused, which is nearly always.
    reply.stdout.len() > 2
        && driver.is_some_and(|driver| signalbox_drivers::is_refusal(driver, &reply.stdout, None))
}

/// Whether standard output is closed: it is then the null device from the start.
fn nobody_hears() -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &str| std::fs::metadata(path).ok().map(|meta| (meta.rdev(), meta.dev(), meta.ino()));
    device("/dev/fd/1").is_some_and(|own| device("/dev/null") == Some(own))
}
