//! The log as daily files, `events/2026-11-15.jsonl`, with `events/current` a link to the newest.
//!
//! The link decides which file is written to, so that a clock that is set back does not scatter events
//! over older files, and so that `tail -F events/current` follows the log for ever.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use signalbox_core::Event;

use super::scan::{Item, Tail, scan};
use super::{EventLog, LogError, Position, encode};
use crate::files;

const CURRENT: &str = "current";
/// How much of a file is read at a time.
const BLOCK: usize = 8 * 1024 * 1024;
/// About how much a piece for those who follow has, in bytes.
const PIECE: usize = 256 << 10;

/// The embedded engine.
#[derive(Debug, Clone)]
pub struct FileLog {
    directory: PathBuf,
}

impl FileLog {
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The daily files, the oldest first.
    pub fn files(&self) -> Result<Vec<String>, LogError> {
        let names = files::names(&self.directory).map_err(|e| self.read_error(&self.directory, e))?;
        Ok(names.into_iter().filter(|name| is_daily(name)).collect())
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.directory.join(file)
    }

    /// The file that `current` points to.
    fn linked(&self) -> Option<String> {
        let target = std::fs::read_link(self.directory.join(CURRENT)).ok()?;
        target.to_str().filter(|name| is_daily(name)).map(ToOwned::to_owned)
    }

    /// The newest file: what the link says, or what the directory shows where the link is lost.
    fn newest(&self) -> Result<Option<String>, LogError> {
        match self.linked() {
            Some(name) => Ok(Some(name)),
            None => Ok(self.files()?.pop()),
        }
    }

    /// About the last `most` bytes of the log, from two days at most, and whether that is all of them.
    pub fn last(&self, most: u64) -> Result<(Vec<u8>, bool), LogError> {
        let newest = self.files()?.into_iter().rev().take(2);
        let mut bytes = Vec::new();
        let mut left = most;
        for name in newest {
            let path = self.path(&name);
            let size = files::size(&path).map_err(|e| self.read_error(&path, e))?.unwrap_or(0);
            let older = files::read_from(&path, size.saturating_sub(left));
            bytes.splice(0..0, older.map_err(|e| self.read_error(&path, e))?);
            if size > left {
                return Ok((bytes, false));
            }
            left -= size;
        }
        Ok((bytes, true))
    }

    /// Where the log ends now.
    pub fn end(&self) -> Result<Position, LogError> {
        let mut newest = self.files()?.into_iter().rev().take(2);
        let mark = |name: Option<String>| -> Result<Option<(String, u64)>, LogError> {
            let Some(name) = name else { return Ok(None) };
            let path = self.path(&name);
            let size = files::size(&path).map_err(|e| self.read_error(&path, e))?.unwrap_or(0);
            Ok(Some((name, size)))
        };
        let current = mark(newest.next())?;
        Ok(Position { previous: mark(newest.next())?, current })
    }

    /// Whether `current` points to the newest file.
    pub fn link_is_right(&self) -> Result<bool, LogError> {
        Ok(self.linked() == self.files()?.pop())
    }

    /// Point `current` to the newest file.
    pub fn relink(&self) -> Result<(), LogError> {
        let link = self.directory.join(CURRENT);
        match self.files()?.pop() {
            Some(newest) => files::replace_link(&newest, &link),
            None => files::remove(&link),
        }
        .map_err(|e| self.write_error(&link, e))
    }

    /// The file to write to now. A new day gets its file and the link.
    fn writable(&self, now: Timestamp) -> Result<PathBuf, LogError> {
        let today = day_file(now);
        let link = self.linked();
        let linked = link.is_some();
        let newest = match link {
            Some(name) => Some(name),
            None => self.files()?.pop(),
        };
        let name = newest.filter(|newest| *newest >= today).unwrap_or_else(|| today.clone());
        let path = self.path(&name);
        if !linked || name == today && !path.exists() {
            let made = || -> io::Result<()> {
                let (_, new) = files::open_append(&path)?;
                if new {
                    files::flush_dir(&self.directory)?;
                }
                files::replace_link(&name, &self.directory.join(CURRENT))
            };
            made().map_err(|e| self.write_error(&path, e))?;
        }
        Ok(path)
    }

