//! A session's charter: all that it may do, in one small file that a hook reads and nothing else.

use serde::{Deserialize, Serialize};

use crate::id::TicketId;
use crate::mode::Mode;
use crate::role::Role;

/// The version of the charters this program writes. A higher one is from a newer Signalbox and not understood.
pub const CHARTER_VERSION: u32 = 1;

/// What one session may do. Compiled when it starts and whenever its mode, role or ticket changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Charter {
    pub v: u32,
    pub mode: Mode,
    pub role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketId>,
    /// The folder the rules are about: its worktree, else the project's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Whether it may write only there.
    pub confined: bool,
    /// Where it may write besides: folders for temporary files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scratch: Vec<String>,
    /// The one branch it may work on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Which files are tests, as patterns below the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Where alone it may write, as patterns below the root, if its role is given such a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_write: Option<Vec<String>>,
    /// Protected besides what always is, and what a person took out of protection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unprotect: Vec<String>,
    /// Signalbox's own folder.
    pub signalbox: String,
    /// Tools that are refused in discussion mode by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_tools: Vec<String>,
    /// Commands that a person says only read, as their first words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_only: Vec<String>,
    /// Phrases in a person's prompt that open implementation mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    /// Which permission dialogs are answered with yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve: Option<Approval>,
    /// The person's own rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<OwnRule>,
    /// Why the charter could not be made whole. Everything is refused until that is put right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<String>,
    /// The person it works for, as git knows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug: Option<Debug>,
    /// Variables whose values are not written down, where a person has said which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redact: Option<Vec<String>>,
}

impl Default for Charter {
    fn default() -> Self {
        Self {
            v: CHARTER_VERSION,
            mode: Mode::default(),
            role: Role::default(),
            ticket: None,
            root: None,
            confined: false,
            scratch: Vec::new(),
            branch: None,
            tests: Vec::new(),
            may_write: None,
            protect: Vec::new(),
            unprotect: Vec::new(),
            signalbox: String::new(),
            blocked_tools: Vec::new(),
            read_only: Vec::new(),
            triggers: Vec::new(),
            approve: None,
            rules: Vec::new(),
            broken: None,
            services: Vec::new(),
            developer: None,
            debug: None,
            redact: None,
        }
    }
}

/// Which permission dialogs are answered with yes, while the session has a ticket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Approval {
    /// Tools by name, other than the shell.
    pub tools: Vec<String>,
    /// Command lines, with `*` for anything.
    pub commands: Vec<String>,
}

/// A rule a person wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnRule {
    pub name: String,
    pub decision: Decision,
    /// The tool's name, with `*` for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A program with its arguments, wrappers taken off, with `*` for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// A file that would be changed, as a pattern below the root or an absolute one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Calls that the rule must and must not be about: checked when the rule is read.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Lifts every refusal but those that keep the agent an agent: modes and what only a human may do.
    Allow,
    Deny,
}

/// How much a hook says about itself, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debug {
    pub level: String,
    pub json: bool,
    /// A file; else standard error.
    pub file: Option<String>,
}
