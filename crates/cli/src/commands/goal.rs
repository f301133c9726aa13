//! `sb goal`: what agents are there for, and how far they are.

use serde_json::{Value, json};
use signalbox_api::Status;
use signalbox_core::goal::GoalStatus;
use signalbox_core::{nearest, text};
use signalbox_integrations::goal;
use signalbox_store::agents::Record;

use super::monitor::{keys, keys_as_json, offered};
use crate::agents::{own, record, running, span};
use crate::context::Context;
use crate::{daemon, pairs, resolve};
use signalbox_desk::error::CommandError;

/// An agent with a goal is ended by the daemon when the goal is reached, missed, or its time is up; a person who claims it
/// (`sb agent claim`) stops that clock. `sb agent --goal TYPE` sets one at the start.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Show how far agents are
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what a running agent is there for; for people
    Set {
        /// Its id, its name, or the beginning of either
        agent: String,
        /// The type; `sb goal types` lists them
        kind: String,
        /// Settings of the type, as KEY=VALUE
        settings: Vec<String>,
        #[command(flatten)]
        limits: Limits,
    },
    /// Say how far you are: `in-progress`, `errored` (you need help), `completed` or `failed`
    Signal {
        /// The status
        status: String,
        /// What was done, or what is in the way, in a sentence
        summary: Vec<String>,
        /// For people: whose goal
        #[arg(long)]
        agent: Option<String>,
    },
    /// List the types there are
    Types {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// In seconds.
const YEAR: u64 = 365 * 24 * 60 * 60;

/// How long an agent may take.
#[derive(clap::Args, Default)]
pub struct Limits {
    /// End it when its goal is not reached after this time, as in `90m` or `2h`
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<String>,
    /// Tell people when it has been idle for so long
    #[arg(long, value_name = "TIME")]
    pub stall: Option<String>,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::Show { .. } => show(cx),
        What::Set { agent, kind, settings, limits } => {
            cx.who()?.must_be_human("say what an agent is there for")?;
            let whose = running(cx, &agent)?;
            record(cx, &whose, "goal.set", wish(cx, &kind, &settings, &limits)?)?;
            cx.ui.status(&format!("{} is there for: {kind}.", whose.id));
            warn_without_daemon(cx)
        }
        What::Signal { status, summary, agent } => signal(cx, &status, &summary, agent.as_deref()),
        What::Types { .. } => types(cx),
    }
}

fn types(cx: &Context) -> Result<(), CommandError> {
    let chosen = goal::TYPES.iter().filter(|kind| offered(cx, kind.privileged));
    if cx.ui.json {
        let row = |kind: &goal::GoalType| {
            json!({
                "name": kind.name, "about": kind.about, "privileged": kind.privileged,
                "settings": keys_as_json(kind.keys.iter()),
            })
        };
        return cx.ui.json(&chosen.map(row).collect::<Vec<_>>());
    }
    for kind in chosen {
        let people = if kind.privileged { " (for people alone)" } else { "" };
        cx.ui.data(&format!("{}: {}{people}\n{}", kind.name, kind.about, keys(kind.keys.iter())))?;
    }
    Ok(())
}

/// A goal, checked.
pub fn wish(cx: &Context, kind: &str, settings: &[String], limits: &Limits) -> Result<Value, CommandError> {
    let known = || goal::TYPES.iter().map(|kind| kind.name);
    let found = goal::find(kind).ok_or_else(|| {
        let error = CommandError::usage("goal.type", format!("there is no type of goal `{kind}`"));
        match nearest(kind, known()) {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None => error.hint(format!("There are: {}.", known().collect::<Vec<_>>().join(", "))),
        }
    })?;
    let mut settings = pairs::parse(settings)?;
    // Typed as people type ids, and compared with whole ones later.
    if let Some(Value::String(typed)) = settings.get("ticket").cloned() {
        let ticket = resolve::ticket(&cx.index()?.1, &typed)?;
        settings.insert("ticket".to_owned(), json!(ticket));
    }
    found.check(&settings).map_err(|bad| {
        CommandError::usage("goal.settings", bad.to_string()).hint("`sb goal types` says what each takes.")
    })?;
    let seconds = |time: &Option<String>| time.as_deref().map(limit).transpose();
    Ok(json!({
        "type": kind, "settings": settings,
        "max_seconds": seconds(&limits.max_time)?, "stall_seconds": seconds(&limits.stall)?,
    }))
}

/// A limit in seconds; nobody waits for longer than a year.
fn limit(time: &str) -> Result<u64, CommandError> {
    let seconds = span(time)?.as_secs();
    if (1..=YEAR).contains(&seconds) {
        return Ok(seconds);
    }
    Err(CommandError::usage("time.span", format!("`{time}` is not between a second and a year"))
        .hint("Write it like `90m` or `2h`."))
}

fn signal(cx: &Context, status: &str, summary: &[String], agent: Option<&str>) -> Result<(), CommandError> {
    let status = GoalStatus::from_word(status)
        .filter(|status| !matches!(status, GoalStatus::TimedOut))
        .ok_or_else(|| {
            CommandError::usage("goal.status", format!("`{status}` is no status of a goal"))
                .hint("There are `pending`, `in-progress`, `errored`, `completed` and `failed`.")
        })?;
    let whose: Record = match agent {
        Some(named) => {
            cx.who()?.must_be_human("speak for another agent")?;
            running(cx, named)?
        }
        None => own(cx)?,
    };
    let summary = summary.join(" ");
    let summary = (!summary.trim().is_empty()).then_some(summary);
    record(cx, &whose, "goal.signalled", json!({ "status": status, "summary": summary }))?;
    cx.ui.status(&format!("{} is {}.", whose.id, status.as_str()));
    warn_without_daemon(cx)
}

fn show(cx: &Context) -> Result<(), CommandError> {
    let report = daemon::connect(cx)?.ask(Status {})?;
    let rows: Vec<_> = report.agents.into_iter().filter(|agent| agent.goal.is_some()).collect();
    if cx.ui.json {
        return cx.ui.json(&rows);
    }
    if rows.is_empty() {
        cx.ui.status("No agent that runs has a goal. `sb agent --goal TYPE` gives it one.");
    }
    for agent in &rows {
        let Some(goal) = &agent.goal else { continue };
        let claimed = if agent.claimed { ", claimed" } else { "" };
        let until = goal.until.map(|until| format!(", until {until:.0}")).unwrap_or_default();
        let summary = goal.summary.as_ref().or(goal.trouble.as_ref());
        let summary = summary.map(|words| format!("\n    {}", text::one_line(words))).unwrap_or_default();
        cx.ui.data(&format!(
            "{}  {}: {}{claimed}{until}{summary}\n",
            agent.id,
            goal.kind,
            goal.status.as_str()
        ))?;
    }
    Ok(())
}

fn warn_without_daemon(cx: &Context) -> Result<(), CommandError> {
    if daemon::running(cx)?.is_none() {
        cx.ui.hint("No daemon runs, so nobody acts on it yet. `sb up` starts one.");
    }
    Ok(())
}
