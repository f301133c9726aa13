//! A plan: a graph of tickets in a file, read and checked as a whole before anything is filed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use signalbox_core::orchestra::overlap;
use signalbox_core::{Priority, TicketId, glob, nearest, text};

use crate::wording;

/// The largest that is read, and how many tickets it may have.
pub const MOST_BYTES: usize = 1024 * 1024;
pub const MOST_TICKETS: usize = 300;

/// The file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// The initiative that all of them belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiative: Option<String>,
    pub tickets: Vec<Planned>,
    /// Questions that the plan answers, once a human has approved it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answered>,
}

/// One ticket of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// What others in the plan know it by.
    pub key: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// For its branch; the key where it is not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<String>,
    #[serde(default = "yes")]
    pub needs_tests: bool,
    /// Keys of the plan, or ids of tickets that are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    #[serde(default = "usual")]
    pub priority: Urgency,
    /// What it will change, as far as one can say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A question and what the plan answers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    pub escalation: String,
    pub answer: String,
}

/// A priority as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct Urgency(pub Priority);

impl TryFrom<String> for Urgency {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Priority::from_word(&word).map(Self).ok_or_else(|| {
            format!("`{}` is not a priority: they are `P0` (outage) to `P5` (someday)", text::one_line(&word))
        })
    }
}

fn yes() -> bool {
    true
}

fn usual() -> Urgency {
    Urgency(Priority::default())
}

impl Planned {
    pub fn slug(&self) -> &str {
        self.slug.as_deref().unwrap_or(&self.key)
    }

    /// What it waits for within the plan.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.depends_on.iter().map(String::as_str).filter(|name| !name.starts_with("sb_"))
    }

    /// The tickets it waits for that are there.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.depends_on.iter().map(String::as_str).filter(|name| name.starts_with("sb_"))
    }
}

/// What a plan must fit: what the contract and the tickets that are there allow.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// The areas a ticket may be in; empty for any.
    pub areas: Vec<String>,
    /// `area/slug` of tickets that are not done, and which tickets these are.
    pub slugs: BTreeMap<String, TicketId>,
}

