//! From what was typed to what is meant: ticket ids, the current ticket, texts, statuses, priorities.

use std::io::Read;

use signalbox_core::{Priority, Status, TicketId, Who, nearest, text};
use signalbox_store::index::Filter;
use signalbox_store::{Index, StoreError, session};

use crate::context::Context;
use signalbox_desk::error::CommandError;

pub use signalbox_desk::ticket_meant as ticket;

/// Several of them.
pub fn tickets(index: &Index, typed: &[String]) -> Result<Vec<TicketId>, StoreError> {
    typed.iter().flat_map(|list| list.split(',')).map(|id| ticket(index, id)).collect()
}

/// The ticket that was typed, or else the asker's current one.
pub fn ticket_or_current(cx: &Context, index: &Index, typed: Option<&str>) -> Result<TicketId, CommandError> {
    match typed {
        Some(typed) => Ok(ticket(index, typed)?),
        None => current(cx, index)?.ok_or_else(|| {
            CommandError::precondition("ticket.no-current", "you have no current ticket")
                .hint("Name one, or take one: `sb pick ID`, `sb pop`, `sb switch ID`.")
        }),
    }
}

/// The asker's current ticket: what it last took or switched to, else the only one it works on.
pub fn current(cx: &Context, index: &Index) -> Result<Option<TicketId>, CommandError> {
    let identity = cx.identity()?;
    if let Some(id) = session::current_ticket(cx.home()?, &identity.desk)?
        && index.ticket(&id)?.is_some()
    {
        return Ok(Some(id));
    }
    let mut filter = Filter { statuses: vec![Status::InProgress, Status::Rework], ..Filter::default() };
    match &identity.who {
        Who::Agent(agent) => filter.assignee_session = Some(agent.session.to_string()),
        Who::Human | Who::System => {
            filter.assignee = Some(identity.who.name().to_owned());
            filter.project = cx.project()?;
        }
    }
    let mine = index.list(&filter)?;
    let only = mine.iter().next().filter(|_| mine.len() == 1);
    Ok(only.and_then(|row| TicketId::parse(row.id).ok()))
}

/// Make a ticket the asker's current one.
pub fn set_current(cx: &Context, ticket: Option<&TicketId>) -> Result<(), CommandError> {
    let home = cx.home()?;
    let set = session::set_current_ticket(home, &cx.identity()?.desk, ticket);
    Ok(set.map_err(|source| StoreError::Home { path: home.sessions(), source })?)
}

/// An optional id before a text: `sb note sb_a7K the text` and `sb note the text`.
pub fn id_and_words(words: &[String]) -> (Option<&str>, String) {
    match words.split_first() {
        Some((first, rest)) if looks_like_id(first) && !rest.is_empty() => (Some(first), rest.join(" ")),
        _ => (None, words.join(" ")),
    }
}

pub fn looks_like_id(word: &str) -> bool {
    word.strip_prefix("sb_")
        .is_some_and(|rest| rest.len() <= 6 && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// A text, or what stands on standard input where it is `-`. More than is allowed is not read.
pub fn text_or_stdin(typed: String) -> Result<String, CommandError> {
    if typed != "-" {
        return Ok(typed);
    }
    let most = text::MOST_TEXT;
    let mut read = Vec::new();
    std::io::stdin().lock().take(most as u64 + 1).read_to_end(&mut read)?;
    if read.len() > most {
        return Err(CommandError::usage(
            "text.too-long",
            format!("standard input has more than {most} bytes, which a ticket takes at most at once"),
        )
        .hint("Put the long text into a file of the repository and name the file in the ticket."));
    }
    String::from_utf8(read).map_err(|_| {
        CommandError::usage("text.unreadable", "standard input is not UTF-8 text")
            .hint("Tickets hold text; put other data into a file and name the file in the ticket.")
    })
}

pub fn status(word: &str) -> Result<Status, CommandError> {
    Status::from_word(word).ok_or_else(|| {
        let error = CommandError::usage("status.unknown", format!("`{word}` is not a status"));
        match nearest(word, Status::words()).and_then(Status::from_word) {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None => {
                error.hint("The statuses are backlog, open, in-progress, review, rework, done and blocked.")
            }
        }
    })
}

pub fn priority(word: &str) -> Result<Priority, CommandError> {
    Priority::from_word(word).ok_or_else(|| {
        CommandError::usage("priority.unknown", format!("`{word}` is not a priority"))
            .hint("Priorities are P0 (outage) to P5 (someday), or words: critical, urgent, high, normal, low, someday.")
    })
}
