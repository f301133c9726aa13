//! Leaving the merge to a protected remote: the validated commit is pushed as the ticket's branch, and lands when it turns
//! up on main.

use std::path::PathBuf;

use signalbox_core::Refusal;
use signalbox_git::{BranchName, Merged, Oid, Person, Pushed, Remote};
use signalbox_store::contract::Contract;

use crate::error::Failed;
use crate::launch::EMAIL;
use crate::site::Site;

/// What reaches the agent of a person's keys.
const PASSED: &[&str] = &["SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"];

/// Push a commit as this branch. Answers where to.
pub fn push(site: &Site, contract: &Contract, commit: &Oid, branch: &str) -> Result<String, Failed> {
    let name = contract.merge.remote.as_str();
    let url = remote_url(site, name).ok_or_else(|| {
        Refusal::not_found("push.no-remote", format!("{} has no remote `{name}`", site.root.display()))
            .hint("Add it with `git remote add`, or name another in the contract: `merge.remote`.")
    })?;
    let variables = PASSED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)));
    let remote = Remote {
        local: url.starts_with('/'),
        url,
        home: std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default(),
        variables: variables.collect(),
    };
    match site.integration.push(&remote, commit, &BranchName::parse(branch)?, None)? {
        Pushed::Done => Ok(name.to_owned()),
        Pushed::Refused { said } => {
            let message = format!("`{name}` did not take {branch}: {said}");
            Err(Refusal::new("push.refused", message)
                .hint("If the branch is there from another time, remove it there; it is pushed again.")
                .into())
        }
    }
}

/// Whether main has all that this commit changes, however it got there.
pub fn is_on_main(site: &Site, main: &Oid, commit: &Oid) -> Result<bool, Failed> {
    if site.integration.is_ancestor(commit, main)? {
        return Ok(true);
    }
    let Some(base) = site.integration.merge_base(main, commit)? else { return Ok(false) };
    let nobody = Person { name: "Signalbox".to_owned(), email: EMAIL.to_owned(), at: 0 };
    let merged = site.integration.squash_onto(main, commit, &base, "compare", &nobody, &nobody)?;
    Ok(merged == Merged::Empty)
}

/// Where the person's repository says that a remote is, read from its configuration as a file.
fn remote_url(site: &Site, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(site.user.config_file()).ok()?;
    let wanted = format!("[remote \"{name}\"]");
    let mut inside = false;
    text.lines().map(str::trim).find_map(|line| {
        if line.starts_with('[') {
            inside = line == wanted;
        }
        let (key, value) = line.split_once('=')?;
        (inside && key.trim() == "url").then(|| value.trim().trim_matches('"').to_owned())
    })
}
