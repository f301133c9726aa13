//! The files that a patch in Codex's own format names.

use signalbox_core::call::Action;

const HEADERS: &[&str] =
    &["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "*** Move File:"];

/// What the patch writes, or nothing where no file is named and so nothing is known. Headers are taken wherever they
/// stand, also where the tool itself would find the patch broken.
pub(crate) fn written(patch: String) -> Option<Action> {
    let mut paths = Vec::new();
    let mut text = String::new();
    for line in patch.lines() {
        let bare = line.trim();
        if let Some(path) = HEADERS.iter().find_map(|header| bare.strip_prefix(header)) {
            let path = path.trim().to_owned();
            if !path.is_empty() && !paths.contains(&path) {
                paths.push(path);
            }
        } else if let Some(added) = line.strip_prefix('+') {
            text.push_str(added);
            text.push('\n');
        }
    }
    (!paths.is_empty()).then_some(Action::Write { paths, text })
}
