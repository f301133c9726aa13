//! `sb plugins`: programs of your own that are told of events, or asked.

use serde_json::json;
use signalbox_core::plugin::Plugin;
use signalbox_core::{CATALOG, Event, FORMAT_VERSION, Who, glob, nearest, text};
use signalbox_plugins::{self as plugins, Answer};
use signalbox_store::index::History;
use signalbox_store::{clock, new_event_id};

use crate::context::Context;
use signalbox_desk::error::{CommandError, Kind};

/// They stand as `[[plugins]]` in `config.toml`: a `name`, the `events` it is for, and what to `run`. A plugin gets each
/// event as JSON on its standard input. One with `decides = true` is asked before a command changes a ticket, and may refuse
/// that; all others are told by the daemon. A plugin that fails never keeps anything from happening.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List the plugins
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a plugin with an event, and show what it says; exits with 1 where it fails
    Test {
        /// The plugin
        name: String,
        /// The event's name; the newest of that name is taken, or one is made up [default: the first that the plugin is for]
        #[arg(long, value_name = "NAME")]
        event: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what is wrong with the plugins as they are configured; exits with 1 where something is
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// What commands write after asking; whatever else is in the log has happened already.
const ASKED_ABOUT: &[&str] = &["ticket.", "status.", "note.", "review.", "attempt."];

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::List { .. } => list(cx),
        What::Test { name, event, .. } => test(cx, &name, event.as_deref()),
        What::Check { .. } => check(cx),
    }
}

fn list(cx: &Context) -> Result<(), CommandError> {
    let plugins = &cx.config()?.plugins;
    if cx.ui.json {
        // What is in `config` may be secret.
        let rows: Vec<_> = plugins
            .iter()
            .map(|plugin| {
                json!({
                    "name": plugin.name, "events": plugin.events, "run": plugin.run.to_string(),
                    "timeout": plugin.timeout, "decides": plugin.decides,
                })
            })
            .collect();
        return cx.ui.json(&rows);
    }
    if plugins.is_empty() {
        cx.ui.status("There are no plugins. They stand as `[[plugins]]` in config.toml.");
    }
    let wide = plugins.iter().map(|plugin| plugin.name.chars().count()).max().unwrap_or(0);
    for plugin in plugins {
        let kind = if plugin.decides { "decides" } else { "listens" };
        let run = text::one_line(&plugin.run.to_string()).into_owned();
        let name = text::one_line(&plugin.name);
        cx.ui.data(&format!("{name:wide$}  {kind}  {}  {run}\n", plugin.events.join(", ")))?;
    }
    Ok(())
}

