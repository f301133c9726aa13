//! The reference pages, made from the tables that the program itself uses.

use signalbox_core::CATALOG;
use signalbox_store::config::SETTINGS;
use signalbox_store::contract::KEYS;

use crate::commands::{COMMANDS, Group};
use crate::dispatch;

/// Variables that Signalbox looks at.
const VARIABLES: &[(&str, &str)] = &[
    ("SIGNALBOX_HOME", "Where Signalbox keeps its data. Default: `$HOME/.signalbox`."),
    (
        "SIGNALBOX_AGENT",
        "Set by `sb agent` for the program it runs: which agent it is. It counts only below that agent's own processes.",
    ),
    (
        "SIGNALBOX_SESSION",
        "A session's capability. Set by the agent CLI after `sb hook session-start`; nobody else needs to.",
    ),
    (
        signalbox_plugins::DECIDING,
        "Set for a plugin that decides: its name. `sb` changes no tickets while it is set, because that would ask the plugin again.",
    ),
    (
        "CLAUDE_ENV_FILE",
        "Read by `sb hook session-start`: the file through which the CLI takes variables for the session's shell.",
    ),
    (
        crate::hook::DEADLINE,
        "After how many milliseconds a hook gives up and, if it is a gate, refuses. Default: two thirds of what the agent CLI waits.",
    ),
    (
        crate::hook::DEBUG,
        "How much hooks say about themselves on standard error: `error`, `warning`, `info`, `debug` or `trace`; `1` means `debug`.",
    ),
    (
        "CLAUDE_CONFIG_DIR, CODEX_HOME, COPILOT_HOME, GEMINI_CLI_HOME",
        "Where `sb hooks` and `sb mcp` find the settings of Claude Code, Codex, Copilot and Gemini, if not in their usual place.",
    ),
    (
        "CLAUDE_CODE_TASK_LIST_ID, CLAUDE_CODE_SESSION_ID",
        "Which list of Claude Code's `sb tasklist` means where none is named; the first counts",
    ),
    ("NO_COLOR", "No colour, whatever the terminal can do."),
    ("TERM", "`dumb` means no colour."),
];

/// The page of that name as markdown.
pub fn page(name: &str) -> Option<String> {
    Some(match name {
        "cli" => commands(),
        "config" => settings(),
        "contract" => contract(),
        "events" => events(),
        "environment" => environment(),
        "outside" => crate::reference_outside::page(),
        "control-socket" => crate::reference_socket::page(),
        "http" => crate::reference_http::page(),
        "mcp" => crate::commands::mcp_page(),
        _ => return None,
    })
}

fn commands() -> String {
    let mut text = String::from(
        "# Commands\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         Exit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 not allowed now.\n",
    );
    for group in Group::ALL {
        text.push_str(&format!("\n## {}\n", group.title()));
        for row in COMMANDS.iter().filter(|row| row.group == group) {
            text.push_str(&format!("\n### `sb {}`\n\n", row.name));
            if !row.aliases.is_empty() {
                let aliases: Vec<_> = row.aliases.iter().map(|alias| format!("`sb {alias}`")).collect();
                text.push_str(&format!("Also: {}\n\n", aliases.join(", ")));
            }
            let mut command = dispatch::command(row);
            text.push_str(&help_block(&mut command));
            let below: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
            for name in below {
                if let Some(command) = command.find_subcommand_mut(&name) {
                    let bin = format!("sb {} {name}", row.name);
                    text.push_str(&format!("\n#### `{bin}`\n\n"));
                    text.push_str(&help_block(&mut command.clone().bin_name(bin)));
                }
            }
        }
    }
    text
}

fn help_block(command: &mut clap::Command) -> String {
    let help = command.render_long_help().to_string();
    let lines: Vec<_> = help.trim_end().lines().map(str::trim_end).collect();
    format!("```text\n{}\n```\n", lines.join("\n"))
}

fn settings() -> String {
    let mut text = String::from(
        "# Settings\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         They stand in `config.toml` in Signalbox's home (`sb config path`). Change them there or with `sb config set`.\n\n\
         | setting | default | what it does |\n| --- | --- | --- |\n",
    );
    for setting in SETTINGS {
        text.push_str(&format!("| `{}` | `{}` | {} |\n", setting.key, setting.default, setting.about));
    }
    text.push_str(include_str!("reference_tables.md"));
    text
}

fn contract() -> String {
    let mut text = String::from(
        "# The contract\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         `.signalbox/project.toml`, committed with the repository, says how work on it is done and what it must pass to \
         land. `sb bootstrap` proposes one. What it has run is run only after a human has trusted this very text with \
         `sb trust`, and again after each change. Times are written `90s`, `30m` or `1h30m`.\n\n\
         | setting | default | what it does |\n| --- | --- | --- |\n",
    );
    for key in KEYS {
        text.push_str(&format!("| `{}` | {} | {} |\n", key.key, key.default, key.about));
    }
    text.push_str("\n## A whole one\n\n```toml\n");
    text.push_str(include_str!("reference_contract.toml"));
    text.push_str("```\n");
    text
}

fn events() -> String {
    let mut text = String::from(
        "# Events\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         Every line of `events/YYYY-MM-DD.jsonl` is one event:\n\n\
         | field | meaning |\n| --- | --- |\n\
         | `v` | version of the format, 1 |\n\
         | `id` | a ULID; the same id never counts twice |\n\
         | `ts` | when, in UTC, to the millisecond |\n\
         | `event` | one of the names below |\n\
         | `ticket`, `project` | what it is about, or null |\n\
         | `actor` | `human`, an agent's name, or `sb` |\n\
         | `session`, `lineage` | the agent's session, and the sessions it descends from, the oldest first |\n\
         | `rev` | the ticket's revision after the event, where it changes one; a gap shows that a line is missing |\n\
         | `batch` | `[i, n]`: the i-th of n events of one command, which count together or not at all |\n\
         | `data` | see below |\n\
         | `crc` | CRC-32 of everything before `,\"crc\"`, always last |\n\n\
         Fields are added, never renamed. Readers ignore what they do not know.\n\n\
         | event | meaning | data |\n| --- | --- | --- |\n",
    );
    for doc in CATALOG {
        text.push_str(&format!("| `{}` | {} | {} |\n", doc.name, doc.meaning, doc.data));
    }
    text
}

fn environment() -> String {
    let mut text = String::from(
        "# Environment\n\nMade by `cargo xtask docs` from the program itself.\n\n| variable | meaning |\n| --- | --- |\n",
    );
    for (name, meaning) in VARIABLES {
        text.push_str(&format!("| `{name}` | {meaning} |\n"));
    }
    text
}
