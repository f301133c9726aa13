//! `sb hook`: what agent CLIs call. A session's start mints its identity and tells it what there is to do.

use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use signalbox_core::{Agent, ProjectName, SessionId, Who};
use signalbox_store::index::History;
use signalbox_store::process::{self, Process};
use signalbox_store::session::{self, Registered, Session};
use signalbox_store::{Index, clock, project};

use crate::context::Context;
use crate::error::CommandError;
use crate::identity::{self, CAPABILITY};

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
    let ancestors = process::ancestors();
    let above = ancestors.iter().position(|ancestor| !process::is_passing_shell(ancestor));
    let caller = above.and_then(|at| ancestors.get(at));
    let cli = cli.or_else(|| caller.map(process::program)).unwrap_or_else(|| "agent".to_owned());
    // It becomes part of the agent's name, which stands in files and on terminals.
    let cli = ProjectName::from_directory(&cli).to_string();
    let session = describe(cx, id, &cli, payload, &ancestors, caller)?;
    let (capability, hash) = session::mint(id);
    let session = Session { capability: hash, ..session };
    session::save(cx.home()?, &session)?;
    let who = Who::Agent(session.agent());
    let store = cx.store()?;
    let data = serde_json::json!({
        "cli": session.cli, "name": session.name, "source": payload.source, "model": payload.model,
        "cwd": payload.cwd, "pid": caller.map(|c| c.pid),
    });
    store.note_event(&who, "session.started", None, Some(&session.project), &data)?;
    hand_over(&capability)?;
    let (index, _) = store.read()?;
    let current = session::current_ticket(cx.home()?, id.as_str())?;
    let current = current.map(|id| index.ticket(&id)).transpose()?.flatten();
    let project = Some(&session.project).filter(|project| **project != ProjectName::untracked());
    let text = super::context::text(&index, &who, project, current.as_ref())?;
    let reply = serde_json::json!({
        "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": text }
    });
    cx.ui.data(&format!("{reply}\n"))?;
    Ok(())
}

/// The session as far as the system itself shows it. The payload only says its id.
fn describe(
    cx: &Context,
    id: &SessionId,
    cli: &str,
    payload: &Payload,
    ancestors: &[Process],
    caller: Option<&Process>,
) -> Result<Session, CommandError> {
    let home = cx.home()?;
    home.prepare()?;
    let before = session::load(home, id)?;
    if let Some(other) = before.as_ref().and_then(|session| session.process.as_ref())
        && process::is_running(other.pid, other.started)
        && !ancestors.iter().any(|ancestor| ancestor.pid == other.pid)
    {
        return Err(CommandError::precondition(
            "session.taken",
            format!("session {id} belongs to process {}, which still runs", other.pid),
        )
        .hint("A session has one identity; start a new one."));
    }
    let lineage = lineage(cx, id, ancestors, caller, before.as_ref())?;
    let directory = payload.cwd.clone().map_or_else(|| cx.directory(), Ok)?;
    let project = project::detect(cx.config()?, &directory).unwrap_or_else(ProjectName::untracked);
    Ok(Session {
        name: before.as_ref().map_or_else(|| name(cli, id), |session| session.name.clone()),
        id: id.clone(),
        cli: cli.to_owned(),
        lineage,
        project,
        started: before.map_or_else(clock::now, |session| session.started),
        capability: String::new(),
        process: caller
            .filter(|c| c.pid > 1 || cx.config().is_ok_and(|config| config.is_agent_program(&c.name)))
            .map(|c| Registered { pid: c.pid, started: c.started }),
        ended: None,
    })
}

/// Whom the session descends from. A second session of one process descends from the first: otherwise an
/// agent could give itself a clean name.
fn lineage(
    cx: &Context,
    id: &SessionId,
    ancestors: &[Process],
    caller: Option<&Process>,
    before: Option<&Session>,
) -> Result<Vec<SessionId>, CommandError> {
    let home = cx.home()?;
    let (index, _) = cx.store()?.read()?;
    let is_caller = |process: &Process| caller.is_some_and(|caller| caller.pid == process.pid);
    let from = match caller.map(|caller| session::of_process(home, caller)).transpose()?.flatten() {
        Some(first) => session::load(home, &first)?.map(|session| session.agent()).or(Some(Agent {
            name: first.to_string(),
            session: first,
            lineage: Vec::new(),
        })),
        None => {
            let own = identity::agents_among(home, cx.config()?, caller.map_or(&[], std::slice::from_ref))?;
            let acted = own.first().map(|own| as_recorded(&index, &own.agent.session)).transpose()?.flatten();
            let beyond: Vec<Process> =
                ancestors.iter().skip_while(|a| !is_caller(a)).skip(1).cloned().collect();
            let above = identity::agents_among(home, cx.config()?, &beyond)?.into_iter().next();
            let inherited = std::env::var(CAPABILITY)
                .ok()
                .map(|word| session::verify(home, &word))
                .transpose()?
                .flatten();
            acted.or(above.map(|above| above.agent)).or(inherited.map(|session| session.agent()))
        }
    };
    // A session that comes back keeps its lineage; whoever brings it back is added.
    let mut lineage = match before {
        Some(before) => before.lineage.clone(),
        None => as_recorded(&index, id)?.map(|agent| agent.lineage).unwrap_or_default(),
    };
    for ancestor in from.as_ref().map(identity::descends_from).unwrap_or_default() {
        if ancestor != *id && !lineage.contains(&ancestor) {
            lineage.push(ancestor);
        }
    }
    Ok(lineage)
}

/// A session as the log knows it, if it ever did anything: its record may be gone, or it never had one.
fn as_recorded(index: &Index, session: &SessionId) -> Result<Option<Agent>, CommandError> {
    let last = History { session: Some(session.to_string()), limit: Some(1), ..History::default() };
    let event = index.events(&last)?.pop();
    Ok(event.map(|(_, event)| Agent { name: event.actor, session: session.clone(), lineage: event.lineage }))
}

/// A name for people: the session's own where it is short, else the CLI's with the session's beginning.
fn name(cli: &str, id: &SessionId) -> String {
    let id = id.as_str();
    if id.len() <= 16 { id.to_owned() } else { format!("{cli}-{}", id.get(..8).unwrap_or(id)) }
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

fn end(cx: &Context, id: &SessionId, payload: &Payload) -> Result<(), CommandError> {
    let Some(session) = session::load(cx.home()?, id)? else { return Ok(()) };
    let identity = cx.identity()?;
    if identity.who.session() != Some(id) {
        return Err(CommandError::precondition(
            "session.not-yours",
            format!("only session {id} itself can end it"),
        )
        .hint("`sb doctor --fix` clears away sessions whose process is gone."));
    }
    let who = Who::Agent(session.agent());
    let data = serde_json::json!({ "reason": payload.reason });
    cx.store()?.note_event(&who, "session.ended", None, Some(&session.project), &data)?;
    Ok(session::save(cx.home()?, &Session { ended: Some(clock::now()), ..session })?)
}
