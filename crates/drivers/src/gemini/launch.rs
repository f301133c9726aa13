//! How Gemini CLI is started.

use crate::launch::{Config, Launch, words};

pub(crate) const LAUNCH: Launch = Launch {
    how_to_get: "Gemini CLI is not installed: `npm install -g @google/gemini-cli` installs it.",
    config: Config { variable: Some("GEMINI_CLI_HOME"), below_variable: ".gemini", folder: ".gemini" },
    interactive: &[],
    headless: |prompt| {
        let mut all = words(if prompt.json { &["--output-format", "json"] } else { &[] });
        if let Some(session) = prompt.resume {
            all.extend(words(&["--resume", session]));
        }
        all.push(format!("--prompt={}", prompt.text));
        all
    },
    first: Some(|prompt| words(&["--prompt-interactive", prompt])),
    resume: Some(|session| words(&["--resume", session])),
    name_session: Some(|session| words(&["--session-id", session])),
    added_arguments: &[],
    added_environment: &[],
};
