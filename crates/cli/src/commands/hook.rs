//! `sb hook`: what agent CLIs call. A session's start mints its identity and tells it what there is to do.

use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use signalbox_core::{Agent, ProjectName, SessionId, TicketId, Who};
use signalbox_store::clock;
use signalbox_store::session::{self, Session};

use crate::context::Context;
use crate::error::CommandError;
use crate::identity::{self, CAPABILITY, Unverified};
use crate::new_session;

/// The largest payload that is read.
const MOST_PAYLOAD: u64 = 1024 * 1024;

/// The CLI's JSON is read from standard input.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    event: Hook,
}

#[derive(clap::Subcommand)]
enum Hook {
    /// A session began: mint its capability, register its process, print its context
    SessionStart {
        /// The agent CLI [default: the calling program's name]
        #[arg(long)]
        cli: Option<String>,
    },
    /// A session ended: forget its capability
    SessionEnd,
}

/// What the CLI sends. Anything else in it is ignored.
#[derive(Debug, Deserialize)]
struct Payload {
    session_id: String,
    cwd: Option<PathBuf>,
    source: Option<String>,
    model: Option<String>,
    reason: Option<String>,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let payload = payload()?;
    let id = SessionId::parse(&payload.session_id)
        .map_err(|e| CommandError::usage("hook.session", e.to_string()))?;
    // An agent of that name would pass for the human, and what is assigned to the human would be its own.
    if [Who::Human, Who::System].iter().any(|who| who.name().eq_ignore_ascii_case(id.as_str())) {
        return Err(CommandError::usage("hook.session", format!("no session may be called `{id}`")));
    }
    match arguments.event {
        Hook::SessionStart { cli } => start(cx, &id, cli, &payload),
        Hook::SessionEnd => end(cx, &id, &payload),
    }
}

fn payload() -> Result<Payload, CommandError> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MOST_PAYLOAD + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_PAYLOAD {
        return Err(CommandError::usage("hook.payload", "the hook's payload is larger than 1 MiB"));
    }
    serde_json::from_slice(&bytes).map_err(|error| {
        CommandError::usage("hook.payload", format!("standard input is not a hook's JSON: {error}"))
            .hint("Agent CLIs call this; they send at least `{\"session_id\": \"…\", \"cwd\": \"…\"}`.")
    })
}

fn start(cx: &Context, id: &SessionId, cli: Option<String>, payload: &Payload) -> Result<(), CommandError> {
    if let Some(Unverified::OutOfSight(_)) = cx.identity()?.unverified {
        cx.who()?;
    }
    cx.home()?.prepare()?;
    let directory = payload.cwd.clone().map_or_else(|| cx.directory(), Ok)?;
    let (session, before) = new_session::describe(cx, id, cli, &directory)?;
    let (capability, hash) = session::mint(&session.id);
    let session = Session { capability: hash, ..session };
    let who = Who::Agent(session.agent());
    let store = cx.store()?;
    let data = serde_json::json!({
        "cli": session.cli, "name": session.name, "source": payload.source, "model": payload.model,
        "cwd": payload.cwd, "pid": session.process.as_ref().map(|process| process.pid),
    });
    // The log first: no identity without a trace.
    store.note_event(&who, "session.started", None, Some(&session.project), &data)?;
    session::save(cx.home()?, &session)?;
    hand_over(&capability)?;
    let current = take_over_desk(cx, &session.id, before.as_ref())?;
    let (index, _) = store.read()?;
    let current = current.map(|id| index.ticket(&id)).transpose()?.flatten();
    let project = Some(&session.project).filter(|project| **project != ProjectName::untracked());
    let text = super::context::text(&index, &who, project, current.as_ref())?;
    let reply = serde_json::json!({
        "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": text }
    });
    cx.ui.data(&format!("{reply}\n"))?;
    Ok(())
}

/// The session's current ticket; where it has none, that of the session before it in the same process.
fn take_over_desk(
    cx: &Context,
    id: &SessionId,
    before: Option<&SessionId>,
) -> Result<Option<TicketId>, CommandError> {
    let home = cx.home()?;
    if let Some(current) = session::current_ticket(home, id.as_str())? {
        return Ok(Some(current));
    }
    let Some(before) = before else { return Ok(None) };
    let current = session::current_ticket(home, before.as_str())?;
    if current.is_some() {
        session::set_current_ticket(home, id.as_str(), current.as_ref())?;
    }
    Ok(current)
}

/// Hand the capability to the session's shell in the way the CLI offers.
fn hand_over(capability: &str) -> Result<(), CommandError> {
    let Some(path) = std::env::var_os("CLAUDE_ENV_FILE").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let mut file =
        std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(Path::new(&path))?;
    // A capability is letters, digits and `._-`: nothing a shell acts on.
    file.write_all(format!("export {CAPABILITY}={capability}\n").as_bytes())?;
    Ok(())
}

/// A session may end itself, and one that came after it in the same process may end it too.
fn end(cx: &Context, id: &SessionId, payload: &Payload) -> Result<(), CommandError> {
    let home = cx.home()?;
    let asker = cx.identity()?.who.clone();
    // A conversation that is resumed while it runs elsewhere is known under an id of its own.
    let derived = asker.session().filter(|own| own.as_str().starts_with(&format!("{id}."))).cloned();
    let id = derived.as_ref().unwrap_or(id);
    let ended = Some(clock::now());
    let is =
        |agent: &Agent, session: &Session| agent.session == *id || session.lineage.contains(&agent.session);
    let session = match (session::load(home, id)?, &asker) {
        (Some(session), Who::Agent(agent)) if is(agent, &session) => Session { ended, ..session },
        (Some(_), _) => {
            return Err(CommandError::precondition(
                "session.not-yours",
                format!("only session {id} itself can end it"),
            )
            .hint("`sb doctor --fix` clears away sessions whose process is gone."));
        }
        // The CLI gave the conversation another id on the way. Whoever takes it up again descends from this one.
        (None, Who::Agent(agent)) => match session::load(home, &agent.session)? {
            Some(own) => {
                let lineage = identity::descends_from(agent);
                Session { id: id.clone(), lineage, process: None, ended, ..own }
            }
            None => return Ok(()),
        },
        (None, _) => return Ok(()),
    };
    let who = Who::Agent(session.agent());
    let data = serde_json::json!({ "reason": payload.reason });
    cx.store()?.note_event(&who, "session.ended", None, Some(&session.project), &data)?;
    Ok(session::save(home, &session)?)
}
