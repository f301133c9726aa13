//! The files of a workspace as a tree, byte for byte, whatever its own git would make of them.
//!
//! The index that remembers what was hashed already is ours and lies outside, so that no flag an agent sets in its own
//! index hides a file. Attributes are off: no filter, no line ends.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Workspace;
use crate::Result;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::names::{Oid, TreePath};
use crate::run::{Call, Place, zero_ended, zero_joined};

/// How much of what is ignored is kept all the same: secrets and local settings are small, builds are not.
const MOST_IGNORED: u64 = 10 << 20;
/// And how many files of it.
const MOST_IGNORED_FILES: usize = 20_000;

/// Something in a workspace that is not in its keep-ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// A path in the workspace, or what else it is.
    pub what: String,
    pub why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// Git ignores it, and it is large.
    Ignored,
    /// A pipe, a socket or a device: there is nothing in it.
    NotAFile,
    /// We may not read it.
    Unreadable,
    /// Git cannot hold a file of that name.
    Name,
    /// Git does not let it in, or cannot read it.
    Damaged(String),
}

impl Why {
    /// Whether a workspace may be removed though this was not kept.
    pub fn may_go(&self) -> bool {
        matches!(self, Self::Ignored | Self::NotAFile)
    }
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = signalbox_core::text::one_line(&self.what);
        match &self.why {
            Why::Ignored => write!(f, "{what} is ignored by git and large"),
            Why::NotAFile => write!(f, "{what} is a pipe, socket or device"),
            Why::Unreadable => write!(f, "{what} cannot be read"),
            Why::Name => write!(f, "git cannot hold a file by the name of {what}"),
            Why::Damaged(said) => write!(f, "{what}: {}", signalbox_core::text::one_line(said)),
        }
    }
}

/// The files, as they were a moment ago.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub tree: Oid,
    pub left_out: Vec<LeftOut>,
    /// Directories that are repositories of their own.
    pub nested: Vec<TreePath>,
}

/// What is at a path, with no link on the way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Nothing,
    File { size: u64 },
    Link,
    Folder,
    Other,
}

impl Workspace {
    /// The files in `directory`. `tracked` are paths that count as the agent's though they are ignored.
    pub(super) fn snapshot(&self, directory: &Path, tracked: &BTreeSet<Vec<u8>>) -> Result<Snapshot> {
        self.take_snapshot(directory, tracked).or_else(|_| {
            // Without the index every file is read anew, which mends one that cannot be read.
            let known = self.own("files.index");
            disk::remove_file(&known).doing(|| format!("remove {}", known.display()))?;
            self.take_snapshot(directory, tracked)
        })
    }

    fn take_snapshot(&self, directory: &Path, tracked: &BTreeSet<Vec<u8>>) -> Result<Snapshot> {
        let doing = || format!("read the files of {}", directory.display());
        let place = &self.integration.place;
        let (known, seen, whole) =
            (self.own("files.index"), self.scratch("files.index"), self.scratch("whole.index"));
        disk::copy(&known, &seen).doing(doing)?;
        let list = |words: &[&str], index: &Path| {
            let words = ["ls-files", "-z"].iter().chain(words);
            place.call(doing(), words).on_files(directory).index(index).at_length()
        };
        let mut left_out = Vec::new();
        // With a letter and a space before each: `H` is one that the index has, which says nothing of the file.
        let (mut listed, mut indexed) = (BTreeSet::new(), BTreeSet::new());
        for line in paths(list(&["-t", "-c", "-m", "-d", "-o", "--exclude-standard"], &seen), &mut left_out)?
        {
            let set = if line.starts_with(b"H ") { &mut indexed } else { &mut listed };
            set.insert(line.get(2..).unwrap_or_default().to_vec());
        }
        listed.extend(tracked.difference(&indexed).cloned());

        let mut eyes = Eyes::new(directory);
        let (mut gone, mut there, mut nested) = (Vec::new(), Vec::new(), Vec::new());
        for path in listed {
            if let Some(folder) = path.strip_suffix(b"/") {
                nested.push(TreePath::new(folder));
                continue;
            }
            match eyes.admit(&path, &mut left_out) {
                Some(true) => there.push(path),
                Some(false) => gone.push(path),
                None => {}
            }
        }
        add(place, directory, &seen, &gone, &there, doing)?;

        // What follows is found out anew each time, so that a tree depends on the files alone.
        disk::copy(&seen, &whole).doing(doing)?;
        let mut more = Vec::new();
        for folder in &nested {
            eyes.walk(folder.as_bytes(), &mut left_out, &mut |path, _| {
                more.push(path.to_vec());
                true
            })
            .doing(doing)?;
        }
        let ignored = list(&["-o", "-i", "--exclude-standard", "--directory"], &seen);
        let ignored = paths(ignored, &mut left_out)?;
        more.extend(eyes.choose_ignored(&ignored, &mut left_out).doing(doing)?);
        add(place, directory, &whole, &[], &more, doing)?;
        let tree = place.call(doing(), ["write-tree"]).index(&whole).oid()?;
        if disk::about(&seen).doing(doing)?.is_some() {
            disk::rename(&seen, &known).doing(doing)?;
        }
        left_out.sort_by(|one, other| one.what.cmp(&other.what));
        left_out.dedup();
        Ok(Snapshot { tree, left_out, nested })
    }
}

