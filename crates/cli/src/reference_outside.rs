//! The reference page of monitors, goals and notifiers, made from their tables.

use signalbox_integrations::monitor::{self, MonitorType};
use signalbox_integrations::notifier::{self, TOLD_OF};
use signalbox_integrations::settings::Key;
use signalbox_integrations::{goal, templates};

pub fn page() -> String {
    let mut text = String::from(
        "# Monitors, goals and notifiers\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         In every text setting `${NAME}` is filled in from the daemon's environment. What is for people alone can be neither \
         added nor seen by agents.\n\n## Monitors\n\n\
         `[monitors.NAME]` in `config.toml` is watched for every agent; `sb monitor add NAME KEY=VALUE…` for one that runs. \
         Every monitor has these settings:\n\n",
    );
    text.push_str(&keys(monitor::COMMON.iter()));
    for kind in monitor::TYPES {
        text.push_str(&monitor_type(kind));
    }
    text.push_str(
        "\n## Goals\n\n`sb agent --goal TYPE --goal-set KEY=VALUE…` at the start, `sb goal set AGENT TYPE KEY=VALUE…` later.\n",
    );
    for kind in goal::TYPES {
        text.push_str(&format!("\n### `{}`\n\n{}{}\n\n", kind.name, kind.about, people(kind.privileged)));
        text.push_str(&keys(kind.keys.iter()));
    }
    text.push_str(&format!(
        "\n## Notifiers\n\n`[[notifiers]]` in `config.toml`. Without `events` they tell of {}. Every notifier has these \
         settings:\n\n",
        TOLD_OF.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(", ")
    ));
    text.push_str(&keys(notifier::COMMON.iter()));
    for kind in notifier::TYPES {
        text.push_str(&format!("\n### `{}`\n\n{}{}\n\n", kind.name, kind.about, people(kind.privileged)));
        text.push_str(&keys(kind.keys.iter()));
    }
    text.push_str("\n## Templates that come along\n\n| template | what it is for |\n| --- | --- |\n");
    for template in templates() {
        let what = if template.folder.starts_with("notifications/") { "people" } else { "the agent" };
        text.push_str(&format!("| `{}/{}` | {what} |\n", template.folder, template.event));
    }
    text
}

fn monitor_type(kind: &MonitorType) -> String {
    let every = kind.every.as_secs();
    let mut text = format!(
        "\n### `{}`\n\n{}{}. It looks every {every} s unless `every` says otherwise.\n\n",
        kind.name,
        kind.about,
        people(kind.privileged)
    );
    text.push_str(&keys(kind.keys.iter()));
    text.push_str("\n| event | meaning | priority | waits | takes the place of | fields |\n| --- | --- | --- | --- | --- | --- |\n");
    for event in kind.events {
        let key = event.key.map_or_else(|| "the monitor's last".to_owned(), |key| format!("`{key}`"));
        let fields: Vec<String> = event.fields.iter().map(|(name, _)| format!("`{name}`")).collect();
        text.push_str(&format!(
            "| `{}` | {} | {} | {} s | {key} | {} |\n",
            event.name,
            event.about,
            event.priority.as_str(),
            event.ttl.as_secs(),
            fields.join(", ")
        ));
    }
    text
}

fn people(privileged: bool) -> &'static str {
    if privileged { " (for people alone)" } else { "" }
}

fn keys<'a>(keys: impl Iterator<Item = &'a Key>) -> String {
    let rows: String = keys
        .map(|key| {
            let needed = if key.required { "needed" } else { "" };
            let guarded = if key.guarded { "; people alone may set it" } else { "" };
            format!("| `{}` | {needed} | {}{guarded} |\n", key.name, key.about.replace('|', "\\|"))
        })
        .collect();
    if rows.is_empty() {
        return "It has no settings.\n".to_owned();
    }
    format!("| setting | | what it does |\n| --- | --- | --- |\n{rows}")
}
