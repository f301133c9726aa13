//! What the person is asked, in a box above the keys.

use ratatui::layout::{Position, Rect};

use super::Pen;
use crate::prompt::{Choice, Prompt, Purpose};
use crate::state::State;
use crate::style::Look;
use crate::text;

/// Draw it; where the next character would go.
pub fn draw(state: &State, pen: &mut Pen<'_>) -> Option<Position> {
    match state.prompt.as_ref()? {
        prompt @ Prompt::Line { purpose, line, refused } => {
            let width = state.cols - 2;
            let inner = usize::from(width - 4);
            let mut above: Vec<(Look, String)> = Vec::new();
            if let Purpose::Answer { question, options, .. } = purpose {
                let question = text::wrap(question, inner).into_iter().take(6);
                above.extend(question.map(|line| (Look::Strong, line)));
                let options = options.iter().enumerate().map(|(at, option)| format!("{} {option}", at + 1));
                above.extend(options.map(|option| (Look::Text, option)));
            }
            let refused = refused.iter().enumerate().flat_map(|(at, words)| {
                let look = if at == 0 { Look::Bad } else { Look::Text };
                text::wrap(words, inner).into_iter().map(move |line| (look, line))
            });
            above.extend(refused);
            above.truncate(usize::from(state.rows - 6));
            let height = u16::try_from(above.len()).unwrap_or(0) + 3;
            let area = Rect::new(1, state.rows - height, width, height);
            pen.frame(area, &prompt.title());
            for (y, (look, words)) in (area.y + 1..).zip(&above) {
                pen.put(area.x + 2, y, width - 4, words, *look);
            }
            let y = area.bottom() - 2;
            let (shown, column) = window(&line.text, line.cursor, inner.saturating_sub(1));
            pen.put(area.x + 2, y, width - 4, &shown, Look::Text);
            let keys = " Enter sends, Esc gives up ";
            pen.put(area.right() - 30, area.bottom() - 1, 28, keys, Look::Dim);
            Some(Position::new(area.x + 2 + column, y))
        }
        prompt @ Prompt::Choose { choice, options, cursor } => {
            let widest = options.iter().map(|option| text::width(option)).max().unwrap_or(0);
            let widest = widest.max(text::width(&prompt.title())).max(24);
            let width = u16::try_from(widest + 10).unwrap_or(u16::MAX).min(state.cols - 2);
            let count = u16::try_from(options.len().max(1)).unwrap_or(u16::MAX);
            let height = count.saturating_add(2).min(state.rows - 4);
            let area = Rect::new((state.cols - width) / 2, (state.rows - height) / 2, width, height);
            pen.frame(area, &prompt.title());
            if options.is_empty() {
                let words =
                    if *choice == Choice::Project { "There is no project yet." } else { "Reading …" };
                pen.put(area.x + 2, area.y + 1, width - 4, words, Look::Dim);
            }
            let shown = usize::from(height - 2);
            let top = (cursor + 1).saturating_sub(shown);
            for (y, (at, option)) in (area.y + 1..).zip(options.iter().enumerate().skip(top).take(shown)) {
                if at < 9 {
                    pen.put(area.x + 2, y, 2, &(at + 1).to_string(), Look::Key);
                }
                pen.put(area.x + 4, y, width - 6, option, Look::Text);
                if at == *cursor {
                    pen.mark(Rect::new(area.x + 1, y, width - 2, 1), Look::Here);
                }
            }
            None
        }
    }
}

/// The part of a line around its cursor that fits, and the column of the cursor in it.
fn window(line: &str, cursor: usize, most: usize) -> (String, u16) {
    let before = text::plain(&line[..cursor]).into_owned();
    let after = text::plain(&line[cursor..]).into_owned();
    let mut kept = before.as_str();
    while text::width(kept) > most {
        let mut chars = kept.chars();
        chars.next();
        kept = chars.as_str();
    }
    let column = u16::try_from(text::width(kept)).unwrap_or(0);
    (format!("{kept}{after}"), column)
}
