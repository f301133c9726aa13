//! A git directory of ours that borrows the refs and objects of one that somebody else may have written to.
//!
//! Git takes from it what it needs to read history and nothing that could make it run something: configuration, hooks,
//! attributes, grafts and links to other repositories stay behind.

use std::path::{Path, PathBuf};

use signalbox_core::Refusal;

use crate::Result;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::names::{ObjectFormat, Oid, RefName};
use crate::run::{Git, Place};

/// What a configuration of ours says, whoever's refs and objects are borrowed. The last lines let histories in that were
/// written by careless tools long ago: what they warn of is ugly and harmless.
pub(crate) const SETTINGS: &str = "\
\tlogAllRefUpdates = true
\tfileMode = true
\tprotectHFS = false
\tprotectNTFS = false
\tfilesRefLockTimeout = 3000
\tpackedRefsTimeout = 3000
\tfsync = committed,loose-object,reference
\tfsyncMethod = batch
\tcommitGraph = false
\tmultiPackIndex = false
[user]
\tname = Signalbox
\temail = signalbox@localhost
[gc]
\tauto = 0
[maintenance]
\tauto = false
[checkout]
\tworkers = 0
[uploadpack]
\tallowAnySHA1InWant = true
[transfer]
\tfsckObjects = true
[fetch \"fsck\"]
\tbadDate = warn
\tbadDateOverflow = warn
\tbadEmail = warn
\tbadName = warn
\tbadTimezone = warn
\tmissingEmail = warn
\tmissingNameBeforeEmail = warn
\tmissingSpaceBeforeDate = warn
\tmissingSpaceBeforeEmail = warn
\tmultipleAuthors = warn
\tzeroPaddedDate = warn
\tzeroPaddedFilemode = warn
";

/// How a repository keeps its refs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefStorage {
    Files,
    Reftable,
}

/// What a repository's configuration says of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub objects: ObjectFormat,
    pub refs: RefStorage,
}

impl Format {
    pub fn of(git: &Git, config: &Path) -> Result<Self> {
        // Most say nothing of it, which can be seen without a git.
        let text = disk::small_text(config);
        if text.is_some_and(|text| !text.to_ascii_lowercase().contains("extensions")) {
            return Ok(Self { objects: ObjectFormat::Sha1, refs: RefStorage::Files });
        }
        let is = |name: &str, value: &str| -> Result<bool> {
            Ok(git.setting(config, name)?.is_some_and(|found| found.eq_ignore_ascii_case(value)))
        };
        Ok(Self {
            objects: if is("extensions.objectFormat", "sha256")? {
                ObjectFormat::Sha256
            } else {
                ObjectFormat::Sha1
            },
            refs: if is("extensions.refStorage", "reftable")? {
                RefStorage::Reftable
            } else {
                RefStorage::Files
            },
        })
    }
}

/// The configuration of a git directory of ours.
pub(crate) fn config(format: Format) -> String {
    let mut text = String::new();
    if format == (Format { objects: ObjectFormat::Sha1, refs: RefStorage::Files }) {
        text.push_str("[core]\n\trepositoryFormatVersion = 0\n");
    } else {
        text.push_str("[extensions]\n");
        if format.objects == ObjectFormat::Sha256 {
            text.push_str("\tobjectFormat = sha256\n");
        }
        if format.refs == RefStorage::Reftable {
            text.push_str("\trefStorage = reftable\n");
        }
        text.push_str("[core]\n\trepositoryFormatVersion = 1\n");
    }
    text.push_str("\tbare = true\n");
    text.push_str(SETTINGS);
    text
}

