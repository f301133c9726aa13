//! Leaving the merge to a protected remote: the validated commit is pushed as the ticket's branch, and lands when it turns
//! up on main there.

use std::collections::HashMap;
use std::path::PathBuf;

use signalbox_core::orchestra::queue::Reached;
use signalbox_core::{Refusal, TicketId};
use signalbox_git::{BranchName, Merged, Oid, Person, RefName, Remote};
use signalbox_store::contract::Contract;

use crate::error::Failed;
use crate::launch::EMAIL;
use crate::site::Site;

/// What reaches the agent of a person's keys.
const PASSED: &[&str] = &["SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"];
/// How many commits of main are looked through for what a remote made of one.
const MOST_COMMITS: usize = 500;

/// What came of a push.
#[derive(Debug)]
pub enum Pushed {
    There {
        remote: String,
    },
    /// The remote does not want it. These are its words.
    Refused {
        remote: String,
        said: String,
    },
}

/// Push a commit as this branch. One that we pushed for the ticket before is replaced, and nothing else is.
pub fn push(
    site: &Site,
    contract: &Contract,
    ticket: &TicketId,
    commit: &Oid,
    branch: &str,
) -> Result<Pushed, Failed> {
    let (name, remote) = (contract.merge.remote.as_str(), remote(site, contract, Way::There)?);
    let branch = BranchName::parse(branch)?;
    let there = site.integration.remote_branches(&remote, &[&branch])?.pop().flatten();
    if there.as_ref() == Some(commit) {
        return Ok(Pushed::There { remote: name.to_owned() });
    }
    // Written down before: whoever is killed in between must know it for their own.
    let ours = RefName::parse(&format!("refs/signalbox/pushed/{ticket}"))?;
    let is_ours = |tip: &Oid| Ok::<bool, Failed>(site.integration.ref_at(&of(&ours, tip)?)?.is_some());
    let expected = match &there {
        Some(tip) if is_ours(tip)? => Some(tip),
        _ => None,
    };
    if !is_ours(commit)? {
        site.integration.update_ref(&of(&ours, commit)?, commit, None)?;
    }
    match site.integration.push(&remote, commit, &branch, expected)? {
        signalbox_git::Pushed::Done => Ok(Pushed::There { remote: name.to_owned() }),
        signalbox_git::Pushed::Refused { said } => Ok(Pushed::Refused { remote: name.to_owned(), said }),
    }
}

fn of(prefix: &RefName, commit: &Oid) -> Result<RefName, Failed> {
    Ok(RefName::parse(&format!("{prefix}/{commit}"))?)
}

/// Which way one goes: a remote may be pushed to elsewhere than it is read from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    There,
    Back,
}

/// The remote that the contract names, as the person's repository knows it.
pub fn remote(site: &Site, contract: &Contract, way: Way) -> Result<Remote, Failed> {
    let name = contract.merge.remote.as_str();
    let (read, pushed) = site.user.remote(name)?.ok_or_else(|| {
        Refusal::not_found("push.no-remote", format!("{} has no remote `{name}`", site.root.display()))
            .hint("Add it with `git remote add`, or name another in the contract: `merge.remote`.")
    })?;
    let url = if way == Way::There { pushed } else { read };
    let variables = PASSED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)));
    Ok(Remote {
        local: url.starts_with('/'),
        url,
        home: std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default(),
        variables: variables.collect(),
    })
}

/// What a commit became on main since `from`, where a remote squashed or rebased it.
pub fn merged_as(site: &Site, from: &Oid, main: &Oid, commit: &Oid) -> Result<Option<Reached>, Failed> {
    let chain = site.integration.chain(from, main)?;
    let known: HashMap<&Oid, (&[Oid], &Oid)> =
        chain.iter().map(|(oid, parents, tree)| (oid, (parents.as_slice(), tree))).collect();
    // The commits that main itself went through, the oldest first: a later one may have changed it again.
    let mut line = Vec::new();
    let mut at = Some(main);
    while let Some((parents, tree)) = at.and_then(|oid| known.get(oid))
        && line.len() < MOST_COMMITS
    {
        line.extend(at.map(|oid| (oid, *tree)));
        at = parents.first();
    }
    for (oid, tree) in line.into_iter().rev() {
        if has(site, oid, commit)? {
            return Ok(Some(Reached { commit: oid.to_string(), tree: tree.to_string() }));
        }
    }
    Ok(None)
}

/// Whether a commit of main has all that another changes, however it got there.
pub fn has(site: &Site, main: &Oid, commit: &Oid) -> Result<bool, Failed> {
    let Some(base) = site.integration.merge_base(main, commit)? else { return Ok(false) };
    let nobody = Person { name: "Signalbox".to_owned(), email: EMAIL.to_owned(), at: 0 };
    let merged = site.integration.squash_onto(main, commit, &base, "compare", &nobody, &nobody)?;
    Ok(merged == Merged::Empty)
}
