//! A process of the CLI's own that waits for messages: a hook that runs in the background, or a child of an extension.
//!
//! One waits for each agent. It ends when it has a message, when its conversation or its CLI has ended, and when
//! another one waits already. CLIs leave such processes behind when they are killed, so it watches its parent.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use signalbox_core::agent::State;
use signalbox_core::inject::{Deferred, Door, Fate, Waiting};
use signalbox_core::{AgentId, SessionId};
use signalbox_store::agents::{Life, Record};
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
/// What would expire so soon is handed over to an agent at work too, if its CLI keeps it.
const LAST_MOMENT: SignedDuration = SignedDuration::from_secs(20);

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
    let needed = || record.life() == Life::Runs && is_needed(home, session, &parent);
    let Some(_lock) = take_post(home, agent, session, &needed).ok().flatten() else { return Ok(None) };
    let mut watch = outbox.watch().ok();
    while needed() {
        let waiting = outbox.waiting()?;
        if !waiting.is_empty()
            && let Some(reason) = why_not(record, door, &waiting)
        {
            let _ = outbox.defer(reason, clock::now());
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

/// What must be handed to an agent at work now, between two of its tools: what it says next, it says knowing this.
///
/// What is returned counts as delivered.
pub fn between_tools(home: &Home, agent: &Record) -> Result<Option<String>, OutboxError> {
    if agent.life() != Life::Runs {
        return Ok(None);
    }
    let texts = take(&Outbox::new(home, &agent.id), Door::Context)?;
    Ok((!texts.is_empty()).then(|| texts.join("\n\n")))
}

/// Why this is not the time. Where nobody can be asked, nothing speaks against it, unless `sb agent` is gone: then the CLI is about
/// to end, and would take the message with it. An agent that is only too busy to answer is asked again.
fn why_not(record: &Record, door: Door, waiting: &[Waiting]) -> Option<Deferred> {
    let about = match attach::about(&record.socket) {
        Ok(about) => about,
        Err(AttachError::Silent | AttachError::Broken(_)) => return Some(Deferred::UnknownState),
        Err(_) => return (record.life() != Life::Runs).then_some(Deferred::Exited),
    };
    if about.quiet_ms.is_some_and(|quiet| Duration::from_millis(quiet) < QUIET) {
        return Some(Deferred::PersonTyping);
    }
    must_stay(door, about.state, waiting, clock::now())
}

/// Why messages stay in the outbox while the agent is in this state. What a CLI was handed while it was at work it keeps for
/// itself until the model can be told: nothing more urgent gets past it, and it is lost if the CLI ends. Copilot CLI forgets it
/// even where the person says no in a dialog or interrupts it.
fn must_stay(door: Door, state: State, waiting: &[Waiting], now: Timestamp) -> Option<Deferred> {
    let reason = match state {
        State::Idle | State::Starting => return None,
        State::WaitingPermission | State::WaitingAnswer => Deferred::Dialog,
        State::Working => Deferred::Busy,
        State::Exited => Deferred::Exited,
    };
    let is_last_moment = waiting.iter().any(|waiting| waiting.injection.expires_at() - LAST_MOMENT <= now);
    (door == Door::Extension || !is_last_moment).then_some(reason)
}

/// All that waits and fits.
fn take(outbox: &Outbox, door: Door) -> Result<Vec<String>, OutboxError> {
    let mut texts: Vec<String> = Vec::new();
    loop {
        let next = outbox.waiting()?.first().map_or(0, |waiting| waiting.injection.text.len());
        let taken: usize = texts.iter().map(String::len).sum();
        // What is too long for it goes alone; as context it would be cut.
        let is_first = texts.is_empty() && door != Door::Context;
        if next == 0 || !is_first && taken + next > MOST_AT_ONCE {
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
    use signalbox_core::EventId;
    use signalbox_core::inject::Injection;
    use signalbox_store::session::Registered;

    use super::*;

    fn waiting(now: Timestamp) -> Waiting {
        let id = EventId::parse("01K00000000000000000000001").expect("an id");
        Injection::new(id, "news", "ada", now)
            .and_then(|injection| injection.ttl(60))
            .expect("a message")
            .into()
    }

    #[test]
    fn nothing_is_handed_to_a_cli_that_dies_with_its_wrapper() {
        let (now, folder) = (clock::now(), tempfile::tempdir().expect("a folder"));
        let mut record = Record::new("claude", "claude", "/");
        record.socket = folder.path().join("nobody.sock");
        let own = process::process(std::process::id()).expect("this process");
        let wrapper = |started| Some(Registered { pid: own.pid, started });
        record.wrapper = wrapper(own.started);
        assert_eq!(why_not(&record, Door::Waiter, &[waiting(now)]), None);
        record.wrapper = wrapper(own.started + 1);
        assert_eq!(why_not(&record, Door::Waiter, &[waiting(now)]), Some(Deferred::Exited));
    }

    #[test]
    fn nothing_is_handed_over_while_the_agent_is_at_work_unless_it_would_expire() {
        let now: Timestamp = "2026-11-15T10:00:00Z".parse().expect("a time");
        let message = [waiting(now)];
        let stays = |door, after: i64| {
            let now = now + SignedDuration::from_secs(after);
            State::ALL.into_iter().filter(|state| must_stay(door, *state, &message, now).is_some()).count()
        };
        assert_eq!((stays(Door::Waiter, 0), stays(Door::Waiter, 39), stays(Door::Waiter, 41)), (4, 4, 0));
        // What Copilot CLI is handed then may be dropped.
        assert_eq!((stays(Door::Extension, 0), stays(Door::Extension, 41)), (4, 4));
        assert_eq!(must_stay(Door::Waiter, State::Idle, &message, now), None);
        assert_eq!(must_stay(Door::Waiter, State::Working, &message, now), Some(Deferred::Busy));
    }
}
