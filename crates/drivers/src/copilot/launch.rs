//! How Copilot CLI is started.

use crate::launch::{Config, Launch, words};

pub(crate) const LAUNCH: Launch = Launch {
    how_to_get: "Copilot CLI is not installed: `npm install -g @github/copilot` installs it.",
    config: Config { variable: Some("COPILOT_HOME"), below_variable: "", folder: ".copilot" },
    interactive: &[],
    headless: |prompt| {
        let mut all = words(if prompt.json { &["--output-format", "json"] } else { &[] });
        if let Some(session) = prompt.resume {
            all.push(format!("--resume={session}"));
        }
        all.push(format!("--prompt={}", prompt.text));
        all
    },
    first: Some(|prompt| words(&["--interactive", prompt])),
    resume: Some(|session| vec![format!("--resume={session}")]),
    name_session: Some(|session| words(&["--session-id", session])),
    // Extensions are looked for only then.
    added_arguments: &["--experimental"],
    added_environment: &[],
};
