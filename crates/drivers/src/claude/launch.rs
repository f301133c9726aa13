//! How Claude Code is started.

use crate::launch::{Config, Launch, words};

pub(crate) const LAUNCH: Launch = Launch {
    how_to_get: "Claude Code is not installed: `npm install -g @anthropic-ai/claude-code` installs it.",
    config: Config { variable: Some("CLAUDE_CONFIG_DIR"), below_variable: "", folder: ".claude" },
    interactive: &[],
    headless: |prompt| {
        let mut all = words(&["-p"]);
        all.extend(words(if prompt.json { &["--output-format", "json"] } else { &[] }));
        if let Some(session) = prompt.resume {
            all.extend(words(&["--resume", session]));
        }
        all.extend(words(&["--", prompt.text]));
        all
    },
    first: Some(|prompt| words(&["--", prompt])),
    resume: Some(|session| words(&["--resume", session])),
    name_session: Some(|session| words(&["--session-id", session])),
    added_arguments: &[],
    added_environment: &[],
};
