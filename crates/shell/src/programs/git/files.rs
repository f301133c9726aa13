//! Git commands that change files of the working tree.

use super::super::super::effect::{Change, GitAct, Nature};
use super::super::super::text::{Field, Part};
use super::super::call::Call;
use super::super::copies;
use super::sorted;

/// A pathspec as a place: `:/x` is from the top, `.` is everything below.
fn write_path(call: &mut Call<'_, '_>, path: &Field, change: Change) {
    let shown = path.shown();
    if shown.starts_with(':') {
        call.write(&Field::unknown(shown), change);
    } else if shown.contains(['*', '?', '[']) {
        // Git matches patterns itself, and its star also matches slashes.
        call.write(&Field { parts: vec![Part::Pattern(shown.replace('*', "**"))] }, change);
    } else {
        call.write(path, change);
    }
}

pub(super) fn remove_or_move(call: &mut Call<'_, '_>, command: &str) {
    let sorted = sorted(call, "pathspec-from-file");
    call.git(GitAct::Stage);
    if sorted.says("n dry-run") {
        return;
    }
    let (sources, to) = match sorted.operands.split_last() {
        Some((to, sources)) if command == "mv" => (sources, Some(to)),
        _ => (sorted.operands.as_slice(), None),
    };
    for source in sources {
        write_path(call, source, Change::Removed);
    }
    if let Some(to) = to {
        call.write(to, Change::Content);
        for name in sources.iter().filter_map(Field::base_name) {
            call.write(&to.join(&name), Change::Content);
        }
    }
    if sorted.has("pathspec-from-file") {
        call.write_somewhere();
    }
}

pub(super) fn clean(call: &mut Call<'_, '_>) -> Nature {
    let sorted = sorted(call, "e exclude");
    if sorted.says("n dry-run") {
        call.git(GitAct::Read);
        return Nature::Reads;
    }
    call.git(GitAct::Discard);
    if sorted.operands.is_empty() {
        let mut all = Field::known("./");
        all.push(Part::Pattern("**".to_owned()));
        call.write(&all, Change::Removed);
    }
    for path in &sorted.operands {
        write_path(call, path, Change::Removed);
    }
    Nature::Listed
}

pub(super) fn restore(call: &mut Call<'_, '_>) {
    let sorted = sorted(call, "s source pathspec-from-file conflict");
    if sorted.says("S staged") && !sorted.has("W worktree") {
        call.git(GitAct::Stage);
        return;
    }
    discard(call, &sorted.operands);
    if sorted.has("pathspec-from-file") {
        call.write_somewhere();
    }
}

fn discard(call: &mut Call<'_, '_>, paths: &[Field]) {
    call.git(GitAct::Discard);
    for path in paths {
        write_path(call, path, Change::Content);
    }
}

pub(super) fn checkout(call: &mut Call<'_, '_>) {
    let dashes = call.args.iter().position(|word| word.is("--"));
    let before = call.args.get(..dashes.unwrap_or(call.args.len())).unwrap_or_default().to_vec();
    let paths = dashes.and_then(|at| call.args.get(at + 1..)).unwrap_or_default().to_vec();
    let sorted = super::options::sort_valued(&before, "b B conflict pathspec-from-file orphan");
    if let Some(name) = sorted.value("b B orphan") {
        call.git(GitAct::Switch { to: name.text(), creates: true });
        return;
    }
    if sorted.has("pathspec-from-file") {
        call.write_somewhere();
    }
    if !paths.is_empty() || sorted.has("p patch ours theirs") && dashes.is_some() {
        discard(call, &paths);
        return;
    }
    match sorted.operands.as_slice() {
        [] if sorted.has("d detach") => call.git(GitAct::Switch { to: None, creates: false }),
        [] if sorted.has("f force p patch") => call.git(GitAct::Discard),
        [] => call.git(GitAct::Read),
        [only] => {
            let shown = only.shown();
            let surely_file =
                matches!(shown.as_str(), "." | "..") || shown.starts_with("./") || shown.ends_with('/');
            if dashes.is_none() && surely_file {
                discard(call, std::slice::from_ref(only));
                return;
            }
            call.git(GitAct::Switch { to: only.text(), creates: false });
            if sorted.has("f force") {
                call.git(GitAct::Discard);
            }
            // Without dashes one word may be a branch or a file, so both count.
            let surely_commit = shown.starts_with("origin/") || shown.contains(['~', '^', '@']);
            if dashes.is_none() && !surely_commit {
                if shown.contains('.') || only.has_unknown() {
                    call.git(GitAct::Discard);
                }
                write_path(call, only, Change::Content);
            }
        }
        // `checkout main file`: the first is a commit; or all of them are files.
        [first, rest @ ..] => {
            discard(call, rest);
            write_path(call, first, Change::Content);
        }
    }
}

