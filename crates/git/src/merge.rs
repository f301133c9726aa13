//! Merging on trees alone: no working tree, no index, no driver. The same inputs give the same hashes.

use crate::Result;
use crate::error::GitError;
use crate::history::Commit;
use crate::integration::Integration;
use crate::names::{Oid, TreePath};
use crate::run::zero_ended;

/// Who a commit is by, and when it is made, in seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: String,
    pub at: i64,
}

/// What came of putting a branch on top of main as one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    Landed {
        commit: Oid,
        tree: Oid,
    },
    /// These files were changed on both sides in ways that do not go together.
    Conflict {
        files: Vec<TreePath>,
    },
    /// Main has all of it already.
    Empty,
}

/// What came of putting each commit of a branch on top of main.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rebased {
    /// The commits are new, oldest first; the last one is `tip`.
    Landed {
        tip: Oid,
        tree: Oid,
        commits: Vec<Oid>,
    },
    /// This commit of the branch does not go together with main.
    Conflict {
        commit: Oid,
        files: Vec<TreePath>,
    },
    Empty,
    /// The branch holds a merge, or begins anew: what was decided there would be lost if it were flattened. It can be
    /// landed as one commit.
    NotLinear {
        commit: Oid,
    },
}

/// What a merge of trees gave.
enum Trees {
    Clean(Oid),
    Conflict(Vec<TreePath>),
}

impl Integration {
    /// All that the branch changed since `base`, as one commit on top of `main`.
    pub fn squash_onto(
        &self,
        main: &Oid,
        tip: &Oid,
        base: &Oid,
        message: &str,
        author: &Person,
        committer: &Person,
    ) -> Result<Merged> {
        let tree = match self.merge_trees(base, main, tip)? {
            Trees::Conflict(files) => return Ok(Merged::Conflict { files }),
            Trees::Clean(tree) => tree,
        };
        if tree == self.tree_of(main)? {
            return Ok(Merged::Empty);
        }
        let commit = self.commit_tree(&tree, std::slice::from_ref(main), message, author, committer)?;
        Ok(Merged::Landed { commit, tree })
    }

    /// Each commit from `base` to `tip` on top of `main`, with its own message and author. Those that change nothing
    /// there are left out.
    pub fn rebase_onto(&self, main: &Oid, tip: &Oid, base: &Oid, committer: &Person) -> Result<Rebased> {
        let commits = self.bare_commits(base, tip)?;
        let mut head = (main.clone(), self.tree_of(main)?);
        let mut made = Vec::new();
        for commit in &commits {
            let [parent] = commit.parents.as_slice() else {
                return Ok(Rebased::NotLinear { commit: commit.id.clone() });
            };
            let tree = match self.merge_trees(parent, &head.0, &commit.id)? {
                Trees::Conflict(files) => return Ok(Rebased::Conflict { commit: commit.id.clone(), files }),
                Trees::Clean(tree) => tree,
            };
            if tree == head.1 {
                continue;
            }
            let new = self.replay(commit, &tree, &head.0, committer)?;
            made.push(new.clone());
            head = (new, tree);
        }
        if made.is_empty() {
            return Ok(Rebased::Empty);
        }
        Ok(Rebased::Landed { tip: head.0, tree: head.1, commits: made })
    }

    fn replay(&self, commit: &Commit, tree: &Oid, parent: &Oid, committer: &Person) -> Result<Oid> {
        let author = Person {
            name: commit.author.name.clone(),
            email: commit.author.email.clone(),
            at: commit.author.at,
        };
        self.commit_tree(tree, std::slice::from_ref(parent), &commit.message, &author, committer)
    }

    fn merge_trees(&self, base: &Oid, ours: &Oid, theirs: &Oid) -> Result<Trees> {
        let doing = "merge two trees";
        let base = format!("--merge-base={base}");
        let words = [
            "merge-tree",
            "--write-tree",
            "--name-only",
            "-z",
            "--no-messages",
            &base,
            ours.as_str(),
            theirs.as_str(),
        ];
        let (code, output) = self.place.call(doing, words).at_length().ending(&[0, 1])?;
        let mut parts = zero_ended(&output);
        let tree = parts.next().and_then(|tree| Oid::parse_bytes(tree.trim_ascii_end()));
        match (code, tree) {
            (0, Some(tree)) => Ok(Trees::Clean(tree)),
            (1, Some(_)) => Ok(Trees::Conflict(parts.map(TreePath::new).collect())),
            _ => Err(GitError::failed(doing, "git did not say which tree came of it")),
        }
    }

    pub(crate) fn commit_tree(
        &self,
        tree: &Oid,
        parents: &[Oid],
        message: &str,
        author: &Person,
        committer: &Person,
    ) -> Result<Oid> {
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let words = ["commit-tree", tree.as_str(), "-F", "-"].into_iter().chain(parents);
        // A message without a word is refused by nobody but the reader.
        let message = if message.trim().is_empty() { "(no message)\n" } else { message };
        let mut call = self.place.call("write a commit", words).reading(message.replace('\0', " "));
        for (role, person) in [("AUTHOR", author), ("COMMITTER", committer)] {
            call = call
                .with(&format!("GIT_{role}_NAME"), plain(&person.name, "nobody"))
                .with(&format!("GIT_{role}_EMAIL"), plain(&person.email, "nobody@localhost"))
                // The sign tells git that it is a number of seconds, however small.
                .with(&format!("GIT_{role}_DATE"), format!("@{} +0000", person.at.max(0)));
        }
        call.oid()
    }
}

/// A name without what git would cut off or stumble over; another where nothing is left.
fn plain(text: &str, otherwise: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>')).collect();
    let crud = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | ':' | ';' | '"' | '\\' | '\'');
    if text.trim_matches(crud).is_empty() { otherwise.to_owned() } else { text }
}
