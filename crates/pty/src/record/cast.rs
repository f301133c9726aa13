//! The asciicast format, version 2: a header and one event a line. Written here, and read for replay.
//!
//! A file that ends in the middle of a line was written by somebody who was killed: it is whole up to there.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::file;
use super::json::escape;
use crate::sheet::Sheet;
use crate::spawn::Size;

/// A line longer than this is not ours.
const LONGEST: u64 = 64 << 20;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Output,
    Input,
    Resize,
    Marker,
}

impl Kind {
    fn letter(self) -> &'static [u8] {
        match self {
            Self::Output => b"o",
            Self::Input => b"i",
            Self::Resize => b"r",
            Self::Marker => b"m",
        }
    }

    fn of(letter: &str) -> Option<Self> {
        [Self::Output, Self::Input, Self::Resize, Self::Marker]
            .into_iter()
            .find(|kind| kind.letter() == letter.as_bytes())
    }
}

/// One event of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Since the recording began.
    pub at: Duration,
    pub kind: Kind,
    pub data: String,
}

/// What a recording says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub size: Size,
    /// When it began, in seconds since 1970.
    pub began: Option<u64>,
    pub title: Option<String>,
}

/// Why a file is no recording.
#[derive(Debug, thiserror::Error)]
pub enum CastError {
    #[error("read the recording")]
    Read(#[from] io::Error),
    #[error("it is not an asciicast of version 2")]
    Format,
}

/// The first line.
pub(super) fn header(size: Size, began: u64, title: Option<&str>, env: &[(String, String)]) -> Vec<u8> {
    let mut header = Map::new();
    header.insert("version".into(), 2.into());
    header.insert("width".into(), size.cols.into());
    header.insert("height".into(), size.rows.into());
    header.insert("timestamp".into(), began.into());
    if let Some(title) = title {
        header.insert("title".into(), title.into());
    }
    if !env.is_empty() {
        let env = env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        header.insert("env".into(), Value::Object(env));
    }
    let mut line = Value::Object(header).to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Append the beginning of an event's line. Its data follows, then [`end`].
pub(super) fn begin(at: Duration, kind: Kind, into: &mut Sheet) {
    into.push(format!("[{}.{:06}, \"", at.as_secs(), at.subsec_micros()).as_bytes());
    into.push(kind.letter());
    into.push(b"\", \"");
}

pub(super) fn data(text: &str, into: &mut Sheet) {
    escape(text, into);
}

pub(super) fn end(into: &mut Sheet) {
    into.push(b"\"]\n");
}

/// Reads a recording event by event.
#[derive(Debug)]
pub struct Cast {
    pub header: Header,
    lines: BufReader<File>,
    is_over: bool,
}

impl Cast {
    pub fn open(path: &Path) -> Result<Self, CastError> {
        let mut lines = BufReader::with_capacity(1 << 16, File::open(path)?);
        let line = read_line(&mut lines)?.ok_or(CastError::Format)?;
        let header = parse_header(&line).ok_or(CastError::Format)?;
        Ok(Self { header, lines, is_over: false })
    }

    /// The older part of a recording, where it was so long that it was put aside.
    pub fn open_older(path: &Path) -> Result<Option<Self>, CastError> {
        match Self::open(&file::older(path)) {
            Ok(older) => Ok(Some(older)),
            Err(CastError::Read(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Iterator for Cast {
    type Item = Result<Event, CastError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            match read_line(&mut self.lines) {
                Ok(Some(line)) => match parse_event(&line) {
                    Ok(Some(event)) => return Some(Ok(event)),
                    // Other programs write kinds of events that are none of ours.
                    Ok(None) => {}
                    Err(()) => {
                        self.is_over = true;
                        return Some(Err(CastError::Format));
                    }
                },
                Ok(None) => self.is_over = true,
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error.into()));
                }
            }
        }
        None
    }
}

/// The next whole line; `None` at the end, and where the last line was never finished.
fn read_line(lines: &mut BufReader<File>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    io::Read::take(lines, LONGEST).read_until(b'\n', &mut line)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

fn parse_header(line: &[u8]) -> Option<Header> {
    let header: Value = serde_json::from_slice(line).ok()?;
    if header.get("version")? != 2 {
        return None;
    }
    let number = |name: &str| header.get(name)?.as_u64();
    let size = Size::new(u16::try_from(number("height")?).ok()?, u16::try_from(number("width")?).ok()?);
    let title = header.get("title").and_then(Value::as_str).map(ToOwned::to_owned);
    Some(Header { size, began: number("timestamp"), title })
}

fn parse_event(line: &[u8]) -> Result<Option<Event>, ()> {
    let (at, kind, data): (f64, String, String) = serde_json::from_slice(line).map_err(|_| ())?;
    let at = Duration::try_from_secs_f64(at).map_err(|_| ())?;
    Ok(Kind::of(&kind).map(|kind| Event { at, kind, data }))
}

impl Event {
    /// The size that a resize changes to.
    pub fn size(&self) -> Option<Size> {
        let (cols, rows) = self.data.split_once('x').filter(|_| self.kind == Kind::Resize)?;
        Some(Size::new(rows.parse().ok()?, cols.parse().ok()?))
    }
}
