//! What a person should know of their repository before agents work on it.

use super::UserRepository;
use crate::Result;
use crate::integration::Integration;
use crate::names::{BranchName, Oid, TreePath};

/// The most attribute files that are looked into.
const MOST_ATTRIBUTES: usize = 100;

/// What was found out about main.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub main: BranchName,
    pub tip: Oid,
    /// Each a sentence: nothing that stops the work, but something to know.
    pub warnings: Vec<String>,
}

impl UserRepository {
    /// Look at main, which is copied into the integration repository for that.
    pub fn facts(&self, integration: &Integration, named: Option<&BranchName>) -> Result<Facts> {
        let main = self.main_branch(integration, named)?;
        let tip = self.import(integration, &main)?;
        let mut warnings = Vec::new();
        let entries = integration.entries(&tip)?;
        let submodules: Vec<&TreePath> =
            entries.iter().filter(|entry| entry.mode == 0o160_000).map(|entry| &entry.path).collect();
        if let Some(first) = submodules.first() {
            let number = submodules.len();
            warnings.push(format!(
                "{number} submodules (the first is {first}) are not checked out in workspaces: agents see empty folders there"
            ));
        }
        let attributes = entries.iter().filter(|entry| {
            entry.kind == "blob"
                && entry.path.as_bytes().rsplit(|b| *b == b'/').next() == Some(b".gitattributes")
        });
        for entry in attributes.take(MOST_ATTRIBUTES) {
            let text = integration.read_file(&tip, &entry.path)?.unwrap_or_default();
            let says = |word: &[u8]| text.windows(word.len()).any(|found| found == word);
            if says(b"filter=lfs") {
                warnings.push(format!(
                    "{} puts files into Git LFS: workspaces have the pointers to them and not the files",
                    entry.path
                ));
            } else if says(b"filter=") {
                warnings.push(format!(
                    "{} names a filter, which is not run: workspaces have the files as they are committed",
                    entry.path
                ));
            }
        }
        Ok(Facts { main, tip, warnings })
    }
}
