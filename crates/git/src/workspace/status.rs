//! What is not committed in a workspace, and what it has changed in all. Nothing is written into the repository for it.

use std::collections::BTreeSet;

use super::{Head, Workspace};
use crate::Result;
use crate::disk;
use crate::error::Doing;
use crate::names::{Oid, TreePath};
use crate::run::zero_ended;

impl Workspace {
    /// The paths that differ from the commit the workspace stands on: changed, new and deleted ones, but none that git
    /// ignores.
    pub fn status(&self) -> Result<Vec<TreePath>> {
        let _lock = self.workspaces().lock(self.key())?;
        let head = self.head()?;
        if head == Head::Gone {
            return Ok(Vec::new());
        }
        let tip = self.known_tip(&head)?;
        Ok(self.uncommitted(&tip)?.into_iter().map(TreePath::new).collect())
    }

    /// All paths that the workspace changes against its base, committed or not.
    pub fn changed_files(&self) -> Result<Vec<TreePath>> {
        let _lock = self.workspaces().lock(self.key())?;
        let head = self.head()?;
        if head == Head::Gone {
            return Ok(Vec::new());
        }
        let tip = self.known_tip(&head)?;
        // What main has gained since is not this workspace's doing.
        let from = self.integration.merge_base(self.base(), &tip)?.unwrap_or_else(|| self.base().clone());
        let mut paths = self.uncommitted(&tip)?;
        paths.extend(
            self.integration.diff(&from, &tip)?.into_iter().map(|change| change.path.as_bytes().to_vec()),
        );
        Ok(paths.into_iter().map(TreePath::new).collect())
    }

    /// What its files stand on, as a commit that the integration repository has.
    fn known_tip(&self, head: &Head) -> Result<Oid> {
        match head.tip() {
            Some(tip) if tip == self.start() || self.last_tip()?.as_ref() == Some(tip) => Ok(tip.clone()),
            Some(tip) => {
                self.fetch_objects(&self.own("view"), std::slice::from_ref(tip))?;
                Ok(tip.clone())
            }
            None => Ok(self.last_tip()?.unwrap_or_else(|| self.start().clone())),
        }
    }

    fn uncommitted(&self, tip: &Oid) -> Result<BTreeSet<Vec<u8>>> {
        let doing = || format!("see what is not committed in {}", self.path().display());
        let (known, index) = (self.own("status.index"), self.scratch("status.index"));
        disk::copy(&known, &index).doing(doing)?;
        let checkout = self.integration.checkout();
        let read = || {
            let words = ["read-tree", "--reset", tip.as_str()];
            checkout.call(doing(), words).on_files(self.path()).index(&index).output()
        };
        if read().is_err() {
            // An index that cannot be read is worth nothing.
            disk::remove_file(&index).doing(doing)?;
            read()?;
        }
        let words = ["update-index", "-q", "--refresh"];
        checkout.call(doing(), words).on_files(self.path()).index(&index).at_length().ending(&[0, 1])?;
        let words = ["ls-files", "-z", "-m", "-d", "-o", "--exclude-standard"];
        let output =
            checkout.call(doing(), words).on_files(self.path()).index(&index).at_length().output()?;
        disk::rename(&index, &known).doing(doing)?;
        Ok(zero_ended(&output).map(<[u8]>::to_vec).collect())
    }
}
