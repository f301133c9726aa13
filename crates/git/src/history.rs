//! Reading history in the integration repository: what differs between two commits, who made them, what is in a file.

use signalbox_runner::End;

use crate::Result;
use crate::error::GitError;
use crate::integration::Integration;
use crate::names::{Oid, TreePath};
use crate::run::{Place, zero_ended};

/// How one path differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub kind: Kind,
    pub path: TreePath,
    /// File modes as git writes them: `100644`, `100755`, `120000` (link), `160000` (submodule); 0 where there is none.
    pub old_mode: u32,
    pub new_mode: u32,
    pub old: Option<Oid>,
    pub new: Option<Oid>,
}

impl Change {
    /// Whether either side is a submodule.
    pub fn is_submodule(&self) -> bool {
        self.old_mode == 0o160_000 || self.new_mode == 0o160_000
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Added,
    Deleted,
    Modified,
    /// A file became a link, or the like.
    Retyped,
}

/// A commit, and what it changed against its first parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: Oid,
    pub parents: Vec<Oid>,
    pub tree: Oid,
    pub author: Signature,
    pub committer: Signature,
    pub message: String,
    pub changes: Vec<Change>,
}

impl Commit {
    /// The first line of its message.
    pub fn subject(&self) -> &str {
        self.message.trim_start().lines().next().unwrap_or_default()
    }
}

/// Who made a commit, and when. None of it is proven.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    pub name: String,
    pub email: String,
    /// Seconds since 1970.
    pub at: i64,
}

