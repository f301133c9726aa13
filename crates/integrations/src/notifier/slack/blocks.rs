//! The blocks of a message, from what its template put aside. Slack refuses a whole message for one block that is too
//! long or empty, so each is made to fit.

use serde_json::{Value, json};
use signalbox_template::{Call, Made};

const MOST_BLOCKS: usize = 50;
pub const MOST_TEXT: usize = 3_000;
const MOST_HEADER: usize = 150;
const MOST_FIELD: usize = 2_000;
const MOST_FIELDS: usize = 10;
const MOST_BUTTON: usize = 75;
const MOST_BUTTONS: usize = 25;
const MOST_URL: usize = 3_000;

/// The blocks. A template that makes none has made plain text, and without that there is the message itself.
pub fn of(made: &Made, message: &str) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    for call in &made.calls {
        if call.function == "button" {
            add_button(&mut blocks, call);
        } else {
            blocks.extend(block(call));
        }
    }
    if blocks.is_empty() {
        blocks.extend(section(&made.text).or_else(|| section(message)));
    }
    if blocks.len() > MOST_BLOCKS {
        blocks.truncate(MOST_BLOCKS - 1);
        blocks.push(json!({ "type": "context", "elements": [mrkdwn("…", MOST_TEXT)] }));
    }
    blocks
}

fn block(call: &Call) -> Option<Value> {
    let text = || call.text("text").filter(|text| !text.trim().is_empty());
    match call.function {
        "header" => Some(json!({ "type": "header", "text": plain(&text()?, MOST_HEADER) })),
        "section" => section(&text()?),
        "context" => Some(json!({ "type": "context", "elements": [mrkdwn(&text()?, MOST_TEXT)] })),
        "divider" => Some(json!({ "type": "divider" })),
        "fields" => fields(call.arguments.get("list")?),
        "image" => {
            let url = call.text("url").filter(|url| is_url(url))?;
            let alt =
                call.text("alt").filter(|alt| !alt.trim().is_empty()).unwrap_or_else(|| "image".to_owned());
            Some(json!({ "type": "image", "image_url": url, "alt_text": cut(&alt, MOST_FIELD) }))
        }
        "rich_text" => {
            let words = json!({ "type": "text", "text": cut(&text()?, MOST_TEXT) });
            let section = json!({ "type": "rich_text_section", "elements": [words] });
            Some(json!({ "type": "rich_text", "elements": [section] }))
        }
        _ => None,
    }
}

fn section(text: &str) -> Option<Value> {
    let text = text.trim();
    (!text.is_empty()).then(|| json!({ "type": "section", "text": mrkdwn(text, MOST_TEXT) }))
}

/// A list, or a text with one field a line.
fn fields(list: &Value) -> Option<Value> {
    let texts: Vec<String> = match list {
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), ToOwned::to_owned))
            .collect(),
        Value::String(text) => text.lines().map(ToOwned::to_owned).collect(),
        _ => return None,
    };
    let fields: Vec<Value> = texts
        .iter()
        .filter(|text| !text.trim().is_empty() && text.as_str() != "null")
        .take(MOST_FIELDS)
        .map(|text| mrkdwn(text, MOST_FIELD))
        .collect();
    (!fields.is_empty()).then(|| json!({ "type": "section", "fields": fields }))
}

/// Buttons that follow each other stand side by side.
fn add_button(blocks: &mut Vec<Value>, call: &Call) {
    let (Some(text), Some(url)) = (call.text("text"), call.text("url").filter(|url| is_url(url))) else {
        return;
    };
    if text.trim().is_empty() {
        return;
    }
    let mut button = json!({ "type": "button", "text": plain(&text, MOST_BUTTON), "url": url });
    // It has no other two.
    let style = call.text("style").filter(|style| matches!(style.as_str(), "primary" | "danger"));
    if let (Some(style), Some(fields)) = (style, button.as_object_mut()) {
        fields.insert("style".to_owned(), json!(style));
    }
    let beside = blocks
        .last_mut()
        .filter(|last| last.get("type").and_then(Value::as_str) == Some("actions"))
        .and_then(|last| last.get_mut("elements"))
        .and_then(Value::as_array_mut)
        .filter(|buttons| buttons.len() < MOST_BUTTONS);
    match beside {
        Some(buttons) => buttons.push(button),
        None => blocks.push(json!({ "type": "actions", "elements": [button] })),
    }
}

fn is_url(url: &str) -> bool {
    (url.starts_with("https://") || url.starts_with("http://"))
        && url.len() <= MOST_URL
        && url.bytes().all(|byte| byte.is_ascii_graphic())
}

fn plain(text: &str, most: usize) -> Value {
    json!({ "type": "plain_text", "text": cut(&text.replace('\n', " "), most), "emoji": true })
}

fn mrkdwn(text: &str, most: usize) -> Value {
    json!({ "type": "mrkdwn", "text": escaped(text, most) })
}

/// Text in which nobody can mention everyone or hide where a link leads: these need the signs that are escaped here.
pub fn escaped(text: &str, most: usize) -> String {
    let sign = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        other => other.to_string(),
    };
    gather(text.chars().map(sign), most)
}

fn cut(text: &str, most: usize) -> String {
    gather(text.chars().map(|c| c.to_string()), most)
}

/// As many of the pieces as there is room for, none of them in part; what is left out shows.
fn gather(pieces: impl Iterator<Item = String>, most: usize) -> String {
    // Slack counts as JavaScript does.
    let size = |piece: &str| piece.encode_utf16().count();
    let (mut text, mut used) = (String::new(), 0);
    // The end of what leaves room for the sign that something was left out.
    let mut room = 0;
    for piece in pieces {
        used += size(&piece);
        if used > most {
            text.truncate(room);
            text.push('…');
            return text;
        }
        text.push_str(&piece);
        if used < most {
            room = text.len();
        }
    }
    text
}
