//! What a hook says about itself, if a person wants to know: to standard error or a file, never to standard output.

use std::io::Write;

use serde_json::{Map, Value};
use signalbox_core::Charter;
use signalbox_store::{clock, files};

/// The variable that asks for it in one run.
pub const VARIABLE: &str = "SIGNALBOX_DEBUG";

/// The less there is to say, the earlier in the list.
const LEVELS: &[&str] = &["error", "warning", "info", "debug", "trace"];

fn rank(level: &str) -> Option<usize> {
    LEVELS.iter().position(|known| known.eq_ignore_ascii_case(level))
}

/// Say something, where the level that is wanted reaches so far.
pub fn say(charter: &Charter, level: &str, what: &str, data: &Map<String, Value>) {
    let variable = std::env::var(VARIABLE).ok().filter(|value| !value.is_empty());
    let set = charter.debug.as_ref();
    let wanted = match variable.as_deref() {
        Some("1" | "true") => rank("debug"),
        Some(level) => rank(level),
        None => set.and_then(|debug| rank(&debug.level)),
    };
    if wanted.is_none() || rank(level) > wanted {
        return;
    }
    let line = if set.is_some_and(|debug| debug.json) {
        format!(
            "{}\n",
            serde_json::json!({ "ts": clock::now().to_string(), "level": level, "hook": what, "data": data })
        )
    } else {
        let fields: String = data.iter().map(|(key, value)| format!(" {key}={value}")).collect();
        format!("sb {level} {what}{fields}\n")
    };
    // A debug line that cannot be written is no reason to refuse anything.
    match set.and_then(|debug| debug.file.as_ref()) {
        Some(file) => {
            let _ = files::open_append(std::path::Path::new(file))
                .and_then(|(file, _)| files::append(&file, line.as_bytes()));
        }
        None => {
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
        }
    }
}
