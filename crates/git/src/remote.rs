//! A real remote, reached with the user's own credentials, for projects whose main is protected elsewhere.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use signalbox_core::Refusal;

use crate::Result;
use crate::error::GitError;
use crate::integration::Integration;
use crate::names::{BranchName, Oid, RefName};
use crate::run::{Call, LONG};

/// How long a push may take.
const MOST: Duration = Duration::from_secs(10 * 60);
/// How long a remote may take to say where its branches are.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much of its words is told, in characters.
const MOST_SAID: usize = 400;

/// Where a branch is pushed to, or looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub url: String,
    /// The user's home: credentials and keys are found there, by the user's own configuration of git.
    pub home: PathBuf,
    /// Variables of the user's that reach the agent of their keys, such as `SSH_AUTH_SOCK`.
    pub variables: Vec<(String, OsString)>,
    /// Whether a repository on this machine will do.
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

impl Remote {
    /// Its address as it may be shown; refused where it is none that git should be given.
    fn checked(&self) -> Result<String> {
        let shown = signalbox_core::text::one_line(&without_password(&self.url)).into_owned();
        let known = ["https://", "ssh://"].iter().any(|scheme| self.url.starts_with(scheme))
            || is_scp(&self.url)
            || (self.local && self.url.starts_with('/'));
        if !known || self.url.contains(char::is_control) {
            return Err(Refusal::usage("git.remote", format!("`{shown}` is not an address to push to"))
                .hint("It begins with `https://` or `ssh://`, or looks like `git@example.org:team/project.git`.")
                .into());
        }
        Ok(shown)
    }
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
        let doing = format!("push {branch} to {}", remote.checked()?);
        let lease = expected.map(|oid| format!("--force-with-lease={}:{oid}", branch.as_ref_name()));
        let spec = format!("{commit}:{}", branch.as_ref_name());
        let words = ["push", "--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no"]
            .into_iter()
            .chain(lease.as_deref())
            .chain(["--end-of-options", &remote.url, &spec]);
        let ran = self.call_remote(&doing, remote, words).within(MOST).run()?;
        if ran.succeeded() {
            return Ok(Pushed::Done);
        }
        // `!\t<from>:<to>\t[rejected] (fetch first)`
        let text = ran.text();
        let refused = text.lines().find_map(|line| line.strip_prefix("!\t")?.split('\t').nth(1));
        match refused {
            Some(said) => {
                // What its hooks printed says more than that they said no.
                let complaint = ran.complaint();
                let words = complaint.lines().filter_map(|line| line.strip_prefix("remote:")).map(str::trim);
                let said: Vec<&str> =
                    std::iter::once(said).chain(words).filter(|it| !it.is_empty()).collect();
                let said = signalbox_core::text::one_line(&said.join("; ")).chars().take(MOST_SAID).collect();
                Ok(Pushed::Refused { said })
            }
            None => Err(GitError::of_run(&doing, &ran)),
        }
    }

    /// Where these branches of a remote are, in their order.
    pub fn remote_branches(&self, remote: &Remote, branches: &[&BranchName]) -> Result<Vec<Option<Oid>>> {
        let doing = format!("look at {}", remote.checked()?);
        let names: Vec<RefName> = branches.iter().map(|branch| branch.as_ref_name()).collect();
        let words = ["ls-remote", "--refs", "--quiet", "--end-of-options", &remote.url];
        let words = words.into_iter().chain(names.iter().map(RefName::as_str));
        let output = self.call_remote(&doing, remote, words).within(PATIENCE).output()?;
        let text = String::from_utf8_lossy(&output);
        // A name fits any longer one that ends with it.
        let at = |wanted: &RefName| {
            text.lines().find_map(|line| {
                let (oid, name) = line.split_once('\t')?;
                if name == wanted.as_str() { Oid::parse(oid) } else { None }
            })
        };
        Ok(names.iter().map(at).collect())
    }

    /// Copy a branch of a remote, with all it needs, into the integration repository, where `refs/signalbox/remote/…` names
    /// it.
    pub fn fetch_remote(&self, remote: &Remote, branch: &BranchName) -> Result<Oid> {
        let doing = format!("fetch {branch} from {}", remote.checked()?);
        let name = RefName::ours(format_args!("remote/{branch}"));
        let spec = format!("+{}:{name}", branch.as_ref_name());
        let words = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-show-forced-updates",
            "--refmap=",
            "--upload-pack=git-upload-pack",
            "--end-of-options",
            &remote.url,
            &spec,
        ];
        self.call_remote(&doing, remote, words).within(LONG).output()?;
        self.ref_at(&name)?.ok_or_else(|| GitError::failed(doing, "the remote has no such branch"))
    }

    fn call_remote<'a>(
        &self,
        doing: &str,
        remote: &Remote,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Call {
        let protocols = if remote.local { "https:ssh:file" } else { "https:ssh" };
        let call = self
            .place
            .call_as_user(doing, words)
            .with("HOME", &remote.home)
            .with("GIT_ALLOW_PROTOCOL", protocols);
        remote.variables.iter().fold(call, |call, (name, value)| call.with(name, value))
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
