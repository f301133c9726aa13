//! `sb escalate`: a question for a human.

use signalbox_core::text;
use signalbox_store::escalation::{self, Escalation, FOLDERS, Kind, Question};
use signalbox_store::{Index, clock};

use crate::context::Context;
use crate::duration::age;
use crate::error::CommandError;
use crate::resolve;

/// Ask one thing that one sentence can answer, say what one has to know, and suggest answers. It is kept as a draft in
/// `escalations/draft`; work that does not wait for it goes on.
#[derive(clap::Args)]
pub struct Arguments {
    /// The question
    #[arg(required_unless_present = "list")]
    question: Vec<String>,
    /// `decision`, `blocker`, `question` or `approval`
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
    /// List those that are not answered yet
    #[arg(long, conflicts_with_all = ["question", "context", "option", "ticket"])]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if arguments.list {
        return list(cx);
    }
    let kind = Kind::parse(&arguments.kind).ok_or_else(|| {
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
        CommandError::usage("escalation.kind", format!("there is no kind of escalation `{}`", arguments.kind))
            .hint(format!("The kinds are: {}.", known.join(", ")))
    })?;
    let who = cx.who()?.clone();
    let (store, index) = cx.index()?;
    let ticket = match &arguments.ticket {
        Some(typed) => Some(resolve::ticket(&index, typed)?),
        None => resolve::current(cx, &index)?,
    };
    let project = match &ticket {
        Some(id) => project_of(&index, id)?.or(cx.project()?),
        None => cx.project()?,
    };
    let asked = Question {
        kind,
        question: arguments.question.join(" "),
        context: arguments.context.map(resolve::text_or_stdin).transpose()?,
        options: arguments.option,
        ticket,
    };
    let (drafted, warning) = escalation::draft(&store, &who, project.as_ref(), asked)?;
    cx.ui.warnings(warning.as_slice());
    if cx.ui.json {
        return cx.ui.json(&drafted);
    }
    cx.ui.status(&format!("Drafted {}.", drafted.id));
    Ok(())
}

fn project_of(
    index: &Index,
    id: &signalbox_core::TicketId,
) -> Result<Option<signalbox_core::ProjectName>, CommandError> {
    Ok(index.ticket(id)?.map(|ticket| ticket.project))
}

fn list(cx: &Context) -> Result<(), CommandError> {
    let mut found: Vec<(&str, Escalation)> = Vec::new();
    for folder in FOLDERS.iter().filter(|folder| **folder != "resolved") {
        found.extend(escalation::list(cx.home()?, folder)?.into_iter().map(|one| (*folder, one)));
    }
    if cx.ui.json {
        let rows = found.iter().map(|(folder, one)| {
            let mut row = serde_json::to_value(one)?;
            row["state"] = serde_json::json!(folder);
            Ok(row)
        });
        return cx.ui.json(&rows.collect::<Result<Vec<_>, serde_json::Error>>()?);
    }
    if found.is_empty() {
        cx.ui.status("Nobody asks anything.");
    }
    for (folder, one) in &found {
        let ticket = one.asked.ticket.as_ref().map(|id| format!("  {id}")).unwrap_or_default();
        cx.ui.data(&format!(
            "{}  {folder}  {}  {}  {} ago{ticket}  {}\n",
            one.id,
            one.asked.kind.as_str(),
            text::one_line(&one.actor),
            age(one.drafted, clock::now()),
            text::one_line(&one.asked.question),
        ))?;
    }
    Ok(())
}
