//! Codex CLI.

use super::{Cli, KEY, Place};
use crate::model::Model;

impl Cli {
    /// Codex without its own sandbox, which many containers cannot give it; nothing is asked in `prompt`.
    pub fn codex(place: &Place, model: &Model) -> Self {
        let project = place.project.to_string_lossy();
        let text = format!(
            "model = \"gpt-5.2-codex\"\n\
             model_provider = \"scripted\"\n\
             check_for_update_on_startup = false\n\
             sandbox_mode = \"danger-full-access\"\n\
             \n\
             [analytics]\n\
             enabled = false\n\
             \n\
             [model_providers.scripted]\n\
             name = \"scripted\"\n\
             wire_api = \"responses\"\n\
             request_max_retries = 0\n\
             stream_max_retries = 0\n\
             supports_websockets = false\n\
             \n\
             [projects.\"{project}\"]\n\
             trust_level = \"trusted\"\n"
        );
        place.seed(".codex/config.toml", &text);
        // Not in the file: another model may come to the same home.
        let url = format!("model_providers.scripted.base_url=\"{}/v1\"", model.url());
        Self::new("codex", place)
            .always(&["-c", &url])
            .words(&["exec", "--skip-git-repo-check"], &[])
            .set(&[("OPENAI_API_KEY", KEY)])
    }
}
