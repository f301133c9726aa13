//! Goose.

use super::{Cli, KEY, Place};
use crate::model::Model;

impl Cli {
    /// Goose with Anthropic's protocol, in its default mode, which asks nothing.
    pub fn goose(place: &Place, model: &Model) -> Self {
        place
            .seed(".config/goose/config.yaml", "GOOSE_PROVIDER: anthropic\nGOOSE_MODEL: claude-sonnet-4-5\n");
        Self::new("goose", place).words(&["run", "--text"], &[]).set(&[
            ("ANTHROPIC_HOST", &model.url()),
            ("ANTHROPIC_API_KEY", KEY),
            ("GOOSE_DISABLE_KEYRING", "1"),
            // It draws its dialogs with letters where this does not say that the terminal knows more.
            ("LANG", "C.UTF-8"),
            ("GOOSE_TELEMETRY_ENABLED", "false"),
        ])
    }

    /// The same, asking before each tool.
    pub fn goose_asking(place: &Place, model: &Model) -> Self {
        Self::goose(place, model).set(&[("GOOSE_MODE", "approve")])
    }
}
