//! Somebody who asks the daemon all the time, as commands do: each time over a connection of its own. In turns with it a
//! server is asked that knows its only answer beforehand: what that takes is the machine's and not the daemon's.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use signalbox_api::wire::{Answer, Answered, Greeting, VERSION};
use signalbox_api::{Client, MonitorList, Monitors, Status};
use signalbox_core::AgentId;

use crate::Result;

/// How long nobody is asked anything.
const PAUSE: Duration = Duration::from_millis(50);
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
                times.daemon.extend(ask(&daemon, turn.is_multiple_of(REPORT)));
                times.idler.extend(ask(&idler, false));
                std::thread::sleep(PAUSE);
            }
            times.daemon.sort_unstable();
            times.idler.sort_unstable();
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

fn ask(socket: &Path, report: bool) -> Option<Duration> {
    let begun = Instant::now();
    let mut client = Client::connect(socket).ok()?;
    if report {
        client.ask(Status {}).ok()?;
    } else {
        client.ask(Monitors { agent: AgentId::parse("puppet-none").ok() }).ok()?;
    }
    Some(begun.elapsed())
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
