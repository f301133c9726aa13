//! Records of agents that cannot be read, agents that vanished, and messages that nobody delivers any more.

use super::{Finding, Repair};
use crate::agents::{self, Life};
use crate::home::Home;
use crate::outbox::Outbox;
use crate::store::StoreError;

pub(super) fn examine(home: &Home) -> Result<Vec<Finding>, StoreError> {
    let read = |source| StoreError::Home { path: home.agents(), source };
    let mut findings = Vec::new();
    for id in agents::ids(home).map_err(read)? {
        match agents::load(home, &id).map_err(read)? {
            None => {
                let path = home.agents().join(format!("{id}.json"));
                findings.push(
                    Finding::problem("agents", format!("{} cannot be read", path.display()))
                        .repair(Repair::RemoveRecord(path)),
                );
            }
            Some(record) if record.life() == Life::Vanished => {
                let what = format!("agent {id} is gone, and nobody saw its end");
                findings.push(
                    Finding::note("agents", what).hint(format!("`sb replay {id}` shows its last moments.")),
                );
            }
            Some(_) => {}
        }
    }
    for agent in Outbox::agents(home).map_err(read)? {
        let outbox = Outbox::new(home, &agent);
        for taken in outbox.taken()?.iter().filter(|taken| !taken.is_running) {
            let id = &taken.waiting.injection.id;
            let what = format!(
                "message {id} for {agent} was being delivered by process {}, which is gone",
                taken.by
            );
            findings.push(
                Finding::note("agents", what).hint("It is looked into when the agent is started again."),
            );
        }
    }
    Ok(findings)
}
