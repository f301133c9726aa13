//! Setting an agent to work: a workspace, a record, a word in the log, and only then a process.
//!
//! Whoever is killed in between leaves nothing that a second agent could be started beside: the record is written before
//! the attempt, and a process that finds its record given up does not begin.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::sync::atomic::AtomicBool;

use signalbox_core::work::{MergeTrouble, Start};
use signalbox_core::{Command, Fact, Role, SessionId, Ticket, TicketId};
use signalbox_git::{BranchName, Head, Merged, Oid, Person, Workspace, WorkspaceSpec, crash};
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::contract::Contract;
use signalbox_store::index::History;
use signalbox_store::{Index, StoreError, clock, escalation};

use crate::error::Failed;
use crate::knowledge;
use crate::names;
use crate::prompt::{self, Told};
use crate::site::Site;
use crate::validate::{Bench, Line, Verdict};

/// What an agent has in common with the others of its project, for git.
pub(crate) const EMAIL: &str = "agent@signalbox.local";
/// The variables that tell a process whose agent it is: none of them is for another agent.
const NOT_PASSED: &[&str] = &["SIGNALBOX_SESSION", "SIGNALBOX_AGENT", "CLAUDECODE", "CLAUDE_ENV_FILE"];

/// A workspace that is ready for an agent.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub ticket: TicketId,
    pub role: Role,
    pub resume: bool,
    pub path: PathBuf,
    pub branch: String,
    pub base: Oid,
    /// A commit of an attempt that cannot be built on.
    pub earlier: Option<Oid>,
    /// Whether it was set up just now.
    pub set_up: bool,
}

/// Make the ticket's workspace ready: the one there is, or a new one from main with the tests that were written for it.
pub fn prepare(
    site: &Site,
    contract: &Contract,
    ticket: &Ticket,
    role: Role,
    resume: bool,
    stop: &AtomicBool,
) -> Result<Prepared, Failed> {
    let branch = BranchName::parse(&names::branch(ticket))?;
    let main = site.tip()?;
    if role == Role::Reviewer {
        return for_review(site, ticket, &branch, &main, resume);
    }
    let key = Site::key(&ticket.id)?;
    let workspaces = site.integration.workspaces();
    let present = workspaces.find(&key)?;
    let earlier = match &present {
        Some(workspace) => workspace.fetch()?,
        None => None,
    };
    let starts_anew = must_start_anew(ticket);
    let mut before = None;
    if let Some(workspace) = present {
        let head = workspace.head()?;
        if !starts_anew && matches!(head, Head::OnBranch { .. }) {
            let path = workspace.path().to_owned();
            let base = workspace.base().clone();
            let branch = workspace.branch().as_str().to_owned();
            let set_up = set_up(site, contract, &workspace, &ticket.id, stop)?;
            let (ticket, earlier) = (ticket.id.clone(), None);
            return Ok(Prepared { ticket, role, resume, path, branch, base, earlier, set_up });
        }
        // Somebody switched it elsewhere, or deleted it. What was on its branch is gone on with.
        let tip = earlier.clone().map_or_else(|| workspace.last_tip(), |tip| Ok(Some(tip)))?;
        before = tip.filter(|_| !starts_anew).map(|tip| (tip, workspace.base().clone()));
        if head != Head::Gone {
            let kept = workspace.keep("begun anew", clock::now())?;
            workspace.remove(&kept)?;
        }
    }
    let (start, base) = match before {
        Some(before) => before,
        None => (start_of(site, ticket, &main)?, main),
    };
    let path = site.workspace_path(branch.as_str());
    let spec = WorkspaceSpec {
        key,
        path: path.clone(),
        branch: branch.clone(),
        start,
        base: base.clone(),
        main: Some(site.main.clone()),
        name: ticket.id.to_string(),
        email: EMAIL.to_owned(),
    };
    let workspace = workspaces.create(&spec)?;
    let set_up = set_up(site, contract, &workspace, &ticket.id, stop)?;
    Ok(Prepared {
        ticket: ticket.id.clone(),
        role,
        resume,
        path,
        branch: branch.as_str().to_owned(),
        base,
        earlier: earlier.filter(|_| starts_anew),
        set_up,
    })
}

/// Whether the last attempt left what the next cannot build on: it does not go on top of main, or it changed what an agent
/// may not change and so may not put right either.
fn must_start_anew(ticket: &Ticket) -> bool {
    use MergeTrouble::{Ancestry, Boundary, Conflict, Protected};
    let failure = ticket.attempts.last().and_then(|attempt| attempt.report.failure.as_deref());
    let trouble = failure.and_then(MergeTrouble::of_fingerprint);
    matches!(trouble, Some(Conflict | Boundary | Protected | Ancestry))
}

