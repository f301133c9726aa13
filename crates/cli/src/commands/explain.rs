//! `sb explain`: why was this refused, in full.

use signalbox_core::call::{Action, ToolCall};
use signalbox_core::judge;
use signalbox_core::shell;
use signalbox_core::{Event, SessionId, text};
use signalbox_store::index::History;
use signalbox_store::session;

use crate::context::Context;
use crate::hook::look_from;
use signalbox_desk::error::CommandError;

/// The last refusal of your session, or in this project; or the one that an event tells of. Every rule that says no is
/// named, with what the command would have done as far as its words show.
#[derive(clap::Args)]
pub struct Arguments {
    /// The event's id or the beginning of it, as `sb log` shows it [default: the last refusal]
    event: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let event = refusal(cx, arguments.event.as_deref())?;
    let data: serde_json::Value = serde_json::from_str(event.data.get())?;
    let word = |key: &str| data[key].as_str().unwrap_or_default();
    let command = word("command");
    let cwd = word("cwd");
    let effects: Vec<String> = look_from(cwd, |scene| shell::effects(command, &scene.surroundings()))
        .list
        .iter()
        .map(ToString::to_string)
        .collect();
    let refused = match session_of(cx, event.session.as_ref())? {
        Some(session) => {
            let action = if !command.is_empty() {
                Action::Shell { command: command.to_owned() }
            } else if data["commands"].is_array() {
                Action::Unheard { paths: files(&data), commands: commands(&data) }
            } else {
                Action::Write { paths: files(&data), text: String::new() }
            };
            let call = ToolCall { tool: word("tool").to_owned(), action, id: None };
            look_from(cwd, |scene| judge::all_refusals(&session.charter, &call, scene))
        }
        None => Vec::new(),
    };
    if cx.ui.json {
        let now: Vec<_> = refused
            .iter()
            .map(|one| serde_json::json!({ "rule": one.rule, "refusal": one.refusal }))
            .collect();
        return cx.ui.json(&serde_json::json!({ "event": event, "effects": effects, "refused_now": now }));
    }
    let mut said = format!(
        "{}  {}  {} in {}\n",
        signalbox_core::time::short(event.ts),
        text::one_line(&event.actor),
        text::one_line(word("tool")),
        text::one_line(cwd),
    );
    let subject = match command.is_empty() {
        true => [files(&data), commands(&data)].concat().join(", "),
        false => command.to_owned(),
    };
    said.push_str(&format!("  {}\n\n", text::many_lines(&subject).replace('\n', "\n  ")));
    said.push_str(&format!("Refused by `{}`: {}.\n", word("rule"), text::one_line(word("reason"))));
    if !effects.is_empty() && !command.is_empty() {
        said.push_str("\nWhat it would do, as far as its words show:\n");
        for effect in &effects {
            said.push_str(&format!("  {}\n", text::one_line(effect)));
        }
    }
    if refused.is_empty() {
        said.push_str("\nToday it would not be refused, or the session is no longer known.\n");
    }
    for one in &refused {
        said.push_str(&format!("\nRule `{}` says no: {}.\n", one.rule, text::one_line(&one.refusal.message)));
        if let Some(hint) = &one.refusal.hint {
            said.push_str(&format!("  {hint}\n"));
        }
    }
    cx.ui.data(&said)
}

fn files(data: &serde_json::Value) -> Vec<String> {
    let many = data["files"].as_array().into_iter().flatten();
    data["file"]
        .as_str()
        .into_iter()
        .chain(many.filter_map(|file| file.as_str()))
        .map(ToOwned::to_owned)
        .collect()
}

/// The command lines in the input of a tool that nobody here knows.
fn commands(data: &serde_json::Value) -> Vec<String> {
    let many = data["commands"].as_array().into_iter().flatten();
    many.filter_map(|command| command.as_str()).map(ToOwned::to_owned).collect()
}

fn session_of(cx: &Context, id: Option<&SessionId>) -> Result<Option<session::Session>, CommandError> {
    Ok(match id {
        Some(id) => session::load(cx.home()?, id)?,
        None => None,
    })
}

fn refusal(cx: &Context, typed: Option<&str>) -> Result<Event, CommandError> {
    let (_, index) = cx.index()?;
    let own = cx.identity()?.who.session().map(ToString::to_string);
    let project = if own.is_none() { cx.project()? } else { None };
    let mut history =
        History { session: own, project, event: Some("hook.p*".to_owned()), ..History::default() };
    if typed.is_some() {
        history = History { event: Some("hook.p*".to_owned()), ..History::default() };
    }
    let events = index.events(&history)?;
    let is_refusal = |event: &Event| event.data.get().contains("\"permission\":\"deny\"");
    let found = events.into_iter().rev().map(|(_, event)| event).find(|event| match typed {
        Some(typed) => event.id.as_str().starts_with(&typed.to_uppercase()),
        None => is_refusal(event),
    });
    found.ok_or_else(|| match typed {
        Some(typed) => CommandError::not_found("event.unknown", format!("no tool call is called `{typed}`"))
            .hint("`sb log --event 'hook.pre-tool'` shows them."),
        None => CommandError::not_found("refusal.none", "nothing was refused here"),
    })
}
