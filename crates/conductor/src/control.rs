//! What people want of the loop: pause, drain, go on, stop, and how many agents at once. Each is an event, so it is
//! neither lost nor refused while no loop runs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use signalbox_core::orchestra::Control;
use signalbox_core::{Event, ProjectName, Refusal, Who};
use signalbox_store::index::History;
use signalbox_store::log::EventLog;
use signalbox_store::{Index, Store, clock, new_event_id};

use crate::error::Failed;

const ASKED: &str = "run.asked";
pub(crate) const STARTED: &str = "run.started";
pub(crate) const ENDED: &str = "run.ended";

/// What somebody wants of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wish {
    Pause,
    Drain,
    Resume,
    Stop,
    /// So many agents at once, whatever the contract says.
    Concurrency(u32),
}

/// What is wanted now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    #[serde(skip)]
    pub control: Control,
    /// Whether the loop that runs now is to end.
    pub stop: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Who wanted it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct Told {
    wish: Wish,
}

/// Say what is wanted of a project's loop.
pub fn ask(store: &Store, who: &Who, project: &ProjectName, wish: Wish) -> Result<(), Failed> {
    who.must_be_human("tell the loop what to do")?;
    if wish == Wish::Stop && !crate::is_running(store.home(), project) {
        return Err(Refusal::new("run.none", format!("no loop runs for `{project}`"))
            .hint("`sb agents` shows whether agents still do; `sb agent stop NAME` ends one.")
            .into());
    }
    let told = Told { wish };
    let event = Event::apart(new_event_id(), clock::now(), ASKED, who, Some(project.clone()), &told);
    store.log().record(&event.map_err(signalbox_store::StoreError::from)?)?;
    Ok(())
}

/// What is wanted of a project's loop now. A wish to stop counts only for the loop that ran when it was said.
pub fn standing(index: &Index, project: &ProjectName, since: Timestamp) -> Result<Asked, Failed> {
    let history =
        History { event: Some(ASKED.to_owned()), project: Some(project.clone()), ..History::default() };
    let mut asked = Asked::default();
    for (_, event) in index.events(&history).map_err(signalbox_store::StoreError::from)? {
        let Ok(told) = serde_json::from_str::<Told>(event.data.get()) else { continue };
        match told.wish {
            Wish::Pause => asked.control = Control::Paused,
            Wish::Drain => asked.control = Control::Draining,
            Wish::Resume => asked.control = Control::Running,
            Wish::Stop => asked.stop = event.ts >= since,
            Wish::Concurrency(number) => asked.concurrency = (number > 0).then_some(number),
        }
        asked.by = Some(event.actor);
        asked.since = Some(event.ts);
    }
    if asked.stop {
        asked.control = Control::Stopping;
    }
    Ok(asked)
}
