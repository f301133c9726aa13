//! `sb hook <event>`: what agent CLIs call around everything their agent does.
//!
//! This path is taken for every tool call of every agent, so it starts like an empty program: no clap, no SQLite, no
//! configuration, one small file read and one line appended. A gate that cannot decide refuses and says why; a
//! recorder that cannot record gets out of the way. Both leave a trace for `sb doctor`.

mod between;
mod committed;
mod debug;
mod disk;
mod end;
mod gate;
mod guard;
mod hold_back;
mod input;
mod prompt;
mod record;
mod redact;
mod resumes;
mod speaker;
mod start;
mod subagent;
mod transcript;
mod trouble;
mod unguarded;
mod wait;

use std::ffi::OsString;

use signalbox_drivers::{Answer, Asked, Driver, HookKind, Incoming, Moment, Reply, WireError};

use crate::context::Context;
use crate::ui::Ui;
use signalbox_desk::error::CommandError;

pub use debug::VARIABLE as DEBUG;
pub use disk::look_from;
pub use guard::DEADLINE;
pub use start::{assigned_by_log, compile_charter};
pub use trouble::Trouble;

/// What stands on the command line.
struct Called {
    kind: HookKind,
    driver: Option<&'static Driver>,
}

/// Run a hook if that is what the words say; otherwise, and for help, clap does.
pub fn run(words: &[OsString]) -> Option<u8> {
    if let Some(code) = wait::run(words) {
        return Some(code);
    }
    let called = called(words)?;
    guard::arm(called.kind, called.driver);
    let reply = match answer(&called) {
        Ok(reply) => reply,
        Err(trouble) => {
            trouble.record(called.kind);
            blind(called.kind, called.driver, &trouble.to_string())
        }
    };
    Some(guard::give(&reply))
}

/// The reply where nothing could be worked out.
fn blind(kind: HookKind, driver: Option<&'static Driver>, why: &str) -> Reply {
    let reason = format!("Signalbox could not judge this call, so it may not run: {why}");
    if !kind.is_gate() {
        // Every CLI shows this to the person and goes on.
        return Reply { stderr: format!("sb hook {}: {why}\n", kind.name()), exit: 1, ..Reply::default() };
    }
    match driver.or_else(|| signalbox_drivers::find("claude")) {
        Some(driver) => driver.refuse_blindly(kind, &reason),
        None => Reply { stderr: reason, exit: 2, ..Reply::default() },
    }
}

/// `hook pre-tool [--cli claude]`
fn called(words: &[OsString]) -> Option<Called> {
    let mut words = words.iter().map(|word| word.to_str().unwrap_or_default());
    if words.next() != Some("hook") {
        return None;
    }
    let kind = HookKind::parse(words.next()?)?;
    match (words.next(), words.next(), words.next()) {
        (None, ..) => Some(Called { kind, driver: None }),
        (Some("--cli"), Some(name), None) => {
            signalbox_drivers::find(name).map(|driver| Called { kind, driver: Some(driver) })
        }
        _ => None,
    }
}

/// Who calls, as far as that shows.
struct Caller {
    /// The agent CLI's name; `None` for one that nobody here knows.
    cli: Option<&'static str>,
}

fn answer(called: &Called) -> Result<Reply, Trouble> {
    let payload = input::payload()?;
    let recognised = called.driver.or_else(|| signalbox_drivers::recognise_bytes(&payload));
    // A CLI that nobody here knows is most likely to speak as Claude Code does.
    let driver = recognised.or_else(|| signalbox_drivers::find("claude")).ok_or(Trouble::UnknownCli)?;
    let caller = Caller { cli: recognised.map(|driver| driver.name) };
    let incoming = driver.parse(Some(called.kind), &payload).map_err(|error| match error {
        WireError::Json(_) => Trouble::Payload(format!("{error}, of {} bytes", payload.len())),
        other => Trouble::Payload(other.to_string()),
    })?;
    if called.kind != HookKind::PreTool {
        guard::watch();
    }
    let cx = Context::new(Ui::for_programs());
    let asked = Asked { kind: kind_of(called.kind, &incoming), wire_event: incoming.wire_event.clone() };
    let answer = between::with_messages(&cx, driver, &incoming, respond(&cx, &caller, &incoming)?);
    let answer = match answer {
        Answer::Rewrite { input, approve } => {
            Answer::Rewrite { input: whole_input(&payload, input), approve }
        }
        other => other,
    };
    let mut reply = driver.reply(&asked, &answer);
    if asked.kind == HookKind::PreTool && reply == Reply::default() {
        // Silence could be a hook that died; whoever installed it can tell by this that it did not.
        reply.stdout = "{}".to_owned();
    }
    Ok(reply)
}

/// The tool's input with these fields in place of its own. CLIs take a changed input only whole.
fn whole_input(payload: &[u8], changed: serde_json::Value) -> serde_json::Value {
    let payload: serde_json::Value = serde_json::from_slice(payload).unwrap_or_default();
    let own = ["tool_input", "toolArgs"].iter().find_map(|key| payload.get(key)?.as_object().cloned());
    let mut input = own.unwrap_or_default();
    input.extend(record::fields(changed));
    input.into()
}

/// The payload's own name for the event counts; what it does not know is what the command line says.
fn kind_of(called: HookKind, incoming: &Incoming) -> HookKind {
    match &incoming.moment {
        Moment::Other => called,
        moment => moment.kind(),
    }
}

fn respond(cx: &Context, caller: &Caller, incoming: &Incoming) -> Result<Answer, Trouble> {
    match &incoming.moment {
        Moment::PreTool(call) => gate::pre_tool(cx, caller, incoming, call),
        Moment::Permission(call) => gate::permission(cx, caller, incoming, call),
        Moment::SessionStart { source, model } => {
            start::start(cx, caller, incoming, source.as_deref(), model.as_deref())
        }
        Moment::SessionEnd { reason } => end::end(cx, incoming, reason.as_deref()),
        Moment::Prompt { text, from_machine } => prompt::prompt(cx, caller, incoming, text, *from_machine),
        Moment::SubagentStart => subagent::start(cx, caller, incoming),
        Moment::SubagentStop { .. } => subagent::stop(cx, caller, incoming),
        Moment::TaskCompleted { id, subject, description } => {
            hold_back::task(cx, caller, incoming, id, &format!("{subject}\n{description}"))
        }
        Moment::TeammateIdle { name, .. } => hold_back::teammate(cx, caller, incoming, name),
        Moment::Stop { again, paused, .. } => hold_back::stop(cx, caller, incoming, *again, *paused),
        _ => record::moment(cx, caller, incoming),
    }
}

impl From<CommandError> for Trouble {
    fn from(error: CommandError) -> Self {
        Self::Inside(error.message)
    }
}
