//! `sb bootstrap`: a contract and first tickets, from what the repository shows.

use std::path::{Path, PathBuf};

use signalbox_core::{Command, NewTicket, ProjectName, Refusal, Status, TicketId, text};
use signalbox_store::contract::{self, Contract};
use signalbox_store::index::Filter;
use signalbox_store::{Index, StoreError, files, project};

use super::{init, new};
use crate::bootstrap::{self, AREA, Scaffold, Survey};
use crate::context::Context;
use crate::diff;
use signalbox_desk::error::CommandError;

/// Manifests, lock files, configurations of linters and what CI runs are read; nothing is run. What it proposes is
/// printed, each line with what it comes from. Look at it, change it, and then trust it with `sb trust`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A directory in the repository [default: the current one]
    directory: Option<PathBuf>,
    /// Write the contract into the repository; for people
    #[arg(long)]
    write: bool,
    /// Write it though there is one
    #[arg(long, requires = "write")]
    force: bool,
    /// File a ticket for each thing that is missing; for people
    #[arg(long)]
    tickets: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if arguments.write || arguments.tickets {
        cx.who()?.must_be_human("set up a repository")?;
    }
    let directory = arguments.directory.map_or_else(|| cx.directory(), Ok)?;
    let directory = init::usable(&directory)?;
    let root = project::top(&directory).unwrap_or(directory);
    let survey = bootstrap::survey(&root);
    let proposal = bootstrap::render(&survey);
    // Whatever stands in the repository, what is proposed must be a contract.
    Contract::parse(&proposal, "the proposed contract")?;
    let tickets = bootstrap::missing(&survey);
    if !cx.ui.json {
        show(cx, &survey, &proposal, &tickets)?;
    }
    if arguments.write {
        write(cx, &root, &proposal, arguments.force)?;
    }
    let mut filed = Vec::new();
    if arguments.write || arguments.tickets {
        let (name, is_new) = init::register(cx, &root, None)?;
        if is_new {
            cx.ui.status(&format!("{} is now the project `{name}`.", root.display()));
        }
        if arguments.tickets {
            filed = file(cx, &name, &tickets)?;
        }
    }
    if cx.ui.json {
        return cx.ui.json(&serde_json::json!({
            "root": root, "contract": proposal, "found": survey, "tickets": tickets,
            "written": arguments.write, "filed": filed,
        }));
    }
    match (arguments.write, arguments.tickets || tickets.is_empty()) {
        (true, _) => cx.ui.hint("Look at it, commit it, and trust it: `sb trust`."),
        (false, true) => cx.ui.hint("`sb bootstrap --write` writes it; then `sb trust`."),
        (false, false) => {
            cx.ui.hint("`sb bootstrap --write --tickets` writes it and files the tickets; then `sb trust`.");
        }
    }
    Ok(())
}

fn show(cx: &Context, survey: &Survey, proposal: &str, tickets: &[Scaffold]) -> Result<(), CommandError> {
    for trouble in &survey.troubles {
        cx.ui.warn(trouble);
    }
    match survey.languages.as_slice() {
        [] => cx.ui.status("Nothing shows what it is written in."),
        languages => cx.ui.status(&format!("It is written in {}.", languages.join(", "))),
    }
    cx.ui.data(&text::many_lines(proposal))?;
    if !tickets.is_empty() {
        cx.ui.status("Missing, each a ticket:");
        for ticket in tickets {
            cx.ui.status(&format!("  {AREA}/{}  {}", ticket.slug, ticket.title));
        }
    }
    Ok(())
}

/// Write the contract. One that is there is a person's work.
fn write(cx: &Context, root: &Path, proposal: &str, force: bool) -> Result<(), CommandError> {
    let path = root.join(contract::PATH);
    if let Some(there) = contract::in_checkout(root)? {
        let there = String::from_utf8_lossy(&there).into_owned();
        if there == proposal {
            cx.ui.status(&format!("{} is like that already.", contract::PATH));
            return Ok(());
        }
        cx.ui.status(diff::lines(&there, proposal).trim_end());
        if !force {
            let message = format!("there is a {} already, and it is not overwritten", contract::PATH);
            return Err(CommandError::precondition("contract.exists", message)
                .hint("Take over by hand what you want of it, or write it with `--force`."));
        }
    }
    let folder = path.parent().unwrap_or(root);
    // A link would have it written somewhere else.
    if folder.canonicalize().is_ok_and(|real| real != folder) || path.is_symlink() {
        let message = format!("{} is a link, and nothing is written through it", contract::PATH);
        return Err(CommandError::precondition("contract.link", message).hint("Replace it by a file."));
    }
    let written = files::create_shared_dir(folder)
        .and_then(|()| files::replace(&path, proposal.as_bytes(), files::SHARED));
    written.map_err(|source| StoreError::Home { path, source })?;
    cx.ui.status(&format!("Wrote {}.", contract::PATH));
    Ok(())
}

/// File what was not filed before.
fn file(cx: &Context, project: &ProjectName, tickets: &[Scaffold]) -> Result<Vec<TicketId>, CommandError> {
    let store = cx.store()?;
    let mut filed = Vec::new();
    for ticket in tickets {
        let build = |index: &Index| -> Result<Command, StoreError> {
            let filter = Filter { project: Some(project.clone()), ..Filter::default() };
            let is_there = index.tickets(&filter)?.iter().any(|there| {
                there.status != Status::Done
                    && there.area.as_deref() == Some(AREA)
                    && there.slug.as_deref() == Some(ticket.slug)
            });
            if is_there {
                return Err(Refusal::new(FILED, "it was filed before").into());
            }
            Ok(Command::New(Box::new(NewTicket {
                body: ticket.body.clone(),
                tags: vec!["scaffolding".to_owned()],
                area: Some(AREA.to_owned()),
                slug: Some(ticket.slug.to_owned()),
                needs_tests: false,
                acceptance: ticket.acceptance.clone(),
                ..new::titled(index, project, &ticket.title)?
            })))
        };
        match cx.execute(&store, &build) {
            Ok(outcome) => {
                if let Some(new) = outcome.ticket {
                    cx.ui.status(&format!("Filed {}: {}", new.id, ticket.title));
                    filed.push(new.id);
                }
            }
            Err(error) if error.code == FILED => {
                cx.ui.status(&format!("{AREA}/{} was filed before.", ticket.slug));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(filed)
}

/// That there is such a ticket.
const FILED: &str = "bootstrap.filed";
