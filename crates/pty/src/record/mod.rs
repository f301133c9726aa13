//! Recordings: an asciicast that players take, and a plain log that people read.
//!
//! Both are appended to in whole lines with one write, so a kill costs no more than what was not yet written.
//! Neither is ever waited for by the terminal; see [`crate::side`].

pub mod cast;
mod file;
mod json;
mod plain;
mod redact;
mod text;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use cast::{Cast, CastError, Event, Header, Kind};
use file::Rotating;
pub use plain::PlainLog;
pub(crate) use redact::Blotting;
pub use redact::Secrets;
use text::Decoder;

use crate::sheet::Sheet;
use crate::spawn::Size;

/// What a recording is to be like.
#[derive(Debug, Clone)]
pub struct Settings {
    pub path: PathBuf,
    pub size: Size,
    /// When it begins, in seconds since 1970.
    pub began: u64,
    pub title: Option<String>,
    /// What players show of the environment: usually `TERM` and `SHELL`.
    pub env: Vec<(String, String)>,
    /// How long the file may get, in bytes and but for what comes at once. Then it is put aside as `<path>.1` and begun
    /// anew.
    pub cap: u64,
}

/// Writes an asciicast. Everything is kept in memory until [`Recorder::flush`].
#[derive(Debug)]
pub struct Recorder {
    settings: Settings,
    size: Size,
    file: Rotating,
    /// Lines that are not written yet.
    lines: Sheet,
    output: Stream,
    input: Stream,
    /// When this file began, counted from when the recording did.
    file_began: Duration,
}

/// One of the two directions.
#[derive(Debug)]
struct Stream {
    kind: Kind,
    decoder: Decoder,
    blotting: Blotting,
}

impl Recorder {
    /// Begin a recording. Where there is one already, it is put aside.
    pub fn create(settings: Settings, secrets: &Secrets) -> io::Result<Self> {
        let mut file = Rotating::create(&settings.path, settings.cap)?;
        let size = settings.size;
        file.append(&cast::header(size, settings.began, settings.title.as_deref(), &settings.env))?;
        let stream = |kind| Stream { kind, decoder: Decoder::default(), blotting: Blotting::new(secrets) };
        Ok(Self {
            settings,
            size,
            file,
            lines: Sheet::default(),
            output: stream(Kind::Output),
            input: stream(Kind::Input),
            file_began: Duration::ZERO,
        })
    }

    pub fn output(&mut self, at: Duration, bytes: &[u8]) {
        self.output.write(at.saturating_sub(self.file_began), bytes, &mut self.lines);
    }

    pub fn input(&mut self, at: Duration, bytes: &[u8]) {
        self.input.write(at.saturating_sub(self.file_began), bytes, &mut self.lines);
    }

    pub fn resize(&mut self, at: Duration, size: Size) {
        self.size = size;
        self.event(at, Kind::Resize, &format!("{}x{}", size.cols, size.rows));
    }

    pub fn mark(&mut self, at: Duration, label: &str) {
        let label = self.output.blotting.secrets().blot(label);
        self.event(at, Kind::Marker, &label);
    }

    fn event(&mut self, at: Duration, kind: Kind, text: &str) {
        cast::begin(at.saturating_sub(self.file_began), kind, &mut self.lines);
        cast::data(text, &mut self.lines);
        cast::end(&mut self.lines);
    }

    /// Write what has come since the last time. If the file is too long then, it is put aside and begun anew, with
    /// `replay` as its first output: what paints the screen as it is `now`.
    pub fn flush(&mut self, now: Duration, replay: impl FnOnce() -> Vec<u8>) -> io::Result<()> {
        self.spill()?;
        if self.file.is_full(0) {
            self.begin_anew(now, &replay())?;
        }
        Ok(())
    }

    /// Write what has come since the last time, however long the file gets.
    fn spill(&mut self) -> io::Result<()> {
        let written = self.file.append(self.lines.bytes());
        self.lines.clear();
        written
    }

    fn begin_anew(&mut self, now: Duration, replay: &[u8]) -> io::Result<()> {
        self.file.rotate()?;
        self.file_began = now;
        let Settings { began, title, env, .. } = &self.settings;
        let header = cast::header(self.size, began.saturating_add(now.as_secs()), title.as_deref(), env);
        let mut lines = Sheet::default();
        lines.push(&header);
        cast::begin(Duration::ZERO, Kind::Output, &mut lines);
        let secrets = self.output.blotting.secrets();
        cast::data(&secrets.blot(&String::from_utf8_lossy(replay)), &mut lines);
        cast::end(&mut lines);
        self.file.append(lines.bytes())
    }

    /// Write the rest. Nothing more will come.
    pub fn finish(&mut self, now: Duration) -> io::Result<()> {
        let at = now.saturating_sub(self.file_began);
        self.output.finish(at, &mut self.lines);
        self.input.finish(at, &mut self.lines);
        self.spill()
    }
}

impl Stream {
    fn write(&mut self, at: Duration, bytes: &[u8], lines: &mut Sheet) {
        let bytes = self.blotting.feed(bytes);
        let mut has_begun = false;
        self.decoder.feed(&bytes, |text| {
            if !std::mem::replace(&mut has_begun, true) {
                cast::begin(at, self.kind, lines);
            }
            cast::data(text, lines);
        });
        if has_begun {
            cast::end(lines);
        }
    }

    fn finish(&mut self, at: Duration, lines: &mut Sheet) {
        let rest = self.blotting.finish();
        self.write(at, &rest, lines);
        let kind = self.kind;
        self.decoder.finish(|text| {
            cast::begin(at, kind, lines);
            cast::data(text, lines);
            cast::end(lines);
        });
    }
}
