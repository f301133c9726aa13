//! What people set about enforcement: modes, protection, approval and rules of their own.
//!
//! A person's `config.toml` may loosen and tighten. A repository's `.signalbox/project.toml` may only tighten, because
//! whoever works on the repository can write it.

use std::path::{Component, Path};

use serde::Deserialize;
use signalbox_core::Mode;
use signalbox_core::charter::{Decision, OwnRule};

use crate::files;

/// `[mode]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Modes {
    pub default: Option<Mode>,
    pub triggers: Option<Vec<String>>,
    pub blocked_tools: Option<Vec<String>>,
    pub read_only: Vec<String>,
}

/// `[protect]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Protection {
    pub also: Vec<String>,
    pub except: Vec<String>,
}

/// `[debug]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DebugOutput {
    pub level: Option<Level>,
    pub format: Option<Format>,
    pub file: Option<BelowHome>,
}

/// A file below Signalbox's own folder; empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct BelowHome(pub String);

impl TryFrom<String> for BelowHome {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let leads_down = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        match Path::new(&text).components().all(leads_down) {
            true => Ok(Self(text)),
            false => Err("it must be a path below $SIGNALBOX_HOME, such as `debug.log`"),
        }
    }
}

/// How much hooks say about themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    #[serde(rename = "")]
    Nothing,
    Error,
    Warning,
    Info,
    Debug,
    Trace,
}

impl Level {
    /// Its name in a charter; `None` if nothing is to be said.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Error => Some("error"),
            Self::Warning => Some("warning"),
            Self::Info => Some("info"),
            Self::Debug => Some("debug"),
            Self::Trace => Some("trace"),
        }
    }
}

/// What a line of it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Text,
    Json,
}

/// What the repository says of itself: `.signalbox/project.toml`. Whatever else stands there is for others.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RepositoryPolicy {
    pub mode: Option<Mode>,
    pub tests: Option<Vec<String>>,
    pub protect: Vec<String>,
    pub rules: Vec<OwnRule>,
}

/// Tools that change files, by the names agent CLIs give them.
pub const BLOCKED_TOOLS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Which files are tests where nobody says so.
pub const TESTS: &[&str] = &[
    "tests/**",
    "test/**",
    "spec/**",
    "**/tests/**",
    "**/__tests__/**",
    "**/*_test.*",
    "**/*_tests.*",
    "**/*.test.*",
    "**/*.spec.*",
    "**/*_spec.*",
    "**/test_*.py",
];

/// Read what the repository says. A file that cannot be understood is an error: it may have said no.
pub fn of_repository(root: &Path) -> Result<RepositoryPolicy, String> {
    let path = root.join(".signalbox").join("project.toml");
    let shown = path.display();
    let bytes = files::read_optional(&path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let Some(bytes) = bytes else { return Ok(RepositoryPolicy::default()) };
    let text = String::from_utf8(bytes).map_err(|_| format!("{shown} is not UTF-8 text"))?;
    let policy: RepositoryPolicy = toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(at).filter(|b| *b == b'\n').count() + 1;
        format!("{shown}, line {line}: {}", crate::wording::plain(error.message()))
    })?;
    match policy.rules.iter().find(|rule| rule.decision == Decision::Allow) {
        Some(rule) => Err(format!(
            "{shown}: the rule `{}` allows something, and a repository may only deny; put it into your own config.toml",
            rule.name
        )),
        None => Ok(policy),
    }
}
