//! What people do by hand: look at workspaces, take them away, get them back, and take their own main over.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use signalbox_core::{ProjectName, Refusal, TicketId, Who};
use signalbox_git::{Head, Key, RefName};
use signalbox_store::Home;
use signalbox_store::config::Config;

use crate::error::Failed;
use crate::site::Site;
use crate::{clean, mainline};

/// One workspace, or what was kept of one.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub ticket: String,
    pub branch: String,
    pub path: PathBuf,
    /// `ready`, `in use`, `on another branch`, `broken`, `gone` or `kept`.
    pub state: &'static str,
    pub bytes: u64,
    /// The keep-refs there are, the oldest first.
    pub kept: Vec<String>,
}

/// All workspaces of a project, and those of which only the keep-refs are left.
pub fn workspaces(site: &Site) -> Result<Vec<Row>, Failed> {
    let all = site.integration.workspaces();
    let mut rows = Vec::new();
    for workspace in all.list()? {
        let used = match clean::ticket_of(&workspace) {
            Some(ticket) => clean::is_used(site, &ticket)?,
            None => false,
        };
        let state = match workspace.head()? {
            Head::OnBranch { .. } if used => "in use",
            Head::OnBranch { .. } => "ready",
            Head::OtherBranch { .. } | Head::Detached { .. } => "on another branch",
            Head::BranchGone | Head::GitGone => "broken",
            Head::Gone => "gone",
        };
        rows.push(Row {
            ticket: workspace.key().as_str().to_owned(),
            branch: workspace.branch().as_str().to_owned(),
            path: workspace.path().to_owned(),
            state,
            bytes: workspace.disk_use(),
            kept: Vec::new(),
        });
    }
    for keep in all.keeps(None)? {
        let key = keep.kept.key.as_str();
        let name = keep.name.as_str().to_owned();
        match rows.iter_mut().find(|row| row.ticket == key) {
            Some(row) => row.kept.push(name),
            None => rows.push(Row {
                ticket: key.to_owned(),
                branch: keep.kept.branch.as_str().to_owned(),
                path: site.workspace_path(keep.kept.branch.as_str()),
                state: "kept",
                bytes: 0,
                kept: vec![name],
            }),
        }
    }
    Ok(rows)
}

/// Keep all that is in the workspaces of a ticket, or of all tickets that are done, and take them away.
pub fn clean_by_hand(site: &Site, ticket: Option<&TicketId>) -> Result<Vec<String>, Failed> {
    let (index, _) = site.store.read()?;
    let due = match ticket {
        Some(ticket) if clean::is_used(site, ticket)? => {
            return Err(Refusal::new("workspace.used", format!("an agent works on {ticket}"))
                .hint("End it first: `sb agents` shows which, `sb agent stop NAME` ends it.")
                .into());
        }
        Some(ticket) => vec![ticket.clone()],
        None => clean::due(site, &index)?,
    };
    let stop = AtomicBool::new(false);
    let mut kept = Vec::new();
    for ticket in due {
        let refs = clean::clean(site, None, &ticket, &stop)?;
        kept.extend(refs.into_iter().map(|keep| keep.name.to_string()));
    }
    Ok(kept)
}

/// Make a ticket's workspace anew from what was kept.
pub fn restore(site: &Site, ticket: &TicketId, name: Option<&str>) -> Result<PathBuf, Failed> {
    let all = site.integration.workspaces();
    let key = Key::parse(ticket.as_str())?;
    if all.find(&key)?.is_some_and(|workspace| workspace.path().is_dir()) {
        return Err(Refusal::new("workspace.there", format!("{ticket} has a workspace already"))
            .hint(format!("`sb workspace clean {ticket}` keeps what is in it and takes it away."))
            .into());
    }
    let keep = match name {
        Some(name) => all.keep_at(&RefName::parse(name)?)?,
        None => all.keeps(Some(&key))?.pop().ok_or_else(|| {
            Refusal::not_found("workspace.nothing", format!("nothing was kept of {ticket}"))
                .hint("`sb workspace list` shows what was.")
        })?,
    };
    let path = site.workspace_path(keep.kept.branch.as_str());
    all.restore(&keep, &path)?;
    Ok(path)
}

/// Take over what is on the person's main. Answers where ours was, and where it is.
pub fn adopt(
    home: &Home,
    config: &Config,
    project: &ProjectName,
    who: &Who,
) -> Result<(String, String), Failed> {
    who.must_be_human("take over what did not come through the queue")?;
    let site = Site::open(home, config, project)?;
    let ours = site.tip()?;
    let theirs = site.user.import(&site.integration, &site.main)?;
    if theirs == ours {
        let message = format!("your {} and Signalbox's are the same", site.main);
        return Err(Refusal::new("adopt.nothing", message).into());
    }
    mainline::adopt(&site, &ours, &theirs, who)?;
    Ok((ours.to_string(), theirs.to_string()))
}
