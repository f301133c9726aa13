//! Git: what a command means for the repository, and which files it touches.

mod branches;
mod files;
mod settings;

use super::super::effect::{Change, GitAct, Nature};
use super::super::text::Field;
use super::call::Call;
use super::options::{self, Sorted};

/// Subcommands that only look. What makes them write is found by their options.
const READERS: [&str; 44] = [
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "column",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "diff-pairs",
    "for-each-ref",
    "fsck",
    "get-tar-commit-id",
    "grep",
    "help",
    "interpret-trailers",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "patch-id",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-index",
    "show-ref",
    "status",
    "stripspace",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
    "whatchanged",
];

pub(super) fn git(call: &mut Call<'_, '_>) -> Nature {
    let args = call.args.clone();
    let mut index = 0;
    while let Some(field) = args.get(index) {
        let start = field.start();
        if !start.starts_with('-') {
            break;
        }
        index += 1;
        let value = args.get(index);
        match start {
            "-C" => {
                if let Some(folder) = value {
                    call.go_to(folder);
                }
                index += 1;
            }
            "-c" => {
                if let Some(setting) = value {
                    settings::given(call, setting);
                }
                index += 1;
            }
            "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--attr-source"
            | "--config-env"
                if value.is_some() =>
            {
                if let Some(folder) = value.filter(|_| matches!(start, "--git-dir" | "--work-tree")) {
                    call.say_where(folder);
                }
                other(call);
                index += 1;
            }
            _ if start.starts_with("--git-dir=") || start.starts_with("--work-tree=") => {
                if let Some((_, folder)) = field.split('=') {
                    call.say_where(&folder);
                }
                other(call);
            }
            // `--exec-path` alone only prints it.
            _ if start.starts_with("--exec-path=")
                || start.starts_with("--namespace=")
                || start.starts_with("--config-env=") =>
            {
                other(call);
            }
            _ => {}
        }
    }
    let Some(command) = args.get(index) else {
        if args
            .iter()
            .any(|word| matches!(word.start(), "--version" | "--help" | "-h" | "-v" | "--exec-path"))
        {
            call.git(GitAct::Read);
            return Nature::Reads;
        }
        return Nature::Listed;
    };
    let Some(command) = command.text() else {
        other(call);
        call.opaque("which command it runs is not known");
        return Nature::Unknown;
    };
    call.args = args.get(index + 1..).unwrap_or_default().to_vec();
    if call.args.iter().any(|word| word.start().contains("ext::")) {
        call.opaque("the address is a command");
    }
    if call.args.iter().any(|word| word.is("--help"))
        || call.args.len() == 1 && call.args.iter().any(|word| word.is("-h"))
    {
        call.git(GitAct::Read);
        return Nature::Reads;
    }
    follow(call, &command)
}

