//! A prompt is about to reach the model. A person's words may open implementation mode; a machine's may not, nor another's
//! that `sb inject` put into the person's line.

use serde_json::json;
use signalbox_agent::tells_of;
use signalbox_core::inject::Injection;
use signalbox_core::{Mode, Who, trigger};
use signalbox_drivers::{Answer, HookKind, Incoming};
use signalbox_store::outbox::Outbox;
use signalbox_store::{Home, session};

use super::{Caller, Trouble, record, speaker};
use crate::context::Context;
use crate::inside;

pub fn prompt(
    cx: &Context,
    caller: &Caller,
    incoming: &Incoming,
    text: &str,
    from_machine: bool,
) -> Result<Answer, Trouble> {
    let mut session = speaker::find(cx, caller, incoming)?;
    let home = cx.home()?;
    let by_person = !from_machine && incoming.subagent.is_none();
    let said = trigger::said(text, &session.charter.triggers).cloned();
    let opens = by_person && session.charter.mode == Mode::Discussion;
    let data = record::fields(json!({ "prompt": record::cut(text), "from_machine": from_machine }));
    record::write(home, &session, HookKind::Prompt, data)?;
    let Some(phrase) = said.filter(|_| opens && !is_anothers(home, text)) else {
        return Ok(match session.charter.mode {
            Mode::Discussion => Answer::Context(REMINDER.to_owned()),
            Mode::Implementation => Answer::Nothing,
        });
    };
    let data = record::fields(json!({
        "session": session.id, "previous_mode": session.charter.mode, "new_mode": Mode::Implementation,
        "trigger": "user_phrase", "trigger_phrase": phrase,
    }));
    // The log first: the charter follows from it.
    record::named(home, &session, "mode.changed", &data)?;
    session.assigned.mode = Some(Mode::Implementation);
    session.charter.mode = Mode::Implementation;
    session::save(home, &session).map_err(|error| Trouble::Session(error.to_string()))?;
    Ok(Answer::Context(format!(
        "The person said \"{phrase}\": this session is now in implementation mode. You may change files and run \
         commands within your charter. `sb mode discussion` goes back."
    )))
}

/// Whether somebody else than a person has just had this said to the agent. Where that cannot be found out it may be so.
fn is_anothers(home: &Home, text: &str) -> bool {
    let Some(agent) = inside::agent(home) else { return false };
    let is_it = |said: &Injection| said.from != Who::Human.name() && tells_of(text, &said.text);
    Outbox::new(home, &agent.id).said_lately().map_or(true, |said| said.iter().any(is_it))
}

const REMINDER: &str = "This session is in discussion mode: read, think and answer, but change nothing. The person opens \
                        implementation mode with a phrase such as \"go ahead\", or with `sb mode implementation`.";
