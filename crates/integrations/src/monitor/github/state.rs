//! What a look leaves to the next one. Every part of it is bounded.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::github::Place;
use crate::github::pull::Pull;

/// How many things that were announced are remembered of each list. Older ones are told apart by their time.
pub const MOST_SEEN: usize = 1000;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// What it is the state of; of anything else it is none.
    of: String,
    /// When the first look was, by the server's clock.
    pub since: Option<Timestamp>,
    /// Whose token it is; empty where that is no user.
    pub me: Option<String>,
    pub pulls_tag: Option<String>,
    pub pull: Option<Pull>,
    pub merge: Merge,
    pub refs_tag: Option<String>,
    pub head: Option<String>,
    pub checks: Checks,
    pub reviews: List,
    pub remarks: List,
    pub comments: List,
}

/// Whether the pull request can be merged.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Merge {
    pub tag: Option<String>,
    pub conflicts: bool,
}

/// A list that grows at its end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct List {
    /// The last page that had something on it; 0 before the first look.
    pub page: u32,
    /// The tags of the last pages, and whether each was full.
    pub tags: BTreeMap<u32, (String, bool)>,
    /// What was announced or need not be, the oldest first.
    pub seen: Vec<u64>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Checks {
    pub head: String,
    /// Which checks count.
    pub filter: Vec<String>,
    pub runs: Tally,
    pub statuses: Tally,
    /// The failures that were announced and still are.
    pub told: Vec<String>,
    pub told_success: bool,
}

/// What one source says of the checks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    pub tag: Option<String>,
    pub passed: usize,
    pub running: usize,
    /// Cancelled, or waiting for a person: neither good nor bad.
    pub stopped: usize,
    pub failed: Vec<Failure>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Another run of the same check is another failure.
    pub id: String,
    pub name: String,
    pub url: String,
    /// What it says of itself.
    pub said: String,
    /// The job of GitHub Actions behind it.
    pub job: Option<u64>,
}

impl State {
    /// What the last look left, if it looked at the same.
    pub fn read(before: &Value, place: &Place) -> Self {
        let of = format!("{} {} {} {}", place.api_url, place.repo, place.owner, place.branch);
        let state: Option<Self> = Deserialize::deserialize(before).ok();
        state.filter(|state| state.of == of).unwrap_or_else(|| Self { of, ..Self::default() })
    }
}

impl List {
    pub fn knows(&self, id: u64) -> bool {
        self.seen.contains(&id)
    }

    pub fn remember(&mut self, id: u64) {
        if !self.knows(id) {
            self.seen.push(id);
        }
        let over = self.seen.len().saturating_sub(MOST_SEEN);
        self.seen.drain(..over);
    }
}
