//! What a hook hears and says, in words that are the same for every agent CLI.

use std::path::PathBuf;

use signalbox_core::call::ToolCall;

use crate::resumes::Resumes;

/// The hooks Signalbox knows, as `sb hook <name>` is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookKind {
    SessionStart,
    SessionEnd,
    Prompt,
    PreTool,
    Permission,
    PostTool,
    PostToolFailure,
    SubagentStart,
    SubagentStop,
    TaskCreated,
    TaskCompleted,
    TeammateIdle,
    Stop,
    StopFailure,
    Notification,
    PreCompact,
    PostCompact,
    Interrupt,
    /// One that nobody here has heard of. It is recorded and otherwise left alone.
    Other,
}

/// What a CLI told its hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// The conversation's id, unchecked.
    pub session: String,
    /// Set only where the hook runs for a subagent.
    pub subagent: Option<Subagent>,
    pub cwd: Option<PathBuf>,
    pub transcript: Option<PathBuf>,
    /// The CLI's own name for the event.
    pub wire_event: String,
    pub moment: Moment,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    pub id: String,
    pub kind: String,
}

/// What happened, or is about to.
#[derive(Debug, Clone, PartialEq)]
pub enum Moment {
    SessionStart {
        source: Option<String>,
        model: Option<String>,
    },
    SessionEnd {
        reason: Option<String>,
    },
    /// `from_machine`: not typed by a person, such as a background task's report.
    Prompt {
        text: String,
        from_machine: bool,
    },
    PreTool(ToolCall),
    Permission(ToolCall),
    PostTool {
        call: ToolCall,
        duration_ms: Option<u64>,
    },
    PostToolFailure {
        call: ToolCall,
        error: String,
        duration_ms: Option<u64>,
    },
    SubagentStart,
    SubagentStop {
        last_message: Option<String>,
    },
    TaskCreated {
        id: String,
        subject: String,
        description: String,
    },
    TaskCompleted {
        id: String,
        subject: String,
        description: String,
    },
    TeammateIdle {
        name: String,
        team: Option<String>,
    },
    /// `again`: an earlier stop of this turn was held back already. `paused`: background work goes on.
    Stop {
        again: bool,
        paused: bool,
        last_message: Option<String>,
    },
    StopFailure {
        error: String,
        /// When it will go on, where an empty account is the error and its CLI says so.
        resumes: Option<Resumes>,
    },
    Notification {
        kind: Option<String>,
        message: String,
    },
    PreCompact {
        trigger: Option<String>,
    },
    PostCompact {
        trigger: Option<String>,
    },
    Interrupt,
    Other,
}

/// Which answer a CLI waits for: the wire format of a reply depends on the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub kind: HookKind,
    pub wire_event: String,
}

/// What Signalbox has to say.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Go on; nothing to add.
    Nothing,
    /// Go on, and let the model know this.
    Context(String),
    /// The tool may not run, the prompt not be sent, the permission not be given.
    Refuse(String),
    /// The permission is given without asking the person.
    Approve(String),
    /// The tool runs with this input instead. `approve`: without asking the person.
    Rewrite { input: serde_json::Value, approve: bool },
    /// Not finished yet: the stop, completion or idling is held back, with what is missing.
    HoldBack(String),
}

/// What the hook's process prints and how it ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    pub stdout: String,
    pub stderr: String,
    pub exit: u8,
}

/// Why a payload could not be understood.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("standard input is not the JSON of a hook: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the payload has no `{0}`")]
    Missing(&'static str),
    #[error("no agent CLI is called `{0}`")]
    UnknownCli(String),
}

impl Incoming {
    /// What the CLI waits for an answer to.
    pub fn asked(&self) -> Asked {
        Asked { kind: self.moment.kind(), wire_event: self.wire_event.clone() }
    }
}

impl Moment {
    pub fn kind(&self) -> HookKind {
        match self {
            Self::SessionStart { .. } => HookKind::SessionStart,
            Self::SessionEnd { .. } => HookKind::SessionEnd,
            Self::Prompt { .. } => HookKind::Prompt,
            Self::PreTool(_) => HookKind::PreTool,
            Self::Permission(_) => HookKind::Permission,
            Self::PostTool { .. } => HookKind::PostTool,
            Self::PostToolFailure { .. } => HookKind::PostToolFailure,
            Self::SubagentStart => HookKind::SubagentStart,
            Self::SubagentStop { .. } => HookKind::SubagentStop,
            Self::TaskCreated { .. } => HookKind::TaskCreated,
            Self::TaskCompleted { .. } => HookKind::TaskCompleted,
            Self::TeammateIdle { .. } => HookKind::TeammateIdle,
            Self::Stop { .. } => HookKind::Stop,
            Self::StopFailure { .. } => HookKind::StopFailure,
            Self::Notification { .. } => HookKind::Notification,
            Self::PreCompact { .. } => HookKind::PreCompact,
            Self::PostCompact { .. } => HookKind::PostCompact,
            Self::Interrupt => HookKind::Interrupt,
            Self::Other => HookKind::Other,
        }
    }
}

impl HookKind {
    /// Names as typed, and the kind each is.
    pub const NAMES: &[(&str, Self)] = &[
        ("session-start", Self::SessionStart),
        ("session-end", Self::SessionEnd),
        ("prompt", Self::Prompt),
        ("pre-tool", Self::PreTool),
        ("permission-request", Self::Permission),
        ("post-tool", Self::PostTool),
        ("post-tool-failure", Self::PostToolFailure),
        ("subagent-start", Self::SubagentStart),
        ("subagent-stop", Self::SubagentStop),
        ("task-created", Self::TaskCreated),
        ("task-completed", Self::TaskCompleted),
        ("teammate-idle", Self::TeammateIdle),
        ("stop", Self::Stop),
        ("stop-failure", Self::StopFailure),
        ("notification", Self::Notification),
        ("pre-compact", Self::PreCompact),
        ("post-compact", Self::PostCompact),
        ("interrupt", Self::Interrupt),
        ("other", Self::Other),
    ];

    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("other", |(name, _)| name)
    }

    /// Whether the CLI lets something happen or not by this hook's answer. Such a hook refuses when it fails itself;
    /// the others get out of the way.
    pub fn is_gate(self) -> bool {
        matches!(self, Self::PreTool | Self::Permission)
    }
}
