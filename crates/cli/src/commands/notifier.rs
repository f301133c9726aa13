//! `sb notifier`: who is told what happens.

use std::time::Duration;

use serde_json::json;
use signalbox_api::{AddNotifier, Notifiers, RemoveNotifier, Tell};
use signalbox_core::text;
use signalbox_integrations::notifier::{self, COMMON};

use super::monitor::{keys, keys_as_json, named, offered};
use crate::context::Context;
use crate::{daemon, pairs};
use signalbox_desk::error::CommandError;

/// How long trying one may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Notifiers tell people: by a bell, on the desktop, in Slack, to a web address, or by a program of yours. They stand in
/// config.toml under `[[notifiers]]`; without any, terminals of agents ring. One agent may have more of its own.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List who is told what
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Tell somebody of one running agent's events
    ///
    /// `sb notifier add ping type=desktop events='["agent.*"]' --agent ada`
    Add {
        /// What to call it
        name: String,
        /// The type, unless the name says it, and other settings, as KEY=VALUE
        settings: Vec<String>,
        /// Of whom [default: the agent you are, or the only one that runs]
        #[arg(long)]
        agent: Option<String>,
        /// Start the daemon if none runs
        #[arg(long)]
        up: bool,
    },
    /// Tell them no more
    Remove {
        /// Its name
        name: String,
        /// Of whom [default: the agent you are, or the only one that runs]
        #[arg(long)]
        agent: Option<String>,
    },
    /// Try a notifier; for people
    Test {
        /// Its name, as in `sb notifier list`
        name: String,
        /// What to say
        text: Option<String>,
    },
    /// List the types there are, or say what one takes
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
        What::List { .. } => list(cx),
        What::Add { name, settings, agent, up } => {
            let settings = pairs::parse(&settings)?;
            let agent = named(cx, agent.as_deref())?;
            let row = daemon::connect_or_start(cx, up)?.ask(AddNotifier { agent, name, settings })?;
            cx.ui.status(&format!("{} tells of {}.", row.name, row.events.join(", ")));
            Ok(())
        }
        What::Remove { name, agent } => {
            let agent = named(cx, agent.as_deref())?;
            daemon::connect(cx)?.ask(RemoveNotifier { agent, name: name.clone() })?;
            cx.ui.status(&format!("{name} is told no more."));
            Ok(())
        }
        What::Test { name, text } => {
            let mut client = daemon::connect(cx)?;
            client.patience(Some(PATIENCE))?;
            client.ask(Tell { notifier: name.clone(), message: text })?;
            cx.ui.status(&format!("{name} was told."));
            Ok(())
        }
        What::Types { name, .. } => types(cx, name.as_deref()),
    }
}

fn list(cx: &Context) -> Result<(), CommandError> {
    let rows = daemon::connect(cx)?.ask(Notifiers { agent: None })?.notifiers;
    if cx.ui.json {
        return cx.ui.json(&rows);
    }
    let wide = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &rows {
        let waiting = if row.waiting > 0 { format!(", {} to tell", row.waiting) } else { String::new() };
        let trouble =
            row.trouble.as_ref().map(|why| format!("\n    {}", text::one_line(why))).unwrap_or_default();
        cx.ui.data(&format!(
            "{:wide$}  {}  {} told{waiting}  {}{trouble}\n",
            text::one_line(&row.name),
            row.kind,
            row.told,
            text::one_line(&row.events.join(" ")),
        ))?;
    }
    Ok(())
}

fn types(cx: &Context, name: Option<&str>) -> Result<(), CommandError> {
    if let Some(name) = name
        && notifier::find(name).is_none()
    {
        let known: Vec<&str> = notifier::TYPES.iter().map(|kind| kind.name).collect();
        return Err(CommandError::not_found(
            "notifier.type",
            format!("there is no type of notifier `{name}`"),
        )
        .hint(format!("There are: {}.", known.join(", "))));
    }
    let meant = |kind: &&notifier::NotifierType| match name {
        Some(name) => name == kind.name,
        None => offered(cx, kind.privileged),
    };
    let chosen = notifier::TYPES.iter().filter(meant);
    if cx.ui.json {
        let row = |kind: &notifier::NotifierType| {
            json!({
                "name": kind.name, "about": kind.about, "privileged": kind.privileged,
                "settings": keys_as_json(kind.keys.iter().chain(COMMON)),
            })
        };
        return cx.ui.json(&chosen.map(row).collect::<Vec<_>>());
    }
    for kind in chosen {
        let people = if kind.privileged { " (for people alone)" } else { "" };
        cx.ui.data(&format!("{}: {}{people}\n", kind.name, kind.about))?;
        if name.is_some() {
            cx.ui.data(&keys(kind.keys.iter().chain(COMMON)))?;
        }
    }
    Ok(())
}
