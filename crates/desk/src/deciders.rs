//! Carrying out a command, after the plugins that decide were asked: before its events are written, while nobody waits
//! for the lock.

use std::collections::BTreeSet;

use signalbox_core::plugin::Plugin;
use signalbox_core::{Command, Event, Refusal, Who};
use signalbox_plugins::{self as plugins, Answer};
use signalbox_store::config::Config;
use signalbox_store::{Index, Outcome, Store, StoreError};

use crate::CommandError;

/// Carry out a command if no plugin is against it. `warn` hears of plugins that failed.
pub fn carry_out(
    store: &Store,
    config: &Config,
    who: &Who,
    build: &dyn Fn(&Index) -> Result<Command, StoreError>,
    warn: &dyn Fn(&str),
) -> Result<Outcome, CommandError> {
    let deciders = &config.plugins;
    if !deciders.iter().any(|plugin| plugin.decides) {
        return Ok(store.execute(who, build)?);
    }
    // It would ask the same plugin again, which would ask again. Whoever sets this without need only hinders themselves.
    if let Some(name) = std::env::var_os(plugins::DECIDING) {
        let message = format!("the plugin `{}` decides just now, and may change nothing", name.display());
        return Err(CommandError::precondition("plugin.deciding", message)
            .hint("A plugin that listens may: leave out `decides = true`."));
    }
    let home = store.home().root();
    // One that failed once is not waited for again.
    let mut failed: BTreeSet<&str> = BTreeSet::new();
    let outcome = store.execute_if(who, build, &mut |events| {
        for event in events {
            for plugin in plugins::deciders_for(deciders, &event.event) {
                if failed.contains(plugin.name.as_str()) {
                    continue;
                }
                match plugins::ask(plugin, event, home) {
                    Ok(Answer::Allow) => {}
                    Ok(Answer::Refuse { reason, hint }) => {
                        return Err(refusal(plugin, event, reason, hint));
                    }
                    Err(error) => {
                        let name = &plugin.name;
                        warn(&format!(
                            "the plugin `{name}` was asked about {} and failed, so it does not count: {error}",
                            event.event
                        ));
                        failed.insert(name);
                    }
                }
            }
        }
        Ok(())
    })?;
    Ok(outcome)
}

fn refusal(plugin: &Plugin, event: &Event, reason: Option<String>, hint: Option<String>) -> Refusal {
    let about = event.ticket.as_ref().map(|ticket| format!(" of {ticket}")).unwrap_or_default();
    let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    let message = format!("the plugin `{}` refuses {}{about}{why}", plugin.name, event.event);
    Refusal::new("plugin.refused", message)
        .hint(hint.unwrap_or_else(|| format!("`sb plugins list` says what `{}` is.", plugin.name)))
}
