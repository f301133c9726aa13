//! What an agent has used: tokens from the transcripts of its conversations or its CLI's database, money where it tells.
//!
//! Where the transcripts are is told by hooks, and money goes to the status line; both are noted in a file beside the
//! agent's record, one entry a conversation.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signalbox_core::AgentId;
use signalbox_drivers::Driver;
use signalbox_drivers::usage::{Count, Usage};
use signalbox_store::agents::Record;
use signalbox_store::lock::Lock;
use signalbox_store::{Home, files, foreign};

/// What is known of the conversations of an agent, by their ids.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Notes(BTreeMap<String, Note>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Note {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transcript: Option<PathBuf>,
    /// Millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost_micros: Option<u64>,
}

/// A conversation keeps its transcript there.
pub fn note_transcript(home: &Home, agent: &AgentId, session: &str, path: &Path) -> io::Result<()> {
    change(home, agent, session, |note| note.transcript = Some(path.to_owned()))
}

/// A conversation has cost so much until now.
pub fn note_cost(home: &Home, agent: &AgentId, session: &str, micros: u64) -> io::Result<()> {
    change(home, agent, session, |note| note.cost_micros = Some(micros))
}

/// The sum over all conversations. `None` where the CLI does not say.
pub fn of(home: &Home, driver: &Driver, record: &Record) -> io::Result<Option<Usage>> {
    let Some(reports) = &driver.usage else { return Ok(None) };
    let folder = |name: &str| record.other.get(name).and_then(|folder| folder.as_str()).unwrap_or_default();
    let (config, data) = (folder("config"), folder("data"));
    let mut notes = read(home, &record.id)?;
    let mut total = Usage::default();
    for session in &record.sessions {
        let note = notes.0.remove(session.as_str()).unwrap_or_default();
        let below = reports.transcript.map(|path| Path::new(config).join(path(session.as_str())));
        let transcript = note.transcript.or(below);
        // A conversation in which nothing was said has none.
        let text = transcript.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let rows = match &reports.database {
            Some(database) => {
                let path = Path::new(data).join(database.path);
                let Some(rows) = foreign::texts(&path, database.query, session.as_str()) else {
                    return Ok(None);
                };
                rows
            }
            None => Vec::new(),
        };
        let lines = text.lines().chain(rows.iter().map(String::as_str));
        let mut used = conversation(lines.filter_map(|line| (reports.line)(line)));
        used.cost_micros = note.cost_micros.or(used.cost_micros);
        add(&mut total, &used);
    }
    Ok(Some(total))
}

/// Where programs keep their data that get these variables besides ours.
pub fn data_folder(environment: &[(String, String)]) -> Option<PathBuf> {
    let set = |name: &str| {
        let given = environment.iter().rfind(|(given, _)| given == name).map(|(_, value)| value.into());
        given.or_else(|| std::env::var_os(name)).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")))
}

/// What one conversation used. Some CLIs count each call, some all of them so far.
fn conversation(counts: impl Iterator<Item = Count>) -> Usage {
    let mut calls: BTreeMap<String, Usage> = BTreeMap::new();
    let mut total = None;
    for count in counts {
        match count {
            Count::Total(usage) => total = Some(usage),
            Count::Call { id, usage } => {
                calls.insert(id, usage);
            }
        }
    }
    total.unwrap_or_else(|| {
        let mut sum = Usage::default();
        calls.values().for_each(|usage| add(&mut sum, usage));
        sum
    })
}

fn add(sum: &mut Usage, more: &Usage) {
    sum.input_tokens += more.input_tokens;
    sum.cached_tokens += more.cached_tokens;
    sum.output_tokens += more.output_tokens;
    sum.cost_micros = match (sum.cost_micros, more.cost_micros) {
        (None, None) => None,
        (one, two) => Some(one.unwrap_or(0) + two.unwrap_or(0)),
    };
    if more.model.is_some() {
        sum.model.clone_from(&more.model);
    }
}

fn path(home: &Home, agent: &AgentId) -> PathBuf {
    home.agents().join(format!("{agent}.usage"))
}

fn read(home: &Home, agent: &AgentId) -> io::Result<Notes> {
    let bytes = files::read_optional(&path(home, agent))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
}

fn change(home: &Home, agent: &AgentId, session: &str, change: impl FnOnce(&mut Note)) -> io::Result<()> {
    let _lock = Lock::acquire(&home.run().join("usage.lock"), |_| {})?;
    let mut notes = read(home, agent)?;
    change(notes.0.entry(session.to_owned()).or_default());
    files::replace(&path(home, agent), &serde_json::to_vec(&notes)?, files::PRIVATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_total_replaces_and_calls_add_up_once_each() {
        let used = |output: u64| Usage { output_tokens: output, ..Usage::default() };
        let call = |id: &str, output| Count::Call { id: id.to_owned(), usage: used(output) };
        let sum = conversation([call("a", 1), call("b", 2), call("a", 5)].into_iter());
        assert_eq!(sum.output_tokens, 7);
        let sum = conversation([Count::Total(used(3)), Count::Total(used(9))].into_iter());
        assert_eq!(sum.output_tokens, 9);
    }
}
