//! One line of the log, and the list of every event Signalbox writes.
//!
//! Fields are added, never renamed or given another meaning; a reader ignores what it does not know. The
//! data of an event is kept as the text it was written in, so that reading costs nothing for events nobody
//! asks about.

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::id::{EventId, ProjectName, SessionId, TicketId};
use crate::who::Who;

/// The `v` of every line this version writes. A higher one is from a newer Signalbox.
pub const FORMAT_VERSION: u32 = 1;

/// Something that happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    pub v: u32,
    pub id: EventId,
    #[serde(serialize_with = "crate::time::serialize")]
    pub ts: Timestamp,
    /// Its name: one of [`CATALOG`], or one of a newer version.
    pub event: String,
    #[serde(default)]
    pub ticket: Option<TicketId>,
    #[serde(default)]
    pub project: Option<ProjectName>,
    pub actor: String,
    #[serde(default)]
    pub session: Option<SessionId>,
    /// The sessions that the actor's session descends from, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<SessionId>,
    /// The ticket's revision after it, where it changes one: a gap shows that a line is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<u64>,
    /// Which of how many, where one command wrote several: they count together or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<(u32, u32)>,
    #[serde(default = "empty_data")]
    pub data: Box<RawValue>,
    /// Checked by the log before the line is parsed, and of no use after.
    #[serde(default, skip_serializing)]
    pub crc: IgnoredAny,
}

impl Event {
    /// An event that concerns no ticket.
    pub fn apart(
        id: EventId,
        ts: Timestamp,
        name: &str,
        who: &Who,
        project: Option<ProjectName>,
        data: &impl Serialize,
    ) -> serde_json::Result<Self> {
        Ok(Self {
            v: FORMAT_VERSION,
            id,
            ts,
            event: name.to_owned(),
            ticket: None,
            project,
            actor: who.name().to_owned(),
            session: who.session().cloned(),
            lineage: who.lineage().to_vec(),
            rev: None,
            batch: None,
            data: to_raw_value(data)?,
            crc: IgnoredAny,
        })
    }

    /// Whether it counts for its ticket. What a hook records only says which ticket the agent was on.
    pub fn concerns_ticket(&self) -> bool {
        self.ticket.is_some() && !self.event.starts_with("hook.")
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.ts == other.ts
            && self.event == other.event
            && self.ticket == other.ticket
            && self.project == other.project
            && self.actor == other.actor
            && self.session == other.session
            && self.lineage == other.lineage
            && self.rev == other.rev
            && self.batch == other.batch
            && self.data.get() == other.data.get()
    }
}

fn empty_data() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

/// What one kind of event means, for the reference page.
#[derive(Debug, Clone, Copy)]
pub struct EventDoc {
    pub name: &'static str,
    pub meaning: &'static str,
    /// The fields of `data`, as prose.
    pub data: &'static str,
}

const fn doc(name: &'static str, meaning: &'static str, data: &'static str) -> EventDoc {
    EventDoc { name, meaning, data }
}

