//! As much of git as the orchestrator needs: commits are files with contents and one parent; a tree is known by what is in
//! it.

use std::collections::{BTreeMap, BTreeSet};

/// The files of a commit.
pub type Files = BTreeMap<String, String>;

#[derive(Debug, Clone)]
pub struct Commit {
    pub parent: Option<String>,
    pub files: Files,
    /// The commit that was handed in, where the queue made this one from it.
    pub made_from: Option<String>,
}

/// Our own repository, and the workspaces that borrow from it.
#[derive(Debug, Clone)]
pub struct Git {
    commits: BTreeMap<String, Commit>,
    trees: BTreeMap<Files, String>,
    pub main: String,
    /// Where main has been, oldest first.
    pub moves: Vec<Move>,
}

/// One move of main.
#[derive(Debug, Clone)]
pub struct Move {
    pub to: String,
    pub by_queue: bool,
}

/// What came of putting a change on top of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    Fits { commit: String, tree: String },
    Conflict(Vec<String>),
    Empty,
}

impl Git {
    pub fn new(files: Files) -> Self {
        let mut git =
            Self { commits: BTreeMap::new(), trees: BTreeMap::new(), main: String::new(), moves: Vec::new() };
        git.main = git.commit(None, files, None);
        git
    }

    pub fn commit(&mut self, parent: Option<&str>, files: Files, made_from: Option<&str>) -> String {
        let id = format!("k{}", self.commits.len());
        let tree = format!("t{}", self.trees.len());
        self.trees.entry(files.clone()).or_insert(tree);
        let (parent, made_from) = (parent.map(str::to_owned), made_from.map(str::to_owned));
        self.commits.insert(id.clone(), Commit { parent, files, made_from });
        id
    }

    pub fn get(&self, commit: &str) -> Option<&Commit> {
        self.commits.get(commit)
    }

    pub fn files(&self, commit: &str) -> Files {
        self.get(commit).map(|commit| commit.files.clone()).unwrap_or_default()
    }

    /// Whether some commit has a file with this content.
    pub fn has(&self, path: &str, content: &str) -> bool {
        self.commits.values().any(|commit| commit.files.get(path).is_some_and(|it| it == content))
    }

    pub fn tree(&self, commit: &str) -> String {
        self.get(commit).and_then(|commit| self.trees.get(&commit.files)).cloned().unwrap_or_default()
    }

    /// A commit and all before it, newest first.
    pub fn history(&self, commit: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut at = Some(commit.to_owned());
        while let Some(id) = at {
            at = self.get(&id).and_then(|commit| commit.parent.clone());
            found.push(id);
        }
        found
    }

    pub fn holds(&self, commit: &str, ancestor: &str) -> bool {
        self.history(commit).iter().any(|id| id == ancestor)
    }

    pub fn merge_base(&self, one: &str, other: &str) -> Option<String> {
        let of_other: BTreeSet<String> = self.history(other).into_iter().collect();
        self.history(one).into_iter().find(|id| of_other.contains(id))
    }

    /// The paths that differ, with what they are in the second; `None` where they are gone.
    pub fn changes(&self, from: &str, to: &str) -> BTreeMap<String, Option<String>> {
        let (from, to) = (self.files(from), self.files(to));
        let paths: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
        let differs = paths.into_iter().filter(|path| from.get(*path) != to.get(*path));
        differs.map(|path| (path.clone(), to.get(path).cloned())).collect()
    }

    /// All that a commit changes since it left `onto`, as one commit on top of it.
    pub fn squash_onto(&mut self, onto: &str, commit: &str) -> Option<Merged> {
        let base = self.merge_base(onto, commit)?;
        let mut files = self.files(onto);
        let before = self.files(&base);
        let mut clashes = Vec::new();
        for (path, content) in self.changes(&base, commit) {
            let (ours, old) = (files.get(&path).cloned(), before.get(&path).cloned());
            if ours == content {
                continue;
            }
            if ours != old {
                clashes.push(path);
            } else if let Some(content) = content {
                files.insert(path, content);
            } else {
                files.remove(&path);
            }
        }
        Some(if !clashes.is_empty() {
            Merged::Conflict(clashes)
        } else if files == self.files(onto) {
            Merged::Empty
        } else {
            let id = self.commit(Some(onto), files, Some(commit));
            Merged::Fits { tree: self.tree(&id), commit: id }
        })
    }

    /// Move main, if it is where it is thought to be.
    pub fn move_main(&mut self, from: &str, to: &str, by_queue: bool) -> bool {
        if self.main != from {
            return false;
        }
        to.clone_into(&mut self.main);
        self.moves.push(Move { to: to.to_owned(), by_queue });
        true
    }
}
