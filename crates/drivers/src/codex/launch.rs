//! How Codex is started.

use crate::launch::{Config, Launch, words};

pub(crate) const LAUNCH: Launch = Launch {
    how_to_get: "Codex is not installed: `npm install -g @openai/codex` installs it.",
    config: Config { variable: Some("CODEX_HOME"), below_variable: "", folder: ".codex" },
    interactive: &[],
    headless: |prompt| {
        let mut all = words(&["exec"]);
        all.extend(words(if prompt.json { &["--json"] } else { &[] }));
        if let Some(session) = prompt.resume {
            all.extend(words(&["resume", session]));
        }
        all.extend(words(&["--", prompt.text]));
        all
    },
    first: Some(|prompt| words(&["--", prompt])),
    resume: Some(|session| words(&["resume", session])),
    name_session: None,
    added_arguments: &[],
    added_environment: &[],
};
