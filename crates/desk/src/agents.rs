//! Agents as a person sees them: what each is doing and how that is known, what it works on, what it has used.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_agent::protocol::About;
use signalbox_agent::{attach, usage};
use signalbox_core::agent::{Certainty, State};
use signalbox_core::text::one_line;
use signalbox_core::{AgentId, time};
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::outbox::Outbox;

use crate::{CommandError, Desk};

/// How long an agent may take to say how it is. One that is stopped must not hold up a page.
const PATIENCE: Duration = Duration::from_millis(400);
/// The most agents that have ended which are shown.
const MOST_ENDED: usize = 100;

/// Tokens and money.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Used {
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// Millionths of a dollar, where its CLI tells.
    pub cost_micros: Option<u64>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentView {
    pub id: String,
    pub name: Option<String>,
    pub driver: String,
    pub running: bool,
    pub state: String,
    /// It is not known for sure.
    pub guess: bool,
    pub since: Option<String>,
    pub started: String,
    pub ended: Option<String>,
    pub exit_code: Option<i32>,
    pub project: Option<String>,
    pub ticket: Option<String>,
    pub role: Option<String>,
    pub branch: Option<String>,
    pub directory: String,
    pub watchers: usize,
    /// How many messages wait to reach it.
    pub waiting: usize,
    /// There is a recording to play.
    pub recorded: bool,
}

/// One agent, in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentDetail {
    #[serde(flatten)]
    pub agent: AgentView,
    /// What speaks for its state and against it, a sentence each.
    pub explained: Vec<String>,
    pub usage: Option<Used>,
    /// The size of its terminal.
    pub rows: u16,
    pub cols: u16,
}

impl Desk {
    /// Those that run, the oldest first, and then those that have ended, the newest first, if they are wanted.
    pub fn agents(&self, ended_too: bool) -> Result<Vec<AgentView>, CommandError> {
        let mut records = agents::all(&self.home)?;
        records.sort_by_key(|record| record.started);
        let (running, mut ended): (Vec<Record>, Vec<Record>) =
            records.into_iter().partition(|record| record.life() == Life::Runs);
        ended.reverse();
        ended.truncate(if ended_too { MOST_ENDED } else { 0 });
        let told = self.ask_all(&running);
        let shown = running.iter().chain(&ended);
        Ok(shown.map(|record| self.agent_view(record, told.get(&record.id))).collect())
    }

    /// One of them.
    pub fn agent(&self, typed: &str) -> Result<AgentDetail, CommandError> {
        let record = self.agent_record(typed)?;
        let runs = record.life() == Life::Runs;
        let told = if runs { attach::about_within(&record.socket, PATIENCE).ok() } else { None };
        let used = signalbox_drivers::find(&record.driver)
            .and_then(|driver| usage::of(&self.home, driver, &record).ok().flatten());
        Ok(AgentDetail {
            explained: told.as_ref().map(|told| told.explained.clone()).unwrap_or_default(),
            usage: used.map(|used| Used {
                input_tokens: used.input_tokens,
                cached_tokens: used.cached_tokens,
                output_tokens: used.output_tokens,
                cost_micros: used.cost_micros,
            }),
            rows: told.as_ref().map_or(record.rows, |told| told.rows),
            cols: told.as_ref().map_or(record.cols, |told| told.cols),
            agent: self.agent_view(&record, told.as_ref()),
        })
    }

    /// The record of the agent that a word means.
    pub fn agent_record(&self, typed: &str) -> Result<Record, CommandError> {
        Ok(agents::find(&self.home, typed)??)
    }

    /// Ask all at once: one that does not answer costs its own patience and nobody else's.
    fn ask_all(&self, records: &[Record]) -> BTreeMap<AgentId, About> {
        let told = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for record in records {
                let told = &told;
                scope.spawn(move || {
                    if let Ok(about) = attach::about_within(&record.socket, PATIENCE)
                        && let Ok(mut told) = told.lock()
                    {
                        told.insert(record.id.clone(), about);
                    }
                });
            }
        });
        told.into_inner().unwrap_or_default()
    }

    fn agent_view(&self, record: &Record, told: Option<&About>) -> AgentView {
        let running = record.life() == Life::Runs;
        let unsure = if running { State::Starting } else { State::Exited };
        let text = |text: &Option<String>| text.as_deref().map(|text| one_line(text).into_owned());
        AgentView {
            id: record.id.to_string(),
            name: text(&record.name),
            driver: record.driver.clone(),
            running,
            state: told.map_or(unsure, |told| told.state).as_str().to_owned(),
            guess: running && told.is_none_or(|told| told.certainty == Certainty::Guess),
            since: told.and_then(|told| told.since.clone()),
            started: time::exact(record.started),
            ended: record.ended.as_ref().map(|ended| time::exact(ended.at)),
            exit_code: record.ended.as_ref().and_then(|ended| ended.code),
            project: record.project.as_ref().map(ToString::to_string),
            ticket: record.ticket.as_ref().map(ToString::to_string),
            role: text(&record.role),
            branch: text(&record.branch),
            directory: one_line(&record.cwd.display().to_string()).into_owned(),
            watchers: told.map_or(0, |told| told.watchers),
            waiting: if running {
                Outbox::new(&self.home, &record.id).waiting().map_or(0, |waiting| waiting.len())
            } else {
                0
            },
            recorded: record.recording.as_ref().is_some_and(|path| path.is_file()),
        }
    }
}
