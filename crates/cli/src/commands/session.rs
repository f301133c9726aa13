//! `sb session`: who works, as what, and what they may do.

use std::path::PathBuf;

use signalbox_core::{ProjectName, Role, SessionId, text};
use signalbox_store::charter::Assigned;
use signalbox_store::project;
use signalbox_store::session::{self, Session};

use crate::context::Context;
use crate::{resolve, sessions};
use signalbox_desk::error::CommandError;

/// A session is one conversation of an agent CLI. Its charter is what it may do; people give it a role, a ticket, a
/// worktree and a branch.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List the sessions that run
    List {
        /// Those that have ended too, as long as they are remembered
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one session with its charter
    Show {
        /// Its id or the beginning of it [default: your own, or the only one that runs in this project]
        id: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give a session its role, ticket, worktree or branch; for people
    Set(Set),
    /// End a session whose agent CLI is gone without a word; for people
    End {
        /// Its id or the beginning of it
        id: String,
    },
    /// Compile a session's charter anew from the configuration as it is now
    Refresh {
        /// Its id or the beginning of it [default: your own, or the only one that runs in this project]
        id: Option<String>,
    },
}

/// The session need not have started yet: `claude --session-id` and the like start it under a chosen id.
#[derive(clap::Args)]
struct Set {
    /// Whose: the whole id
    #[arg(long, value_name = "ID")]
    session: String,
    /// `assistant`, `orchestrator`, `lead`, `shaper`, `test-writer`, `doer`, `reviewer` or `worker`
    #[arg(long)]
    role: Option<String>,
    /// Its current ticket
    #[arg(long, value_name = "ID")]
    ticket: Option<String>,
    /// The folder outside of which it may not write
    #[arg(long, value_name = "DIR")]
    worktree: Option<PathBuf>,
    /// The one branch it may work on
    #[arg(long)]
    branch: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::List { all, .. } => list(cx, all),
        What::Show { id, .. } => show(cx, &sessions::meant(cx, id.as_deref())?),
        What::Set(set) => assign(cx, set),
        What::End { id } => end(cx, &id),
        What::Refresh { id } => {
            let session = sessions::refreshed(cx, sessions::meant(cx, id.as_deref())?)?;
            sessions::pass_on(cx, &session.assigned, &session)?;
            if let Some(why) = &session.charter.broken {
                let message = format!("the charter of {} could not be made: {why}", session.name);
                return Err(CommandError::precondition("session.charter", message)
                    .hint("Until that is mended, all its tool calls are refused."));
            }
            cx.ui.status(&format!("The charter of {} is compiled anew.", session.name));
            Ok(())
        }
    }
}

fn list(cx: &Context, all: bool) -> Result<(), CommandError> {
    let mut found = sessions::all(cx)?;
    // A subagent is there no longer than its parent.
    let running: Vec<SessionId> = found.iter().filter(|s| sessions::runs(s)).map(|s| s.id.clone()).collect();
    let is_here = |session: &Session| {
        let parent = session.lineage.last().filter(|_| session.subagent.is_some());
        running.contains(&session.id) && parent.is_none_or(|parent| running.contains(parent))
    };
    found.retain(|session| all || is_here(session) || sessions::is_prepared(session));
    if cx.ui.json {
        return cx.ui.json(&found.iter().map(json).collect::<Vec<_>>());
    }
    if found.is_empty() {
        cx.ui.status("No session runs.");
    }
    let wide = found.iter().map(|session| session.name.len()).max().unwrap_or(0);
    for session in &found {
        let charter = &session.charter;
        let ticket = charter.ticket.as_ref().map_or("-", |ticket| ticket.as_str());
        let state = match (is_here(session), sessions::is_prepared(session)) {
            (true, _) => "",
            (false, true) => "  not started",
            (false, false) => "  ended",
        };
        let line = format!(
            "{:wide$}  {:14}  {:12}  {ticket:9}  {}{state}\n",
            text::one_line(&session.name),
            charter.mode.as_str(),
            charter.role.as_str(),
            session.project,
        );
        cx.ui.data(&line)?;
    }
    Ok(())
}

fn show(cx: &Context, session: &Session) -> Result<(), CommandError> {
    if cx.ui.json {
        return cx.ui.json(&json(session));
    }
    let charter = &session.charter;
    let mut text = format!("{}  session {}\n", text::one_line(&session.name), session.id);
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {name:10} {}\n", text::one_line(value)));
        }
    };
    line("cli", &session.cli);
    line("project", session.project.as_str());
    line("mode", charter.mode.as_str());
    line("role", charter.role.as_str());
    line("ticket", charter.ticket.as_ref().map_or("", |ticket| ticket.as_str()));
    line("root", charter.root.as_deref().unwrap_or_default());
    line("writes", if charter.confined { "only there and in the folders for temporary files" } else { "" });
    line("branch", charter.branch.as_deref().unwrap_or_default());
    line("tests", &charter.tests.join(", "));
    line("protected", &charter.protect.join(", "));
    line("rules", &charter.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>().join(", "));
    line("broken", charter.broken.as_deref().unwrap_or_default());
    line("descends", &session.lineage.iter().map(SessionId::as_str).collect::<Vec<_>>().join(" > "));
    line("started", &session.started.to_string());
    line("ended", &session.ended.map(|ended| ended.to_string()).unwrap_or_default());
    cx.ui.data(&text)
}

