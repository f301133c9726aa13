//! One line of the log for what an agent did.

use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use signalbox_core::call::{Action, ToolCall};
use signalbox_core::{Event, FORMAT_VERSION};
use signalbox_drivers::{Answer, HookKind, Incoming, Moment};
use signalbox_store::log::{EventLog, FileLog};
use signalbox_store::session::Session;
use signalbox_store::{Home, clock, new_event_id};

use super::resumes::until;
use super::{Caller, Trouble, committed, debug, redact, speaker, unguarded};
use crate::context::Context;

/// How much of a command, prompt or message is kept.
const MOST_TEXT: usize = 2_000;

/// Record what only needs recording.
pub fn moment(cx: &Context, caller: &Caller, incoming: &Incoming) -> Result<Answer, Trouble> {
    let session = speaker::find(cx, caller, incoming)?;
    let (kind, data) = match &incoming.moment {
        Moment::PostTool { call, duration_ms } => {
            let mut data = of_call(call);
            insert(&mut data, "success", json!(true));
            insert(&mut data, "duration_ms", json!(duration_ms));
            (HookKind::PostTool, data)
        }
        Moment::PostToolFailure { call, error, duration_ms } => {
            let mut data = of_call(call);
            insert(&mut data, "success", json!(false));
            insert(&mut data, "error", json!(cut(error)));
            insert(&mut data, "duration_ms", json!(duration_ms));
            (HookKind::PostToolFailure, data)
        }
        Moment::TaskCreated { id, subject, .. } => {
            (HookKind::TaskCreated, fields(json!({ "task": id, "subject": cut(subject) })))
        }
        Moment::Notification { kind, message } => {
            (HookKind::Notification, fields(json!({ "kind": kind, "message": cut(message) })))
        }
        Moment::StopFailure { error, resumes } => {
            let mut data = fields(json!({ "error": cut(error) }));
            if let Some(until) = resumes.as_ref().and_then(|it| until(it, clock::now(), &TimeZone::system()))
            {
                insert(&mut data, "until", json!(until));
            }
            (HookKind::StopFailure, data)
        }
        Moment::PreCompact { trigger } => (HookKind::PreCompact, fields(json!({ "trigger": trigger }))),
        Moment::PostCompact { trigger } => (HookKind::PostCompact, fields(json!({ "trigger": trigger }))),
        Moment::Interrupt => (HookKind::Interrupt, Map::new()),
        _ => (HookKind::Other, fields(json!({ "event": incoming.wire_event }))),
    };
    write(cx.home()?, &session, kind, data)?;
    if let Moment::PostTool { call, .. } = &incoming.moment {
        committed::hand_in(cx, &session, call)?;
    }
    match &incoming.moment {
        Moment::PostTool { call, .. } | Moment::PostToolFailure { call, .. } => {
            unguarded::watch(cx.home()?, &session, call)
        }
        _ => Ok(Answer::Nothing),
    }
}

/// What a tool call is, for the log.
pub fn of_call(call: &ToolCall) -> Map<String, Value> {
    let mut data = fields(json!({ "tool": call.tool, "tool_name": call.tool }));
    if let Some(id) = &call.id {
        insert(&mut data, "execution_id", json!(id));
    }
    match &call.action {
        Action::Shell { command } => insert(&mut data, "command", json!(cut(command))),
        Action::Write { paths, .. } | Action::Read { paths } => match paths.as_slice() {
            [one] => insert(&mut data, "file", json!(cut(one))),
            many => {
                insert(&mut data, "files", json!(many.iter().take(50).map(|p| cut(p)).collect::<Vec<_>>()));
            }
        },
        Action::Fetch { url } => insert(&mut data, "url", json!(cut(url))),
        Action::Delegate { prompt, .. } => insert(&mut data, "prompt", json!(cut(prompt))),
        Action::Inward => {}
        Action::Unheard { paths, commands } => {
            insert(&mut data, "files", json!(paths.iter().take(50).map(|p| cut(p)).collect::<Vec<_>>()));
            insert(
                &mut data,
                "commands",
                json!(commands.iter().take(10).map(|c| cut(c)).collect::<Vec<_>>()),
            );
        }
    }
    data
}

/// Append one event of this session to the log.
pub fn write(
    home: &Home,
    session: &Session,
    kind: HookKind,
    mut data: Map<String, Value>,
) -> Result<(), Trouble> {
    insert(&mut data, "mode", json!(session.charter.mode));
    redact::blot(&session.charter, &mut data);
    debug::say(&session.charter, "info", kind.name(), &data);
    append(home, session, &format!("hook.{}", kind.name()), &data)
}

/// Append an event of any name.
pub fn named(home: &Home, session: &Session, name: &str, data: &Map<String, Value>) -> Result<(), Trouble> {
    let mut data = data.clone();
    redact::blot(&session.charter, &mut data);
    append(home, session, name, &data)
}

fn append(home: &Home, session: &Session, name: &str, data: &Map<String, Value>) -> Result<(), Trouble> {
    let broken = |why: String| Trouble::Log(why);
    let event = Event {
        v: FORMAT_VERSION,
        id: new_event_id(),
        ts: clock::now(),
        event: name.to_owned(),
        ticket: session.charter.ticket.clone(),
        project: Some(session.project.clone()),
        actor: session.name.clone(),
        session: Some(session.id.clone()),
        lineage: session.lineage.clone(),
        rev: None,
        batch: None,
        data: serde_json::value::to_raw_value(data).map_err(|error| broken(error.to_string()))?,
        crc: serde::de::IgnoredAny,
    };
    let log = FileLog::new(home.events());
    log.record(&event).or_else(|_| {
        // The very first event of a home, or a folder that was lost.
        home.prepare().map_err(|error| broken(error.to_string()))?;
        log.record(&event).map_err(|error| broken(signalbox_desk::error::chain(&error)))
    })
}

pub fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

pub fn insert(data: &mut Map<String, Value>, key: &str, value: Value) {
    data.insert(key.to_owned(), value);
}

/// The beginning of a text.
pub fn cut(text: &str) -> String {
    if text.len() <= MOST_TEXT {
        return text.to_owned();
    }
    match text.char_indices().nth(MOST_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