/// Make `dir` borrow from the git directory `from`, or bring it up to date.
pub(crate) fn borrow(git: &Git, dir: &Path, from: &Path) -> Result<Place> {
    // One that cannot be read says nothing; whoever needs it to be right has looked before.
    let format = Format::of(git, &from.join("config"))
        .unwrap_or(Format { objects: ObjectFormat::Sha1, refs: RefStorage::Files });
    let doing = || format!("prepare {}", dir.display());
    disk::make_dirs(dir).doing(doing)?;
    disk::settle(&dir.join("config"), config(format).as_bytes()).doing(doing)?;
    let links: &[&str] = match format.refs {
        RefStorage::Files => {
            disk::settle(&dir.join("HEAD"), b"ref: refs/signalbox/none\n").doing(doing)?;
            disk::remove_tree(&dir.join("reftable")).doing(doing)?;
            &["refs", "packed-refs", "objects", "logs"]
        }
        RefStorage::Reftable => {
            disk::settle(&dir.join("HEAD"), b"ref: refs/heads/.invalid\n").doing(doing)?;
            disk::remove_tree(&dir.join("packed-refs")).doing(doing)?;
            let refs = dir.join("refs");
            if !disk::is_real_dir(&refs) {
                disk::remove_tree(&refs).doing(doing)?;
                disk::make_dirs(&refs).doing(doing)?;
            }
            &["reftable", "objects"]
        }
    };
    for name in links {
        disk::link(&from.join(name), &dir.join(name)).doing(doing)?;
    }
    Ok(Place { git: git.clone(), dir: dir.to_owned() })
}

/// Fetch into one git directory of ours from another.
pub(crate) fn fetch(into: &Place, from: &Path, specs: &[String], doing: &str) -> Result<()> {
    let words = [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--no-show-forced-updates",
        "--refmap=",
        "--upload-pack=git-upload-pack",
        "--stdin",
        "--end-of-options",
    ];
    let words =
        words.iter().map(|word| crate::run::word(word.as_bytes())).chain([from.as_os_str().to_owned()]);
    let call =
        into.call(doing, words).reading(specs.iter().map(|spec| format!("{spec}\n")).collect::<String>());
    let ran = call.at_length().run()?;
    if ran.succeeded() {
        return Ok(());
    }
    let complaint = ran.complaint();
    if complaint.contains("fsck error") || complaint.contains("error in object") {
        let said = complaint.lines().find(|line| line.contains("error")).unwrap_or_default();
        return Err(Refusal::new(
            "git.bad-object",
            format!("could not {doing}: an object in it is malformed and is not let in ({})", said.trim()),
        )
        .hint("Make the commits anew with plain git.")
        .into());
    }
    Err(GitError::of_run(doing, &ran))
}

/// Fetch one commit with all that it needs, and name it, as one. Says whether it is there to be had, whole.
pub(crate) fn fetch_as(
    into: &Place,
    from: &Place,
    commit: &Oid,
    name: &RefName,
    doing: &str,
) -> Result<bool> {
    match fetch(into, &from.dir, &[format!("+{commit}:{name}")], doing) {
        Ok(()) => Ok(true),
        Err(error @ GitError::Refused(_)) => Err(error),
        // It is looked for only now, because it nearly always is there.
        Err(error) => {
            let words = ["rev-list", "--objects", "--quiet", commit.as_str()];
            let ran = from.call(doing, words).run()?;
            if ran.succeeded() { Err(error) } else { Ok(false) }
        }
    }
}

/// Where the git directory of a checkout is, and where that keeps refs and objects: for a linked worktree not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitDirs {
    pub own: PathBuf,
    pub common: PathBuf,
}

impl GitDirs {
    /// Read from git's own files: no git is run in a directory that an agent may have prepared.
    pub fn of(checkout: &Path) -> Option<Self> {
        let dot_git = checkout.join(".git");
        let own = if dot_git.is_dir() {
            dot_git
        } else {
            checkout.join(disk::small_text(&dot_git)?.strip_prefix("gitdir:")?.trim())
        };
        let own = own.canonicalize().ok()?;
        let common = match disk::small_text(&own.join("commondir")) {
            Some(text) => own.join(text.trim()).canonicalize().ok()?,
            None => own.clone(),
        };
        Some(Self { own, common })
    }
}
