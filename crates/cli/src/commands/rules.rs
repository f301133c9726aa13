//! `sb rules`: what is refused, and what would be.

use signalbox_core::call::{Action, ToolCall};
use signalbox_core::judge::{self, RULES, Refused};
use signalbox_store::policy;

use crate::context::Context;
use crate::hook::look_from;
use crate::sessions;
use signalbox_desk::error::CommandError;

/// Every rule looks at what a call would do: files it writes, programs it runs, what git it does.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List the rules, your own among them
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what would be refused, without running it; exits with 4 where it would
    Test {
        /// A command line, or with --write a file
        call: String,
        /// It is a file that a tool writes
        #[arg(long)]
        write: bool,
        /// Whose charter [default: your own, the only session's in this project, or that of a new one]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// As if the session had this role
        #[arg(long)]
        role: Option<String>,
        /// As if it were in this mode
        #[arg(long)]
        mode: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::List { .. } => list(cx),
        What::Test { call, write, session, role, mode, .. } => {
            let charter = sessions::supposed(cx, session.as_deref(), role.as_deref(), mode.as_deref())?;
            let action = if write {
                Action::Write { paths: vec![call], text: String::new() }
            } else {
                Action::Shell { command: call }
            };
            let tool = if write { "Write" } else { "Bash" }.to_owned();
            let call = ToolCall { tool, action, id: None };
            let cwd = cx.directory()?.to_string_lossy().into_owned();
            let refused = look_from(&cwd, |scene| judge::all_refusals(&charter, &call, scene));
            verdict(cx, &refused)
        }
    }
}

fn list(cx: &Context) -> Result<(), CommandError> {
    let config = cx.config()?;
    let own = &config.rules;
    let folder = cx.project()?.and_then(|name| Some(config.projects.get(name.as_str())?.path.clone()));
    let folder = folder.map_or_else(|| cx.directory(), Ok)?;
    let repository = policy::of_repository(&folder);
    let theirs = repository.as_ref().map(|policy| policy.rules.as_slice()).unwrap_or_default();
    let mut wrong: Vec<String> = repository.as_ref().err().cloned().into_iter().collect();
    let root = folder.to_string_lossy();
    wrong.extend(own.iter().chain(theirs).filter_map(|rule| judge::check_examples(rule, &root).err()));
    for what in wrong {
        cx.ui.warn(&format!("{what}; until that is put right, nothing may run in new sessions"));
    }
    if cx.ui.json {
        let shipped: Vec<_> = RULES
            .iter()
            .map(|rule| serde_json::json!({ "name": rule.name, "about": rule.about, "liftable": rule.liftable }))
            .collect();
        return cx.ui.json(&serde_json::json!({ "rules": shipped, "own": own, "repository": theirs }));
    }
    let mut text = String::new();
    for rule in RULES {
        text.push_str(&format!("{:10} {}\n", rule.name, rule.about));
    }
    let named = own.iter().map(|rule| ("own", rule)).chain(theirs.iter().map(|rule| ("repository", rule)));
    for (whose, rule) in named {
        let decision = match rule.decision {
            signalbox_core::charter::Decision::Allow => "allows",
            signalbox_core::charter::Decision::Deny => "denies",
        };
        let about = [("tool", &rule.tool), ("command", &rule.command), ("path", &rule.path)];
        let about: Vec<String> =
            about.iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?))).collect();
        text.push_str(&format!("{whose}: {}  {decision} {}\n", rule.name, about.join(", ")));
    }
    cx.ui.data(&text)
}

fn verdict(cx: &Context, refused: &[Refused]) -> Result<(), CommandError> {
    if cx.ui.json {
        let list: Vec<_> = refused
            .iter()
            .map(|one| serde_json::json!({ "rule": one.rule, "refusal": one.refusal }))
            .collect();
        cx.ui.json(&serde_json::json!({ "refused": list }))?;
    }
    match refused.split_first() {
        None => {
            cx.ui.status("It may run.");
            Ok(())
        }
        Some((first, more)) => {
            for other in more {
                cx.ui.status(&format!("Also refused by `{}`: {}.", other.rule, other.refusal.message));
            }
            let message = format!("{} (rule: {})", first.refusal.message, first.rule);
            let error = CommandError::precondition(first.refusal.code, message);
            Err(match &first.refusal.hint {
                Some(hint) => error.hint(hint.clone()),
                None => error,
            })
        }
    }
}
