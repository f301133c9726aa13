//! Running a program that may hang: it is ended in time, and what it said until then is kept.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::Run;

/// How often it is looked whether the program has ended.
const STEP: Duration = Duration::from_millis(10);
/// How long to wait for the rest of the output of a program that has ended: a process it left behind may hold
/// the pipe open for ever.
const REST: Duration = Duration::from_secs(2);

/// Run a program without input, in a process group of its own, so that all of it can be ended.
pub(super) fn run(mut command: Command, patience: Duration) -> Run {
    let what = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let stdout = drain(child.stdout.take().expect("standard output"));
    let stderr = drain(child.stderr.take().expect("standard error"));
    let code = ends_within(&mut child, patience);
    if code.is_none() {
        end_group(&mut child);
    }
    let (stdout, mut stderr) = (rest(&stdout), rest(&stderr));
    if code.is_none() {
        stderr.push_str(&format!("\nit was ended after {} seconds\n", patience.as_secs()));
    }
    Run { stdout, stderr, code: code.flatten(), what }
}

/// The exit code, `Some(None)` where a signal ended it, and `None` where it still runs.
pub(super) fn ends_within(child: &mut Child, patience: Duration) -> Option<Option<i32>> {
    let end = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait().expect("ask for the program's end") {
            return Some(status.code());
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::sleep(STEP);
    }
}

/// End a program that leads a process group, and all that is still in the group.
pub(super) fn end_group(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

fn drain(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

fn rest(pipe: &Receiver<Vec<u8>>) -> String {
    let end = Instant::now() + REST;
    let mut bytes = Vec::new();
    while let Ok(more) = pipe.recv_timeout(end.saturating_duration_since(Instant::now())) {
        bytes.extend(more);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
