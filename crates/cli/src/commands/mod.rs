//! One file a command: its arguments, its help and what it does. Here is only the table.

mod agent;
mod agents;
mod approve;
mod assign;
mod at;
mod attach;
mod board;
mod bootstrap;
mod check;
mod clear;
mod close;
mod config;
mod context;
mod demo;
mod doctor;
mod down;
mod edit;
mod esc;
mod escalate;
mod explain;
mod goal;
mod heartbeat;
mod help;
mod hold;
mod hook;
mod hooks;
mod index;
mod init;
mod inject;
mod list;
mod log;
mod logs;
mod mcp;
mod mode;
mod monitor;
mod new;
mod note;
mod notifier;
mod outbox;
mod override_status;
mod pick;
mod plugins;
mod pop;
mod projects;
mod puppet;
mod query;
mod queue;
mod ready;
mod reject;
mod release;
mod reopen;
mod replay;
mod restart;
mod review;
mod rules;
mod run;
mod session;
mod shape;
mod show;
mod status;
mod statusline;
mod submit;
mod switch;
mod tasklist;
mod templates;
mod trust;
mod unhold;
mod up;
mod web;
mod why;
mod workspace;

pub use context::{next_commands, text as context_text};
pub use mcp::page as mcp_page;
pub use show::body;

use clap::{ArgMatches, Args, FromArgMatches};

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// One command.
pub struct Row {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub group: Group,
    /// One line for the overview.
    pub about: &'static str,
    pub arguments: fn(clap::Command) -> clap::Command,
    pub run: fn(&Context, &ArgMatches) -> Result<(), CommandError>,
}

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Start,
    Read,
    Work,
    Review,
    Human,
    Agents,
    Machine,
}

impl Group {
    pub const ALL: [Self; 7] =
        [Self::Start, Self::Read, Self::Work, Self::Review, Self::Human, Self::Agents, Self::Machine];

    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "Getting started",
            Self::Read => "Reading",
            Self::Work => "Working on tickets",
            Self::Review => "Reviewing",
            Self::Human => "For humans alone",
            Self::Agents => "Agents and what they may do",
            Self::Machine => "Looking after it",
        }
    }
}

macro_rules! row {
    ($name:literal, $aliases:expr, $group:ident, $about:literal, $module:ident :: $arguments:ident) => {
        Row {
            name: $name,
            aliases: &$aliases,
            group: Group::$group,
            about: $about,
            arguments: |command| explained(<$module::$arguments as Args>::augment_args(command), $about),
            run: |cx: &Context, matches: &ArgMatches| {
                let arguments = $module::$arguments::from_arg_matches(matches)
                    .map_err(|e| CommandError::usage("usage", e.to_string()))?;
                $module::run(cx, arguments)
            },
        }
    };
}

/// The line of the overview comes first, then what the arguments' own comment says.
fn explained(command: clap::Command, about: &'static str) -> clap::Command {
    let more = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let stop = if more.ends_with(['.', ':']) { "" } else { "." };
    command.about(about).long_about(format!("{about}\n\n{more}{stop}"))
}

