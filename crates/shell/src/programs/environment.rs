//! Variables that make programs run something or look elsewhere.

use super::super::effect::{Change, Effect, GitAct};
use super::super::state::{State, States};
use super::super::text::Field;
use super::super::walk::Walker;

/// Variables whose value is a command that some program starts.
const COMMANDS: [&str; 22] = [
    "BROWSER",
    "EDITOR",
    "FCEDIT",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "VISUAL",
];

/// Variables that name code which is loaded into every program or shell.
const LOADERS: [&str; 21] = [
    "ACKRC",
    "BASH_ENV",
    "BAT_CONFIG_PATH",
    "CURL_HOME",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "ENV",
    "GCONV_PATH",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "JAVA_TOOL_OPTIONS",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PERL5OPT",
    "PYTHONSTARTUP",
    "RIPGREP_CONFIG_PATH",
    "RUBYOPT",
    "SHELLOPTS",
    "WGETRC",
    "ZDOTDIR",
];

/// Variables that lead git to another repository, index or configuration.
const GIT_PLACES: [&str; 13] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_WORK_TREE",
    "GIT_SHALLOW_FILE",
];

/// Follows what setting a variable leads to.
pub(in super::super) fn watch(walker: &mut Walker<'_>, name: &str, value: &Field, state: &State) {
    let shown = value.shown();
    let git_runs_it = name.starts_with("GIT_") && (COMMANDS.contains(&name) || LOADERS.contains(&name));
    if git_runs_it && !is_harmless(&shown) {
        walker.effects.push(Effect::Git(GitAct::Other { words: format!("{name}={shown}") }));
    }
    if COMMANDS.contains(&name) {
        match value.text() {
            Some(code) => {
                let code = code.trim_start_matches('|');
                walker.code(code, States::one(state.clone()));
            }
            None => {
                let why = format!("{name} names a program that is not known");
                walker.hidden(&why, &shown, value.is_foreign());
            }
        }
    } else if name == "PS4" || name == "PS1" {
        if shown.contains(['$', '`']) {
            walker.opaque(&format!("{name} is expanded each time it is shown"), &shown);
        }
    } else if LOADERS.contains(&name) && !shown.is_empty() {
        walker.opaque(&format!("{name} loads code into programs"), &shown);
    } else if name == "NODE_OPTIONS"
        && ["-r", "--require", "--import", "--loader"].iter().any(|word| shown.contains(word))
    {
        walker.opaque("NODE_OPTIONS loads code into programs", &shown);
    } else if name == "PATH" || name == "path" {
        if shown.split(':').any(|folder| !is_usual(folder, walker.at.home)) {
            walker.opaque("PATH decides which programs run", &shown);
        }
    } else if GIT_PLACES.contains(&name)
        || name.starts_with("GIT_CONFIG_KEY")
        || name.starts_with("GIT_CONFIG_VALUE")
    {
        walker.effects.push(Effect::Git(GitAct::Other { words: format!("{name}={shown}") }));
    } else if name.starts_with("GIT_TRACE") && shown.starts_with('/') {
        walker.write_to(value, state, Change::Content);
    } else if name == "BASH_FUNC" || name.starts_with("BASH_FUNC_") {
        walker.opaque("a function comes from the environment", &shown);
    } else if name == "HISTFILE" && !shown.is_empty() {
        walker.write_to(value, state, Change::Content);
    }
}

/// Programs that git may start without anybody minding: they show text, or do nothing.
pub(super) fn is_harmless(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let shows =
        matches!(words.next(), None | Some("cat" | "less" | "true" | ":" | "false" | "more" | "head"));
    // `less -o file` writes what it shows.
    shows
        && words.all(|word| {
            word.starts_with('-') && word.bytes().skip(1).all(|byte| b"FRXSKMni0123456789".contains(&byte))
        })
}

/// Folders that are on most people's PATH anyway.
fn is_usual(folder: &str, home: Option<&str>) -> bool {
    let folder = folder.trim_end_matches('/');
    if matches!(folder, "$PATH" | "${PATH}")
        || super::SYSTEM.iter().any(|known| known.trim_end_matches('/') == folder)
    {
        return true;
    }
    let below_home = home.and_then(|home| folder.strip_prefix(home)).or_else(|| folder.strip_prefix("$HOME"));
    let known = [
        "/.cargo/bin",
        "/.local/bin",
        "/go/bin",
        "/.bun/bin",
        "/.deno/bin",
        "/.npm-global/bin",
        "/.pyenv/bin",
        "/.pyenv/shims",
        "/.rbenv/shims",
        "/.asdf/shims",
        "/.volta/bin",
        "/.yarn/bin",
        "/.dotnet/tools",
        "/.local/share/pnpm",
        "/.local/share/mise/shims",
    ];
    below_home.is_some_and(|rest| known.contains(&rest) || rest.starts_with("/.nvm/versions/"))
        || folder.starts_with("/usr/local/go/bin")
        || folder.starts_with("/usr/lib/")
        || folder.starts_with("/opt/")
}
