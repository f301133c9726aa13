//! How Goose is started.

use crate::launch::{Config, Launch, words};

pub(crate) const LAUNCH: Launch = Launch {
    how_to_get: "Goose is not installed: https://github.com/aaif-goose/goose says how to get it.",
    config: Config { variable: Some("XDG_CONFIG_HOME"), below_variable: "goose", folder: ".config/goose" },
    interactive: &["session"],
    headless: |prompt| {
        let mut all = words(&["run"]);
        all.extend(words(if prompt.json { &["--output-format", "json"] } else { &[] }));
        if let Some(session) = prompt.resume {
            all.extend(words(&["--resume", "--session-id", session]));
        }
        all.push(format!("--text={}", prompt.text));
        all
    },
    first: None,
    resume: Some(|session| words(&["session", "--resume", "--session-id", session])),
    name_session: None,
    added_arguments: &[],
    added_environment: &[],
};
