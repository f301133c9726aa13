//! Workspaces: a directory an agent works in, with a repository of its own that borrows the integration repository's
//! objects. Whatever an agent does to it, it breaks only this one.
//!
//! What we know of a workspace lies beside the integration repository and not in it: the record of what was made, the
//! index it was checked out with, the git directory that looks into it. So an agent that removes `.git` removes nothing
//! that is needed to keep its work.

mod create;
mod fill;
mod head;
mod keep;
mod objects;
mod remove;
mod restore;
mod search;
mod snapshot;
mod status;

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signalbox_core::Refusal;

use crate::Result;
use crate::borrowed;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::integration::Integration;
use crate::names::{BranchName, Key, Oid, RefName};
use crate::refs::RefChange;
use crate::run::Place;

pub use head::Head;
pub use keep::{KeepRef, Kept};
pub use snapshot::{LeftOut, Why};

/// Where it stands that a workspace was set up, beside its record.
const SET_UP: &str = "set-up";

/// What a workspace is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSpec {
    pub key: Key,
    /// Where it is; nothing may be there yet.
    pub path: PathBuf,
    pub branch: BranchName,
    /// The commit that it begins with: main, or the tip of a branch that was kept.
    pub start: Oid,
    /// The commit of main that its changes are counted from.
    pub base: Oid,
    /// A second branch by this name stands at `base`, so that `git diff main` works in it.
    pub main: Option<BranchName>,
    /// Whose name commits in it have.
    pub name: String,
    pub email: String,
}

/// The workspaces of a project.
#[derive(Debug, Clone)]
pub struct Workspaces {
    integration: Integration,
}

/// One workspace that was made, whatever has become of it.
#[derive(Debug, Clone)]
pub struct Workspace {
    integration: Integration,
    record: Record,
}

/// What is written down of a workspace, beside the integration repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    version: u32,
    key: Key,
    path: PathBuf,
    branch: BranchName,
    start: Oid,
    base: Oid,
    main: Option<BranchName>,
    name: String,
    email: String,
    /// Stands in the workspace too: the directory is the one that was made.
    id: String,
    /// Device and number of the directory.
    directory: Option<(u64, u64)>,
    /// The commit of the keep-ref that holds it, once it is being removed.
    kept: Option<Oid>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It is being made under another name, and no agent has seen it.
    Making,
    Ready,
    /// All of it is kept, and it is being deleted under another name.
    Removing,
}

impl Integration {
    pub fn workspaces(&self) -> Workspaces {
        Workspaces { integration: self.clone() }
    }
}

impl Workspaces {
    /// The workspace of a ticket.
    pub fn open(&self, key: &Key) -> Result<Workspace> {
        self.find(key)?.ok_or_else(|| {
            Refusal::not_found("git.no-workspace", format!("there is no workspace for {key}"))
                .hint("`sb workspace list` shows those that there are.")
                .into()
        })
    }

    /// The same, or nothing. Whatever somebody left half done is finished first.
    pub fn find(&self, key: &Key) -> Result<Option<Workspace>> {
        match self.read(key)? {
            None => Ok(None),
            Some(record) if record.is_settled() => Ok(Some(self.with(record))),
            Some(_) => {
                let _lock = self.lock(key)?;
                self.recover(key)
            }
        }
    }

    /// All of them, by their keys.
    pub fn list(&self) -> Result<Vec<Workspace>> {
        let folder = self.folder();
        let doing = || format!("read {}", folder.display());
        if disk::about(&folder).doing(doing)?.is_none() {
            return Ok(Vec::new());
        }
        let mut keys = Vec::new();
        for entry in std::fs::read_dir(&folder).doing(doing)? {
            let name = entry.doing(doing)?.file_name();
            keys.extend(name.to_str().and_then(|name| Key::parse(name).ok()));
        }
        keys.sort();
        keys.iter().filter_map(|key| self.find(key).transpose()).collect()
    }

