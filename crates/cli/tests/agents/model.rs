//! What a person believes of an input box, and dice that fall the same way again.

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

/// Numbers that look random and are the same for the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    /// A number below this one. (SplitMix64.)
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mix(self.0) % end.max(1) as u64).expect("a small number")
    }

    /// The same without a throw.
    pub fn peek(&self, end: usize) -> usize {
        usize::try_from(mix(!self.0) % end.max(1) as u64).expect("a small number")
    }

    /// One to four words.
    pub fn words(&mut self) -> String {
        const WORDS: [&str; 12] = [
            "fix", "the", "login", "größer", "日本", "a", "test-run", "'quoted'", "x=1;", "naïve", "🚂",
            "done?",
        ];
        let count = self.below(4) + 1;
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }
}

fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
