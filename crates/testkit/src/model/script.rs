//! What the scripted model says, turn by turn.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Part, lock};

/// How long a gate stays shut at most: a test that forgot to open it must still end.
const LONGEST: Duration = Duration::from_secs(120);

/// One step of a script.
#[derive(Debug, Clone)]
pub enum Turn {
    /// Say something, which ends the turn of the agent.
    Say(String),
    /// Call tools, several of them at once.
    Call(Vec<(String, Value)>),
    /// Wait before the turn that follows is given.
    Wait(Pause),
    /// Open a gate, and go on with the turn that follows.
    Open(Gate),
    /// Fail with this HTTP status and these words.
    Fail(u16, String),
}

/// How long to wait.
#[derive(Debug, Clone)]
pub enum Pause {
    For(Duration),
    Until(Gate),
}

impl Turn {
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into())
    }

    /// Call one tool. A text as the input calls a tool of Codex that takes free text, as `apply_patch` does.
    pub fn call(tool: &str, input: Value) -> Self {
        Self::calls([(tool, input)])
    }

    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::Call(calls.into_iter().map(|(tool, input)| (tool.to_owned(), input)).collect())
    }

    pub fn wait(time: Duration) -> Self {
        Self::Wait(Pause::For(time))
    }

    pub fn until(gate: &Gate) -> Self {
        Self::Wait(Pause::Until(gate.clone()))
    }

    /// Let another conversation go on that waits before this gate.
    pub fn open(gate: &Gate) -> Self {
        Self::Open(gate.clone())
    }

    pub fn fail(status: u16) -> Self {
        Self::fail_saying(status, format!("the script says {status}"))
    }

    pub fn fail_saying(status: u16, words: impl Into<String>) -> Self {
        Self::Fail(status, words.into())
    }
}

/// Holds the model back until the test lets it go on.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    state: Arc<(Mutex<GateState>, Condvar)>,
}

#[derive(Debug, Default)]
struct GateState {
    is_reached: bool,
    is_open: bool,
}

impl Gate {
    pub fn open(&self) {
        lock(&self.state.0).is_open = true;
        self.state.1.notify_all();
    }

    /// Wait until the model stands before the gate: the agent is busy from then on. `false` where it does not
    /// come in time.
    #[must_use = "say whether it must be reached"]
    pub fn is_reached(&self, patience: Duration) -> bool {
        self.wait(patience, |state| state.is_reached)
    }

    fn wait(&self, patience: Duration, is_done: impl Fn(&GateState) -> bool) -> bool {
        let state = lock(&self.state.0);
        let waited = self.state.1.wait_timeout_while(state, patience, |state| !is_done(state));
        is_done(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

impl Pause {
    /// Wait in short steps, so that a model that is being dropped need not wait for its script.
    fn wait(&self, stopping: &AtomicBool) {
        const STEP: Duration = Duration::from_millis(20);
        let begun = Instant::now();
        match self {
            Self::For(time) => {
                while begun.elapsed() < *time && !stopping.load(Ordering::SeqCst) {
                    std::thread::sleep(STEP.min(*time));
                }
            }
            Self::Until(gate) => {
                lock(&gate.state.0).is_reached = true;
                gate.state.1.notify_all();
                while begun.elapsed() < LONGEST && !stopping.load(Ordering::SeqCst) {
                    if gate.wait(STEP, |state| state.is_open) {
                        return;
                    }
                }
            }
        }
    }
}

/// The turns of a conversation, and of others beside it. Who asks on after the last turn hears "done".
#[derive(Debug, Default)]
pub struct Script {
    main: VecDeque<Turn>,
    beside: Vec<(String, VecDeque<Turn>)>,
}

impl Script {
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { main: turns.into_iter().collect(), ..Self::default() }
    }

    /// A script of its own for conversations whose opening contains these words: those of subagents, or of
    /// another prompt. The first one that fits is taken.
    #[must_use]
    pub fn beside(mut self, words: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.beside.push((words.to_owned(), turns.into_iter().collect()));
        self
    }

    /// What comes next in the conversation that began like this.
    pub(super) fn next(&mut self, opening: &str) -> Stage {
        let beside = self.beside.iter_mut().find(|(words, _)| opening.contains(words.as_str()));
        let (part, turns) = match beside {
            Some((words, turns)) => (Part::Beside(words.clone()), turns),
            None => (Part::Main, &mut self.main),
        };
        let mut steps = Vec::new();
        loop {
            let reply = match turns.pop_front() {
                Some(Turn::Wait(pause)) => {
                    steps.push(Step::Wait(pause));
                    continue;
                }
                Some(Turn::Open(gate)) => {
                    steps.push(Step::Open(gate));
                    continue;
                }
                Some(Turn::Say(text)) => Reply::Say(text),
                Some(Turn::Fail(status, words)) => Reply::Fail(status, words),
                Some(Turn::Call(calls)) => {
                    let calls = calls.into_iter().map(|(tool, input)| Call { id: next_id(), tool, input });
                    Reply::Call(calls.collect())
                }
                None => Reply::Say("done".to_owned()),
            };
            return Stage { part, steps, reply };
        }
    }
}

impl<const N: usize> From<[Turn; N]> for Script {
    fn from(turns: [Turn; N]) -> Self {
        Self::new(turns)
    }
}

impl From<Vec<Turn>> for Script {
    fn from(turns: Vec<Turn>) -> Self {
        Self::new(turns)
    }
}

/// An id that no call or message of this process had before: a conversation can be resumed with another model.
pub(super) fn next_id() -> String {
    static CALLS: AtomicUsize = AtomicUsize::new(1);
    format!("call_{}", CALLS.fetch_add(1, Ordering::Relaxed))
}

/// What one request comes to.
#[derive(Debug)]
pub(super) struct Stage {
    pub part: Part,
    /// What to do before the answer is given.
    pub steps: Vec<Step>,
    pub reply: Reply,
}

#[derive(Debug)]
pub(super) enum Step {
    Wait(Pause),
    Open(Gate),
}

impl Step {
    pub fn take(&self, stopping: &AtomicBool) {
        match self {
            Self::Wait(pause) => pause.wait(stopping),
            Self::Open(gate) => gate.open(),
        }
    }
}

/// What the model answers.
#[derive(Debug)]
pub(super) enum Reply {
    Say(String),
    Call(Vec<Call>),
    Fail(u16, String),
}

#[derive(Debug)]
pub(super) struct Call {
    pub id: String,
    pub tool: String,
    pub input: Value,
}
