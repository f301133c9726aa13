//! Values of secret variables do not stand in the log: an agent may write one into a command, a prompt or a path.

use serde_json::{Map, Value};
use signalbox_core::charter::Charter;
use signalbox_pty::record::Secrets;
use signalbox_store::launch::Agents;

/// Blot out what the hook's own environment, which is that of the CLI, holds in such variables.
pub fn blot(charter: &Charter, data: &mut Map<String, Value>) {
    let names = match &charter.redact {
        Some(redact) => Agents { redact: redact.clone(), ..Agents::default() },
        None => Agents::default(),
    };
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let values: Vec<String> =
        variables.filter(|(name, _)| names.is_secret(name)).map(|(_, value)| value).collect();
    if !values.is_empty() {
        let secrets = Secrets::new(values);
        data.values_mut().for_each(|value| in_value(&secrets, value));
    }
}

fn in_value(secrets: &Secrets, value: &mut Value) {
    match value {
        Value::String(text) => *text = secrets.blot(text),
        Value::Array(items) => items.iter_mut().for_each(|item| in_value(secrets, item)),
        Value::Object(fields) => fields.values_mut().for_each(|item| in_value(secrets, item)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
