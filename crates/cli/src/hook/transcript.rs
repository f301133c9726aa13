//! The conversation so far for a subagent that works on it: cleaned, in pieces small enough to be read whole.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use signalbox_core::text;
use signalbox_store::session::Session;
use signalbox_store::{Home, files};

use super::Trouble;

/// About how many characters one piece has: what a model reads in one go.
const PIECE: usize = 48_000;
/// More than this of a transcript's end is not looked at.
const MOST: u64 = 32 * 1024 * 1024;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    message: Value,
    #[serde(default, rename = "isMeta")]
    is_meta: bool,
}

/// Write the pieces and say where they are.
pub fn deliver(home: &Home, session: &Session, transcript: &Path) -> Result<String, Trouble> {
    let size = files::size(transcript).ok().flatten().unwrap_or(0);
    let Ok(bytes) = files::read_from(transcript, size.saturating_sub(MOST)) else { return Ok(String::new()) };
    let pieces = pieces(&clean(&String::from_utf8_lossy(&bytes)));
    let folder = folder(home, session);
    let failed =
        |error: std::io::Error| Trouble::Inside(format!("the conversation cannot be delivered: {error}"));
    files::create_private_dir(&folder).map_err(failed)?;
    let mut told = "\nThe conversation so far, cleaned, oldest first. Read each file whole:\n".to_owned();
    for (at, piece) in pieces.iter().enumerate() {
        let path = folder.join(format!("conversation-{:03}.md", at + 1));
        files::replace(&path, piece.as_bytes(), files::PRIVATE).map_err(failed)?;
        told.push_str(&format!("  {}\n", path.display()));
    }
    if !session.charter.services.is_empty() {
        told.push_str(&format!("Services this is about: {}.\n", session.charter.services.join(", ")));
        for path in service_notes(session) {
            told.push_str(&format!("  {}\n", path.display()));
        }
    }
    Ok(told)
}

/// What services say of themselves, where the project keeps such files.
fn service_notes(session: &Session) -> Vec<PathBuf> {
    let Some(root) = &session.charter.root else { return Vec::new() };
    let names = ["CLAUDE.md", "AGENTS.md", "README.md"];
    let of = |service: &String| {
        names.iter().map(|name| Path::new(root).join(service).join(name)).find(|path| path.is_file())
    };
    session.charter.services.iter().filter_map(of).collect()
}

/// Remove what was delivered.
pub fn withdraw(home: &Home, session: &Session) -> Result<(), Trouble> {
    let folder = folder(home, session);
    let failed = |error: std::io::Error| Trouble::Inside(error.to_string());
    if !folder.is_dir() {
        return Ok(());
    }
    for name in files::names(&folder).map_err(failed)? {
        files::remove(&folder.join(name)).map_err(failed)?;
    }
    std::fs::remove_dir(&folder).map_err(failed)
}

fn folder(home: &Home, session: &Session) -> PathBuf {
    home.run().join("delivered").join(session.id.as_str())
}

/// Only what people and the model said; of tools only which.
fn clean(transcript: &str) -> Vec<String> {
    let mut said = Vec::new();
    for line in transcript.lines() {
        let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
        if line.is_meta || !matches!(line.kind.as_str(), "user" | "assistant") {
            continue;
        }
        let words = words(&line.message["content"]);
        if !words.trim().is_empty() {
            let who = if line.kind == "user" { "Person" } else { "Agent" };
            said.push(format!("## {who}\n\n{}\n", words.trim()));
        }
    }
    said
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => without_reminders(text),
        Value::Array(parts) => {
            let parts = parts.iter().filter_map(|part| match part["type"].as_str()? {
                "text" => Some(without_reminders(part["text"].as_str()?)),
                "tool_use" => Some(format!("[{}]", tool_line(part))),
                _ => None,
            });
            parts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn tool_line(part: &Value) -> String {
    let name = part["name"].as_str().unwrap_or("tool");
    let input = &part["input"];
    let about = ["command", "file_path", "pattern", "path", "description"]
        .iter()
        .find_map(|key| input[*key].as_str());
    let about: String = text::one_line(about.unwrap_or_default()).chars().take(160).collect();
    if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") }
}

/// The CLI's own remarks to the model are nobody's words.
fn without_reminders(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<system-reminder>") {
        kept.push_str(before);
        rest = after.split_once("</system-reminder>").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    text::many_lines(&kept).into_owned()
}

fn pieces(said: &[String]) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for one in said {
        let full = pieces.last().is_some_and(|piece| !piece.is_empty() && piece.len() + one.len() > PIECE);
        if full {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(one);
            piece.push('\n');
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_said_is_kept() {
        let transcript = concat!(
            r#"{"type":"user","message":{"content":"please <system-reminder>secret</system-reminder>fix it"}}"#,
            "\n",
            r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"on it"},{"type":"tool_use","name":"Bash","input":{"command":"ls\n-la"}}]}}"#,
            "\nnot json\n",
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"long output"}]}}"#,
            "\n",
            r#"{"type":"user","isMeta":true,"message":{"content":"meta"}}"#,
            "\n",
            r#"{"type":"summary","summary":"x"}"#,
        );
        let said = clean(transcript);
        assert_eq!(said, ["## Person\n\nplease fix it\n", "## Agent\n\non it\n[Bash: ls\\n-la]\n"]);
    }

    #[test]
    fn pieces_are_small_and_lose_nothing() {
        let said: Vec<String> = (0..10).map(|n| format!("{n}{}", "x".repeat(20_000))).collect();
        let pieces = pieces(&said);
        assert_eq!(pieces.len(), 5);
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(pieces.concat().replace('\n', ""), said.concat());
    }
}
