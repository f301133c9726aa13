//! Files that run code behind a person's back, or hold the rules themselves. Protected also where they do not exist
//! yet, in whatever case they are written, and through links.

use crate::charter::Charter;
use crate::glob::{Case, meet};
use crate::refusal::Refusal;
use crate::shell::{Effect, GitAct};

use super::intent::Intent;
use super::places::{Names, below_root};

/// For every agent, in any folder.
pub const ALWAYS: &[&str] = &[
    "**/.git",
    "**/.git/**",
    // By their own names too, for paths of which only the end is known.
    "**/.git/hooks/applypatch-msg",
    "**/.git/hooks/commit-msg",
    "**/.git/hooks/post-checkout",
    "**/.git/hooks/post-commit",
    "**/.git/hooks/post-merge",
    "**/.git/hooks/post-rewrite",
    "**/.git/hooks/pre-commit",
    "**/.git/hooks/pre-merge-commit",
    "**/.git/hooks/pre-push",
    "**/.git/hooks/pre-rebase",
    "**/.git/hooks/prepare-commit-msg",
    "**/.git/hooks/reference-transaction",
    "**/.claude/settings.json",
    "**/.claude/settings.local.json",
    "**/.claude/hooks/**",
    "**/.claude/agents/**",
    "**/.claude/commands/**",
    "**/.claude/skills/**",
    "**/.claude/plugins/**",
    "**/.mcp.json",
    "**/.codex/**",
    "**/.agents/**",
    "**/.cursor/**",
    "**/.gemini/**",
    "**/.copilot/**",
    "**/.github/hooks/**",
    "**/.signalbox/**",
    "**/.vscode/settings.json",
    "**/.vscode/tasks.json",
    "**/.vscode/launch.json",
    "**/.idea/**",
    "**/.husky/**",
    "**/.pre-commit-config.yaml",
    "**/.envrc",
];

/// Parts of `.git` that people and tools delete or write by hand every day, and that run nothing.
const HARMLESS_IN_GIT: &[&str] = &["**/.git/*.lock", "**/.git/COMMIT_EDITMSG", "**/.git/MERGE_MSG"];

/// For every agent, below the user's home.
pub const BELOW_HOME: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".profile",
    ".inputrc",
    ".gitconfig",
    ".claude.json",
    ".netrc",
    ".ssh/**",
    ".gnupg/**",
    ".config/git/**",
    ".config/fish/**",
    ".config/goose/**",
    ".config/systemd/**",
    ".config/autostart/**",
    ".local/share/systemd/**",
    ".cargo/config.toml",
    ".cargo/config",
    ".npmrc",
    "Library/LaunchAgents/**",
    "bin/**",
    ".local/bin/**",
];

/// For every agent, anywhere on the system.
pub const SYSTEM: &[&str] = &[
    "/var/spool/cron/**",
    "/etc/cron*/**",
    "/etc/crontab",
    "/etc/profile",
    "/etc/profile.d/**",
    "/etc/bash.bashrc",
    "/etc/zsh/**",
    "/etc/systemd/**",
    "/etc/gitconfig",
    "/etc/sudoers",
    "/etc/sudoers.d/**",
    "/etc/ld.so.preload",
    "/Library/LaunchAgents/**",
    "/Library/LaunchDaemons/**",
];

/// The folders that those are in.
const SYSTEM_FOLDERS: &[&str] = &["etc", "var", "library"];

/// For agents nobody watches: what runs code when the project is built, tested or opened.
pub const UNWATCHED: &[&str] = &[
    "**/Makefile",
    "**/GNUmakefile",
    "**/build.rs",
    "**/.cargo/config.toml",
    "**/.cargo/config",
    "**/rust-toolchain",
    "**/rust-toolchain.toml",
    "**/conftest.py",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/.npmrc",
    "**/.yarnrc*",
    "**/.pnpmfile.cjs",
    "**/.env",
    "**/.env.local",
    "**/.gitattributes",
    "**/.gitmodules",
    "**/CLAUDE.md",
    "**/CLAUDE.local.md",
    "**/AGENTS.md",
    "**/GEMINI.md",
    "**/venv/bin/**",
    "**/.venv/bin/**",
    "**/.github/workflows/**",
    "**/.github/actions/**",
    "**/.gitlab-ci.yml",
    "**/.circleci/**",
];

