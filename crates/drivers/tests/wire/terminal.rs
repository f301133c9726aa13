//! Every sight that was taken of a real CLI is read rightly. `tests/real` takes them.

use std::path::{Path, PathBuf};

use signalbox_drivers::find;
use signalbox_drivers::terminal::{InputBox, Reading, Sight};

/// What each sight must be read as: the name without its size, or with it where the size makes a difference. The first
/// row that fits counts. What may be caught between two frames has two readings. A draft is compared without white space, by how it begins.
type Rows = &'static [(&'static str, &'static str)];

fn sights(cli: &str) -> Vec<(String, Sight)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal").join(cli);
    let list = std::fs::read_dir(&folder).expect("the folder of sights");
    let mut files: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a sight");
        let sight: Sight = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(sight.to_string(), text, "{}", path.display());
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), sight)
    };
    files.iter().map(read).collect()
}

fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

fn said(reading: &Reading) -> (String, String) {
    let activity = reading.activity.map_or("nothing".to_owned(), |activity| format!("{activity:?}"));
    let input = match &reading.input {
        InputBox::Draft(text) => format!("draft {text}"),
        other => format!("{other:?}"),
    };
    (activity.to_lowercase(), input.to_lowercase())
}

fn check(cli: &str, rows: Rows) {
    let read = find(cli).expect("a driver").terminal.read;
    let (mut wrong, mut used) = (Vec::new(), vec![false; rows.len()]);
    for (name, sight) in sights(cli) {
        let reading = read(&sight);
        let (activity, input) = said(&reading);
        let state = name.rsplit_once('-').map_or(name.as_str(), |(state, _size)| state);
        let row = rows.iter().position(|(row, _)| *row == name || *row == state);
        let Some(at) = row else {
            wrong.push(format!("{name}: no row; read as {activity} {input}"));
            continue;
        };
        used[at] = true;
        let fits = |wanted: &str| {
            let (want_activity, want_input) = wanted.split_once(' ').expect("activity and input");
            let is_input = match want_input.strip_prefix("draft") {
                Some(text) => input.starts_with("draft") && dense(&input[5..]).starts_with(&dense(text)),
                None => input == want_input,
            };
            activity == want_activity && is_input
        };
        if !rows[at].1.split(" or ").any(fits) {
            wrong.push(format!(
                "{name}: want {:?}, read as {activity} {input}: {}",
                rows[at].1, reading.because
            ));
        }
    }
    wrong.extend(
        rows.iter().zip(used).filter(|(_, used)| !used).map(|(row, _)| format!("no sight of {row:?}")),
    );
    assert!(wrong.is_empty(), "{cli}:\n{}", wrong.join("\n"));
}

/// The one mistake that must not happen: whatever is changed about a sight with an empty box, be it a letter in the box,
/// the cursor elsewhere, or the cursor shown where it is not, it is no longer called empty.
#[test]
fn nothing_else_is_called_empty() {
    let mut tried = 0;
    for cli in ["claude", "codex", "gemini", "copilot", "goose"] {
        let read = find(cli).expect("a driver").terminal.read;
        let is_empty = |sight: &Sight| read(sight).input == InputBox::Empty;
        for (name, sight) in sights(cli).into_iter().filter(|(_, sight)| is_empty(sight)) {
            let row = usize::from(sight.cursor.0);
            for column in usize::from(sight.cursor.1)..usize::from(sight.columns) - 1 {
                let mut letters: Vec<char> = sight.row(row).chars().collect();
                letters.resize(letters.len().max(column + 1), ' ');
                letters[column] = 'x';
                let mut typed = sight.clone();
                typed.rows[row] = letters.into_iter().collect();
                let column = u16::try_from(column).expect("a column");
                typed
                    .faint
                    .retain(|&(at, first, last)| at != sight.cursor.0 || !(first..=last).contains(&column));
                assert!(!is_empty(&typed), "{cli} {name}: an x in column {column}\n{typed}");
                tried += 1;
            }
            let mut blinking = sight.clone();
            blinking.cursor_visible = !sight.cursor_visible;
            assert!(!is_empty(&blinking), "{cli} {name}");
            if cli == "goose" {
                let (marks_pastes, alternate) = (!sight.marks_pastes, !sight.alternate);
                assert!(!is_empty(&Sight { marks_pastes, ..sight.clone() }), "{name}");
                assert!(!is_empty(&Sight { alternate, ..sight.clone() }), "{name}");
            }
            let rows = u16::try_from(sight.rows.len()).expect("rows");
            let along = (0..sight.columns).map(|column| (sight.cursor.0, column));
            for place in along.chain((0..rows).map(|row| (row, sight.cursor.1))) {
                let mut moved = sight.clone();
                moved.cursor = place;
                assert!(place == sight.cursor || !is_empty(&moved), "{cli} {name}: the cursor at {place:?}");
            }
        }
    }
    assert!(tried > 1000, "there are too few sights of an empty box: {tried}");
}

