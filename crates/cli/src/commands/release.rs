//! `sb release`: let go of a ticket.

use signalbox_core::{AttemptReport, Command, Outcome};
use signalbox_store::session;

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// It goes back to the pool for anyone. With `--outcome` the attempt is counted, and what you learnt is there
/// for the next one. A reviewer lets go of a review the same way.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket [default: your current one]
    id: Option<String>,
    /// Why
    #[arg(long, short, default_value = "")]
    message: String,
    /// How the attempt ended: completed, failed, gave-up-context, gave-up-tests, failed-review
    #[arg(long)]
    outcome: Option<String>,
    /// What was accomplished
    #[arg(long, default_value = "", requires = "outcome")]
    summary: String,
    /// What stood in the way
    #[arg(long, default_value = "", requires = "outcome")]
    blockers: String,
    /// What the next one should know
    #[arg(long, default_value = "", requires = "outcome")]
    learnings: String,
    /// The branch is worth keeping
    #[arg(long, requires = "outcome")]
    branch_kept: bool,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let outcome = arguments.outcome.as_deref().map(outcome).transpose()?;
    let report = outcome.map(|outcome| AttemptReport {
        blockers: arguments.blockers,
        learnings: arguments.learnings,
        branch_kept: arguments.branch_kept,
        ..AttemptReport::new(outcome, arguments.summary)
    });
    let command = |id| Command::Release { id, reason: arguments.message.clone(), report: report.clone() };
    let (store, outcome, ticket) = changes::on_ticket(cx, arguments.id.as_deref(), &command)?;
    if session::current_ticket(cx.home()?, &cx.identity()?.desk)?.as_ref() == Some(&ticket.id) {
        resolve::set_current(cx, None)?;
    }
    changes::report(
        cx,
        &store,
        &outcome,
        &ticket,
        &format!("Released {}; it is {}.", ticket.id, ticket.status),
    )
}

fn outcome(word: &str) -> Result<Outcome, CommandError> {
    Outcome::from_word(word).ok_or_else(|| {
        CommandError::usage("outcome.unknown", format!("`{word}` is not an outcome"))
            .hint("Outcomes are completed, failed, gave-up-context, gave-up-tests and failed-review.")
    })
}
