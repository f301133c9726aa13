//! Gemini CLI.

use serde_json::json;

use super::{Cli, KEY, Place};
use crate::model::Model;

impl Cli {
    /// Gemini CLI. `prompt` allows all tools, because without a terminal it would not even offer them.
    pub fn gemini(place: &Place, model: &Model) -> Self {
        let settings = json!({
            "security": {
                "auth": { "selectedType": "gemini-api-key" },
                "folderTrust": { "enabled": false },
            },
            "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            "privacy": { "usageStatisticsEnabled": false },
            "telemetry": { "enabled": false },
            "ide": { "hasSeenNudge": true },
            "ui": { "hideTips": true },
        });
        place.seed(".gemini/settings.json", &settings.to_string());
        Self::new("gemini", place).words(&["-p"], &["--approval-mode", "yolo"]).set(&[
            ("GEMINI_API_KEY", KEY),
            ("GOOGLE_GEMINI_BASE_URL", &model.url()),
            ("NO_BROWSER", "1"),
        ])
    }
}
