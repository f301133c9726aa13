//! The canary of every call: a tool that was used must have gone past the gate.
//!
//! CLIs run a tool when the hook before it is missing, skipped or broken, and say nothing. The hook after it still
//! comes, and names the same call; so a call that the log shows no gate for went unguarded, and somebody is told.

use signalbox_core::call::ToolCall;
use signalbox_drivers::Answer;
use signalbox_store::Home;
use signalbox_store::log::FileLog;
use signalbox_store::session::Session;

use super::{Trouble, record};

/// How far back the gate is looked for, the nearest first. A call that ran longer than that is given the benefit of
/// the doubt.
const WINDOWS: [u64; 3] = [64 * 1024, 1024 * 1024, 16 * 1024 * 1024];

/// Look for the gate of a call that was made. Where it is missing, that is an event, and the agent is told once.
pub fn watch(home: &Home, session: &Session, call: &ToolCall) -> Result<Answer, Trouble> {
    let Some(id) = &call.id else { return Ok(Answer::Nothing) };
    let log = FileLog::new(home.events());
    let named = format!("\"execution_id\":{}", serde_json::json!(id));
    let mut known = false;
    for window in WINDOWS {
        let Ok((text, whole)) = log.last(window) else { return Ok(Answer::Nothing) };
        let text = String::from_utf8_lossy(&text);
        let lines = || text.lines().rev().filter(|line| is_of(line, session));
        if lines().any(|line| line.contains("\"event\":\"hook.pre-tool\"") && line.contains(&named)) {
            return Ok(Answer::Nothing);
        }
        known |= lines().any(|line| line.contains("\"event\":\"hook.unguarded\""));
        if whole {
            return tell(home, session, call, known);
        }
    }
    Ok(Answer::Nothing)
}

fn is_of(line: &str, session: &Session) -> bool {
    line.contains(&format!("\"session\":{}", serde_json::json!(session.id.as_str())))
}

fn tell(home: &Home, session: &Session, call: &ToolCall, known: bool) -> Result<Answer, Trouble> {
    record::named(home, session, "hook.unguarded", &record::of_call(call))?;
    if known {
        return Ok(Answer::Nothing);
    }
    Ok(Answer::Context(format!(
        "Signalbox did not see this call of {} before it ran, so none of its rules were applied: the hook before \
         tools is missing, skipped or broken. Tell the person, who should run `sb hooks status` and `sb doctor`.",
        call.tool
    )))
}
