//! Which type of monitor settings mean, and what is wrong with those of a configuration.

use serde_json::Value;
use signalbox_core::nearest;
use signalbox_integrations::monitor::{self, MonitorType};
use signalbox_integrations::settings::Settings;
use signalbox_store::config::Config;

/// The type that settings mean.
pub(super) fn kind_of(name: &str, settings: &Settings) -> Result<&'static MonitorType, String> {
    let kind = match settings.get("type") {
        None => name,
        Some(Value::String(kind)) => kind,
        Some(other) => return Err(format!("`type` has to be text, and {other} is none")),
    };
    monitor::find(kind).ok_or_else(|| {
        let known = || monitor::TYPES.iter().map(|kind| kind.name);
        let meant = nearest(kind, known()).map(|near| format!(", did you mean `{near}`?"));
        let all = || format!("; there are {}", known().collect::<Vec<_>>().join(", "));
        format!("there is no type of monitor `{kind}`{}", meant.unwrap_or_else(all))
    })
}

/// Whether a name can be one: it stands in files, commands and messages.
pub fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// What is wrong with the monitors and notifiers of a configuration, as far as that can be seen without an agent.
pub(super) fn troubles_of(config: &Config) -> Vec<String> {
    let mut troubles = Vec::new();
    for (name, settings) in &config.monitors {
        if !is_name(name) {
            troubles
                .push(format!("monitor `{name}`: a name has letters, digits, `-`, `_` and `.`, 64 at most"));
        }
        if let Err(why) = kind_of(name, settings) {
            troubles.push(format!("monitor `{name}`: {why}"));
        }
    }
    troubles
}
