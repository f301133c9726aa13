//! The branch sandbox: a session that was given a branch stays on it and leaves history and configuration alone.
//! What git would do cannot always be told from its words; a session with a branch is then refused.

use crate::charter::Charter;
use crate::refusal::Refusal;
use crate::shell::{Effect, GitAct, Nature};

use super::intent::Intent;

pub fn ask(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    let branch = charter.branch.as_deref()?;
    let what = intent.effects.list.iter().find_map(|effect| match effect {
        Effect::Git(act) => breaks(branch, act),
        Effect::Run { program, arguments, nature } if program == "gh" && *nature != Nature::Reads => {
            forge(arguments)
        }
        Effect::Run { program, arguments, nature: Nature::Unknown } => {
            named_git(&format!("{program} {}", arguments.join(" ")))
        }
        Effect::Opaque(opaque) => named_git(&opaque.text),
        _ => None,
    })?;
    let message = format!("this session works on the branch `{branch}` alone, and {what}");
    let hint = "Commit on your own branch and submit: `sb submit`. What must happen on another branch belongs in a note.";
    Some(Refusal::new("branch.sandbox", message).hint(hint))
}

/// What GitHub's own program does to branches and to what git trusts.
fn forge(arguments: &[String]) -> Option<String> {
    let words: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let changes = matches!(
        words.as_slice(),
        ["pr", "merge" | "checkout" | "update-branch", ..] | ["auth" | "api", ..] | ["repo", _, ..]
    );
    changes.then(|| {
        format!("`gh {}` reaches beyond it", words.iter().take(2).copied().collect::<Vec<_>>().join(" "))
    })
}

/// Commands of git that reach beyond a branch, or rewrite it.
const REACHING: &[&str] = &[
    "checkout",
    "switch",
    "branch",
    "merge",
    "rebase",
    "reset",
    "pull",
    "push",
    "tag",
    "config",
    "worktree",
    "update-ref",
    "symbolic-ref",
    "cherry-pick",
    "am",
    "remote",
    "submodule",
    "filter-branch",
    "replace",
];

/// A git command named in something that cannot be seen through.
fn named_git(text: &str) -> Option<String> {
    let mut words =
        text.split(|c: char| !(c.is_alphanumeric() || "-_".contains(c))).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let command = match word {
            // Options with a folder may stand before it.
            "git" => words.clone().take(8).find(|word| REACHING.contains(word)),
            other => other.strip_prefix("git-"),
        };
        if let Some(command) = command.filter(|command| REACHING.contains(command)) {
            return Some(format!("this code would run `git {command}`"));
        }
    }
    None
}

/// What an act does that the session may not, as the end of a sentence.
fn breaks(branch: &str, act: &GitAct) -> Option<String> {
    let own = |name: &str| {
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        name == branch || name == "HEAD" || name == "@"
    };
    Some(match act {
        GitAct::Read | GitAct::Stage | GitAct::Commit | GitAct::Fetch | GitAct::Discard | GitAct::Create => {
            return None;
        }
        GitAct::Switch { to: Some(to), creates: false } if own(to) => return None,
        GitAct::Switch { creates: true, .. } | GitAct::CreateBranch { .. } => {
            "this makes another branch".to_owned()
        }
        GitAct::Switch { to, .. } => format!("this goes to {}", to.as_deref().unwrap_or("another one")),
        GitAct::DeleteBranch { .. } => "this deletes a branch".to_owned(),
        GitAct::RenameBranch => "this renames a branch".to_owned(),
        GitAct::Merge => "this merges".to_owned(),
        GitAct::Rebase => "this rewrites history".to_owned(),
        GitAct::Reset { .. } => "this moves the branch to another commit".to_owned(),
        GitAct::Pull => "pulling merges or rebases (`git fetch` only looks)".to_owned(),
        GitAct::Push { force: true, .. } => "this pushes by force".to_owned(),
        GitAct::Push { deletes: true, .. } => "this deletes a branch on the server".to_owned(),
        GitAct::Push { everything: true, .. } => "this pushes more than that branch".to_owned(),
        GitAct::Push { remote: Some(remote), .. } if remote.contains(['/', ':', '$', '`']) => {
            format!("this pushes to `{remote}`, which is no known remote of the repository")
        }
        GitAct::Push { to, .. } => {
            let other = to.iter().find(|refspec| {
                // `HEAD:api/limit` goes to what stands behind the colon.
                !own(refspec.rsplit(':').next().unwrap_or(refspec))
            })?;
            format!("this pushes to `{other}`")
        }
        GitAct::Tag => "this makes or deletes a tag".to_owned(),
        GitAct::Configure { .. } => "this changes git's configuration".to_owned(),
        GitAct::Worktree => "this changes the repository's worktrees".to_owned(),
        GitAct::Submodule => "this changes submodules".to_owned(),
        GitAct::Other { words } => format!("what `git {words}` does to it is not known"),
    })
}
