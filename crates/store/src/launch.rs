//! What people set about agents in a terminal: `[agents]`, and how a CLI is started: `[drivers.NAME]`, `[profiles.NAME]`.
//!
//! A profile is laid over the driver's own settings, and what is said on the command line over both: of single values
//! the later one wins, arguments are appended, variables are merged by name.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::Deserialize;
use signalbox_core::{Refusal, glob, nearest, text};

use crate::config::{self, Config, ConfigError};
use crate::home::Home;

/// Variables whose values are taken for secrets where nobody says otherwise.
pub const SECRETS: &[&str] = &["*_API_KEY", "*_TOKEN", "*_SECRET", "*_PASSWORD"];

/// `[agents]`
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agents {
    pub recording: bool,
    pub recording_max_mb: NonZeroU64,
    pub log_max_mb: NonZeroU64,
    pub detach_key: DetachKey,
    pub seat_idle_seconds: NonZeroU64,
    /// Names of variables, with `*` for anything.
    pub redact: Vec<String>,
}

impl Default for Agents {
    fn default() -> Self {
        let number = |n: u64| NonZeroU64::new(n).unwrap_or(NonZeroU64::MIN);
        Self {
            recording: true,
            recording_max_mb: number(100),
            log_max_mb: number(10),
            detach_key: DetachKey::default(),
            seat_idle_seconds: number(300),
            redact: SECRETS.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Agents {
    /// Whether the value of a variable must not stand in a recording.
    pub fn is_secret(&self, variable: &str) -> bool {
        self.redact.iter().any(|pattern| glob::text_fits(variable, pattern))
    }
}

/// The keys that detach from an agent, as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct DetachKey(Vec<u8>);

impl DetachKey {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Default for DetachKey {
    fn default() -> Self {
        Self(vec![1, b'd'])
    }
}

impl TryFrom<String> for DetachKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is no detach key: it is `ctrl-` with a letter, and then at most two more keys, as in `ctrl-a d`"
            )
        };
        let keys: Vec<u8> = text.split_whitespace().map(key).collect::<Option<_>>().ok_or_else(wrong)?;
        // A key that people type would detach them in the middle of a word, and some keys mean something to everybody.
        let is_free = |first: &u8| *first < 27 && !matches!(first, 3 | 4 | 8 | 9 | 10 | 13);
        if keys.len() > 3 || !keys.first().is_some_and(is_free) {
            return Err(wrong());
        }
        Ok(Self(keys))
    }
}

/// `ctrl-a`, `^a` or `d`
fn key(word: &str) -> Option<u8> {
    let lower = word.to_ascii_lowercase();
    match lower.strip_prefix("ctrl-").or_else(|| lower.strip_prefix('^')).map(str::as_bytes) {
        Some([letter @ b'a'..=b'z']) => Some(letter - b'a' + 1),
        Some(_) => None,
        None => match word.as_bytes() {
            [key @ b'!'..=b'~'] => Some(*key),
            _ => None,
        },
    }
}

/// `[drivers.NAME]`, and what a profile or the command line says besides its driver.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    pub command: Option<String>,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub config_dir: Option<String>,
}

/// `[profiles.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    pub driver: Option<String>,
    pub command: Option<String>,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub config_dir: Option<String>,
}

/// How an agent is to be started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    pub driver: String,
    pub profile: Option<String>,
    /// The program, where it is not the driver's own.
    pub command: Option<String>,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub config_dir: Option<PathBuf>,
}

impl Options {
    /// Lay others over these.
    #[must_use]
    pub fn overlaid(mut self, over: Self) -> Self {
        self.command = over.command.or(self.command);
        self.config_dir = over.config_dir.or(self.config_dir);
        self.args.extend(over.args);
        self.env.extend(over.env);
        self
    }
}

impl Profile {
    fn options(&self) -> Options {
        let Self { command, args, env, config_dir, .. } = self.clone();
        Options { command, args, env, config_dir }
    }
}

impl Config {
    /// How an agent of this driver or profile is started. `known` are the names of all drivers.
    pub fn launch(
        &self,
        home: &Home,
        known: &[&str],
        driver: Option<&str>,
        profile: Option<&str>,
        over: Options,
    ) -> Result<Launch, Refusal> {
        for name in self.drivers.keys() {
            must_be_known(name, known, "config.toml has settings for")?;
        }
        let laid = profile.map(|name| self.profile(name)).transpose()?;
        let of_profile = laid.and_then(|laid| laid.driver.as_deref());
        let driver = match (driver, of_profile) {
            (Some(asked), Some(other)) if asked != other => {
                return Err(Refusal::usage(
                    "profile.other-driver",
                    format!("the profile `{}` is for {other}, not for {asked}", profile.unwrap_or_default()),
                )
                .hint("Name either the driver or the profile."));
            }
            (Some(driver), _) | (None, Some(driver)) => driver,
            (None, None) => {
                let what = match profile {
                    Some(profile) => format!("the profile `{profile}` does not say for which driver it is"),
                    None => "neither a driver nor a profile is named".to_owned(),
                };
                return Err(Refusal::usage("profile.no-driver", what)
                    .hint(format!("Name one of {}.", known.join(", "))));
            }
        };
        must_be_known(driver, known, "there is no way to start")?;
        let options = self.drivers.get(driver).cloned().unwrap_or_default();
        let options = options.overlaid(laid.map(Profile::options).unwrap_or_default()).overlaid(over);
        let fill_in = |key: &'static str, text: &str| config::expand(key, text).map_err(variable);
        let mut env = BTreeMap::new();
        for (name, value) in &options.env {
            env.insert(name.clone(), fill_in("env", value)?);
        }
        let config_dir = options.config_dir.map(|text| fill_in("config_dir", &text)).transpose()?;
        Ok(Launch {
            driver: driver.to_owned(),
            profile: profile.map(ToOwned::to_owned),
            command: options.command.map(|text| fill_in("command", &text)).transpose()?,
            args: options.args,
            env,
            // A relative path must not mean another folder in every directory.
            config_dir: config_dir.map(|folder| home.root().join(folder)),
        })
    }

    fn profile(&self, name: &str) -> Result<&Profile, Refusal> {
        self.profiles.get(name).ok_or_else(|| {
            let message = format!("there is no profile `{}`", text::one_line(name));
            let refusal = Refusal::not_found("profile.unknown", message);
            match nearest(name, self.profiles.keys().map(String::as_str)) {
                Some(near) => refusal.hint(format!("Did you mean `{near}`?")),
                None => refusal.hint("Profiles are tables in config.toml: `[profiles.NAME]`."),
            }
        })
    }
}

fn must_be_known(driver: &str, known: &[&str], what: &str) -> Result<(), Refusal> {
    if known.contains(&driver) {
        return Ok(());
    }
    let message = format!("{what} `{}`, which is no driver", text::one_line(driver));
    let refusal = Refusal::not_found("driver.unknown", message);
    Err(match nearest(driver, known.iter().copied()) {
        Some(near) => refusal.hint(format!("Did you mean `{near}`?")),
        None => refusal.hint(format!("The drivers are {}.", known.join(", "))),
    })
}

fn variable(error: ConfigError) -> Refusal {
    Refusal::new("profile.variable", error.to_string()).hint("Set the variable, or write the value out.")
}
