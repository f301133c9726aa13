//! A process of the CLI's own that waits for messages: a hook that runs in the background, or a child of an extension.
//!
//! One waits for each agent. It ends when it has a message, when its conversation or its CLI has ended, and when
//! another one waits already. CLIs leave such processes behind when they are killed, so it watches its parent.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use signalbox_core::agent::State;
use signalbox_core::inject::{Door, Fate};
use signalbox_core::{AgentId, SessionId};
use signalbox_store::agents::Record;
use signalbox_store::lock::Lock;
use signalbox_store::outbox::{Outbox, OutboxError};
use signalbox_store::process::{self, Process};
use signalbox_store::{Home, clock, files, session};

use crate::attach::{self, AttachError};

/// How often it looks whether it is still needed.
const TURN: Duration = Duration::from_secs(1);
/// How long the waiter of an ended conversation may take to notice.
const CHANGE_OVER: Duration = Duration::from_secs(5);
/// How long nobody may have typed. Claude Code leaves a line in the box, though it sends it, where its carriage return comes in
/// the very moment in which a turn ends; and the turn of a message is often a short one.
const QUIET: Duration = Duration::from_millis(1_500);
/// How often it is looked whether somebody still types.
const LOOK: Duration = Duration::from_millis(300);
/// Claude Code shows the model no more than 10,000 characters of a hook's words.
const MOST_AT_ONCE: usize = 9_000;

/// Who waits.
#[derive(Debug, Serialize, Deserialize)]
struct Post {
    pid: u32,
    started: u64,
    session: SessionId,
}

/// Whether somebody waits for messages to this agent.
pub fn is_there(home: &Home, agent: &AgentId) -> bool {
    post(home, agent).is_some_and(|post| process::is_running(post.pid, post.started))
}

/// Wait for a message to this agent. `None` where this process is not, or no longer, needed.
///
/// What is returned counts as delivered: it must be handed over at once.
pub fn wait(
    home: &Home,
    record: &Record,
    session: &SessionId,
    door: Door,
) -> Result<Option<String>, OutboxError> {
    let agent = &record.id;
    let outbox = Outbox::new(home, agent);
    let Some(parent) = process::ancestors().into_iter().next() else { return Ok(None) };
    let needed = || is_needed(home, session, &parent);
    let Some(_lock) = take_post(home, agent, session, &needed).ok().flatten() else { return Ok(None) };
    let mut watch = outbox.watch().ok();
    while needed() {
        if !outbox.waiting()?.is_empty() && must_wait(record, door) {
            std::thread::sleep(LOOK);
            continue;
        }
        let texts = take(&outbox, door)?;
        if !texts.is_empty() {
            let _ = files::remove(&post_path(home, agent));
            return Ok(Some(texts.join("\n\n")));
        }
        match &mut watch {
            Some(watch) => {
                let _ = watch.wait(TURN);
            }
            None => std::thread::sleep(TURN),
        }
    }
    let _ = files::remove(&post_path(home, agent));
    Ok(None)
}

/// Whether this is not the time. Where nobody can be asked, nothing speaks against it; an agent that is only too busy to
/// answer is asked again.
fn must_wait(record: &Record, door: Door) -> bool {
    match attach::about(&record.socket) {
        Ok(about) => {
            let quiet = about.quiet_ms.map(Duration::from_millis);
            quiet.is_some_and(|quiet| quiet < QUIET) || may_be_dropped(door, about.state)
        }
        Err(AttachError::Silent | AttachError::Broken(_)) => true,
        Err(_) => false,
    }
}

/// Whether the CLI may drop what it is handed now. Copilot CLI forgets what waits for the end of a turn where the person says
/// no in a dialog or interrupts it.
fn may_be_dropped(door: Door, state: State) -> bool {
    door == Door::Extension && !matches!(state, State::Idle | State::Starting)
}

/// All that waits and fits.
fn take(outbox: &Outbox, door: Door) -> Result<Vec<String>, OutboxError> {
    let mut texts: Vec<String> = Vec::new();
    loop {
        let next = outbox.waiting()?.first().map_or(0, |waiting| waiting.injection.text.len());
        let taken: usize = texts.iter().map(String::len).sum();
        if next == 0 || !texts.is_empty() && taken + next > MOST_AT_ONCE {
            return Ok(texts);
        }
        let Some(claim) = outbox.claim(clock::now())? else { return Ok(texts) };
        let text = claim.waiting.injection.text.clone();
        outbox.finish(&claim, Fate::Delivered { door, tries: 1 })?;
        texts.push(text);
    }
}

/// Become the one who waits. Another conversation's waiter goes by itself when that conversation has ended.
fn take_post(
    home: &Home,
    agent: &AgentId,
    session: &SessionId,
    needed: &dyn Fn() -> bool,
) -> io::Result<Option<Lock>> {
    files::create_private_dir(&home.waiters())?;
    let lock = home.waiters().join(format!("{agent}.lock"));
    let begun = Instant::now();
    loop {
        if let Some(lock) = Lock::try_acquire(&lock)? {
            let own = std::process::id();
            let started = process::process(own).map_or(0, |process| process.started);
            let post = Post { pid: own, started, session: session.clone() };
            files::replace(&post_path(home, agent), &serde_json::to_vec(&post)?, files::PRIVATE)?;
            return Ok(Some(lock));
        }
        let is_ours = post(home, agent).is_some_and(|post| post.session == *session);
        if is_ours || begun.elapsed() > CHANGE_OVER || !needed() {
            return Ok(None);
        }
        std::thread::sleep(TURN / 5);
    }
}

/// Whether the conversation and its CLI are still there.
fn is_needed(home: &Home, id: &SessionId, parent: &Process) -> bool {
    let is_over = session::load(home, id).ok().flatten().is_some_and(|session| session.ended.is_some());
    !is_over && process::ancestors().first().is_some_and(|now| now.pid == parent.pid)
}

fn post(home: &Home, agent: &AgentId) -> Option<Post> {
    let bytes = files::read_optional(&post_path(home, agent)).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn post_path(home: &Home, agent: &AgentId) -> PathBuf {
    home.waiters().join(format!("{agent}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_hands_over_nothing_that_an_interruption_would_drop() {
        let held =
            |door| State::ALL.into_iter().filter(|state| may_be_dropped(door, *state)).collect::<Vec<_>>();
        assert!(held(Door::Extension).contains(&State::WaitingPermission));
        assert!(held(Door::Extension).contains(&State::Working));
        assert!(!may_be_dropped(Door::Extension, State::Idle));
        // Claude Code keeps what its hook says, whatever becomes of the turn.
        assert_eq!(held(Door::Waiter), []);
    }
}
