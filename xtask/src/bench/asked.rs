//! Somebody who asks the daemon all the time, as commands do: each time over a connection of its own. In turns with it a
//! server is asked that knows its only answer beforehand: what that takes is the machine's and not the daemon's.
//!
//! A request is over when the last byte of its answer has come. To understand it is left out of the figure and told beside
//! it: this program is not optimised, and takes longer to read the report of a large fleet than the daemon to write it.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use signalbox_api::wire::{Answer, Answered, Asked as Line, Greeting, VERSION};
use signalbox_api::{MonitorList, Monitors, Report, Request, Status};
use signalbox_core::AgentId;

use crate::Result;

/// How long nobody is asked anything.
const PAUSE: Duration = Duration::from_millis(50);
/// How long an answer is awaited. One that does not come until then counts as having taken so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Each so many times the whole report is asked for.
const REPORT: u32 = 20;

/// Asks in a thread of its own.
pub struct Asked {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Times>,
}

/// How long each answer took, the shortest first.
#[derive(Default)]
pub struct Times {
    pub daemon: Vec<Duration>,
    /// The same, until it was understood here.
    pub understood: Vec<Duration>,
    pub idler: Vec<Duration>,
}

impl Asked {
    pub fn begin(daemon: PathBuf, idler: &Path) -> Result<Self> {
        serve_nothing(UnixListener::bind(idler)?);
        let over = Arc::new(AtomicBool::new(false));
        let (theirs, idler) = (Arc::clone(&over), idler.to_owned());
        let thread = std::thread::spawn(move || {
            let mut times = Times::default();
            let mut turn = 0_u32;
            while !theirs.load(Ordering::Relaxed) {
                turn += 1;
                // While there is no daemon there is no answer to be timed.
                if let Some((took, understood)) = ask(&daemon, turn.is_multiple_of(REPORT)) {
                    times.daemon.push(took);
                    times.understood.push(understood);
                }
                times.idler.extend(ask(&idler, false).map(|(took, _)| took));
                std::thread::sleep(PAUSE);
            }
            for times in [&mut times.daemon, &mut times.understood, &mut times.idler] {
                times.sort_unstable();
            }
            times
        });
        Ok(Self { over, thread })
    }

    pub fn end(self) -> Times {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

/// What so many of a hundred did not exceed.
pub fn at(times: &[Duration], percent: usize) -> Duration {
    times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
}

/// How long it took until all of the answer was there, and until it was understood. Nothing where there is none.
fn ask(socket: &Path, report: bool) -> Option<(Duration, Duration)> {
    let request = if report {
        Request::Status(Status {})
    } else {
        Request::Monitors(Monitors { agent: AgentId::parse("puppet-none").ok() })
    };
    let line = Line { v: VERSION, id: 1, capability: None, request };
    let line = format!("{}\n", serde_json::to_string(&line).ok()?);
    let begun = Instant::now();
    let stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut lines = BufReader::with_capacity(1 << 16, &stream);
    let (mut greeting, mut reply) = (String::new(), String::new());
    let come = lines
        .read_line(&mut greeting)
        .and_then(|_| (&stream).write_all(line.as_bytes()))
        .and_then(|()| lines.read_line(&mut reply));
    let took = begun.elapsed();
    if come.is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
        return Some((took, took));
    }
    let Answer::Ok(said) = serde_json::from_str::<Answered>(&reply).ok()?.answer()? else { return None };
    if report {
        serde_json::from_str::<Report>(said.get()).ok()?;
    } else {
        serde_json::from_str::<MonitorList>(said.get()).ok()?;
    }
    Some((took, begun.elapsed()))
}

/// Answers everybody with an empty list, one after the other, until the bench is over.
fn serve_nothing(listener: UnixListener) {
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Whoever goes away in the middle is not answered.
            let _ = answer(stream);
        }
    });
}

fn answer(mut stream: UnixStream) -> Result<()> {
    let greeting = Greeting { v: VERSION, server: "idler".to_owned(), pid: 0 };
    let reply = Answered::new(1, Answer::of(&MonitorList::default()));
    stream.write_all(format!("{}\n", serde_json::to_string(&greeting)?).as_bytes())?;
    BufReader::new(&stream).read_line(&mut String::new())?;
    stream.write_all(format!("{}\n", serde_json::to_string(&reply)?).as_bytes())?;
    Ok(())
}
