//! `sb monitor`: what the daemon watches for agents.

use signalbox_api::rows::MonitorRow;
use signalbox_api::{AddMonitor, LookNow, Monitors, RemoveMonitor};
use signalbox_core::{AgentId, nearest, text};
use signalbox_integrations::monitor::{self, COMMON, MonitorType};
use signalbox_integrations::settings::Key;
use signalbox_store::clock;

use crate::agents::running;
use crate::context::Context;
use crate::{daemon, pairs};
use signalbox_core::time::age;
use signalbox_desk::error::CommandError;

/// A monitor looks at something outside again and again (CI, reviews, a command) and puts a message into its agent's
/// outbox when that changes. Those that every agent should have stand in config.toml under `[monitors.NAME]`; for a
/// repository on GitHub one is there by itself.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List what is watched
    List {
        /// Of this agent alone: its id, its name, or the beginning of either
        agent: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Watch something more for a running agent
    ///
    /// `sb monitor add disk type=shell command="df -h / | tail -1" every=300`
    Add {
        /// What to call it
        name: String,
        /// The type, unless the name says it, and other settings, as KEY=VALUE
        settings: Vec<String>,
        /// For whom [default: the agent you are, or the only one that runs]
        #[arg(long)]
        agent: Option<String>,
        /// Start the daemon if none runs
        #[arg(long)]
        up: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Stop watching something for a running agent
    Remove {
        /// Its name
        name: String,
        /// Whose [default: the agent you are, or the only one that runs]
        #[arg(long)]
        agent: Option<String>,
    },
    /// Let a monitor look at once, also one that has given up
    Look {
        /// Its name
        name: String,
        /// Whose [default: the agent you are, or the only one that runs]
        #[arg(long)]
        agent: Option<String>,
    },
    /// List the types there are, or say what one takes and tells of
    Types {
        /// The type
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::List { agent, .. } => list(cx, agent.as_deref()),
        What::Add { name, settings, agent, up, .. } => {
            let settings = pairs::parse(&settings)?;
            let agent = named(cx, agent.as_deref())?;
            let row = daemon::connect_or_start(cx, up)?.ask(AddMonitor { agent, name, settings })?;
            if cx.ui.json {
                return cx.ui.json(&row);
            }
            cx.ui
                .status(&format!("{} is watched for {} every {} s.", row.name, row.agent, row.every_seconds));
            Ok(())
        }
        What::Remove { name, agent } => {
            let agent = named(cx, agent.as_deref())?;
            daemon::connect(cx)?.ask(RemoveMonitor { agent, name: name.clone() })?;
            cx.ui.status(&format!("{name} is no longer watched."));
            Ok(())
        }
        What::Look { name, agent } => {
            let agent = named(cx, agent.as_deref())?;
            let row = daemon::connect(cx)?.ask(LookNow { agent, name })?;
            cx.ui.status(&format!("{} looks now; `sb monitor list` shows how that went.", row.name));
            Ok(())
        }
        What::Types { name, .. } => types(cx, name.as_deref()),
    }
}

/// The agent that a word means, if there is a word.
pub fn named(cx: &Context, word: Option<&str>) -> Result<Option<AgentId>, CommandError> {
    word.map(|word| running(cx, word).map(|record| record.id)).transpose()
}

fn list(cx: &Context, agent: Option<&str>) -> Result<(), CommandError> {
    let agent = named(cx, agent)?;
    let rows = daemon::connect(cx)?.ask(Monitors { agent })?.monitors;
    if cx.ui.json {
        return cx.ui.json(&rows);
    }
    if rows.is_empty() {
        cx.ui.status("Nothing is watched. `sb monitor types` says what can be.");
    }
    let wide = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &rows {
        cx.ui.data(&format!("{:wide$}  {}\n", text::one_line(&row.name), line(row)))?;
    }
    Ok(())
}

/// All about a monitor but its name.
pub fn line(row: &MonitorRow) -> String {
    let last = row.last.map_or_else(
        || "not looked yet".to_owned(),
        |last| format!("looked {} ago", age(last, clock::now())),
    );
    let mut words = format!("{}  {}  {}  {last}", row.kind, row.agent, row.origin.as_str());
    if row.announced > 0 {
        words.push_str(&format!(", {} announced", row.announced));
    }
    if row.waiting > 0 {
        words.push_str(&format!(", {} on the way", row.waiting));
    }
    if let Some(trouble) = &row.trouble {
        words.push_str(&format!("\n    {}", text::one_line(trouble)));
    }
    words
}

fn types(cx: &Context, name: Option<&str>) -> Result<(), CommandError> {
    let chosen: Vec<&MonitorType> = match name {
        None => monitor::TYPES.iter().filter(|kind| offered(cx, kind.privileged)).collect(),
        Some(name) => vec![monitor::find(name).ok_or_else(|| unknown(name))?],
    };
    if cx.ui.json {
        return cx.ui.json(&chosen.iter().map(|kind| as_json(kind)).collect::<Vec<_>>());
    }
    for kind in &chosen {
        let people = if kind.privileged { " (for people alone)" } else { "" };
        cx.ui.data(&format!("{}: {}{people}\n", kind.name, kind.about))?;
        if name.is_some() {
            cx.ui.data(&keys(kind.keys.iter().chain(COMMON)))?;
            cx.ui.data("  It tells of:\n")?;
            for event in kind.events {
                cx.ui.data(&format!("    {:14}  {}\n", event.name, event.about))?;
            }
        }
    }
    Ok(())
}

/// Whether the asker is told of a type unasked: agents are not told of what is for people alone.
pub fn offered(cx: &Context, privileged: bool) -> bool {
    !(privileged && cx.identity().is_ok_and(|identity| identity.who.is_agent()))
}

/// Settings, a line each.
pub fn keys<'a>(keys: impl Iterator<Item = &'a Key>) -> String {
    keys.map(|key| {
        let needed = if key.required { " (needed)" } else { "" };
        format!("  {:14}  {}{needed}\n", key.name, key.about)
    })
    .collect()
}

fn unknown(name: &str) -> CommandError {
    let error = CommandError::not_found("monitor.type", format!("there is no type of monitor `{name}`"));
    let known = || monitor::TYPES.iter().map(|kind| kind.name);
    match nearest(name, known()) {
        Some(near) => error.hint(format!("Did you mean `{near}`?")),
        None => error.hint(format!("There are: {}.", known().collect::<Vec<_>>().join(", "))),
    }
}

/// Settings, for programs.
pub fn keys_as_json<'a>(keys: impl Iterator<Item = &'a Key>) -> Vec<serde_json::Value> {
    let key =
        |key: &Key| serde_json::json!({ "name": key.name, "required": key.required, "about": key.about });
    keys.map(key).collect()
}

fn as_json(kind: &MonitorType) -> serde_json::Value {
    serde_json::json!({
        "name": kind.name, "about": kind.about, "privileged": kind.privileged, "every_seconds": kind.every.as_secs(),
        "settings": keys_as_json(kind.keys.iter().chain(COMMON)),
        "events": kind.events.iter().map(|event| serde_json::json!({
            "name": event.name, "about": event.about, "priority": event.priority,
            "ttl_seconds": event.ttl.as_secs(), "key": event.key,
        })).collect::<Vec<_>>(),
    })
}