impl Integration {
    /// What differs from `old` to `new`, both commits or trees. A rename is a file less and a file more.
    pub fn diff(&self, old: &Oid, new: &Oid) -> Result<Vec<Change>> {
        let words =
            ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old.as_str(), new.as_str()];
        parse_changes(&self.place.call("compare two trees", words).output()?)
    }

    /// The commits that `tip` has and `base` has not, oldest first.
    pub fn commits(&self, base: &Oid, tip: &Oid) -> Result<Vec<Commit>> {
        let mut commits = self.bare_commits(base, tip)?;
        if commits.is_empty() {
            return Ok(commits);
        }
        let pair = |commit: &Commit| match commit.parents.first() {
            Some(parent) => format!("{} {parent}\n", commit.id),
            None => format!("{}\n", commit.id),
        };
        let words = [
            "diff-tree",
            "--stdin",
            "--root",
            "--always",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
        ];
        let input: String = commits.iter().map(pair).collect();
        let output = self.place.call("see what commits changed", words).reading(input).output()?;
        let mut parts = zero_ended(&output).peekable();
        for commit in &mut commits {
            // Each commit's own name comes before what it changed.
            if parts.next().and_then(Oid::parse_bytes).as_ref() != Some(&commit.id) {
                return Err(unreadable("see what commits changed"));
            }
            while parts.peek().is_some_and(|part| part.starts_with(b":")) {
                let (about, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                commit.changes.push(parse_change(about, path)?);
            }
        }
        Ok(commits)
    }

    /// The same without what they changed.
    pub(crate) fn bare_commits(&self, base: &Oid, tip: &Oid) -> Result<Vec<Commit>> {
        let ids = self.between(base, tip)?;
        if ids.is_empty() { Ok(Vec::new()) } else { self.read_commits(&ids) }
    }

    fn between(&self, base: &Oid, tip: &Oid) -> Result<Vec<Oid>> {
        let not = format!("^{base}");
        let words = ["rev-list", "--reverse", "--topo-order", tip.as_str(), &not];
        let output = self.place.call("list commits", words).output()?;
        Ok(output.split(|b| *b == b'\n').filter_map(Oid::parse_bytes).collect())
    }

    fn read_commits(&self, ids: &[Oid]) -> Result<Vec<Commit>> {
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let doing = "read commits";
        let output = self.place.call(doing, ["cat-file", "--batch"]).reading(input).output()?;
        let mut rest = output.as_slice();
        let mut commits = Vec::with_capacity(ids.len());
        for id in ids {
            let end = rest.iter().position(|b| *b == b'\n').ok_or_else(|| unreadable(doing))?;
            let (head, body) = rest.split_at(end + 1);
            let size =
                std::str::from_utf8(head).ok().and_then(|head| head.trim().rsplit(' ').next()?.parse().ok());
            let size: usize = size.ok_or_else(|| unreadable(doing))?;
            let content = body.get(..size).ok_or_else(|| unreadable(doing))?;
            commits.push(parse_commit(id, content).ok_or_else(|| unreadable(doing))?);
            rest = body.get(size + 1..).unwrap_or_default();
        }
        Ok(commits)
    }

    /// The content of a file in a commit or tree; `None` where there is no file.
    pub fn read_file(&self, commit: &Oid, path: &TreePath) -> Result<Option<Vec<u8>>> {
        let doing = || format!("read {path}");
        let words = ["ls-tree", "-z", "--full-tree", commit.as_str(), "--"]
            .map(|word| crate::run::word(word.as_bytes()));
        let words = words.into_iter().chain([crate::run::word(path.as_bytes())]);
        let output = self.place.call(doing(), words).output()?;
        let entries = zero_ended(&output).filter_map(parse_entry);
        let blob = entries.into_iter().find(|entry| entry.path == *path && entry.kind == "blob");
        let Some(blob) = blob else { return Ok(None) };
        Ok(Some(self.place.call(doing(), ["cat-file", "blob", blob.oid.as_str()]).output()?))
    }

    /// The first parent of a commit; `None` where it is the first of all.
    pub fn first_parent(&self, commit: &Oid) -> Result<Option<Oid>> {
        let parent = format!("{commit}^1");
        let call = self.place.call("find the parent of a commit", ["rev-parse", "--verify", "-q", &parent]);
        let (_, output) = call.ending(&[0, 1])?;
        Ok(Oid::parse_bytes(output.trim_ascii_end()))
    }

    /// What changes from `old` to `new` as a unified diff, the first so many bytes of it; and whether that is not all.
    pub fn patch(&self, old: &Oid, new: &Oid, most: usize) -> Result<(Vec<u8>, bool)> {
        let doing = "show what changed";
        let words = [
            "diff-tree",
            "-r",
            "-p",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--find-renames",
            old.as_str(),
            new.as_str(),
        ];
        let mut output = self.place.call(doing, words).output()?;
        let cut = output.len() > most;
        if cut {
            let end = output.iter().take(most).rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            output.truncate(end);
        }
        Ok((output, cut))
    }

    pub fn tree_of(&self, commit: &Oid) -> Result<Oid> {
        let tree = format!("{commit}^{{tree}}");
        self.place.call("find the tree of a commit", ["rev-parse", "--verify", "-q", &tree]).oid()
    }

    /// The commits of `tip` down to `base`, newest first, with their parents and trees as they stand in the objects. Where
    /// `base` is no ancestor of it, they go down to where the two part.
    pub fn chain(&self, base: &Oid, tip: &Oid) -> Result<Vec<(Oid, Vec<Oid>, Oid)>> {
        let not = format!("^{base}");
        let doing = "list commits";
        let words = ["log", "--topo-order", "--format=%H %T %P", tip.as_str(), &not];
        let output = self.place.call(doing, words).output()?;
        let lines = output.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        let parse = |line: &[u8]| {
            let mut oids = line.split(|b| *b == b' ').filter_map(Oid::parse_bytes);
            let (commit, tree) = (oids.next()?, oids.next()?);
            Some((commit, oids.collect(), tree))
        };
        lines.map(|line| parse(line).ok_or_else(|| unreadable(doing))).collect()
    }

    pub fn is_ancestor(&self, old: &Oid, new: &Oid) -> Result<bool> {
        is_ancestor(&self.place, old, new)
    }

    /// Where two histories part; `None` where they have nothing in common.
    pub fn merge_base(&self, one: &Oid, other: &Oid) -> Result<Option<Oid>> {
        let call =
            self.place.call("find where two branches part", ["merge-base", one.as_str(), other.as_str()]);
        let (_, output) = call.ending(&[0, 1])?;
        Ok(Oid::parse_bytes(output.trim_ascii_end()))
    }

    /// Whether an object is there.
    pub fn exists(&self, object: &Oid) -> Result<bool> {
        let ran = self.place.call("look for an object", ["cat-file", "-e", object.as_str()]).run()?;
        match ran.end {
            End::Code(code) => Ok(code == 0),
            _ => Err(GitError::of_run("look for an object", &ran)),
        }
    }

    /// Whether a commit is there with all that it needs beyond `beside`. A fetch that was cut off leaves commits whose
    /// files are missing.
    pub fn is_whole(&self, commit: &Oid, beside: &Oid) -> Result<bool> {
        let not = format!("^{beside}");
        let words = ["rev-list", "--objects", "--quiet", commit.as_str(), &not];
        let ran = self.place.call("look for a commit and its files", words).run()?;
        match ran.end {
            End::Code(code) => Ok(code == 0),
            _ => Err(GitError::of_run("look for a commit and its files", &ran)),
        }
    }

    /// Every file of a commit or tree, with its mode.
    pub(crate) fn entries(&self, tree: &Oid) -> Result<Vec<Entry>> {
        let output =
            self.place.call("list a tree", ["ls-tree", "-r", "-z", "--full-tree", tree.as_str()]).output()?;
        Ok(zero_ended(&output).filter_map(parse_entry).collect())
    }
}

