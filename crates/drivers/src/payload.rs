//! The fields of a hook payload in the snake_case shape that Claude Code began and others copied, kept as raw text
//! until somebody needs one: skipping over 64 kB of file content is cheap, decoding it is not.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

use signalbox_core::call::ToolCall;

use crate::hook::{HookKind, Incoming, Moment, Subagent, WireError};
use crate::resumes::Resumes;
use crate::tools::{self, Tool};

/// One field, unread. A field that is absent or `null` is `None`.
pub(crate) type Field<'a> = Option<&'a RawValue>;

/// Every field that any CLI of this shape sends and that something here wants to know. Others are skipped, and so
/// is a field whose type is not the expected one, unless nothing can be said without it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Payload<'a> {
    #[serde(borrow)]
    pub(crate) session_id: Field<'a>,
    #[serde(borrow)]
    pub(crate) transcript_path: Field<'a>,
    #[serde(borrow)]
    pub(crate) cwd: Field<'a>,
    #[serde(borrow)]
    pub(crate) hook_event_name: Field<'a>,
    #[serde(borrow)]
    pub(crate) agent_id: Field<'a>,
    #[serde(borrow)]
    pub(crate) agent_type: Field<'a>,
    #[serde(borrow)]
    pub(crate) source: Field<'a>,
    #[serde(borrow)]
    pub(crate) model: Field<'a>,
    #[serde(borrow)]
    pub(crate) reason: Field<'a>,
    #[serde(borrow)]
    pub(crate) prompt: Field<'a>,
    #[serde(borrow)]
    pub(crate) prompt_response: Field<'a>,
    #[serde(borrow)]
    pub(crate) tool_name: Field<'a>,
    #[serde(borrow)]
    pub(crate) tool_input: Field<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Field<'a>,
    #[serde(borrow)]
    pub(crate) error: Field<'a>,
    #[serde(borrow)]
    pub(crate) duration_ms: Field<'a>,
    #[serde(borrow)]
    pub(crate) last_assistant_message: Field<'a>,
    #[serde(borrow)]
    pub(crate) stop_hook_active: Field<'a>,
    #[serde(borrow)]
    pub(crate) background_tasks: Field<'a>,
    #[serde(borrow)]
    pub(crate) session_crons: Field<'a>,
    #[serde(borrow)]
    pub(crate) task_id: Field<'a>,
    #[serde(borrow)]
    pub(crate) task_subject: Field<'a>,
    #[serde(borrow)]
    pub(crate) task_description: Field<'a>,
    #[serde(borrow)]
    pub(crate) teammate_name: Field<'a>,
    #[serde(borrow)]
    pub(crate) team_name: Field<'a>,
    #[serde(borrow)]
    pub(crate) message: Field<'a>,
    #[serde(borrow)]
    pub(crate) notification_type: Field<'a>,
    #[serde(borrow)]
    pub(crate) trigger: Field<'a>,
}

/// What differs between the CLIs that send this shape.
pub(crate) struct Dialect {
    /// The CLI's names of events, and what each is to us.
    pub(crate) events: &'static [(&'static str, HookKind)],
    /// Its tools.
    pub(crate) tools: &'static [Tool],
    /// How a prompt begins that no person typed.
    pub(crate) machine_prompts: &'static [&'static str],
}

/// The payload's text as UTF-8. Checked once here, so that no later step has to.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, WireError> {
    std::str::from_utf8(bytes).map_err(|wrong| WireError::Json(serde::de::Error::custom(wrong)))
}

