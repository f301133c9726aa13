//! `sb board`: everything in the terminal, live, by keyboard and mouse.

use std::io::{self, IsTerminal};

use signalbox_desk::Desk;
use signalbox_desk::error::CommandError;
use signalbox_tui::{Options, Palette, Screen};

use crate::context::Context;

/// Who needs you, the board, a ticket with its story and its diff, agents with their screens, the merge queue, questions,
/// what happened and how it flows. The keys are on the screen, `?` shows all of them; the mouse works too. What you do
/// there you do as a human, and a refusal is shown where you are.
#[derive(clap::Args)]
pub struct Arguments {
    /// Show only this project
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Begin with this screen: now, board, list, agents, queue, decisions, feed, flow
    #[arg(long, value_name = "SCREEN", default_value = "now", hide_default_value = true)]
    screen: String,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    cx.who()?.must_be_human("sit at the board")?;
    let screen = Screen::from_word(&arguments.screen).ok_or_else(|| {
        let all = Screen::ALL.map(|screen| screen.title().to_lowercase()).join(", ");
        CommandError::usage("board.screen", format!("there is no screen `{}`", arguments.screen))
            .hint(format!("There are {all}."))
    })?;
    let desk = Desk::new(cx.home()?.clone());
    let project = arguments.project.unwrap_or_default();
    if !project.is_empty() && !desk.projects()?.iter().any(|known| known.as_str() == project) {
        return Err(CommandError::not_found("project.unknown", format!("there is no project `{project}`"))
            .hint("`sb projects` lists them."));
    }
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(CommandError::precondition(
            "board.no-terminal",
            "the board needs a terminal, and this is none",
        )
        .hint("`sb list` and `sb status` print; with `--json` for programs."));
    }
    let term = std::env::var("TERM").unwrap_or_default();
    if term.is_empty() || term == "dumb" {
        return Err(CommandError::precondition(
            "board.dumb-terminal",
            "TERM says that this terminal cannot move its cursor, so the board cannot be drawn",
        )
        .hint("Set TERM to what it is, perhaps xterm-256color; or use `sb list` and `sb status`."));
    }
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let options = Options {
        screen,
        project,
        palette: if plain { Palette::Plain } else { Palette::Ansi },
        program: std::env::current_exe()?,
    };
    let ended =
        signalbox_tui::run(&desk, options).map_err(|error| CommandError::failed("board.failed", &error))?;
    if let Some(signal) = ended {
        cx.exit_with(128 + signal);
    }
    Ok(())
}
