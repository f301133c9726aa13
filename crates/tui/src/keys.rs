//! The keys: what each does and where, for the line at the bottom and for the help.

use crate::state::{Screen, State};

/// Where a key counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    Everywhere,
    /// Where the cursor is on a ticket.
    Ticket,
    /// On an open ticket.
    Page,
    /// Where no ticket is open.
    Outside,
    Screen(Screen),
}

/// One key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub key: &'static str,
    /// For the line at the bottom; empty: it stands in the help alone.
    pub short: &'static str,
    pub long: &'static str,
    pub on: On,
}

const fn key(on: On, key: &'static str, short: &'static str, long: &'static str) -> Key {
    Key { key, short, long, on }
}

/// Every key, those that are needed most first.
pub const KEYS: &[Key] = &[
    key(On::Screen(Screen::Now), "Enter", "see to it", "Answer, sit down at the agent, or open the ticket"),
    key(On::Screen(Screen::Board), "Enter", "open", "Open the ticket"),
    key(On::Screen(Screen::Board), "← →", "column", "Go to the next column"),
    key(On::Screen(Screen::List), "Enter", "open", "Open the ticket"),
    key(On::Screen(Screen::List), "s", "sort", "Sort by priority, last change, age, status or title"),
    key(On::Screen(Screen::Feed), "Enter", "open", "Open the ticket"),
    key(On::Screen(Screen::Feed), "e", "all", "Show every tool call too, or no longer"),
    key(
        On::Screen(Screen::Agents),
        "Enter",
        "type",
        "Sit down at its terminal; the detach keys (Ctrl-A d) come back",
    ),
    key(On::Screen(Screen::Agents), "w", "watch", "Watch its terminal in full, without typing"),
    key(On::Screen(Screen::Agents), "t", "tell", "Tell it something, at the right moment"),
    key(On::Screen(Screen::Agents), "x", "end", "End it"),
    key(On::Screen(Screen::Agents), "e", "ended", "Show those that have ended too, or no longer"),
    key(On::Screen(Screen::Agents), "o", "ticket", "Open its ticket"),
    key(On::Screen(Screen::Queue), "p", "pause", "Pause the loop: nothing begins and nothing lands"),
    key(On::Screen(Screen::Queue), "d", "drain", "Drain it: what is under way is finished"),
    key(On::Screen(Screen::Queue), "g", "go on", "Let it go on"),
    key(On::Screen(Screen::Queue), "c", "agents", "Say how many agents work at once"),
    key(On::Screen(Screen::Queue), "x", "end", "End the loop and its agents"),
    key(On::Screen(Screen::Queue), "Enter", "open", "Open the ticket"),
    key(On::Screen(Screen::Decisions), "Enter", "answer", "Answer by a number or a line of words"),
    key(On::Screen(Screen::Decisions), "p", "promote", "Put a draft before people"),
    key(On::Screen(Screen::Decisions), "w", "withdraw", "Say that it need not be answered"),
    key(On::Screen(Screen::Decisions), "o", "ticket", "Open its ticket"),
    key(On::Page, "← →", "part", "Go to the next part: text, work, story, diff"),
    key(On::Page, "Tab", "link", "Go to the next ticket that it names; Enter opens it"),
    key(On::Page, "c", "check", "Tick a criterion, or untick it"),
    key(On::Ticket, "m", "move", "Move the ticket to another status"),
    key(On::Ticket, "n", "note", "Write a note on it"),
    key(On::Ticket, "a", "approve", "Approve it"),
    key(On::Ticket, "r", "reject", "Send it back, with a reason"),
    key(On::Ticket, "h", "hold", "Put it on hold with a reason, or release it"),
    key(On::Ticket, "@", "", "Give it to somebody"),
    key(On::Everywhere, "N", "new", "File a ticket"),
    key(On::Everywhere, "/", "find", "Show only what has these words"),
    key(On::Everywhere, "f", "filter", "Show only a project, a priority, an assignee, a tag"),
    key(On::Everywhere, "F", "", "Show everything again"),
    key(On::Everywhere, "1-8", "", "Go to a screen; Tab and Shift-Tab to the next one"),
    key(On::Everywhere, "↑ ↓", "", "Move; j and k, PgUp and PgDn, Home and End do too"),
    key(On::Everywhere, "Ctrl-L", "", "Read and draw everything anew"),
    key(On::Everywhere, "Ctrl-Z", "", "Stop for a while; `fg` comes back"),
    key(On::Everywhere, "?", "help", "Show this"),
    key(On::Outside, "q", "quit", "Leave the board"),
    key(On::Page, "q", "back", "Go back; Esc does too"),
];

/// The keys that count where one is now.
pub fn here(state: &State) -> impl Iterator<Item = &'static Key> {
    let is_open = !state.pages.is_empty();
    let has_ticket = state.picked().ticket.is_some();
    let screen = state.screen;
    let has_ticket_keys = state.has_ticket_keys();
    KEYS.iter().filter(move |key| match key.on {
        On::Everywhere => true,
        On::Page => is_open,
        On::Outside => !is_open,
        On::Screen(on) => !is_open && on == screen,
        On::Ticket => has_ticket && has_ticket_keys,
    })
}
