//! What the merge queue has done: putting submissions on top of main, checking and validating the tree, moving main.

mod build;
mod land;
mod push;

use sha2::{Digest, Sha256};
use signalbox_core::landing::Changed;
use signalbox_git::{Integration, Oid};

use crate::error::Failed;

pub use build::build;
pub use land::{Moved, follow, land};
pub use push::{Pushed, Way, has, merged_as, push, remote};

/// What differs between two commits, as the rules see it.
pub fn changes(integration: &Integration, from: &Oid, to: &Oid) -> Result<Vec<Changed>, Failed> {
    let changed = integration.diff(from, to)?;
    let row = |change: signalbox_git::Change| Changed {
        path: change.path.text().into_owned(),
        // A file that can be run or is a link is not the same as one that is neither.
        content: change.new.map(|blob| format!("{:o} {blob}", change.new_mode)),
    };
    Ok(changed.into_iter().map(row).collect())
}

/// The same for the same change, whatever main it stands on.
pub fn fingerprint(changes: &[Changed]) -> String {
    let mut hash = Sha256::new();
    for change in changes {
        hash.update(change.path.as_bytes());
        hash.update([0]);
        hash.update(change.content.as_deref().unwrap_or("gone").as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
