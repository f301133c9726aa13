//! What a CLI says of the tokens and the money it used.

/// Tokens and money.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// What was sent and not read from a cache.
    pub input_tokens: u64,
    /// What was sent and read from a cache.
    pub cached_tokens: u64,
    /// What the model said, its thoughts included.
    pub output_tokens: u64,
    /// Millionths of a dollar, where the CLI says.
    pub cost_micros: Option<u64>,
    pub model: Option<String>,
}

/// What a report counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    /// All since the session began. A later one replaces it.
    Total(Usage),
    /// One call of the model, or a part of the session that has a count of its own. A later one with the same id replaces it: some
    /// CLIs write a call down several times.
    Call { id: String, usage: Usage },
}

/// Where a CLI reports its usage.
pub struct Reports {
    /// The version they were seen on.
    pub seen_on: &'static str,
    /// What a line of its transcript says, or a row of its database.
    pub line: fn(&str) -> Option<Count>,
    /// Where the transcript of a session is, below the configuration folder. `None` where only its hooks say.
    pub transcript: Option<fn(session: &str) -> String>,
    pub database: Option<Database>,
    /// What the JSON says that is handed to its status line, where it has one.
    pub status_line: Option<fn(&str) -> Option<Count>>,
}

/// An SQLite database in which a CLI keeps its conversations.
pub struct Database {
    /// Below the folder for the data of programs: `$XDG_DATA_HOME`, or `.local/share` at home.
    pub path: &'static str,
    /// Selects a text a row that [`Reports::line`] reads, for the session `?1`.
    pub query: &'static str,
}

/// Dollars as millionths; `None` for what is no amount.
pub(crate) fn micros(dollars: f64) -> Option<u64> {
    let micros = (dollars * 1e6).round();
    (0.0..1e15).contains(&micros).then_some(micros as u64)
}
