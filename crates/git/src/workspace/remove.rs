//! Removing a workspace: only what a keep-ref holds, and only the directory that was made.

use signalbox_core::Refusal;

use super::{KeepRef, State, Workspace};
use crate::Result;
use crate::disk;
use crate::error::Doing;

impl Workspace {
    /// Remove the workspace whose content `keep` holds. It is moved aside first, so that nobody finds it by its name any
    /// more, and compared with the keep-ref then: where anything differs, it is put back and nothing is removed.
    pub fn remove(mut self, keep: &KeepRef) -> Result<()> {
        let workspaces = self.workspaces();
        let _lock = workspaces.lock(self.key())?;
        let path = self.path().to_owned();
        let doing = || format!("remove the workspace {}", path.display());
        if keep.kept.key != *self.key() || self.integration.ref_at(&keep.name)?.as_ref() != Some(&keep.commit)
        {
            return Err(Refusal::new(
                "git.not-kept",
                format!("{} does not keep the workspace {}", keep.name, path.display()),
            )
            .hint("Keep it first.")
            .into());
        }
        if let Some(left_out) = keep.kept.left_out.iter().find(|left_out| !left_out.why.may_go()) {
            return Err(Refusal::new(
                "git.not-all-kept",
                format!(
                    "the workspace {} stays, because not all of it could be kept: {left_out}",
                    path.display()
                ),
            )
            .hint("Look at it, and remove by hand what nobody needs.")
            .into());
        }
        self.record.kept = Some(keep.commit.clone());
        if disk::about(&path).doing(doing)?.is_none() {
            return self.forget();
        }
        if !self.is_the_one(&path) {
            return Err(Refusal::new(
                "git.not-our-workspace",
                format!("{} is not the directory that was made as a workspace, and stays", path.display()),
            )
            .hint("Look at it, and remove it by hand.")
            .into());
        }
        let aside = self.record.aside("removing");
        disk::remove_tree_if_empty(&aside).doing(doing)?;
        disk::rename_to_new(&path, &aside).doing(doing)?;
        let now = self.state(&aside);
        if !now
            .as_ref()
            .is_ok_and(|now| now.kept.state == keep.kept.state && now.kept.left_out == keep.kept.left_out)
        {
            disk::rename_to_new(&aside, &path).doing(doing)?;
            now?;
            return Err(Refusal::new(
                "git.changed-since-kept",
                format!("{} has changed since it was kept, and stays", path.display()),
            )
            .hint("Somebody is working in it. Keep it again when they have finished.")
            .into());
        }
        self.record.state = State::Removing;
        self.write()?;
        disk::remove_tree(&aside).doing(doing)?;
        self.forget()
    }
}
