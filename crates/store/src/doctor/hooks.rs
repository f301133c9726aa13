//! Hooks that could not do their work: what they left in the log, and what they could not even write there.

use std::io;

use signalbox_core::Event;

use super::{Finding, Repair};
use crate::files;
use crate::home::Home;

/// What hooks said of themselves since somebody last looked.
#[derive(Debug, Default)]
pub(super) struct Failures {
    count: usize,
    last: Option<String>,
    /// Calls that ran without a gate, and the last of them.
    unguarded: usize,
    last_unguarded: Option<String>,
}

impl Failures {
    /// Take one event into account.
    pub(super) fn hear(&mut self, event: &Event) {
        let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
        match event.event.as_str() {
            "hook.failed" => {
                self.count += 1;
                let word = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
                self.last = Some(format!("`sb hook {}` at {}: {}", word("hook"), event.ts, word("why")));
            }
            "hook.unguarded" => {
                self.unguarded += 1;
                let tool = data["tool"].as_str().unwrap_or("a tool").to_owned();
                self.last_unguarded = Some(format!("{tool} of {} at {}", event.actor, event.ts));
            }
            "doctor.fixed" if data["check"] == "hooks" => *self = Self::default(),
            _ => {}
        }
    }
}

pub(super) fn examine(home: &Home, failures: &Failures) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    if let Some(last) = &failures.last {
        let times = if failures.count == 1 { "once".to_owned() } else { format!("{} times", failures.count) };
        let what = format!("hooks failed {times}, and gates among them refused; the last was {last}");
        findings.push(
            Finding::note("hooks", what)
                .hint("`sb log --event hook.failed` shows all; `--fix` marks them as seen.")
                .repair(Repair::Seen("hooks")),
        );
    }
    if let Some(last) = &failures.last_unguarded {
        let what = format!(
            "tools ran without Signalbox's gate before them, {} in all; the last was {last}",
            failures.unguarded
        );
        findings.push(
            Finding::problem("hooks", what)
                .hint("`sb hooks status` says what is installed, `sb hooks test` whether it bites; `--fix` marks these as seen.")
                .repair(Repair::Seen("hooks")),
        );
    }
    for name in files::names(&home.trouble())? {
        let path = home.trouble().join(name);
        let said = files::read_optional(&path)?.unwrap_or_default();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        findings.push(
            Finding::note("hooks", format!("a hook could not write to the log: {said}"))
                .repair(Repair::RemoveRecord(path)),
        );
    }
    Ok(findings)
}
