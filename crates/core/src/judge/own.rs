//! The person's own rules, with examples that say what they are about.

use crate::call::{Action, ToolCall};
use crate::charter::{Charter, Decision, OwnRule};
use crate::glob::{Case, text_fits};
use crate::refusal::Refusal;
use crate::shell::Effect;

use super::intent::Intent;
use super::places::{NoLinks, Scene, below_root};

pub fn denied(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    let rule = charter
        .rules
        .iter()
        .find(|rule| rule.decision == Decision::Deny && concerns(charter, rule, intent))?;
    let message = match &rule.reason {
        Some(reason) => format!("the rule `{}` denies it: {reason}", rule.name),
        None => format!("the rule `{}` denies it", rule.name),
    };
    Some(Refusal::new("rule.own", message).hint("`sb rules list` shows the rules and where they stand."))
}

/// Whether an allow rule covers the call: all of it, not just one part.
pub fn allowed(charter: &Charter, intent: &Intent<'_>) -> bool {
    charter.rules.iter().any(|rule| rule.decision == Decision::Allow && covers(charter, rule, intent))
}

/// Whether any part of the call is what the rule is about.
fn concerns(charter: &Charter, rule: &OwnRule, intent: &Intent<'_>) -> bool {
    tool_fits(rule, intent)
        && rule.command.as_ref().is_none_or(|pattern| runs(intent).any(|words| text_fits(&words, pattern)))
        && rule.path.as_ref().is_none_or(|pattern| {
            let pattern = below_root(charter, pattern);
            intent.changes.iter().any(|touch| touch.names.fit(&pattern, Case::Exact))
        })
        && (rule.tool.is_some() || rule.command.is_some() || rule.path.is_some())
}

fn covers(charter: &Charter, rule: &OwnRule, intent: &Intent<'_>) -> bool {
    concerns(charter, rule, intent)
        && rule.command.as_ref().is_none_or(|pattern| runs(intent).all(|words| text_fits(&words, pattern)))
        && rule.path.as_ref().is_none_or(|pattern| {
            let pattern = below_root(charter, pattern);
            intent.changes.iter().all(|touch| {
                !touch.names.unknown
                    && touch.names.all.iter().all(|name| crate::glob::meet(&pattern, name, Case::Exact))
            })
        })
}

fn tool_fits(rule: &OwnRule, intent: &Intent<'_>) -> bool {
    rule.tool.as_ref().is_none_or(|pattern| text_fits(&intent.call.tool, pattern))
}

/// Every program that would run, with its arguments.
fn runs<'a>(intent: &'a Intent<'_>) -> impl Iterator<Item = String> + 'a {
    intent.effects.list.iter().filter_map(|effect| match effect {
        Effect::Run { program, arguments, .. } if arguments.is_empty() => Some(program.clone()),
        Effect::Run { program, arguments, .. } => Some(format!("{program} {}", arguments.join(" "))),
        _ => None,
    })
}

/// Whether a rule is about what its examples say it is about. An example is a command line, or a path where the
/// rule is about paths.
pub fn check_examples(rule: &OwnRule, root: &str) -> Result<(), String> {
    if rule.tool.is_none() && rule.command.is_none() && rule.path.is_none() {
        return Err(format!("the rule `{}` says neither `tool` nor `command` nor `path`", rule.name));
    }
    let charter = Charter { root: Some(root.to_owned()), ..Charter::default() };
    let scene = Scene { cwd: root, home: None, variable: &|_| None, links: &NoLinks };
    let about = |example: &str| {
        let text = example.to_owned();
        let (tool, action) = match (&rule.tool, &rule.command, &rule.path) {
            (Some(_), None, None) => (text, Action::Inward),
            (tool, None, Some(_)) => {
                (tool.clone().unwrap_or_default(), Action::Write { paths: vec![text], text: String::new() })
            }
            (tool, ..) => (tool.clone().unwrap_or_default(), Action::Shell { command: text }),
        };
        let call = ToolCall { tool, action, id: None };
        concerns(&charter, rule, &Intent::of(&charter, &call, &scene))
    };
    if let Some(missed) = rule.matches.iter().find(|example| !about(example)) {
        return Err(format!("the rule `{}` should be about `{missed}`, and is not", rule.name));
    }
    if let Some(caught) = rule.not_match.iter().find(|example| about(example)) {
        return Err(format!("the rule `{}` should not be about `{caught}`, and is", rule.name));
    }
    Ok(())
}
