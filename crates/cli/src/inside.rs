//! Which agent in a terminal this process runs in.
//!
//! `sb agent` tells the program it wraps by a variable. Anybody can set a variable, so it counts only where the agent's
//! own processes stand above this one.

use signalbox_agent::VARIABLE;
use signalbox_core::AgentId;
use signalbox_store::agents::{self, Record};
use signalbox_store::{Home, process};

/// The agent, if this process runs inside one.
pub fn agent(home: &Home) -> Option<Record> {
    let id = AgentId::parse(&std::env::var(VARIABLE).ok()?).ok()?;
    let record = agents::load(home, &id).ok()??;
    let above = process::ancestors();
    let is_above = |pid: u32, started: u64| above.iter().any(|p| p.pid == pid && p.started == started);
    let ours = record.wrapper.iter().chain(&record.child);
    ours.into_iter().any(|process| is_above(process.pid, process.started)).then_some(record)
}
