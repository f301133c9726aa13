//! Who may do what with an escalation, and which tickets follow.

use serde::Serialize;

use super::{
    ANSWERED, Book, DRAFTED, Escalation, PROMOTED, Question, State, ToldChanged, ToldDrafted, WITHDRAWN,
};
use crate::id::TicketId;
use crate::refusal::Refusal;
use crate::text;
use crate::who::Who;

/// The longest question, suggested answer and key, in characters, and how many answers there may be.
const MOST_QUESTION: usize = 2_000;
const MOST_OPTION: usize = 300;
const MOST_OPTIONS: usize = 10;
const MOST_KEY: usize = 200;
/// The longest context and answer, in bytes: one question, not a report.
const MOST_CONTEXT: usize = 64 * 1024;
/// How much evidence there may be, and how much of each.
const MOST_EVIDENCE: usize = 30;
const MOST_PROOF: usize = 16 * 1024;
const MOST_BLOCKED: usize = 200;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Write a question down, to be looked at.
    Draft(Question),
    /// Put a question before a human at once.
    Raise(Question),
    Promote {
        id: String,
    },
    Answer {
        id: String,
        reply: Reply,
    },
    Withdraw {
        id: String,
        reason: String,
    },
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// One of the suggested ones, from 1.
    Option(usize),
    Words(String),
}

/// What would be written.
#[derive(Debug)]
pub struct Decision {
    /// Which escalation it is about.
    pub id: String,
    /// Names of events and their data; empty where all is as asked for already.
    pub told: Vec<(&'static str, Told)>,
    /// Tickets that now wait for a human.
    pub hold: Vec<TicketId>,
    /// Tickets that wait no longer: what this one blocked, and no other does.
    pub free: Vec<TicketId>,
}

/// Whether something may be done with an escalation, and what that means. `number` is one that nobody has had.
pub fn decide(book: &Book, who: &Who, wish: &Wish, number: u64) -> Result<Decision, Refusal> {
    match wish {
        Wish::Draft(asked) => {
            asked.check()?;
            let told = vec![drafted(number, asked)];
            Ok(Decision { id: Escalation::id_of(number), told, hold: Vec::new(), free: Vec::new() })
        }
        Wish::Raise(asked) => {
            who.must_be_human("put a question before a human")?;
            asked.check()?;
            let same = |one: &&Escalation| asked.key.is_some() && one.asked.key == asked.key;
            if let Some(there) = book.pending().find(same) {
                return Ok(Decision {
                    id: there.id.clone(),
                    told: Vec::new(),
                    hold: Vec::new(),
                    free: Vec::new(),
                });
            }
            let id = Escalation::id_of(number);
            let told = vec![drafted(number, asked), changed(PROMOTED, &id, ToldChanged::default())];
            Ok(Decision { id, told, hold: asked.blocked(), free: Vec::new() })
        }
        Wish::Promote { id } => {
            who.must_be_human("put a draft before a human")?;
            let one = unresolved(book, id)?;
            let told = match one.state() {
                State::Pending => Vec::new(),
                _ => vec![changed(PROMOTED, &one.id, ToldChanged::default())],
            };
            let hold = if told.is_empty() { Vec::new() } else { one.asked.blocked() };
            Ok(Decision { id: one.id.clone(), told, hold, free: Vec::new() })
        }
        Wish::Answer { id, reply } => {
            who.must_be_human("answer an escalation")?;
            let one = unresolved(book, id)?;
            let (answer, option) = resolve(one, reply)?;
            let data = ToldChanged { answer: Some(answer), option, ..ToldChanged::default() };
            Ok(resolved(book, one, changed(ANSWERED, &one.id, data)))
        }
        Wish::Withdraw { id, reason } => {
            who.must_be_human("withdraw an escalation")?;
            let one = unresolved(book, id)?;
            let reason = Some(text::body("reason", reason)?).filter(|reason| !reason.is_empty());
            let data = ToldChanged { reason, ..ToldChanged::default() };
            Ok(resolved(book, one, changed(WITHDRAWN, &one.id, data)))
        }
    }
}

/// The data of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Told {
    Drafted(Box<ToldDrafted>),
    Changed(ToldChanged),
}

fn drafted(number: u64, asked: &Question) -> (&'static str, Told) {
    let told = ToldDrafted { escalation: Escalation::id_of(number), asked: asked.clone() };
    (DRAFTED, Told::Drafted(Box::new(told)))
}

fn changed(name: &'static str, id: &str, data: ToldChanged) -> (&'static str, Told) {
    (name, Told::Changed(ToldChanged { escalation: id.to_owned(), ..data }))
}

