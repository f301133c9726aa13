//! `sb trust`: which text of a contract may have commands run.

use signalbox_core::{ProjectName, text, time};
use signalbox_store::contract::{self, Contract, Variable};
use signalbox_store::trust::{self, State};

use crate::context::Context;
use crate::diff;
use crate::installing::agreed;
use signalbox_desk::error::CommandError;

/// What `.signalbox/project.toml` has run (validation, set-up, arguments of agents) is shown with what has changed since
/// it was last trusted. Once you say yes, exactly this text of it is trusted, in all of the project's worktrees; a
/// change of a single letter has to be trusted again.
#[derive(clap::Args)]
pub struct Arguments {
    /// Trust it without being asked
    #[arg(long, short)]
    yes: bool,
    /// Trust no text of it any longer
    #[arg(long, conflicts_with_all = ["yes", "list"])]
    revoke: bool,
    /// List what is trusted, in every project
    #[arg(long, conflicts_with = "yes")]
    list: bool,
    /// The project [default: the one of the current directory]
    #[arg(long)]
    project: Option<String>,
    /// Print JSON; without `--yes` it only says how things are
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if arguments.list {
        return list(cx, arguments.project.as_deref());
    }
    cx.who()?.must_be_human("say that a contract is trusted")?;
    let project = cx.project_named(arguments.project.as_deref())?;
    if arguments.revoke {
        return revoke(cx, &project);
    }
    let root = cx.config()?.projects.get(project.as_str()).map(|project| project.path.clone());
    let root = root.map_or_else(|| cx.directory(), Ok)?;
    let bytes = contract::in_checkout(&root)?.ok_or_else(|| {
        let message = format!("{} has no {}", root.display(), contract::PATH);
        CommandError::not_found("contract.none", message).hint("`sb bootstrap` proposes one.")
    })?;
    let parsed = Contract::parse(&bytes, contract::PATH)?;
    // It was read as a contract, so it is text.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (store, index) = cx.index()?;
    let state = trust::state(&index, &project, &bytes)?;
    let last = trust::trusted(&index, Some(&project))?.pop();
    drop(index);
    if !cx.ui.json {
        show(cx, &parsed, last.as_ref().map(|last| last.text.as_str()), &text)?;
    }
    let is_new = !matches!(state, State::Trusted { .. });
    let ask = || agreed(&format!("Trust this as the contract of `{project}`?"));
    let trusts = is_new && (arguments.yes || (!cx.ui.json && ask()?));
    if trusts {
        trust::trust(&store, cx.who()?, &project, &text)?;
    }
    if cx.ui.json {
        let word = match state {
            _ if trusts => "trusted",
            State::Trusted { .. } => "trusted",
            State::Changed { .. } => "changed",
            State::Never => "never",
        };
        return cx.ui.json(&serde_json::json!({
            "project": project, "hash": trust::hash(&bytes), "state": word, "runs": parsed.runs(),
            "env": parsed.validate.env.iter().map(ToString::to_string).collect::<Vec<_>>(), "lacks": parsed.lacks(),
        }));
    }
    if trusts {
        cx.ui.status(&format!("The contract of `{project}` is trusted as it is now."));
        return Ok(());
    }
    match state {
        State::Trusted { since } => {
            cx.ui.status(&format!("It is trusted since {}.", time::short(since)));
            Ok(())
        }
        State::Changed { .. } | State::Never => {
            Err(CommandError::precondition("trust.not-agreed", "nothing was trusted")
                .hint("`sb trust --yes` trusts it without asking."))
        }
    }
}

/// What it has run, what it lacks, and what has changed.
fn show(cx: &Context, contract: &Contract, before: Option<&str>, now: &str) -> Result<(), CommandError> {
    let runs = contract.runs();
    let width = runs.iter().map(|row| row.when.chars().count()).max().unwrap_or(0);
    if runs.is_empty() {
        cx.ui.status("It has nothing run.");
    }
    for row in &runs {
        let when = format!("{:width$}", row.when);
        cx.ui.data(&format!("{}  {}\n", text::one_line(&when), text::one_line(&row.what)))?;
    }
    if !contract.validate.env.is_empty() {
        let names: Vec<_> = contract.validate.env.iter().map(Variable::as_str).collect();
        cx.ui.data(&format!("{:width$}  {}\n", "variables", names.join(", ")))?;
    }
    for (role, settings) in contract.roles.each() {
        if signalbox_drivers::find(settings.driver.as_str()).is_none() {
            cx.ui.warn(&format!(
                "`roles.{role}.driver` is `{}`, and there is no such driver",
                settings.driver
            ));
        }
    }
    for lack in contract.lacks() {
        cx.ui.warn(&lack);
    }
    let changed = before.map(|before| diff::lines(before, now)).unwrap_or_default();
    if !changed.is_empty() {
        cx.ui.status("Since it was last trusted:");
        cx.ui.status(changed.trim_end());
    }
    Ok(())
}

fn revoke(cx: &Context, project: &ProjectName) -> Result<(), CommandError> {
    let revoked = trust::revoke(&cx.store()?, cx.who()?, project)?;
    if cx.ui.json {
        return cx.ui.json(&revoked);
    }
    match revoked.is_empty() {
        true => cx.ui.status(&format!("Nothing of `{project}` was trusted.")),
        false => cx.ui.status(&format!("Nothing of `{project}` is trusted any longer.")),
    }
    Ok(())
}

fn list(cx: &Context, project: Option<&str>) -> Result<(), CommandError> {
    let project = project.map(|name| cx.registered(name)).transpose()?;
    let (_, index) = cx.index()?;
    let trusted = trust::trusted(&index, project.as_ref())?;
    if cx.ui.json {
        return cx.ui.json(&trusted);
    }
    if trusted.is_empty() {
        cx.ui.status("Nothing is trusted.");
    }
    for one in &trusted {
        let hash: String = one.hash.chars().take(12).collect();
        cx.ui.data(&format!("{}  {hash}  {}\n", one.project, time::short(one.since)))?;
    }
    Ok(())
}
