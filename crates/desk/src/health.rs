//! Is it running? The daemon, the loops, and what is wrong.

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_api::{Report, Status};
use signalbox_conductor::{self as conductor, Site};
use signalbox_core::orchestra::Control;
use signalbox_core::text::one_line;
use signalbox_core::{ProjectName, time};
use signalbox_store::agents::{self, Life};
use signalbox_store::{Index, clock};

use crate::{CommandError, Desk};

/// One project's loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoopView {
    pub project: String,
    /// Tickets were taken to main by a loop at least once.
    pub begun: bool,
    pub runs: bool,
    /// `running`, `paused`, `draining` or `stopping`: what was asked of it.
    pub control: String,
    pub concurrency: Option<u32>,
    /// Who asked last, and when.
    pub by: Option<String>,
    pub since: Option<String>,
    pub agents: usize,
}

/// How things are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Health {
    pub version: String,
    pub daemon: bool,
    pub daemon_pid: Option<u32>,
    pub daemon_since: Option<String>,
    pub loops: Vec<LoopView>,
    pub agents: usize,
    /// What a person should see to, a sentence each.
    pub troubles: Vec<String>,
}

impl Desk {
    pub fn health(&self) -> Result<Health, CommandError> {
        let index = self.index()?;
        let report = self.daemon_report();
        let records = agents::all(&self.home)?;
        let alive: Vec<_> = records.iter().filter(|record| record.life() == Life::Runs).collect();
        let mut loops = Vec::new();
        for project in self.projects()? {
            let own =
                alive.iter().filter(|one| one.branch.is_some() && one.project.as_ref() == Some(&project));
            loops.push(self.loop_of(&index, &project, own.count())?);
        }
        let troubles = report.as_ref().map(troubles).unwrap_or_default();
        Ok(Health {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            daemon: report.is_some(),
            daemon_pid: report.as_ref().map(|report| report.pid),
            daemon_since: report.as_ref().map(|report| time::exact(report.since)),
            loops,
            agents: alive.len(),
            troubles,
        })
    }

    fn loop_of(&self, index: &Index, project: &ProjectName, agents: usize) -> Result<LoopView, CommandError> {
        let asked = conductor::standing(index, project, clock::now())?;
        let control = match asked.control {
            Control::Running => "running",
            Control::Paused => "paused",
            Control::Draining => "draining",
            Control::Stopping => "stopping",
        };
        Ok(LoopView {
            project: project.to_string(),
            begun: Site::exists(&self.home, project),
            runs: conductor::is_running(&self.home, project),
            control: control.to_owned(),
            concurrency: asked.concurrency,
            by: asked.by.as_deref().map(|by| one_line(by).into_owned()),
            since: asked.since.map(time::exact),
            agents,
        })
    }

    /// What the daemon says, if one runs and answers.
    pub(crate) fn daemon_report(&self) -> Option<Report> {
        let mut client = signalbox_api::Client::connect(&self.home.daemon_socket()).ok()?;
        client.ask(Status {}).ok()
    }
}

fn troubles(report: &Report) -> Vec<String> {
    let config = report.bad_config.iter().map(|why| format!("config.toml cannot be used: {why}"));
    let notifiers = report
        .notifiers
        .iter()
        .filter_map(|one| Some(format!("notifier {}: {}", one.name, one.trouble.as_ref()?)));
    let monitors =
        report.agents.iter().flat_map(|agent| &agent.monitors).filter_map(|one| {
            Some(format!("monitor {} of {}: {}", one.name, one.agent, one.trouble.as_ref()?))
        });
    let all = config.chain(report.troubles.iter().cloned()).chain(notifiers).chain(monitors);
    all.map(|words| one_line(&words).into_owned()).collect()
}