pub(crate) fn is_ancestor(place: &Place, old: &Oid, new: &Oid) -> Result<bool> {
    let words = ["merge-base", "--is-ancestor", old.as_str(), new.as_str()];
    let (code, _) = place.call("compare two commits", words).ending(&[0, 1])?;
    Ok(code == 0)
}

/// One line of `ls-tree`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub mode: u32,
    pub kind: String,
    pub oid: Oid,
    pub path: TreePath,
}

/// `100644 blob <oid>\t<path>`
pub(crate) fn parse_entry(line: &[u8]) -> Option<Entry> {
    let tab = line.iter().position(|b| *b == b'\t')?;
    let mut words = std::str::from_utf8(line.get(..tab)?).ok()?.split_ascii_whitespace();
    let mode = u32::from_str_radix(words.next()?, 8).ok()?;
    let (kind, oid) = (words.next()?.to_owned(), Oid::parse(words.next()?)?);
    Some(Entry { mode, kind, oid, path: TreePath::new(line.get(tab + 1..)?) })
}

/// `:100644 100755 <oid> <oid> M`, and the path.
pub(crate) fn parse_changes(output: &[u8]) -> Result<Vec<Change>> {
    let mut parts = zero_ended(output);
    let mut changes = Vec::new();
    while let Some(about) = parts.next() {
        changes.push(parse_change(about, parts.next().unwrap_or_default())?);
    }
    Ok(changes)
}

fn parse_change(about: &[u8], path: &[u8]) -> Result<Change> {
    let parse = || {
        let mut words = std::str::from_utf8(about).ok()?.strip_prefix(':')?.split(' ');
        let mut mode = || u32::from_str_radix(words.next()?, 8).ok();
        let (old_mode, new_mode) = (mode()?, mode()?);
        let (old, new) = (Oid::parse(words.next()?), Oid::parse(words.next()?));
        let kind = match words.next()? {
            "A" => Kind::Added,
            "D" => Kind::Deleted,
            "T" => Kind::Retyped,
            _ => Kind::Modified,
        };
        (!path.is_empty()).then(|| Change { kind, path: TreePath::new(path), old_mode, new_mode, old, new })
    };
    parse().ok_or_else(|| unreadable("compare two trees"))
}

fn parse_commit(id: &Oid, content: &[u8]) -> Option<Commit> {
    let text = String::from_utf8_lossy(content);
    let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let parents = head.lines().filter_map(|line| Oid::parse(line.strip_prefix("parent ")?)).collect();
    Some(Commit {
        id: id.clone(),
        parents,
        tree: Oid::parse(field("tree")?)?,
        author: parse_signature(field("author").unwrap_or_default()),
        committer: parse_signature(field("committer").unwrap_or_default()),
        message: message.to_owned(),
        changes: Vec::new(),
    })
}

/// `Ada Lovelace <ada@example.org> 1700000000 +0000`. Histories hold stranger things; what cannot be read is empty.
fn parse_signature(text: &str) -> Signature {
    let (name, rest) = text.split_once('<').unwrap_or((text, ""));
    let (email, when) = rest.rsplit_once('>').unwrap_or((rest, ""));
    let at = when.trim().split(' ').next().and_then(|seconds| seconds.parse().ok()).unwrap_or(0);
    Signature { name: name.trim().to_owned(), email: email.trim().to_owned(), at }
}

fn unreadable(doing: &str) -> GitError {
    GitError::failed(doing, "git answered in a way that is not understood")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_of_all_sorts() {
        let read = |text| {
            let Signature { name, email, at } = parse_signature(text);
            (name, email, at)
        };
        let owned = |name: &str, email: &str, at| (name.to_owned(), email.to_owned(), at);
        assert_eq!(read("Ada L <a@b> 1700000000 +0100"), owned("Ada L", "a@b", 1_700_000_000));
        assert_eq!(read("Ada <a@b>"), owned("Ada", "a@b", 0));
        assert_eq!(read("no address at all"), owned("no address at all", "", 0));
        assert_eq!(read("<> 5 +0"), owned("", "", 5));
    }

    #[test]
    fn what_git_never_says_is_an_error_and_no_panic() {
        for bad in ["", ":", ":x y", ":100644 100644 zz zz", "100644 100644"] {
            assert!(parse_change(bad.as_bytes(), b"p").is_err(), "{bad}");
        }
        assert!(parse_entry(b"no tab here").is_none());
    }
}
