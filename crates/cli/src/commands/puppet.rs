//! `sb puppet`: a scripted agent CLI, to try things with and for tests.

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// It looks and behaves like an agent CLI: an input box, a busy state, dialogs, hooks, a transcript. It has no model and
/// runs no tools; what it does on each prompt stands in the script that `--script FILE` or PUPPET_SCRIPT names. `sb agent
/// puppet` runs it as an agent.
#[derive(clap::Args)]
pub struct Arguments {
    /// What it is started with: `--script FILE`, `-p PROMPT`, `--version`, …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    cx.exit_with(signalbox_puppet::run(arguments.arguments).into());
    Ok(())
}