#[test]
fn claude() {
    check("claude", CLAUDE);
}

#[test]
fn codex() {
    check("codex", CODEX);
}

#[test]
fn goose() {
    check("goose", GOOSE);
}

#[test]
fn gemini() {
    check("gemini", GEMINI);
}

/// As at its start, and in the moment between two turns.
#[test]
fn gemini_works_while_prompts_wait_in_its_queue_whatever_its_title_says() {
    let read = find("gemini").expect("a driver").terminal.read;
    let mut sights = sights("gemini");
    sights.retain(|(name, _)| name.starts_with("busy-queued-1"));
    assert!(!sights.is_empty());
    for (name, mut sight) in sights {
        sight.title = "◇  Ready (project)".to_owned();
        assert_eq!(said(&read(&sight)).0, "working", "{name}");
        sight.rows.iter_mut().for_each(|row| *row = row.replace("Queued (press", "Anything"));
        assert_eq!(said(&read(&sight)).0, "idle", "{name}");
    }
}

#[test]
fn copilot() {
    check("copilot", COPILOT);
}

const CODEX: Rows = &[
    ("idle-fresh", "idle empty"),
    ("idle-after-turn", "idle empty"),
    ("interrupted", "idle empty"),
    ("mode-plan", "idle empty"),
    ("cleared", "idle empty"),
    ("draft", "idle draft half typed"),
    ("draft-cursor-middle", "idle draft half typed"),
    ("draft-cursor-start", "idle draft half typed"),
    ("draft-wide", "idle draft half typed 日本語 ünïcödé 👍"),
    ("draft-two-lines", "idle draft first line second line"),
    ("draft-two-lines-cursor-up", "idle draft first line second line"),
    ("draft-long", "idle draft word word word"),
    ("draft-long-cursor-start", "idle draft word word word"),
    ("draft-blank", "idle draft"),
    ("draft-newline", "idle draft"),
    ("slash-menu", "idle draft /"),
    ("slash-menu-narrowed", "idle draft /mod"),
    ("shell-mode", "idle draft !"),
    ("shell-mode-draft", "idle draft !ls"),
    ("shell-mode-left", "idle empty"),
    ("at-menu", "idle draft @"),
    ("skill-menu", "idle draft $"),
    ("shortcuts", "idle unknown"),
    ("history-search", "nothing unknown"),
    ("exited", "nothing unknown"),
    ("suspended", "nothing unknown"),
    ("pasted-1", "idle draft pasted line 1"),
    ("pasted-2", "idle draft pasted line 1 pasted line 2"),
    ("pasted-5", "idle draft pasted line 1 pasted line 2"),
    // The rest is out of sight.
    ("pasted-30-120x40", "idle draft pasted line 9 pasted line 10"),
    ("pasted-30-80x24", "idle draft pasted line 19 pasted line 20"),
    ("pasted-30-40x15", "idle draft pasted line 25 pasted line 26"),
    ("pasted-100", "idle draft [pasted content 1491 chars]"),
    ("pasted-100-after-text", "idle draft before [pasted content 1491 chars]"),
    ("dialog-model", "dialog hidden"),
    ("dialog-permissions", "dialog hidden"),
    ("dialog-resume", "dialog hidden"),
    ("dialog-hooks", "dialog hidden"),
    ("dialog-skills", "dialog hidden"),
    // No dialog: it is written into the conversation.
    ("dialog-status", "idle empty"),
    ("dialog-vim", "idle unknown"),
    ("vim-insert", "idle unknown"),
    ("vim-normal", "idle unknown"),
    ("vim-normal-draft", "idle unknown"),
    ("busy", "working empty"),
    ("busy-draft", "working draft typed while busy"),
    ("busy-queued", "working empty or working unknown"),
    ("busy-queued-draft", "working draft more"),
    ("busy-after-tool", "working empty"),
    ("permission", "permission hidden"),
    ("permission-second", "permission hidden"),
];
const GOOSE: Rows = &[
    ("idle-fresh", "idle empty"),
    ("idle-after-turn", "idle empty"),
    ("idle-after-tool", "idle empty"),
    ("history-search-left", "idle empty"),
    ("cleared", "idle empty"),
    ("help", "idle empty"),
    ("exit-asked", "idle empty"),
    ("interrupted", "idle empty"),
    ("interrupted-draft", "idle draft text"),
    ("draft", "idle draft half typed"),
    ("draft-cursor-middle", "idle draft half typed"),
    ("draft-cursor-start", "idle draft half typed"),
    ("draft-wide", "idle draft half typed 日本語 ünïcödé 👍"),
    ("draft-two-lines", "idle draft first line second line"),
    ("draft-two-lines-cursor-up", "idle draft first line second line"),
    ("draft-long", "idle draft word word word"),
    ("draft-long-cursor-start", "idle draft word word word"),
    ("draft-blank", "idle unknown"),
    ("draft-newline", "idle unknown"),
    ("slash", "idle draft /"),
    ("slash-completed", "idle draft /exit"),
    ("slash-several", "idle draft /p"),
    ("history-search", "idle unknown"),
    ("pasted-1", "idle draft pasted line 1"),
    ("pasted-2", "idle draft pasted line 1 pasted line 2"),
    ("pasted-5", "idle draft pasted line 1 pasted line 2"),
    ("pasted-2-after-text", "idle draft before pasted line 1 pasted line 2"),
    // It is larger than the screen, which shows its end.
    ("pasted-50", "idle draft pasted line"),
    ("screen-cleared", "idle empty"),
    ("screen-cleared-draft", "idle draft text"),
    ("busy", "working unknown"),
    ("busy-draft", "working unknown"),
    ("busy-after-tool", "working unknown"),
    ("busy-tool", "working unknown"),
    ("permission", "permission hidden"),
    ("permission-second", "permission hidden"),
    ("permission-plain", "permission hidden"),
    ("idle-after-plain", "idle empty"),
    ("idle-colourless", "idle empty"),
    ("draft-colourless", "idle draft half typed"),
    ("permission-colourless", "permission hidden"),
    ("idle-after-colourless", "idle empty"),
    ("editor", "dialog hidden"),
    ("draft-after-turn", "idle draft typed while busy"),
];

