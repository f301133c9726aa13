//! The terminal: raw while the puppet plays, as it was before on every way out, and how big it is.

use std::io::{IsTerminal, Write};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

pub(crate) struct Raw {
    before: Termios,
}

/// Bracketed paste, the alternate screen; and back, with the cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?2004h";
const LEAVE: &str = "\x1b[?2004l\x1b[?25h\x1b[?1049l\x1b]0;\x07";

impl Raw {
    pub(crate) fn enter() -> std::io::Result<Self> {
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return Err(std::io::Error::other(
                "it needs a terminal; give a prompt with -p where there is none",
            ));
        }
        let before = tcgetattr(std::io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(std::io::stdin(), OptionalActions::Now, &raw)?;
        write(ENTER);
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        write(LEAVE);
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// Columns and rows.
pub(crate) fn size() -> (usize, usize) {
    let size = tcgetwinsize(std::io::stdout()).map(|size| (size.ws_col.into(), size.ws_row.into()));
    match size {
        Ok((columns @ 1.., rows @ 1..)) => (columns, rows),
        _ => (80, 24),
    }
}

pub(crate) fn write(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
