//! A workspace from a keep-ref: the branch where it was, and every file as it was.

use std::path::Path;

use super::fill::Fill;
use super::{KeepRef, Workspace, WorkspaceSpec, Workspaces};
use crate::Result;
use crate::names::Oid;

impl Workspaces {
    /// Make the workspace anew that a keep-ref holds, at `path`. One that is there already is left as it is.
    pub fn restore(&self, keep: &KeepRef, path: &Path) -> Result<Workspace> {
        let kept = &keep.kept;
        let _lock = self.lock(&kept.key)?;
        let start = kept.tip.clone().unwrap_or_else(|| kept.start.clone());
        let spec = WorkspaceSpec {
            key: kept.key.clone(),
            path: path.to_owned(),
            branch: kept.branch.clone(),
            start: start.clone(),
            base: kept.base.clone(),
            main: kept.main.clone(),
            name: kept.name.clone(),
            email: kept.email.clone(),
        };
        let own = kept.branch.as_ref_name();
        let mut refs: Vec<(String, Oid)> = Vec::new();
        for (name, oid) in &kept.refs {
            // What could not be kept then cannot be put back now.
            if self.integration.exists(oid)? {
                refs.push((name.clone(), oid.clone()));
            }
        }
        if !refs.iter().any(|(name, _)| name == own.as_str()) {
            refs.push((own.as_str().to_owned(), start.clone()));
        }
        let known = |name: &str| refs.iter().any(|(there, _)| there == name);
        let head = match kept.head.strip_prefix("ref: ") {
            Some(name) if known(name.trim()) => format!("ref: {}\n", name.trim()),
            None if Oid::parse(kept.head.trim()).is_some() => format!("{}\n", kept.head.trim()),
            _ => format!("ref: {own}\n"),
        };
        let index = kept.index.clone().unwrap_or_else(|| start.clone());
        self.make(&spec, &Fill { head, refs, index, files: Some(kept.files.clone()) })
    }
}