const GEMINI: Rows = &[
    ("idle-fresh", "idle empty"),
    ("idle-after-turn", "idle empty"),
    ("idle-colourless", "idle empty"),
    ("draft-colourless", "idle draft half typed"),
    ("idle-after-colourless", "idle empty"),
    ("interrupted", "idle empty"),
    ("cleared", "idle empty"),
    ("mode-plan", "idle empty"),
    ("mode-accept-edits", "idle empty"),
    ("mode-yolo", "idle empty"),
    ("exit-asked", "idle empty"),
    ("draft", "idle draft half typed"),
    ("draft-cursor-middle", "idle draft half typed"),
    ("draft-cursor-start", "idle draft half typed"),
    ("draft-wide", "idle draft half typed 日本語 ünïcödé 👍"),
    ("draft-two-lines", "idle draft first line second line"),
    ("draft-two-lines-cursor-up", "idle draft first line second line"),
    ("draft-long", "idle draft word word word"),
    ("draft-long-cursor-start", "idle draft word word word"),
    ("draft-blank", "idle draft"),
    ("draft-newline", "idle draft"),
    ("slash-menu", "idle draft /"),
    ("slash-menu-narrowed", "idle draft /mod"),
    ("shell-mode", "idle draft !"),
    ("shell-mode-draft", "idle draft !ls"),
    ("shell-mode-left", "idle empty"),
    ("at-menu", "idle draft @"),
    ("shortcuts", "idle unknown"),
    ("history-search", "nothing unknown"),
    ("suspend-asked", "idle draft do something"),
    ("pasted-1", "idle draft pasted line 1"),
    ("pasted-2", "idle draft pasted line 1 pasted line 2"),
    ("pasted-5", "idle draft pasted line 1 pasted line 2"),
    ("pasted-30", "idle draft [pasted text: 30 lines]"),
    ("pasted-30-after-text", "idle draft before [pasted text: 30 lines]"),
    ("dialog-model", "dialog hidden"),
    ("dialog-settings", "dialog hidden"),
    // No dialogs: they are written into the conversation.
    ("dialog-stats", "idle empty"),
    ("dialog-help", "idle empty"),
    ("vim-first", "idle empty"),
    ("vim-insert-draft", "idle draft itext"),
    ("vim-normal", "idle unknown"),
    ("vim-normal-draft", "idle unknown"),
    ("busy", "working empty"),
    // The box is not always there while it works.
    ("busy-draft", "working draft typed while busy or working unknown"),
    ("busy-queued", "working empty or working unknown"),
    ("busy-queued-draft", "working draft more or working unknown"),
    ("busy-after-tool", "working empty or working unknown"),
    ("permission", "permission hidden"),
    ("permission-second", "permission hidden"),
    ("question", "question hidden"),
    ("start-trust", "nothing unknown"),
];
const COPILOT: Rows = &[
    ("idle-fresh", "idle empty"),
    ("idle-after-turn", "idle empty"),
    ("idle-after-dialogs", "idle empty"),
    ("cleared", "idle empty"),
    ("mode-plan", "idle empty"),
    ("mode-next", "idle empty"),
    ("exit-asked", "idle empty"),
    ("draft", "idle draft half typed"),
    ("draft-cursor-middle", "idle draft half typed"),
    ("draft-cursor-start", "idle draft half typed"),
    ("draft-wide", "idle draft half typed 日本語 ünïcödé 👍"),
    ("draft-two-lines", "idle draft first line second line"),
    ("draft-two-lines-cursor-up", "idle draft first line second line"),
    ("draft-long", "idle draft word word word"),
    ("draft-long-cursor-start", "idle draft word word word"),
    ("draft-blank", "idle draft"),
    ("draft-newline", "idle draft"),
    ("slash-menu", "idle draft /"),
    ("slash-menu-narrowed", "idle draft /mod"),
    ("shell-mode", "idle draft !"),
    ("shell-mode-draft", "idle draft !ls"),
    ("shell-mode-left", "idle empty"),
    ("at-menu", "idle draft @"),
    ("shortcuts", "idle unknown or nothing unknown"),
    ("history-search", "nothing unknown"),
    ("pasted-1", "idle draft pasted line 1"),
    ("pasted-2", "idle draft pasted line 1 pasted line 2"),
    ("pasted-5", "idle draft pasted line 1 pasted line 2"),
    ("pasted-30", "idle draft [paste #1 - 30 lines]"),
    ("pasted-30-after-text", "idle draft before [paste #2 - 30 lines]"),
    ("dialog-model", "dialog hidden"),
    ("dialog-theme", "dialog hidden"),
    ("dialog-help", "dialog hidden or nothing unknown"),
    ("dialog-mcp", "dialog hidden or nothing unknown"),
    ("dialog-resume", "dialog hidden or nothing unknown"),
    // No dialog: it is written into the conversation.
    ("dialog-usage", "idle empty"),
    ("busy", "working empty"),
    ("busy-draft", "working draft typed while busy"),
    ("busy-queued", "working empty"),
    ("busy-queued-draft", "working draft more"),
    ("busy-after-tool", "working empty or nothing unknown"),
    ("permission", "permission hidden"),
    ("permission-second", "permission hidden"),
    ("question", "question hidden"),
    ("start-trust", "dialog hidden"),
];