fn test(cx: &Context, name: &str, event: Option<&str>) -> Result<(), CommandError> {
    let plugins = &cx.config()?.plugins;
    let plugin = plugins.iter().find(|plugin| plugin.name == name).ok_or_else(|| {
        let error = CommandError::not_found("plugin.unknown", format!("there is no plugin `{name}`"));
        match nearest(name, plugins.iter().map(|plugin| plugin.name.as_str())) {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None => error.hint("`sb plugins list` lists them."),
        }
    })?;
    let event = sample(cx, plugin, event)?;
    let home = cx.home()?.root();
    let ran = plugins::run(plugin, &event, home);
    let output = ran.map_err(|failed| {
        let message = format!("the plugin `{name}` failed: {failed}");
        let stderr = failed.stderr().trim_end();
        let error = CommandError::new(Kind::Failure, "plugin.failed", message);
        if stderr.contains('\n') { error.hint(format!("It said:\n{stderr}")) } else { error }
    })?;
    let answer = if plugin.decides { Some(Answer::parse(&output.stdout)) } else { None };
    let answer = answer.transpose().map_err(|error| {
        let message = format!("what the plugin `{name}` printed is no answer: {error}");
        CommandError::new(Kind::Failure, "plugin.failed", message)
            .hint(r#"It prints nothing, or JSON: {"allow": false, "reason": "…", "hint": "…"}."#)
    })?;
    if cx.ui.json {
        let allows = answer.as_ref().map(|answer| *answer == Answer::Allow);
        return cx.ui.json(&json!({
            "plugin": name, "event": event, "stdout": output.stdout, "stderr": output.stderr, "allows": allows,
        }));
    }
    cx.ui.status(&format!("`{name}` was run with {} ({}).", event.event, event.id));
    if !output.stderr.is_empty() {
        cx.ui.status(output.stderr.trim_end());
    }
    cx.ui.data(&text::many_lines(&output.stdout))?;
    match answer {
        None => {}
        Some(Answer::Allow) => cx.ui.status("It has nothing against it."),
        Some(Answer::Refuse { reason, .. }) => {
            let why = reason.map_or_else(|| ".".to_owned(), |reason| format!(": {reason}"));
            cx.ui.status(&format!("It would refuse it{why}"));
        }
    }
    Ok(())
}

/// The newest event of that name, or one that is made up.
fn sample(cx: &Context, plugin: &Plugin, name: Option<&str>) -> Result<Event, CommandError> {
    let of_plugin = || CATALOG.iter().map(|doc| doc.name).find(|name| plugin.wants(name));
    let name = name.or_else(of_plugin).unwrap_or("ticket.created");
    let (_, index) = cx.index()?;
    let newest = History { event: Some(name.to_owned()), limit: Some(1), ..History::default() };
    if let Some((_, event)) = index.events(&newest)?.pop() {
        return Ok(event);
    }
    if !CATALOG.iter().any(|doc| doc.name == name) {
        let error = CommandError::not_found("event.unknown", format!("there is no event `{name}`"));
        return Err(match nearest(name, CATALOG.iter().map(|doc| doc.name)) {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None => error.hint("`sb log` shows events; the reference lists them all."),
        });
    }
    Ok(Event {
        v: FORMAT_VERSION,
        id: new_event_id(),
        ts: clock::now(),
        event: name.to_owned(),
        ticket: None,
        project: cx.project()?,
        actor: Who::Human.name().to_owned(),
        session: None,
        lineage: Vec::new(),
        rev: None,
        batch: None,
        data: serde_json::value::to_raw_value(&json!({}))?,
        crc: serde::de::IgnoredAny,
    })
}

fn check(cx: &Context) -> Result<(), CommandError> {
    let plugins = &cx.config()?.plugins;
    let home = cx.home()?.root();
    let path = std::env::var_os("PATH");
    let mut found = Vec::new();
    for (at, plugin) in plugins.iter().enumerate() {
        let mut wrong = problems(plugin);
        if plugins.iter().take(at).any(|other| other.name == plugin.name) {
            wrong.push("another plugin has the same name".to_owned());
        }
        wrong.extend(plugins::missing(&plugin.run, home, path.as_deref()));
        found.extend(wrong.into_iter().map(|what| (plugin.name.clone(), what)));
    }
    if cx.ui.json {
        let rows: Vec<_> =
            found.iter().map(|(name, what)| json!({ "plugin": name, "problem": what })).collect();
        cx.ui.json(&rows)?;
    } else {
        for (name, what) in &found {
            cx.ui.data(&format!("{}: {}\n", text::one_line(name), text::one_line(what)))?;
        }
    }
    match found.len() {
        0 => {
            let count = plugins.len();
            let all =
                if count == 1 { "The plugin is".to_owned() } else { format!("All {count} plugins are") };
            cx.ui.status(&format!("{all} in order."));
            Ok(())
        }
        1 => Err(wrong_plugins("there is a problem")),
        count => Err(wrong_plugins(&format!("there are {count} problems"))),
    }
}

fn wrong_plugins(message: &str) -> CommandError {
    CommandError::new(Kind::Failure, "plugins.problems", message)
        .hint("Plugins stand in config.toml; `sb config path` says where that is.")
}

/// What is wrong with one by itself.
fn problems(plugin: &Plugin) -> Vec<String> {
    let mut found = Vec::new();
    if plugin.name.trim().is_empty() {
        found.push("it has no name".to_owned());
    }
    if plugin.events.is_empty() {
        found.push("it is for no events".to_owned());
    }
    let longest = plugins::LONGEST.as_secs();
    if !(1..=longest).contains(&plugin.timeout) {
        found.push(format!("`timeout` is {} seconds, and may be 1 to {longest}", plugin.timeout));
    }
    for pattern in &plugin.events {
        let names: Vec<&str> =
            CATALOG.iter().map(|doc| doc.name).filter(|name| glob::text_fits(name, pattern)).collect();
        let is_asked = |name: &&str| ASKED_ABOUT.iter().any(|asked| name.starts_with(asked));
        if names.is_empty() {
            let near = nearest(pattern, CATALOG.iter().map(|doc| doc.name));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            found.push(format!("there is no event `{pattern}`{near}"));
        } else if plugin.decides && !names.iter().any(is_asked) {
            found.push(format!("nobody is asked about `{pattern}`: only changes of tickets can be refused"));
        }
    }
    found
}
