//! How the puppet is started.

use crate::launch::{Config, Launch, words};

pub(crate) const LAUNCH: Launch = Launch {
    how_to_get: "The puppet comes with Signalbox.",
    config: Config { variable: Some("PUPPET_CONFIG_DIR"), below_variable: "", folder: ".puppet" },
    interactive: &[],
    headless: |prompt| {
        let mut all = words(if prompt.json { &["--output-format", "json"] } else { &[] });
        if let Some(session) = prompt.resume {
            all.extend(words(&["--resume", session]));
        }
        all.extend(words(&["-p", "--", prompt.text]));
        all
    },
    first: Some(|prompt| words(&["--", prompt])),
    resume: Some(|session| words(&["--resume", session])),
    name_session: Some(|session| words(&["--session-id", session])),
    added_arguments: &[],
    added_environment: &[],
};
