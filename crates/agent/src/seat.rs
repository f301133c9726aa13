//! An agent's terminal for a program that shows it somewhere else: in a web page, or in a corner of another screen. What
//! comes is painted on a screen model here, so that no byte of the agent's goes any further.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use signalbox_pty::Size;
use signalbox_pty::frame::{self, Frame, FrameError, Kind};
use signalbox_pty::screen::Screen;

use crate::attach::{self, AttachError};
use crate::protocol::{About, Notice, Wants};

/// One end of a connection to an agent, and what its terminal shows.
#[derive(Debug)]
pub struct Seat {
    stream: UnixStream,
    about: About,
    screen: Screen,
    ended: bool,
}

/// The keyboard of a [`Seat`], for another thread.
#[derive(Debug)]
pub struct Keyboard(UnixStream);

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The screen has changed.
    Drawn,
    /// Nothing, for as long as one wanted to wait.
    Nothing,
    /// Somebody else types now, or nobody has for long.
    Demoted(Notice),
    /// The agent has ended.
    Ended,
}

impl Seat {
    /// Watch, or sit down. The agent's terminal keeps its size.
    pub fn take(socket: &Path, wants: Wants) -> Result<Self, AttachError> {
        let (stream, about) = attach::open(socket, wants, Size::new(0, 0))?;
        let screen = Screen::new(Size::new(about.rows.max(1), about.cols.max(1)));
        Ok(Self { stream, about, screen, ended: false })
    }

    pub fn about(&self) -> &About {
        &self.about
    }

    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    pub fn keyboard(&self) -> io::Result<Keyboard> {
        Ok(Keyboard(self.stream.try_clone()?))
    }

    /// Wait for what happens, at most so long. An end is heard again and again.
    pub fn hear(&mut self, most: Duration) -> Result<Heard, AttachError> {
        let heard = if self.ended { Heard::Ended } else { self.next(most)? };
        self.ended = heard == Heard::Ended;
        Ok(heard)
    }

    fn next(&mut self, most: Duration) -> Result<Heard, AttachError> {
        self.stream.set_read_timeout(Some(most.max(Duration::from_millis(1))))?;
        let mut one = [0];
        // Only looked at, so that a frame is never torn by the clock.
        match rustix::net::recv(&self.stream, &mut one, rustix::net::RecvFlags::PEEK) {
            Ok((_, 0)) => return Ok(Heard::Ended),
            Ok(_) => {}
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(Heard::Nothing),
            Err(error) => return Err(io::Error::from(error).into()),
        }
        self.stream.set_read_timeout(None)?;
        let Some(frame) = frame::read(&mut &self.stream)? else { return Ok(Heard::Ended) };
        match frame.kind {
            Kind::Resize => {
                if let Some(size) = frame.size() {
                    self.screen.resize(size);
                }
                Ok(Heard::Drawn)
            }
            Kind::History => {
                // It paints a whole screen, on one that holds nothing.
                self.screen = Screen::new(self.screen.size());
                self.screen.feed(&frame.payload);
                Ok(Heard::Drawn)
            }
            Kind::Output => {
                self.screen.feed(&frame.payload);
                Ok(Heard::Drawn)
            }
            Kind::Notify => Ok(match serde_json::from_slice::<Notice>(&frame.payload) {
                Ok(Notice::Ended) => Heard::Ended,
                Ok(notice) => Heard::Demoted(notice),
                Err(_) => Heard::Nothing,
            }),
            Kind::Error => Err(AttachError::Refused(String::from_utf8_lossy(&frame.payload).into_owned())),
            _ => Ok(Heard::Nothing),
        }
    }
}

impl Keyboard {
    /// Type these bytes. They count only from the read-write seat.
    pub fn type_in(&self, bytes: &[u8]) -> Result<(), FrameError> {
        frame::write(&mut &self.0, Kind::Input, bytes)
    }

    /// Make the agent's terminal as large as this.
    pub fn resize(&self, size: Size) -> Result<(), FrameError> {
        let told = Frame::resize(size);
        frame::write(&mut &self.0, told.kind, &told.payload)
    }

    /// The same keyboard, for another thread.
    pub fn another(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Leave. Whoever waits in [`Seat::hear`] hears that it is over.
    pub fn leave(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}
