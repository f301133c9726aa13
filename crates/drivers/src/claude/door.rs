//! The ways into a running Claude Code.

use crate::door::{Door, Waiter};
use crate::hook::Reply;

/// What the waiter is, after `sb`.
pub(crate) const WAIT: [&str; 4] = ["hook", "wait", "--cli", "claude"];

pub(crate) const DOORS: &[Door] = &[Door::Waiter(Waiter { arguments: &WAIT, wake }), Door::Keyboard];

/// Standard output is not read. Many lines and any letters pass through.
pub(crate) fn wake(text: &str) -> Reply {
    Reply { stderr: format!("{}\n", text.trim_end()), exit: 2, ..Reply::default() }
}