pub(super) fn reset(call: &mut Call<'_, '_>) {
    let dashes = call.args.iter().any(|word| word.is("--"));
    let sorted = sorted(call, "pathspec-from-file");
    if sorted.has("hard merge keep") {
        call.git(GitAct::Reset { hard: sorted.has("hard") });
        call.git(GitAct::Discard);
        return;
    }
    let is_commit = |word: &Field| {
        let shown = word.shown();
        shown.contains(['~', '^', '@'])
            || shown.starts_with("origin/")
            || shown.bytes().all(|byte| byte.is_ascii_hexdigit()) && shown.len() >= 7
            || word.has_unknown()
    };
    match sorted.operands.as_slice() {
        [only] if !dashes && !only.is("HEAD") => {
            if is_commit(only) || sorted.has("soft mixed") || !names_file(&only.shown()) {
                call.git(GitAct::Reset { hard: false });
            } else {
                call.git(GitAct::Stage);
            }
        }
        _ => call.git(GitAct::Stage),
    }
}

/// Whether a word can only be meant as a file: `api/limit` and `v1.2` may well be a branch and a tag.
fn names_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    name.is_empty()
        || word.starts_with("./")
        || matches!(name, "." | "..")
        || ending.is_some_and(|ending| ending.starts_with(|first: char| first.is_ascii_alphabetic()))
}

pub(super) fn stash(call: &mut Call<'_, '_>) -> Nature {
    let first =
        call.args.iter().find(|word| !word.start().starts_with('-')).map(Field::shown).unwrap_or_default();
    match first.as_str() {
        "list" | "show" => {
            call.git(GitAct::Read);
            return Nature::Reads;
        }
        "drop" | "clear" => call.git(GitAct::Discard),
        "branch" => {
            let name = call.args.get(1).and_then(Field::text);
            call.git(GitAct::Switch { to: name, creates: true });
        }
        _ => {
            call.git(GitAct::Stage);
            stashed(call, &first);
        }
    }
    Nature::Listed
}

/// `stash push -- paths`: they go back to what is committed.
fn stashed(call: &mut Call<'_, '_>, command: &str) {
    let dashes = call.args.iter().position(|word| word.is("--"));
    let paths: Vec<Field> = match dashes {
        Some(at) => call.args.iter().skip(at + 1).cloned().collect(),
        None if command == "push" => {
            let sorted = sorted(call, "m message pathspec-from-file");
            if sorted.has("pathspec-from-file") {
                call.write_somewhere();
            }
            sorted.operands.iter().skip(1).cloned().collect()
        }
        None => Vec::new(),
    };
    for path in &paths {
        write_path(call, path, Change::Content);
    }
}

pub(super) fn apply(call: &mut Call<'_, '_>) -> Nature {
    let dry =
        call.args.iter().any(|word| matches!(word.start(), "--check" | "--stat" | "--numstat" | "--summary"));
    if dry && !call.args.iter().any(|word| word.is("--apply")) {
        call.git(GitAct::Read);
        return Nature::Reads;
    }
    call.git(GitAct::Stage);
    patched(call);
    Nature::Listed
}

/// The files of a patch that is fed, or somewhere if it is in a file.
pub(super) fn patched(call: &mut Call<'_, '_>) {
    let sorted = sorted(call, "p directory exclude include C whitespace");
    if let Some(folder) = sorted.value("directory").cloned() {
        call.enter(&folder);
    }
    let files: Vec<Field> = sorted.operands.iter().filter(|word| !word.is("-")).cloned().collect();
    for file in &files {
        call.read(file);
    }
    if sorted.says("abort continue skip quit show-current-patch") {
        return;
    }
    if files.is_empty() {
        let strips = sorted.value("p").and_then(Field::text).and_then(|count| count.parse().ok());
        copies::write_patched(call, strips);
    } else {
        call.write_somewhere();
    }
}

