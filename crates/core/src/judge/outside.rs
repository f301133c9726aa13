//! The worktree: a session that was given one writes there and in the folder for temporary files.

use crate::charter::Charter;
use crate::refusal::Refusal;
use crate::shell::{Change, Effect, GitAct};

use super::intent::Intent;
use super::places::Names;

pub fn ask(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    if !charter.confined {
        return None;
    }
    let root = charter.root.as_deref()?;
    let free =
        |names: &Names| names.is_below(root) || charter.scratch.iter().any(|free| names.is_below(free));
    let refusal = |message: String| {
        let hint = "Write inside the worktree, and name files by paths that can be read off the command.";
        Refusal::new("worktree.outside", message).hint(hint)
    };
    let changed = intent.changes.iter().find_map(|touch| {
        let message = if touch.change == Change::Link {
            format!("links are not made in a worktree that is not to be left (`{}`)", touch.names.text)
        } else if free(&touch.names) {
            return None;
        } else if touch.names.unknown {
            format!("it cannot be told {}, and this session may write only in {root}", touch.names.in_doubt())
        } else {
            format!("`{}` is outside {root}, where alone this session may write", touch.names.shown())
        };
        Some(refusal(message))
    });
    let named = || {
        let mention = intent.mentions.iter().find(|mention| {
            let text = &mention.names.text;
            let elsewhere =
                text.starts_with(['/', '~']) || text.contains("..") || mention.names.lead_elsewhere();
            // Code reads from the system's own folders all the time.
            let system = || SYSTEM.iter().any(|folder| mention.names.is_below(folder));
            let suspect = if mention.by_builder { mention.as_output } else { !system() };
            elsewhere && text.len() > 2 && suspect && !free(&mention.names)
        })?;
        let (by, text) = (&mention.by, &mention.names.text);
        Some(refusal(format!(
            "{by} names `{text}`, which is outside {root}, where alone this session may write"
        )))
    };
    let away = || {
        let entered = intent.effects.list.iter().find_map(|effect| match effect {
            Effect::Enter(target) => Some(Names::of(target, intent.scene)).filter(|names| !free(names)),
            _ => None,
        })?;
        let acts =
            intent.effects.list.iter().any(
                |effect| matches!(effect, Effect::Git(act) if !matches!(act, GitAct::Read | GitAct::Fetch)),
            );
        acts.then(|| refusal(format!("git would work in `{}`, outside {root}", entered.text)))
    };
    changed.or_else(named).or_else(away)
}

/// Where programs read from without anybody minding.
const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", "/opt", "/nix"];
