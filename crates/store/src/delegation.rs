//! Tasks that were handed out and not yet taken up: which tickets the subagent that starts next was given.
//!
//! The CLI says what a task is when it is handed out, and who starts on it only afterwards, without the task. They
//! start in the order they were handed out.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use signalbox_core::{SessionId, TicketId};

use crate::files;
use crate::home::Home;
use crate::store::new_event_id;

/// A task that names tickets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    pub call: Option<String>,
    pub tickets: Vec<TicketId>,
}

pub fn keep(home: &Home, session: &SessionId, delegation: &Delegation) -> io::Result<()> {
    let folder = folder(home, session);
    files::create_private_dir(&folder)?;
    files::write_new(&folder.join(new_event_id().as_str()), &serde_json::to_vec(delegation)?, files::PRIVATE)
}

/// The oldest one, taken by nobody else.
pub fn take(home: &Home, session: &SessionId) -> io::Result<Option<Delegation>> {
    let folder = folder(home, session);
    if !folder.is_dir() {
        return Ok(None);
    }
    for name in files::names(&folder)? {
        let path = folder.join(&name);
        let taken = folder.join(format!(".{name}"));
        // Whoever renames it first has it.
        if files::rename(&path, &taken).is_err() {
            continue;
        }
        let bytes = files::read_optional(&taken)?.unwrap_or_default();
        files::remove(&taken)?;
        if let Ok(delegation) = serde_json::from_slice(&bytes) {
            return Ok(Some(delegation));
        }
    }
    Ok(None)
}

fn folder(home: &Home, session: &SessionId) -> PathBuf {
    home.run().join("delegations").join(session.as_str())
}
