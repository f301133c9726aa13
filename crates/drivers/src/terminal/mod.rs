//! Reading a CLI's screen: what it does, and whether a text can be put into its input box.
//!
//! A screen is the weakest witness, because it lags behind and was drawn for people. So each reader knows the few
//! looks that it was shown, on the version it says, and answers [`InputBox::Unknown`] to any other. The one mistake that
//! must never happen is to call a box empty that is not, or that is not where keys go.

use std::time::Duration;

mod look;
mod sight;

pub use sight::{NoSight, Sight};

pub(crate) use look::{Place, fold, is_rule, shows_words};

/// How one CLI looks and is typed into.
pub struct Terminal {
    /// The version that the looks were taken from.
    pub seen_on: &'static str,
    /// What a sight says. Pure, and quick enough for every change of the screen.
    pub read: fn(&Sight) -> Reading,
    /// What sends off the text in the box.
    pub submit: &'static str,
    /// What takes a text out of the box again that was pasted while it was empty.
    pub withdraw: fn(&str) -> Vec<u8>,
    /// What happens to a text that is sent off while the CLI is busy.
    pub while_busy: WhileBusy,
    /// How far the screen may lag behind the keys, on a busy machine. A box that looks empty may hold what the person typed
    /// within this time.
    pub lag: Duration,
    /// How long after a paste has shown a return may still be taken for a part of it.
    pub settle: Duration,
    /// Whether this text in the box stands for a paste that was too long to be shown.
    pub collapsed: fn(&str) -> bool,
}

/// What a CLI does with a text that is sent off while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhileBusy {
    /// It keeps the text and takes it later. Seen on the real program.
    Queues,
    /// Nobody knows, so nothing is sent.
    Unknown,
}

/// What a sight says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// What the CLI does; `None` where the screen does not say.
    pub activity: Option<Activity>,
    /// What on the screen says so.
    pub because: &'static str,
    pub input: InputBox,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    Idle,
    Working,
    /// It asks whether it may do something. Enter says yes in most CLIs.
    Permission,
    /// It asks the person a question of the model's.
    Question,
    /// Something that the person opened, or that comes at the start: a menu, settings, a question about trust.
    Dialog,
}

/// The place where a prompt is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputBox {
    /// It is there, keys go into it, and nothing is in it.
    Empty,
    /// What is in it, as far as it is shown: rows are joined by newlines, whether they were wrapped or typed so.
    Draft(String),
    /// Something else has the keys.
    Hidden,
    /// The screen is not understood.
    Unknown,
}

impl Reading {
    pub(crate) fn new(activity: Option<Activity>, because: &'static str, input: InputBox) -> Self {
        Self { activity, because, input }
    }

    /// Something else than the box has the keys.
    pub(crate) fn hidden(activity: Activity, because: &'static str) -> Self {
        Self::new(Some(activity), because, InputBox::Hidden)
    }

    pub(crate) fn unknown(because: &'static str) -> Self {
        Self::new(None, because, InputBox::Unknown)
    }

    /// A sight of which nothing is known.
    pub fn nothing(_: &Sight) -> Self {
        Self::unknown("nobody knows how this program looks")
    }
}

/// So much of the end of a text is enough to know it by.
const TELLING: usize = 60;

/// How a text that was put into the box looks there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// All of it is shown, and nothing else.
    Whole,
    /// It is shown as a mark that stands for it, and nothing else is.
    Collapsed,
    /// Its end is shown, and nothing else: the beginning is out of sight, if it is too long for the window.
    End,
    /// Part of it is shown: the rest is out of sight, or still to come.
    Partly,
    /// All of it is shown, behind something that was there before.
    Behind,
    /// Something is there that was not put in.
    Other,
}

impl Terminal {
    /// Whether the box shows a text that was put into it while it was empty. White space is not compared: it is lost
    /// where lines are wrapped.
    pub fn echo(&self, input: &InputBox, text: &str) -> Echo {
        let InputBox::Draft(draft) = input else {
            return if *input == InputBox::Empty { Echo::Partly } else { Echo::Other };
        };
        let (shown, wanted) = (fold(draft), fold(text));
        if shown == wanted {
            Echo::Whole
        } else if (self.collapsed)(draft) {
            Echo::Collapsed
        } else if shown.chars().count() >= TELLING && wanted.ends_with(&shown) {
            Echo::End
        } else if !shown.is_empty() && wanted.contains(&shown) {
            Echo::Partly
        } else if !wanted.is_empty() && shown.ends_with(&wanted) {
            Echo::Behind
        } else {
            Echo::Other
        }
    }
}

/// As many of a key as there are characters, and some more: on an empty box it does nothing, and a return that the CLI took
/// for a part of the text is one more to take out.
pub(crate) fn backspaces(text: &str) -> Vec<u8> {
    const SPARE: usize = 8;
    vec![0x7f; text.chars().count() + SPARE]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_shows_a_text_whole_in_part_or_not_at_all() {
        let terminal = &crate::find("goose").expect("a driver").terminal;
        let text = format!("{}the end", "one of many words ".repeat(10));
        let end = &text[text.len() - 90..];
        for (draft, echo) in [
            (text.as_str(), Echo::Whole),
            (&text.replace(' ', "\n"), Echo::Whole),
            (end, Echo::End),
            ("the end", Echo::Partly),
            (&text[..90], Echo::Partly),
            (&format!("half a line {text}"), Echo::Behind),
            (&format!("{end}, and more"), Echo::Other),
            (&format!("half a line {end}"), Echo::Other),
        ] {
            assert_eq!(terminal.echo(&InputBox::Draft(draft.to_owned()), &text), echo, "{draft}");
        }
        assert_eq!(terminal.echo(&InputBox::Empty, &text), Echo::Partly);
        assert_eq!(terminal.echo(&InputBox::Unknown, &text), Echo::Other);
    }
}
