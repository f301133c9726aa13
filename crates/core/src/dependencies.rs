//! What waits for what: open dependencies, cycles, and the tree a person is shown.

use std::collections::BTreeSet;

use crate::board::Board;
use crate::id::TicketId;
use crate::status::Status;
use crate::ticket::Ticket;

/// The dependencies a ticket still waits for. One that does not exist counts as open.
pub fn open_dependencies(board: &Board, ticket: &Ticket) -> Vec<TicketId> {
    ticket
        .depends_on
        .iter()
        .filter(|id| !ticket.waived.contains(id))
        .filter(|id| board.ticket(id).is_none_or(|dependency| dependency.status != Status::Done))
        .cloned()
        .collect()
}

/// Whether a ticket belongs in `blocked`: held, or waiting, and not done.
pub(crate) fn belongs_blocked(board: &Board, ticket: &Ticket) -> bool {
    ticket.status != Status::Done && (ticket.hold.is_some() || !open_dependencies(board, ticket).is_empty())
}

/// The cycle that `ticket` depending on `dependency` would close, from `ticket` back to `ticket`.
pub(crate) fn cycle(board: &Board, ticket: &TicketId, dependency: &TicketId) -> Option<Vec<TicketId>> {
    fn walk(
        board: &Board,
        at: &TicketId,
        goal: &TicketId,
        seen: &mut BTreeSet<TicketId>,
        path: &mut Vec<TicketId>,
    ) -> bool {
        path.push(at.clone());
        if at == goal {
            return true;
        }
        if seen.insert(at.clone())
            && let Some(ticket) = board.ticket(at)
            && ticket.depends_on.iter().any(|next| walk(board, next, goal, seen, path))
        {
            return true;
        }
        path.pop();
        false
    }
    let mut path = vec![ticket.clone()];
    walk(board, dependency, ticket, &mut BTreeSet::new(), &mut path).then_some(path)
}

/// The dependencies below a ticket with their depth, each shown in full once.
pub fn dependency_tree(board: &Board, ticket: &TicketId) -> Vec<(usize, TicketId)> {
    fn walk(
        board: &Board,
        at: &TicketId,
        depth: usize,
        seen: &mut BTreeSet<TicketId>,
        rows: &mut Vec<(usize, TicketId)>,
    ) {
        let Some(ticket) = board.ticket(at) else { return };
        for dependency in &ticket.depends_on {
            rows.push((depth, dependency.clone()));
            if seen.insert(dependency.clone()) {
                walk(board, dependency, depth + 1, seen, rows);
            }
        }
    }
    let mut rows = Vec::new();
    walk(board, ticket, 0, &mut BTreeSet::new(), &mut rows);
    rows
}