fn follow(call: &mut Call<'_, '_>, command: &str) -> Nature {
    match command {
        _ if READERS.contains(&command) => return reads(call, command),
        "add" | "stage" => {
            if call.args.iter().any(|word| matches!(word.start(), "-n" | "--dry-run")) {
                call.git(GitAct::Read);
                return Nature::Reads;
            }
            call.git(GitAct::Stage);
        }
        "commit" => {
            // `commit -F file` reads its message there.
            call.git(GitAct::Commit);
        }
        "commit-tree" | "hash-object" | "write-tree" | "mktree" | "read-tree" | "update-index"
        | "checkout-index" | "unpack-objects" | "index-pack" | "pack-objects" | "merge-file"
        | "merge-index" | "merge-tree" | "multi-pack-index" | "commit-graph" => {
            return files::plumbing(call, command);
        }
        "rm" | "mv" => files::remove_or_move(call, command),
        "clean" => return files::clean(call),
        "restore" => files::restore(call),
        "checkout" => files::checkout(call),
        "switch" => branches::switch(call),
        "branch" => return branches::branch(call),
        "reset" => files::reset(call),
        "stash" => return files::stash(call),
        "merge" => call.git(GitAct::Merge),
        "rebase" => {
            branches::runs_option(call, "x exec");
            call.git(GitAct::Rebase);
        }
        "cherry-pick" | "revert" => call.git(GitAct::Commit),
        "am" => {
            call.git(GitAct::Commit);
            files::patched(call);
        }
        "apply" => return files::apply(call),
        "pull" => {
            branches::runs_option(call, "upload-pack");
            call.network(first_operand(call));
            call.git(GitAct::Pull);
        }
        "fetch" | "fetch-pack" => {
            branches::runs_option(call, "upload-pack exec");
            call.network(first_operand(call));
            call.git(GitAct::Fetch);
            // `fetch origin main:local` moves a branch here.
            if call.args.iter().any(|word| {
                !word.start().starts_with('-')
                    && word.shown().contains(':')
                    && !word.shown().contains("//")
                    && !word.shown().contains('@')
            }) {
                call.git(GitAct::Reset { hard: false });
            }
        }
        "push" | "send-pack" => branches::push(call),
        "ls-remote" => {
            branches::runs_option(call, "upload-pack exec");
            call.network(first_operand(call));
            call.git(GitAct::Read);
            return Nature::Reads;
        }
        "archive" => {
            let sorted = options::sort_valued(&call.args, "o output prefix format remote exec add-file");
            branches::runs_option(call, "exec");
            call.git(GitAct::Read);
            match sorted.value("o output") {
                Some(file) => call.write(file, Change::Content),
                None if sorted.value("exec").is_none() => return Nature::Reads,
                None => {}
            }
        }
        "bundle" => {
            call.git(GitAct::Read);
            if !call.args.first().is_some_and(|word| word.is("create")) {
                let asks = call.args.first().is_some_and(|word| word.is("verify") || word.is("list-heads"));
                return if asks { Nature::Reads } else { Nature::Listed };
            }
            if let Some(file) = call.args.iter().skip(1).find(|word| !word.start().starts_with('-')).cloned()
            {
                call.write(&file, Change::Content);
            }
        }
        "format-patch" => {
            let sorted = options::sort_valued(
                &call.args,
                "o output-directory v subject-prefix signature start-number suffix",
            );
            call.git(GitAct::Read);
            if !sorted.says("stdout") {
                let folder = sorted.value("o output-directory").cloned().unwrap_or_else(|| Field::known("."));
                let mut files = folder;
                files.push(super::super::text::Part::Literal("/".to_owned()));
                files.push(super::super::text::Part::Pattern("*.patch".to_owned()));
                call.write(&files, Change::Content);
            }
        }
        "config" => return settings::config(call),
        "remote" => return settings::remote(call),
        "tag" => return branches::tag(call),
        "worktree" => {
            if call.args.first().is_some_and(|word| word.is("list")) {
                call.git(GitAct::Read);
                return Nature::Reads;
            }
            call.git(GitAct::Worktree);
            let sorted = options::sort_valued(&call.args, "b B reason");
            if let Some(name) = sorted.value("b B") {
                call.git(GitAct::CreateBranch { name: name.text() });
            }
            if let Some(folder) = sorted.operands.get(1) {
                let removes = sorted.operands.first().is_some_and(|word| word.is("remove"));
                call.write(folder, if removes { Change::Removed } else { Change::Content });
            }
        }
        "submodule" => {
            let first = first_operand(call).unwrap_or_default();
            if matches!(first.as_str(), "status" | "summary" | "") {
                call.git(GitAct::Read);
                return Nature::Reads;
            }
            call.git(GitAct::Submodule);
            if first == "foreach" {
                let code: Vec<String> = call
                    .args
                    .iter()
                    .map(Field::shown)
                    .filter(|word| word != "foreach" && !word.starts_with("--"))
                    .collect();
                call.code(&Field::known(code.join(" ")));
            }
        }
        "init" | "clone" => files::create(call, command),
        "reflog" => {
            let first = first_operand(call).unwrap_or_default();
            if matches!(first.as_str(), "expire" | "delete" | "drop") {
                other_command(call, command);
                return Nature::Listed;
            }
            return reads(call, command);
        }
        "bisect" => {
            let first = first_operand(call).unwrap_or_default();
            if matches!(first.as_str(), "log" | "view" | "visualize" | "terms") {
                call.git(GitAct::Read);
                return Nature::Reads;
            }
            call.git(GitAct::Switch { to: None, creates: false });
            if first == "run" {
                let words: Vec<Field> = call.args.iter().skip(1).cloned().collect();
                call.invoke(words);
            }
        }
        "update-ref" => {
            let deletes = call.args.iter().any(|word| word.is("-d"));
            if deletes {
                call.git(GitAct::DeleteBranch { name: first_operand(call) });
            }
            call.git(GitAct::Reset { hard: false });
        }
        "symbolic-ref" => {
            let operands: Vec<&Field> =
                call.args.iter().filter(|word| !word.start().starts_with('-')).collect();
            if operands.len() > 1 {
                let to = operands.get(1).and_then(|word| word.text());
                let to = to.map(|name| name.trim_start_matches("refs/heads/").to_owned());
                call.git(GitAct::Switch { to, creates: false });
            } else if call.args.iter().any(|word| word.is("-d") || options::is_long(word, "delete")) {
                other_command(call, command);
            } else {
                call.git(GitAct::Read);
                return Nature::Reads;
            }
        }
        "notes" => {
            if call.args.is_empty()
                || call.args.first().is_some_and(|word| matches!(word.start(), "list" | "show"))
            {
                call.git(GitAct::Read);
                return Nature::Reads;
            }
            other_command(call, command);
        }
        "sparse-checkout" if call.args.first().is_some_and(|word| word.is("list")) => {
            call.git(GitAct::Read);
            return Nature::Reads;
        }
        "difftool" | "mergetool" => {
            branches::runs_option(call, "x extcmd");
            call.git(GitAct::Read);
            return Nature::Unknown;
        }
        "gc" | "prune" | "repack" | "pack-refs" | "maintenance" | "sparse-checkout" | "rerere" | "lfs"
        | "filter-branch" | "filter-repo" | "replace" | "hook" | "daemon" | "credential" | "fast-import"
        | "fast-export" | "subtree" | "svn" | "p4" | "send-email" | "imap-send" | "request-pull"
        | "instaweb" | "gui" | "citool" | "gitk" | "shell" | "upload-pack" | "receive-pack"
        | "http-backend" | "quiltimport" | "backfill" | "scalar" | "fsmonitor--daemon" => {
            let safe = matches!(
                command,
                "gc" | "repack" | "pack-refs" | "rerere" | "lfs" | "sparse-checkout" | "maintenance"
            );
            other_command(call, command);
            if !safe && !matches!(command, "prune" | "replace" | "subtree" | "request-pull") {
                call.opaque("it can run programs");
                return Nature::Unknown;
            }
        }
        _ => {
            other_command(call, command);
            return Nature::Unknown;
        }
    }
    Nature::Listed
}

