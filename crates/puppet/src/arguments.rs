//! The command line, the same as Claude Code's as far as it goes.

use std::path::PathBuf;

/// How it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    Interactive,
    /// One prompt, no terminal.
    Headless(String),
    Version,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) mode: Mode,
    pub(crate) script: Option<PathBuf>,
    /// Where settings, transcripts and state files are.
    pub(crate) config: PathBuf,
    /// Settings beside those in the configuration folder.
    pub(crate) settings: Option<PathBuf>,
    /// The session's id, and whether it is an old one.
    pub(crate) session: Option<(String, bool)>,
    pub(crate) json: bool,
    /// Nothing is asked.
    pub(crate) allow_all: bool,
    pub(crate) state_file: bool,
    /// A prompt to begin with.
    pub(crate) first: Option<String>,
}

impl Arguments {
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self {
            mode: Mode::Interactive,
            script: std::env::var_os("PUPPET_SCRIPT").map(PathBuf::from),
            config: config_folder(),
            settings: None,
            session: None,
            json: false,
            allow_all: false,
            state_file: true,
            first: None,
        };
        let mut words = words.into_iter();
        let mut headless = false;
        while let Some(word) = words.next() {
            let mut value = |what: &str| words.next().ok_or_else(|| format!("{word} needs {what}"));
            match word.as_str() {
                "--version" => parsed.mode = Mode::Version,
                "-p" | "--print" => headless = true,
                "--script" => parsed.script = Some(value("a file")?.into()),
                "--settings" => parsed.settings = Some(value("a file")?.into()),
                "--session-id" => parsed.session = Some((value("an id")?, false)),
                "--resume" => parsed.session = Some((value("an id")?, true)),
                "--output-format" => parsed.json = value("a format")? == "json",
                "--dangerously-skip-permissions" => parsed.allow_all = true,
                "--no-state-file" => parsed.state_file = false,
                "--" => parsed.first = Some(value("a prompt")?),
                option if option.starts_with('-') => return Err(format!("unknown option {option}")),
                _ => parsed.first = Some(word),
            }
        }
        if headless && parsed.mode == Mode::Interactive {
            let prompt = parsed.first.take().ok_or("-p needs a prompt")?;
            parsed.mode = Mode::Headless(prompt);
        }
        Ok(parsed)
    }
}

fn config_folder() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".puppet");
    std::env::var_os("PUPPET_CONFIG_DIR").map_or_else(home, PathBuf::from)
}
