//! Codex runs a hook only once a person has looked at it: `config.toml` then holds a hash of it. Writing that hash
//! stands in for the person's look, so the caller asks first.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, Item, Table, value};

use crate::install::{InstallError, ours_in};

/// Trust in one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustEntry {
    /// `<path of hooks.json>:<event_in_snake_case>:<group>:<hook>`.
    pub key: String,
    pub hash: String,
}

/// How long Codex waits for a hook that does not say.
const DEFAULT_TIMEOUT: u64 = 600;

/// The trust that every hook of ours in this `hooks.json` needs. `path` is the file's full path as Codex sees it.
pub fn trust_entries(path: &str, hooks_json: &str) -> Result<Vec<TrustEntry>, InstallError> {
    let entry = |(found, group): (crate::install::Ours, Value)| {
        let event = snake_case(&found.wire);
        let (item, hook) = (found.item, found.hook.unwrap_or_default());
        let hash = trust_hash(&event, group.get("matcher").and_then(Value::as_str), &found.value);
        TrustEntry { key: format!("{path}:{event}:{item}:{hook}"), hash }
    };
    Ok(ours_in(hooks_json)?.into_iter().map(entry).collect())
}

/// The hash of one hook as Codex computes it: over compact JSON with sorted keys and every default written out.
pub fn trust_hash(event: &str, matcher: Option<&str>, hook: &Value) -> String {
    let timeout = hook.get("timeout").and_then(Value::as_u64).unwrap_or(DEFAULT_TIMEOUT);
    let handler = json!({
        "async": hook.get("async").and_then(Value::as_bool).unwrap_or(false),
        "command": hook.get("command").and_then(Value::as_str).unwrap_or_default(),
        "timeout": timeout,
        "type": "command",
    });
    let mut whole = Map::new();
    whole.insert("event_name".to_owned(), event.into());
    whole.insert("hooks".to_owned(), json!([handler]));
    if let Some(matcher) = matcher {
        whole.insert("matcher".to_owned(), matcher.into());
    }
    let digest = Sha256::digest(Value::Object(whole).to_string().as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// `config.toml` with this trust in it; comments and all else stay.
pub fn trust(config: Option<&str>, entries: &[TrustEntry]) -> Result<String, InstallError> {
    let existing = config.unwrap_or_default();
    let mut document = read(existing)?;
    let state = state(&mut document, existing)?;
    for entry in entries {
        let known = state.get(&entry.key).and_then(|table| table.get("trusted_hash")).and_then(Item::as_str);
        if known == Some(entry.hash.as_str()) {
            continue;
        }
        // Whatever else is said about the hook, such as that it is switched off, stays.
        let table = state.entry(&entry.key).or_insert_with(|| Item::Table(Table::new()));
        let Some(table) = table.as_table_like_mut() else {
            return Err(InstallError::at(
                existing,
                0,
                format!("`hooks.state.\"{}\"` is not a table", entry.key),
            ));
        };
        table.insert("trusted_hash", value(entry.hash.as_str()));
    }
    Ok(document.to_string())
}

/// `config.toml` without the trust in any hook of this `hooks.json` that these entries name.
pub fn distrust(config: &str, entries: &[TrustEntry]) -> Result<String, InstallError> {
    let mut document = read(config)?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return Ok(config.to_owned());
    };
    let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut) else {
        return Ok(config.to_owned());
    };
    for entry in entries {
        state.remove(&entry.key);
    }
    // Tables that were never written out, only implied by those below them, vanish with them.
    let implied = |item: &Item| item.as_table().is_some_and(|table| table.is_empty() && table.is_implicit());
    if hooks.get("state").is_some_and(implied) {
        hooks.remove("state");
    }
    if document.get("hooks").is_some_and(implied) {
        document.remove("hooks");
    }
    Ok(document.to_string())
}

fn read(text: &str) -> Result<DocumentMut, InstallError> {
    text.parse().map_err(|wrong: toml_edit::TomlError| {
        let at = wrong.span().map_or(0, |span| span.start);
        InstallError::at(text, at, wrong.message().trim().replace('\n', "; "))
    })
}

/// The table of trust, made where it is not there without a line of its own.
fn state<'d>(
    document: &'d mut DocumentMut,
    text: &str,
) -> Result<&'d mut dyn toml_edit::TableLike, InstallError> {
    let implied = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let not_a_table = |name: &str| InstallError::at(text, 0, format!("`{name}` is not a table"));
    let hooks = document.entry("hooks").or_insert_with(implied);
    let hooks = hooks.as_table_like_mut().ok_or_else(|| not_a_table("hooks"))?;
    let state = hooks.entry("state").or_insert_with(implied);
    state.as_table_like_mut().ok_or_else(|| not_a_table("hooks.state"))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
