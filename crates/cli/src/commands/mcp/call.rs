//! One call of a tool: this same program as a child, with the matching command line.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::tools::{Line, Shown, TOOLS};

/// How long a command may take. It is over in milliseconds, unless somebody holds the lock.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether it has ended, at first and at the most.
const STEP: Duration = Duration::from_millis(1);
const LONGEST_STEP: Duration = Duration::from_millis(50);
/// The most that is handed to the model, in bytes. Clients cut off what is longer, or fail.
const MOST: usize = 200_000;
/// What one chooses a ticket by.
const ROW: &[&str] = &["id", "title", "status", "priority", "assignee", "blocked_by", "project"];

/// The result of `tools/call`. An error is one of the protocol; what a command refuses is a result.
pub fn call(program: &Path, parameters: &Value) -> Result<Value, String> {
    let name = parameters["name"].as_str().ok_or("`name` is missing")?;
    let tool =
        TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| format!("there is no tool `{name}`"))?;
    let carried_out = tool.given(&parameters["arguments"]).and_then(|given| {
        let output = run(program, &(tool.line)(&given)?)?;
        Ok(match tool.shown {
            Shown::Whole => output,
            Shown::Rows => Output { text: rows(&output.text, given.limit()), ..output },
        })
    });
    Ok(match carried_out {
        Ok(Output { text, warnings }) => {
            let texts = [cut(text), warnings].into_iter().filter(|text| !text.is_empty());
            json!({ "content": texts.map(|text| json!({ "type": "text", "text": text })).collect::<Vec<_>>() })
        }
        Err(why) => json!({ "content": [{ "type": "text", "text": cut(why) }], "isError": true }),
    })
}

/// What a command said.
struct Output {
    text: String,
    warnings: String,
}

/// Run a command. The error is what it complained about.
fn run(program: &Path, line: &Line) -> Result<Output, String> {
    let failed = |error: std::io::Error| format!("sb cannot be started: {error}");
    let mut child = Command::new(program)
        .args(&line.words)
        .stdin(if line.input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), line.input.clone()) {
        // Apart, because it may be more than a pipe holds. A command that does not want it has said why.
        std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    let status = ended(&mut child).map_err(failed)?;
    let (stdout, stderr) = (stdout.recv().unwrap_or_default(), stderr.recv().unwrap_or_default());
    match status {
        Some(status) if status.success() => {
            Ok(Output { text: stdout, warnings: stderr.trim_end().to_owned() })
        }
        Some(_) => Err(complaint(&stderr)),
        None => Err(format!(
            "it took more than {} seconds and was stopped; look whether it happened before you try again",
            PATIENCE.as_secs()
        )),
    }
}

/// How a command ended; `None` where it took too long. It can be killed at any time, and nothing is half done.
fn ended(child: &mut Child) -> std::io::Result<Option<ExitStatus>> {
    let (begun, mut step) = (Instant::now(), STEP);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(step);
        step = (step * 2).min(LONGEST_STEP);
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// What a command complained about, with its hints. It is a JSON object, or words for a person.
fn complaint(stderr: &str) -> String {
    let object = stderr.lines().rev().find_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        value.get("error").cloned()
    });
    let Some(error) = object else {
        let words = stderr.trim();
        return if words.is_empty() { "sb failed without a word".to_owned() } else { words.to_owned() };
    };
    let mut text = error["message"].as_str().unwrap_or_default().to_owned();
    for hint in error["hints"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("\nhint: {hint}"));
    }
    for event in error["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("\nevidence: event {event}"));
    }
    text
}

/// The first rows of a list, a line each.
fn rows(list: &str, limit: u64) -> String {
    let Ok(Value::Array(tickets)) = serde_json::from_str(list) else { return list.to_owned() };
    if tickets.is_empty() {
        return "No ticket is like that.".to_owned();
    }
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut lines: Vec<String> = tickets
        .iter()
        .take(most)
        .map(|ticket| {
            let kept = ROW.iter().filter_map(|key| Some(((*key).to_owned(), ticket.get(*key)?.clone())));
            Value::Object(kept.filter(|(_, value)| !value.is_null() && *value != json!([])).collect())
                .to_string()
        })
        .collect();
    if tickets.len() > most {
        lines.push(format!("… and {} more", tickets.len() - most));
    }
    lines.join("\n")
}

fn cut(mut text: String) -> String {
    if text.len() > MOST {
        let whole = text.len();
        text.truncate(text.floor_char_boundary(MOST));
        text.push_str(&format!("\n… cut off: all of it has {whole} bytes"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_become_words() {
        let json = r#"{"error":{"code":"x","message":"no","hints":["do this"],"evidence":["01A"]}}"#;
        assert_eq!(complaint(&format!("warning: w\n{json}\n")), "no\nhint: do this\nevidence: event 01A");
        assert_eq!(complaint("error: bad\nhint: x\n"), "error: bad\nhint: x");
        assert_eq!(complaint(""), "sb failed without a word");
    }

    #[test]
    fn lists_are_short() {
        let list = r#"[{"id":"sb_1","title":"a","rev":3,"blocked_by":[]},{"id":"sb_2"},{"id":"sb_3"}]"#;
        assert_eq!(rows(list, 2), "{\"id\":\"sb_1\",\"title\":\"a\"}\n{\"id\":\"sb_2\"}\n… and 1 more");
        assert_eq!(rows("[]", 2), "No ticket is like that.");
        assert_eq!(rows("no list", 2), "no list");
        let long = cut("ü".repeat(MOST));
        assert!(
            long.len() < MOST + 100 && long.ends_with("cut off: all of it has 400000 bytes"),
            "{}",
            long.len()
        );
    }
}