/// Every event this version writes. The reference page is generated from here.
pub const CATALOG: &[EventDoc] = &[
    doc(
        "ticket.created",
        "A ticket was filed",
        "`title`, `body`, `status`, `priority`, `depends_on`, `tags`, `initiative`, `area`, `slug`, `needs_tests`, `acceptance`, `branch`, `services`, `submodule`, `files`",
    ),
    doc("ticket.edited", "Fields of a ticket were changed", "the changed fields with their new values"),
    doc(
        "ticket.assigned",
        "A human gave a ticket to someone, or took it back",
        "`assignee` (absent: nobody)",
    ),
    doc("ticket.released", "The assignee let go of a ticket", "`reason`"),
    doc("ticket.read", "A session read a ticket; it may no longer review it", "none"),
    doc("ticket.held", "A human put a ticket on hold", "`reason`"),
    doc("ticket.unheld", "A human released a hold", "`note`"),
    doc("ticket.waived", "A human's override no longer waits for these dependencies", "`depends_on`"),
    doc("ticket.checked", "An acceptance criterion was ticked or unticked", "`criterion` (from 1), `met`"),
    doc("status.backlog", "The ticket went back to the backlog", STATUS_DATA),
    doc("status.open", "The ticket is ready to be picked up", STATUS_DATA),
    doc("status.in-progress", "Someone works on the ticket", STATUS_DATA),
    doc("status.review", "The work is submitted and waits for an independent reviewer", STATUS_DATA),
    doc("status.rework", "A review asked for changes", STATUS_DATA),
    doc("status.done", "The work is accepted", STATUS_DATA),
    doc("status.blocked", "The ticket is held or waits for a dependency", STATUS_DATA),
    doc("note.added", "Someone wrote a note", "`text`"),
    doc("review.started", "A reviewer took the ticket", "none"),
    doc("review.approved", "The reviewer accepted the work", "`note`"),
    doc("review.rejected", "The reviewer sent the work back", "`reason`"),
    doc("review.released", "The reviewer let go of the ticket without a verdict", "`reason`"),
    doc(
        "attempt.recorded",
        "An attempt at the ticket ended",
        "`outcome`, `summary`, `blockers`, `learnings`, `branch_kept`",
    ),
    doc(
        "session.started",
        "An agent session began or came back",
        "`cli`, `source`, `cwd`, `pid`, `name`, `model`, `mode`, `role`, `agent`, `transcript`; of a subagent `parent`",
    ),
    doc(
        "agent.started",
        "A program was started by `sb agent`",
        "`agent`, `driver`, `program`, `name`, `cwd`, `ticket`, `role`, `profile`, `pid`",
    ),
    doc("agent.state", "An agent began to do something else", "`agent`, `state`, `certainty`, `because`"),
    doc("agent.exited", "An agent's program ended", "`agent`, `code`, `signal`"),
    doc("agent.vanished", "An agent is gone, and nobody saw its end", ABOUT_AGENT),
    doc("agent.spawned", "An agent that has a goal began", ABOUT_AGENT),
    doc("agent.completed", "An agent reached its goal", GOAL_END),
    doc("agent.failed", "An agent will not reach its goal", GOAL_END),
    doc("agent.timed-out", "An agent took longer than it may", GOAL_END),
    doc("agent.blocked", "An agent says that it needs help", "`agent`, `name`, `ticket`, `summary`"),
    doc(
        "agent.stalled",
        "An agent with a goal has been idle for long",
        "`agent`, `name`, `ticket`, `idle_seconds`",
    ),
    doc("agent.terminated", "A person ended an agent", "`agent`, `name`, `ticket`"),
    doc("agent.claimed", "A person took an agent over: its goal waits", "`agent`, `name`, `ticket`"),
    doc("agent.unclaimed", "A person gave an agent back", "`agent`, `name`, `ticket`"),
    doc("attach.promoted", "Somebody took the seat at an agent's keyboard", "`agent`"),
    doc("attach.demoted", "Somebody left the seat", "`agent`"),
    doc("attach.idle-timeout", "Somebody lost the seat because they typed nothing for long", "`agent`"),
    doc("attach.force-takeover", "Somebody lost the seat to another", "`agent`"),
    doc(
        "goal.set",
        "A person said what an agent is there for",
        "`agent`, `type`, `settings`, `max_seconds`, `stall_seconds`",
    ),
    doc(
        "escalation.drafted",
        "Somebody wrote down a question for a human",
        "`escalation` (its id), `kind` (`decision`, `blocker`, `question`, `approval`, `suggestion`, `repeated-failure`, `conflict`, `quota`, `trust`), `question`, `context`, `options`, `ticket`, `blocks`, `evidence` (`what`, `text`, `event`), `hypothesis`, `key`",
    ),
    doc(
        "escalation.promoted",
        "A question waits for a human's answer, and with it what it blocks",
        "`escalation`",
    ),
    doc(
        "escalation.answered",
        "A human answered a question",
        "`escalation`, `answer`, `option` (which of the suggested ones, from 1)",
    ),
    doc("escalation.withdrawn", "A question need not be answered any more", "`escalation`, `reason`"),
    doc("goal.signalled", "An agent says how far it is", "`agent`, `status`, `summary`"),
    doc("goal.changed", "An agent's goal has another status", "`agent`, `status`, `before`, `summary`"),
    doc("monitor.added", "Something more is watched for an agent", "`agent`, `monitor`, `type`, `by`"),
    doc("monitor.removed", "Something is no longer watched for an agent", "`agent`, `monitor`, `type`, `by`"),
    doc(
        "monitor.announced",
        "A monitor has news, and put a message into the agent's outbox",
        "`agent`, `monitor`, `type`, `kind`, `injection`, `message` (its first line)",
    ),
    doc("monitor.failing", "A monitor cannot look, and will not soon", "`agent`, `monitor`, `type`, `why`"),
    doc("monitor.recovered", "A monitor that could not look can", "`agent`, `monitor`"),
    doc("notifier.failing", "A notifier reaches nobody", "`notifier`, `why`"),
    doc(
        "daemon.config-bad",
        "config.toml was changed and cannot be used; the one before it stays in force",
        "`why`",
    ),
    doc(
        "attempt.started",
        "An agent was set to work on a ticket",
        "`role`, `agent` (its name), `session`, `branch`, `base` (the commit of main it began from)",
    ),
    doc("attempt.tests-ready", "Tests were written and seen to fail", "`commit`, `files`"),
    doc(
        "attempt.submitted",
        "A commit was handed in",
        "`commit`, `branch`, `place` (`workspace`, `repository`)",
    ),
    doc("merge.queued", "What was handed in waits for its turn to be merged", "`commit`"),
    doc(
        "merge.started",
        "The queue puts a commit on top of main, alone or with others, to validate it",
        "`commit`, `run`, `onto`",
    ),
    doc(
        "merge.validated",
        "A tree passed all validation steps",
        "`commit`, `run`, `onto`, `tip` (what main would become), `tree`, `becomes` (the ticket's own commit), `of` (how many together), `flaky` (it passed only the second time)",
    ),
    doc(
        "merge.landing",
        "Main is about to be moved",
        "`commit`, `run`, `from`, `to`, `tree`, `becomes`, `of`",
    ),
    doc(
        "merge.pushed",
        "A validated commit is a branch of a remote, and waits to be merged there",
        "`commit`, `run`, `from`, `to`, `tree`, `becomes`, `remote`, `branch`",
    ),
    doc("merge.landed", "The ticket is on main", "`commit`, `landed` (what it became), `tree`, `run`"),
    doc(
        "main.adopted",
        "What a person, or the remote, put on main past the queue is part of it now",
        "`from`, `to`",
    ),
    doc(
        "run.asked",
        "A person told the loop what to do",
        "`wish` (`pause`, `drain`, `resume`, `stop`, or `concurrency` with a number)",
    ),
    doc("run.started", "A loop began to take a project's tickets to main", "`pid`, `fence`"),
    doc("run.ended", "A loop ended", "`pid`, `running` (agents that go on)"),
    doc(
        "merge.failed",
        "What was handed in did not get to main",
        "`commit`, `run`, `why` (`conflict`, `validation`, `boundary`, `protected`, `ancestry`, `empty`, `missing`, `withdrawn`), `message`, `output`, `files`, `diff`",
    ),
    doc("session.ended", "An agent session ended", "`reason`"),
    doc(
        "session.assigned",
        "A human gave a session its role, ticket, worktree, branch or mode",
        "`session`, `role`, `worktree`, `branch`, `mode`, `ticket`",
    ),
    doc("session.held-back", "A session wanted to be done and was not", "`missing`, `times`"),
    doc("session.let-go", "A session was let go though something is missing", "`missing`, `times`"),
    doc(
        "mode.changed",
        "A session went into another mode",
        "`session`, `previous_mode`, `new_mode`, `trigger` (`user_phrase`, `command`), `trigger_phrase`",
    ),
    doc(
        "hook.pre-tool",
        "An agent is about to use a tool",
        "`tool`, `execution_id`, `command` or `file` or `files`, `permission` (`allow`, `deny`), `rule`, `code`, `reason`, `cwd`, `mode`",
    ),
    doc(
        "hook.permission-request",
        "An agent CLI asks the person for a permission",
        "as `hook.pre-tool`; `permission` may be `ask`: it was left to the person",
    ),
    doc("hook.post-tool", "A tool was used", "`tool`, `execution_id`, `success`, `duration_ms`, `mode`"),
    doc("hook.post-tool-failure", "A tool failed", "as `hook.post-tool`, and `error`"),
    doc("hook.prompt", "A prompt reached the agent", "`prompt`, `from_machine`"),
    doc("hook.subagent-start", "A subagent began", "`kind`, `parent`, `ticket`"),
    doc("hook.subagent-stop", "A subagent ended", "`kind`"),
    doc("hook.task-created", "A task was put on the CLI's own list", "`task`, `subject`"),
    doc("hook.task-completed", "A task of the CLI's own list was marked as completed", "`task`"),
    doc("hook.teammate-idle", "A teammate has nothing left to do", "`teammate`"),
    doc("hook.stop", "An agent ended its turn", "`again`, `paused`"),
    doc(
        "hook.stop-failure",
        "An agent's turn ended with an error",
        "`error`, `until` (when its account has something again, where its CLI says so)",
    ),
    doc("hook.notification", "The CLI told the person something", "`kind`, `message`"),
    doc("hook.pre-compact", "The conversation is about to be compacted", "`trigger`"),
    doc("hook.post-compact", "The conversation was compacted", "`trigger`"),
    doc("hook.interrupt", "The person interrupted the agent", "none"),
    doc("hook.other", "A hook that this version does not know", "`event`"),
    doc(
        "hook.unguarded",
        "A tool was used without its gate: the hook before it is missing, skipped or broken",
        "as `hook.pre-tool`, without `permission`",
    ),
    doc("hook.failed", "A hook could not do its work", "`hook`, `why`"),
    doc(
        "inject.queued",
        "A message waits for an agent",
        "`agent`, `injection`, `priority` (`high`, `normal`, `low`), `ttl_seconds`, `key`, `from`, `text`",
    ),
    doc(
        "inject.delivered",
        "The agent took a message",
        "`agent`, `injection`, `door` (`waiter`, `queue`, `extension`, `context`, `keyboard`), `tries`",
    ),
    doc(
        "inject.deferred",
        "A message has to wait for something else than before",
        "`agent`, `injection`, `door`, `reason` (`person-typing`, `draft`, `dialog`, `busy`, `unknown-state`, `not-started`, `exited`, `retrying`, `in-queue`)",
    ),
    doc(
        "inject.superseded",
        "A newer message with the same key took its place",
        "`agent`, `injection`, `by` (the newer one)",
    ),
    doc(
        "inject.expired",
        "A message waited longer than it may",
        "`agent`, `injection`, `waited_seconds`, `reason` (as of `inject.deferred`: what it waited for last)",
    ),
    doc(
        "inject.failed",
        "A message was given up",
        "`agent`, `injection`, `door`, `reason` (`full`, `evicted`, `cancelled`, `exited`, `not-shown`, `left-in-box`, `not-taken`, `unconfirmed`, `refused`, `unreadable`), `detail`",
    ),
    doc(
        "heartbeat.cleaned",
        "A heartbeat put in order what dead processes left",
        "`sessions` and `agents` that were marked as ended, `messages` that nobody will deliver",
    ),
    doc("heartbeat.ran", "A heartbeat found a change and ran a command", "`command`, `succeeded`, `why`"),
    doc("project.registered", "A directory became a project", "`path`"),
    doc(
        "project.trusted",
        "A human trusts this text of the project's contract: what it says may be run",
        "`hash` (SHA-256 of the file), `text` (the file)",
    ),
    doc("project.distrusted", "A human no longer trusts it", "`hash`"),
    doc("doctor.fixed", "`sb doctor --fix` repaired something", "`check`, `what`"),
    doc(
        "doctor.quarantined",
        "Damaged lines of the log were set aside",
        "`file`, `offset`, `bytes`, `reason`",
    ),
];

const ABOUT_AGENT: &str = "`agent`, `name`, `ticket`";

const GOAL_END: &str = "`agent`, `name`, `ticket`, `goal` (its type), `summary`";

const STATUS_DATA: &str = "`from`, `cause` (`work`, `review`, `dependencies`, `hold`, `override`, `release`, `reopen`, `merge`), `note`, `reason`, `waits_on`, `assignee`, `assignee_session`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_unknown_and_missing_fields_is_still_an_event() -> serde_json::Result<()> {
        let line = r#"{"v":1,"id":"01J00000000000000000000000","ts":"2026-11-15T10:00:00Z","event":"x.y","actor":"human","later":{"a":1}}"#;
        let event: Event = serde_json::from_str(line)?;
        assert_eq!(event.event, "x.y");
        assert_eq!(event.data.get(), "{}");
        assert_eq!(event.ticket, None);
        Ok(())
    }

    #[test]
    fn the_catalogue_names_every_event_once() {
        let mut names: Vec<_> = CATALOG.iter().map(|d| d.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CATALOG.len());
    }
}
