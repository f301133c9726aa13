//! The event log for whoever wants to follow it: a thread each, at their own pace, straight from the files. Where each is
//! stands in every piece it gets, so it can go on from there in another connection, or with another daemon.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use signalbox_api::wire::{Answer, Answered, Kind, Piece, Problem, VERSION};
use signalbox_api::{Events, is_closed};
use signalbox_core::glob;
use signalbox_store::log::{FileLog, LogError, Position};

/// The most that follow at once.
const MOST: usize = 64;
/// How often the log is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long a follower may take to take something.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub struct Streams {
    log: FileLog,
    over: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
}

impl Streams {
    pub fn new(log: FileLog, over: Arc<AtomicBool>) -> Self {
        Self { log, over, count: Arc::new(AtomicUsize::new(0)) }
    }

    /// Let somebody follow. The connection is the stream's from now on.
    pub fn begin(&self, stream: UnixStream, id: u64, wanted: Events) {
        let streams = self.clone();
        let begun =
            std::thread::Builder::new().name("stream".to_owned()).stack_size(512 << 10).spawn(move || {
                let number = streams.count.fetch_add(1, Ordering::AcqRel);
                // Whoever closes the connection has heard enough.
                let _ = if number < MOST {
                    streams.serve(&stream, id, &wanted)
                } else {
                    let message = format!("{MOST} follow the log already");
                    refuse(&stream, id, Problem::new(Kind::Precondition, "events.too-many", message))
                };
                streams.count.fetch_sub(1, Ordering::AcqRel);
            });
        drop(begun);
    }

    fn serve(&self, stream: &UnixStream, id: u64, wanted: &Events) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let begin = match &wanted.after {
            Some(after) => after.parse().ok(),
            None if wanted.from_beginning => Some(Position::default()),
            None => self.log.end().ok(),
        };
        let Some(mut position) = begin else {
            let problem =
                Problem::new(Kind::Usage, "events.position", "`after` is not a position of the log");
            return refuse(stream, id, problem.hint("Give the `next` of the last piece, or leave it out."));
        };
        // The first piece says where it begins, even if nothing ever happens.
        send(stream, &Piece { v: VERSION, id, events: Vec::new(), next: position.to_string() })?;
        while !self.over.load(Ordering::Acquire) {
            match self.piece(id, &mut position, wanted) {
                Ok(Some(piece)) => send(stream, &piece)?,
                Ok(None) => {
                    if is_closed(stream) {
                        return Ok(());
                    }
                    std::thread::sleep(LOOK);
                }
                Err(error) => {
                    let problem = Problem::new(Kind::Failure, "events.log", error.to_string());
                    return refuse(stream, id, problem.hint("`sb doctor` says what is wrong with the log."));
                }
            }
        }
        Ok(())
    }

    fn piece(&self, id: u64, position: &mut Position, wanted: &Events) -> Result<Option<Piece>, LogError> {
        let Some((mut events, next)) = self.log.piece(position, None)? else { return Ok(None) };
        let is_wanted = |name: &str| {
            wanted.names.is_empty() || wanted.names.iter().any(|pattern| glob::text_fits(name, pattern))
        };
        events.retain(|event| is_wanted(&event.event));
        *position = next;
        Ok(Some(Piece { v: VERSION, id, events, next: position.to_string() }))
    }
}

fn send(stream: &UnixStream, line: &impl serde::Serialize) -> io::Result<()> {
    let mut to = stream;
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    to.write_all(&bytes)
}

fn refuse(stream: &UnixStream, id: u64, problem: Problem) -> io::Result<()> {
    send(stream, &Answered::new(id, Answer::Error(problem)))
}
