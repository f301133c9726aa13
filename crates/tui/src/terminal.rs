//! The person's terminal: taken over, drawn on, and given back on every way out.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

/// The other screen, no cursor, clicks and drags and the wheel, pastes that are marked.
const TAKE: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[2J";
const GIVE_BACK: &[u8] = b"\x1b[?2026l\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[0m\x1b[?25h\x1b[?1049l";
/// Terminals that know it show everything between the two at once.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// Whether the terminal is ours now, for a thread that panics.
static IS_OURS: AtomicBool = AtomicBool::new(false);
/// The settings that it had.
static SETTINGS: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal while it is ours.
pub struct Terminal {
    backend: CrosstermBackend<BufWriter<Stdout>>,
    /// What it shows.
    shown: Buffer,
    /// It may show anything.
    is_unknown: bool,
}

impl Terminal {
    /// Take it over.
    pub fn take() -> io::Result<Self> {
        let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout()));
        let mut terminal = Self { backend, shown: Buffer::empty(Rect::ZERO), is_unknown: true };
        terminal.take_again()?;
        Ok(terminal)
    }

    /// Take it over after it was given back, or after somebody else's hands were on it.
    pub fn take_again(&mut self) -> io::Result<()> {
        // Those from the beginning count: a program that was killed in between may have left others.
        let mut settings = SETTINGS.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = settings.get_or_insert(tcgetattr(io::stdin())?);
        let mut raw = settings.clone();
        raw.make_raw();
        IS_OURS.store(true, Ordering::Release);
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        self.is_unknown = true;
        self.backend.write_all(TAKE)?;
        io::Write::flush(&mut self.backend)
    }

    /// Columns and rows.
    pub fn size() -> io::Result<(u16, u16)> {
        let size = tcgetwinsize(io::stdout())?;
        Ok((size.ws_col, size.ws_row))
    }

    /// Show a picture. Only what differs from the last one is written.
    pub fn show(&mut self, picture: Buffer, cursor: Option<Position>) -> io::Result<()> {
        // A thread that died has given the terminal back; nothing is drawn on somebody else's.
        if !IS_OURS.load(Ordering::Acquire) {
            return Ok(());
        }
        self.backend.write_all(BEGIN)?;
        if self.is_unknown || self.shown.area != picture.area {
            self.backend.write_all(b"\x1b[0m\x1b[2J")?;
            self.shown = Buffer::empty(picture.area);
            self.is_unknown = false;
        }
        self.backend.draw(self.shown.diff(&picture).into_iter())?;
        match cursor {
            Some(position) => {
                self.backend.set_cursor_position(position)?;
                self.backend.show_cursor()?;
            }
            None => self.backend.hide_cursor()?,
        }
        self.backend.write_all(END)?;
        self.shown = picture;
        io::Write::flush(&mut self.backend)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Give the terminal back as it was. What fails here has nobody to be told to: the terminal is gone.
pub fn give_back() {
    if !IS_OURS.swap(false, Ordering::AcqRel) {
        return;
    }
    let mut out = io::stdout();
    let _ = out.write_all(GIVE_BACK);
    let _ = out.flush();
    if let Some(settings) = &*SETTINGS.lock().unwrap_or_else(PoisonError::into_inner) {
        // Keys that were pressed meanwhile were meant for the board.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, settings);
    }
}

/// From now on whoever panics gives the terminal back first, so that what went wrong can be read.
pub fn give_back_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        give_back();
        before(info);
    }));
}
