//! Directories in which a commit is validated: exactly its files, and a repository of their own that tells which commit it
//! is. They are used again and again, and whatever ran in one before may have written anything into it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use signalbox_core::glob::{Case, meet};

use crate::Result;
use crate::borrowed::{Format, RefStorage, config};
use crate::disk;
use crate::error::Doing;
use crate::integration::Integration;
use crate::names::Oid;

/// Directories for validation, each used by one at a time.
#[derive(Debug, Clone)]
pub struct TreePool {
    integration: Integration,
    root: PathBuf,
}

/// One of them, for as long as this is held.
#[derive(Debug)]
pub struct ValidationTree {
    integration: Integration,
    path: PathBuf,
    /// Its index, outside.
    index: PathBuf,
    /// Is there while it is used.
    busy: PathBuf,
    _lock: File,
}

impl TreePool {
    /// The pool that lies below `root`.
    pub fn new(integration: &Integration, root: &Path) -> Self {
        Self { integration: integration.clone(), root: root.to_owned() }
    }

    /// The first directory that nobody uses; another is made where all are taken.
    pub fn take(&self) -> Result<ValidationTree> {
        for number in 1_u32.. {
            let own = self.integration.own(&format!("trees/{number}"));
            let doing = || format!("prepare a directory for validation below {}", self.root.display());
            disk::make_dirs(&own).doing(doing)?;
            let mut options = fs::OpenOptions::new();
            let lock =
                options.write(true).create(true).truncate(false).open(own.join("lock")).doing(doing)?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(fs::TryLockError::WouldBlock) => continue,
                Err(fs::TryLockError::Error(error)) => Err(error).doing(doing)?,
            }
            return ValidationTree::of(&self.integration, &self.root, number, own, lock);
        }
        Err(crate::GitError::failed("find a directory for validation", "there are none"))
    }
}