/// What in git's configuration runs a program or redirects where things come from.
const RUNS_CODE: &[&str] = &[
    "core.hookspath",
    "core.fsmonitor",
    "core.sshcommand",
    "core.gitproxy",
    "core.editor",
    "core.pager",
    "core.attributesfile",
    "core.askpass",
    "core.worktree",
    "core.bare",
    "sequence.editor",
    "credential.",
    "diff.external",
    "diff.",
    "merge.",
    "filter.",
    "alias.",
    "include.",
    "includeif.",
    "gpg.",
    "url.",
    "init.templatedir",
    "uploadpack.",
    "protocol.",
    "pager.",
    "interactive.",
    "sendemail.",
    "trailer.",
    "difftool.",
    "mergetool.",
    "man.",
    "browser.",
    "web.",
    "instaweb.",
    "guitool.",
    "extensions.",
    "safe.",
    "http.proxy",
    "http.sslverify",
];

/// Keys of those sections that only choose among git's own ways.
const RUNS_NOTHING: &[&str] = &[
    "diff.algorithm",
    "diff.renames",
    "diff.renamelimit",
    "diff.colormoved",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.context",
    "merge.conflictstyle",
    "merge.ff",
    "merge.renames",
    "merge.renamelimit",
    "merge.autostash",
];

const HINT: &str =
    "Ask the person to change it, or to take it out of protection: `sb config set protect.except \"…\"`.";

pub fn always(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    let home = intent.scene.home;
    let is_protected = |names: &Names| {
        let own = || charter.protect.iter().any(|p| is_or_holds(names, &below_root(charter, p), None));
        let hidden = || {
            !names.lacks_hidden()
                && ALWAYS.iter().any(|pattern| is_or_holds(names, pattern, first_name(pattern)))
        };
        let system = || {
            SYSTEM_FOLDERS.iter().any(|folder| !names.lacks(folder))
                && SYSTEM.iter().any(|pattern| is_or_holds(names, pattern, first_name(pattern)))
        };
        let at_home = |home: &str| {
            BELOW_HOME.iter().any(|pattern| {
                first_name(pattern).is_none_or(|first| !names.lacks(&first.to_lowercase()))
                    && is_or_holds(names, &format!("{home}/{pattern}"), None)
            })
        };
        let signalbox = || {
            !charter.signalbox.is_empty()
                && names.fit_by_name(&format!("{}/**", charter.signalbox), Case::Exact)
        };
        let harmless = || HARMLESS_IN_GIT.iter().any(|pattern| fits_surely(names, pattern));
        (hidden() || system() || home.is_some_and(at_home) || signalbox() || own()) && !harmless()
    };
    find(charter, intent, &is_protected, true).or_else(|| git_configuration(intent))
}

pub fn unwatched(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    if charter.role.is_watched() {
        return None;
    }
    let may_be_a_test = charter.role == crate::role::Role::TestWriter;
    let is_protected = |names: &Names| {
        UNWATCHED.iter().any(|pattern| is_or_holds(names, pattern, first_name(pattern)))
            && !(may_be_a_test && super::tests::is_test(charter, names))
    };
    find(charter, intent, &is_protected, false).or_else(|| package_scripts(intent))
}

/// The first name that a pattern asks for.
fn first_name(pattern: &str) -> Option<&str> {
    let first = pattern.trim_start_matches("**/").trim_start_matches('/').split('/').next();
    first.filter(|name| !name.contains('*'))
}

