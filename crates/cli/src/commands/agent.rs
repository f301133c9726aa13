//! `sb agent`: an agent CLI, exactly as it is, and beside it everything that Signalbox can do for it.

use std::io::{Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

use serde_json::json;
use signalbox_agent::launch::{self, Wanted};
use signalbox_agent::{Failed, Started, attach, usage};
use signalbox_core::{AgentId, Role, text, usage as amounts};
use signalbox_store::agents::{self, Life, Record};

use super::goal::{self, Limits};
use crate::agents::{about, meant, own, record, running, unreachable};
use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// How much of a log is shown.
const TAIL: u64 = 64 * 1024;
/// How long an agent may take to end: its CLI is asked first, and killed after some seconds.
const END: Duration = Duration::from_secs(15);

/// The CLI behaves as without `sb`: every byte passes, its exit code is yours. Beside it, another terminal can watch or
/// take over (`sb attach`), everything is recorded (`sb replay`), its state is known (`sb agents`), and `sb inject` tells
/// it something without touching what you are typing.
///
/// `sb agent claude -- --model opus` passes arguments on; `sb agent -- bash` runs any program.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    /// `claude`, `codex`, `gemini`, `copilot`, `goose` or `puppet`
    driver: Option<String>,
    /// A name to call it by, that no other running agent has
    #[arg(long)]
    name: Option<String>,
    /// The ticket its conversation begins with; for people
    #[arg(long, value_name = "ID")]
    ticket: Option<String>,
    /// The role its conversation has; for people
    #[arg(long)]
    role: Option<String>,
    /// A profile of config.toml: how it is started
    #[arg(long)]
    profile: Option<String>,
    /// Run it without a terminal of your own, until it ends; attach to see it
    #[arg(long)]
    headless: bool,
    /// What its conversation begins with; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Go on with an earlier conversation, by the CLI's own id
    #[arg(long, value_name = "SESSION")]
    resume: Option<String>,
    /// Be the agent whose record was written beforehand; for the orchestrator
    #[arg(long = "as", value_name = "ID", hide = true)]
    reserved: Option<String>,
    /// What it is there for (`sb goal types`); the daemon ends it when that is reached or missed; for people
    #[arg(long, value_name = "TYPE")]
    goal: Option<String>,
    /// A setting of the goal, as KEY=VALUE (can be repeated)
    #[arg(long = "goal-set", value_name = "KEY=VALUE", requires = "goal")]
    goal_settings: Vec<String>,
    #[command(flatten)]
    limits: Limits,
    /// Arguments for the CLI, or the command line of any program
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Print the end of what an agent has printed, as plain text
    Log {
        /// Its id, its name, or the beginning of either
        agent: String,
        /// Print all that is kept of it
        #[arg(long)]
        all: bool,
    },
    /// End an agent: its CLI is asked to, and killed if it does not; for people
    Stop {
        /// Its id, its name, or the beginning of either
        agent: String,
    },
    /// Take an agent over: its goal waits and its clock stands still until you give it back; for people
    Claim {
        /// Its id, its name, or the beginning of either
        agent: String,
    },
    /// Give an agent back: its goal counts again; for people
    Unclaim {
        /// Its id, its name, or the beginning of either
        agent: String,
    },
    /// Say what an agent is doing, and which signals show it
    Explain {
        /// Its id, its name, or the beginning of either
        agent: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what an agent has used, as far as its CLI tells
    Usage {
        /// Its id, its name, or the beginning of either [default: the agent you are]
        agent: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        None => start(cx, arguments),
        Some(What::Log { agent, all }) => log(cx, &meant(cx, &agent)?, all),
        Some(What::Stop { agent }) => {
            cx.who()?.must_be_human("stop an agent")?;
            stop(cx, &running(cx, &agent)?)
        }
        Some(What::Claim { agent }) => {
            cx.who()?.must_be_human("take an agent over")?;
            let whose = running(cx, &agent)?;
            record(cx, &whose, "agent.claimed", json!({}))?;
            cx.ui.status(&format!("{} is yours; its goal waits.", whose.id));
            cx.ui.hint(&format!(
                "`sb attach -i {0}` types into it, `sb agent unclaim {0}` gives it back.",
                whose.id
            ));
            Ok(())
        }
        Some(What::Unclaim { agent }) => {
            cx.who()?.must_be_human("give an agent back")?;
            let whose = running(cx, &agent)?;
            record(cx, &whose, "agent.unclaimed", json!({}))?;
            cx.ui.status(&format!("{} works on its own again.", whose.id));
            Ok(())
        }
        Some(What::Explain { agent, .. }) => explain(cx, &meant(cx, &agent)?),
        Some(What::Usage { agent, .. }) => {
            let record = agent.map_or_else(|| own(cx), |agent| meant(cx, &agent))?;
            used(cx, &record)
        }
    }
}

fn start(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let has_goal =
        arguments.goal.is_some() || arguments.limits.max_time.is_some() || arguments.limits.stall.is_some();
    if arguments.role.is_some() || arguments.ticket.is_some() || has_goal {
        cx.who()?.must_be_human("say what an agent is for")?;
    }
    if let Some(role) = &arguments.role
        && Role::parse(role).is_none()
    {
        let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
        return Err(CommandError::usage("role.unknown", format!("there is no role `{role}`"))
            .hint(format!("The roles are: {}.", known.join(", "))));
    }
    let ticket = match &arguments.ticket {
        Some(typed) => Some(resolve::ticket(&cx.index()?.1, typed)?),
        None => None,
    };
    // Whoever runs unseen is there for something; unless it is said what, for what the agent itself says.
    let kind = arguments.goal.as_deref().or((has_goal || arguments.headless).then_some("agent_signal"));
    let goal =
        kind.map(|kind| goal::wish(cx, kind, &arguments.goal_settings, &arguments.limits)).transpose()?;
    let (home, config) = (cx.home()?, cx.config()?);
    let wanted = Wanted {
        driver: arguments.driver,
        profile: arguments.profile,
        arguments: arguments.arguments,
        first: arguments.prompt.map(resolve::text_or_stdin).transpose()?,
        resume: arguments.resume,
    };
    let plan = launch::plan(home, config, wanted, &|name| std::env::var_os(name))?;
    let started = Started {
        home,
        config,
        plan,
        name: arguments.name,
        ticket,
        role: arguments.role,
        project: cx.project()?,
        cwd: cx.directory()?,
        reserved: arguments.reserved.as_deref().map(reserved).transpose()?,
        headless: arguments.headless,
        goal,
        tell: Box::new(crate::ui::aside),
    };
    match signalbox_agent::run(started) {
        Ok(exit) => {
            cx.exit_with(exit.code());
            Ok(())
        }
        Err(Failed::Refused(refusal)) => Err(refusal.into()),
        Err(error) => Err(failed(&error)),
    }
}

fn reserved(id: &str) -> Result<AgentId, CommandError> {
    AgentId::parse(id).map_err(|error| CommandError::usage("agent.id", error.to_string()))
}

pub fn failed(error: &Failed) -> CommandError {
    match error {
        Failed::NoTerminal => CommandError::precondition("agent.no-terminal", error.to_string())
            .hint("Run it in a terminal, or with `--headless`; then `sb attach` shows it."),
        Failed::TooSmall(_) => CommandError::precondition("agent.small-terminal", error.to_string())
            .hint("Agent CLIs need 20x5 at least: make the window larger."),
        other => CommandError::failed("agent.failed", other),
    }
}

fn log(cx: &Context, record: &Record, all: bool) -> Result<(), CommandError> {
    let mut file = std::fs::File::open(&record.log).map_err(|error| {
        CommandError::not_found("agent.no-log", format!("there is no log of {}: {error}", record.id))
    })?;
    let size = file.metadata()?.len();
    if !all {
        file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = String::from_utf8_lossy(&bytes);
    // It was printed by an agent.
    cx.ui.data(&text::many_lines(&whole))
}

fn stop(cx: &Context, record: &Record) -> Result<(), CommandError> {
    // Written down before it is done, so that nobody takes its end for a failure; but only if there is somebody to ask.
    about(record)?;
    crate::agents::record(cx, record, "agent.terminated", json!({}))?;
    attach::stop(&record.socket).map_err(|error| unreachable(record, &error))?;
    let begun = Instant::now();
    while begun.elapsed() < END {
        if agents::load(cx.home()?, &record.id)?.is_none_or(|now| now.life() != Life::Runs) {
            cx.ui.status(&format!("{} has ended.", record.id));
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err(CommandError::precondition("agent.lives", format!("{} was asked to end, and has not yet", record.id))
        .hint(format!("`sb agent explain {}` says what it does.", record.id)))
}

fn explain(cx: &Context, record: &Record) -> Result<(), CommandError> {
    if record.life() != Life::Runs {
        let how = match (&record.ended, record.life()) {
            (Some(ended), _) => match (ended.code, ended.signal) {
                (Some(code), _) => format!("it ended at {} with exit code {code}", ended.at),
                (None, Some(signal)) => format!("it was ended at {} by signal {signal}", ended.at),
                (None, None) => format!("it ended at {}", ended.at),
            },
            (None, _) => "its process is gone, and nobody wrote down its end".to_owned(),
        };
        if cx.ui.json {
            return cx
                .ui
                .json(&serde_json::json!({ "agent": record.id, "state": "exited", "explained": [how] }));
        }
        return cx.ui.data(&format!("{}: exited, {how}.\n", record.id));
    }
    let about = about(record)?;
    if cx.ui.json {
        return cx.ui.json(&about);
    }
    let sure = match about.certainty {
        signalbox_core::agent::Certainty::Guess => " (a guess)",
        signalbox_core::agent::Certainty::Likely => " (likely)",
        signalbox_core::agent::Certainty::Known => "",
    };
    let mut words = format!("{}: {}{sure}\n", record.id, about.state);
    for line in &about.explained {
        words.push_str(&format!("  {}\n", text::one_line(line)));
    }
    cx.ui.data(&words)
}

fn used(cx: &Context, record: &Record) -> Result<(), CommandError> {
    let silent =
        || CommandError::not_found("agent.no-usage", format!("{} does not tell what it uses", record.driver));
    let driver = signalbox_drivers::find(&record.driver).ok_or_else(silent)?;
    let sum = usage::of(cx.home()?, driver, record)?.ok_or_else(silent)?;
    if cx.ui.json {
        return cx.ui.json(&serde_json::json!({
            "agent": record.id, "input_tokens": sum.input_tokens, "cached_tokens": sum.cached_tokens,
            "output_tokens": sum.output_tokens, "cost_micros": sum.cost_micros, "model": sum.model,
        }));
    }
    let money = sum.cost_micros.map_or_else(|| "not told".to_owned(), amounts::dollars);
    cx.ui.data(&format!(
        "{}  sent {} tokens, {} more from the cache; received {}; cost {money}\n",
        record.id,
        amounts::tokens(sum.input_tokens),
        amounts::tokens(sum.cached_tokens),
        amounts::tokens(sum.output_tokens),
    ))
}