const CLAUDE: Rows = &[
    ("idle-fresh", "idle empty"),
    ("idle-after-dialogs", "idle empty"),
    ("idle-after-question", "idle empty"),
    // Seen once after a turn, and not when it was taken again.
    ("drawn-over", "nothing unknown"),
    ("idle-after-turn", "idle empty"),
    ("cleared", "idle empty"),
    ("draft", "idle draft half typed"),
    ("draft-cursor-middle", "idle draft half typed"),
    ("draft-cursor-start", "idle draft half typed"),
    ("draft-wide", "idle draft half typed 日本語 ünïcödé 👍"),
    ("draft-two-lines", "idle draft first line second line"),
    ("draft-two-lines-cursor-up", "idle draft first line second line"),
    ("draft-long", "idle draft word word word"),
    ("draft-long-cursor-start", "idle draft word word word"),
    ("draft-blank", "idle draft"),
    ("draft-newline", "idle draft"),
    ("slash-menu", "idle draft /"),
    ("slash-menu-narrowed", "idle draft /mod"),
    ("shell-mode", "idle draft !"),
    ("shell-mode-draft", "idle draft !ls"),
    ("shell-mode-left", "idle empty"),
    ("hash", "idle draft #"),
    ("at-menu", "idle draft @"),
    ("shortcuts-40x15", "nothing unknown"),
    ("shortcuts", "idle unknown"),
    ("history-search", "nothing unknown"),
    ("mode-accept-edits", "idle empty"),
    ("mode-plan", "idle empty"),
    ("mode-next", "idle empty"),
    ("transcript-view", "dialog hidden"),
    ("exit-asked", "idle empty"),
    ("exited", "nothing unknown"),
    ("suspended", "nothing unknown"),
    ("pasted-1", "idle draft pasted line 1"),
    ("pasted-2", "idle draft pasted line 1 pasted line 2"),
    ("pasted-5", "idle draft [pasted text #1 +4 lines]"),
    ("pasted-30", "idle draft [pasted text #"),
    ("pasted-30-after-text", "idle draft before [pasted text #"),
    ("dialog-model", "dialog hidden"),
    ("dialog-usage", "dialog hidden"),
    ("dialog-help", "dialog hidden"),
    ("dialog-config", "nothing unknown"),
    ("dialog-resume-40x15", "nothing unknown"),
    ("dialog-resume", "dialog hidden"),
    ("dialog-permissions", "dialog hidden"),
    ("busy", "working empty"),
    ("busy-draft", "working draft typed while busy"),
    ("busy-queued", "working empty"),
    ("busy-queued-draft", "working draft more"),
    ("busy-after-tool-40x15", "working unknown"),
    ("busy-after-tool", "working empty or nothing unknown"),
    ("permission", "permission hidden"),
    ("permission-second", "permission hidden"),
    ("question", "question hidden"),
    ("plan-dialog", "permission hidden"),
    ("interrupted", "idle draft do something"),
    ("interrupted-cleared", "idle empty"),
    ("rewind", "dialog hidden"),
    ("status-line", "idle empty"),
    ("status-line-draft", "idle draft text"),
    ("vim-insert", "idle empty"),
    ("vim-insert-draft", "idle draft text"),
    ("vim-normal-draft", "idle draft text"),
    ("vim-normal", "idle empty"),
    ("vim-normal-pasted", "idle draft pasted"),
    ("vim-visual", "idle unknown"),
    ("start-key", "dialog hidden"),
    ("start-trust", "dialog hidden"),
];

/// A return that the CLI took for a new line is one character more than the text has.
#[test]
fn taking_a_text_out_also_takes_out_the_returns_behind_it() {
    for name in ["codex", "gemini", "puppet"] {
        let keys = (find(name).expect("a driver").terminal.withdraw)("two\nlines 日本語");
        let backspaces = keys.iter().filter(|key| **key == 0x7f).count();
        assert!(backspaces > "two\nlines 日本語".chars().count() + 2, "{name}: {keys:?}");
    }
}
