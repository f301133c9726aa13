//! Which agent a typed word means: its id, its name, or the beginning of either.

use jiff::Timestamp;

use crate::id::AgentId;
use crate::refusal::Refusal;
use crate::suggest::nearest;
use crate::text;

/// An agent that a word could mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub id: AgentId,
    pub name: Option<String>,
    pub lives: bool,
    pub began: Timestamp,
}

/// The one agent that is meant. A whole id beats a whole name, and that beats a beginning; of several that fit
/// equally well the only living one is meant. Of those that had one name and are all over, the last is.
pub fn find<'a>(typed: &str, agents: &'a [Candidate]) -> Result<&'a Candidate, Refusal> {
    let word = typed.trim();
    // An empty text is the beginning of every id, and most likely a variable that was not set.
    if word.is_empty() {
        return Err(Refusal::usage("agent.empty", "the agent's id is empty")
            .hint("Type at least its first letter; `sb agents` lists them."));
    }
    let is = |name: &str| name.eq_ignore_ascii_case(word);
    let begins = |name: &str| name.get(..word.len()).is_some_and(is);
    let fits: [&dyn Fn(&Candidate) -> bool; 4] = [
        &|agent| is(agent.id.as_str()),
        &|agent| agent.name.as_deref().is_some_and(is),
        &|agent| begins(agent.id.as_str()),
        &|agent| agent.name.as_deref().is_some_and(begins),
    ];
    for fits in fits {
        let found: Vec<&Candidate> = agents.iter().filter(|agent| fits(agent)).collect();
        let living: Vec<&Candidate> = found.iter().copied().filter(|agent| agent.lives).collect();
        match (found.as_slice(), living.as_slice()) {
            ([], _) => {}
            ([only], _) | (_, [only]) => return Ok(only),
            ([first, rest @ ..], []) if found.iter().all(|agent| agent.name.as_deref().is_some_and(is)) => {
                return Ok(rest
                    .iter()
                    .fold(first, |last, agent| if agent.began > last.began { agent } else { last }));
            }
            (several, []) | (_, several) => return Err(ambiguous(typed, several)),
        }
    }
    let names =
        agents.iter().flat_map(|agent| std::iter::once(agent.id.as_str()).chain(agent.name.as_deref()));
    let refusal =
        Refusal::not_found("agent.unknown", format!("there is no agent `{}`", text::one_line(typed)));
    Err(match nearest(word, names) {
        Some(near) => refusal.hint(format!("Did you mean `{}`?", text::one_line(near))),
        None if agents.is_empty() => refusal.hint("There are none yet; `sb agent claude` starts one."),
        None => refusal.hint("`sb agents` lists them."),
    })
}

fn ambiguous(typed: &str, found: &[&Candidate]) -> Refusal {
    let lines: String = found
        .iter()
        .map(|agent| {
            let name = agent.name.as_deref().map(|name| format!("  {}", text::one_line(name)));
            format!("\n  {}{}", agent.id, name.unwrap_or_default())
        })
        .collect();
    let message = format!("`{}` could be any of these:{lines}", text::one_line(typed));
    Refusal::usage("agent.ambiguous", message).hint("Type more of the id.")
}
