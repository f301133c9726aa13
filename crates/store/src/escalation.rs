//! Questions for a human on disk: one file each below `escalations/draft`, `pending` and `resolved`.
//!
//! The events are the truth and hold all of it; a file is written after its event, under the same lock. Whoever dies in
//! between leaves an event without its file, or a file in two folders, and whoever comes next puts that right first.

use std::path::PathBuf;

use signalbox_core::escalation::{Book, Decision, Escalation, Question, Reply, State, Wish, decide};
use signalbox_core::{Command, ProjectName, Refusal, Ticket, TicketId, Who, text};

use crate::files;
use crate::home::Home;
use crate::index::{History, Index};
use crate::lock::Lock;
use crate::store::{Outcome, Store, StoreError, Warning};

/// What became of a wish.
#[derive(Debug)]
pub struct Done {
    pub escalation: Escalation,
    /// Whether anything changed: of one key one is raised once.
    pub changed: bool,
    /// Tickets that now wait for a human, or no longer do.
    pub tickets: Vec<Ticket>,
    pub warnings: Vec<Warning>,
}

/// Write a question down, for a human to look at.
pub fn draft(
    store: &Store,
    who: &Who,
    project: Option<&ProjectName>,
    asked: Question,
) -> Result<Done, StoreError> {
    carry_out(store, who, project, &Wish::Draft(asked))
}

/// Put a question before a human at once. What it blocks waits from then on. If one with the same key is pending, that
/// one is the answer and nothing is written.
pub fn raise(
    store: &Store,
    who: &Who,
    project: Option<&ProjectName>,
    asked: Question,
) -> Result<Done, StoreError> {
    carry_out(store, who, project, &Wish::Raise(asked))
}

/// Put a draft before a human.
pub fn promote(store: &Store, who: &Who, id: &str) -> Result<Done, StoreError> {
    carry_out(store, who, None, &Wish::Promote { id: id.to_owned() })
}

/// Answer a question. What it alone blocked waits no longer.
pub fn answer(store: &Store, who: &Who, id: &str, reply: Reply) -> Result<Done, StoreError> {
    carry_out(store, who, None, &Wish::Answer { id: id.to_owned(), reply })
}

/// Say that a question need not be answered. What it alone blocked waits no longer.
pub fn withdraw(store: &Store, who: &Who, id: &str, reason: &str) -> Result<Done, StoreError> {
    carry_out(store, who, None, &Wish::Withdraw { id: id.to_owned(), reason: reason.to_owned() })
}

/// All there are, as the log tells.
pub fn book(index: &Index) -> Result<Book, StoreError> {
    let history = History { event: Some("escalation.*".to_owned()), ..History::default() };
    let mut book = Book::default();
    for (_, event) in index.events(&history)? {
        book.apply(&event);
    }
    Ok(book)
}

/// Those that wait for an answer, the oldest first.
pub fn pending(index: &Index) -> Result<Vec<Escalation>, StoreError> {
    Ok(book(index)?.pending().cloned().collect())
}

/// What was asked and answered about a ticket, the oldest first.
pub fn answers_for(index: &Index, ticket: &TicketId) -> Result<Vec<(String, String)>, StoreError> {
    let book = book(index)?;
    let answers = book.answers_for(ticket).into_iter();
    Ok(answers.map(|(question, answer)| (question.to_owned(), answer.to_owned())).collect())
}

/// The ids of those that a ticket waits for.
pub fn blocking(index: &Index, ticket: &TicketId) -> Result<Vec<String>, StoreError> {
    Ok(book(index)?.blocking(ticket).into_iter().map(|one| one.id.clone()).collect())
}

/// Refuse a person's approval of work that is on its way to main, while something else about it waits for their answer: it
/// would not go on, and nobody would know why.
pub fn may_approve(index: &Index, ticket: &Ticket) -> Result<(), StoreError> {
    let book = book(index)?;
    let blocking = book.blocking(&ticket.id);
    let other = blocking.into_iter().find(|one| !one.asked.is_of_review());
    match other.filter(|_| ticket.work.submission.is_some()) {
        None => Ok(()),
        Some(one) => {
            let (id, asked) = (&one.id, text::one_line(&one.asked.question));
            let message = format!("{} waits for an answer to {id} first: {asked}", ticket.id);
            Err(Refusal::new("review.escalated", message)
                .hint(format!("`sb esc answer {id} \"…\"`, and then approve it."))
                .into())
        }
    }
}

/// A person has judged a ticket themselves: what was asked because nobody managed to review it is answered by that. Answers
/// which those were.
pub fn answer_by_verdict(
    store: &Store,
    who: &Who,
    ticket: &TicketId,
    verdict: &str,
) -> Result<Vec<String>, StoreError> {
    let mut answered = Vec::new();
    let (index, _) = store.read()?;
    for one in book(&index)?.blocking(ticket).into_iter().filter(|one| one.asked.is_of_review()) {
        answer(store, who, &one.id, Reply::Words(verdict.to_owned()))?;
        answered.push(one.id.clone());
    }
    Ok(answered)
}