    /// The files that may hold something after `seen`, and from where.
    fn unread(&self, seen: &Position) -> Result<Vec<(String, u64)>, LogError> {
        let known = [&seen.previous, &seen.current];
        let first = known.into_iter().flatten().map(|(file, _)| file.as_str()).next().unwrap_or_default();
        let from = |name: &String| {
            known.into_iter().flatten().find(|(file, _)| file == name).map_or(0, |(_, at)| *at)
        };
        let files = self.files()?.into_iter().filter(|name| name.as_str() >= first);
        Ok(files.map(|name| (name.clone(), from(&name))).collect())
    }

    fn read_error(&self, path: &Path, source: io::Error) -> LogError {
        LogError::Read { path: path.to_owned(), source }
    }

    fn write_error(&self, path: &Path, source: io::Error) -> LogError {
        LogError::Write { path: path.to_owned(), source }
    }

    /// Write events that concern no ticket, all or none, flushed. Callers hold the store's lock.
    pub fn record_together(&self, events: &mut [Event]) -> Result<(), LogError> {
        let bytes = encode_together(events)?;
        self.write_flushed(events, &bytes)
    }

    /// The next events after `seen`, some at a time, and how far they go; nothing where there is nothing new. Up to `until`,
    /// where that is given: a position that somebody reached by reading.
    pub fn piece(
        &self,
        seen: &Position,
        until: Option<&Position>,
    ) -> Result<Option<(Vec<Event>, Position)>, LogError> {
        if until.is_none() && self.is_at_end(seen)? {
            return Ok(None);
        }
        let mut events = Vec::new();
        let next = self.read_before(seen, until, PIECE, &mut |item| {
            if let Item::Event(event) = item {
                events.push(*event);
            }
        })?;
        Ok((next != *seen).then_some((events, next)))
    }

