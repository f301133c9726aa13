//! The file in which each interactive session of Claude Code keeps its state. It knows of all that hooks miss: an
//! interrupt, a dialog that the person opened, a question of the model's.

use serde::Deserialize;

use crate::oracle::{Said, StateFile, Title, is_spinner};
use crate::terminal::Activity;

pub(crate) const STATE_FILE: StateFile =
    StateFile { seen_on: "2.1.197", path: |pid| format!("sessions/{pid}.json"), read };

/// A title without a spinner is that of an idle session and of one that asks.
pub(crate) const TITLE: Title = Title {
    seen_on: "2.1.197",
    read: |title| title.chars().next().is_some_and(is_spinner).then_some(Activity::Working),
    is_complete: false,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    pid: Option<u32>,
    session_id: Option<String>,
    proc_start: Option<String>,
    version: Option<String>,
    status: Option<String>,
    status_updated_at: Option<i64>,
    waiting_for: Option<String>,
}

fn read(text: &str) -> Option<Said> {
    let wire: Wire = serde_json::from_str(text).ok()?;
    let (activity, because) = match (wire.status.as_deref()?, wire.waiting_for.as_deref()) {
        ("idle", _) => (Activity::Idle, "its state file says idle"),
        ("shell", _) => (Activity::Idle, "its state file says that a shell runs in the background"),
        ("busy", _) => (Activity::Working, "its state file says busy"),
        ("waiting", Some("dialog open")) => (Activity::Dialog, "its state file says that a dialog is open"),
        ("waiting", Some("input needed")) => (Activity::Question, "its state file says that it needs input"),
        // It calls the model's questions so, too.
        ("waiting", Some("permission prompt" | "worker request" | "sandbox request")) => {
            (Activity::Permission, "its state file says that it waits for permission")
        }
        ("waiting", _) => (Activity::Dialog, "its state file says that it waits"),
        _ => return None,
    };
    Some(Said {
        activity,
        because,
        session: wire.session_id,
        since: wire.status_updated_at,
        pid: wire.pid,
        process_started: wire.proc_start,
        version: wire.version,
    })
}