fn carry_out(
    store: &Store,
    who: &Who,
    project: Option<&ProjectName>,
    wish: &Wish,
) -> Result<Done, StoreError> {
    let (_lock, index, warnings) = store.locked()?;
    let mut book = book(&index)?;
    // All before it have their files, because whoever changes one makes sure of it.
    if let Some(last) = book.last() {
        project_file(store.home(), last)?;
    }
    let number = next_number(store.home(), &book)?;
    let Decision { id, told, hold, free } = decide(&book, who, wish, number)?;
    let changed = !told.is_empty();
    let mut outcome = Outcome { events: Vec::new(), ticket: None, also: Vec::new(), warnings };
    if changed {
        let project = project.or_else(|| book.get(&id)?.project.as_ref()).cloned();
        let command = Command::Escalate { hold, free };
        outcome = store.tell_together(index, outcome.warnings, who, project.as_ref(), &told, &command)?;
        for event in &outcome.events {
            book.apply(event);
        }
    }
    let Outcome { also: tickets, mut warnings, .. } = outcome;
    let escalation = book
        .get(&id)
        .cloned()
        .ok_or_else(|| Refusal::new("escalation.vanished", format!("{id} is not what was written down")))?;
    // It has happened. If its file cannot be written, the next one does.
    let written = if changed { project_file(store.home(), &escalation) } else { Ok(()) };
    warnings.extend(written.err().map(|error| Warning::Behind(error.to_string())));
    Ok(Done { escalation, changed, tickets, warnings })
}

/// Put right what a killed process left, if nobody is at work.
pub fn heal(store: &Store, index: &Index) -> Result<(), StoreError> {
    let home = store.home();
    let Some(last) = book(index)?.last().cloned() else { return Ok(()) };
    if !is_right(home, &last)?
        && let Ok(Some(_lock)) = Lock::try_acquire(&home.lock())
        // It may have gone on since it was looked at.
        && let Some(last) = book(&store.read()?.0)?.last()
    {
        project_file(home, last)?;
    }
    Ok(())
}

/// Those whose files are not what the log says. Callers hold the lock.
pub(crate) fn wrong_files(home: &Home, book: &Book) -> Result<Vec<Escalation>, StoreError> {
    let mut wrong = Vec::new();
    for one in book.iter() {
        if !is_right(home, one)? {
            wrong.push(one.clone());
        }
    }
    Ok(wrong)
}

fn next_number(home: &Home, book: &Book) -> Result<u64, StoreError> {
    let mut highest = book.highest();
    for state in State::ALL {
        let path = home.escalations().join(state.as_str());
        let names = files::names(&path).map_err(|source| StoreError::Home { path, source })?;
        let numbers = names.iter().filter_map(|name| Escalation::number(name.strip_suffix(".json")?));
        highest = numbers.fold(highest, u64::max);
    }
    Ok(highest.saturating_add(1))
}

fn path(home: &Home, state: State, id: &str) -> PathBuf {
    home.escalations().join(state.as_str()).join(format!("{id}.json"))
}

/// Everywhere its file may be.
pub(crate) fn paths(home: &Home, id: &str) -> Vec<PathBuf> {
    State::ALL.iter().map(|state| path(home, *state, id)).collect()
}

fn bytes(one: &Escalation) -> Result<Vec<u8>, StoreError> {
    let mut bytes = serde_json::to_vec_pretty(one)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Whether its file is there, and only there, and says what the log does.
fn is_right(home: &Home, one: &Escalation) -> Result<bool, StoreError> {
    for state in State::ALL {
        let path = path(home, *state, &one.id);
        let there = files::read_optional(&path).map_err(|source| StoreError::Home { path, source })?;
        let wanted = if *state == one.state() { Some(bytes(one)?) } else { None };
        if there != wanted {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Write its file where it belongs, and take it away elsewhere.
pub(crate) fn project_file(home: &Home, one: &Escalation) -> Result<(), StoreError> {
    if is_right(home, one).unwrap_or(false) {
        return Ok(());
    }
    let target = path(home, one.state(), &one.id);
    let folder = home.escalations().join(one.state().as_str());
    let content = bytes(one)?;
    let written =
        files::create_private_dir(&folder).and_then(|()| files::replace(&target, &content, files::PRIVATE));
    written.map_err(|source| StoreError::Home { path: target, source })?;
    for state in State::ALL.iter().filter(|state| **state != one.state()) {
        let path = path(home, *state, &one.id);
        files::remove(&path).map_err(|source| StoreError::Home { path, source })?;
    }
    Ok(())
}
