//! What an agent's repository holds: refs, reflog, staged files, and objects that nothing points at, all brought into the
//! integration repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::Workspace;
use super::head::{HeadText, tips};
use super::objects::{Lost, kinds};
use super::snapshot::{LeftOut, Why};
use crate::Result;
use crate::borrowed;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::names::{Oid, RefName, TreePath};
use crate::run::{Place, zero_ended};

/// The largest file of a reflog that is read.
const MOST_LOG: u64 = 64 << 20;

/// What was found in a workspace's repository.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub head: String,
    pub tip: Option<Oid>,
    pub refs: BTreeMap<String, Oid>,
    /// Commits that are in the integration repository now, with all they need.
    pub commits: BTreeSet<Oid>,
    pub lost: Vec<Lost>,
    /// The trees of the index, one a stage: 0 and, in a merge that is not finished, 1 to 3.
    pub index: Vec<(u8, Oid)>,
    pub tracked: BTreeSet<Vec<u8>>,
    pub left_out: Vec<LeftOut>,
    followed: Followed,
}

/// Objects that a history leads to, and which of them are parents of others.
#[derive(Debug, Default, Clone)]
struct Followed {
    objects: BTreeSet<Oid>,
    parents: BTreeSet<Oid>,
}

impl Workspace {
    /// All that its repository holds.
    pub(super) fn search(&self, directory: &Path, view: &Place) -> Result<Found> {
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
        wanted.extend(loose_ends(&dot_git));
        let logged = reflog(&dot_git, view)?;
        self.gather("the history", &wanted, &logged, view, &mut found)?;
        found.tip = found.tip.filter(|tip| found.commits.contains(tip));
        if let Some(tip) = &found.tip {
            self.note_fetched(tip)?;
        }

        let own = self.own_objects(&dot_git)?;
        found.followed = self.follow(&found.commits)?;
        let unnamed: Vec<&Oid> = own.difference(&found.followed.objects).collect();
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

    /// Fetch all of these, and what is still there of those in the reflog; one by one where it does not go at once.
    fn gather(
        &self,
        what: &str,
        wanted: &BTreeSet<Oid>,
        logged: &BTreeSet<Oid>,
        view: &Place,
        found: &mut Found,
    ) -> Result<()> {
        let from = &view.dir;
        let had = [Some(self.start().clone()), self.last_tip()?];
        let mut commits = Vec::new();
        for (oid, kind) in kinds(view, wanted.union(logged))? {
            match kind.as_deref() {
                // What was fetched before is there, with all it needs.
                Some("commit") if had.iter().flatten().any(|had| *had == oid) => {
                    found.commits.insert(oid);
                }
                Some("commit") => commits.push(oid),
                Some("tag") => {
                    let spec = format!("+{oid}:refs/signalbox/tags/{oid}");
                    if let Err(error) = borrowed::fetch(&self.integration.place, from, &[spec], "fetch a tag")
                    {
                        found.leave_out(&format!("tag {oid}"), &error);
                    }
                }
                Some(_) => {}
                // A reflog outlives what it names.
                None if !wanted.contains(&oid) => {}
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
    pub(super) fn fetch_nested(&self, directory: &Path, nested: &TreePath, found: &mut Found) -> Result<()> {
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
                self.gather(&what, &wanted, &BTreeSet::new(), &view, found)?;
                found.followed = self.follow(&found.commits)?;
                Ok(())
            }
            Err(error) => {
                found.leave_out(&what, &error);
                Ok(())
            }
        }
    }

    /// What these commits have and the start has not.
    fn follow<'a>(&self, commits: impl IntoIterator<Item = &'a Oid>) -> Result<Followed> {
        let mut input: String = commits.into_iter().map(|oid| format!("{oid}\n")).collect();
        input.push_str(&format!("^{}\n", self.start()));
        let words = ["rev-list", "--objects", "--no-object-names", "--parents", "--stdin"];
        let call = self.integration.place.call("follow the history", words).reading(input).at_length();
        let output = call.output()?;
        let mut followed = Followed::default();
        for line in output.split(|b| *b == b'\n') {
            // A commit has its parents beside it.
            let mut words = line.split(|b| *b == b' ').filter_map(Oid::parse_bytes);
            followed.objects.extend(words.next());
            followed.parents.extend(words);
        }
        Ok(followed)
    }

    /// The commits that no other of them leads to; where the branch is comes first.
    pub(super) fn heads(&self, found: &Found) -> Vec<Oid> {
        let mut followed = found.followed.clone();
        let mut commits = found.commits.clone();
        for lost in found.lost.iter().filter(|lost| lost.kind == "commit") {
            // A commit that lacks what it needs would make the keep-ref unreadable; its file is in the repository anyway.
            if let Ok(more) = self.follow([&lost.oid]) {
                commits.insert(lost.oid.clone());
                followed.objects.extend(more.objects);
                followed.parents.extend(more.parents);
            }
        }
        let first = found.tip.clone().unwrap_or_else(|| self.start().clone());
        let is_head =
            |oid: &Oid| *oid != first && followed.objects.contains(oid) && !followed.parents.contains(oid);
        let others: Vec<Oid> = commits.into_iter().filter(is_head).collect();
        std::iter::once(first).chain(others).collect()
    }

    pub(super) fn lost_tree(&self, lost: &[Lost]) -> Result<Option<Oid>> {
        let mut entries: Vec<_> = lost
            .iter()
            .map(|lost| match lost.kind.as_str() {
                "tree" => ("040000", "tree", lost.oid.clone(), lost.oid.to_string()),
                "blob" => ("100644", "blob", lost.oid.clone(), lost.oid.to_string()),
                _ => ("160000", "commit", lost.oid.clone(), lost.oid.to_string()),
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
        let write = |index: &Path| place.call(doing(), ["write-tree", "--missing-ok"]).index(index).oid();
        let merged = stages.keys().all(|stage| *stage == 0);
        for (stage, input) in stages {
            disk::remove_file(&stage_index).doing(doing)?;
            let tree = if merged {
                write(&copy)
            } else {
                let words = ["update-index", "-z", "--index-info"];
                let call = place.call(doing(), words).index(&stage_index).reading(input);
                call.output().and_then(|_| write(&stage_index))
            };
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

/// What the reflog names. Git itself does not look into a log through a link, so files are read here.
fn reflog(dot_git: &Path, view: &Place) -> Result<BTreeSet<Oid>> {
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
    Ok(found)
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
