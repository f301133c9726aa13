//! A scripted agent CLI, for tests and demonstrations: an input box, a busy state, dialogs, slash commands, hooks in
//! Claude Code's form, a transcript, a state file. What it does on each prompt stands in a script; it has no model, and
//! runs only what the script says is run.

mod app;
mod arguments;
mod clock;
mod editor;
mod headless;
mod hooks;
mod keys;
mod screen;
mod script;
mod session;
mod tty;
mod turn;

use std::io::Write;

use arguments::{Arguments, Mode};

/// What `--version` prints.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Run it with these arguments, without the name of the program. Returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = String>) -> u8 {
    let complain = |text: &str| {
        let _ = writeln!(std::io::stderr(), "puppet: {text}");
        2
    };
    let arguments = match Arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(trouble) => return complain(&trouble),
    };
    let ended = match &arguments.mode {
        Mode::Version => {
            let _ = writeln!(std::io::stdout(), "{VERSION} (puppet)");
            return 0;
        }
        Mode::Headless(prompt) => headless::run(&arguments, prompt),
        Mode::Interactive => app::run(&arguments),
    };
    ended.unwrap_or_else(|error| complain(&error.to_string()))
}