/// A session for programs. What proves who it is stays here.
fn json(session: &Session) -> serde_json::Value {
    serde_json::json!({
        "id": session.id, "name": session.name, "cli": session.cli, "project": session.project,
        "lineage": session.lineage, "started": session.started, "ended": session.ended,
        "running": sessions::runs(session), "subagent": session.subagent, "charter": session.charter,
        "pid": session.process.as_ref().map(|process| process.pid),
    })
}

/// One that goes on all the same begins anew with its next call.
fn end(cx: &Context, id: &str) -> Result<(), CommandError> {
    cx.who()?.must_be_human("end a session of somebody else")?;
    let session = sessions::meant(cx, Some(id))?;
    if session.ended.is_some() {
        cx.ui.status(&format!("{} has ended already.", session.name));
        return Ok(());
    }
    let data = serde_json::json!({ "session": session.id, "reason": "a person ended it" });
    cx.store()?.note_event(cx.who()?, "session.ended", None, Some(&session.project), &data)?;
    let session = Session { ended: Some(signalbox_store::clock::now()), ..session };
    session::save(cx.home()?, &session)?;
    cx.ui.status(&format!("{} has ended.", session.name));
    Ok(())
}

fn assign(cx: &Context, set: Set) -> Result<(), CommandError> {
    cx.who()?.must_be_human("say what a session may do")?;
    if set.role.is_none() && set.ticket.is_none() && set.worktree.is_none() && set.branch.is_none() {
        return Err(CommandError::usage("session.nothing", "there is nothing to set")
            .hint("Give at least one of --role, --ticket, --worktree and --branch."));
    }
    let role = match &set.role {
        None => None,
        Some(word) => Some(Role::parse(word).ok_or_else(|| {
            let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
            let error = CommandError::usage("role.unknown", format!("there is no role `{word}`"));
            match signalbox_core::nearest(word, known.iter().copied()) {
                Some(near) => error.hint(format!("Did you mean `{near}`?")),
                None => error.hint(format!("The roles are: {}.", known.join(", "))),
            }
        })?),
    };
    let worktree = set.worktree.as_ref().map(|folder| {
        folder.canonicalize().map_err(|error| {
            CommandError::not_found("session.worktree", format!("{} is no folder: {error}", folder.display()))
        })
    });
    let worktree = worktree.transpose()?;
    let mut session = match sessions::called(cx, &set.session)? {
        Some(session) => session,
        None => prepared(cx, &set.session, worktree.as_deref())?,
    };
    let before = session.assigned.clone();
    session.assigned = Assigned {
        role: role.or(before.role),
        worktree: worktree.or_else(|| before.worktree.clone()),
        branch: set.branch.or_else(|| before.branch.clone()),
        mode: before.mode,
    };
    let ticket = match &set.ticket {
        None => session.charter.ticket.clone(),
        Some(typed) => Some(resolve::ticket(&cx.index()?.1, typed)?),
    };
    let mut data = serde_json::to_value(&session.assigned)?;
    data["session"] = serde_json::json!(session.id);
    data["ticket"] = serde_json::json!(ticket);
    cx.store()?.note_event(cx.who()?, "session.assigned", None, Some(&session.project), &data)?;
    session.charter.ticket.clone_from(&ticket);
    session::save(cx.home()?, &session)?;
    session::set_current_ticket(cx.home()?, session.id.as_str(), ticket.as_ref())?;
    let session = sessions::refreshed(cx, session)?;
    sessions::pass_on(cx, &before, &session)?;
    let ticket = session.charter.ticket.iter().map(|ticket| format!("ticket {ticket}"));
    let branch = session.assigned.branch.iter().map(|branch| format!("branch {branch}"));
    let folder = session.assigned.worktree.iter().map(|folder| folder.display().to_string());
    let held: Vec<String> = ticket.chain(branch).chain(folder).collect();
    let held = if held.is_empty() { String::new() } else { format!(": {}", held.join(", ")) };
    cx.ui.status(&format!("{} is {} now{held}.", session.name, session.charter.role.with_article()));
    if cx.ui.json { cx.ui.json(&json(&session)) } else { Ok(()) }
}

/// The record of a session that has not started yet.
fn prepared(cx: &Context, typed: &str, folder: Option<&std::path::Path>) -> Result<Session, CommandError> {
    let id = SessionId::parse(typed).map_err(|error| CommandError::usage("session.id", error.to_string()))?;
    let folder = folder.map_or_else(|| cx.directory(), |folder| Ok(folder.to_owned()))?;
    cx.home()?.prepare()?;
    let project = project::detect(cx.config()?, &folder).unwrap_or_else(ProjectName::untracked);
    Ok(Session::unstarted(id, project))
}
