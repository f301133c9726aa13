//! The questions that come up, and their answers: at the terminal, from another one, or by the demo itself.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signalbox_core::Who;
use signalbox_core::escalation::{Escalation, Reply, State};
use signalbox_desk::error::CommandError;
use signalbox_store::{Store, escalation};

/// What the demo answers by itself, by the ticket that is asked about.
const PREPARED: &[(&str, &str)] = &[("goodbye", "Thank you, and come again!"), ("returns", "1")];
/// How often it is looked whether somebody has answered elsewhere.
const LOOK: Duration = Duration::from_millis(200);

/// What is answered where nobody has anything else to say.
pub fn prepared(ticket: &str) -> &'static str {
    PREPARED.iter().find(|(known, _)| *known == ticket).map_or("1", |(_, answer)| answer)
}

/// The questions that wait for an answer.
pub fn pending(store: &Store) -> Result<Vec<Escalation>, CommandError> {
    let (index, _) = store.read()?;
    Ok(escalation::pending(&index)?)
}

/// A question with all that one has to know, as it is told.
pub fn told(one: &Escalation) -> Vec<String> {
    let numbers = |letter: char| letter.is_ascii_digit() || letter == '.';
    let context = one.asked.context.as_deref().unwrap_or_default().lines();
    let context = context.map(|line| format!("– {}", line.trim_start_matches(numbers).trim()));
    let options = (1..).zip(&one.asked.options).map(|(number, option)| format!("[{number}] {option}"));
    [one.asked.question.clone()].into_iter().chain(context).chain(options).collect()
}

/// Answer it, as the person does: by the number of an option, or in words.
pub fn answer(store: &Store, one: &Escalation, words: &str) -> Result<(), CommandError> {
    let number = words.parse().ok().filter(|_| !one.asked.options.is_empty());
    let reply = number.map_or_else(|| Reply::Words(words.to_owned()), Reply::Option);
    escalation::answer(store, &Who::Human, &one.id, reply)?;
    Ok(())
}

/// How it was answered, once it is.
pub fn answered(store: &Store, id: &str) -> Result<Option<String>, CommandError> {
    let (index, _) = store.read()?;
    let book = escalation::book(&index)?;
    let one = book.get(id).filter(|one| one.state() == State::Resolved);
    Ok(one.map(|one| one.answer.as_ref().map(|answer| answer.answer.clone()).unwrap_or_default()))
}

/// A line that the person types.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    Line(String),
    /// There will be no more.
    End,
}

/// The person's terminal. What they type while nobody asks is for the next question.
#[derive(Default)]
pub struct Keyboard {
    held: Vec<u8>,
}

impl Keyboard {
    /// The next line, unless somebody stops the demo or `is_settled` meanwhile.
    pub fn line(
        &mut self,
        stop: &AtomicBool,
        mut is_settled: impl FnMut() -> Result<bool, CommandError>,
    ) -> Result<Option<Typed>, CommandError> {
        loop {
            if let Some(end) = self.held.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.held.drain(..=end).collect();
                return Ok(Some(Typed::Line(String::from_utf8_lossy(&line).trim().to_owned())));
            }
            if stop.load(Ordering::SeqCst) || is_settled()? {
                return Ok(None);
            }
            if self.is_ready()? {
                let mut buffer = [0; 1024];
                match rustix::io::read(io::stdin(), &mut buffer) {
                    Ok(0) => return Ok(Some(Typed::End)),
                    Ok(count) => self.held.extend(buffer.get(..count).unwrap_or_default()),
                    Err(rustix::io::Errno::INTR) => {}
                    // The terminal is gone.
                    Err(_) => return Ok(Some(Typed::End)),
                }
            }
        }
    }

    fn is_ready(&self) -> Result<bool, CommandError> {
        let stdin = io::stdin();
        let mut keys = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut keys, Timespec::try_from(LOOK).ok().as_ref()) {
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(io::Error::from(error).into()),
            Ok(count) => Ok(count > 0),
        }
    }
}
