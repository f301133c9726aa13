//! `sb escalate`: the short way to a draft, and what `sb esc draft` takes.

use signalbox_core::ProjectName;
use signalbox_core::escalation::{Hypothesis, Kind, Question, State};
use signalbox_store::{Index, escalation};

use super::esc;
use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// Ask one thing that one sentence can answer, say what one has to know, and suggest answers. It is kept as a draft in
/// `escalations/draft`; work that does not wait for it goes on. People see it with `sb esc list`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// List those that are not answered yet
    #[arg(long, conflicts_with_all = ["question", "context", "option", "ticket"])]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A question.
#[derive(clap::Args)]
pub struct Asked {
    /// The question
    question: Vec<String>,
    /// `decision`, `blocker`, `question`, `approval`, or `suggestion`, which holds up nothing
    #[arg(long, default_value = "question")]
    kind: String,
    /// What one has to know to answer; `-` reads it from standard input
    #[arg(long, short)]
    context: Option<String>,
    /// A suggested answer (can be repeated)
    #[arg(long, short, value_name = "ANSWER")]
    option: Vec<String>,
    /// The ticket that waits for the answer [default: your current one]
    #[arg(long, value_name = "ID")]
    ticket: Option<String>,
    /// Another ticket that waits for it (can be repeated)
    #[arg(long, value_name = "ID")]
    blocks: Vec<String>,
    /// Why it may have come to this: `missing-context`, `flawed-requirements`, `hard`, `environment` or `unknown`
    #[arg(long, value_name = "WORD")]
    hypothesis: Option<String>,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if arguments.list {
        return esc::list(cx, &|one| one.state() != State::Resolved);
    }
    draft(cx, arguments.asked)
}

/// Write a question down.
pub fn draft(cx: &Context, asked: Asked) -> Result<(), CommandError> {
    let kind = Kind::parse(&asked.kind).ok_or_else(|| {
        let known: Vec<&str> = Kind::ASKED.iter().map(|kind| kind.as_str()).collect();
        CommandError::usage("escalation.kind", format!("there is no kind of escalation `{}`", asked.kind))
            .hint(format!("The kinds are: {}.", known.join(", ")))
    })?;
    let hypothesis = asked.hypothesis.as_deref().map(hypothesis).transpose()?;
    let who = cx.who()?.clone();
    let (store, index) = cx.index()?;
    let ticket = match &asked.ticket {
        Some(typed) => Some(resolve::ticket(&index, typed)?),
        None => resolve::current(cx, &index)?,
    };
    let blocks = resolve::tickets(&index, &asked.blocks)?;
    let project = match ticket.as_ref().or(blocks.first()) {
        Some(id) => project_of(&index, id)?.or(cx.project()?),
        None => cx.project()?,
    };
    let question = Question {
        kind,
        question: asked.question.join(" "),
        context: asked.context.map(resolve::text_or_stdin).transpose()?,
        options: asked.option,
        ticket,
        blocks,
        hypothesis,
        ..Question::default()
    };
    drop(index);
    let done = escalation::draft(&store, &who, project.as_ref(), question)?;
    cx.ui.warnings(&done.warnings);
    if cx.ui.json {
        return cx.ui.json(&done.escalation);
    }
    cx.ui.status(&format!("Drafted {}.", done.escalation.id));
    Ok(())
}

fn hypothesis(word: &str) -> Result<Hypothesis, CommandError> {
    Hypothesis::parse(word).ok_or_else(|| {
        let known: Vec<&str> = Hypothesis::ALL.iter().map(|one| one.as_str()).collect();
        CommandError::usage("escalation.hypothesis", format!("there is no hypothesis `{word}`"))
            .hint(format!("They are: {}.", known.join(", ")))
    })
}

fn project_of(index: &Index, id: &signalbox_core::TicketId) -> Result<Option<ProjectName>, CommandError> {
    Ok(index.ticket(id)?.map(|ticket| ticket.project))
}