impl<'a> Payload<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, WireError> {
        Ok(serde_json::from_str(utf8(bytes)?)?)
    }

    /// What the payload says, in neutral words. The payload's own event name wins over `told`, the one on the
    /// command line, since the command line is copied by hand more often than the CLI is wrong about itself.
    pub(crate) fn incoming(&self, told: Option<HookKind>, dialect: &Dialect) -> Result<Incoming, WireError> {
        let own = text(self.hook_event_name);
        let kind = match (&own, told) {
            (Some(name), _) => kind_of(name, dialect.events),
            (None, Some(told)) => told,
            (None, None) => return Err(WireError::Missing("hook_event_name")),
        };
        let wire_event = own.map_or_else(|| name_of(kind, dialect.events).to_owned(), Cow::into_owned);
        let session = text(self.session_id).filter(|id| !id.is_empty());
        Ok(Incoming {
            session: session.ok_or(WireError::Missing("session_id"))?.into_owned(),
            subagent: self.subagent(),
            cwd: path(self.cwd),
            transcript: path(self.transcript_path),
            wire_event,
            moment: self.moment(kind, dialect)?,
        })
    }

    fn subagent(&self) -> Option<Subagent> {
        let id = string(self.agent_id)?;
        Some(Subagent { id, kind: string(self.agent_type).unwrap_or_default() })
    }

    fn moment(&self, kind: HookKind, dialect: &Dialect) -> Result<Moment, WireError> {
        Ok(match kind {
            HookKind::SessionStart => {
                Moment::SessionStart { source: string(self.source), model: string(self.model) }
            }
            HookKind::SessionEnd => Moment::SessionEnd { reason: string(self.reason) },
            HookKind::Prompt => {
                let text = string(self.prompt).unwrap_or_default();
                // Nobody types into a subagent: what it is told comes from the agent above it.
                let from_machine = self.agent_id.is_some()
                    || dialect.machine_prompts.iter().any(|start| text.starts_with(start));
                Moment::Prompt { text, from_machine }
            }
            HookKind::PreTool => Moment::PreTool(self.call(dialect)?),
            HookKind::Permission => Moment::Permission(self.call(dialect)?),
            HookKind::PostTool => {
                Moment::PostTool { call: self.call(dialect)?, duration_ms: number(self.duration_ms) }
            }
            HookKind::PostToolFailure => Moment::PostToolFailure {
                call: self.call(dialect)?,
                error: string(self.error).unwrap_or_default(),
                duration_ms: number(self.duration_ms),
            },
            HookKind::SubagentStart => Moment::SubagentStart,
            HookKind::SubagentStop => Moment::SubagentStop { last_message: self.last_message() },
            HookKind::TaskCreated => {
                let (id, subject, description) = self.task()?;
                Moment::TaskCreated { id, subject, description }
            }
            HookKind::TaskCompleted => {
                let (id, subject, description) = self.task()?;
                Moment::TaskCompleted { id, subject, description }
            }
            HookKind::TeammateIdle => Moment::TeammateIdle {
                name: string(self.teammate_name).ok_or(WireError::Missing("teammate_name"))?,
                team: string(self.team_name),
            },
            HookKind::Stop => Moment::Stop {
                again: flag(self.stop_hook_active),
                paused: has_items(self.background_tasks) || has_items(self.session_crons),
                last_message: self.last_message(),
            },
            HookKind::StopFailure => {
                let resumes = self.last_message().and_then(|message| Resumes::parse(&message));
                let error = string(self.error).unwrap_or_else(|| "unknown".to_owned());
                Moment::StopFailure { error, resumes }
            }
            HookKind::Notification => Moment::Notification {
                kind: string(self.notification_type),
                message: string(self.message).unwrap_or_default(),
            },
            HookKind::PreCompact => Moment::PreCompact { trigger: string(self.trigger) },
            HookKind::PostCompact => Moment::PostCompact { trigger: string(self.trigger) },
            HookKind::Interrupt => Moment::Interrupt,
            HookKind::Other => Moment::Other,
        })
    }

    fn call(&self, dialect: &Dialect) -> Result<ToolCall, WireError> {
        let tool = string(self.tool_name).ok_or(WireError::Missing("tool_name"))?;
        let action = tools::action(&tool, self.tool_input, dialect.tools)?;
        Ok(ToolCall { tool, action, id: string(self.tool_use_id) })
    }

    fn task(&self) -> Result<(String, String, String), WireError> {
        Ok((
            string(self.task_id).ok_or(WireError::Missing("task_id"))?,
            string(self.task_subject).unwrap_or_default(),
            string(self.task_description).unwrap_or_default(),
        ))
    }

    /// Gemini calls it the response to the prompt.
    fn last_message(&self) -> Option<String> {
        string(self.last_assistant_message.or(self.prompt_response))
    }
}

fn kind_of(name: &str, events: &[(&str, HookKind)]) -> HookKind {
    events.iter().find(|(known, _)| *known == name).map_or(HookKind::Other, |(_, kind)| *kind)
}

/// The CLI's name for a kind of event; empty where it has none.
pub(crate) fn name_of(kind: HookKind, events: &[(&'static str, HookKind)]) -> &'static str {
    events.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| name)
}

/// A field's text without copying it where it has no escapes; `None` where it is no string.
pub(crate) fn text<'a>(field: Field<'a>) -> Option<Cow<'a, str>> {
    let raw = field?.get();
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str::<String>(raw).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

pub(crate) fn string(field: Field<'_>) -> Option<String> {
    text(field).map(Cow::into_owned)
}

pub(crate) fn number(field: Field<'_>) -> Option<u64> {
    serde_json::from_str(field?.get()).ok()
}

fn flag(field: Field<'_>) -> bool {
    field.is_some_and(|raw| raw.get() == "true")
}

fn path(field: Field<'_>) -> Option<PathBuf> {
    text(field).filter(|path| !path.is_empty()).map(|path| PathBuf::from(path.into_owned()))
}

fn has_items(field: Field<'_>) -> bool {
    field.is_some_and(|raw| {
        raw.get().strip_prefix('[').is_some_and(|rest| !rest.trim_start().starts_with(']'))
    })
}
