//! Copying, moving, linking: from sources to a destination that may be a file or a directory.

use super::super::effect::{Change, Nature};
use super::super::text::Field;
use super::super::walk::Input;
use super::call::Call;
use super::options;

const VALUED: &str = "t S m o g suffix target-directory mode owner group backup-dir context";

pub(super) fn copy(call: &mut Call<'_, '_>) -> Nature {
    let mut sorted = options::sort_valued(&call.args, VALUED);
    if call.name == "install" && sorted.has("d directory") {
        for folder in &sorted.operands {
            call.write(folder, Change::Content);
        }
        return Nature::Listed;
    }
    let recursive = sorted.has("r R a recursive archive") || call.name == "ditto";
    let destination = match sorted.value("t target-directory") {
        Some(folder) => Some((folder.clone(), true)),
        None => sorted.operands.pop().map(|last| {
            let several = sorted.operands.len() > 1;
            (last, several)
        }),
    };
    for source in &sorted.operands {
        call.read(source);
        if call.name == "mv" {
            call.write(source, Change::Removed);
        }
    }
    let Some((destination, is_folder)) = destination else { return Nature::Listed };
    let links = sorted.has("s symbolic-link l link");
    let change = if links { Change::Link } else { Change::Content };
    if sorted.has("parents") {
        call.write_below(&destination);
    }
    arrive(
        call,
        &sorted.operands,
        &destination,
        is_folder && !sorted.says("T no-target-directory"),
        change,
        recursive,
    );
    Nature::Listed
}

/// Writes what ends up at a destination: in it if it is a directory, in its place if not, both if nobody
/// knows.
fn arrive(
    call: &mut Call<'_, '_>,
    sources: &[Field],
    to: &Field,
    is_folder: bool,
    change: Change,
    recursive: bool,
) {
    let shown = to.shown();
    let surely_folder = is_folder
        || shown.ends_with('/')
        || matches!(shown.as_str(), "." | "..")
        || shown.ends_with("/.")
        || shown.ends_with("/..");
    if !surely_folder {
        call.write(to, change);
        if recursive {
            call.write_below(to);
        }
    }
    for source in sources {
        match source.base_name().as_deref() {
            Some("." | ".." | "") | None => call.write_below(to),
            Some(name) => {
                let inside = to.join(name);
                call.write(&inside, change);
                if recursive {
                    call.write_below(&inside);
                }
            }
        }
    }
}

pub(super) fn link(call: &mut Call<'_, '_>) -> Nature {
    let mut sorted = options::sort_valued(&call.args, "t S suffix target-directory");
    if let Some(folder) = sorted.value("t target-directory").cloned() {
        for source in &sorted.operands {
            call.read(source);
        }
        arrive(call, &sorted.operands, &folder, true, Change::Link, false);
        return Nature::Listed;
    }
    let Some(last) = sorted.operands.pop() else { return Nature::Listed };
    if sorted.operands.is_empty() {
        // `ln -s ../a` makes a link called `a` here.
        let name = last.base_name();
        call.read(&last);
        match name {
            Some(name) => call.write(&Field::known(name), Change::Link),
            None => call.write_somewhere(),
        }
        return Nature::Listed;
    }
    for source in &sorted.operands {
        call.read(source);
    }
    let several = sorted.operands.len() > 1;
    let exactly = sorted.says("T n no-target-directory no-dereference");
    arrive(call, &sorted.operands, &last, several && !exactly, Change::Link, false);
    Nature::Listed
}

pub(super) fn dd(call: &mut Call<'_, '_>) -> Nature {
    for argument in call.args.clone() {
        if let Some(file) = argument.strip("of=") {
            call.write(&file, Change::Content);
        } else if let Some(file) = argument.strip("if=") {
            call.read(&file);
        } else if argument.starts_unknown() {
            call.write_somewhere();
        }
    }
    Nature::Listed
}

const RSYNC: &str = "e f T M B rsh filter exclude include exclude-from include-from files-from backup-dir suffix \
                     temp-dir compare-dest copy-dest link-dest port timeout bwlimit log-file rsync-path chmod chown \
                     max-size min-size info out-format password-file partial-dir";

