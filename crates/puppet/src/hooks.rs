//! Hooks as Claude Code has them in its settings: what is run, what it is told, and what its answer means.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

#[derive(Debug, Clone, Default)]
pub(crate) struct Hooks {
    groups: Vec<(String, Value)>,
}

/// What the hooks of an event said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Do not do it, and why.
    pub(crate) refusal: Option<String>,
    /// Do it without asking.
    pub(crate) is_allowed: bool,
}

impl Hooks {
    /// Of all settings that exist.
    pub(crate) fn load<'a>(files: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut groups = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            let settings: Value = serde_json::from_str(&text).unwrap_or_default();
            for (event, list) in settings["hooks"].as_object().into_iter().flatten() {
                groups.extend(
                    list.as_array().into_iter().flatten().map(|group| (event.clone(), group.clone())),
                );
            }
        }
        Self { groups }
    }

    /// Run all hooks of the event, one after the other. Those that nobody waits for are started; one of them that
    /// wants to wake the agent hands its child to `wakes`.
    pub(crate) fn run(&self, event: &str, payload: &Value, wakes: &mut dyn FnMut(Child)) -> Verdict {
        let mut verdict = Verdict::default();
        for (_, group) in self.groups.iter().filter(|(name, group)| name == event && fits(group, payload)) {
            for hook in group["hooks"].as_array().into_iter().flatten() {
                let Some(mut child) = start(hook, payload) else { continue };
                if hook["asyncRewake"] == true {
                    wakes(child);
                } else if hook["async"] == true {
                    std::thread::spawn(move || child.wait());
                } else {
                    let seconds = hook["timeout"].as_u64().unwrap_or(600);
                    verdict = merged(verdict, finish(child, Duration::from_secs(seconds)));
                }
            }
        }
        verdict
    }
}

/// Whether a group is for this tool; a name, a list of names, or everything.
fn fits(group: &Value, payload: &Value) -> bool {
    let matcher = group["matcher"].as_str().unwrap_or_default();
    let tool = payload["tool_name"].as_str().unwrap_or_default();
    matches!(matcher, "" | "*") || tool.is_empty() || matcher.split('|').any(|name| name == tool)
}

fn start(hook: &Value, payload: &Value) -> Option<Child> {
    let program = hook["command"].as_str()?;
    let mut command = match hook["args"].as_array() {
        Some(words) => {
            let mut command = Command::new(program);
            command.args(words.iter().filter_map(Value::as_str));
            command
        }
        None => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", program]);
            command
        }
    };
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.ok()?;
    if let Some(mut input) = child.stdin.take() {
        // A hook need not read what it is told.
        let _ = input.write_all(payload.to_string().as_bytes());
    }
    Some(child)
}

/// Wait for a hook; one that takes too long is ended and counts for nothing.
fn finish(mut child: Child, patience: Duration) -> Verdict {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let reader = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            if let Some(mut pipe) = pipe {
                let _ = pipe.read_to_string(&mut text);
            }
            text
        })
    };
    let stdout = reader(stdout.map(|pipe| Box::new(pipe) as _));
    let stderr = reader(stderr.map(|pipe| Box::new(pipe) as _));
    let end = Instant::now() + patience;
    let code = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Verdict::default();
            }
        }
    };
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    if code == Some(2) {
        return Verdict { refusal: Some(stderr.trim().to_owned()), is_allowed: false };
    }
    let answer: Value = serde_json::from_str(&stdout).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let specific = &answer["hookSpecificOutput"];
    let decision = &specific["decision"];
    if specific["permissionDecision"] == "deny" {
        Verdict { refusal: Some(text(&specific["permissionDecisionReason"])), is_allowed: false }
    } else if decision["behavior"] == "deny" {
        Verdict { refusal: Some(text(&decision["message"])), is_allowed: false }
    } else if answer["decision"] == "block" {
        Verdict { refusal: Some(text(&answer["reason"])), is_allowed: false }
    } else {
        let is_allowed = specific["permissionDecision"] == "allow" || decision["behavior"] == "allow";
        Verdict { refusal: None, is_allowed }
    }
}

fn merged(before: Verdict, after: Verdict) -> Verdict {
    Verdict { refusal: before.refusal.or(after.refusal), is_allowed: before.is_allowed || after.is_allowed }
}
