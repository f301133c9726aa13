//! Keep-refs: all that is in a workspace as one commit, so that nothing is lost when the workspace goes.
//!
//! The commit's parents are what the branch, other refs, the reflog and the stash point at. Its tree has `files` (the
//! directory, byte for byte), `index` (what was staged), `lost` (objects that nothing points at), `refs` (a text), and
//! `keep.json`, which says what is what.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use signalbox_core::Refusal;

use super::head::{HeadText, tips};
use super::objects::{Lost, kinds};
use super::snapshot::{LeftOut, Why};
use super::{Workspace, Workspaces};
use crate::Result;
use crate::borrowed;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::merge::Person;
use crate::names::{BranchName, Key, Oid, RefName, TreePath};
use crate::run::{Place, zero_ended};

/// The largest file of a reflog that is read.
const MOST_LOG: u64 = 64 << 20;

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
    pub tree: Oid,
    pub parents: Vec<Oid>,
    pub kept: Kept,
}

/// What was found in a workspace's repository.
#[derive(Debug, Default)]
struct Found {
    head: String,
    tip: Option<Oid>,
    refs: BTreeMap<String, Oid>,
    /// Commits that are in the integration repository now, with all they need.
    commits: BTreeSet<Oid>,
    lost: Vec<Lost>,
    /// The trees of the index, one a stage: 0 and, in a merge that is not finished, 1 to 3.
    index: Vec<(u8, Oid)>,
    tracked: BTreeSet<Vec<u8>>,
    left_out: Vec<LeftOut>,
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
        let entries = self.integration.entries_of(&state.tree)?;
        let mut lines: Vec<(&str, &str, &Oid, String)> = entries
            .iter()
            .map(|entry| (entry.mode(), entry.kind.as_str(), &entry.oid, entry.path.text().into_owned()))
            .collect();
        lines.push(("100644", "blob", &json, "keep.json".to_owned()));
        let tree = self.make_tree(&lines)?;
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
            ("040000", "tree", &snapshot.tree, "files".to_owned()),
            ("100644", "blob", &refs, "refs".to_owned()),
        ];
        entries.extend(found.index.iter().map(|(stage, tree)| {
            let name = if *stage == 0 { "index".to_owned() } else { format!("index-{stage}") };
            ("040000", "tree", tree, name)
        }));
        entries.extend(lost.iter().map(|tree| ("040000", "tree", tree, "lost".to_owned())));
        let tree = self.make_tree(&entries)?;
        let parents = self.heads(&found)?;
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
            state: tree.clone(),
            files: snapshot.tree,
            index,
            left_out: found.left_out,
            name: record.name.clone(),
            email: record.email.clone(),
        };
        Ok(Whole { tree, parents, kept })
    }

    /// All that its repository holds.
    fn search(&self, directory: &Path, view: &Place) -> Result<Found> {
        let dot_git = directory.join(".git");
        let mut found = Found { refs: tips(view)?.into_iter().collect(), ..Found::default() };
        found.tip = found.refs.get(self.branch().as_ref_name().as_str()).cloned();
        let mut wanted: BTreeSet<Oid> = found.refs.values().cloned().collect();
        match self.head_text(directory, view)? {
            Some(HeadText::Ref(name)) => found.head = format!("ref: {name}"),
            Some(HeadText::Commit(oid)) => {
                found.head = oid.to_string();
                wanted.insert(oid);
            }
            None => {}
        }
        wanted.extend(reflog(&dot_git, view)?);
        wanted.extend(loose_ends(&dot_git));
        self.gather(&view.dir, "the history", &wanted, view, &mut found)?;
        found.tip = found.tip.filter(|tip| found.commits.contains(tip));
        if let Some(tip) = &found.tip {
            self.note_fetched(tip)?;
        }

        let own = self.own_objects(&dot_git)?;
        let reachable = self.reachable(&found.commits)?;
        let unnamed: Vec<&Oid> = own.difference(&reachable).collect();
        for (oid, kind) in kinds(view, unnamed.into_iter())? {
            match kind {
                Some(kind) => found.lost.push(Lost { oid, kind }),
                None => {
                    found.leave_out(&format!("object {oid}"), &GitError::failed("read it", "it is damaged"));
                }
            }
        }
        if let Err(error) = self.copy_objects(view, &found.lost) {
            // Malformed commits and trees are not let in; the content of files always is.
            found.leave_out("objects that nothing points at", &error);
            found.lost.retain(|lost| lost.kind == "blob");
            self.copy_objects(view, &found.lost)?;
        }
        // No tree holds a tag, so each has a ref of its own.
        for tag in found.lost.iter().filter(|lost| lost.kind == "tag") {
            self.integration.set_ref(&RefName::ours(format_args!("tags/{}", tag.oid)), &tag.oid)?;
        }
        found.lost.retain(|lost| lost.kind != "tag");
        self.read_index(&dot_git, &mut found)?;
        Ok(found)
    }

    /// Fetch all of these, one by one where it does not go at once.
    fn gather(
        &self,
        from: &Path,
        what: &str,
        wanted: &BTreeSet<Oid>,
        view: &Place,
        found: &mut Found,
    ) -> Result<()> {
        let mut commits = Vec::new();
        for (oid, kind) in kinds(view, wanted.iter())? {
            match kind.as_deref() {
                Some("commit") => commits.push(oid),
                Some("tag") => {
                    let spec = format!("+{oid}:refs/signalbox/tags/{oid}");
                    if let Err(error) = borrowed::fetch(&self.integration.place, from, &[spec], "fetch a tag")
                    {
                        found.leave_out(&format!("tag {oid}"), &error);
                    }
                }
                Some(_) => {}
                None => found
                    .leave_out(&format!("{what} at {oid}"), &GitError::failed("read it", "it is not there")),
            }
        }
        if commits.is_empty() || self.fetch_objects(from, &commits).is_ok() {
            found.commits.extend(commits);
            return Ok(());
        }
        for oid in commits {
            match self.fetch_objects(from, std::slice::from_ref(&oid)) {
                Ok(()) => {
                    found.commits.insert(oid);
                }
                Err(error) => found.leave_out(&format!("{what} at {oid}"), &error),
            }
        }
        Ok(())
    }

    /// What the refs of a repository within the workspace point at. Its files are kept in any case.
    fn fetch_nested(&self, directory: &Path, nested: &TreePath, found: &mut Found) -> Result<()> {
        let dot_git = disk::below(directory, nested.as_bytes()).join(".git");
        if !disk::is_real_dir(&dot_git) {
            return Ok(());
        }
        let what = format!("the history of {nested}");
        let view = match borrowed::borrow(self.integration.git(), &self.own("nested"), &dot_git) {
            Ok(view) => view,
            Err(error) => {
                found.leave_out(&what, &error);
                return Ok(());
            }
        };
        match tips(&view) {
            Ok(refs) => {
                let wanted = refs.into_iter().map(|(_, oid)| oid).collect();
                self.gather(&view.dir, &what, &wanted, &view, found)
            }
            Err(error) => {
                found.leave_out(&what, &error);
                Ok(())
            }
        }
    }

    /// Every object that these commits have and the start has not.
    fn reachable(&self, commits: &BTreeSet<Oid>) -> Result<BTreeSet<Oid>> {
        let mut input: String = commits.iter().map(|oid| format!("{oid}\n")).collect();
        input.push_str(&format!("^{}\n", self.start()));
        let words = ["rev-list", "--objects", "--no-object-names", "--stdin"];
        let call = self.integration.place.call("follow the history", words).reading(input).at_length();
        Ok(call.output()?.split(|b| *b == b'\n').filter_map(Oid::parse_bytes).collect())
    }

    /// The commits that no other of them leads to; where the branch is comes first.
    fn heads(&self, found: &Found) -> Result<Vec<Oid>> {
        let lost = found.lost.iter().filter(|lost| lost.kind == "commit").map(|lost| lost.oid.clone());
        let mut commits = found.commits.clone();
        // A commit that lacks what it needs would make the keep-ref unreadable; its file is in the repository anyway.
        commits.extend(lost.filter(|oid| self.reachable(&BTreeSet::from([oid.clone()])).is_ok()));
        let mut input: String = commits.iter().map(|oid| format!("{oid}\n")).collect();
        input.push_str(&format!("^{}\n", self.start()));
        let words = ["rev-list", "--parents", "--stdin"];
        let output = self.integration.place.call("follow the history", words).reading(input).output()?;
        let text = String::from_utf8_lossy(&output);
        let below: BTreeSet<&str> = text.lines().flat_map(|line| line.split(' ').skip(1)).collect();
        let listed: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
        let first = found.tip.clone().unwrap_or_else(|| self.start().clone());
        let others = commits
            .into_iter()
            .filter(|oid| *oid != first && listed.contains(oid.as_str()) && !below.contains(oid.as_str()));
        Ok(std::iter::once(first.clone()).chain(others).collect())
    }

    fn lost_tree(&self, lost: &[Lost]) -> Result<Option<Oid>> {
        let mut entries: Vec<_> = lost
            .iter()
            .map(|lost| match lost.kind.as_str() {
                "tree" => ("040000", "tree", &lost.oid, lost.oid.to_string()),
                "blob" => ("100644", "blob", &lost.oid, lost.oid.to_string()),
                _ => ("160000", "commit", &lost.oid, lost.oid.to_string()),
            })
            .collect();
        entries.sort_by(|one, other| one.3.cmp(&other.3));
        if entries.is_empty() { Ok(None) } else { self.make_tree(&entries).map(Some) }
    }

    /// What is staged, from a copy of the agent's index.
    fn read_index(&self, dot_git: &Path, found: &mut Found) -> Result<()> {
        let (copy, stage_index) = (self.scratch("agent.index"), self.scratch("stage.index"));
        let doing = || format!("read the index of {}", self.path().display());
        if !disk::copy(&dot_git.join("index"), &copy).doing(doing)? {
            return Ok(());
        }
        let place = &self.integration.place;
        let output = match place.call(doing(), ["ls-files", "-s", "-z"]).index(&copy).output() {
            Ok(output) => output,
            Err(error) => {
                found.leave_out("what is staged", &error);
                return Ok(());
            }
        };
        // `100644 <oid> <stage>\t<path>`
        let mut stages: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for line in zero_ended(&output) {
            let Some(tab) = line.iter().position(|b| *b == b'\t') else { continue };
            let (about, path) = line.split_at(tab);
            found.tracked.insert(path.get(1..).unwrap_or_default().to_vec());
            let stage = about.last().map_or(0, |digit| digit.saturating_sub(b'0'));
            let input = stages.entry(stage).or_default();
            input.extend_from_slice(about.get(..about.len() - 1).unwrap_or_default());
            input.push(b'0');
            input.extend_from_slice(path);
            input.push(0);
        }
        for (stage, input) in stages {
            disk::remove_file(&stage_index).doing(doing)?;
            let words = ["update-index", "-z", "--index-info"];
            let call = place.call(doing(), words).index(&stage_index).reading(input);
            let tree = call
                .output()
                .and_then(|_| place.call(doing(), ["write-tree", "--missing-ok"]).index(&stage_index).oid());
            match tree {
                Ok(tree) => found.index.push((stage, tree)),
                Err(error) => found.leave_out("what is staged", &error),
            }
        }
        Ok(())
    }
}