/// Main, with the tests that were written for the ticket on top.
fn start_of(site: &Site, ticket: &Ticket, main: &Oid) -> Result<Oid, Failed> {
    let Some(tests) = ticket.work.tests.as_ref().and_then(|tests| Oid::parse(&tests.commit)) else {
        return Ok(main.clone());
    };
    if site.integration.is_ancestor(main, &tests)? {
        return Ok(tests);
    }
    let base = site.integration.merge_base(main, &tests)?.unwrap_or_else(|| main.clone());
    let who = Person { name: "Signalbox".to_owned(), email: EMAIL.to_owned(), at: clock::now().as_second() };
    let message = format!("Tests for {}\n", ticket.id);
    match site.integration.squash_onto(main, &tests, &base, &message, &who, &who)? {
        Merged::Landed { commit, .. } => Ok(commit),
        Merged::Empty | Merged::Conflict { .. } => Ok(main.clone()),
    }
}

/// A workspace of its own for a reviewer: exactly what was handed in.
fn for_review(
    site: &Site,
    ticket: &Ticket,
    branch: &BranchName,
    main: &Oid,
    resume: bool,
) -> Result<Prepared, Failed> {
    let commit = ticket.work.submission.as_ref().and_then(|handed| Oid::parse(&handed.handed.commit));
    let Some(commit) = commit else {
        let message = format!("nothing of {} was handed in", ticket.id);
        return Err(signalbox_core::Refusal::new("review.nothing", message).into());
    };
    crate::submit::gather(site, ticket)?;
    let key = signalbox_git::Key::parse(&format!("{}-review", ticket.id))?;
    let workspaces = site.integration.workspaces();
    let before = workspaces.find(&key)?.filter(|workspace| workspace.path().is_dir());
    if let Some(workspace) = before {
        let kept = workspace.keep("the review before", clock::now())?;
        workspace.remove(&kept)?;
    }
    let base = site.integration.merge_base(main, &commit)?.unwrap_or_else(|| main.clone());
    let path = site.workspace_path(&format!("{branch}-review"));
    let spec = WorkspaceSpec {
        key,
        path: path.clone(),
        branch: branch.clone(),
        start: commit,
        base: base.clone(),
        main: Some(site.main.clone()),
        name: ticket.id.to_string(),
        email: EMAIL.to_owned(),
    };
    workspaces.create(&spec)?;
    let (ticket, role, branch) = (ticket.id.clone(), Role::Reviewer, branch.as_str().to_owned());
    Ok(Prepared { ticket, role, resume, path, branch, base, earlier: None, set_up: false })
}

/// Run what the contract says makes a fresh workspace ready, unless it is. Says whether it was run.
fn set_up(
    site: &Site,
    contract: &Contract,
    workspace: &Workspace,
    ticket: &TicketId,
    stop: &AtomicBool,
) -> Result<bool, Failed> {
    let Some(run) = &contract.setup.run else { return Ok(false) };
    if workspace.is_set_up() {
        return Ok(false);
    }
    let log = site.log_of(&format!("setup-{ticket}"));
    Site::make_folder_of(&log)?;
    let bench = Bench { contract, directory: workspace.path(), log, stop };
    let line = Line { name: "setup", run: run.as_str(), time: contract.setup.time.as_duration() };
    match bench.run(&line)? {
        Verdict::Passed => {
            workspace.was_set_up()?;
            Ok(true)
        }
        Verdict::Stopped => Err(signalbox_core::Refusal::new("setup.stopped", "the loop is ending").into()),
        Verdict::Failed(failure) => {
            let message = format!("the workspace could not be made ready: {}", failure.message);
            Err(Failed::SetUp { message, output: failure.output })
        }
    }
}

/// Write down who is set to work, and start it. `None` where the ticket is no longer free.
pub fn start(
    site: &Site,
    index: &Index,
    contract: &Contract,
    ticket: &Ticket,
    prepared: &Prepared,
) -> Result<Option<String>, Failed> {
    let settings = contract.role(prepared.role);
    let name = next_name(site, index, contract)?;
    let mut record = Record::new(settings.driver.as_str(), "sb", &prepared.path);
    record.name = Some(name.clone());
    record.project = Some(site.project.clone());
    record.ticket = Some(prepared.ticket.clone());
    record.role = Some(prepared.role.as_str().to_owned());
    record.branch = Some(prepared.branch.clone());
    record.awaited = true;
    record.profile = settings.profile.as_ref().map(|profile| profile.as_str().to_owned());
    let io = || Failed::doing("write the agent's record");
    let record = agents::register(&site.home, record).map_err(io())??;
    let session = SessionId::parse(record.id.as_str()).map_err(|error| Failed::Io {
        doing: "name the agent's session".to_owned(),
        source: std::io::Error::other(error),
    })?;
    let start = Start {
        role: prepared.role,
        agent: name.clone(),
        session,
        branch: prepared.branch.clone(),
        base: prepared.base.to_string(),
    };
    if let Err(error) = site.write(Command::Start { id: prepared.ticket.clone(), start }) {
        agents::give_up(&site.home, &record.id).map_err(io())?;
        return match error {
            Failed::Store(StoreError::Refused(_)) => Ok(None),
            other => Err(other),
        };
    }
    crash::here("start.after");
    let text = told(site, index, contract, ticket, prepared, &name)?;
    let resume = prepared.resume.then(|| conversation_before(site, &prepared.ticket)).flatten();
    if let Err(error) = spawn(site, contract, &record, &text, resume.as_deref()) {
        agents::give_up(&site.home, &record.id).map_err(io())?;
        return Err(error);
    }
    Ok(Some(name))
}

