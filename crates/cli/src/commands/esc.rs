//! `sb esc`: the questions that only a human can answer, and the answers.

use signalbox_core::escalation::{Escalation, Reply, State};
use signalbox_core::{Ticket, Who, text, time};
use signalbox_store::escalation::{self, Done};
use signalbox_store::{Index, clock};

use super::escalate::{self, Asked};
use crate::context::Context;
use crate::resolve;
use signalbox_core::time::age;
use signalbox_desk::error::CommandError;

/// An escalation is one question that one sentence can answer, with what one has to know and suggested answers. A draft
/// waits for a human to look at it; a pending one waits for an answer, and with it the tickets it blocks; an answer
/// releases exactly those and reaches whoever works on them next. Ids are `esc-0003`, or just `3`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List what waits: drafts, and what is pending
    List {
        /// Those that are resolved too
        #[arg(long)]
        all: bool,
        /// Only those that are `draft`, `pending` or `resolved`
        #[arg(long, conflicts_with = "all")]
        state: Option<String>,
        /// Only those of this project [default: all]
        #[arg(long)]
        project: Option<String>,
        /// Only those that have to do with this ticket
        #[arg(long, value_name = "ID")]
        ticket: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one with its context, evidence and suggested answers
    Show {
        /// Which: `esc-0003` or `3`
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Answer one; for people
    Answer {
        /// Which: `esc-0003` or `3`
        id: String,
        /// The number of a suggested answer, or words; `-` reads them from standard input
        #[arg(required = true)]
        answer: Vec<String>,
        /// Take a number for words
        #[arg(long)]
        text: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a question down, to be looked at
    Draft {
        #[command(flatten)]
        asked: Asked,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Put a draft before a human: what it blocks waits from now on; for people
    Promote {
        /// Which: `esc-0003` or `3`
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say that one need not be answered; for people
    Withdraw {
        /// Which: `esc-0003` or `3`
        id: String,
        /// Why
        reason: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::List { all, state, project, ticket, .. } => {
            let state = state.as_deref().map(state_named).transpose()?;
            let project = project.map(|name| cx.registered(&name)).transpose()?;
            let ticket = match ticket {
                Some(typed) => Some(resolve::ticket(&cx.index()?.1, &typed)?),
                None => None,
            };
            list(cx, &|one| {
                state.map_or(all || one.state() != State::Resolved, |state| one.state() == state)
                    && project.as_ref().is_none_or(|project| one.project.as_ref() == Some(project))
                    && ticket.as_ref().is_none_or(|ticket| one.asked.concerns(ticket))
            })
        }
        What::Show { id, .. } => show(cx, &id),
        What::Draft { asked, .. } => escalate::draft(cx, asked),
        What::Answer { id, answer, text, .. } => {
            cx.who()?.must_be_human("answer an escalation")?;
            let id = whole_id(&id)?;
            let words = resolve::text_or_stdin(answer.join(" "))?;
            let store = cx.store()?;
            let has_options = {
                let (index, _) = store.read()?;
                escalation::book(&index)?.get(&id).is_some_and(|one| !one.asked.options.is_empty())
            };
            let number = words.trim().parse::<usize>().ok().filter(|_| has_options && !text);
            let reply = number.map_or(Reply::Words(words), Reply::Option);
            let done = escalation::answer(&store, cx.who()?, &id, reply)?;
            let said =
                done.escalation.answer.as_ref().map(|answer| answer.answer.clone()).unwrap_or_default();
            told(cx, &done, &format!("{id} is answered: {}", text::one_line(&said)))
        }
        What::Promote { id, .. } => {
            cx.who()?.must_be_human("put a draft before a human")?;
            let id = whole_id(&id)?;
            let done = escalation::promote(&cx.store()?, cx.who()?, &id)?;
            let how = if done.changed { "is pending" } else { "is pending already" };
            told(cx, &done, &format!("{id} {how}."))
        }
        What::Withdraw { id, reason, .. } => {
            cx.who()?.must_be_human("withdraw an escalation")?;
            let id = whole_id(&id)?;
            let done = escalation::withdraw(&cx.store()?, cx.who()?, &id, &reason.join(" "))?;
            told(cx, &done, &format!("{id} is withdrawn."))
        }
    }
}

/// The id that was typed: `esc-0003`, `esc-3` or `3`.
pub fn whole_id(typed: &str) -> Result<String, CommandError> {
    let lower = typed.trim().to_ascii_lowercase();
    let digits = lower.strip_prefix("esc-").or(lower.strip_prefix("esc")).unwrap_or(&lower);
    let number =
        digits.parse().ok().filter(|number| *number > 0 && digits.bytes().all(|b| b.is_ascii_digit()));
    number.map(Escalation::id_of).ok_or_else(|| {
        CommandError::usage("escalation.id", format!("`{typed}` is no id of an escalation"))
            .hint("Ids are `esc-0003`, or just `3`; `sb esc list` shows them.")
    })
}

fn state_named(word: &str) -> Result<State, CommandError> {
    State::parse(word).ok_or_else(|| {
        CommandError::usage("escalation.state", format!("`{word}` is no state of an escalation"))
            .hint("The states are draft, pending and resolved.")
    })
}

/// Say what happened, and what it means for tickets.
fn told(cx: &Context, done: &Done, sentence: &str) -> Result<(), CommandError> {
    cx.ui.warnings(&done.warnings);
    if cx.ui.json {
        return cx.ui.json(&as_json(&done.escalation)?);
    }
    cx.ui.status(sentence);
    for ticket in &done.tickets {
        cx.ui.status(&sentence_of(ticket));
    }
    Ok(())
}

fn sentence_of(ticket: &Ticket) -> String {
    let how = if ticket.escalated { "waits for the answer" } else { "waits for it no longer" };
    format!("{} {how}: {}", ticket.id, text::one_line(&ticket.title))
}

fn as_json(one: &Escalation) -> Result<serde_json::Value, CommandError> {
    let mut row = serde_json::to_value(one)?;
    row["state"] = serde_json::json!(one.state());
    Ok(row)
}

/// The escalations, as the log tells them.
fn read(cx: &Context) -> Result<(Index, signalbox_core::escalation::Book), CommandError> {
    let (store, index) = cx.index()?;
    // A killed process may have left a file behind; what is shown does not depend on it.
    if let Err(error) = escalation::heal(&store, &index) {
        cx.ui.warn(&format!("the files of escalations could not be brought up to date: {error}"));
    }
    let book = escalation::book(&index)?;
    Ok((index, book))
}

/// List those that are wanted.
pub fn list(cx: &Context, wanted: &dyn Fn(&Escalation) -> bool) -> Result<(), CommandError> {
    let (_, book) = read(cx)?;
    let found: Vec<&Escalation> = book.iter().filter(|one| wanted(one)).collect();
    if cx.ui.json {
        let rows = found.iter().map(|one| as_json(one)).collect::<Result<Vec<_>, _>>()?;
        return cx.ui.json(&rows);
    }
    if found.is_empty() {
        cx.ui.status("Nobody asks anything.");
    }
    for one in &found {
        let ticket = one.asked.ticket.as_ref().map(|id| format!("  {id}")).unwrap_or_default();
        cx.ui.data(&format!(
            "{}  {}  {}  {}  {} ago{ticket}  {}\n",
            one.id,
            one.state().as_str(),
            one.asked.kind.as_str(),
            text::one_line(&one.actor),
            age(one.drafted, clock::now()),
            text::one_line(&one.asked.question),
        ))?;
    }
    if found.iter().any(|one| one.state() != State::Resolved) && !cx.who().is_ok_and(Who::is_agent) {
        cx.ui.hint("`sb esc show ID` tells more, `sb esc answer ID ANSWER` answers it.");
    }
    Ok(())
}

fn show(cx: &Context, typed: &str) -> Result<(), CommandError> {
    let id = whole_id(typed)?;
    let (index, book) = read(cx)?;
    let one = book.get(&id).ok_or_else(|| {
        CommandError::not_found("escalation.unknown", format!("there is no escalation `{id}`"))
            .hint("`sb esc list --all` shows every one.")
    })?;
    if cx.ui.json {
        return cx.ui.json(&as_json(one)?);
    }
    let mut page = format!("{}  {}\n\n", one.id, text::many_lines(&one.asked.question));
    let mut line = |name: &str, value: &str| page.push_str(&format!("{name:<11}{}\n", text::one_line(value)));
    line("state", one.state().as_str());
    line("kind", one.asked.kind.as_str());
    line("asked by", &format!("{} at {}", one.actor, time::short(one.drafted)));
    if let Some(project) = &one.project {
        line("project", project.as_str());
    }
    if let Some(ticket) = &one.asked.ticket {
        let title = index.ticket(ticket)?.map(|ticket| ticket.title).unwrap_or_default();
        line("ticket", &format!("{ticket}  {title}"));
    }
    let blocked: Vec<String> = one.asked.blocked().iter().map(ToString::to_string).collect();
    if !blocked.is_empty() {
        line("blocks", &blocked.join(", "));
    }
    if let Some(hypothesis) = one.asked.hypothesis {
        line("because of", &format!("{} (a guess)", hypothesis.as_str()));
    }
    if let Some(answer) = &one.answer {
        line("answer", &answer.answer);
        line("answered by", &format!(" {} at {}", answer.by, time::short(answer.at)));
    }
    if let Some(withdrawn) = &one.withdrawn {
        line(
            "withdrawn",
            &format!("by {} at {} {}", withdrawn.by, time::short(withdrawn.at), withdrawn.reason),
        );
    }
    if let Some(context) = &one.asked.context {
        page.push_str(&format!("\n{}\n", text::many_lines(context.trim_end())));
    }
    for proof in &one.asked.evidence {
        let event =
            proof.event.as_ref().map(|id| format!("  (`sb log --event-id {id}`)")).unwrap_or_default();
        page.push_str(&format!("\n--- {}{event}\n", text::one_line(&proof.what)));
        if !proof.text.is_empty() {
            page.push_str(&format!("{}\n", text::many_lines(proof.text.trim_end())));
        }
    }
    if !one.asked.options.is_empty() {
        page.push_str("\nanswers\n");
        for (number, option) in (1..).zip(&one.asked.options) {
            page.push_str(&format!("{number:>3}  {}\n", text::one_line(option)));
        }
    }
    cx.ui.data(&page)?;
    match one.state() {
        State::Draft => cx.ui.hint(&format!(
            "`sb esc answer {id} ANSWER` answers it, `sb esc promote {id}` lets it wait for an answer."
        )),
        State::Pending => {
            cx.ui.hint(&format!("`sb esc answer {id} ANSWER` answers it, `sb esc withdraw {id}` drops it."));
        }
        State::Resolved => {}
    }
    Ok(())
}
