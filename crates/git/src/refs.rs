//! Refs of the integration repository: read, and moved by compare-and-set.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Result;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::integration::Integration;
use crate::names::{Oid, RefName};
use crate::run::Place;

/// A lock on a ref that is older than this belongs to nobody any more: holding one takes milliseconds.
const STALE: Duration = Duration::from_secs(10);

/// How often it is looked whether a lock is gone.
const LOOK: Duration = Duration::from_millis(100);

/// The largest list of refs that is read.
const MOST_PACKED: u64 = 256 << 20;

/// One ref that is to be moved. `None` is a ref that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefChange {
    pub name: RefName,
    pub new: Option<Oid>,
    pub expected: Option<Oid>,
}

impl Integration {
    /// The refs whose names begin with this one's parts, and what they point at.
    pub fn refs(&self, prefix: &RefName) -> Result<Vec<(RefName, Oid)>> {
        list(&self.place, prefix.as_str())
    }

    pub fn ref_at(&self, name: &RefName) -> Result<Option<Oid>> {
        // Nobody but us writes here, so the files are what they seem, and reading them saves a process. A ref that is
        // being packed is in the second before it leaves the first.
        let loose = self.place.dir.join(name.as_str());
        if let Some(oid) = disk::small_text(&loose).and_then(|text| Oid::parse(text.trim())) {
            return Ok(Some(oid));
        }
        let packed = self.place.dir.join("packed-refs");
        let text = disk::read_plain(&packed, MOST_PACKED).doing(|| format!("read {}", packed.display()))?;
        let mut lines = text.as_deref().unwrap_or_default().split(|b| *b == b'\n');
        Ok(lines.find_map(|line| {
            let (oid, rest) = line.split_at_checked(self.format.hex())?;
            (rest.strip_prefix(b" ")? == name.as_str().as_bytes()).then(|| Oid::parse_bytes(oid))?
        }))
    }

    /// Move a ref from where it is expected to where it shall be. [`GitError::Moved`] where it is elsewhere.
    pub fn update_ref(&self, name: &RefName, new: &Oid, expected: Option<&Oid>) -> Result<()> {
        self.update_refs(&[RefChange {
            name: name.clone(),
            new: Some(new.clone()),
            expected: expected.cloned(),
        }])
    }

    pub fn delete_ref(&self, name: &RefName, expected: &Oid) -> Result<()> {
        self.update_refs(&[RefChange { name: name.clone(), new: None, expected: Some(expected.clone()) }])
    }

    /// Move all of these refs, or none.
    pub fn update_refs(&self, changes: &[RefChange]) -> Result<()> {
        match update(&self.place, &self.format.zero(), changes) {
            Err(GitError::Failed { .. }) if self.clear_stale_locks(changes) => {
                update(&self.place, &self.format.zero(), changes)
            }
            result => result,
        }
    }

    /// Set refs wherever they were.
    pub(crate) fn set_refs(&self, refs: &[(RefName, &Oid)]) -> Result<()> {
        loop {
            let mut changes = Vec::new();
            for (name, new) in refs {
                let expected = self.ref_at(name)?;
                if expected.as_ref() != Some(*new) {
                    changes.push(RefChange { name: name.clone(), new: Some((*new).clone()), expected });
                }
            }
            if changes.is_empty() {
                return Ok(());
            }
            match self.update_refs(&changes) {
                Err(GitError::Moved { .. }) => {}
                result => return result,
            }
        }
    }

    pub(crate) fn set_ref(&self, name: &RefName, new: &Oid) -> Result<()> {
        self.set_refs(&[(name.clone(), new)])
    }

    /// Whether a lock was in the way and is no more: its holder has finished, or was killed, which is known after a while.
    fn clear_stale_locks(&self, changes: &[RefChange]) -> bool {
        let refs = changes.iter().map(|change| format!("{}.lock", change.name));
        let locks = refs.chain(["packed-refs.lock".to_owned()]).map(|name| self.place.dir.join(name));
        let is_there = |lock: &PathBuf| disk::about(lock).is_ok_and(|about| about.is_some());
        let mut there: Vec<PathBuf> = locks.filter(is_there).collect();
        let was_in_the_way = !there.is_empty();
        let until = Instant::now() + STALE + STALE / 2;
        while !there.is_empty() && Instant::now() < until {
            for lock in there.iter().filter(|lock| is_stale(lock, &self.place.dir)) {
                let _ = disk::remove_file(lock);
            }
            there.retain(is_there);
            if !there.is_empty() {
                std::thread::sleep(LOOK);
            }
        }
        was_in_the_way && there.is_empty()
    }
}

/// Whether a file was written long ago by the clock of its own disk, which a fresh file tells.
fn is_stale(lock: &Path, folder: &Path) -> bool {
    let age = || {
        let written = std::fs::symlink_metadata(lock).ok()?.modified().ok()?;
        let probe = folder.join("signalbox").join("now");
        disk::replace(&probe, b"").ok()?;
        std::fs::metadata(&probe).ok()?.modified().ok()?.duration_since(written).ok()
    };
    age().is_some_and(|age| age > STALE)
}

pub(crate) fn list(place: &Place, prefix: &str) -> Result<Vec<(RefName, Oid)>> {
    let format = "--format=%(objectname) %(refname)";
    let output = place.call("list refs", ["for-each-ref", format, prefix]).output()?;
    let lines = output.split(|b| *b == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    Ok(lines
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(oid, name)| Some((RefName::parse(name).ok()?, Oid::parse(oid)?)))
        .collect())
}

pub(crate) fn at(place: &Place, name: &RefName) -> Result<Option<Oid>> {
    if let Some(oid) = loose(place, name) {
        return Ok(Some(oid));
    }
    let found = list(place, name.as_str())?;
    Ok(found.into_iter().find(|(there, _)| there == name).map(|(_, oid)| oid))
}

/// What a file of its own says of a ref in a git directory that borrows somebody else's: it comes before all others, and
/// reading it saves a process. `None` where there is no such file, or it says something else than a commit.
fn loose(place: &Place, name: &RefName) -> Option<Oid> {
    if disk::about(&place.dir.join("reftable")).ok()?.is_some() {
        return None;
    }
    Oid::parse(disk::small_text(&place.dir.join(name.as_str()))?.trim_end())
}

/// Move refs as one, by the words of a transaction, so that no name is ever read as an option.
pub(crate) fn update(place: &Place, zero: &str, changes: &[RefChange]) -> Result<()> {
    let mut input = String::new();
    for RefChange { name, new, expected } in changes {
        let expected = expected.as_ref().map_or(zero, Oid::as_str);
        match new {
            Some(new) => input.push_str(&format!("update {name}\0{new}\0{expected}\0")),
            None => input.push_str(&format!("delete {name}\0{expected}\0")),
        }
    }
    let names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
    let doing = format!("move {}", names.join(", "));
    let call = place.call(&doing, ["update-ref", "--no-deref", "-m", "signalbox", "-z", "--stdin"]);
    let ran = call.reading(input).run()?;
    if ran.succeeded() {
        return Ok(());
    }
    for RefChange { name, expected, .. } in changes {
        let found = at(place, name)?;
        if found != *expected {
            return Err(GitError::Moved { name: name.clone(), expected: expected.clone(), found });
        }
    }
    Err(GitError::of_run(&doing, &ran))
}
