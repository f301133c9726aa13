//! One tool call of an agent, in the words every agent CLI's wire format is turned into.

/// What an agent is about to do. Made by a driver; judged by [`crate::judge`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The CLI's own name for the tool.
    pub tool: String,
    pub action: Action,
    /// The CLI's name for this very call, where it has one.
    pub id: Option<String>,
}

/// What kind of thing a tool does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A command line for a shell.
    Shell { command: String },
    /// Files made, changed, moved or deleted by a tool that says which. `text` is what is written, as far as the
    /// call shows it.
    Write { paths: Vec<String>, text: String },
    /// Files or folders looked at, by a tool that cannot change them.
    Read { paths: Vec<String> },
    /// Something fetched from the network, by a tool that cannot change files.
    Fetch { url: String },
    /// Another agent set to work. `unseen` where no hook tells what that one does.
    Delegate { prompt: String, unseen: bool },
    /// The CLI's own business: task lists, questions to the user, planning.
    Inward,
    /// A tool nobody here has heard of, with every text in its input that could be a path or a command.
    Unheard { paths: Vec<String>, commands: Vec<String> },
}
