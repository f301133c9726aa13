//! How things look. ANSI colours only, and of those the four that can be read on light and on dark; the terminal's own
//! foreground and background for everything else.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of text is, which decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    #[default]
    Text,
    /// Beside the point.
    Dim,
    Strong,
    /// A key that can be pressed.
    Key,
    /// Where the cursor is.
    Here,
    /// Where the cursor would be if one went there.
    There,
    /// It is done, it runs, it was added.
    Good,
    /// It failed, it is blocked, it was removed.
    Bad,
    /// Somebody should look at it.
    Warm,
    /// A name of something: a ticket, an agent, code.
    Name,
}

/// Whether the terminal is given colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Palette {
    #[default]
    Ansi,
    /// `NO_COLOR` is set: bold, dim and reversed alone.
    Plain,
}

impl Palette {
    pub fn style(self, look: Look) -> Style {
        let style = Style::new();
        let coloured = |color: Color| match self {
            Self::Ansi => style.fg(color),
            Self::Plain => style,
        };
        match look {
            Look::Text => style,
            Look::Dim => style.add_modifier(Modifier::DIM),
            Look::Strong => style.add_modifier(Modifier::BOLD),
            Look::Key => coloured(Color::Cyan).add_modifier(Modifier::BOLD),
            // What is dim or coloured cannot be read when it is reversed.
            Look::Here => {
                let plain = style.fg(Color::Reset).bg(Color::Reset).remove_modifier(Modifier::DIM);
                plain.add_modifier(Modifier::REVERSED)
            }
            Look::There => style.add_modifier(Modifier::UNDERLINED),
            Look::Good => coloured(Color::Green),
            Look::Bad => coloured(Color::Red).add_modifier(Modifier::BOLD),
            Look::Warm => coloured(Color::Magenta).add_modifier(Modifier::BOLD),
            Look::Name => coloured(Color::Cyan),
        }
    }
}

/// The look of a status.
pub fn status(word: &str) -> Look {
    match word {
        "blocked" => Look::Bad,
        "rework" | "review" => Look::Warm,
        "in-progress" => Look::Name,
        "done" => Look::Good,
        _ => Look::Text,
    }
}

/// The look of a priority.
pub fn priority(word: &str) -> Look {
    match word {
        "P0" => Look::Bad,
        "P1" => Look::Warm,
        "P2" | "P3" => Look::Text,
        _ => Look::Dim,
    }
}

/// The look of what an agent is doing.
pub fn agent(state: &str) -> Look {
    match state {
        "idle" | "exited" => Look::Dim,
        "waiting-permission" | "waiting-answer" => Look::Warm,
        _ => Look::Good,
    }
}
