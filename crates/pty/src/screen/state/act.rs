//! What each part of a program's output does to the state.

use super::{Cursor, State};
use crate::parse::{Act, Sequence};

impl Act for State {
    fn text(&mut self, text: &str) {
        if self.is_inserting || self.cursor.is_drawing[usize::from(self.cursor.is_shifted)] {
            text.chars().for_each(|c| self.write(c));
            return;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let (plain, others) = rest.split_at(rest.bytes().take_while(u8::is_ascii).count());
            self.write_ascii(plain.as_bytes());
            let (wide, plain) = others.split_at(others.find(|c: char| c.is_ascii()).unwrap_or(others.len()));
            wide.chars().for_each(|c| self.write(c));
            rest = plain;
        }
    }

    fn control(&mut self, byte: u8) {
        match byte {
            0x07 => {}
            0x08 => {
                self.cursor.col = self.cursor.col.saturating_sub(1);
                self.cursor.wraps = false;
            }
            b'\t' => self.tab(1),
            b'\n' | 0x0b | 0x0c => {
                self.index();
                if self.is_new_line {
                    self.cursor.col = 0;
                }
            }
            b'\r' => {
                self.cursor.col = 0;
                self.cursor.wraps = false;
            }
            0x0e => self.cursor.is_shifted = true,
            0x0f => self.cursor.is_shifted = false,
            // What does nothing is nothing between a character and its repetition either.
            _ => return,
        }
        self.last = None;
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        match (intermediates, last) {
            ([], b'7') => self.save(),
            ([], b'8') => self.restore(),
            ([], b'D') => self.index(),
            ([], b'E') => {
                self.index();
                self.cursor.col = 0;
            }
            ([], b'H') => {
                let col = self.cursor.col;
                self.tabs[col] = true;
            }
            ([], b'M') => self.reverse_index(),
            ([], b'c') => self.reset(),
            ([], b'=') => self.modes.is_keypad_application = true,
            ([], b'>') => self.modes.is_keypad_application = false,
            ([b'#'], b'8') => self.align(),
            ([b'('], set) => self.cursor.is_drawing[0] = set == b'0',
            ([b')'], set) => self.cursor.is_drawing[1] = set == b'0',
            _ => {}
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        let count = usize::from(sequence.count(0, 1));
        let Cursor { row, col, style, .. } = self.cursor;
        let blank = style.erased();
        match (sequence.private, sequence.intermediates.as_slice(), sequence.last) {
            (None, [], b'@') => {
                self.cursor.wraps = false;
                self.grid_mut().insert(row, col, count, blank);
            }
            (None, [], b'A') => self.up(count),
            (None, [], b'B' | b'e') => self.down(count),
            (None, [], b'C' | b'a') => self.go(row, col + count),
            (None, [], b'D') => self.go(row, col.saturating_sub(count)),
            (None, [], b'E') => {
                self.down(count);
                self.cursor.col = 0;
            }
            (None, [], b'F') => {
                self.up(count);
                self.cursor.col = 0;
            }
            (None, [], b'G' | b'`') => self.go(row, count - 1),
            (None, [], b'H' | b'f') => self.go_in_page(count - 1, usize::from(sequence.count(1, 1)) - 1),
            (None, [], b'I') => self.tab(count),
            (None | Some(b'?'), [], b'J') => self.erase_display(sequence.value(0)),
            (None | Some(b'?'), [], b'K') => self.erase_line(sequence.value(0)),
            (None, [], b'L') => self.shift_lines(sequence, true),
            (None, [], b'M') => self.shift_lines(sequence, false),
            (None, [], b'P') => {
                self.cursor.wraps = false;
                self.grid_mut().delete(row, col, count, blank);
            }
            (None, [], b'S') => {
                let (top, end) = (self.top, self.end);
                self.grid_mut().scroll_up(top, end, count, blank);
            }
            (None, [], b'T') if sequence.parameters.len() < 2 => {
                let (top, end) = (self.top, self.end);
                self.grid_mut().scroll_down(top, end, count, blank);
            }
            (None, [], b'X') => {
                self.cursor.wraps = false;
                self.grid_mut().erase(row, col, col.saturating_add(count), blank);
            }
            (None, [], b'Z') => self.tab_back(count),
            (None, [], b'b') => {
                if let Some(last) = self.last {
                    // More than a screen of them looks no different.
                    (0..count.min(self.rows() * self.cols())).for_each(|_| self.write(last));
                }
            }
            (None, [], b'd') => self.go_in_page(count - 1, col),
            (None, [], b'g') => match sequence.value(0) {
                0 => self.tabs[col] = false,
                3 => self.tabs.fill(false),
                _ => {}
            },
            (None, [], b'h' | b'l') => {
                let is_on = sequence.last == b'h';
                sequence
                    .parameters
                    .iter()
                    .filter_map(|mode| mode.value)
                    .for_each(|mode| self.mode(mode, is_on));
            }
            (Some(b'?'), [], b'h' | b'l') => {
                let is_on = sequence.last == b'h';
                let modes = sequence.parameters.iter().filter_map(|mode| mode.value);
                modes.for_each(|mode| self.private_mode(mode, is_on));
            }
            (None, [], b'm') => self.cursor.style.select(sequence),
            (Some(b'>'), [], b'm') if sequence.value(0) == 4 => self.modes.other_keys = sequence.value(1),
            (None, [], b'r') => self.set_margins(sequence),
            // With parameters these are something else.
            (None, [], b's') if sequence.parameters.is_empty() => self.save(),
            (None, [], b'u') if sequence.parameters.is_empty() => self.restore(),
            (Some(b'>' | b'<' | b'='), [], b'u') => {
                let is_alternate = self.is_alternate;
                self.modes.keyboard(sequence, is_alternate);
            }
            (None, [], b't') => self.modes.stack_title(sequence),
            (None, [b' '], b'q') => self.modes.cursor_style = sequence.value(0).min(6),
            (None, [b'!'], b'p') => self.reset_softly(),
            _ => {}
        }
    }

    fn command(&mut self, command: &[u8]) {
        if let [b'0' | b'2', b';', title @ ..] = command {
            self.modes.set_title(title);
        }
    }

    fn string(&mut self) {}
}

/// A character of the line drawing set.
pub(super) fn drawn(c: char) -> char {
    const DRAWN: &str = " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";
    match c {
        '_'..='~' => DRAWN.chars().nth(c as usize - '_' as usize).unwrap_or(c),
        _ => c,
    }
}
