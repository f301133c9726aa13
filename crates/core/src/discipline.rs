//! What must be in order before a session may stop: a checklist, drawn from its tickets.

use crate::status::Status;
use crate::ticket::Ticket;

/// What a session wants to be done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duty {
    /// Its turn.
    Stop,
    /// A task of the CLI's own list that names these tickets.
    Task,
    /// Everything, as far as a teammate knows.
    Idle,
}

/// What is missing, each with the command that puts it right. Nothing means it may go.
pub fn missing(duty: Duty, tickets: &[Ticket]) -> Vec<String> {
    tickets.iter().flat_map(|ticket| missing_of(duty, ticket)).collect()
}

fn missing_of(duty: Duty, ticket: &Ticket) -> Vec<String> {
    let id = &ticket.id;
    let mut missing = Vec::new();
    match ticket.status {
        // Tests that were handed in are looked at before the ticket moves.
        Status::InProgress | Status::Rework if ticket.work.submission.is_some() => {}
        Status::InProgress | Status::Rework => {
            for (at, criterion) in (1..).zip(&ticket.acceptance) {
                if !criterion.met {
                    missing.push(format!(
                        "{id}: criterion {at} (\"{}\") is not met: `sb check {at} {id}`",
                        criterion.text
                    ));
                }
            }
            if !ticket.noted {
                missing.push(format!("{id} has no note of what was done: `sb note {id} \"…\"`"));
            }
            missing.push(format!(
                "{id} is still {}: hand it in with `sb submit {id}`, or give it back with `sb release {id}`",
                ticket.status
            ));
        }
        Status::Review if duty != Duty::Task => {
            missing.push(format!("{id} waits for your verdict: `sb approve {id}` or `sb reject {id} \"…\"`"));
        }
        Status::Open | Status::Backlog if duty == Duty::Task => {
            missing.push(format!("{id} was never claimed: `sb pick {id}`, do it, then `sb submit {id}`"));
        }
        Status::Open | Status::Backlog | Status::Review | Status::Done | Status::Blocked => {}
    }
    missing
}
