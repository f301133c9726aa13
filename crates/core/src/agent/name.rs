//! What an agent may be called.

use super::Candidate;
use crate::refusal::Refusal;
use crate::text;

/// The longest name, in characters.
const MOST: usize = 64;

/// Whether an agent that is about to start can be called so. A name is typed on command lines and means one agent that
/// lives.
pub fn check_name(name: &str, agents: &[Candidate]) -> Result<(), Refusal> {
    let is_usual = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    // It would be taken for an option.
    let begins = name.chars().next().is_some_and(|first| first != '-');
    if !begins || name.chars().count() > MOST || !name.chars().all(is_usual) {
        let shown: String = text::one_line(name).chars().take(MOST).collect();
        let message = format!("`{shown}` cannot be the name of an agent");
        return Err(Refusal::usage("agent.name", message).hint(format!(
            "A name has up to {MOST} letters, digits, `-`, `_` and `.`, and does not begin with `-`: `--name api-tests`."
        )));
    }
    let is = |other: &str| other.eq_ignore_ascii_case(name);
    let has_it = |agent: &&Candidate| is(agent.id.as_str()) || agent.name.as_deref().is_some_and(is);
    match agents.iter().filter(|agent| agent.lives).find(has_it) {
        None => Ok(()),
        Some(agent) => Err(Refusal::new(
            "agent.name-taken",
            format!("the agent {} is called `{name}` and still runs", agent.id),
        )
        .hint(format!("Choose another name, or end that agent with `sb agent stop {}`.", agent.id))),
    }
}
