//! The one error at the edge: what to say, what to do about it, and the exit code.

use std::error::Error;
use std::io;

use signalbox_api::ClientError;
use signalbox_api::wire::{self, Problem};
use signalbox_core::{EventId, Refusal, RefusalKind};
use signalbox_git::GitError;
use signalbox_store::config::ConfigError;
use signalbox_store::contract::ContractError;
use signalbox_store::index::IndexError;
use signalbox_store::outbox::OutboxError;
use signalbox_store::vault::VaultError;
use signalbox_store::{StoreError, log::LogError};

/// What went wrong, by what the caller can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something failed.
    Failure = 1,
    /// The command was not understood.
    Usage = 2,
    /// It named something that is not there.
    NotFound = 3,
    /// It may not be done now, or not by this asker.
    Precondition = 4,
}

/// An error as a person and a program get it.
#[derive(Debug)]
pub struct CommandError {
    pub kind: Kind,
    /// Stable and dotted, for programs.
    pub code: String,
    pub message: String,
    pub hints: Vec<String>,
    pub evidence: Vec<EventId>,
}

impl CommandError {
    pub fn new(kind: Kind, code: &str, message: impl Into<String>) -> Self {
        Self { kind, code: code.to_owned(), message: message.into(), hints: Vec::new(), evidence: Vec::new() }
    }

    pub fn usage(code: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, code, message)
    }

    pub fn not_found(code: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, code, message)
    }

    pub fn precondition(code: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::Precondition, code, message)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// A failed operation and its causes.
    pub fn failed(code: &str, error: &(dyn Error + 'static)) -> Self {
        let mut failed = Self::new(Kind::Failure, code, chain(error));
        failed.hints.extend(io_cause(error).and_then(io_hint).map(ToOwned::to_owned));
        failed
    }
}

/// An error and its causes, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        message = format!("{message}: {cause}");
        next = cause.source();
    }
    message
}

/// The operating system's error at the root of another.
fn io_cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    let mut next = Some(error);
    while let Some(at) = next {
        if let Some(io) = at.downcast_ref() {
            return Some(io);
        }
        next = at.source();
    }
    None
}

fn io_hint(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("Free some disk space and run the command again; nothing was changed.")
        }
        io::ErrorKind::PermissionDenied => {
            Some("Check who owns the file or folder; `sb doctor` looks at permissions.")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            Some("Set SIGNALBOX_HOME to a folder that can be written to. Reading works all the same.")
        }
        io::ErrorKind::NotADirectory => Some("A file stands where a folder is needed; move it away."),
        _ => None,
    }
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal.kind {
            RefusalKind::Usage => Kind::Usage,
            RefusalKind::NotFound => Kind::NotFound,
            RefusalKind::Precondition => Kind::Precondition,
        };
        Self {
            kind,
            code: refusal.code.to_owned(),
            message: refusal.message,
            hints: refusal.hint.into_iter().collect(),
            evidence: refusal.evidence,
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(refusal) => refusal.into(),
            StoreError::Index(error) => error.into(),
            other => Self::failed("store.failed", &other),
        }
    }
}

impl From<IndexError> for CommandError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::QueryWrites => {
                Self::usage("query.writes", "`sb query` only reads: SELECT, WITH, VALUES or EXPLAIN")
                    .hint("Tickets are changed by commands; `sb help` lists them.")
            }
            IndexError::Query(error) => {
                Self::usage("query.failed", format!("the query does not work: {error}"))
                    .hint("`sb query \"SELECT name, sql FROM sqlite_master\"` shows the tables.")
            }
            other => Self::failed("index.failed", &other).hint("`sb index rebuild` makes the index anew."),
        }
    }
}

impl From<LogError> for CommandError {
    fn from(error: LogError) -> Self {
        Self::failed("log.failed", &error)
    }
}

impl From<OutboxError> for CommandError {
    fn from(error: OutboxError) -> Self {
        Self::failed("outbox.failed", &error)
    }
}

