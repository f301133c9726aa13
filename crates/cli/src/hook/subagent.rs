//! Subagents and teammates. They share their parent's process, so the CLI's own id for them is what tells them apart.
//!
//! A subagent's session descends from its parent's. A ticket that its task names is brought in, with the commands to
//! use; roles that need the conversation get it cleaned and in pieces.

use serde_json::json;
use signalbox_core::call::ToolCall;
use signalbox_core::shell::{self, Effect, Nature};
use signalbox_core::{Role, SessionId, Status, Ticket, TicketId, Who, text};
use signalbox_drivers::{Answer, HookKind, Incoming, Subagent};
use signalbox_store::clock;
use signalbox_store::delegation::{self, Delegation};
use signalbox_store::session::{self, Session};

use super::{Caller, Trouble, gate, record, speaker, transcript};
use crate::commands::{body, next_commands};
use crate::context::Context;
use crate::identity::CAPABILITY;
use signalbox_desk::error::CommandError;

/// Subagents whose work is the conversation itself.
const READERS_OF_CONVERSATION: &[&str] =
    &["context-gathering", "logging", "code-review", "service-documentation", "context-refinement"];

/// A task is handed out: keep which tickets it names for the subagent that will start on it.
pub fn announce(cx: &Context, session: &Session, call: &ToolCall, prompt: &str) -> Result<(), Trouble> {
    let tickets = ticket_ids(prompt);
    if tickets.is_empty() {
        return Ok(());
    }
    let delegation = Delegation { call: call.id.clone(), tickets };
    delegation::keep(cx.home()?, &session.id, &delegation).map_err(CommandError::from)?;
    Ok(())
}

/// The ids of tickets in a text.
pub fn ticket_ids(text: &str) -> Vec<TicketId> {
    let mut found: Vec<TicketId> = Vec::new();
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        if let Ok(id) = TicketId::parse(word)
            && !found.contains(&id)
        {
            found.push(id);
        }
    }
    found
}

/// The session of a subagent, made if this is the first that is heard of it.
pub fn session_of(cx: &Context, main: &Session, subagent: &Subagent) -> Result<Session, Trouble> {
    super::guard::watch();
    let home = cx.home()?;
    let id = SessionId::parse(&format!("{}.agent-{}", main.id, subagent.id))
        .map_err(|error| Trouble::Session(error.to_string()))?;
    let read = |error: std::io::Error| {
        Trouble::Session(format!("the record of session {id} cannot be read: {error}"))
    };
    if let Some(mut known) = session::load_strictly(home, &id).map_err(read)? {
        // What the parent may do changes under it.
        known.charter.mode = main.charter.mode;
        known.charter.broken.clone_from(&main.charter.broken);
        // It had finished, and was given something more to do.
        if known.ended.take().is_some() {
            session::save(home, &known).map_err(CommandError::from)?;
        }
        return Ok(known);
    }
    let (capability, hash) = session::mint(&id);
    let mut lineage = main.lineage.clone();
    lineage.push(main.id.clone());
    let kind: String = text::one_line(&subagent.kind).into_owned();
    let short: String = subagent.id.chars().take(8).collect();
    let mut charter = main.charter.clone();
    charter.ticket = None;
    // Whoever hands work out has it done by others.
    if matches!(charter.role, Role::Orchestrator | Role::Lead) {
        charter.role = Role::Worker;
        charter.may_write = None;
    }
    let session = Session {
        name: if kind.is_empty() { format!("agent-{short}") } else { format!("{kind}-{short}") },
        id,
        lineage,
        capability: hash,
        handed: Some(capability),
        process: None,
        ended: None,
        subagent: Some(kind),
        held: None,
        charter,
        ..main.clone()
    };
    let who = Who::Agent(session.agent());
    let data = json!({ "cli": session.cli, "name": session.name, "source": "subagent", "parent": main.id });
    let noted = cx.store()?.note_event(&who, "session.started", None, Some(&session.project), &data);
    noted.map_err(CommandError::from)?;
    session::save(home, &session).map_err(CommandError::from)?;
    Ok(session)
}

