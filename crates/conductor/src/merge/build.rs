//! Putting submissions on top of main, one after the other, on trees alone; and looking at each as the rules want it.

use std::collections::BTreeMap;

use signalbox_core::landing::{self, Author, Changed};
use signalbox_core::orchestra::queue::Built;
use signalbox_core::work::{MergeTrouble, Place};
use signalbox_core::{Role, Ticket};
use signalbox_git::{GitError, Merged, Oid, Person, Rebased, RefName};
use signalbox_store::contract::{Contract, Style};

use super::{changes, fingerprint};
use crate::error::Failed;
use crate::launch::EMAIL;
use crate::site::Site;
use crate::submit;

/// Put these on top of `onto`, in this order. Those that cannot be are left out. The same inputs give the same commits,
/// so that whoever does it again after a kill gets what was validated.
pub fn build(site: &Site, contract: &Contract, onto: &Oid, tickets: &[Ticket]) -> Result<Vec<Built>, Failed> {
    submit::gather_all(site, tickets)?;
    let mut built = Vec::new();
    let mut head = onto.clone();
    for ticket in tickets {
        let one = one(site, contract, &head, onto, ticket)?;
        if let Built::Fits { commit, .. } = &one
            && let Some(commit) = Oid::parse(commit)
        {
            head = commit;
        }
        built.push(one);
    }
    if head != *onto {
        // Nobody collects what a ref names.
        let name = RefName::parse("refs/signalbox/queue/tip")?;
        let before = site.integration.ref_at(&name)?;
        site.integration.update_ref(&name, &head, before.as_ref())?;
    }
    Ok(built)
}

/// One submission, on top of `head`.
fn one(site: &Site, contract: &Contract, head: &Oid, main: &Oid, ticket: &Ticket) -> Result<Built, Failed> {
    let handed = ticket.work.submission.as_ref();
    let unseen = |why: MergeTrouble, message: String| {
        Ok(Built::Refused { why, message, files: Vec::new(), diff: None })
    };
    let gathered = match submit::gather(site, ticket) {
        // It will not get better by waiting, and those behind it must not wait for it.
        Err(Failed::Git(GitError::Refused(refusal))) => {
            return unseen(MergeTrouble::Missing, refusal.message);
        }
        gathered => gathered?,
    };
    let Some(commit) = gathered else {
        let message = "the commit that was handed in cannot be found any more".to_owned();
        return unseen(MergeTrouble::Missing, message);
    };
    let Some(base) = site.integration.merge_base(main, &commit)? else {
        let message = format!("the branch has no commit in common with {}", site.main);
        return unseen(MergeTrouble::Ancestry, message);
    };
    let changed = changes(&site.integration, &base, &commit)?;
    let diff = Some(fingerprint(&changed));
    let refuse = |why: MergeTrouble, message: String, files: Vec<String>| {
        Ok(Built::Refused { why, message, files, diff: diff.clone() })
    };
    let fits = |commit: Oid, tree: Oid| -> Result<Built, Failed> {
        Ok(Built::Fits { commit: commit.to_string(), tree: tree.to_string(), diff: diff.clone() })
    };
    if changed.is_empty() {
        let message = format!("it changes nothing against {}", site.main);
        return refuse(MergeTrouble::Empty, message, Vec::new());
    }
    let tests = written_tests(site, ticket)?;
    if let Err(objection) = landing::check(&changed, author(ticket), &site.policy(contract), &tests) {
        return refuse(objection.why, objection.message, objection.files);
    }
    if let Some(missing) = missing_tests(&changed, &tests) {
        let message = "tests that were written for it are missing".to_owned();
        return refuse(MergeTrouble::Boundary, message, missing);
    }
    let when = handed.map_or(0, |handed| handed.at.as_second());
    let by = |name: &str| Person { name: name.to_owned(), email: EMAIL.to_owned(), at: when };
    let author = by(handed.map_or("nobody", |handed| handed.by.as_str()));
    let committer = by("Signalbox");
    let conflict = |files: Vec<signalbox_git::TreePath>| {
        let files: Vec<String> = files.iter().map(|path| path.text().into_owned()).collect();
        let message = format!("it conflicts with {} in {}", site.main, files.join(", "));
        refuse(MergeTrouble::Conflict, message, files)
    };
    let empty = || {
        let message = format!("{} has all of it already", site.main);
        refuse(MergeTrouble::Empty, message, Vec::new())
    };
    if contract.merge.style == Style::Rebase {
        match site.integration.rebase_onto(head, &commit, &base, &committer)? {
            Rebased::Landed { tip, tree, .. } => return fits(tip, tree),
            Rebased::Conflict { files, .. } => return conflict(files),
            Rebased::Empty => return empty(),
            // A merge cannot be replayed without losing what was decided in it: it lands as one.
            Rebased::NotLinear { .. } => {}
        }
    }
    match site.integration.squash_onto(head, &commit, &base, &message(ticket), &author, &committer)? {
        Merged::Landed { commit, tree } => fits(commit, tree),
        Merged::Conflict { files } => conflict(files),
        Merged::Empty => empty(),
    }
}

/// The commit's message: what it is, and where its story is told.
fn message(ticket: &Ticket) -> String {
    let title = signalbox_core::text::one_line(&ticket.title);
    format!("{title}\n\nTicket: {}\n", ticket.id)
}

/// Whose change it is. What a person hands in is theirs; what an agent does is held to its role.
fn author(ticket: &Ticket) -> Author {
    let Some(handed) = &ticket.work.submission else { return Author::Agent(Role::Doer) };
    match (handed.role, &handed.session, handed.handed.place) {
        (Some(role), _, _) => Author::Agent(role),
        (None, Some(_), _) => Author::Agent(Role::Assistant),
        (None, None, Place::Repository) => Author::Human,
        // A person who hands in what an agent did in its workspace vouches for none of it.
        (None, None, Place::Workspace) => Author::Agent(Role::Doer),
    }
}

/// The tests that were written for the ticket: by path, what they must be.
fn written_tests(site: &Site, ticket: &Ticket) -> Result<BTreeMap<String, Option<String>>, Failed> {
    let Some(tests) = &ticket.work.tests else { return Ok(BTreeMap::new()) };
    let Some(commit) = Oid::parse(&tests.commit) else { return Ok(BTreeMap::new()) };
    let main = site.tip()?;
    let Some(base) = site.integration.merge_base(&main, &commit)? else { return Ok(BTreeMap::new()) };
    let written = changes(&site.integration, &base, &commit)?;
    Ok(written.into_iter().map(|change| (change.path, change.content)).collect())
}

/// Tests that were written and are not part of the change.
fn missing_tests(changed: &[Changed], tests: &BTreeMap<String, Option<String>>) -> Option<Vec<String>> {
    let has = |path: &String| changed.iter().any(|change| change.path == *path);
    let missing: Vec<String> = tests.keys().filter(|path| !has(path)).cloned().collect();
    (!missing.is_empty()).then_some(missing)
}