    fn with(&self, record: Record) -> Workspace {
        Workspace { integration: self.integration.clone(), record }
    }

    fn folder(&self) -> PathBuf {
        self.integration.own("workspaces")
    }

    fn read(&self, key: &Key) -> Result<Option<Record>> {
        let file = self.folder().join(key.as_str()).join("workspace.json");
        let doing = || format!("read {}", file.display());
        let Some(bytes) = disk::read_plain(&file, 1 << 20).doing(doing)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| GitError::failed(doing(), error.to_string()))
    }

    /// One process at a time makes, keeps or removes a workspace.
    fn lock(&self, key: &Key) -> Result<File> {
        let folder = self.folder().join(key.as_str());
        let doing = || format!("lock the workspace of {key}");
        disk::make_dirs(&folder).doing(doing)?;
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(folder.join("lock")).doing(doing)?;
        file.lock().doing(doing)?;
        // A git that outlived whoever was killed over it may still write here, which must not meet what is written now.
        let _ = disk::remove_tree(&folder.join("scratch"));
        disk::make_dirs(&folder.join("scratch").join(std::process::id().to_string())).doing(doing)?;
        Ok(file)
    }

    /// Finish what somebody was killed over. The lock is held.
    fn recover(&self, key: &Key) -> Result<Option<Workspace>> {
        let Some(record) = self.read(key)? else { return Ok(None) };
        let workspace = self.with(record);
        let (path, record) = (workspace.path(), &workspace.record);
        let doing = || format!("put the workspace {} in order", path.display());
        match record.state {
            // It was all there when it got its name.
            State::Making if workspace.is_the_one(path) => return workspace.made().map(Some),
            State::Making => {
                disk::remove_tree(&record.aside("making")).doing(doing)?;
                workspace.forget()?;
                return Ok(None);
            }
            State::Removing => {
                disk::remove_tree(&record.aside("removing")).doing(doing)?;
                workspace.forget()?;
                return Ok(None);
            }
            State::Ready => {}
        }
        // It was moved aside to be removed, and nobody came to say that all of it is kept.
        let aside = record.aside("removing");
        if disk::about(path).doing(doing)?.is_none() && disk::is_real_dir(&aside) {
            disk::rename_to_new(&aside, path).doing(doing)?;
        }
        Ok(Some(workspace))
    }
}

impl Record {
    /// Nobody was killed over it.
    fn is_settled(&self) -> bool {
        self.state == State::Ready && !disk::is_real_dir(&self.aside("removing"))
    }

    /// The name it has while it is made or removed, beside the one it has between.
    fn aside(&self, what: &str) -> PathBuf {
        let mut name = std::ffi::OsString::from(".");
        name.push(self.path.file_name().unwrap_or_default());
        name.push(".");
        name.push(what);
        self.path.with_file_name(name)
    }
}

impl Workspace {
    pub fn key(&self) -> &Key {
        &self.record.key
    }

    pub fn path(&self) -> &Path {
        &self.record.path
    }

    pub fn branch(&self) -> &BranchName {
        &self.record.branch
    }

    /// The commit it was begun with.
    pub fn start(&self) -> &Oid {
        &self.record.start
    }

    /// The commit of main that its changes are counted from.
    pub fn base(&self) -> &Oid {
        &self.record.base
    }

    /// What it takes on the disk, in bytes; what it borrows is not counted.
    pub fn disk_use(&self) -> u64 {
        disk::disk_use(self.path())
    }

    /// Whether it was said that everything in it is as an agent needs it.
    pub fn is_set_up(&self) -> bool {
        disk::small_text(&self.own(SET_UP)).is_some_and(|id| id == self.record.id)
    }

    /// Say so. One that is made anew has to be set up anew.
    pub fn was_set_up(&self) -> Result<()> {
        let file = self.own(SET_UP);
        disk::replace(&file, self.record.id.as_bytes()).doing(|| format!("write {}", file.display()))
    }

