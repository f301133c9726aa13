//! Claude Code.

use serde_json::json;

use super::{Cli, KEY, Place};
use crate::model::Model;

impl Cli {
    /// Claude Code in its default permission mode.
    pub fn claude(place: &Place, model: &Model) -> Self {
        // An approved key is remembered by its last characters.
        let approved = &KEY[KEY.len() - 20..];
        let project = place.project.to_string_lossy();
        let state = json!({
            "hasCompletedOnboarding": true,
            "customApiKeyResponses": { "approved": [approved], "rejected": [] },
            "projects": { project: { "hasTrustDialogAccepted": true } },
        });
        place.seed(".claude.json", &state.to_string());
        Self::new("claude", place).words(&["-p"], &[]).set(&[
            ("ANTHROPIC_BASE_URL", &model.url()),
            ("ANTHROPIC_API_KEY", KEY),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            // It refuses to bypass permissions as root unless it is told that nothing can be lost.
            ("IS_SANDBOX", "1"),
        ])
    }
}
