//! The text in the input box, the cursor in it, and what was sent off before.

/// Positions are counted in characters.
#[derive(Debug, Default)]
pub(crate) struct Editor {
    text: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// Where in the history the person is, and the draft that waits meanwhile.
    visited: Option<(usize, String)>,
}

impl Editor {
    pub(crate) fn text(&self) -> String {
        self.text.iter().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn cursor(&self) -> usize {
        self.cursor
    }

    pub(crate) fn insert(&mut self, text: &str) {
        let letters: Vec<char> =
            text.chars().filter(|letter| *letter == '\n' || !letter.is_control()).collect();
        let count = letters.len();
        self.text.splice(self.cursor..self.cursor, letters);
        self.cursor += count;
    }

    pub(crate) fn backspace(&mut self) {
        if let Some(before) = self.cursor.checked_sub(1) {
            self.text.remove(before);
            self.cursor = before;
        }
    }

    pub(crate) fn left(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    pub(crate) fn right(&mut self) {
        self.cursor = (self.cursor + 1).min(self.text.len());
    }

    pub(crate) fn home(&mut self) {
        self.cursor = self.line_start();
    }

    pub(crate) fn end(&mut self) {
        self.cursor = self.line_end();
    }

    /// Take out the line up to the cursor; at its start, the newline before it.
    pub(crate) fn kill_line(&mut self) {
        let start = self.line_start();
        if start == self.cursor {
            self.backspace();
        } else {
            self.cut(start);
        }
    }

    pub(crate) fn kill_word(&mut self) {
        let is_blank = |at: usize| self.text.get(at).is_some_and(|letter| letter.is_whitespace());
        let mut start = self.cursor;
        while start > 0 && is_blank(start - 1) {
            start -= 1;
        }
        while start > 0 && !is_blank(start - 1) {
            start -= 1;
        }
        self.cut(start);
    }

    /// A line up, or, from the first line, the prompt before.
    pub(crate) fn up(&mut self) {
        let start = self.line_start();
        if start == 0 {
            let at = self.visited.as_ref().map_or(self.history.len(), |(at, _)| *at);
            if let Some(before) = at.checked_sub(1) {
                self.visit(before);
            }
            return;
        }
        let column = self.cursor - start;
        self.cursor = start - 1;
        let above = self.line_start();
        self.cursor = (above + column).min(start - 1);
    }

    /// A line down, or, from the last line, the prompt after.
    pub(crate) fn down(&mut self) {
        let end = self.line_end();
        if end == self.text.len() {
            match self.visited.take() {
                Some((at, draft)) if at + 1 >= self.history.len() => self.set(&draft),
                Some((at, draft)) => {
                    self.visited = Some((at, draft));
                    self.visit(at + 1);
                }
                None => {}
            }
            return;
        }
        let column = self.cursor - self.line_start();
        self.cursor = end + 1;
        self.cursor = (self.cursor + column).min(self.line_end());
    }

    /// Take the text out, to send it off.
    pub(crate) fn take(&mut self) -> String {
        let text = self.text();
        if !text.trim().is_empty() {
            self.history.push(text.clone());
        }
        self.clear();
        text
    }

    pub(crate) fn clear(&mut self) {
        self.visited = None;
        self.set("");
    }

    pub(crate) fn set(&mut self, text: &str) {
        self.text = text.chars().collect();
        self.cursor = self.text.len();
    }

    fn visit(&mut self, at: usize) {
        let Some(text) = self.history.get(at).cloned() else { return };
        let draft = self.visited.take().map_or_else(|| self.text(), |(_, draft)| draft);
        self.visited = Some((at, draft));
        self.set(&text);
    }

    fn cut(&mut self, start: usize) {
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }

    fn line_start(&self) -> usize {
        let before = self.text.iter().take(self.cursor);
        before.enumerate().rfind(|(_, letter)| **letter == '\n').map_or(0, |(at, _)| at + 1)
    }

    fn line_end(&self) -> usize {
        let after = self.text.iter().skip(self.cursor).position(|letter| *letter == '\n');
        after.map_or(self.text.len(), |at| self.cursor + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_edited() {
        let mut editor = Editor::default();
        editor.insert("one two");
        editor.kill_word();
        assert_eq!(editor.text(), "one ");
        editor.insert("\nüb日r");
        editor.left();
        editor.backspace();
        assert_eq!((editor.text().as_str(), editor.cursor()), ("one \nübr", 7));
        editor.home();
        assert_eq!(editor.cursor(), 5);
        editor.up();
        editor.end();
        editor.insert("x");
        assert_eq!(editor.text(), "one x\nübr");
        editor.down();
        editor.end();
        for _ in 0..4 {
            editor.kill_line();
        }
        assert!(editor.is_empty());
    }

    #[test]
    fn history_keeps_the_draft() {
        let mut editor = Editor::default();
        for text in ["first", "second"] {
            editor.insert(text);
            editor.take();
        }
        editor.insert("draft");
        editor.up();
        assert_eq!(editor.text(), "second");
        editor.up();
        editor.up();
        assert_eq!(editor.text(), "first");
        editor.down();
        editor.down();
        assert_eq!(editor.text(), "draft");
        editor.down();
        assert_eq!(editor.text(), "draft");
    }
}