impl From<VaultError> for CommandError {
    fn from(error: VaultError) -> Self {
        Self::failed("vault.failed", &error)
    }
}

/// The code of the error that is none: whoever read our output has gone away.
pub const PIPE_CLOSED: &str = "pipe.closed";

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::failed("io.failed", &error)
    }
}

impl From<serde_json::Error> for CommandError {
    fn from(error: serde_json::Error) -> Self {
        Self::failed("json.failed", &error)
    }
}

impl From<signalbox_conductor::Failed> for CommandError {
    fn from(error: signalbox_conductor::Failed) -> Self {
        use signalbox_conductor::Failed;
        match error {
            Failed::Refused(refusal) => refusal.into(),
            Failed::Git(error) => error.into(),
            Failed::Store(error) => error.into(),
            Failed::Contract(error) => error.into(),
            Failed::Config(error) => error.into(),
            Failed::Log(error) => error.into(),
            other => Self::failed("run.failed", &other),
        }
    }
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Refused(refusal) => refusal.into(),
            other => Self::failed("run.failed", &other),
        }
    }
}

impl From<ContractError> for CommandError {
    fn from(error: ContractError) -> Self {
        Self::new(Kind::Failure, "contract.invalid", error.to_string())
            .hint("Correct it there; docs/reference/contract.md and `sb help --reference contract` list the settings.")
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        let hint = match &error {
            ConfigError::UnknownKey { suggestion: Some(key), .. } => format!("Did you mean `{key}`?"),
            ConfigError::UnknownKey { .. } => "`sb config get` lists the settings.".to_owned(),
            ConfigError::Parse { path, .. } => {
                format!("Correct that line in {}; `sb config get` lists the settings.", path.display())
            }
            ConfigError::SamePath { path, .. } => format!("Remove one of the two from {}.", path.display()),
            ConfigError::Value { .. } => "`sb config get` tells what each setting is for.".to_owned(),
            ConfigError::NotAFolder { .. } => "Name a folder; it is made where it is missing.".to_owned(),
            ConfigError::Variable { name, .. } => format!("Set {name}, or write the path out."),
            ConfigError::Read { .. } | ConfigError::Write { .. } => {
                return Self::failed("config.failed", &error);
            }
        };
        let kind = match error {
            ConfigError::UnknownKey { .. } => Kind::NotFound,
            ConfigError::Value { .. } => Kind::Usage,
            _ => Kind::Failure,
        };
        Self::new(kind, "config.invalid", error.to_string()).hint(hint)
    }
}

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> Self {
        match &error {
            ClientError::Absent(_) => {
                CommandError::precondition("daemon.absent", "no daemon runs").hint("`sb up` starts one.")
            }
            ClientError::Dead(_) => {
                CommandError::precondition("daemon.dead", "the daemon was killed and left its socket behind")
                    .hint("`sb up` starts it again; nothing is lost.")
            }
            ClientError::Foreign(_) => CommandError::precondition("daemon.foreign", error.to_string())
                .hint("Set SIGNALBOX_HOME to a folder of your own."),
            ClientError::Version { pid, .. } => {
                CommandError::precondition("daemon.version", error.to_string()).hint(format!(
                    "`sb restart` ends process {pid} and starts the daemon of this version; agents go on."
                ))
            }
            ClientError::Refused(problem) => refused(problem.clone()),
            other => CommandError::failed("daemon.unreachable", other)
                .hint("`sb logs` shows what the daemon says of itself; `sb restart` starts it anew."),
        }
    }
}

fn refused(problem: Problem) -> CommandError {
    let kind = match problem.kind {
        wire::Kind::Failure => Kind::Failure,
        wire::Kind::Usage => Kind::Usage,
        wire::Kind::NotFound => Kind::NotFound,
        wire::Kind::Precondition => Kind::Precondition,
    };
    let error = CommandError::new(kind, &problem.code, problem.message);
    problem.hints.into_iter().fold(error, CommandError::hint)
}