/// Bring an index up to the files on the disk.
fn add(
    place: &Place,
    directory: &Path,
    index: &Path,
    gone: &[Vec<u8>],
    there: &[Vec<u8>],
    doing: impl Fn() -> String,
) -> Result<()> {
    let calls: [(&[&str], &[Vec<u8>]); 2] =
        [(&["--force-remove"], gone), (&["--add", "--remove", "--replace"], there)];
    for (words, paths) in calls {
        if !paths.is_empty() {
            let words = ["update-index", "-z"].iter().chain(words).chain(&["--stdin"]);
            let input = zero_joined(paths.iter().map(Vec::as_slice));
            place
                .call(doing(), words)
                .on_files(directory)
                .index(index)
                .reading(input)
                .at_length()
                .output()?;
        }
    }
    Ok(())
}

/// A list of paths; folders that git could not look into are left out with a word.
fn paths(call: Call, left_out: &mut Vec<LeftOut>) -> Result<BTreeSet<Vec<u8>>> {
    let ran = call.run()?;
    if !ran.succeeded() {
        return Err(GitError::of_run("list files", &ran));
    }
    for line in ran.complaint().lines() {
        if let Some(rest) = line.strip_prefix("warning: could not open directory '") {
            let what = rest.rsplit_once("': ").map_or(rest, |(what, _)| what).to_owned();
            left_out.push(LeftOut { what, why: Why::Unreadable });
        }
    }
    Ok(zero_ended(&ran.stdout).map(<[u8]>::to_vec).collect())
}

/// Looking at what lies in a directory without following a link.
struct Eyes<'a> {
    root: &'a Path,
    /// Whether these folders are real ones, all the way down.
    real: HashMap<Vec<u8>, bool>,
}

impl<'a> Eyes<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, real: HashMap::new() }
    }

    fn is_real(&mut self, folder: &[u8]) -> bool {
        if folder.is_empty() {
            return true;
        }
        if let Some(known) = self.real.get(folder) {
            return *known;
        }
        let real = self.is_real(parent(folder)) && disk::is_real_dir(&disk::below(self.root, folder));
        self.real.insert(folder.to_vec(), real);
        real
    }

    fn look(&mut self, path: &[u8]) -> Sight {
        if !self.is_real(parent(path)) {
            return Sight::Nothing;
        }
        fs::symlink_metadata(disk::below(self.root, path)).map_or(Sight::Nothing, |about| sight(&about))
    }

    /// Whether a path goes into the tree: yes, no because it is gone, or not at all, with a word.
    fn admit(&mut self, path: &[u8], left_out: &mut Vec<LeftOut>) -> Option<bool> {
        let mut leave = |why| {
            left_out.push(LeftOut { what: String::from_utf8_lossy(path).into_owned(), why });
            None
        };
        if path.split(|b| *b == b'/').any(|part| part.eq_ignore_ascii_case(b".git")) {
            return leave(Why::Name);
        }
        match self.look(path) {
            Sight::Nothing | Sight::Folder => Some(false),
            Sight::Link => Some(true),
            Sight::File { .. } if disk::is_readable(&disk::below(self.root, path)) => Some(true),
            Sight::File { .. } => leave(Why::Unreadable),
            Sight::Other => leave(Why::NotAFile),
        }
    }

    /// Visit all that may be kept below a path, until the visitor has enough. Repositories' own `.git` is not visited.
    fn walk(
        &mut self,
        path: &[u8],
        left_out: &mut Vec<LeftOut>,
        visit: &mut dyn FnMut(&[u8], u64) -> bool,
    ) -> std::io::Result<bool> {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        match self.look(path) {
            Sight::Folder => {}
            Sight::File { size } => {
                return Ok(self.admit(path, left_out) != Some(true) || visit(path, size));
            }
            _ => return Ok(self.admit(path, left_out) != Some(true) || visit(path, 0)),
        }
        let entries = match fs::read_dir(disk::below(self.root, path)) {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                left_out
                    .push(LeftOut { what: String::from_utf8_lossy(path).into_owned(), why: Why::Unreadable });
                return Ok(true);
            }
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry?.file_name());
        }
        names.sort();
        for name in names.iter().filter(|name| *name != ".git") {
            let below = [path, b"/", name.as_bytes()].concat();
            if !self.walk(&below, left_out, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Of what git ignores, the smallest first, as much as there is room for.
    fn choose_ignored(
        &mut self,
        ignored: &BTreeSet<Vec<u8>>,
        left_out: &mut Vec<LeftOut>,
    ) -> std::io::Result<Vec<Vec<u8>>> {
        let mut sized = Vec::new();
        for entry in ignored {
            let (mut size, mut files, mut words) = (0_u64, Vec::new(), Vec::new());
            self.walk(entry, &mut words, &mut |path, bytes| {
                size = size.saturating_add(bytes);
                files.push(path.to_vec());
                size <= MOST_IGNORED && files.len() <= MOST_IGNORED_FILES
            })?;
            sized.push((size, files, words, entry));
        }
        sized.sort_by(|one, other| (one.0, one.3).cmp(&(other.0, other.3)));
        let (mut kept, mut total) = (Vec::new(), 0_u64);
        for (size, files, words, entry) in sized {
            total = total.saturating_add(size);
            if total <= MOST_IGNORED && kept.len() + files.len() <= MOST_IGNORED_FILES {
                kept.extend(files);
                left_out.extend(words);
            } else {
                total = total.saturating_sub(size);
                left_out
                    .push(LeftOut { what: String::from_utf8_lossy(entry).into_owned(), why: Why::Ignored });
            }
        }
        Ok(kept)
    }
}

fn sight(about: &fs::Metadata) -> Sight {
    let kind = about.file_type();
    if kind.is_file() {
        Sight::File { size: about.len() }
    } else if kind.is_symlink() {
        Sight::Link
    } else if kind.is_dir() {
        Sight::Folder
    } else {
        Sight::Other
    }
}

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|b| *b == b'/').map_or(b"", |at| path.get(..at).unwrap_or_default())
}
