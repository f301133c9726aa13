//! Copilot CLI, with a provider of one's own in the place of GitHub's.

use std::path::Path;

use serde_json::json;

use super::{Cli, KEY, Place};
use crate::model::Model;

impl Cli {
    /// Copilot CLI. `prompt` allows all tools, because nobody is there to ask.
    pub fn copilot(place: &Place, model: &Model) -> Self {
        let config = json!({
            "trusted_folders": [place.project.to_string_lossy()],
            "trustedFolders": [place.project.to_string_lossy()],
            "banner": "never",
            "firstLaunchAt": "2026-01-01T00:00:00Z",
        });
        place.seed(".copilot/config.json", &config.to_string());
        share_package(place);
        Self::new("copilot", place).words(&["-p"], &["--allow-all-tools"]).set(&[
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
            ("COPILOT_PROVIDER_TYPE", "anthropic"),
            ("COPILOT_PROVIDER_BASE_URL", &model.url()),
            ("COPILOT_PROVIDER_API_KEY", KEY),
            ("COPILOT_MODEL", "claude-sonnet-4.5"),
        ])
    }
}

/// It unpacks itself into every new home, 235 megabytes and more than a second of it. All homes of tests share
/// what it unpacked when it was installed.
fn share_package(place: &Place) {
    const PACKAGE: &str = ".cache/copilot/pkg";
    let Some(clis) = std::env::var_os("SIGNALBOX_CLIS") else { return };
    let (unpacked, link) = (Path::new(&clis).join("home").join(PACKAGE), place.home.join(PACKAGE));
    if unpacked.exists() && !link.exists() {
        std::fs::create_dir_all(link.parent().expect("a folder")).expect("make a folder");
        std::os::unix::fs::symlink(unpacked, link).expect("link to the unpacked package");
    }
}
