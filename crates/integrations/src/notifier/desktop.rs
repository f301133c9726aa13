//! A notification on the desktop, by the program that the system has for it.
//!
//! The text goes to that program as arguments of its own, never as part of a line or a script.

use std::ffi::OsString;
use std::io;

use serde_json::Value;
use signalbox_runner::Program;
use signalbox_template::Extras;

use super::command::complaint;
use super::notice::{made, shortened, title};
use super::{NotifierType, Telling, Untold};

pub const TYPE: NotifierType = NotifierType {
    name: "desktop",
    about: "Shows a notification on the desktop",
    keys: &[],
    privileged: false,
    check: |_| Ok(()),
    tell,
    templates: &[],
    extras: Extras::NONE,
};

/// Desktops show a line or two; the rest is in the log.
const MOST_TITLE: usize = 100;
const MOST_TEXT: usize = 500;

fn tell(telling: &Telling<'_>) -> Result<Value, Untold> {
    let notice = telling.notice;
    let title = match &notice.agent {
        Some(agent) => format!("{}: {agent}", title(&notice.event)),
        None => title(&notice.event),
    };
    let text = made(&TYPE, telling)?.map_or_else(|| notice.message.clone(), |made| made.text);
    let (title, text) = (shortened(&printable(&title), MOST_TITLE), shortened(&printable(&text), MOST_TEXT));
    let words = if cfg!(target_os = "macos") {
        script(&title, &text)
    } else {
        notification(&title, &text, urgency(&notice.event))
    };
    match Program::new(words).within(telling.time).printing_at_most(64 << 10).run() {
        Ok(ran) if ran.succeeded() => Ok(Value::Null),
        Ok(ran) => {
            Err(Untold::passing(format!("the desktop showed nothing: {}{}", ran.end, complaint(&ran))))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Untold::lasting(MISSING)),
        Err(error) => Err(Untold::passing(format!("the desktop cannot be told: {error}"))),
    }
}

const MISSING: &str = if cfg!(target_os = "macos") {
    "`osascript` is not there, which every macOS has; is `/usr/bin` on the PATH?"
} else {
    "`notify-send` is not installed; it comes with the package `libnotify-bin` (Debian, Ubuntu) or `libnotify`"
};

fn notification(title: &str, text: &str, urgency: &str) -> Vec<OsString> {
    // The text is read as markup by most desktops, and its backslashes by `notify-send` itself.
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\\', "\\\\");
    ["notify-send", "--app-name=Signalbox", &format!("--urgency={urgency}"), "--", title, &text]
        .map(OsString::from)
        .into()
}

fn script(title: &str, text: &str) -> Vec<OsString> {
    let lines =
        ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
    let script = lines.into_iter().flat_map(|line| ["-e", line]);
    ["osascript"].into_iter().chain(script).chain(["--", title, text]).map(OsString::from).collect()
}

/// Whether it can wait.
fn urgency(event: &str) -> &'static str {
    let last = event.rsplit('.').next().unwrap_or_default();
    match last {
        "blocked" | "failed" | "pending-approval" | "exceeded" | "unguarded" | "timed-out" => "critical",
        _ if event.starts_with("escalation.") => "critical",
        _ => "normal",
    }
}

fn printable(text: &str) -> String {
    text.trim().chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}