impl Plan {
    /// Read it. Whatever the text is, the answer is a plan or a sentence.
    pub fn parse(source: &str, shown: &str) -> Result<Self, String> {
        if source.len() > MOST_BYTES {
            return Err(format!("{shown} has {} bytes, and {MOST_BYTES} are the most", source.len()));
        }
        toml::from_str(source).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = source.bytes().take(at).filter(|b| *b == b'\n').count() + 1;
            format!("{shown}, line {line}: {}", text::one_line(&wording::plain(error.message())))
        })
    }

    /// Everything that is wrong with it as a whole; nothing where it can be filed.
    pub fn faults(&self, around: &Around) -> Vec<String> {
        let mut faults = Vec::new();
        if self.tickets.is_empty() {
            faults.push("there are no tickets in it; each begins with `[[tickets]]`".to_owned());
        }
        if self.tickets.len() > MOST_TICKETS {
            faults.push(format!("it has {} tickets, and {MOST_TICKETS} are the most", self.tickets.len()));
            return faults;
        }
        for (at, ticket) in self.tickets.iter().enumerate() {
            self.faults_of(at, ticket, around, &mut faults);
        }
        if let Some(circle) = self.cycle() {
            faults.push(format!("{} would wait for itself", circle.join(" → ")));
        }
        faults
    }

    fn faults_of(&self, at: usize, ticket: &Planned, around: &Around, faults: &mut Vec<String>) {
        let key = text::one_line(&ticket.key);
        let mut add = |what: String| faults.push(format!("`{key}`: {what}"));
        let before = self.tickets.get(..at).unwrap_or_default();
        if !is_name(&ticket.key) || ticket.key.starts_with("sb_") {
            add("a key is a word of letters, digits, `-` and `_`, and does not begin with `sb_`".to_owned());
        }
        if before.iter().any(|other| other.key == ticket.key) {
            add("another ticket has this key".to_owned());
        }
        if let Err(refusal) = text::title(&ticket.title) {
            add(refusal.message);
        }
        let place = branch(ticket);
        if !is_name(ticket.slug()) {
            add(format!("`{}` is no slug: letters, digits, `-` and `_`", text::one_line(ticket.slug())));
        } else if let Some(other) = before.iter().find(|other| branch(other) == place) {
            add(format!("`{}` has the slug `{place}` too", text::one_line(&other.key)));
        } else if let Some(id) = around.slugs.get(&place) {
            add(format!("{id} has the slug `{place}` already; was this plan filed before?"));
        }
        match &ticket.area {
            Some(area) if !is_name(area) => {
                add(format!("`{}` is no area: letters, digits, `-` and `_`", text::one_line(area)));
            }
            Some(area) if !around.areas.is_empty() && !around.areas.contains(area) => {
                let near = nearest(area, around.areas.iter().map(String::as_str));
                let hint = near.map_or_else(
                    || format!("there are {}", around.areas.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                add(format!("the contract knows no area `{area}`; {hint}"));
            }
            _ => {}
        }
        for name in ticket.keys() {
            if !self.tickets.iter().any(|other| other.key == name) {
                let near = nearest(name, self.tickets.iter().map(|other| other.key.as_str()));
                let hint = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
                add(format!("it depends on `{}`, which is not in the plan{hint}", text::one_line(name)));
            }
        }
        for file in &ticket.files {
            if let Some(why) = glob::fault(file.trim_end_matches('/')) {
                add(format!("`{}` cannot be among its files: {why}", text::one_line(file)));
            }
        }
    }

    /// A circle of keys, from one back to itself.
    fn cycle(&self) -> Option<Vec<String>> {
        let left = self.unordered();
        // Each of these waits for another of them, so whoever goes on comes back.
        let mut path: Vec<&str> = vec![left.first()?.key.as_str()];
        loop {
            let at = left.iter().find(|ticket| Some(&ticket.key.as_str()) == path.last())?;
            let next = at.keys().find(|key| left.iter().any(|other| other.key == *key))?;
            if let Some(start) = path.iter().position(|key| *key == next) {
                let circle = path.iter().skip(start).copied().chain([next]);
                return Some(circle.map(|key| text::one_line(key).into_owned()).collect());
            }
            path.push(next);
        }
    }

    /// Those that wait in a circle, or for one that does.
    fn unordered(&self) -> Vec<&Planned> {
        let layered: Vec<&str> =
            self.layers().into_iter().flatten().map(|ticket| ticket.key.as_str()).collect();
        self.tickets.iter().filter(|ticket| !layered.contains(&ticket.key.as_str())).collect()
    }

    /// The tickets by when they can be begun: the first wait for nothing in the plan, the next for those, and so on.
    pub fn layers(&self) -> Vec<Vec<&Planned>> {
        let mut done: Vec<&str> = Vec::new();
        let mut layers: Vec<Vec<&Planned>> = Vec::new();
        loop {
            // What is not in the plan is told elsewhere, and nobody waits for it here.
            let is_there = |key: &str| self.tickets.iter().any(|other| other.key == key);
            let is_next = |ticket: &&Planned| {
                !done.contains(&ticket.key.as_str())
                    && ticket.keys().all(|key| done.contains(&key) || !is_there(key))
            };
            let layer: Vec<&Planned> = self.tickets.iter().filter(is_next).collect();
            if layer.is_empty() {
                return layers;
            }
            done.extend(layer.iter().map(|ticket| ticket.key.as_str()));
            layers.push(layer);
        }
    }

    /// In the order in which they are filed: each after what it waits for.
    pub fn in_order(&self) -> Vec<&Planned> {
        self.layers().into_iter().flatten().collect()
    }

    /// Pairs that could be worked on at once and would change the same files: two keys, and one of the files.
    pub fn overlaps(&self) -> Vec<(&str, &str, &str)> {
        let mut found = Vec::new();
        for (at, one) in self.tickets.iter().enumerate() {
            for other in self.tickets.iter().skip(at + 1) {
                if let Some(file) = overlap(&one.files, &other.files)
                    && !self.waits(one, &other.key)
                    && !self.waits(other, &one.key)
                {
                    found.push((one.key.as_str(), other.key.as_str(), file));
                }
            }
        }
        found
    }

    /// Whether one waits for another, at whatever remove.
    fn waits(&self, one: &Planned, key: &str) -> bool {
        let mut seen: Vec<&str> = Vec::new();
        let mut look: Vec<&str> = one.keys().collect();
        while let Some(next) = look.pop() {
            if next == key {
                return true;
            }
            if !seen.contains(&next) {
                seen.push(next);
                look.extend(self.tickets.iter().filter(|ticket| ticket.key == next).flat_map(Planned::keys));
            }
        }
        false
    }
}

/// `area/slug`, which its branch is called.
pub fn branch(ticket: &Planned) -> String {
    match &ticket.area {
        Some(area) => format!("{area}/{}", ticket.slug()),
        None => ticket.slug().to_owned(),
    }
}

fn is_name(word: &str) -> bool {
    word.len() <= 60
        && word.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}
