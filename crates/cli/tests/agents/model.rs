//! What a person believes of an input box.

/// The text and the cursor, as every line editor has them.
#[derive(Default)]
pub struct Editor {
    text: Vec<char>,
    cursor: usize,
}

impl Editor {
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn insert(&mut self, text: &str) {
        for letter in text.chars() {
            self.text.insert(self.cursor, letter);
            self.cursor += 1;
        }
    }

    pub fn backspace(&mut self) {
        if self.cursor > 0 {
            self.cursor -= 1;
            self.text.remove(self.cursor);
        }
    }

    pub fn left(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    pub fn right(&mut self) {
        self.cursor = (self.cursor + 1).min(self.text.len());
    }

    pub fn home(&mut self) {
        while self.cursor > 0 && self.text[self.cursor - 1] != '\n' {
            self.cursor -= 1;
        }
    }

    pub fn end(&mut self) {
        while self.cursor < self.text.len() && self.text[self.cursor] != '\n' {
            self.cursor += 1;
        }
    }

    /// The line before the cursor; at its start, the end of the line above.
    pub fn kill_line(&mut self) {
        let to = self.cursor;
        self.home();
        if self.cursor == to {
            self.backspace();
        } else {
            self.text.drain(self.cursor..to);
        }
    }

    pub fn kill_word(&mut self) {
        let to = self.cursor;
        while self.cursor > 0 && self.text[self.cursor - 1].is_whitespace() {
            self.cursor -= 1;
        }
        while self.cursor > 0 && !self.text[self.cursor - 1].is_whitespace() {
            self.cursor -= 1;
        }
        self.text.drain(self.cursor..to);
    }

    /// Send it off.
    pub fn take(&mut self) -> String {
        let text = self.text();
        *self = Self::default();
        text
    }
}
