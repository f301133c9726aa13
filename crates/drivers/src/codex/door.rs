//! The ways into a running Codex.

use crate::door::Door;
use crate::launch::words;

pub(crate) const DOORS: &[Door] = &[Door::Queue(queue), Door::Keyboard];

/// A running session takes it within seconds when it is idle, and after the turn when it is busy. With an equals sign:
/// a text may begin like an option.
fn queue(session: &str, text: &str) -> Vec<String> {
    words(&["queue", "--thread", session, &format!("--message={text}")])
}
