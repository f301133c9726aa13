//! Making a workspace: under another name, until all of it is there.

use signalbox_core::Refusal;

use super::fill::Fill;
use super::objects::kinds;
use super::{Record, State, Workspace, WorkspaceSpec, Workspaces};
use crate::Result;
use crate::disk;
use crate::error::{Doing, GitError};

impl Workspaces {
    /// Make a workspace. One that is there already, for the same ticket at the same place and branch, is left as it is.
    pub fn create(&self, spec: &WorkspaceSpec) -> Result<Workspace> {
        let _lock = self.lock(&spec.key)?;
        let integration = &self.integration;
        for (oid, kind) in kinds(&integration.place, [&spec.start, &spec.base].into_iter())? {
            if kind.as_deref() != Some("commit") {
                return Err(Refusal::not_found("git.no-commit", format!("there is no commit {oid}")).into());
            }
        }
        let fill = Fill {
            head: format!("ref: {}\n", spec.branch.as_ref_name()),
            refs: std::iter::once((spec.branch.as_ref_name().as_str().to_owned(), spec.start.clone()))
                .chain(
                    spec.main.iter().map(|main| (main.as_ref_name().as_str().to_owned(), spec.base.clone())),
                )
                .collect(),
            index: spec.start.clone(),
            files: None,
        };
        self.make(spec, &fill)
    }

    /// The same with whatever it is to be filled with. The lock is held.
    pub(super) fn make(&self, spec: &WorkspaceSpec, fill: &Fill) -> Result<Workspace> {
        let doing = || format!("make the workspace {}", spec.path.display());
        if let Some(there) = self.recover(&spec.key)? {
            if there.record.path != spec.path || there.record.branch != spec.branch {
                return Err(Refusal::new(
                    "git.workspace-elsewhere",
                    format!(
                        "{} has a workspace already: {}, on branch {}",
                        spec.key,
                        there.record.path.display(),
                        there.record.branch
                    ),
                )
                .hint(format!("`sb workspace clean {}` keeps and removes it.", spec.key))
                .into());
            }
            if disk::about(&spec.path).doing(doing)?.is_some() {
                return Ok(there);
            }
            // Somebody deleted it by hand; what was fetched from it stays in the integration repository.
        }
        if disk::about(&spec.path).doing(doing)?.is_some() {
            return Err(Refusal::new(
                "git.workspace-in-the-way",
                format!(
                    "{} is in the way: no workspace of ours, and something is there",
                    spec.path.display()
                ),
            )
            .hint("Move it elsewhere.")
            .into());
        }
        if !spec.path.is_absolute() || spec.path.to_str().is_none() {
            let shown = signalbox_core::text::one_line(&spec.path.to_string_lossy()).into_owned();
            return Err(Refusal::usage(
                "git.workspace-path",
                format!("a workspace cannot be at `{shown}`: it takes an absolute path in UTF-8"),
            )
            .into());
        }
        let workspace = self.with(Record {
            version: 1,
            key: spec.key.clone(),
            path: spec.path.clone(),
            branch: spec.branch.clone(),
            start: spec.start.clone(),
            base: spec.base.clone(),
            main: spec.main.clone(),
            name: spec.name.clone(),
            email: spec.email.clone(),
            id: random()?,
            directory: None,
            kept: None,
            state: State::Making,
        });
        workspace.write()?;
        // What a workspace borrows has a ref for as long as it is there.
        let refs = [(workspace.own_ref("start"), &spec.start), (workspace.own_ref("base"), &spec.base)];
        self.integration.set_refs(&refs)?;
        let making = workspace.record.aside("making");
        let made = workspace.fill(&making, fill).and_then(|()| {
            disk::rename_to_new(&making, &spec.path).doing(doing)?;
            workspace.made()
        });
        if made.is_err() {
            // Best done now, and done by whoever comes next if not.
            let _ = disk::remove_tree(&making);
        }
        made
    }
}

impl Workspace {
    /// It has its name, and may be used.
    pub(super) fn made(mut self) -> Result<Self> {
        let identity = disk::identity(self.path());
        self.record.directory = Some(identity.doing(|| format!("look at {}", self.path().display()))?);
        self.record.state = State::Ready;
        self.write()?;
        Ok(self)
    }
}

fn random() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| GitError::failed("draw a random number", error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