impl ValidationTree {
    /// Whoever was killed while they had it may have left programs behind that still write into it, so such a directory
    /// is not used again: the next one has another name.
    fn of(integration: &Integration, root: &Path, number: u32, own: PathBuf, lock: File) -> Result<Self> {
        let doing = || format!("prepare a directory for validation below {}", root.display());
        let text = disk::small_text(&own.join("generation")).unwrap_or_default();
        let mut generation = text.trim().parse::<u64>().unwrap_or(0);
        let named = |generation: u64| {
            root.join(if generation == 0 { number.to_string() } else { format!("{number}.{generation}") })
        };
        let busy = own.join("busy");
        if disk::about(&busy).doing(doing)?.is_some() {
            let old = named(generation);
            generation += 1;
            disk::replace(&own.join("generation"), generation.to_string().as_bytes()).doing(doing)?;
            // What cannot be removed now is removed by nobody, but does no harm.
            let _ = disk::remove_tree(&old);
        } else {
            disk::write_new(&busy, b"").doing(doing)?;
        }
        let index = own.join(format!("index.{generation}"));
        Ok(Self { integration: integration.clone(), path: named(generation), index, busy, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Make it hold exactly the files of a commit. Names that fit one of `caches` are left as they are where the commit
    /// has no file: `target`, `node_modules`.
    pub fn prepare(&self, commit: &Oid, caches: &[String]) -> Result<()> {
        let doing = || format!("prepare {}", self.path.display());
        if disk::about(&self.path).doing(doing)?.is_some_and(|about| !about.is_dir()) {
            disk::remove_tree(&self.path).doing(doing)?;
        }
        disk::make_dirs(&self.path).doing(doing)?;
        let index = &self.index;
        // Left by a git that took too long.
        disk::remove_file(&index.with_added_extension("lock")).doing(doing)?;
        let wanted = Wanted::of(&self.integration, commit)?;
        wanted.purge(&self.path, b"", caches).doing(doing)?;
        let checkout = self.integration.checkout();
        let read = || {
            let words = ["read-tree", "--reset", "-u", commit.as_str()];
            checkout.call(doing(), words).on_files(&self.path).index(index).at_length().output()
        };
        if read().is_err() {
            // An index that cannot be read is worth nothing.
            disk::remove_file(index).doing(doing)?;
            read()?;
        }
        self.write_git_dir(commit, index).doing(doing)
    }

    /// A repository that says which commit this is, for builds that ask. It is new each time.
    fn write_git_dir(&self, commit: &Oid, index: &Path) -> std::io::Result<()> {
        let dot_git = self.path.join(".git");
        for folder in ["objects/info", "objects/pack", "refs/heads"] {
            disk::make_dirs(&dot_git.join(folder))?;
        }
        let mut alternates = self.integration.path().join("objects").into_os_string().into_encoded_bytes();
        alternates.push(b'\n');
        disk::put(&dot_git.join("objects/info/alternates"), &alternates)?;
        disk::put(&dot_git.join("HEAD"), format!("{commit}\n").as_bytes())?;
        let text = config(Format { objects: self.integration.format(), refs: RefStorage::Files });
        disk::put(&dot_git.join("config"), text.replace("bare = true", "bare = false").as_bytes())?;
        disk::copy(index, &dot_git.join("index"))?;
        Ok(())
    }
}

impl Drop for ValidationTree {
    fn drop(&mut self) {
        let _ = disk::remove_file(&self.busy);
    }
}

/// What a tree has: its files, and the folders they are in.
struct Wanted {
    files: BTreeSet<Vec<u8>>,
    folders: BTreeSet<Vec<u8>>,
}

impl Wanted {
    fn of(integration: &Integration, commit: &Oid) -> Result<Self> {
        let mut wanted = Self { files: BTreeSet::new(), folders: BTreeSet::new() };
        for entry in integration.entries(commit)? {
            let path = entry.path.as_bytes();
            for (at, _) in path.iter().enumerate().filter(|(_, b)| **b == b'/') {
                wanted.folders.insert(path.get(..at).unwrap_or_default().to_vec());
            }
            // A submodule is an empty folder.
            let set = if entry.mode == 0o160_000 { &mut wanted.folders } else { &mut wanted.files };
            set.insert(path.to_vec());
        }
        Ok(wanted)
    }

    /// Remove whatever is not wanted, without following a link.
    fn purge(&self, root: &Path, folder: &[u8], caches: &[String]) -> std::io::Result<()> {
        let names: Vec<OsString> = fs::read_dir(disk::below(root, folder))?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<std::io::Result<_>>()?;
        for name in names {
            let path = if folder.is_empty() {
                name.as_bytes().to_vec()
            } else {
                [folder, b"/", name.as_bytes()].concat()
            };
            let on_disk = disk::below(root, &path);
            let is_dir = disk::is_real_dir(&on_disk);
            let is_git = folder.is_empty() && name == ".git";
            if !is_git && is_dir && self.folders.contains(&path) {
                make_writable(&on_disk)?;
                self.purge(root, &path, caches)?;
            } else if is_git || !(self.is_file(&path, is_dir) || self.is_cache(&path, &on_disk, caches)) {
                disk::remove_tree(&on_disk)?;
            }
        }
        Ok(())
    }

    fn is_file(&self, path: &[u8], is_dir: bool) -> bool {
        !is_dir && self.files.contains(path)
    }

    /// A folder that may stay, unless the commit has something of that name.
    fn is_cache(&self, path: &[u8], on_disk: &Path, caches: &[String]) -> bool {
        if self.files.contains(path) || self.folders.contains(path) || !disk::is_real_dir(on_disk) {
            return false;
        }
        std::str::from_utf8(path)
            .is_ok_and(|path| caches.iter().any(|cache| meet(cache.trim_end_matches('/'), path, Case::Exact)))
    }
}

/// A folder that a validation closed to us.
fn make_writable(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::symlink_metadata(folder)?.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o700))
}
