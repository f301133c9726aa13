//! What a CLI lets its hooks do, as data: the table in the documentation is made from these rows.

/// Whether a CLI can do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Can {
    Yes,
    No,
    /// With a limit that the reader should know.
    Partly(&'static str),
    /// Nobody has tried it on the real program.
    Untried,
}

/// One CLI's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// A hook stops a tool from running.
    pub deny_tool: Can,
    /// A hook answers the permission dialog.
    pub decide_permission: Can,
    /// A hook stops a prompt from being sent.
    pub block_prompt: Can,
    /// What a hook says at the start reaches the model.
    pub context_at_start: Can,
    /// What a hook says with a prompt reaches the model.
    pub context_with_prompt: Can,
    /// What a hook says around a tool call reaches the model.
    pub context_around_tools: Can,
    /// What a hook says reaches a subagent when it starts.
    pub context_to_subagents: Can,
    /// A hook makes the agent go on where it wanted to stop.
    pub hold_back_stop: Can,
    /// A hook makes a task stay open that the agent wanted to complete.
    pub hold_back_task: Can,
    /// A hook learns that a person interrupted the agent.
    pub see_interrupt: Can,
    /// A hook learns that a tool failed.
    pub see_failure: Can,
    /// Hooks run for subagents too, and say that they do.
    pub see_subagents: Can,
    /// When the hook itself crashes or is too slow, the tool does not run.
    pub fails_closed: Can,
    /// Installed hooks run without a further yes from the person.
    pub runs_at_once: Can,
}

impl Can {
    /// One cell of the table.
    pub fn text(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Partly(limit) => limit,
            Self::Untried => "not tried",
        }
    }
}

impl Capabilities {
    /// Each line of the table: what it is about, and this CLI's cell.
    pub fn rows(&self) -> [(&'static str, Can); 14] {
        [
            ("Stops a tool", self.deny_tool),
            ("Answers a permission dialog", self.decide_permission),
            ("Stops a prompt", self.block_prompt),
            ("Context at session start", self.context_at_start),
            ("Context with a prompt", self.context_with_prompt),
            ("Context around tool calls", self.context_around_tools),
            ("Context to subagents", self.context_to_subagents),
            ("Holds back a stop", self.hold_back_stop),
            ("Holds back a finished task", self.hold_back_task),
            ("Sees an interrupt", self.see_interrupt),
            ("Sees a failed tool", self.see_failure),
            ("Sees subagents", self.see_subagents),
            ("Refuses when the hook itself fails", self.fails_closed),
            ("Runs without further trust", self.runs_at_once),
        ]
    }
}