pub(super) fn rsync(call: &mut Call<'_, '_>) -> Nature {
    let mut sorted = options::sort_valued(&call.args, RSYNC);
    for option in ["e rsh", "rsync-path"] {
        if let Some(command) = sorted.value(option).cloned() {
            call.code(&command);
        }
    }
    for option in ["log-file", "backup-dir", "partial-dir", "T temp-dir"] {
        if let Some(file) = sorted.value(option).cloned() {
            call.write(&file, Change::Content);
        }
    }
    let dry = sorted.says("n dry-run list-only");
    let removes = sorted.has("remove-source-files");
    let destination = if sorted.operands.len() > 1 { sorted.operands.pop() } else { None };
    for source in &sorted.operands {
        if is_remote(source) {
            call.network(Some(source.shown()));
        } else {
            call.read(source);
            if removes && !dry {
                call.write_below(source);
            }
        }
    }
    match destination {
        Some(to) if is_remote(&to) => call.network(Some(to.shown())),
        Some(to) if !dry => {
            call.write(
                &to,
                if sorted.options.iter().any(|option| option.name.starts_with("del")) {
                    Change::Removed
                } else {
                    Change::Content
                },
            );
            call.write_below(&to);
            for source in &sorted.operands {
                if let (false, Some(name)) = (source.shown().ends_with('/'), source.base_name()) {
                    call.write(&to.join(&name), Change::Content);
                }
            }
        }
        _ => return Nature::Reads,
    }
    Nature::Listed
}

/// `host:path` and `rsync://…`; a colon after a slash is part of a file's name.
pub(super) fn is_remote(field: &Field) -> bool {
    let shown = field.shown();
    shown.contains("://")
        || shown.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

pub(super) fn patch(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_valued(
        &call.args,
        "i d o p r B D F g V Y z b input directory output strip reject-file prefix fuzz suffix",
    );
    if sorted.says("dry-run") {
        return Nature::Reads;
    }
    if let Some(folder) = sorted.value("d directory").cloned() {
        call.enter(&folder);
    }
    for option in ["o output", "r reject-file"] {
        if let Some(file) = sorted.value(option).cloned() {
            call.write(&file, Change::Content);
        }
    }
    if let Some(file) = sorted.value("i input").cloned().or_else(|| sorted.operands.get(1).cloned()) {
        call.read(&file);
    }
    if let Some(file) = sorted.operands.first() {
        call.write(file, Change::Content);
    } else if !sorted.says("o output") {
        let strips = sorted.value("p strip").and_then(Field::text).and_then(|count| count.parse().ok());
        write_patched(call, strips);
    }
    Nature::Listed
}

/// Codex takes this program over where it stands in a command line, and applies a patch of its own format: the first
/// argument, or standard input.
pub(super) fn apply_patch(call: &mut Call<'_, '_>) -> Nature {
    const HEADERS: &[&str] =
        &["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "*** Move File:"];
    let text = match (call.args.first(), call.walker.input.clone()) {
        (Some(patch), _) => patch.text(),
        (None, Input::Text(text)) => Some(text.to_string()),
        (None, _) => None,
    };
    let text = text.unwrap_or_default();
    let names =
        text.lines().filter_map(|line| HEADERS.iter().find_map(|header| line.trim().strip_prefix(header)));
    let names: Vec<Field> = names.map(|name| Field::known(name.trim())).collect();
    for name in &names {
        call.write(name, Change::Content);
    }
    if names.is_empty() {
        call.write_somewhere();
    }
    Nature::Listed
}

/// The files that a patch on standard input names; somewhere, if there is none to be seen.
pub(super) fn write_patched(call: &mut Call<'_, '_>, strips: Option<usize>) {
    let Input::Text(text) = call.walker.input.clone() else {
        call.write_somewhere();
        return;
    };
    let mut found = false;
    for line in text.lines() {
        let name = ["--- ", "+++ ", "rename to ", "rename from ", "copy to "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        let Some(name) = name.and_then(|name| name.split('\t').next()) else { continue };
        found = true;
        if name == "/dev/null" {
            continue;
        }
        let name = name.trim().trim_matches('"');
        let stripped = match strips {
            Some(count) => name.splitn(count + 1, '/').nth(count).unwrap_or(name),
            None => name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name),
        };
        call.write(&Field::known(stripped), Change::Content);
        if strips.is_none() && stripped == name {
            // Without a count, patch goes by the last component too.
            if let Some((_, base)) = name.rsplit_once('/') {
                call.write(&Field::known(base), Change::Content);
            }
        }
    }
    if !found {
        call.write_somewhere();
    }
}
