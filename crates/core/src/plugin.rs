//! Plugins: programs of the person's own that are told of events, or asked before something happens.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::glob::text_fits;

/// One `[[plugins]]` of the configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plugin {
    pub name: String,
    /// Patterns for names of events; `*` stands for anything.
    pub events: Vec<String>,
    pub run: Run,
    /// Handed to the program as it is.
    #[serde(default)]
    pub config: Map<String, Value>,
    /// How long it may take, in seconds.
    #[serde(default = "ten")]
    pub timeout: u64,
    /// It is asked before its events are written, and may refuse them.
    #[serde(default)]
    pub decides: bool,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "it is a line for the shell, or a list of words")]
pub enum Run {
    Line(String),
    Words(Vec<String>),
}

fn ten() -> u64 {
    10
}

impl Plugin {
    /// Whether events of this name are its business.
    pub fn wants(&self, event: &str) -> bool {
        self.events.iter().any(|pattern| text_fits(event, pattern))
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => f.write_str(line),
            Self::Words(words) => f.write_str(&words.join(" ")),
        }
    }
}