/// Every command, in the order of the overview and of the reference page.
pub const COMMANDS: &[Row] = &[
    row!("init", [], Start, "Make a directory a project", init::Arguments),
    row!(
        "bootstrap",
        [],
        Start,
        "Propose a repository's contract and first tickets from what is in it",
        bootstrap::Arguments
    ),
    row!("projects", [], Start, "List the projects", projects::Arguments),
    row!(
        "demo",
        [],
        Start,
        "Watch agents take eight tickets to main, in a folder of their own",
        demo::Arguments
    ),
    row!("help", [], Start, "Show what can be done now, or all about one command", help::Arguments),
    row!("board", ["tui"], Read, "See and do everything in the terminal, live", board::Arguments),
    row!("list", ["ls"], Read, "List tickets", list::Arguments),
    row!("show", ["view"], Read, "Show a ticket with its story", show::Arguments),
    row!("ready", [], Read, "List what can be claimed, most urgent first", ready::Arguments),
    row!("web", [], Read, "Open the web page: board, agents, decisions, live", web::Arguments),
    row!("log", [], Read, "Show events, or follow them", log::Arguments),
    row!("at", [], Read, "Show tickets as they were at a past moment", at::Arguments),
    row!("context", [], Read, "Show who you are, your ticket and what you could take", context::Arguments),
    row!("query", [], Read, "Ask the index in SQL, or run a named report", query::Arguments),
    row!("new", ["create", "add"], Work, "File a ticket", new::Arguments),
    row!("edit", [], Work, "Change a ticket's title, priority, tags, dependencies …", edit::Arguments),
    row!("pick", ["start", "begin", "claim"], Work, "Claim a ticket and begin work on it", pick::Arguments),
    row!("pop", [], Work, "Claim the most urgent ready ticket and show it", pop::Arguments),
    row!("note", [], Work, "Write a note on a ticket", note::Arguments),
    row!("check", [], Work, "Tick an acceptance criterion, or untick it", check::Arguments),
    row!("escalate", [], Work, "Write down a question that only a human can answer", escalate::Arguments),
    row!("esc", [], Work, "See the questions for humans, and answer them", esc::Arguments),
    row!(
        "status",
        ["move"],
        Work,
        "Show everything at a glance, or move a ticket to another status",
        status::Arguments
    ),
    row!("submit", [], Work, "Hand work in for review", submit::Arguments),
    row!(
        "release",
        ["unclaim", "drop"],
        Work,
        "Let go of a ticket, with a report of the attempt",
        release::Arguments
    ),
    row!("switch", [], Work, "Make a ticket the current one", switch::Arguments),
    row!("clear", [], Work, "Have no current ticket", clear::Arguments),
    row!("review", [], Review, "Take a ticket for review, or hand in your own", review::Arguments),
    row!("approve", [], Review, "Accept reviewed work: the ticket is done", approve::Arguments),
    row!("reject", [], Review, "Send reviewed work back with a reason", reject::Arguments),
    row!("assign", [], Human, "Give a ticket to someone", assign::Arguments),
    row!("hold", [], Human, "Block a ticket with a reason", hold::Arguments),
    row!("unhold", [], Human, "Release a hold", unhold::Arguments),
    row!("override", [], Human, "Force a status; it is recorded", override_status::Arguments),
    row!("close", [], Human, "Mark a ticket done without review", close::Arguments),
    row!("reopen", [], Human, "Bring a done ticket back", reopen::Arguments),
    row!("shape", [], Human, "Turn an idea into a graph of tickets, and approve it", shape::Arguments),
    row!("trust", [], Human, "Look at what a repository's contract runs, and trust it", trust::Arguments),
    row!("run", [], Agents, "Take ready tickets to main: set agents to work, review, merge", run::Arguments),
    row!("why", [], Agents, "Say why a ticket is where it is, and what it waits for", why::Arguments),
    row!("queue", [], Agents, "Show what waits to be merged, and what for", queue::Arguments),
    row!(
        "workspace",
        ["workspaces"],
        Agents,
        "List, clean and restore the directories that agents work in",
        workspace::Arguments
    ),
    row!(
        "agent",
        [],
        Agents,
        "Run an agent CLI in a terminal that can be watched, recorded and told things",
        agent::Arguments
    ),
    row!("agents", [], Agents, "List the agents that run, and what each is doing", agents::Arguments),
    row!("attach", [], Agents, "Watch an agent's terminal, or type in it", attach::Arguments),
    row!("replay", [], Agents, "Watch again what an agent did", replay::Arguments),
    row!("puppet", [], Agents, "A scripted agent CLI to try things with", puppet::Arguments),
    row!(
        "inject",
        ["tell"],
        Agents,
        "Tell a running agent something, without touching a draft",
        inject::Arguments
    ),
    row!(
        "outbox",
        [],
        Agents,
        "Show what waits for agents, and what became of what was sent",
        outbox::Arguments
    ),
    row!(
        "monitor",
        ["monitors"],
        Agents,
        "Watch the world for agents: CI, reviews, commands",
        monitor::Arguments
    ),
    row!("notifier", ["notifiers"], Agents, "Tell people what needs them", notifier::Arguments),
    row!("goal", ["goals"], Agents, "Say what agents are there for, and how far they are", goal::Arguments),
    row!("mode", [], Agents, "Say or switch whether a session may change anything", mode::Arguments),
    row!("session", ["sessions"], Agents, "List sessions, show one, say what it may do", session::Arguments),
    row!("rules", [], Agents, "List the rules, and try what they refuse", rules::Arguments),
    row!("explain", [], Agents, "Say in full why something was refused", explain::Arguments),
    row!("statusline", [], Agents, "Print one line for an agent CLI's status bar", statusline::Arguments),
    row!("hooks", [], Agents, "Install the hooks in agent CLIs, and see whether they bite", hooks::Arguments),
    row!(
        "tasklist",
        [],
        Agents,
        "Bring tickets into Claude Code's own task list, and back",
        tasklist::Arguments
    ),
    row!("mcp", [], Agents, "Serve the tickets to an agent CLI as MCP tools", mcp::Arguments),
    row!("hook", [], Agents, "Answer an agent CLI's hook", hook::Arguments),
    row!("up", [], Machine, "Start the daemon, which watches, tells and looks after goals", up::Arguments),
    row!("down", [], Machine, "End the daemon; agents go on", down::Arguments),
    row!("restart", [], Machine, "End the daemon and start it anew", restart::Arguments),
    row!("logs", [], Machine, "Show what the daemon says of itself", logs::Arguments),
    row!("config", [], Machine, "Show or change settings", config::Arguments),
    row!("plugins", [], Machine, "List, try and check programs of your own", plugins::Arguments),
    row!("templates", [], Machine, "Show and change what agents and people are told", templates::Arguments),
    row!(
        "heartbeat",
        [],
        Machine,
        "Put in order what dead agents left, if anything has changed",
        heartbeat::Arguments
    ),
    row!("index", [], Machine, "Rebuild the index from the log", index::Arguments),
    row!("doctor", [], Machine, "Find what is wrong, and repair it", doctor::Arguments),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_means_two_commands() {
        let mut words: Vec<&str> =
            COMMANDS.iter().flat_map(|row| row.aliases.iter().copied().chain([row.name])).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