/// End it. What it blocked is free, unless another that is pending blocks it too.
fn resolved(book: &Book, one: &Escalation, told: (&'static str, Told)) -> Decision {
    // A draft held up nobody.
    let blocked = if one.state() == State::Pending { one.asked.blocked() } else { Vec::new() };
    let is_free = |ticket: &TicketId| book.blocking(ticket).iter().all(|other| other.id == one.id);
    let free = blocked.into_iter().filter(is_free).collect();
    Decision { id: one.id.clone(), told: vec![told], hold: Vec::new(), free }
}

/// The one of that id, if nobody has resolved it.
fn unresolved<'a>(book: &'a Book, id: &str) -> Result<&'a Escalation, Refusal> {
    let one = book.get(id).ok_or_else(|| {
        Refusal::not_found("escalation.unknown", format!("there is no escalation `{id}`"))
            .hint("`sb esc list --all` shows every one.")
    })?;
    let how = match (&one.answer, &one.withdrawn) {
        (Some(answer), _) => format!("{id} was answered: {}", text::one_line(&answer.answer)),
        (None, Some(withdrawn)) => format!("{id} was withdrawn by {}", withdrawn.by),
        (None, None) => return Ok(one),
    };
    Err(Refusal::new("escalation.resolved", how)
        .hint("Say more in a note on the ticket (`sb note ID \"…\"`), or ask anew."))
}

/// The words of an answer, and which suggested one it is.
fn resolve(one: &Escalation, reply: &Reply) -> Result<(String, Option<usize>), Refusal> {
    let options = &one.asked.options;
    match reply {
        Reply::Option(number) => match number.checked_sub(1).and_then(|at| options.get(at)) {
            Some(option) => Ok((option.clone(), Some(*number))),
            None => {
                let there = match options.len() {
                    0 => "no suggested answers".to_owned(),
                    1 => "one suggested answer".to_owned(),
                    count => format!("{count} suggested answers"),
                };
                let message = format!("{} has {there}, and no number {number}", one.id);
                Err(Refusal::usage("escalation.option", message).hint(format!(
                    "`sb esc show {}` numbers them; `--text` takes a number for words.",
                    one.id
                )))
            }
        },
        Reply::Words(words) => {
            let words = text::required("answer", words)?;
            if words.len() > MOST_CONTEXT {
                return Err(too_long("the answer", MOST_CONTEXT));
            }
            let same = |option: &String| option.trim().eq_ignore_ascii_case(words.trim());
            let option = options.iter().position(same).map(|at| at + 1);
            Ok((words.trim().to_owned(), option))
        }
    }
}

fn too_long(what: &str, most: usize) -> Refusal {
    Refusal::usage("escalation.too-long", format!("{what} is longer than {most} characters"))
        .hint("Ask one question in a few sentences, and put what one has to know into a file or a note.")
}

impl Question {
    /// Refuse what nobody could answer, or would read.
    fn check(&self) -> Result<(), Refusal> {
        if self.question.trim().is_empty() {
            return Err(Refusal::usage("escalation.empty", "there is no question")
                .hint("Ask what one sentence can answer: `sb escalate \"Keep the old endpoint?\" --option yes --option no`."));
        }
        if self.question.chars().count() > MOST_QUESTION {
            return Err(too_long("the question", MOST_QUESTION));
        }
        if self.context.as_ref().is_some_and(|context| context.len() > MOST_CONTEXT) {
            return Err(too_long("the context", MOST_CONTEXT));
        }
        if self.options.iter().any(|option| option.chars().count() > MOST_OPTION) {
            return Err(too_long("a suggested answer", MOST_OPTION));
        }
        if self.options.len() > MOST_OPTIONS || self.options.iter().any(|option| option.trim().is_empty()) {
            let message =
                format!("an escalation has at most {MOST_OPTIONS} suggested answers, none of them empty");
            return Err(Refusal::usage("escalation.options", message));
        }
        if self.key.as_ref().is_some_and(|key| key.chars().count() > MOST_KEY) {
            return Err(too_long("the key", MOST_KEY));
        }
        if self.evidence.len() > MOST_EVIDENCE || self.blocks.len() > MOST_BLOCKED {
            let message = format!(
                "an escalation has at most {MOST_EVIDENCE} proofs and blocks at most {MOST_BLOCKED} tickets"
            );
            return Err(Refusal::usage("escalation.too-much", message));
        }
        match self
            .evidence
            .iter()
            .any(|proof| proof.text.len() > MOST_PROOF || proof.what.len() > MOST_OPTION)
        {
            true => Err(too_long("a proof", MOST_PROOF)),
            false => Ok(()),
        }
    }
}