    fn workspaces(&self) -> Workspaces {
        self.integration.workspaces()
    }

    /// A place for what belongs to it and is not in it.
    fn own(&self, name: &str) -> PathBuf {
        self.workspaces().folder().join(self.record.key.as_str()).join(name)
    }

    /// A file that is of no use to anybody else. It is there while the lock is held.
    fn scratch(&self, name: &str) -> PathBuf {
        self.own("scratch").join(std::process::id().to_string()).join(name)
    }

    /// A ref in the integration repository that belongs to it.
    fn own_ref(&self, name: &str) -> RefName {
        RefName::ours(format_args!("ws/{}/{name}", self.record.key))
    }

    /// A git directory of ours that looks into the workspace's; `None` where it has none of its own any more.
    fn view(&self) -> Result<Option<Place>> {
        self.view_of(self.path())
    }

    fn view_of(&self, directory: &Path) -> Result<Option<Place>> {
        let dot_git = directory.join(".git");
        if !disk::is_real_dir(&dot_git) || !dot_git.join("HEAD").exists() || !dot_git.join("objects").is_dir()
        {
            return Ok(None);
        }
        borrowed::borrow(self.integration.git(), &self.own("view"), &dot_git).map(Some)
    }

    fn write(&self) -> Result<()> {
        let file = self.own("workspace.json");
        let doing = || format!("write {}", file.display());
        let text = serde_json::to_string_pretty(&self.record)
            .map_err(|error| GitError::failed(doing(), error.to_string()))?;
        disk::replace(&file, text.as_bytes()).doing(doing)
    }

    /// Whether a directory is the one that was made for it, and not another by the same name.
    fn is_the_one(&self, directory: &Path) -> bool {
        let same = |known| disk::identity(directory).is_ok_and(|found| found == known);
        let marked = || {
            disk::is_real_dir(&directory.join(".git"))
                && disk::small_text(&directory.join(".git/signalbox")).is_some_and(|id| id == self.record.id)
        };
        disk::is_real_dir(directory) && (self.record.directory.is_some_and(same) || marked())
    }

    /// Nothing is left of it but what was kept. Whatever was fetched from it and is not in the keep-ref keeps a name: an
    /// agent may have rewound its branch and removed `.git`, or somebody the whole directory.
    fn forget(&self) -> Result<()> {
        let prefix = RefName::ours(format_args!("ws/{}", self.record.key));
        let (mut past, mut gone) = (Vec::new(), Vec::new());
        for (name, oid) in self.integration.refs(&prefix)? {
            let borrowed = [self.own_ref("start"), self.own_ref("base")].contains(&name);
            if !borrowed && !self.is_kept(&oid)? {
                past.push((RefName::ours(format_args!("past/{}/{oid}", self.record.key)), oid.clone()));
            }
            gone.push(RefChange { name, new: None, expected: Some(oid) });
        }
        self.integration.set_refs(&past.iter().map(|(name, oid)| (name.clone(), oid)).collect::<Vec<_>>())?;
        if !gone.is_empty() {
            self.integration.update_refs(&gone)?;
        }
        let folder = self.own("");
        let doing = || format!("remove {}", folder.display());
        // The record goes first: without it nothing else counts. The lock stays: somebody may be waiting for it.
        disk::remove_file(&self.own("workspace.json")).doing(doing)?;
        for entry in std::fs::read_dir(&folder).doing(doing)? {
            let entry = entry.doing(doing)?;
            if entry.file_name() != "lock" && entry.file_name() != "scratch" {
                disk::remove_tree(&entry.path()).doing(doing)?;
            }
        }
        Ok(())
    }

    fn is_kept(&self, commit: &Oid) -> Result<bool> {
        match &self.record.kept {
            Some(kept) => self.integration.is_ancestor(commit, kept),
            None => Ok(false),
        }
    }
}