pub(super) fn create(call: &mut Call<'_, '_>, command: &str) {
    let sorted = sorted(
        call,
        "b o c u j branch origin depth config template reference upload-pack separate-git-dir shallow-since filter initial-branch object-format jobs",
    );
    call.git(GitAct::Create);
    if let Some(program) = sorted.value("u upload-pack").filter(|_| command == "clone").cloned() {
        call.code(&program);
    }
    if let Some(setting) = sorted.value("c config").filter(|_| command == "clone").cloned() {
        super::settings::given(call, &setting);
    }
    if sorted.value("template").is_some() {
        call.opaque("the template may hold hooks");
    }
    if let Some(folder) = sorted.value("separate-git-dir").cloned() {
        call.write(&folder, Change::Content);
    }
    if command == "init" {
        let folder = sorted.operands.first().cloned().unwrap_or_else(|| Field::known("."));
        call.write(&folder.join(".git"), Change::Content);
        return;
    }
    let url = sorted.operands.first().map(Field::shown).unwrap_or_default();
    let named = url
        .trim_end_matches('/')
        .rsplit(['/', ':'])
        .next()
        .unwrap_or_default()
        .trim_end_matches(".git")
        .to_owned();
    let folder = sorted.operands.get(1).cloned().unwrap_or_else(|| Field::known(named));
    call.network(Some(url));
    call.write(&folder, Change::Content);
    call.write_below(&folder);
}

pub(super) fn plumbing(call: &mut Call<'_, '_>, command: &str) -> Nature {
    match command {
        "hash-object" if !call.args.iter().any(|word| word.start().starts_with("-w")) => {
            call.git(GitAct::Read);
            for file in call.args.clone().iter().filter(|word| !word.start().starts_with('-')) {
                call.read(file);
            }
            Nature::Reads
        }
        "merge-tree" | "write-tree" | "mktree" | "commit-tree" | "hash-object" => {
            call.git(GitAct::Read);
            Nature::Listed
        }
        "checkout-index" => {
            call.git(GitAct::Discard);
            call.write_somewhere();
            Nature::Listed
        }
        "read-tree"
            if call.args.iter().any(|word| {
                matches!(word.start(), "-u" | "-m") || super::options::is_long(word, "reset")
            }) =>
        {
            call.git(GitAct::Reset { hard: true });
            call.write_somewhere();
            Nature::Listed
        }
        "update-index" => {
            call.git(GitAct::Stage);
            indexed(call);
            Nature::Listed
        }
        "read-tree" => {
            call.git(GitAct::Stage);
            Nature::Listed
        }
        "merge-file" => {
            call.git(GitAct::Stage);
            if let Some(file) = call.args.iter().find(|word| !word.start().starts_with('-')).cloned() {
                call.write(&file, Change::Content);
            }
            Nature::Listed
        }
        "merge-index" => {
            super::other_command(call, command);
            call.opaque("it runs a program");
            Nature::Unknown
        }
        _ => {
            super::other_command(call, command);
            Nature::Listed
        }
    }
}

/// `update-index`: what is put into the index is what will be committed, whatever the files hold.
fn indexed(call: &mut Call<'_, '_>) {
    let mut change = Change::Content;
    let mut rest = call.args.clone().into_iter();
    while let Some(word) = rest.next() {
        match word.start() {
            "--cacheinfo" | "--cacheinf" | "--cachein" | "--cachei" | "--cache" | "--cach" => {
                let Some(entry) = rest.next() else { return };
                // `mode,object,path`, or the three as words.
                match entry.split(',').and_then(|(_, rest)| rest.split(',')) {
                    Some((_, path)) => call.write(&path, Change::Content),
                    None => {
                        if let Some(path) = rest.nth(1) {
                            call.write(&path, Change::Content);
                        }
                    }
                }
            }
            "--force-remove" => change = Change::Removed,
            start if start.starts_with("--chmod") => change = Change::Attributes,
            "--index-info" | "--stdin" | "-z" => call.write_somewhere(),
            start if start.starts_with("--cacheinfo=") => call.write_somewhere(),
            start if start.starts_with('-') => {}
            _ => write_path(call, &word, change),
        }
    }
}
