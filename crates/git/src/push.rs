//! Pushing to a real remote, with the user's own credentials, for projects whose main is protected elsewhere.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use signalbox_core::Refusal;

use crate::Result;
use crate::error::GitError;
use crate::integration::Integration;
use crate::names::{BranchName, Oid};

/// How long a push may take.
const MOST: Duration = Duration::from_secs(10 * 60);

/// Where a branch is pushed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub url: String,
    /// The user's home: credentials and keys are found there, by the user's own configuration of git.
    pub home: PathBuf,
    /// Variables of the user's that reach the agent of their keys, such as `SSH_AUTH_SOCK`.
    pub variables: Vec<(String, OsString)>,
    /// Whether a repository on this machine will do. Only tests say yes.
    pub local: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    Done,
    /// The remote said no, or has moved. These are its words.
    Refused {
        said: String,
    },
}

impl Integration {
    /// Put a commit on a branch of a remote. Where `expected` is given the branch must be there, else the push must only
    /// add to it.
    pub fn push(
        &self,
        remote: &Remote,
        commit: &Oid,
        branch: &BranchName,
        expected: Option<&Oid>,
    ) -> Result<Pushed> {
        let shown = signalbox_core::text::one_line(&without_password(&remote.url)).into_owned();
        let known = ["https://", "ssh://"].iter().any(|scheme| remote.url.starts_with(scheme))
            || is_scp(&remote.url)
            || (remote.local && remote.url.starts_with('/'));
        if !known || remote.url.contains(char::is_control) {
            return Err(Refusal::usage("git.remote", format!("`{shown}` is not an address to push to"))
                .hint("It begins with `https://` or `ssh://`, or looks like `git@example.org:team/project.git`.")
                .into());
        }
        let doing = format!("push {branch} to {shown}");
        let lease = expected.map(|oid| format!("--force-with-lease={}:{oid}", branch.as_ref_name()));
        let spec = format!("{commit}:{}", branch.as_ref_name());
        let words = ["push", "--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no"]
            .into_iter()
            .chain(lease.as_deref())
            .chain(["--end-of-options", &remote.url, &spec]);
        let protocols = if remote.local { "https:ssh:file" } else { "https:ssh" };
        let mut call = self
            .place
            .call_as_user(&doing, words)
            .with("HOME", &remote.home)
            .with("GIT_ALLOW_PROTOCOL", protocols)
            .within(MOST);
        for (name, value) in &remote.variables {
            call = call.with(name, value);
        }
        let ran = call.run()?;
        if ran.succeeded() {
            return Ok(Pushed::Done);
        }
        // `!\t<from>:<to>\t[rejected] (fetch first)`
        let text = ran.text();
        let refused = text.lines().find_map(|line| line.strip_prefix("!\t")?.split('\t').nth(1));
        match refused {
            Some(said) => Ok(Pushed::Refused { said: signalbox_core::text::one_line(said).into_owned() }),
            None => Err(GitError::of_run(&doing, &ran)),
        }
    }
}

/// `git@example.org:team/project.git`
fn is_scp(url: &str) -> bool {
    let Some((host, path)) = url.split_once(':') else { return false };
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@');
    !host.is_empty()
        && !host.starts_with('-')
        && host.chars().all(safe)
        && !path.is_empty()
        && !path.starts_with(':')
        && !path.starts_with("//")
}

/// An address without the password that some have in it.
fn without_password(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (who, rest))) if !who.contains('/') => {
            let user = who.split_once(':').map_or(who, |(user, _)| user);
            format!("{scheme}://{user}@{rest}")
        }
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert!(is_scp("git@example.org:team/project.git"));
        for bad in ["", ":", "ext::sh -c id", "-oProxyCommand=id:x", "a b:c", "/local", "host:"] {
            assert!(!is_scp(bad), "{bad}");
        }
        assert_eq!(without_password("https://ada:secret@example.org/x"), "https://ada@example.org/x");
        assert_eq!(without_password("https://example.org/a@b"), "https://example.org/a@b");
    }
}