/// Reading commands, with the options that make them write or run something.
fn reads(call: &mut Call<'_, '_>, command: &str) -> Nature {
    let mut nature = Nature::Reads;
    call.git(GitAct::Read);
    let args = call.args.clone();
    let no_index = args.iter().any(|word| word.is("--no-index"));
    let mut after_dashes = false;
    for (index, word) in args.iter().enumerate() {
        let start = word.start();
        if word.is("--") {
            after_dashes = true;
        } else if after_dashes {
            if no_index {
                call.read(word);
            }
        } else if options::is_long(word, "output") {
            let attached = word.split('=').map(|(_, file)| file);
            if let Some(file) = attached.or_else(|| args.get(index + 1).cloned()) {
                call.write(&file, Change::Content);
                nature = Nature::Listed;
            }
        } else if options::is_long(word, "ext-diff")
            || options::is_long(word, "textconv")
            || options::is_long(word, "filters") && command != "cat-file"
        {
            other_command(call, command);
            call.opaque("the repository's configuration decides what runs");
            nature = Nature::Unknown;
        } else if command == "grep"
            && (start.starts_with("-O") || options::is_long(word, "open-files-in-pager"))
        {
            let pager = word
                .strip("-O")
                .or_else(|| word.split('=').map(|(_, pager)| pager))
                .filter(|pager| !pager.is_empty());
            other_command(call, command);
            match pager {
                Some(pager) => call.code(&pager),
                None => call.opaque("the pager runs"),
            }
            nature = Nature::Unknown;
        } else if command == "fsck" && options::is_long(word, "lost-found") {
            nature = Nature::Listed;
        } else if no_index && !start.starts_with('-') {
            call.read(word);
        }
    }
    nature
}

fn first_operand(call: &Call<'_, '_>) -> Option<String> {
    call.args.iter().find(|word| !word.start().starts_with('-')).map(Field::shown)
}

/// All words of the command as they stand.
fn other(call: &mut Call<'_, '_>) {
    let words = call.words_from(0);
    call.git(GitAct::Other { words });
}

fn other_command(call: &mut Call<'_, '_>, command: &str) {
    let words = format!("{command} {}", call.words_from(0));
    call.git(GitAct::Other { words: words.trim().to_owned() });
}

fn sorted(call: &Call<'_, '_>, valued: &str) -> Sorted {
    options::sort_valued(&call.args, valued)
}
