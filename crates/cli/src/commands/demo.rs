//! `sb demo`: agents take eight tickets to main, in a folder of their own.

use std::io::IsTerminal;

use signalbox_desk::error::CommandError;

use crate::context::Context;
use crate::demo::{self, Driver, Wanted};

/// A small repository, a plan, and scripted agents that work on it: they write tests, make them pass, fail, try again,
/// want what they may not, send each other's work back, and ask you what only you can answer. It needs no key, no network
/// and no model, and takes about a minute. Nothing of yours is read or changed; the folder is removed at the end.
///
/// Where nobody sits at a terminal, and with `--headless`, it runs to its end by itself as fast as it goes, and fails
/// unless main holds exactly what it should.
#[derive(clap::Args)]
pub struct Arguments {
    /// Ask nothing, answer the questions too, and check what came of it
    #[arg(long)]
    headless: bool,
    /// Keep the demo's folder and say where it is
    #[arg(long)]
    keep: bool,
    /// Who works: `puppet` (scripted agents) or `claude` (your own Claude Code; costs tokens)
    #[arg(long, value_name = "NAME", default_value = "puppet")]
    driver: String,
    /// Do not ask whether tokens may be spent
    #[arg(long, short)]
    yes: bool,
    /// Print what came of it as JSON; asks nothing
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let has_person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    demo::play(
        cx,
        &Wanted {
            driver: Driver::named(&arguments.driver)?,
            is_watched: has_person && !arguments.headless && !cx.ui.json,
            keep: arguments.keep,
            may_spend: arguments.yes,
        },
    )
}