/// Whether it is such a file, or the folder that such a file is in. Nearly every path lacks the name that the pattern
/// asks for, and is done with at once.
fn is_or_holds(names: &Names, pattern: &str, asks_for: Option<&str>) -> bool {
    if asks_for.is_some_and(|name| names.lacks(&name.to_lowercase())) {
        return false;
    }
    names.fit_by_name(pattern, Case::Folded) || names.is_folder_of(pattern, Case::Folded)
}

fn find(
    charter: &Charter,
    intent: &Intent<'_>,
    is_protected: &dyn Fn(&Names) -> bool,
    builders_too: bool,
) -> Option<Refusal> {
    let excepted = |names: &Names| {
        charter.unprotect.iter().any(|pattern| fits_surely(names, &below_root(charter, pattern)))
    };
    let counts = |names: &Names| is_protected(names) && !excepted(names);
    let changed = intent.changes.iter().map(|touch| &touch.names).find(|names| counts(names));
    if let Some(names) = changed {
        return Some(refusal(format!("`{}` is protected: agents do not change it", names.text)));
    }
    let mentions = intent.mentions.iter().filter(|mention| builders_too || !mention.by_builder);
    let mention = mentions.into_iter().find(|mention| counts(&mention.names))?;
    Some(refusal(format!(
        "{} names `{}`, which is protected, and it cannot be told whether it would change it",
        mention.by, mention.names.text
    )))
}

/// Whether every name it has fits.
fn fits_surely(names: &Names, pattern: &str) -> bool {
    !names.unknown
        && names.all.iter().all(|name| !name.contains(['*', '?', '[']) && meet(pattern, name, Case::Exact))
}

fn git_configuration(intent: &Intent<'_>) -> Option<Refusal> {
    let runs = |key: &str| {
        let key = key.to_lowercase();
        RUNS_CODE.iter().any(|known| key.starts_with(known) || key == known.trim_end_matches('.'))
            && !RUNS_NOTHING.contains(&key.as_str())
            || key.starts_with("remote.") && (key.ends_with("pack") || key.ends_with(".vcs"))
    };
    intent.effects.list.iter().find_map(|effect| match effect {
        Effect::Git(GitAct::Configure { key: None }) => Some(refusal(
            "this changes git's configuration in a way that cannot be seen beforehand".to_owned(),
        )),
        Effect::Git(GitAct::Configure { key: Some(key) }) if runs(key) => {
            Some(refusal(format!("git's setting `{key}` runs programs or changes what git trusts")))
        }
        Effect::Git(GitAct::Other { words }) if words.contains("lfs install") => {
            Some(refusal("this installs git hooks".to_owned()))
        }
        Effect::Git(GitAct::Other { words }) => {
            let keys = words.split(|c: char| c.is_whitespace() || c == '=');
            let risky =
                keys.filter(|word| word.contains('.')).find(|word| runs(word) && !is_pager(word, words))?;
            Some(refusal(format!("git's setting `{risky}` runs programs or changes what git trusts")))
        }
        _ => None,
    })
}

/// `-c core.pager=cat` only keeps git from paging.
fn is_pager(key: &str, words: &str) -> bool {
    ["cat", "less", "\"\"", "''", "", "true"].iter().any(|value| {
        words.split_whitespace().any(|word| word == format!("{key}={value}") && key.ends_with("pager"))
    })
}

/// Scripts in `package.json` run on installation and by name.
fn package_scripts(intent: &Intent<'_>) -> Option<Refusal> {
    use crate::call::Action;
    let written = intent.changes.iter().find(|touch| touch.names.fit("**/package.json", Case::Folded))?;
    let visible = match &intent.call.action {
        Action::Write { text, .. } => text.as_str(),
        _ => "\"scripts\"",
    };
    let keys = ["\"scripts\"", "install\"", "\"prepare\"", "\"prepublish", "\"pretest\"", "\"posttest\""];
    keys.iter().any(|key| visible.contains(key)).then(|| {
        refusal(format!("the scripts in `{}` are protected: agents do not change them", written.names.text))
    })
}

fn refusal(message: String) -> Refusal {
    Refusal::new("path.protected", message).hint(HINT)
}
