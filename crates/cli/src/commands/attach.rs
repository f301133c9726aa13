//! `sb attach`: sit down at an agent's terminal, from another one.

use std::io::IsTerminal;

use signalbox_agent::attach::{self, Left};
use signalbox_agent::protocol::Wants;

use crate::agents::{running, unreachable};
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// You see the agent's screen as it is now and as it changes; you cannot harm it by watching slowly. One person at a time
/// may type from elsewhere; whoever sits at the agent's own terminal always can. The detach keys (Ctrl-A d, or
/// `agents.detach_key`) leave; the agent goes on.
#[derive(clap::Args)]
pub struct Arguments {
    /// Its id, its name, or the beginning of either
    agent: String,
    /// Type too, if nobody else does
    #[arg(short, long)]
    interactive: bool,
    /// Type too, and take the seat from whoever has it
    #[arg(long)]
    force: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let wants = match (arguments.interactive, arguments.force) {
        (_, true) => Wants::SeatByForce,
        (true, false) => Wants::Seat,
        (false, false) => Wants::Watch,
    };
    if wants != Wants::Watch {
        cx.who()?.must_be_human("type into an agent's terminal")?;
        if !std::io::stdin().is_terminal() {
            return Err(CommandError::precondition(
                "attach.no-terminal",
                "standard input is not a terminal, so there is nobody to type",
            )
            .hint("`sb inject` sends a text; without `-i` you can watch."));
        }
    }
    let record = running(cx, &arguments.agent)?;
    // A picture of a screen is drawn with control sequences, which no program or file expects.
    if !std::io::stdout().is_terminal() {
        return Err(CommandError::precondition(
            "attach.no-terminal",
            "standard output is not a terminal, so the agent's screen cannot be drawn",
        )
        .hint(format!("`sb agent log {}` prints what it has printed, as plain text.", record.id)));
    }
    let detach = cx.config()?.agents.detach_key.bytes().to_vec();
    let left = attach::attach(&record.socket, wants, &detach, &crate::ui::aside)
        .map_err(|error| unreachable(&record, &error))?;
    cx.ui.status(&match left {
        Left::Detached => format!("Detached; {} goes on.", record.id),
        Left::Ended => format!("{} has ended. `sb replay {}` shows what it did.", record.id, record.id),
    });
    Ok(())
}
