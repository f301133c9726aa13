//! `sb config`: settings.

use signalbox_store::config::{self, SETTINGS};

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// They stand in `config.toml` in Signalbox's home; comments in it survive every change.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Print one setting, or all of them
    Get {
        /// The setting
        key: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Change a setting (humans only)
    Set {
        /// The setting
        key: String,
        /// Its new value; a list is separated by commas
        value: String,
    },
    /// Print where the file is
    Path,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::Path => Ok(cx.ui.data(&format!("{}\n", cx.home()?.config().display()))?),
        What::Set { key, value } => {
            cx.who()?.must_be_human("change settings")?;
            let _lock = cx.lock()?;
            config::set(cx.home()?, &key, &value)?;
            cx.ui.status(&format!("{key} is set."));
            Ok(())
        }
        What::Get { key: Some(key), .. } => {
            let value = config::get(cx.home()?, &key)?;
            let default = SETTINGS.iter().find(|s| s.key == key).map(|s| s.default).unwrap_or_default();
            if cx.ui.json {
                return cx.ui.json(&serde_json::json!({ "key": key, "value": value, "default": default }));
            }
            Ok(cx.ui.data(&format!("{}\n", value.as_deref().unwrap_or(default)))?)
        }
        What::Get { key: None, .. } => {
            let mut all = Vec::new();
            for setting in SETTINGS {
                all.push((setting, config::get(cx.home()?, setting.key)?));
            }
            if cx.ui.json {
                let all: Vec<_> = all
                    .iter()
                    .map(|(s, value)| serde_json::json!({ "key": s.key, "value": value, "default": s.default, "about": s.about }))
                    .collect();
                return cx.ui.json(&all);
            }
            for (setting, value) in all {
                let (value, from) = match &value {
                    Some(value) => (value.as_str(), "set"),
                    None => (setting.default, "default"),
                };
                cx.ui.data(&format!("{} = {value}  ({from})\n    {}\n", setting.key, setting.about))?;
            }
            Ok(())
        }
    }
}
