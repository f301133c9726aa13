//! A unified diff as rows to be shown: files, hunks, and lines with their numbers.

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// `file`, `hunk`, `add`, `del`, `same` or `meta`: what it is drawn as.
    pub kind: &'static str,
    pub old: Option<usize>,
    pub new: Option<usize>,
    pub text: String,
}

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub added: usize,
    pub removed: usize,
    pub lines: Vec<Line>,
    /// There are more, which are left out.
    pub cut: usize,
}

/// The most lines of a file that are shown.
const MOST_LINES: usize = 2_000;

/// A diff in files.
pub fn files(patch: &str) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let (mut old, mut new) = (0, 0);
    for text in patch.lines() {
        if let Some(names) = text.strip_prefix("diff --git ") {
            let name = names.split(" b/").last().unwrap_or(names).to_owned();
            files.push(File { name, added: 0, removed: 0, lines: Vec::new(), cut: 0 });
            (old, new) = (0, 0);
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        let mut line = Line { kind: "same", old: None, new: None, text: text.to_owned() };
        if let Some(hunk) = text.strip_prefix("@@ -") {
            line.kind = "hunk";
            (old, new) = starts(hunk);
        } else if old == 0 && new == 0 {
            // Before the first hunk: which file, which mode.
            if text.starts_with("--- ") || text.starts_with("+++ ") || text.starts_with("index ") {
                continue;
            }
            line.kind = "meta";
        } else if let Some(added) = text.strip_prefix('+') {
            line = Line { kind: "add", old: None, new: Some(new), text: added.to_owned() };
            new += 1;
            file.added += 1;
        } else if let Some(removed) = text.strip_prefix('-') {
            line = Line { kind: "del", old: Some(old), new: None, text: removed.to_owned() };
            old += 1;
            file.removed += 1;
        } else if text.starts_with('\\') {
            line.kind = "meta";
        } else {
            let text = text.strip_prefix(' ').unwrap_or(text).to_owned();
            line = Line { kind: "same", old: Some(old), new: Some(new), text };
            old += 1;
            new += 1;
        }
        if file.lines.len() < MOST_LINES {
            file.lines.push(line);
        } else {
            file.cut += 1;
        }
    }
    files
}

/// The first old and new line of a hunk: `12,3 +14,5 @@ …`.
fn starts(hunk: &str) -> (usize, usize) {
    let number = |text: &str| text.split([',', ' ']).next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let new = hunk.split_once('+').map_or(1, |(_, rest)| number(rest));
    // A file that is new begins at line 0.
    (number(hunk).max(1), new.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers() {
        let patch = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3,3 +3,4 @@ fn main\n one\n-two\n+2\n+2a\n three\n\\ No newline at end of file\ndiff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n";
        let files = files(patch);
        assert_eq!(files.len(), 2);
        assert_eq!((files[0].name.as_str(), files[0].added, files[0].removed), ("src/a.rs", 2, 1));
        let rows: Vec<_> = files[0].lines.iter().map(|line| (line.kind, line.old, line.new)).collect();
        assert_eq!(
            rows,
            [
                ("hunk", None, None),
                ("same", Some(3), Some(3)),
                ("del", Some(4), None),
                ("add", None, Some(4)),
                ("add", None, Some(5)),
                ("same", Some(5), Some(6)),
                ("meta", None, None),
            ]
        );
        assert_eq!(files[1].lines.iter().map(|line| line.kind).collect::<Vec<_>>(), ["meta", "hunk", "add"]);
    }

    #[test]
    fn a_long_file_is_cut_and_says_so() {
        let mut patch = "diff --git a/a b/a\n@@ -0,0 +1,9999 @@\n".to_owned();
        patch.push_str(&"+line\n".repeat(9_999));
        let files = files(&patch);
        assert_eq!(files[0].lines.len(), MOST_LINES);
        assert_eq!(files[0].cut, 10_000 - MOST_LINES);
        assert_eq!(files[0].added, 9_999);
    }
}
