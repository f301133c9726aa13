//! `config.toml`: read once a command needs it, edited without losing a comment.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use signalbox_core::charter::{Approval, OwnRule};
use signalbox_core::plugin::Plugin;
use signalbox_core::{Mode, ProjectName, nearest};
use toml_edit::{DocumentMut, Item, Table, value};

use crate::files;
use crate::heartbeat::Heartbeat;
use crate::home::Home;
use crate::launch::{Agents, Options, Profile};
use crate::outside;
use crate::policy::{DebugOutput, Modes, Protection};
use crate::wording;

/// Agent CLIs that are known by their program's name.
pub const AGENT_PROGRAMS: &[&str] = &["claude", "codex", "gemini", "copilot", "goose"];

/// What a user can set.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub vault: Option<String>,
    pub identity: Identity,
    pub mode: Modes,
    pub protect: Protection,
    pub debug: DebugOutput,
    pub agents: Agents,
    /// How each agent CLI is started.
    pub drivers: BTreeMap<String, Options>,
    pub profiles: BTreeMap<String, Profile>,
    /// What is watched for every agent, by name.
    pub monitors: BTreeMap<String, outside::Settings>,
    /// Who is told what happens.
    pub notifiers: Vec<outside::Settings>,
    pub privileged: outside::Privileged,
    /// Rules of the person's own.
    pub rules: Vec<OwnRule>,
    pub projects: BTreeMap<String, Project>,
    /// Programs of the person's own.
    pub plugins: Vec<Plugin>,
    pub heartbeat: Heartbeat,
    pub web: Web,
}

/// `[web]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Web {
    pub port: u16,
    /// Besides this machine itself.
    pub addresses: Vec<std::net::IpAddr>,
    pub names: Vec<String>,
    /// The daemon serves it from its start on.
    pub serve: bool,
}

impl Default for Web {
    fn default() -> Self {
        Self { port: 7117, addresses: Vec::new(), names: Vec::new(), serve: false }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Identity {
    pub agent_programs: Option<Vec<String>>,
}

/// What a person says of one project.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    pub path: PathBuf,
    #[serde(default)]
    pub mode: Option<Mode>,
    /// Which files are tests.
    #[serde(default)]
    pub tests: Option<Vec<String>>,
    #[serde(default)]
    pub protect: Protection,
    /// Which permission dialogs are answered with yes.
    #[serde(default)]
    pub approve: Option<Approval>,
    /// Which role may write which files.
    #[serde(default)]
    pub ownership: BTreeMap<String, Vec<String>>,
}

/// One setting, for `sb config` and the reference page.
#[derive(Debug)]
pub struct Setting {
    pub key: &'static str,
    pub default: &'static str,
    pub about: &'static str,
    pub kind: Kind,
}

/// What a setting's value looks like in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    List,
    /// A number, `true` or `false`.
    Plain,
}

pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "vault",
        default: "$SIGNALBOX_HOME/vault",
        about: "The folder of markdown: tickets go into its `tickets` folder. `${NAME}` and a leading `~/` are filled in.",
        kind: Kind::Text,
    },
    Setting {
        key: "identity.agent_programs",
        default: "claude, codex, gemini, copilot, goose",
        about: "Programs that are agents: whatever runs below one of them is not a human.",
        kind: Kind::List,
    },
    Setting {
        key: "mode.default",
        default: "implementation",
        about: "The mode a session starts in: `discussion` or `implementation`. A project may have its own.",
        kind: Kind::Text,
    },
    Setting {
        key: "mode.triggers",
        default: "make it so, go ahead, ship it, let's do it, execute, implement it",
        about: "Phrases in your prompt that open implementation mode.",
        kind: Kind::List,
    },
    Setting {
        key: "mode.blocked_tools",
        default: "Edit, Write, MultiEdit, NotebookEdit",
        about: "Tools that are refused in discussion mode by their name, besides all that would change something.",
        kind: Kind::List,
    },
    Setting {
        key: "mode.read_only",
        default: "",
        about: "Commands that may run in discussion mode though they are not known to only read: `cargo test, make lint`.",
        kind: Kind::List,
    },
    Setting {
        key: "protect.also",
        default: "",
        about: "Files that no agent may change, besides those that are always protected: `infra/**, *.pem`.",
        kind: Kind::List,
    },
    Setting {
        key: "protect.except",
        default: "",
        about: "Files that are not protected after all.",
        kind: Kind::List,
    },
    Setting {
        key: "debug.level",
        default: "",
        about: "How much hooks say about themselves: `error`, `warning`, `info`, `debug` or `trace`. Empty: nothing.",
        kind: Kind::Text,
    },
    Setting { key: "debug.format", default: "text", about: "`text` or `json`.", kind: Kind::Text },
    Setting {
        key: "debug.file",
        default: "",
        about: "The file hooks say it to, below $SIGNALBOX_HOME. Empty: standard error.",
        kind: Kind::Text,
    },
    Setting {
        key: "agents.recording",
        default: "true",
        about: "Whether agents in a terminal are recorded, what they print and what is typed: `true` or `false`.",
        kind: Kind::Plain,
    },
    Setting {
        key: "agents.recording_max_mb",
        default: "100",
        about: "How large a recording becomes before it is begun anew; the one before it is kept.",
        kind: Kind::Plain,
    },
    Setting {
        key: "agents.log_max_mb",
        default: "10",
        about: "The same for the plain log.",
        kind: Kind::Plain,
    },
    Setting {
        key: "agents.detach_key",
        default: "ctrl-a d",
        about: "The keys that detach from an agent: `ctrl-` with a letter, and then at most two more.",
        kind: Kind::Text,
    },
    Setting {
        key: "agents.seat_idle_seconds",
        default: "300",
        about: "After how long without a keystroke whoever attached with `-i` only watches.",
        kind: Kind::Plain,
    },
    Setting {
        key: "agents.redact",
        default: "*_API_KEY, *_TOKEN, *_SECRET, *_PASSWORD",
        about: "Variables whose values never stand in a recording or log; `*` for anything.",
        kind: Kind::List,
    },
    Setting {
        key: "heartbeat.schedule",
        default: "@every 15m",
        about: "When the daemon looks after things: five fields as cron has them, `@hourly` and its like, `@every 15m`, or `off`.",
        kind: Kind::Text,
    },
    Setting {
        key: "heartbeat.run",
        default: "",
        about: "Lines for the shell that a heartbeat runs, but only when something has changed since the last one.",
        kind: Kind::List,
    },
    Setting {
        key: "heartbeat.timeout",
        default: "600",
        about: "How long each of these lines may take, in seconds.",
        kind: Kind::Plain,
    },
    Setting {
        key: "web.port",
        default: "7117",
        about: "The port of the web page; where it is taken, the next one that is free.",
        kind: Kind::Plain,
    },
    Setting {
        key: "web.addresses",
        default: "",
        about: "Addresses on which the web page is reached besides this machine's own: `192.168.1.20`. It speaks plain HTTP: put TLS in front of it.",
        kind: Kind::List,
    },
    Setting {
        key: "web.names",
        default: "",
        about: "Names under which browsers reach it there; any other name is refused.",
        kind: Kind::List,
    },
    Setting {
        key: "web.serve",
        default: "false",
        about: "Whether the daemon serves the web page from its start on; else from the first `sb web` on.",
        kind: Kind::Plain,
    },
];

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("{path}, line {line}: {message}")]
    Parse { path: PathBuf, line: usize, message: String },
    #[error("{path}: the projects `{first}` and `{second}` have the same path, {shared}")]
    SamePath { path: PathBuf, first: String, second: String, shared: PathBuf },
    #[error("there is no setting `{key}`")]
    UnknownKey { key: String, suggestion: Option<&'static str> },
    #[error("`{key}` must be a folder, and {path} is none")]
    NotAFolder { key: &'static str, path: PathBuf },
    #[error("`{key}` cannot be `{value}`: {message}")]
    Value { key: &'static str, value: String, message: String },
    #[error("`{key}` names the variable {name}, which is not set")]
    Variable { key: &'static str, name: String },
}

impl Config {
    pub fn load(home: &Home) -> Result<Self, ConfigError> {
        let path = home.config();
        let text = read(&path)?;
        if text.is_empty() {
            return Ok(Self::default());
        }
        let config: Self = toml::from_str(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.bytes().take(at).filter(|b| *b == b'\n').count() + 1;
            ConfigError::Parse { path: path.clone(), line, message: wording::plain(error.message()) }
        })?;
        let mut seen: BTreeMap<&Path, &String> = BTreeMap::new();
        for (name, project) in &config.projects {
            if let Err(error) = ProjectName::parse(name) {
                let line = text.lines().position(|line| line.contains(name.as_str())).map_or(1, |at| at + 1);
                return Err(ConfigError::Parse { path, line, message: error.to_string() });
            }
            if let Some(first) = seen.insert(&project.path, name) {
                return Err(ConfigError::SamePath {
                    path,
                    first: first.clone(),
                    second: name.clone(),
                    shared: project.path.clone(),
                });
            }
        }
        Ok(config)
    }

    /// The folder of markdown.
    pub fn vault(&self, home: &Home) -> Result<PathBuf, ConfigError> {
        match &self.vault {
            // A relative path must not mean another folder in every directory.
            Some(text) if !text.is_empty() => Ok(home.root().join(expand("vault", text)?)),
            _ => Ok(home.default_vault()),
        }
    }

    /// Whether any program at all counts as an agent by its name.
    pub fn knows_agent_programs(&self) -> bool {
        self.identity.agent_programs.as_ref().is_none_or(|list| !list.is_empty())
    }

    pub fn is_agent_program(&self, name: &str) -> bool {
        match &self.identity.agent_programs {
            Some(list) => list.iter().any(|program| program == name),
            None => AGENT_PROGRAMS.contains(&name),
        }
    }
}

/// Add a project to the file; everything else in it stays as it is.
pub fn add_project(home: &Home, name: &ProjectName, directory: &Path) -> Result<(), ConfigError> {
    edit(home, |document| {
        let projects = document.entry("projects").or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let mut project = Table::new();
        project.insert("path", value(directory.to_string_lossy().as_ref()));
        if let Some(projects) = projects.as_table_like_mut() {
            projects.insert(name.as_str(), Item::Table(project));
        }
    })
}

/// The setting's text in the file; `None` where it is not set.
pub fn get(home: &Home, key: &str) -> Result<Option<String>, ConfigError> {
    let setting = setting(key)?;
    let document = parse(home)?;
    let item = setting.key.split('.').try_fold(document.as_item(), |item, part| item.get(part));
    Ok(item.map(|item| match item.as_array() {
        Some(list) => list.iter().filter_map(|v| v.as_str()).collect::<Vec<_>>().join(", "),
        None => item.as_str().map_or_else(|| item.to_string().trim().to_owned(), ToOwned::to_owned),
    }))
}

/// Set one setting in the file; everything else in it stays as it is.
pub fn set(home: &Home, key: &str, text: &str) -> Result<(), ConfigError> {
    let setting = setting(key)?;
    if setting.key == "vault" {
        let folder = PathBuf::from(expand("vault", text)?);
        if folder.exists() && !folder.is_dir() {
            return Err(ConfigError::NotAFolder { key: setting.key, path: folder });
        }
    }
    let new = match setting.kind {
        Kind::Text => value(text),
        Kind::List => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            value(words.collect::<toml_edit::Array>())
        }
        // What is neither is refused below, with what it should be.
        Kind::Plain => match (text.parse::<i64>(), text.parse::<bool>()) {
            (Ok(number), _) => value(number),
            (_, Ok(switch)) => value(switch),
            _ => value(text),
        },
    };
    let change = |document: &mut DocumentMut| match setting.key.split_once('.') {
        None => {
            document.insert(setting.key, new.clone());
        }
        Some((table, key)) => {
            let table = document.entry(table).or_insert(Item::Table(Table::new()));
            if let Some(table) = table.as_table_like_mut() {
                table.insert(key, new.clone());
            }
        }
    };
    // A word that it cannot be would keep every command from working.
    let mut alone = DocumentMut::new();
    change(&mut alone);
    toml::from_str::<Config>(&alone.to_string()).map_err(|error| ConfigError::Value {
        key: setting.key,
        value: text.to_owned(),
        message: wording::plain(error.message()),
    })?;
    edit(home, change)
}

fn setting(key: &str) -> Result<&'static Setting, ConfigError> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| ConfigError::UnknownKey {
        key: key.to_owned(),
        suggestion: nearest(key, SETTINGS.iter().map(|setting| setting.key)),
    })
}

