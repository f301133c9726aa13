//! Plugins that decide: asked before a command's events are written, while nobody waits for the lock.

use std::collections::BTreeSet;

use signalbox_core::plugin::Plugin;
use signalbox_core::{Command, Event, Refusal};
use signalbox_plugins::{self as plugins, Answer};
use signalbox_store::{Index, Outcome, Store, StoreError};

use crate::context::Context;
use crate::error::CommandError;

/// Carry out a command if no plugin is against it.
pub fn execute(
    cx: &Context,
    store: &Store,
    build: &dyn Fn(&Index) -> Result<Command, StoreError>,
) -> Result<Outcome, CommandError> {
    // It would ask the same plugin again, which would ask again. Whoever sets this without need only hinders themselves.
    if let Some(name) = std::env::var_os(plugins::DECIDING) {
        let message = format!("the plugin `{}` decides just now, and may change nothing", name.display());
        return Err(CommandError::precondition("plugin.deciding", message)
            .hint("A plugin that listens may: leave out `decides = true`."));
    }
    let deciders = &cx.config()?.plugins;
    let home = store.home().root();
    // One that failed once is not waited for again.
    let mut failed: BTreeSet<&str> = BTreeSet::new();
    let outcome = store.execute_if(cx.who()?, build, &mut |events| {
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
                        cx.ui.warn(&format!(
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
