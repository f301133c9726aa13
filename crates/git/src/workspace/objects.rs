//! The objects that an agent's own git wrote, those included that nothing points at any more: a file that was staged and
//! then changed again is in there and nowhere else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Workspace;
use crate::Result;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::names::{ObjectFormat, Oid};
use crate::run::Place;

/// The largest index of a pack that is read.
const MOST_INDEX: u64 = 128 << 20;

/// An object and what sort it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lost {
    pub oid: Oid,
    pub kind: String,
}

impl Workspace {
    /// Every object that lies in the repository itself and is not borrowed.
    pub(super) fn own_objects(&self, dot_git: &Path) -> Result<BTreeSet<Oid>> {
        let objects = dot_git.join("objects");
        let doing = || format!("read {}", objects.display());
        let mut found = BTreeSet::new();
        if !disk::is_real_dir(&objects) {
            return Ok(found);
        }
        for folder in fs::read_dir(&objects).doing(doing)? {
            let folder = folder.doing(doing)?;
            let name = folder.file_name();
            let Some(first) = name.to_str().filter(|name| name.len() == 2) else { continue };
            if !disk::is_real_dir(&folder.path()) {
                continue;
            }
            for file in fs::read_dir(folder.path()).doing(doing)? {
                let rest = file.doing(doing)?.file_name();
                found.extend(rest.to_str().and_then(|rest| Oid::parse(&format!("{first}{rest}"))));
            }
        }
        let packs = objects.join("pack");
        if disk::is_real_dir(&packs) {
            for file in fs::read_dir(&packs).doing(doing)? {
                let file = file.doing(doing)?.path();
                if file.extension().is_some_and(|end| end == "idx") {
                    found.extend(self.indexed(&file)?);
                }
            }
        }
        Ok(found)
    }

    fn indexed(&self, index: &Path) -> Result<Vec<Oid>> {
        let doing = || format!("read {}", index.display());
        let Some(bytes) = disk::read_plain(index, MOST_INDEX).doing(doing)? else { return Ok(Vec::new()) };
        let format = match self.integration.format() {
            ObjectFormat::Sha1 => "--object-format=sha1",
            ObjectFormat::Sha256 => "--object-format=sha256",
        };
        let output = self.integration.place.call(doing(), ["show-index", format]).reading(bytes).output()?;
        let lines = output.split(|b| *b == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        Ok(lines.filter_map(|line| line.split(' ').nth(1).and_then(Oid::parse)).collect())
    }

    /// Copy these objects, one by one and without what they need.
    pub(super) fn copy_objects(&self, view: &Place, wanted: &[Lost]) -> Result<()> {
        let missing = self.missing(wanted.iter().map(|lost| &lost.oid))?;
        if missing.is_empty() {
            return Ok(());
        }
        let folder = self.scratch("packs");
        let doing = || format!("copy objects from {}", self.path().display());
        disk::remove_tree(&folder).doing(doing)?;
        disk::make_dirs(&folder).doing(doing)?;
        let input: String = missing.iter().map(|oid| format!("{oid}\n")).collect();
        let base = folder.join("pack").into_os_string();
        let words = ["pack-objects", "-q", "--no-reuse-delta", "--no-reuse-object", "--threads=1"];
        let words = words.iter().map(|word| crate::run::word(word.as_bytes())).chain([base]);
        let output = view.call(doing(), words).reading(input).at_length().output()?;
        let said = String::from_utf8_lossy(&output);
        for hash in said.lines().filter_map(Oid::parse) {
            let name = format!("pack-{hash}.pack");
            let pack = self.integration.path().join("objects/pack").join(&name);
            // A pack without an index is seen by nobody; the index is made from what is really in it.
            disk::rename(&folder.join(&name), &pack).doing(doing)?;
            let words = ["index-pack", "--fsck-objects"].map(|word| crate::run::word(word.as_bytes()));
            let words = words.into_iter().chain([pack.clone().into_os_string()]);
            if let Err(error) = self.integration.place.call(doing(), words).at_length().output() {
                disk::remove_file(&pack).doing(doing)?;
                return Err(error);
            }
        }
        disk::remove_tree(&folder).doing(doing)
    }

    fn missing<'a>(&self, objects: impl Iterator<Item = &'a Oid>) -> Result<Vec<Oid>> {
        let kinds = kinds(&self.integration.place, objects)?;
        Ok(kinds.into_iter().filter(|(_, kind)| kind.is_none()).map(|(oid, _)| oid).collect())
    }
}

/// What sort each object is; `None` where it is missing or cannot be read.
pub(super) fn kinds<'a>(
    place: &Place,
    objects: impl Iterator<Item = &'a Oid>,
) -> Result<Vec<(Oid, Option<String>)>> {
    let input: String = objects.map(|oid| format!("{oid}\n")).collect();
    if input.is_empty() {
        return Ok(Vec::new());
    }
    let doing = "look at objects";
    let words = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
    let output = place.call(doing, words).reading(input).output()?;
    let text = String::from_utf8_lossy(&output);
    text.lines()
        .map(|line| {
            let (oid, kind) = line.split_once(' ').unwrap_or((line, ""));
            let oid = Oid::parse(oid).ok_or_else(|| GitError::failed(doing, "git named another object"))?;
            Ok((oid, matches!(kind, "blob" | "tree" | "commit" | "tag").then(|| kind.to_owned())))
        })
        .collect()
}