fn edit(home: &Home, change: impl FnOnce(&mut DocumentMut)) -> Result<(), ConfigError> {
    let mut document = parse(home)?;
    change(&mut document);
    let path = home.config();
    files::replace(&path, document.to_string().as_bytes(), files::PRIVATE)
        .map_err(|source| ConfigError::Write { path, source })
}

fn parse(home: &Home) -> Result<DocumentMut, ConfigError> {
    let path = home.config();
    let text = read(&path)?;
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(at).filter(|b| *b == b'\n').count() + 1;
        ConfigError::Parse { path, line, message: wording::plain(error.message()) }
    })
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let error = |source| ConfigError::Read { path: path.to_owned(), source };
    let bytes = files::read_optional(path).map_err(error)?.unwrap_or_default();
    String::from_utf8(bytes)
        .map_err(|_| error(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text")))
}

/// Fill in `${NAME}` and a leading `~/`.
pub(crate) fn expand(key: &'static str, text: &str) -> Result<String, ConfigError> {
    let variable =
        |name: &str| std::env::var(name).map_err(|_| ConfigError::Variable { key, name: name.to_owned() });
    let mut expanded = String::new();
    let mut rest = text;
    if let Some(after) = text.strip_prefix("~/") {
        expanded = format!("{}/", variable("HOME")?);
        rest = after;
    }
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else { break };
        expanded.push_str(before);
        expanded.push_str(&variable(name)?);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}
