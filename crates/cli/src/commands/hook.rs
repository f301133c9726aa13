//! `sb hook`: what agent CLIs call. Its work is in [`crate::hook`]; here is what a person sees who asks for help.

use crate::context::Context;
use signalbox_desk::error::CommandError;
use signalbox_drivers::HookKind;

/// The CLI's JSON is read from standard input, and the answer is in that CLI's own form. `sb hooks install` sets them up.
#[derive(clap::Args)]
pub struct Arguments {
    /// What happens: `session-start`, `session-end`, `prompt`, `pre-tool`, `permission-request`, `post-tool`,
    /// `post-tool-failure`, `subagent-start`, `subagent-stop`, `task-created`, `task-completed`, `teammate-idle`,
    /// `stop`, `stop-failure`, `notification`, `pre-compact`, `post-compact`, `interrupt` or `other`. And `wait`, which
    /// some CLIs start in the background and with `--cli`: it ends with the next message of `sb inject`, to wake the agent
    event: String,
    /// The agent CLI: `claude`, `codex`, `gemini`, `copilot` or `goose` [default: by what it sends]
    #[arg(long)]
    cli: Option<String>,
}

/// Reached only where the words were not understood: the rest never comes here.
pub fn run(_: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let near = |typed: &str, known: Vec<&'static str>, what: &str| {
        let error = CommandError::usage("hook.unknown", format!("there is no {what} `{typed}`"));
        match signalbox_core::nearest(typed, known.iter().copied()) {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None => error.hint(format!("Known are: {}.", known.join(", "))),
        }
    };
    if arguments.event == "wait" && arguments.cli.is_none() {
        let error = CommandError::usage("hook.wait", "`sb hook wait` does not say which agent CLI waits");
        return Err(error.hint("An agent CLI starts it, as in `sb hook wait --cli claude`."));
    }
    if arguments.event != "wait" && HookKind::parse(&arguments.event).is_none() {
        return Err(near(&arguments.event, HookKind::NAMES.iter().map(|(name, _)| *name).collect(), "hook"));
    }
    let typed = arguments.cli.unwrap_or_default();
    Err(near(&typed, signalbox_drivers::DRIVERS.iter().map(|driver| driver.name).collect(), "agent CLI"))
}
