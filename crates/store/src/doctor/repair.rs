//! Carrying out repairs.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use signalbox_core::{SessionId, TicketId, Who};

use super::Repair;
use crate::escalation;
use crate::files;
use crate::session;
use crate::store::{Store, StoreError};

pub(super) fn apply(store: &Store, repair: &Repair) -> Result<String, StoreError> {
    let home = store.home();
    match repair {
        Repair::Quarantine { file, offset, bytes, reason } => {
            let kept = home.quarantine().join("log").join(format!("{file}-{offset}"));
            if !bytes.is_empty() {
                done(&kept, keep_bytes(&kept, bytes))?;
            }
            let data =
                serde_json::json!({ "file": file, "offset": offset, "bytes": bytes.len(), "reason": reason });
            store.note_event(&Who::System, "doctor.quarantined", None, None, &data)?;
            Ok(if bytes.is_empty() {
                format!("remembered: {reason}")
            } else {
                format!("kept the damaged bytes in {}", kept.display())
            })
        }
        Repair::RelinkLog => {
            store.log().relink()?;
            fixed(store, "log", "pointed `events/current` to the newest file".to_owned())
        }
        Repair::RebuildIndex => {
            let events = store.rebuild_index()?;
            fixed(store, "index", format!("made the index anew from {events} events"))
        }
        Repair::RestoreFile(id) => restore(store, id),
        Repair::RestoreEscalation(id) => {
            let (_lock, index, _) = store.locked()?;
            if let Some(one) = escalation::book(&index)?.get(id) {
                for path in escalation::paths(home, id).iter().filter(|path| path.exists()) {
                    aside(store, path)?;
                }
                escalation::project_file(home, one)?;
            }
            fixed(store, "escalations", format!("restored the file of {id}"))
        }
        Repair::MoveAside(path) => {
            let kept = aside(store, path)?;
            fixed(store, "vault", format!("moved {} to {}", path.display(), kept.display()))
        }
        Repair::MoveBack { from, to } => {
            done(from, files::rename(from, to))?;
            fixed(store, "vault", format!("moved {} back to {}", from.display(), to.display()))
        }
        Repair::RemoveLeftover(path) => {
            done(path, files::remove(path))?;
            fixed(store, "vault", format!("removed {}", path.display()))
        }
        Repair::Restrict(path) => {
            let mode = if path.is_dir() { 0o700 } else { 0o600 };
            done(path, std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)))?;
            fixed(store, "permissions", format!("closed {} to other users", path.display()))
        }
        Repair::EndSession(id) => {
            let Ok(id) = SessionId::parse(id) else { return Ok(String::new()) };
            let path = home.sessions();
            if let Some(session) = done(&path, session::load(home, &id))? {
                let data = serde_json::json!({ "reason": "its process is gone" });
                store.note_event(
                    &Who::Agent(session.agent()),
                    "session.ended",
                    None,
                    Some(&session.project),
                    &data,
                )?;
            }
            done(&path, session::remove(home, &id))?;
            Ok(format!("ended session {id}"))
        }
        Repair::Seen(check) => fixed(store, check, format!("marked what {check} left as seen")),
        // Ending its session has taken it away already.
        Repair::RemoveRecord(path) if !path.exists() => Ok(format!("{} is gone", path.display())),
        Repair::RemoveRecord(path) => {
            let kept = aside(store, path)?;
            fixed(store, "sessions", format!("moved {} to {}", path.display(), kept.display()))
        }
    }
}

fn restore(store: &Store, id: &TicketId) -> Result<String, StoreError> {
    let (_lock, index, _) = store.locked()?;
    if let Some(ticket) = index.ticket(id)? {
        let keep = store.home().quarantine().join("vault");
        store.vault().restore(&ticket, &index.changes(id)?, &keep)?;
        index.written(id, ticket.rev)?;
    }
    fixed(store, "vault", format!("restored the file of {id}"))
}

/// Into the quarantine folder, under a name that is free.
fn aside(store: &Store, path: &Path) -> Result<std::path::PathBuf, StoreError> {
    let folder = store.home().quarantine().join("files");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kept = folder.join(format!("{:08x}-{name}", crate::entropy::number() & 0xffff_ffff));
    let moved = files::create_private_dir(&folder).and_then(|()| match files::rename(path, &kept) {
        // The vault may be on another disk.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let bytes = files::read_optional(path)?.unwrap_or_default();
            files::write_new(&kept, &bytes, files::PRIVATE)?;
            files::remove(path)
        }
        result => result,
    });
    done(path, moved)?;
    Ok(kept)
}

fn keep_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        files::create_private_dir(folder)?;
    }
    files::replace(path, bytes, files::PRIVATE)
}

fn fixed(store: &Store, check: &str, what: String) -> Result<String, StoreError> {
    store.note_event(
        &Who::System,
        "doctor.fixed",
        None,
        None,
        &serde_json::json!({ "check": check, "what": what }),
    )?;
    Ok(what)
}

fn done<T>(path: &Path, result: io::Result<T>) -> Result<T, StoreError> {
    result.map_err(|source| StoreError::Home { path: path.to_owned(), source })
}
