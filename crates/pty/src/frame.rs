//! Attach frames, over the agent's Unix socket: `[kind: u8][length: u32 big endian][payload]`.
//!
//! Order: the one who attaches says HELLO; it is answered with META and HISTORY, or with ERROR and the end. Then
//! OUTPUT and further HISTORY come as they happen, and NOTIFY when its seat changes. INPUT, RESIZE and COMMAND go the
//! other way. META, HELLO, COMMAND and NOTIFY are JSON, RESIZE is two numbers, the others are bytes or text.
//!
//! Trust: both ends run as the same user, which the socket's mode and the peer's uid see to. Neither believes a
//! length: a frame is at most 1 MiB.

use std::io::{self, Read, Write};

use crate::spawn::Size;

/// The longest payload.
pub const LONGEST: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// What the program wrote, without what could harm a terminal.
    Output = 1,
    /// What was typed in the read-write seat.
    Input = 2,
    /// About the agent and its terminal.
    Meta = 3,
    /// A terminal has another size: rows and columns.
    Resize = 4,
    /// What paints the present screen.
    History = 5,
    /// Why it does not go on, as text for people.
    Error = 6,
    /// Who attaches and how.
    Hello = 7,
    /// Something the one who attached wants.
    Command = 8,
    /// Something the one who attached should know.
    Notify = 9,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Output,
        Self::Input,
        Self::Meta,
        Self::Resize,
        Self::History,
        Self::Error,
        Self::Hello,
        Self::Command,
        Self::Notify,
    ];

    fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub kind: Kind,
    pub payload: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("read or write a frame")]
    Io(#[from] io::Error),
    #[error("there is no frame of kind {0}")]
    Kind(u8),
    #[error("a frame of {0} bytes is too long")]
    Length(usize),
}

impl Frame {
    pub fn new(kind: Kind, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, payload: payload.into() }
    }

    pub fn resize(size: Size) -> Self {
        let payload = [size.rows.to_be_bytes(), size.cols.to_be_bytes()].concat();
        Self { kind: Kind::Resize, payload }
    }

    /// The size that a RESIZE frame tells of.
    pub fn size(&self) -> Option<Size> {
        let [a, b, c, d] = *self.payload.as_slice() else { return None };
        (self.kind == Kind::Resize).then(|| Size::new(u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
    }
}

/// Write one frame. Output and history that are too long for one become several.
pub fn write(to: &mut impl Write, kind: Kind, payload: &[u8]) -> Result<(), FrameError> {
    let is_stream = matches!(kind, Kind::Output | Kind::Input | Kind::History);
    if payload.len() > LONGEST && !is_stream {
        return Err(FrameError::Length(payload.len()));
    }
    let mut kind = kind;
    let mut rest = payload;
    loop {
        let (now, later) = rest.split_at(rest.len().min(LONGEST));
        let length = u32::try_from(now.len()).map_err(|_| FrameError::Length(now.len()))?;
        let mut bytes = Vec::with_capacity(now.len() + 5);
        bytes.push(kind as u8);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(now);
        to.write_all(&bytes)?;
        if later.is_empty() {
            return Ok(());
        }
        // What follows the first part of a history goes on from there.
        if kind == Kind::History {
            kind = Kind::Output;
        }
        rest = later;
    }
}

/// Read one frame; `None` where the other end has closed between two.
pub fn read(from: &mut impl Read) -> Result<Option<Frame>, FrameError> {
    let mut head = [0; 5];
    // An end between two frames is no error, one inside is.
    let first = loop {
        match from.read(&mut head[..1]) {
            Ok(count) => break count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    };
    if first == 0 {
        return Ok(None);
    }
    from.read_exact(&mut head[1..])?;
    let [kind, length @ ..] = head;
    let kind = Kind::of(kind).ok_or(FrameError::Kind(kind))?;
    let length = u32::from_be_bytes(length) as usize;
    if length > LONGEST {
        return Err(FrameError::Length(length));
    }
    // Nobody gets memory for what they only announce.
    let mut payload = Vec::new();
    from.by_ref().take(length as u64).read_to_end(&mut payload)?;
    if payload.len() < length {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(Some(Frame { kind, payload }))
}
