//! Why a hook could not do its work, and the trace it leaves.

use std::time::Duration;

use signalbox_core::{Event, FORMAT_VERSION, Who};
use signalbox_drivers::HookKind;
use signalbox_store::log::{EventLog, FileLog};
use signalbox_store::{Home, clock, files, new_event_id};

use crate::context::Context;
use crate::ui::Ui;

/// What kept a hook from its work.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("{0}")]
    Payload(String),
    #[error("the payload is of no agent CLI that is known; say which with `--cli NAME`")]
    UnknownCli,
    #[error("{0}")]
    Session(String),
    #[error("its {} ms were over", .0.as_millis())]
    Late(Duration),
    #[error("the event log cannot be written: {0}")]
    Log(String),
    #[error("{0}")]
    Inside(String),
}

impl Trouble {
    /// Leave a trace for `sb doctor`: in the log, or where that is not possible in a file of its own.
    pub fn record(&self, kind: HookKind) {
        self.record_as(kind.name());
    }

    /// The same for what is called by this name.
    pub fn record_as(&self, hook: &str) {
        let Ok(home) = Context::new(Ui::new()).home().cloned() else { return };
        let data = serde_json::json!({ "hook": hook, "why": self.to_string() });
        if self.to_log(&home, &data).is_none() {
            let line = format!("{} {data}\n", clock::now());
            let folder = home.trouble();
            let write = files::create_private_dir(&folder).and_then(|()| {
                files::write_new(&folder.join(new_event_id().as_str()), line.as_bytes(), files::PRIVATE)
            });
            // There is nowhere left to say it.
            let _ = write;
        }
    }

    fn to_log(&self, home: &Home, data: &serde_json::Value) -> Option<()> {
        if matches!(self, Self::Log(_)) || !home.exists() {
            return None;
        }
        let event = Event {
            v: FORMAT_VERSION,
            id: new_event_id(),
            ts: clock::now(),
            event: "hook.failed".to_owned(),
            ticket: None,
            project: None,
            actor: Who::System.name().to_owned(),
            session: None,
            lineage: Vec::new(),
            rev: None,
            batch: None,
            data: serde_json::value::to_raw_value(data).ok()?,
            crc: serde::de::IgnoredAny,
        };
        FileLog::new(home.events()).record(&event).ok()
    }
}
