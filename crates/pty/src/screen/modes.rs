//! What a program has switched on in its terminal, other than what it shows.

use crate::parse::Sequence;

/// Private modes that change how the terminal reports to the program, and are put back on by a replay.
const REPORTING: &[u16] = &[
    1, 9, 12, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1034, 1036, 2004, 2027, 2031, 2048,
];
const MOUSE: &[u16] = &[9, 1000, 1001, 1002, 1003];
const MOUSE_CODINGS: &[u16] = &[1005, 1006, 1015, 1016];
/// How deep keyboard modes and titles may be stacked. Terminals have such a limit too.
const DEEPEST: usize = 16;
/// How much of a title is kept, in characters.
const LONGEST_TITLE: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Modes {
    /// Of [`REPORTING`], in order.
    on: Vec<u16>,
    pub is_cursor_hidden: bool,
    pub is_reversed: bool,
    /// The program is in the middle of drawing.
    pub is_synchronizing: bool,
    pub is_keypad_application: bool,
    /// As DECSCUSR has it; 0 is the terminal's own.
    pub cursor_style: u16,
    /// What xterm's `modifyOtherKeys` is set to.
    pub other_keys: u16,
    /// Flags of the keyboard protocol, of the primary and of the alternate screen.
    keyboard: [Vec<u16>; 2],
    pub title: String,
    titles: Vec<String>,
}

impl Modes {
    pub fn is_on(&self, mode: u16) -> bool {
        self.on.contains(&mode)
    }

    pub fn reports_mouse(&self) -> bool {
        MOUSE.iter().any(|mode| self.is_on(*mode))
    }

    /// Switch a private mode. Those of the screen itself are not dealt with here.
    pub fn switch(&mut self, mode: u16, is_on: bool) {
        match mode {
            5 => self.is_reversed = is_on,
            25 => self.is_cursor_hidden = !is_on,
            2026 => self.is_synchronizing = is_on,
            _ if REPORTING.contains(&mode) => {
                self.on.retain(|other| *other != mode);
                // Of these the last one counts, and switching any off switches all off.
                for group in [MOUSE, MOUSE_CODINGS] {
                    if group.contains(&mode) {
                        self.on.retain(|other| !group.contains(other));
                    }
                }
                if is_on {
                    self.on.push(mode);
                    self.on.sort_unstable();
                }
            }
            _ => {}
        }
    }

    /// The keyboard protocol: `CSI > flags u` pushes, `CSI < n u` pops, `CSI = flags ; how u` changes.
    pub fn keyboard(&mut self, sequence: &Sequence, is_alternate: bool) {
        let Some(stack) = self.keyboard.get_mut(usize::from(is_alternate)) else { return };
        match sequence.private {
            Some(b'>') => {
                if stack.len() >= DEEPEST {
                    stack.remove(0);
                }
                stack.push(sequence.value(0));
            }
            Some(b'<') => {
                let left = stack.len().saturating_sub(usize::from(sequence.count(0, 1)));
                stack.truncate(left);
            }
            Some(b'=') => {
                if stack.is_empty() {
                    stack.push(0);
                }
                if let Some(top) = stack.last_mut() {
                    let flags = sequence.value(0);
                    *top = match sequence.count(1, 1) {
                        1 => flags,
                        2 => *top | flags,
                        _ => *top & !flags,
                    };
                }
            }
            _ => {}
        }
    }

    pub fn set_title(&mut self, title: &[u8]) {
        let text = String::from_utf8_lossy(title);
        self.title = text.chars().filter(|c| !c.is_control()).take(LONGEST_TITLE).collect();
    }

    /// `CSI 22 t` and `CSI 23 t`.
    pub fn stack_title(&mut self, sequence: &Sequence) {
        match sequence.value(0) {
            22 if self.titles.len() < DEEPEST => self.titles.push(self.title.clone()),
            23 => self.title = self.titles.pop().unwrap_or_else(|| std::mem::take(&mut self.title)),
            _ => {}
        }
    }

    /// What a soft reset leaves alone is the title and what is reported.
    pub fn reset_softly(&mut self) {
        self.is_cursor_hidden = false;
        self.is_keypad_application = false;
        self.switch(1, false);
    }

    /// Everything but the title back to how a terminal begins.
    pub fn reset(&mut self) {
        let title = std::mem::take(&mut self.title);
        *self = Self { title, ..Self::default() };
    }

    /// The keyboard's stack of one of the screens, put in the place of whatever is there.
    pub fn push_keyboard(&self, is_alternate: bool, into: &mut Vec<u8>) {
        let stack = self.keyboard.get(usize::from(is_alternate)).map_or(&[][..], Vec::as_slice);
        into.extend_from_slice(format!("\x1b[<{DEEPEST}u").as_bytes());
        for flags in stack {
            into.extend_from_slice(format!("\x1b[>{flags}u").as_bytes());
        }
    }

    /// Everything else, put in the place of whatever is there.
    pub fn push_rest(&self, into: &mut Vec<u8>) {
        let mut switch = |mode: u16, is_on: bool| {
            into.extend_from_slice(format!("\x1b[?{mode}{}", if is_on { 'h' } else { 'l' }).as_bytes());
        };
        // All off first: some of them exclude each other.
        for mode in REPORTING.iter().filter(|mode| !self.is_on(**mode)) {
            switch(*mode, false);
        }
        for mode in &self.on {
            switch(*mode, true);
        }
        switch(5, self.is_reversed);
        switch(25, !self.is_cursor_hidden);
        into.extend_from_slice(if self.is_keypad_application { b"\x1b=" } else { b"\x1b>" });
        into.extend_from_slice(format!("\x1b[{} q", self.cursor_style).as_bytes());
        into.extend_from_slice(format!("\x1b[>4;{}m", self.other_keys).as_bytes());
        if !self.is_synchronizing {
            into.extend_from_slice(b"\x1b[?2026l");
        }
    }

    /// What puts a terminal right whose program is gone and left these on.
    pub fn push_undo(&self, into: &mut Vec<u8>) {
        let mut switch = |mode: u16, is_on: bool| {
            into.extend_from_slice(format!("\x1b[?{mode}{}", if is_on { 'h' } else { 'l' }).as_bytes());
        };
        for mode in &self.on {
            switch(*mode, false);
        }
        if self.is_synchronizing {
            switch(2026, false);
        }
        if self.is_reversed {
            switch(5, false);
        }
        if self.is_cursor_hidden {
            switch(25, true);
        }
        if self.is_keypad_application {
            into.extend_from_slice(b"\x1b>");
        }
        if self.cursor_style != 0 {
            into.extend_from_slice(b"\x1b[0 q");
        }
        if self.other_keys != 0 {
            into.extend_from_slice(b"\x1b[>4;0m");
        }
    }

    pub fn keyboard_depth(&self, is_alternate: bool) -> usize {
        self.keyboard.get(usize::from(is_alternate)).map_or(0, Vec::len)
    }

    #[cfg(test)]
    pub fn forget_titles(&mut self) {
        self.title.clear();
        self.titles.clear();
    }

    #[cfg(test)]
    pub fn forget_alternate_keyboard(&mut self) {
        self.keyboard[1].clear();
    }
}
