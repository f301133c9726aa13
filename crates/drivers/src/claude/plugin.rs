//! Signalbox as a Claude Code plugin: the same hooks, with commands and agents, in one folder.

use serde_json::json;

use super::install::LAYOUT;
use crate::install::created;

/// A file of the plugin, its path within the plugin's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    pub path: String,
    pub text: String,
}

/// What goes into the plugin besides the hooks.
#[derive(Debug, Clone, Copy)]
pub struct PluginParts<'a> {
    /// The program: its full path, or one that begins with `${CLAUDE_PLUGIN_ROOT}`.
    pub sb: &'a str,
    pub version: &'a str,
    /// Agents: name and text of each.
    pub agents: &'a [(&'a str, &'a str)],
    /// The arguments that make the program an MCP server; empty where it shall be none.
    pub mcp: &'a [&'a str],
}

/// The agents that come with the plugin: name and text of each.
pub const AGENTS: &[(&str, &str)] = &[
    ("context-gathering", include_str!("agents/context-gathering.md")),
    ("logging", include_str!("agents/logging.md")),
    ("code-review", include_str!("agents/code-review.md")),
    ("service-documentation", include_str!("agents/service-documentation.md")),
    ("context-refinement", include_str!("agents/context-refinement.md")),
];

/// The arguments that make `sb` an MCP server.
pub const MCP: &[&str] = crate::mcp::ARGUMENTS;

/// Commands: name, what it is for, and which command line it runs.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("status", "Show the ticket, mode and branch of this session", "context"),
    ("list", "List the tickets", "list"),
    ("pick", "Pick a ticket and start working on it", "pick $ARGUMENTS"),
    ("note", "Add a note to the current ticket", "note $ARGUMENTS"),
];

/// All files of the plugin.
pub fn plugin(parts: &PluginParts<'_>) -> Vec<PluginFile> {
    let file = |path: &str, text: String| PluginFile { path: path.to_owned(), text };
    let about = json!({
        "name": "sb",
        "version": parts.version,
        "description": "Signalbox: tickets, rules and records for coding agents",
        "author": { "name": "Signalbox" },
    });
    let mut files = vec![
        file(".claude-plugin/plugin.json", format!("{about:#}\n")),
        file("hooks/hooks.json", created(&LAYOUT, parts.sb)),
    ];
    for (name, purpose, line) in COMMANDS {
        files.push(file(&format!("commands/{name}.md"), command(parts.sb, purpose, line)));
    }
    for (name, text) in parts.agents {
        files.push(file(&format!("agents/{name}.md"), (*text).to_owned()));
    }
    if !parts.mcp.is_empty() {
        let servers = json!({ "mcpServers": { "signalbox": { "command": parts.sb, "args": parts.mcp } } });
        files.push(file(".mcp.json", format!("{servers:#}\n")));
    }
    files
}

/// The file that makes a folder with this plugin in `plugin` a marketplace of one.
pub fn marketplace(plugin: &str) -> PluginFile {
    let whole = json!({
        "name": "signalbox",
        "description": "Signalbox for Claude Code",
        "owner": { "name": "Signalbox" },
        "plugins": [{ "name": "sb", "source": format!("./{plugin}") }],
    });
    PluginFile { path: ".claude-plugin/marketplace.json".to_owned(), text: format!("{whole:#}\n") }
}

fn command(sb: &str, purpose: &str, line: &str) -> String {
    format!(
        "---\ndescription: {purpose}\n---\n\nRun `\"{sb}\" {line}` and show me what it prints, without changing it.\n"
    )
}