    /// Visit what follows `seen`, but not much more than `most` bytes of it; the answer is how far that was.
    fn read_before(
        &self,
        seen: &Position,
        until: Option<&Position>,
        most: usize,
        visit: &mut dyn FnMut(Item<'_>),
    ) -> Result<Position, LogError> {
        let mut position = Position::default();
        for (name, from) in self.unread(seen)? {
            let path = self.path(&name);
            let mut size = files::size(&path).map_err(|e| self.read_error(&path, e))?.unwrap_or(0);
            if let Some(until) = until {
                let marks = [&until.previous, &until.current];
                match marks.into_iter().flatten().find(|(file, _)| *file == name) {
                    Some((_, end)) => size = size.min(*end),
                    None if until.current.as_ref().is_none_or(|(newest, _)| name > *newest) => break,
                    None => {}
                }
            }
            if size < from {
                return Err(LogError::Shrunk { file: name, size, read: from });
            }
            let mut done = 0;
            let mut wanted = most;
            while from + (done as u64) < size {
                let wanted_now = wanted.min(usize::try_from(size - from).unwrap_or(usize::MAX));
                let bytes =
                    files::read_part(&path, from, wanted_now).map_err(|e| self.read_error(&path, e))?;
                let is_all = from + bytes.len() as u64 >= size;
                done = scan(&bytes, from, Tail::Live, visit);
                // One record may be longer than that.
                if done > 0 || is_all {
                    break;
                }
                wanted *= 2;
            }
            let reached = from + done as u64;
            position = Position { previous: position.current, current: Some((name, reached)) };
            if done > 0 && reached < size {
                break;
            }
        }
        if position.current.is_none() { Ok(seen.clone()) } else { Ok(position) }
    }

    fn write_flushed(&self, events: &[Event], bytes: &[u8]) -> Result<(), LogError> {
        let Some(first) = events.first() else { return Ok(()) };
        let path = self.writable(first.ts)?;
        let write = || -> io::Result<()> {
            let (file, _) = files::open_append(&path)?;
            files::append(&file, bytes)?;
            files::flush(&file)
        };
        write().map_err(|e| self.write_error(&path, e))
    }

    /// Visit one file from an offset; the answer is the new offset.
    fn read_file(
        &self,
        name: &str,
        from: u64,
        tail: Tail,
        visit: &mut dyn FnMut(&str, Item<'_>),
    ) -> Result<u64, LogError> {
        use std::io::{Read, Seek, SeekFrom};
        let path = self.path(name);
        let size = files::size(&path).map_err(|e| self.read_error(&path, e))?.unwrap_or(0);
        if size < from {
            return Err(LogError::Shrunk { file: name.to_owned(), size, read: from });
        }
        if size == from {
            return Ok(from);
        }
        let open = || -> io::Result<std::fs::File> {
            crate::fault::point()?;
            let mut file = std::fs::File::open(&path)?;
            file.seek(SeekFrom::Start(from))?;
            Ok(file)
        };
        let mut file = open().map_err(|e| self.read_error(&path, e))?;
        let mut buffer = Vec::new();
        let mut start = from;
        loop {
            let before = buffer.len();
            let more = file.by_ref().take(BLOCK as u64).read_to_end(&mut buffer);
            more.map_err(|e| self.read_error(&path, e))?;
            let at_end = buffer.len() - before < BLOCK;
            let done =
                scan(&buffer, start, if at_end { tail } else { Tail::Live }, &mut |item| visit(name, item));
            start += done as u64;
            buffer.drain(..done);
            if at_end {
                return Ok(start);
            }
        }
    }
}

/// The name of the file for this moment's day.
fn day_file(now: Timestamp) -> String {
    format!("{}.jsonl", now.strftime("%Y-%m-%d"))
}

impl EventLog for FileLog {
    fn append(&self, events: &mut [Event], seen: &Position) -> Result<(), LogError> {
        let bytes = encode_together(events)?;
        if !events.is_empty() && !self.is_at_end(seen)? {
            let mut moved = None;
            self.read_after(seen, Tail::Live, &mut |_, item| {
                if let Item::Event(event) = item
                    && event.concerns_ticket()
                    && events.iter().any(|ours| ours.ticket == event.ticket)
                {
                    moved.clone_from(&event.ticket);
                }
            })?;
            if let Some(ticket) = moved {
                return Err(LogError::Conflict(ticket));
            }
        }
        self.write_flushed(events, &bytes)
    }

    fn record(&self, event: &Event) -> Result<(), LogError> {
        let bytes = encode(event).map_err(LogError::Encode)?;
        // On all but the first event of a day the file is there, and finding that out by opening it is the quickest.
        if let Some(name) = self.linked().filter(|name| *name >= day_file(event.ts)) {
            let path = self.path(&name);
            match files::open_existing_append(&path) {
                Ok(file) => return files::append(&file, &bytes).map_err(|e| self.write_error(&path, e)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.write_error(&path, error)),
            }
        }
        let path = self.writable(event.ts)?;
        let write = || files::append(&files::open_append(&path)?.0, &bytes);
        write().map_err(|e| self.write_error(&path, e))
    }

    fn is_at_end(&self, seen: &Position) -> Result<bool, LogError> {
        let Some(newest) = self.newest()? else { return Ok(seen.current.is_none()) };
        let reached = |mark: &(String, u64)| -> Result<bool, LogError> {
            let path = self.path(&mark.0);
            let size = files::size(&path).map_err(|e| self.read_error(&path, e))?;
            Ok(size.unwrap_or(0) == mark.1)
        };
        Ok(seen.current.as_ref().is_some_and(|(file, _)| *file == newest)
            && seen.current.as_ref().map_or(Ok(true), reached)?
            && seen.previous.as_ref().map_or(Ok(true), reached)?)
    }

    fn bytes_after(&self, seen: &Position) -> Result<u64, LogError> {
        let mut bytes = 0;
        for (name, from) in self.unread(seen)? {
            let path = self.path(&name);
            let size = files::size(&path).map_err(|e| self.read_error(&path, e))?;
            bytes += size.unwrap_or(0).saturating_sub(from);
        }
        Ok(bytes)
    }

    fn read_after(
        &self,
        seen: &Position,
        tail: Tail,
        visit: &mut dyn FnMut(&str, Item<'_>),
    ) -> Result<Position, LogError> {
        let mut position = Position::default();
        for (name, from) in self.unread(seen)? {
            let offset = self.read_file(&name, from, tail, visit)?;
            position = Position { previous: position.current, current: Some((name, offset)) };
        }
        if position.current.is_none()
            && let Some((file, read)) = &seen.current
        {
            return Err(LogError::Shrunk { file: file.clone(), size: 0, read: *read });
        }
        Ok(position)
    }
}

/// The records of one command, each of which says which of how many it is.
fn encode_together(events: &mut [Event]) -> Result<Vec<u8>, LogError> {
    let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::new();
    for (index, event) in (0..).zip(events.iter_mut()) {
        event.batch = (count > 1).then_some((index, count));
        bytes.extend(encode(event).map_err(LogError::Encode)?);
    }
    Ok(bytes)
}

/// `2026-11-15.jsonl`
fn is_daily(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|date| {
        date.len() == 10
            && date
                .bytes()
                .enumerate()
                .all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
    })
}