fn told(
    site: &Site,
    index: &Index,
    contract: &Contract,
    ticket: &Ticket,
    prepared: &Prepared,
    agent: &str,
) -> Result<String, Failed> {
    let history = History { ticket: Some(ticket.id.clone()), changes_only: true, ..History::default() };
    let created = index.events(&history).map_err(StoreError::from)?.into_iter().next();
    let body = match created.map(|(_, event)| Fact::of(&event)) {
        Some(Ok(Some(Fact::Created(created)))) => created.body,
        _ => String::new(),
    };
    let policy = site.policy(contract);
    let test_command = contract.test_command();
    let earlier = prepared.earlier.as_ref().map(ToString::to_string);
    prompt::text(
        &site.home,
        &Told {
            agent,
            role: prepared.role,
            ticket,
            body: &body,
            branch: &prepared.branch,
            answers: &escalation::answers_for(index, &ticket.id)?,
            knowledge: &knowledge::of(&site.home, &site.project)?,
            test_command: test_command.as_ref().map(|command| command.run.as_str()),
            tests: &policy.tests,
            earlier: earlier.as_deref(),
            resumes: prepared.resume,
        },
    )
}

/// The name after the last that was given, that no running agent has.
fn next_name(site: &Site, index: &Index, contract: &Contract) -> Result<String, Failed> {
    let history = History { event: Some("attempt.started".to_owned()), limit: Some(1), ..History::default() };
    let last = index.events(&history).map_err(StoreError::from)?.pop();
    let last = match last.map(|(_, event)| Fact::of(&event)) {
        Some(Ok(Some(Fact::AttemptStarted(start)))) => Some(start.agent),
        _ => None,
    };
    let records = agents::all(&site.home).map_err(Failed::doing("read the agents' records"))?;
    let taken: Vec<String> = records
        .into_iter()
        .filter(|record| record.life() == Life::Runs)
        .filter_map(|record| record.name)
        .collect();
    let names: Vec<String> = contract.run.names.iter().map(|name| name.as_str().to_owned()).collect();
    Ok(names::next(&names, last.as_deref(), &taken))
}

/// The conversation of the attempt before, in its CLI's own words.
fn conversation_before(site: &Site, ticket: &TicketId) -> Option<String> {
    let records = agents::all(&site.home).ok()?;
    let of_ticket = |record: &&Record| record.ticket.as_ref() == Some(ticket) && !record.sessions.is_empty();
    let last = records.iter().rev().find(of_ticket)?;
    last.sessions.last().map(ToString::to_string)
}

/// Start the agent's process. It outlives the loop.
fn spawn(
    site: &Site,
    contract: &Contract,
    record: &Record,
    text: &str,
    resume: Option<&str>,
) -> Result<(), Failed> {
    let doing = || format!("start {}", record.id);
    let settings = contract.role(record.role.as_deref().and_then(Role::parse).unwrap_or_default());
    let program = std::env::current_exe().map_err(Failed::doing(doing()))?;
    let complaints = site.home.logs().join(format!("{}.start", record.id));
    Site::make_folder_of(&complaints)?;
    let (file, _) = signalbox_store::files::open_append(&complaints).map_err(Failed::doing(doing()))?;
    let mut process = Process::new(program);
    process.args(["agent", settings.driver.as_str(), "--headless", "--as", record.id.as_str()]);
    if let Some(profile) = &settings.profile {
        process.args(["--profile", profile.as_str()]);
    }
    if let Some(session) = resume {
        process.args(["--resume", session]);
    }
    process.args(["--prompt", text]);
    if !settings.args.is_empty() {
        process.arg("--").args(settings.args.iter().map(signalbox_store::contract::Line::as_str));
    }
    for name in NOT_PASSED {
        process.env_remove(name);
    }
    process
        .env("SIGNALBOX_HOME", site.home.root())
        .current_dir(&record.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .process_group(0);
    let mut child = process.spawn().map_err(Failed::doing(doing()))?;
    let (home, id) = (site.home.clone(), record.id.clone());
    // Whoever ends without having become the agent will never be it.
    std::thread::spawn(move || {
        let _ = child.wait();
        let _ = agents::give_up(&home, &id);
    });
    Ok(())
}
