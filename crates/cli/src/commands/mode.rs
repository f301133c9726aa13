//! `sb mode`: whether a session may change anything.

use signalbox_core::Mode;
use signalbox_store::session::{self, Session};

use crate::context::Context;
use crate::sessions;
use signalbox_desk::error::CommandError;

/// In discussion mode an agent reads and answers, and everything that would change something is refused. Only a human
/// opens implementation mode, with this command or with a phrase in the prompt (`sb config get mode.triggers`); an agent
/// may go back to discussion by itself.
#[derive(clap::Args)]
pub struct Arguments {
    /// `status`, `discussion`, `implementation` or `toggle`
    #[arg(default_value = "status")]
    what: String,
    /// Whose: a session's id or the beginning of it [default: your own, or the only one that runs in this project]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let word = arguments.what.to_lowercase();
    let named = Mode::parse(&word);
    // A wrong word is wrong whoever is meant.
    if named.is_none() && !matches!(word.as_str(), "status" | "toggle") {
        return Err(CommandError::usage("mode.unknown", format!("there is no mode `{word}`")).hint(
            "The modes are `discussion` and `implementation`; `status` and `toggle` are understood too.",
        ));
    }
    let session = sessions::meant(cx, arguments.session.as_deref())?;
    if word == "status" {
        return say(cx, &session);
    }
    let mode = named.unwrap_or_else(|| session.charter.mode.other());
    let who = cx.who()?;
    if mode == Mode::Implementation {
        who.must_be_human("open implementation mode")?;
    } else if who.session() != Some(&session.id) {
        who.must_be_human("switch another session's mode")?;
    }
    let changed = switch(cx, session, mode)?;
    cx.ui.status(&format!("{} is in {mode} mode.", changed.name));
    if cx.ui.json { say(cx, &changed) } else { Ok(()) }
}

/// Switch, and record it where it is a change.
fn switch(cx: &Context, mut session: Session, mode: Mode) -> Result<Session, CommandError> {
    if session.charter.mode == mode {
        return Ok(session);
    }
    let data = serde_json::json!({
        "session": session.id, "previous_mode": session.charter.mode, "new_mode": mode, "trigger": "command",
        "correlation_id": session.charter.ticket,
    });
    // The log first: the charter follows from it.
    cx.store()?.note_event(cx.who()?, "mode.changed", None, Some(&session.project), &data)?;
    session.assigned.mode = Some(mode);
    session.charter.mode = mode;
    session::save(cx.home()?, &session)?;
    Ok(session)
}

fn say(cx: &Context, session: &Session) -> Result<(), CommandError> {
    let mode = session.charter.mode;
    if cx.ui.json {
        return cx.ui.json(&serde_json::json!({ "session": session.id, "name": session.name, "mode": mode }));
    }
    cx.ui.data(&format!("{mode}\n"))
}