impl Found {
    fn leave_out(&mut self, what: &str, error: &GitError) {
        self.left_out.push(LeftOut { what: what.to_owned(), why: Why::Damaged(error.to_string()) });
    }
}

/// What the reflog names that is still there. Git itself does not look into a log through a link, so files are read here.
fn reflog(dot_git: &Path, view: &Place) -> Result<Vec<Oid>> {
    let mut found = BTreeSet::new();
    if view.dir.join("reftable").exists() {
        let words = ["rev-list", "--no-walk", "--ignore-missing", "--reflog"];
        // 129: there is none.
        let (_, output) = view.call("read the reflog", words).ending(&[0, 129])?;
        found.extend(output.split(|b| *b == b'\n').filter_map(Oid::parse_bytes));
    }
    let mut folders = vec![dot_git.join("logs")];
    while let Some(folder) = folders.pop().filter(|folder| disk::is_real_dir(folder)) {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if disk::is_real_dir(&entry.path()) {
                folders.push(entry.path());
            } else if let Ok(Some(bytes)) = disk::read_plain(&entry.path(), MOST_LOG) {
                // `<old> <new> who when\twhy`
                let words = bytes.split(|b| *b == b'\n').flat_map(|line| line.split(|b| *b == b' ').take(2));
                found.extend(words.filter_map(Oid::parse_bytes));
            }
        }
    }
    let known = kinds(view, found.iter())?;
    Ok(known.into_iter().filter(|(_, kind)| kind.is_some()).map(|(oid, _)| oid).collect())
}

/// What `ORIG_HEAD`, `FETCH_HEAD`, `MERGE_HEAD` and their like name.
fn loose_ends(dot_git: &Path) -> Vec<Oid> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dot_git).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_one =
            name.to_str().is_some_and(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
        if is_one && let Some(text) = disk::small_text(&entry.path()) {
            found.extend(text.lines().filter_map(|line| Oid::parse(line.split_ascii_whitespace().next()?)));
        }
    }
    found
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