/// A subagent begins: its ticket and its commands are its first words.
pub fn start(cx: &Context, caller: &Caller, incoming: &Incoming) -> Result<Answer, Trouble> {
    let main = speaker::main_session(cx, caller, incoming)?;
    let mut own = speaker::find(cx, caller, incoming)?;
    let home = cx.home()?;
    let delegation = delegation::take(home, &main.id).map_err(CommandError::from)?;
    let mut told = String::new();
    let who = Who::Agent(own.agent());
    if let Some(delegation) = delegation {
        let (index, _) = cx.store()?.read().map_err(CommandError::from)?;
        for id in &delegation.tickets {
            let Some(ticket) = index.ticket(id).map_err(CommandError::from)? else { continue };
            own.charter.ticket.get_or_insert_with(|| id.clone());
            let history = index.changes(id).map_err(CommandError::from)?;
            told.push_str(&briefing(&ticket, &body(&history), &who));
            if ticket.status != Status::Review {
                let store = cx.store()?;
                let project = Some(&ticket.project);
                store
                    .note_event(&who, "ticket.read", Some(id), project, &json!({}))
                    .map_err(CommandError::from)?;
            }
        }
        if let Some(ticket) = &own.charter.ticket {
            session::save(home, &own).map_err(CommandError::from)?;
            session::set_current_ticket(home, own.id.as_str(), Some(ticket)).map_err(CommandError::from)?;
        }
    }
    let kind = own.subagent.as_deref().unwrap_or_default();
    let plain = kind.rsplit(':').next().unwrap_or(kind);
    if READERS_OF_CONVERSATION.contains(&plain)
        && let Some(path) = &incoming.transcript
    {
        told.push_str(&transcript::deliver(home, &own, path)?);
    }
    let data = record::fields(json!({ "kind": kind, "parent": main.id, "ticket": own.charter.ticket }));
    record::write(home, &own, HookKind::SubagentStart, data)?;
    if told.is_empty() {
        return Ok(Answer::Nothing);
    }
    Ok(Answer::Context(format!("Signalbox: you are {}, session {}.\n{told}", own.name, own.id)))
}

/// What a subagent is told of its ticket. One that waits for review is not shown: reading it would disqualify.
fn briefing(ticket: &Ticket, body: &str, who: &Who) -> String {
    let mut told = format!("\nTicket {}: {} ({})\n", ticket.id, text::one_line(&ticket.title), ticket.status);
    if ticket.status == Status::Review {
        told.push_str("It waits for an independent review. Take it before you read anything of it:\n");
    } else {
        told.push_str(&format!("{}\n", text::many_lines(body)));
        for (at, criterion) in ticket.acceptance.iter().enumerate() {
            told.push_str(&format!("  {}. {}\n", at + 1, text::one_line(&criterion.text)));
        }
    }
    for command in next_commands(ticket, who) {
        told.push_str(&format!("  {command}\n"));
    }
    told
}

/// A subagent is done. What was delivered to it goes.
pub fn stop(cx: &Context, caller: &Caller, incoming: &Incoming) -> Result<Answer, Trouble> {
    // Compaction ends with the stop of a subagent that never began.
    if incoming.subagent.as_ref().is_none_or(|subagent| subagent.kind.is_empty()) {
        let main = speaker::main_session(cx, caller, incoming)?;
        record::write(cx.home()?, &main, HookKind::SubagentStop, record::fields(json!({ "kind": null })))?;
        return Ok(Answer::Nothing);
    }
    let own = speaker::find(cx, caller, incoming)?;
    let home = cx.home()?;
    record::write(home, &own, HookKind::SubagentStop, record::fields(json!({ "kind": own.subagent })))?;
    let ended = Session { ended: Some(clock::now()), ..own };
    session::save(home, &ended).map_err(CommandError::from)?;
    transcript::withdraw(home, &ended)?;
    Ok(Answer::Nothing)
}

/// A subagent's `sb` must know that it is the subagent's: the shell it runs in is its parent's.
pub fn with_identity(session: &Session, command: &str, incoming: &Incoming) -> Answer {
    let Some(capability) = &session.handed else { return Answer::Nothing };
    let effects = gate::with_scene(incoming, |scene| shell::effects(command, &scene.surroundings()));
    let runs_sb = |effect: &Effect| matches!(effect, Effect::Run { program, .. } if program == "sb");
    let hidden = |effect: &Effect| match effect {
        Effect::Opaque(opaque) => opaque.text.contains("sb"),
        Effect::Run { nature: Nature::Unknown, .. } => true,
        _ => false,
    };
    if !effects.list.iter().any(|effect| runs_sb(effect) || hidden(effect)) {
        return Answer::Nothing;
    }
    let harmless = |effect: &Effect| {
        runs_sb(effect)
            || matches!(
                effect,
                Effect::Run { nature: Nature::Reads, .. } | Effect::Read(_) | Effect::Enter(_)
            )
    };
    Answer::Rewrite {
        input: json!({ "command": format!("export {CAPABILITY}={capability}\n{command}") }),
        // Asking about `sb` alone would make the person answer for a line they cannot read.
        approve: effects.list.iter().all(harmless),
    }
}
