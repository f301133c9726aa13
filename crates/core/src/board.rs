//! Tickets as the fold of events: all of them, or the few that a command concerns.

use std::collections::BTreeMap;

use crate::apply::apply;
use crate::event::Event;
use crate::fact::Fact;
use crate::id::TicketId;
use crate::ticket::Ticket;

/// Some tickets and what they wait for. For [`crate::decide`] it must hold the tickets a command names and,
/// for each, everything it depends on and everything that depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    tickets: BTreeMap<TicketId, Ticket>,
}

impl Board {
    pub fn ticket(&self, id: &TicketId) -> Option<&Ticket> {
        self.tickets.get(id)
    }

    pub fn tickets(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.values()
    }

    pub fn insert(&mut self, ticket: Ticket) {
        self.tickets.insert(ticket.id.clone(), ticket);
    }

    /// Fold one more event. Events that concern no ticket change nothing.
    pub fn apply(&mut self, event: &Event) -> serde_json::Result<()> {
        if let Some(fact) = Fact::of(event)? {
            self.apply_fact(event, &fact);
        }
        Ok(())
    }

    /// Fold one more event whose meaning is known already.
    pub fn apply_fact(&mut self, event: &Event, fact: &Fact) {
        let before = event.ticket.as_ref().and_then(|id| self.tickets.remove(id));
        if let Some(after) = apply(before, event, fact) {
            self.tickets.insert(after.id.clone(), after);
        }
    }

    /// The tickets that wait for this one.
    pub fn dependents<'a>(&'a self, id: &'a TicketId) -> impl Iterator<Item = &'a Ticket> {
        self.tickets.values().filter(move |ticket| ticket.depends_on.contains(id))
    }
}

impl FromIterator<Ticket> for Board {
    fn from_iter<I: IntoIterator<Item = Ticket>>(tickets: I) -> Self {
        Self { tickets: tickets.into_iter().map(|ticket| (ticket.id.clone(), ticket)).collect() }
    }
}
