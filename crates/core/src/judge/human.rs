//! Commands of `sb` that only a human may give. `sb` refuses them to agents itself; here they are told sooner.

use crate::charter::Charter;
use crate::glob::{Case, meet};
use crate::refusal::Refusal;
use crate::shell::{Effect, Nature};

use super::intent::Intent;

/// A command with the words after it that make it a human's; none means all of them.
pub const HUMAN_ONLY: &[(&str, &[&str])] = &[
    ("override", &[]),
    ("hold", &[]),
    ("unhold", &[]),
    ("close", &[]),
    ("reopen", &[]),
    ("assign", &[]),
    ("mode", &["implementation", "toggle"]),
    ("session", &["set", "end"]),
    ("hooks", &["install", "uninstall"]),
    ("mcp", &["install", "uninstall"]),
    ("config", &["set"]),
    ("doctor", &["--fix"]),
    ("agent", &["stop", "--role", "--ticket"]),
    ("esc", &["answer", "promote", "withdraw"]),
    ("shape", &["--from", "--yes", "-y", "--reshape"]),
    ("bootstrap", &["--write", "--tickets"]),
    ("trust", &["--yes", "-y", "--revoke"]),
    ("run", &["pause", "drain", "resume", "stop", "concurrency", "--once", "--until-idle"]),
    ("queue", &["adopt"]),
    ("workspace", &["clean", "restore"]),
    ("attach", &["-i", "--interactive", "--force"]),
    ("hook", &[]),
];

pub fn ask(_charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    // A link to it or a copy of it is made, so any name may be its name.
    let disguised = intent.effects.list.iter().any(|effect| match effect {
        Effect::Read(target) | Effect::Write(target, _) => is_sb(&target.text),
        Effect::Run { arguments, .. } => arguments.iter().any(is_sb),
        Effect::Opaque(opaque) => {
            opaque.text.split(|c: char| !(c.is_alphanumeric() || "/_-.".contains(c))).any(is_sb)
        }
        _ => false,
    });
    intent.effects.list.iter().find_map(|effect| match effect {
        Effect::Run { program, arguments, .. } if is_sb(program) => refuse(arguments),
        Effect::Run { arguments, nature: Nature::Unknown | Nature::Builds, .. } => {
            let words: Vec<String> = arguments
                .iter()
                .flat_map(|argument| argument.split_whitespace())
                .map(ToOwned::to_owned)
                .collect();
            let as_argument = words.iter().position(is_sb).and_then(|at| refuse(&words[at + 1..]));
            as_argument.or_else(|| refuse(arguments).filter(|_| disguised))
        }
        // Code that cannot be seen through, but says what it wants.
        Effect::Opaque(opaque) => {
            let words: Vec<String> = opaque
                .text
                .split(|c: char| !(c.is_alphanumeric() || "-_/.".contains(c)))
                .filter(|word| !word.is_empty())
                .map(ToOwned::to_owned)
                .collect();
            let named = words.iter().enumerate().filter(|(_, word)| is_sb(word));
            // Where the program itself is unknown, it may be `sb`.
            let unknown = || {
                let typed: Vec<String> = opaque.text.split_whitespace().map(ToOwned::to_owned).collect();
                refuse(after_program(&typed)?).filter(|_| opaque.unseen || words.len() < 8)
            };
            named.into_iter().find_map(|(at, _)| refuse(&words[at + 1..])).or_else(unknown)
        }
        _ => None,
    })
}

/// What stands behind the first word of a command, or behind the several words of the substitution it is:
/// `$(command -v x) close`.
fn after_program(words: &[String]) -> Option<&[String]> {
    let mut open = 0;
    let last = words.iter().position(|word| {
        open += word.matches('(').count();
        open -= word.matches(')').count().min(open);
        open == 0
    })?;
    Some(&words[last + 1..])
}

/// Whether a word is, or could be, the program: by any path, also by a pattern.
fn is_sb(word: impl AsRef<str>) -> bool {
    let name = word.as_ref().rsplit('/').next().unwrap_or_default();
    name == "sb" || (name.contains(['?', '[', '*']) && name.len() > 1 && meet("sb", name, Case::Exact))
}

/// Whether an argument is this option: with a value behind it, or among other letters.
fn is_option(argument: &str, option: &str) -> bool {
    let long = argument.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let cluster = argument.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    long || letter.zip(cluster).is_some_and(|(letter, letters)| letters.contains(letter))
}

fn refuse(arguments: &[String]) -> Option<Refusal> {
    let mut words = arguments.iter().filter(|word| !word.starts_with('-') && !word.contains('/'));
    let command = words.next()?;
    let (_, only) = HUMAN_ONLY.iter().find(|(name, _)| name == command)?;
    let second = words.next();
    let told = only.iter().find(|word| match word.starts_with('-') {
        true => arguments.iter().any(|argument| is_option(argument, word)),
        false => second.is_some_and(|second| second == **word),
    });
    let whole = match (only.is_empty(), told) {
        (true, _) => command.clone(),
        (false, Some(word)) => format!("{command} {word}"),
        (false, None) => return None,
    };
    let message = format!("`sb {whole}` is for people, and an agent may not run it");
    Some(Refusal::new("human.only", message).hint("Say in a note what you need and why: `sb note \"…\"`."))
}
