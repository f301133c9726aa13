//! The names of files in an outbox: they say whose message it is and who has it.

use jiff::Timestamp;
use signalbox_core::EventId;

use super::own_process;
use crate::{files, process};

/// A file in an outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    Waiting {
        id: EventId,
        text: String,
    },
    Taken {
        id: EventId,
        text: String,
        by: Holder,
        to: Purpose,
    },
    Done {
        id: EventId,
    },
    /// Being written, or left by a writer that was killed.
    Unfinished {
        text: String,
    },
}

/// What it was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be delivered: if its holder dies, the agent may have it.
    Deliver,
    /// To be taken out of the queue: the agent certainly does not have it.
    End,
}

impl Purpose {
    fn word(self) -> &'static str {
        match self {
            Self::Deliver => "taken",
            Self::End => "ending",
        }
    }
}

/// The process that has taken a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub pid: u32,
    started: u64,
    /// Whether it can be seen from here.
    in_sight: bool,
}

impl Holder {
    /// Whether it is certainly gone. Of a process that cannot be seen from here nothing is known.
    pub fn is_gone(&self) -> bool {
        self.in_sight && !process::is_running(self.pid, self.started)
    }
}

impl Name {
    pub fn waiting(id: &EventId) -> String {
        format!("{id}.json")
    }

    /// Taken by this process.
    pub fn taken(id: &EventId, to: Purpose) -> String {
        let (pid, started) = own_process();
        format!("{id}.{}.{pid}-{started}{}", to.word(), place())
    }

    pub fn done(id: &EventId) -> String {
        format!(".done.{id}")
    }

    pub fn parse(text: &str) -> Option<Self> {
        if text.ends_with(files::TEMPORARY) {
            return Some(Self::Unfinished { text: text.to_owned() });
        }
        if let Some(id) = text.strip_prefix(".done.") {
            return Some(Self::Done { id: EventId::parse(id).ok()? });
        }
        let (id, rest) = text.split_once('.')?;
        let id = EventId::parse(id).ok()?;
        let text = text.to_owned();
        if rest == "json" {
            return Some(Self::Waiting { id, text });
        }
        let (word, holder) = rest.split_once('.')?;
        let to = [Purpose::Deliver, Purpose::End].into_iter().find(|to| to.word() == word)?;
        let (holder, namespace) = holder.split_once('@').unwrap_or((holder, ""));
        let (pid, started) = holder.split_once('-')?;
        let in_sight = place().trim_start_matches('@') == namespace;
        let by = Holder { pid: pid.parse().ok()?, started: started.parse().ok()?, in_sight };
        Some(Self::Taken { id, text, by, to })
    }

    /// Whose message it is.
    pub fn id(&self) -> Option<&EventId> {
        match self {
            Self::Waiting { id, .. } | Self::Taken { id, .. } | Self::Done { id } => Some(id),
            Self::Unfinished { .. } => None,
        }
    }

    pub fn is_of(&self, wanted: &EventId) -> bool {
        self.id() == Some(wanted)
    }

    pub fn is_abandoned(&self) -> bool {
        matches!(self, Self::Taken { by, .. } if by.is_gone())
    }
}

/// Numbers of processes are only unique among those that can see each other.
fn place() -> String {
    let digits = |name: String| name.chars().filter(char::is_ascii_digit).collect::<String>();
    process::confined_to().map(|name| format!("@{}", digits(name))).unwrap_or_default()
}

/// When an id was made.
pub fn time_of(id: &EventId) -> Option<Timestamp> {
    Timestamp::from_millisecond(i64::try_from(id.millis()).ok()?).ok()
}
