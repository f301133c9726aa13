//! How characters look.

use crate::parse::{Parameter, Sequence};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Color {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// Colours and attributes of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    pub foreground: Color,
    pub background: Color,
    pub underline_color: Color,
    /// 0: none, 1: single, 2: double, 3: curly, 4: dotted, 5: dashed.
    pub underline: u8,
    pub bold: bool,
    pub faint: bool,
    pub italic: bool,
    pub blink: bool,
    pub inverse: bool,
    pub hidden: bool,
    pub strikethrough: bool,
    pub overline: bool,
}

impl Style {
    /// What an erased cell keeps: the background.
    pub(super) fn erased(self) -> Self {
        Self { background: self.background, ..Self::default() }
    }

    /// Select graphic rendition.
    pub(super) fn select(&mut self, sequence: &Sequence) {
        if sequence.parameters.is_empty() {
            *self = Self::default();
        }
        let mut rest = sequence.parameters.as_slice();
        while let Some((first, after)) = rest.split_first() {
            let subs = after.iter().take_while(|parameter| parameter.is_sub).count();
            let (subs, others) = after.split_at(subs);
            rest = others;
            match first.value.unwrap_or(0) {
                color @ (38 | 48 | 58) => {
                    let (found, used) =
                        if subs.is_empty() { color_after(others) } else { (color_of_subs(subs), 0) };
                    rest = others.get(used..).unwrap_or_default();
                    if let Some(found) = found {
                        *self.color_mut(color) = found;
                    }
                }
                4 => self.underline = subs.first().map_or(1, |style| style.value.unwrap_or(0).min(5) as u8),
                value => self.set(value),
            }
        }
    }

    fn color_mut(&mut self, which: u16) -> &mut Color {
        match which {
            38 => &mut self.foreground,
            48 => &mut self.background,
            _ => &mut self.underline_color,
        }
    }

    fn set(&mut self, value: u16) {
        match value {
            0 => *self = Self::default(),
            1 => self.bold = true,
            2 => self.faint = true,
            3 => self.italic = true,
            5 | 6 => self.blink = true,
            7 => self.inverse = true,
            8 => self.hidden = true,
            9 => self.strikethrough = true,
            21 => self.underline = 2,
            22 => (self.bold, self.faint) = (false, false),
            23 => self.italic = false,
            24 => self.underline = 0,
            25 => self.blink = false,
            27 => self.inverse = false,
            28 => self.hidden = false,
            29 => self.strikethrough = false,
            30..=37 => self.foreground = Color::Indexed((value - 30) as u8),
            39 => self.foreground = Color::Default,
            40..=47 => self.background = Color::Indexed((value - 40) as u8),
            49 => self.background = Color::Default,
            53 => self.overline = true,
            55 => self.overline = false,
            59 => self.underline_color = Color::Default,
            90..=97 => self.foreground = Color::Indexed((value - 90 + 8) as u8),
            100..=107 => self.background = Color::Indexed((value - 100 + 8) as u8),
            _ => {}
        }
    }

    /// The sequence that selects this look, whatever was selected before.
    pub(super) fn push_selection(&self, into: &mut Vec<u8>) {
        let mut text = String::from("\x1b[0");
        let flags = [
            (self.bold, "1"),
            (self.faint, "2"),
            (self.italic, "3"),
            (self.blink, "5"),
            (self.inverse, "7"),
            (self.hidden, "8"),
            (self.strikethrough, "9"),
            (self.overline, "53"),
        ];
        for (_, code) in flags.iter().filter(|(is_on, _)| *is_on) {
            text.push(';');
            text.push_str(code);
        }
        match self.underline {
            0 => {}
            1 => text.push_str(";4"),
            style => text.push_str(&format!(";4:{style}")),
        }
        for (color, base) in [(self.foreground, 38), (self.background, 48), (self.underline_color, 58)] {
            match color {
                Color::Default => {}
                Color::Indexed(index @ 0..8) if base != 58 => {
                    text.push_str(&format!(";{}", base - 8 + u16::from(index)));
                }
                Color::Indexed(index) => text.push_str(&format!(";{base};5;{index}")),
                Color::Rgb(r, g, b) => text.push_str(&format!(";{base};2;{r};{g};{b}")),
            }
        }
        text.push('m');
        into.extend_from_slice(text.as_bytes());
    }
}

fn byte(parameter: Option<&Parameter>) -> Option<u8> {
    u8::try_from(parameter?.value.unwrap_or(0)).ok()
}

/// A colour as further parameters: `38;5;n` or `38;2;r;g;b`. How many of them it took.
fn color_after(rest: &[Parameter]) -> (Option<Color>, usize) {
    match rest.first().and_then(|kind| kind.value) {
        Some(5) => (byte(rest.get(1)).map(Color::Indexed), 2),
        Some(2) => {
            let rgb = (byte(rest.get(1)), byte(rest.get(2)), byte(rest.get(3)));
            let (Some(r), Some(g), Some(b)) = rgb else { return (None, 4) };
            (Some(Color::Rgb(r, g, b)), 4)
        }
        _ => (None, 0),
    }
}

/// A colour in one parameter: `38:5:n`, `38:2:r:g:b` or `38:2:space:r:g:b`.
fn color_of_subs(subs: &[Parameter]) -> Option<Color> {
    match subs {
        [Parameter { value: Some(5), .. }, index, ..] => byte(Some(index)).map(Color::Indexed),
        [Parameter { value: Some(2), .. }, rest @ ..] => {
            let rgb = if rest.len() > 3 { rest.get(1..4)? } else { rest.get(..3)? };
            Some(Color::Rgb(byte(rgb.first())?, byte(rgb.get(1))?, byte(rgb.get(2))?))
        }
        _ => None,
    }
}
