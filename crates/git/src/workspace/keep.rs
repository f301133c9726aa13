//! Keep-refs: all that is in a workspace as one commit, so that nothing is lost when the workspace goes.
//!
//! The commit's parents are what the branch, other refs, the reflog and the stash point at. Its tree has `files` (the
//! directory, byte for byte), `index` (what was staged), `lost` (objects that nothing points at), `refs` (a text), and
//! `keep.json`, which says what is what.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use signalbox_core::Refusal;

use super::fill::TreeLine;
use super::search::Found;
use super::snapshot::LeftOut;
use super::{Workspace, Workspaces};
use crate::Result;
use crate::disk;
use crate::error::GitError;
use crate::merge::Person;
use crate::names::{BranchName, Key, Oid, RefName, TreePath};

/// A workspace as it was, in the integration repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepRef {
    pub name: RefName,
    pub commit: Oid,
    pub kept: Kept,
}

/// What a keep-ref says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub version: u32,
    pub key: Key,
    pub branch: BranchName,
    pub main: Option<BranchName>,
    pub start: Oid,
    pub base: Oid,
    /// Where the branch was; where it was last fetched, if it was gone or could not be read.
    pub tip: Option<Oid>,
    /// What `HEAD` said.
    pub head: String,
    pub refs: BTreeMap<String, Oid>,
    pub reason: String,
    pub at: Timestamp,
    /// Files, index, refs and lost objects as one tree: the same for the same workspace.
    pub state: Oid,
    /// The working directory, byte for byte.
    pub files: Oid,
    pub index: Option<Oid>,
    pub left_out: Vec<LeftOut>,
    pub name: String,
    pub email: String,
}

/// A workspace as it is.
#[derive(Debug)]
pub(super) struct Whole {
    /// What the tree of its state is made of.
    entries: Vec<TreeLine>,
    pub parents: Vec<Oid>,
    pub kept: Kept,
}

impl Workspace {
    /// Keep all of it, as it is now. The agent should not be working in it.
    pub fn keep(&self, reason: &str, at: Timestamp) -> Result<KeepRef> {
        let _lock = self.workspaces().lock(self.key())?;
        if !disk::is_real_dir(self.path()) {
            return Err(Refusal::not_found(
                "git.workspace-gone",
                format!("the workspace {} is gone, and there is nothing to keep", self.path().display()),
            )
            .hint("What was fetched from it before is still in the integration repository.")
            .into());
        }
        let mut state = self.state(self.path())?;
        state.kept.reason = reason.to_owned();
        state.kept.at = at;
        let json = serde_json::to_vec_pretty(&state.kept)
            .map_err(|error| GitError::failed("write a keep-ref", error.to_string()))?;
        let json = self.make_blob(&json)?;
        state.entries.push(("100644", "blob", json, "keep.json".to_owned()));
        let tree = self.make_tree(&state.entries)?;
        let us = Person { name: "Signalbox".into(), email: "signalbox@localhost".into(), at: at.as_second() };
        let message = format!("Keep {}: {reason}\n", self.key());
        let commit = self.integration.commit_tree(&tree, &state.parents, &message, &us, &us)?;
        let name = self.name_keep(&commit, at)?;
        Ok(KeepRef { name, commit, kept: state.kept })
    }

    /// The first free name for a keep-ref of this second.
    fn name_keep(&self, commit: &Oid, at: Timestamp) -> Result<RefName> {
        let second = at.strftime("%Y%m%dT%H%M%SZ").to_string();
        for number in 1..10_000 {
            let more = if number == 1 { String::new() } else { format!("-{number}") };
            let name = RefName::ours(format_args!("keep/{}/{second}{more}", self.key()));
            match self.integration.update_ref(&name, commit, None) {
                Ok(()) => return Ok(name),
                Err(GitError::Moved { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(GitError::failed("name a keep-ref", "there are thousands of this second"))
    }

    /// All that is in a directory of the workspace, brought into the integration repository.
    pub(super) fn state(&self, directory: &Path) -> Result<Whole> {
        let mut found = match self.view_of(directory)? {
            Some(view) => self.search(directory, &view)?,
            None => Found::default(),
        };
        if found.tip.is_none() {
            found.tip = self.last_tip()?;
            found.commits.extend(found.tip.clone());
        }
        let snapshot = self.snapshot(directory, &found.tracked)?;
        found.left_out.extend(snapshot.left_out);
        for nested in &snapshot.nested {
            self.fetch_nested(directory, nested, &mut found)?;
        }
        let mut refs: String = found.refs.iter().map(|(name, oid)| format!("{oid} {name}\n")).collect();
        refs.push_str(&format!("HEAD {}\n", found.head.trim()));
        refs.extend(found.commits.iter().map(|oid| format!("kept {oid}\n")));
        let refs = self.make_blob(refs.as_bytes())?;
        let lost = self.lost_tree(&found.lost)?;
        let mut entries = vec![
            ("040000", "tree", snapshot.tree.clone(), "files".to_owned()),
            ("100644", "blob", refs, "refs".to_owned()),
        ];
        entries.extend(found.index.iter().map(|(stage, tree)| {
            let name = if *stage == 0 { "index".to_owned() } else { format!("index-{stage}") };
            ("040000", "tree", tree.clone(), name)
        }));
        entries.extend(lost.map(|tree| ("040000", "tree", tree, "lost".to_owned())));
        let tree = self.make_tree(&entries)?;
        let parents = self.heads(&found);
        let index = found.index.iter().find(|(stage, _)| *stage == 0).map(|(_, tree)| tree.clone());
        let record = &self.record;
        let kept = Kept {
            version: 1,
            key: record.key.clone(),
            branch: record.branch.clone(),
            main: record.main.clone(),
            start: record.start.clone(),
            base: record.base.clone(),
            tip: found.tip,
            head: found.head,
            refs: found.refs,
            reason: String::new(),
            at: Timestamp::UNIX_EPOCH,
            state: tree,
            files: snapshot.tree,
            index,
            left_out: found.left_out,
            name: record.name.clone(),
            email: record.email.clone(),
        };
        Ok(Whole { entries, parents, kept })
    }
}

impl Workspaces {
    /// The keep-refs of a ticket, or all of them, oldest first.
    pub fn keeps(&self, key: Option<&Key>) -> Result<Vec<KeepRef>> {
        let prefix =
            key.map_or_else(|| RefName::ours("keep"), |key| RefName::ours(format_args!("keep/{key}")));
        let mut keeps = Vec::new();
        for (name, commit) in self.integration.refs(&prefix)? {
            keeps.push(self.read_keep(name, commit)?);
        }
        keeps.sort_by(|one, other| (one.kept.at, &one.name).cmp(&(other.kept.at, &other.name)));
        Ok(keeps)
    }

    /// The keep-ref of this name.
    pub fn keep_at(&self, name: &RefName) -> Result<KeepRef> {
        match self.integration.ref_at(name)? {
            Some(commit) => self.read_keep(name.clone(), commit),
            None => Err(Refusal::not_found("git.no-keep", format!("there is no keep-ref {name}")).into()),
        }
    }

    fn read_keep(&self, name: RefName, commit: Oid) -> Result<KeepRef> {
        let doing = || format!("read {name}");
        let json = self.integration.read_file(&commit, &TreePath::new("keep.json"))?;
        let json = json.ok_or_else(|| GitError::failed(doing(), "it is no keep-ref"))?;
        let kept =
            serde_json::from_slice(&json).map_err(|error| GitError::failed(doing(), error.to_string()))?;
        Ok(KeepRef { name, commit, kept })
    }
}
