//! One call of a tool: this same program as a child, with the matching command line.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_core::Refusal;

use super::asker::Asker;
use super::given::Line;
use super::shown::cut;
use super::tools;

/// How long a command may take. It is over in milliseconds, unless somebody holds the lock.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether it has ended, at first and at the most.
const STEP: Duration = Duration::from_millis(1);
const LONGEST_STEP: Duration = Duration::from_millis(50);

/// The result of `tools/call`. An error is one of the protocol; what is refused, by us or by the command, is a result.
pub fn call(program: &Path, asker: &Asker, parameters: &Value) -> Result<Value, String> {
    let name = parameters["name"].as_str().ok_or("`name` is missing")?;
    let (tool, rule) = tools::find(name).ok_or_else(|| format!("there is no tool `{name}`"))?;
    let carried_out = asker.may_use(rule).map_err(|refusal| worded(&refusal)).and_then(|()| {
        let given = tool.given(&parameters["arguments"])?;
        let Output { text, warnings } = run(program, &(tool.line)(&given)?)?;
        Ok(Output { text: tool.shown.of(&text, given.limit()), warnings })
    });
    Ok(match carried_out {
        Ok(Output { text, warnings }) => {
            let texts = [text, cut(warnings)].into_iter().filter(|text| !text.is_empty());
            json!({ "content": texts.map(|text| json!({ "type": "text", "text": text })).collect::<Vec<_>>() })
        }
        Err(why) => json!({ "content": [{ "type": "text", "text": cut(why) }], "isError": true }),
    })
}

/// A refusal in the words that a command's has.
fn worded(refusal: &Refusal) -> String {
    let hint = refusal.hint.iter().map(|hint| format!("\nhint: {hint}"));
    [refusal.message.clone()].into_iter().chain(hint).collect()
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
}
