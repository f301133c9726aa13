//! What the puppet leaves on disk: a transcript with usage, and a state file, both as Claude Code writes them.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::clock;

/// The model that it claims to be.
pub(crate) const MODEL: &str = "puppet-1";

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) is_old: bool,
    pub(crate) transcript: PathBuf,
    pub(crate) cwd: PathBuf,
    state_file: Option<PathBuf>,
    started: u64,
}

/// What a person would see it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Idle,
    Busy,
    Asking,
    Dialog,
}

impl Session {
    pub(crate) fn open(arguments: &Arguments) -> std::io::Result<Self> {
        let (id, is_old) = arguments.session.clone().unwrap_or_else(|| (new_id(), false));
        let cwd = std::env::current_dir()?;
        let folder = cwd.to_string_lossy().replace(['/', '.'], "-");
        let transcript = arguments.config.join("projects").join(folder).join(format!("{id}.jsonl"));
        make_folder_of(&transcript)?;
        let state_file = arguments.config.join("sessions").join(format!("{}.json", std::process::id()));
        let state_file = arguments.state_file.then_some(state_file);
        if let Some(path) = &state_file {
            make_folder_of(path)?;
        }
        Ok(Self { id, is_old, transcript, cwd, state_file, started: clock::now() })
    }

    /// What every hook is told.
    pub(crate) fn payload(&self, event: &str) -> Value {
        json!({
            "session_id": self.id,
            "transcript_path": self.transcript,
            "cwd": self.cwd,
            "permission_mode": "default",
            "hook_event_name": event,
        })
    }

    /// Note what the person said.
    pub(crate) fn said(&self, prompt: &str) {
        self.note(&json!({ "type": "user", "message": { "role": "user", "content": prompt } }));
    }

    /// Note an answer, and what it cost. A token is four letters.
    pub(crate) fn answered(&self, prompt: &str, content: &Value) {
        let tokens = |text: &str| text.chars().count().div_ceil(4);
        self.note(&json!({
            "type": "assistant",
            "message": {
                "id": format!("msg_{}", new_id()),
                "role": "assistant",
                "model": MODEL,
                "content": [content],
                "usage": {
                    "input_tokens": tokens(prompt),
                    "cache_creation_input_tokens": 0,
                    "cache_read_input_tokens": 100,
                    "output_tokens": tokens(&content.to_string()),
                },
            },
        }));
    }

    fn note(&self, entry: &Value) {
        let mut entry = entry.clone();
        entry["sessionId"] = json!(self.id);
        entry["timestamp"] = json!(clock::now());
        let file = OpenOptions::new().append(true).create(true).open(&self.transcript);
        // The puppet plays on where the disk is full, as the CLIs do.
        let _ = file.and_then(|mut file| file.write_all(format!("{entry}\n").as_bytes()));
    }

    pub(crate) fn state(&self, status: Status) {
        let Some(path) = &self.state_file else { return };
        let (status, waiting) = match status {
            Status::Idle => ("idle", None),
            Status::Busy => ("busy", None),
            Status::Asking => ("waiting", Some("permission prompt")),
            Status::Dialog => ("waiting", Some("dialog open")),
        };
        let mut whole = json!({
            "pid": std::process::id(),
            "sessionId": self.id,
            "cwd": self.cwd,
            "startedAt": self.started,
            "version": crate::VERSION,
            "kind": "interactive",
            "status": status,
            "statusUpdatedAt": clock::now(),
        });
        if let Some(waiting) = waiting {
            whole["waitingFor"] = json!(waiting);
        }
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(whole.to_string().as_bytes()));
    }

    /// An orderly end takes the state file away.
    pub(crate) fn close(&self) {
        if let Some(path) = &self.state_file {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn make_folder_of(path: &Path) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// An id that looks like those of Claude Code's sessions, and differs from process to process and from time to time.
pub(crate) fn new_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (time, count) = (clock::now(), COUNT.fetch_add(1, Ordering::Relaxed));
    let pid = std::process::id() & 0xffff;
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:08x}{:04x}",
        time >> 16 & 0xffff_ffff,
        time & 0xffff,
        count & 0xfff,
        pid >> 4,
        time,
        pid
    )
}
