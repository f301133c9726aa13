//! What is handed in: which commit, where it is found, and bringing it into our own repository.

use std::path::Path;

use signalbox_core::work::{Handed, Place};
use signalbox_core::{Refusal, Ticket};
use signalbox_git::{BranchName, Git, Head, Integration, Key, Oid, RefName, UserRepository};
use signalbox_store::config::Config;
use signalbox_store::{Home, project};

use crate::error::Failed;
use crate::site::Site;

/// The commit that somebody hands in from this directory; `None` where the project's work is not merged by the queue, or
/// is on main already.
pub fn handed(
    home: &Home,
    config: &Config,
    ticket: &Ticket,
    directory: &Path,
) -> Result<Option<Handed>, Failed> {
    if !Site::exists(home, &ticket.project) {
        return Ok(None);
    }
    let git = Git::find(&std::env::var_os("PATH").unwrap_or_default())?;
    let folder = home.root().join("integration").join(format!("{}.git", ticket.project));
    let integration = Integration::open(&git, &folder)?;
    let workspace = integration.workspaces().find(&Key::parse(ticket.id.as_str())?)?;
    let here = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let inside = workspace.filter(|workspace| {
        let path = workspace.path();
        here.starts_with(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    });
    if let Some(workspace) = inside {
        let branch = workspace.branch().as_str().to_owned();
        let head = workspace.head()?;
        let refuse = |message: String, hint: &str| Refusal::new("submit.branch", message).hint(hint);
        return match head {
            Head::OnBranch { tip } if tip == *workspace.start() && ticket.work.tests.is_none() => {
                Err(refuse(
                    format!("there is no commit on {branch} yet, so there is nothing to hand in"),
                    "Commit what you did: `git add …`, `git commit -m …`; then `sb submit` again.",
                )
                .into())
            }
            Head::OnBranch { tip } => {
                Ok(Some(Handed { commit: tip.to_string(), branch, place: Place::Workspace }))
            }
            other => Err(refuse(
                format!("this workspace is {}, and not on its branch {branch}", stands(&other)),
                "Go back to it with `git switch`, bring your commits there, and hand in again.",
            )
            .into()),
        };
    }
    from_repository(&git, &integration, config, ticket, directory)
}

/// Where a workspace stands that is not on its branch, as part of a sentence.
fn stands(head: &Head) -> String {
    match head {
        Head::OnBranch { .. } => "on its branch".to_owned(),
        Head::OtherBranch { branch, .. } => {
            format!("on the branch {}", signalbox_core::text::one_line(branch))
        }
        Head::Detached { .. } => "on no branch".to_owned(),
        Head::BranchGone => "without its branch".to_owned(),
        Head::GitGone => "without its repository".to_owned(),
        Head::Gone => "gone".to_owned(),
    }
}

/// From the person's own repository: what the directory is on, unless that is main.
fn from_repository(
    git: &Git,
    integration: &Integration,
    config: &Config,
    ticket: &Ticket,
    directory: &Path,
) -> Result<Option<Handed>, Failed> {
    let registered = config.projects.get(ticket.project.as_str());
    let branch = project::branch(directory).filter(|_| registered.is_some());
    let Some(branch) = branch.filter(|branch| branch != "main" && branch != "master") else {
        return Ok(None);
    };
    let user = UserRepository::open(git, directory)?;
    let commit = user.branch(integration, &BranchName::of_user(&branch)?)?;
    Ok(commit.map(|commit| Handed { commit: commit.to_string(), branch, place: Place::Repository }))
}

/// The ref that holds what was handed in.
fn held_by(ticket: &Ticket, commit: &Oid) -> Result<RefName, Failed> {
    Ok(RefName::parse(&format!("refs/signalbox/handed/{}/{commit}", ticket.id))?)
}

/// Bring what people handed in for these tickets into our own repository, all at once. Where that does not go, each is
/// brought by itself when it is needed.
pub fn gather_all(site: &Site, tickets: &[Ticket]) -> Result<(), Failed> {
    let mut wanted = Vec::new();
    for ticket in tickets {
        let Some(submission) = &ticket.work.submission else { continue };
        let Some(commit) = Oid::parse(&submission.handed.commit) else { continue };
        let name = held_by(ticket, &commit)?;
        let is_here = submission.handed.place == Place::Repository;
        if is_here && site.integration.ref_at(&name)?.is_none() {
            wanted.push((commit, name));
        }
    }
    if wanted.len() > 1 {
        // Who is to blame is found out one by one.
        let _ = site.user.fetch_all_as(&site.integration, &wanted);
    }
    Ok(())
}

/// Bring what was handed in into our own repository, where a ref of its own holds it. Answers the commit, if it is there.
pub fn gather(site: &Site, ticket: &Ticket) -> Result<Option<Oid>, Failed> {
    let Some(submission) = &ticket.work.submission else { return Ok(None) };
    let Some(commit) = Oid::parse(&submission.handed.commit) else { return Ok(None) };
    // The ref says that all of it is there. The commit alone does not: somebody may have been killed who fetched it.
    let name = held_by(ticket, &commit)?;
    if site.integration.ref_at(&name)?.is_some() {
        return Ok(Some(commit));
    }
    let is_there = match submission.handed.place {
        Place::Workspace => match site.workspace(&ticket.id)? {
            Some(workspace) => workspace.fetch_as(&commit, &name)?,
            None => false,
        },
        Place::Repository => site.user.fetch_as(&site.integration, &commit, &name)?,
    };
    if is_there {
        return Ok(Some(commit));
    }
    // It is gone where it was made, but may have been brought here with something else.
    if !site.integration.is_whole(&commit, &site.tip()?)? {
        return Ok(None);
    }
    site.integration.update_ref(&name, &commit, None)?;
    Ok(Some(commit))
}
