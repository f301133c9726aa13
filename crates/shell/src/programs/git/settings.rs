//! Git's configuration, and settings that make it run something.

use super::super::super::effect::{Change, GitAct, Nature};
use super::super::super::text::Field;
use super::super::call::Call;
use super::super::environment::is_harmless;
use super::sorted;

/// Settings whose value is a command.
fn runs(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    key.starts_with("alias.")
        || key.starts_with("pager.")
        || matches!(
            last,
            "pager"
                | "editor"
                | "sshcommand"
                | "askpass"
                | "fsmonitor"
                | "hookspath"
                | "textconv"
                | "command"
                | "cmd"
                | "clean"
                | "smudge"
                | "process"
                | "driver"
                | "program"
                | "helper"
                | "external"
                | "gitproxy"
                | "uploadpack"
                | "receivepack"
                | "proxycommand"
                | "difffilter"
                | "templatedir"
                | "path"
                | "packobjectshook"
                | "vcs"
        )
}

/// `-c key=value`
pub(super) fn given(call: &mut Call<'_, '_>, setting: &Field) {
    let (key, value) = match setting.split('=') {
        Some((key, value)) => (key.text(), value),
        None => (setting.text(), Field::default()),
    };
    match key {
        Some(key) if runs(&key) => {
            let words = call.words_from(0);
            setting_runs(call, &key, &value, words);
        }
        Some(key) if leads_elsewhere(&key) => super::other(call),
        Some(_) => {}
        None => {
            super::other(call);
            call.opaque("a setting that is not known");
        }
    }
}

/// Settings that change where a push goes, which files count, or what is trusted.
fn leads_elsewhere(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let (section, rest) = key.split_once('.').unwrap_or((key.as_str(), ""));
    match section {
        "core" => !matches!(
            rest,
            "quotepath"
                | "abbrev"
                | "autocrlf"
                | "eol"
                | "safecrlf"
                | "filemode"
                | "ignorecase"
                | "longpaths"
                | "precomposeunicode"
                | "preloadindex"
                | "untrackedcache"
                | "fscache"
                | "whitespace"
                | "commentchar"
                | "pager"
                | "editor"
        ),
        "http" => rest.ends_with("proxy"),
        "submodule" => rest.ends_with(".url") || rest.ends_with(".update"),
        _ => matches!(
            section,
            "remote"
                | "push"
                | "url"
                | "branch"
                | "alias"
                | "include"
                | "includeif"
                | "protocol"
                | "extensions"
                | "filter"
                | "credential"
                | "gpg"
                | "hook"
                | "trace2"
                | "receive"
                | "uploadpack"
                | "worktree"
        ),
    }
}

fn setting_runs(call: &mut Call<'_, '_>, key: &str, value: &Field, words: String) {
    let shown = value.shown();
    if is_harmless(&shown) {
        return;
    }
    call.git(GitAct::Other { words });
    match value.text() {
        Some(code) if key.to_ascii_lowercase().starts_with("alias.") => match code.strip_prefix('!') {
            Some(code) => call.code(&Field::known(code)),
            None => call.code(&Field::known(format!("git {code}"))),
        },
        Some(code) => {
            let key = key.to_ascii_lowercase();
            if key.ends_with("hookspath") || key.ends_with("templatedir") {
                call.opaque_text("hooks come from another folder", &code);
            } else {
                call.code(&Field::known(code.trim_start_matches('!')));
            }
        }
        None => call.opaque("a setting runs something that is not known"),
    }
}

pub(super) fn config(call: &mut Call<'_, '_>) -> Nature {
    let sorted = sorted(call, "f file blob type default value comment");
    let mut operands = sorted.operands.clone();
    let verb = operands.first().map(Field::shown).unwrap_or_default();
    let modern = matches!(
        verb.as_str(),
        "list"
            | "get"
            | "set"
            | "unset"
            | "rename-section"
            | "remove-section"
            | "edit"
            | "get-all"
            | "get-regexp"
    );
    let reads = sorted.says(
        "get get-all get-regexp get-urlmatch l list get-color get-colorbool name-only show-origin show-scope",
    ) || modern && matches!(verb.as_str(), "list" | "get" | "get-all" | "get-regexp");
    if modern {
        operands.remove(0);
    }
    let changes = sorted.has("add replace-all unset unset-all rename-section remove-section e edit")
        || modern && !reads
        || operands.len() > 1 && !reads;
    if !changes {
        call.git(GitAct::Read);
        return Nature::Reads;
    }
    let key = operands.first().and_then(Field::text);
    if let Some(file) = sorted.value("f file") {
        call.write(file, Change::Content);
    }
    call.git(GitAct::Configure { key: key.clone() });
    if sorted.has("e edit") || verb == "edit" && modern {
        call.opaque("it opens an editor");
    }
    match (key, operands.get(1)) {
        (Some(key), Some(value)) if runs(&key) => {
            let words = format!("{key}={}", value.shown());
            setting_runs(call, &key, value, words);
        }
        _ => {}
    }
    Nature::Listed
}

pub(super) fn remote(call: &mut Call<'_, '_>) -> Nature {
    let operands: Vec<String> =
        call.args.iter().map(Field::shown).filter(|word| !word.starts_with('-')).collect();
    match operands.first().map(String::as_str) {
        None | Some("get-url") => {
            call.git(GitAct::Read);
            Nature::Reads
        }
        Some("show") => {
            call.git(GitAct::Read);
            call.network(operands.get(1).cloned());
            Nature::Reads
        }
        Some("update" | "prune") => {
            call.git(GitAct::Fetch);
            call.network(operands.get(1).cloned());
            Nature::Listed
        }
        Some(_) => {
            let key = operands.get(1).map(|name| format!("remote.{name}"));
            call.git(GitAct::Configure { key });
            Nature::Listed
        }
    }
}
