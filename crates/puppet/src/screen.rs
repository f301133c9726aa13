//! What is drawn: the conversation, and below it the input box between two rules, or a dialog.

use unicode_width::UnicodeWidthChar;

use crate::editor::Editor;

/// What stands where the input box is otherwise.
pub(crate) enum Front<'a> {
    Box(&'a Editor),
    /// A question with choices, one of them marked.
    Dialog {
        title: &'a str,
        text: &'a str,
        choices: &'a [String],
        marked: usize,
        hint: &'a str,
    },
}

pub(crate) struct Picture<'a> {
    pub(crate) lines: &'a [String],
    pub(crate) queued: &'a [String],
    /// What the spinner says, while it is busy.
    pub(crate) busy: Option<String>,
    pub(crate) front: Front<'a>,
    /// Commands that begin like the draft.
    pub(crate) menu: Vec<String>,
    pub(crate) footer: String,
    pub(crate) title: String,
}

const MARGIN: usize = 2;

impl Picture<'_> {
    /// The bytes that draw it on a terminal of this size.
    pub(crate) fn paint(&self, columns: usize, rows: usize) -> String {
        let (front, caret) = self.front(columns);
        let mut above: Vec<String> = self.lines.iter().flat_map(|line| wrapped(line, columns)).collect();
        if let Some(busy) = &self.busy {
            above.extend([String::new(), busy.clone()]);
        }
        above.extend(self.queued.iter().map(|prompt| format!("  queued: {}", prompt.replace('\n', " "))));
        let room = rows.saturating_sub(front.len());
        let above = above.get(above.len().saturating_sub(room)..).unwrap_or_default();
        let first = room.min(above.len());
        // What does not fit is cut at the top, so that the cursor stays in sight.
        let hidden = front.len().saturating_sub(rows);
        let mut out = format!("\x1b]0;{}\x07\x1b[?25l\x1b[H", self.title);
        let all = above.iter().chain(front.iter().skip(hidden));
        // Cleared first: behind a full row terminals do not agree on where the cursor is.
        let mut drawn = 0;
        for row in all {
            drawn += 1;
            out.push_str(&format!("\x1b[{drawn};1H\x1b[K{}", cut(row, columns)));
        }
        if drawn < rows {
            out.push_str(&format!("\x1b[{};1H\x1b[J", drawn + 1));
        }
        if let Some((row, column)) = caret {
            let row = (first + row).saturating_sub(hidden);
            out.push_str(&format!("\x1b[{};{}H\x1b[?25h", row + 1, column.min(columns - 1) + 1));
        }
        out
    }

    /// The rows at the bottom, and where in them the cursor is.
    fn front(&self, columns: usize) -> (Vec<String>, Option<(usize, usize)>) {
        let rule = "─".repeat(columns);
        match &self.front {
            Front::Box(editor) => {
                let (rows, (row, column)) = boxed(editor, columns);
                let mut all = vec![rule.clone()];
                all.extend(rows);
                all.push(rule);
                all.extend(self.menu.iter().map(|name| format!("  {name}")));
                all.push(format!("  {}", self.footer));
                (all, Some((row + 1, column)))
            }
            Front::Dialog { title, text, choices, marked, hint } => {
                let mut all = vec![rule, format!(" {title}")];
                all.extend(
                    wrapped(text, columns.saturating_sub(3)).into_iter().map(|row| format!("   {row}")),
                );
                for (at, choice) in choices.iter().enumerate() {
                    let mark = if at == *marked { '❯' } else { ' ' };
                    all.push(format!(" {mark} {}. {choice}", at + 1));
                }
                all.extend([String::new(), format!(" {hint}")]);
                (all, None)
            }
        }
    }
}

/// The rows of the box, and row and column of the cursor.
fn boxed(editor: &Editor, columns: usize) -> (Vec<String>, (usize, usize)) {
    let room = columns.saturating_sub(MARGIN + 1).max(2);
    let (mut rows, mut row, mut wide) = (Vec::new(), String::new(), 0);
    let mut caret = (0, MARGIN);
    for (at, letter) in editor.text().chars().enumerate() {
        let width = letter.width().unwrap_or(0);
        if wide + width > room {
            rows.push(std::mem::take(&mut row));
            wide = 0;
        }
        if at == editor.cursor() {
            caret = (rows.len(), MARGIN + wide);
        }
        if letter == '\n' {
            rows.push(std::mem::take(&mut row));
            wide = 0;
        } else {
            row.push(letter);
            wide += width;
        }
    }
    if editor.cursor() == editor.text().chars().count() {
        caret = (rows.len(), MARGIN + wide);
    }
    rows.push(row);
    let mark = |(at, row): (usize, String)| if at == 0 { format!("> {row}") } else { format!("  {row}") };
    (rows.into_iter().enumerate().map(mark).collect(), caret)
}

fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.lines() {
        let (mut row, mut wide) = (String::new(), 0);
        for letter in line.chars().filter(|letter| !letter.is_control()) {
            let width = letter.width().unwrap_or(0);
            if wide + width > columns.max(2) {
                rows.push(std::mem::take(&mut row));
                wide = 0;
            }
            row.push(letter);
            wide += width;
        }
        rows.push(row);
    }
    rows
}

fn cut(row: &str, columns: usize) -> String {
    wrapped(row, columns).into_iter().next().unwrap_or_default()
}
