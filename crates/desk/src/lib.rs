//! The desk: what a person sees and does, the same for the web page, the terminal and scripts.
//!
//! Nothing here draws and nothing here decides. A view is made from the index, the agents and the conductor when it is
//! asked for; an [`Act`] becomes a command of [`signalbox_core`], and its refusal is handed back as it is.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod acts;
mod agents;
mod board;
mod deciders;
mod decisions;
pub mod error;
mod flow;
mod health;
mod live;
mod now;
mod plan;
mod queue;
mod ticket;
mod timeline;

use signalbox_core::ProjectName;
use signalbox_store::config::Config;
use signalbox_store::{Home, Index, Store};

pub use acts::{Act, Done, Loop, NewTicket};
pub use agents::{AgentDetail, AgentView, Used};
pub use board::{Board, Card, Choices, Column, Listed, Sieve, Sort};
pub use deciders::carry_out;
pub use decisions::{Decision, Decisions};
pub use error::{CommandError, Kind};
pub use flow::{Day, Figures, Flow};
pub use health::{Health, LoopView};
pub use live::{Follower, Piece};
pub use now::{Need, NeedKind, Now};
pub use plan::Plan;
pub use queue::{Queue, QueueEntry, QueueProject};
pub use ticket::{AttemptView, Criterion, Edge, Graph, Node, Patch, TicketView, ticket_meant};
pub use timeline::{Activity, Entry, Wanted, words_of};

/// Where a person sits.
#[derive(Debug, Clone)]
pub struct Desk {
    home: Home,
}

impl Desk {
    pub fn new(home: Home) -> Self {
        Self { home }
    }

    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The configuration as it is now: a desk is open all day, and the file changes meanwhile.
    pub fn config(&self) -> Result<Config, CommandError> {
        Ok(Config::load(&self.home)?)
    }

    pub fn store(&self) -> Result<Store, CommandError> {
        let config = self.config()?;
        Ok(Store::new(self.home.clone(), config.vault(&self.home)?))
    }

    fn index(&self) -> Result<Index, CommandError> {
        Ok(self.store()?.read()?.0)
    }

    /// The projects that are registered.
    pub fn projects(&self) -> Result<Vec<ProjectName>, CommandError> {
        let config = self.config()?;
        Ok(config.projects.keys().filter_map(|name| ProjectName::parse(name).ok()).collect())
    }

    /// A registered project of this name.
    fn project(&self, name: &str) -> Result<ProjectName, CommandError> {
        let known = self.projects()?;
        known.into_iter().find(|project| project.as_str() == name).ok_or_else(|| {
            CommandError::not_found("project.unknown", format!("there is no project `{name}`"))
                .hint("`sb projects` lists them.")
        })
    }
}
