//! Everything that wants a copy: the recording, the plain log, the model of the screen, and those who look on.
//!
//! One thread beside the pump, fed through a bounded queue. A disk that is full or hangs stops the recording, never
//! the program.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::courtesy::Courtesy;
use crate::filter::{Allow, Harmless};
use crate::hub::Hub;
use crate::parse::{Act, Sequence};
use crate::record::{PlainLog, Recorder};
use crate::screen::{Beside, Screen, View};
use crate::spawn::Size;
use crate::tap::{self, Batch, Drain, TOGETHER_BYTES, Tap, What};

/// So much output is written to the disk at once.
const STRIDE: usize = 256 << 10;
/// Work for so many bytes is enough to let others go first; output comes in pieces that are hardly longer.
const BITE: usize = TOGETHER_BYTES;

/// What is wanted beside the terminal.
pub struct Options {
    /// The size that the program's terminal begins with.
    pub size: Size,
    pub recorder: Option<Recorder>,
    pub log: Option<PlainLog>,
    /// What may reach those who look on.
    pub allow: Allow,
    /// How long the read-write seat may be idle before it is lost.
    pub seat_idle: Option<Duration>,
    /// Called on the side's own thread, and at most once for each kind of trouble.
    pub on_trouble: Box<dyn FnMut(Trouble) + Send>,
}

/// What could not be kept. The program goes on.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("the recording stopped")]
    Recording(#[source] io::Error),
    #[error("the plain log stopped")]
    Log(#[source] io::Error),
    #[error("{0} bytes of output were not recorded, because the disk did not keep up")]
    Gap(u64),
}

/// The model of the screen has not caught up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the screen has not caught up with the program")]
pub struct Behind;

/// The side, seen from other threads. It may be cloned.
#[derive(Debug, Clone)]
pub struct Side {
    tap: Tap,
    screen: Arc<Mutex<Screen>>,
    hub: Hub,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// How far the output of a program was, when somebody looked at its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment(u64);

impl Side {
    pub fn start(options: Options) -> io::Result<Self> {
        let screen = Arc::new(Mutex::new(Screen::new(options.size)));
        let hub = Hub::new(Arc::clone(&screen), options.seat_idle);
        let (tap, drain) = tap::new();
        let work = Work {
            screen: Arc::clone(&screen),
            hub: hub.clone(),
            drain,
            recorder: options.recorder,
            log: options.log,
            harmless: Harmless::new(options.allow),
            on_trouble: options.on_trouble,
            told_of_gap: false,
            courtesy: Courtesy::default(),
            unwritten: 0,
            now: Duration::ZERO,
        };
        let thread = std::thread::Builder::new().name("side".into()).spawn(move || work.run())?;
        Ok(Self { tap, screen, hub, thread: Arc::new(Mutex::new(Some(thread))) })
    }

    /// The end for the pump. It also takes markers for the recording.
    pub fn tap(&self) -> Tap {
        self.tap.clone()
    }

    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// What is to be seen, with everything that the program wrote before this call.
    pub fn view(&self, patience: Duration) -> Result<View, Behind> {
        self.tap.wait_seen(patience).map(|_| lock(&self.screen).view()).ok_or(Behind)
    }

    /// The same for whoever looks again and again: nothing where nothing has come since their `last` moment.
    pub fn view_since(
        &self,
        last: Option<Moment>,
        patience: Duration,
    ) -> Result<Option<(View, Moment)>, Behind> {
        // Taken before the view: what comes in between is seen twice rather than never.
        let now = Moment(self.tap.wait_seen(patience).ok_or(Behind)?);
        Ok((last != Some(now)).then(|| (lock(&self.screen).view(), now)))
    }

    /// The size of the program's terminal.
    pub fn size(&self) -> Size {
        lock(&self.screen).size()
    }

    /// Bytes that put a terminal right whose program is gone.
    pub fn undo(&self) -> Vec<u8> {
        lock(&self.screen).undo()
    }

    /// Wait until everything is written. Nothing more is taken; the pump has done the same by then.
    pub fn finish(&self) {
        self.tap.close();
        if let Some(thread) = lock(&self.thread).take() {
            // Whatever went wrong there was reported by its own hook.
            let _ = thread.join();
        }
    }
}

struct Work {
    screen: Arc<Mutex<Screen>>,
    hub: Hub,
    drain: Drain,
    recorder: Option<Recorder>,
    log: Option<PlainLog>,
    harmless: Harmless,
    on_trouble: Box<dyn FnMut(Trouble) + Send>,
    told_of_gap: bool,
    courtesy: Courtesy,
    /// How many bytes came since something was written to the disk.
    unwritten: usize,
    /// When the last happening was.
    now: Duration,
}

impl Work {
    fn run(mut self) {
        let mut batch = Batch::default();
        while self.drain.next(&mut batch) {
            self.see_to(&batch);
            self.write_down();
            self.drain.done(&mut batch);
        }
        let now = self.now;
        self.keep(|recorder| recorder.finish(now), PlainLog::finish);
        self.hub.end();
    }

    /// One happening after the other: screen, plain log and those who look on, and the recording.
    fn see_to(&mut self, batch: &Batch) {
        let mut rest = batch.bytes.as_slice();
        for happening in &batch.happenings {
            let length =
                if let What::Output(length) | What::Input(length) = happening.what { length } else { 0 };
            let (bytes, others) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            rest = others;
            self.now = happening.at;
            self.follow(&happening.what, bytes);
            self.give_way(length);
            self.record(&happening.what, bytes);
            self.give_way(length);
            self.unwritten += length;
            if self.unwritten > STRIDE {
                self.write_down();
            }
        }
    }

    /// After work for so many bytes.
    fn give_way(&mut self, length: usize) {
        if length >= BITE {
            self.courtesy.give_way();
        }
    }

    fn follow(&mut self, what: &What, bytes: &[u8]) {
        match what {
            What::Output(_) => self.show(bytes),
            What::Resize(size) => {
                let mut screen = lock(&self.screen);
                screen.resize(*size);
                self.hub.jump();
            }
            What::Gap(lost) => {
                let screen = lock(&self.screen);
                self.hub.jump();
                drop(screen);
                if !std::mem::replace(&mut self.told_of_gap, true) {
                    (self.on_trouble)(Trouble::Gap(*lost));
                }
            }
            What::Input(_) | What::Mark(_) => {}
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let mut screen = lock(&self.screen);
        let is_watched = self.hub.is_watched();
        let mut follower = Follower {
            harmless: is_watched.then_some(&mut self.harmless),
            log: self.log.as_mut(),
            has_skipped: false,
        };
        screen.feed_beside(bytes, &mut follower);
        let has_skipped = follower.has_skipped;
        // Where nobody looks on nothing was prepared; whoever comes begins with a replay.
        if has_skipped || !is_watched {
            self.harmless.out.clear();
            self.hub.jump();
        } else {
            self.hub.show(&self.harmless.out);
            self.harmless.out.clear();
        }
    }

    fn record(&mut self, what: &What, bytes: &[u8]) {
        let Some(recorder) = &mut self.recorder else { return };
        let at = self.now;
        match what {
            What::Output(_) => recorder.output(at, bytes),
            What::Input(_) => recorder.input(at, bytes),
            What::Resize(size) => recorder.resize(at, *size),
            What::Mark(label) => recorder.mark(at, label),
            What::Gap(lost) => recorder.mark(at, &format!("{lost} bytes of output are missing here")),
        }
    }

    /// Write what is not written yet. The screen is where the recording is, so a new file may begin with it.
    fn write_down(&mut self) {
        self.unwritten = 0;
        let (now, screen) = (self.now, Arc::clone(&self.screen));
        self.keep(|recorder| recorder.flush(now, || lock(&screen).replay()), PlainLog::flush);
    }

    /// Write both; what fails is told once and not tried again.
    fn keep(
        &mut self,
        record: impl FnOnce(&mut Recorder) -> io::Result<()>,
        log: impl FnOnce(&mut PlainLog) -> io::Result<()>,
    ) {
        if let Some(Err(error)) = self.recorder.as_mut().map(record) {
            self.recorder = None;
            (self.on_trouble)(Trouble::Recording(error));
        }
        if let Some(Err(error)) = self.log.as_mut().map(log) {
            self.log = None;
            (self.on_trouble)(Trouble::Log(error));
        }
    }
}

/// What goes on beside the screen while it is fed.
struct Follower<'a> {
    harmless: Option<&'a mut Harmless>,
    log: Option<&'a mut PlainLog>,
    has_skipped: bool,
}

impl Act for Follower<'_> {
    fn text(&mut self, text: &str) {
        if let Some(harmless) = &mut self.harmless {
            harmless.text(text);
        }
        if let Some(log) = &mut self.log {
            log.text(text.as_bytes());
        }
    }

    fn control(&mut self, byte: u8) {
        if let Some(harmless) = &mut self.harmless {
            harmless.control(byte);
        }
        if let Some(log) = &mut self.log {
            log.control(byte);
        }
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        if let Some(harmless) = &mut self.harmless {
            harmless.escape(intermediates, last);
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        if let Some(harmless) = &mut self.harmless {
            harmless.sequence(sequence);
        }
        if let Some(log) = self.log.as_mut().filter(|_| sequence.private.is_none()) {
            log.moved(sequence.last);
        }
    }

    fn command(&mut self, command: &[u8]) {
        if let Some(harmless) = &mut self.harmless {
            harmless.command(command);
        }
    }

    fn string(&mut self) {}
}

impl Beside for Follower<'_> {
    fn skipped(&mut self, text: &[u8]) {
        self.has_skipped = true;
        if let Some(log) = &mut self.log {
            log.text(text);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cast, Secrets, Settings};

    #[test]
    fn a_file_that_begins_in_the_middle_of_a_batch_begins_with_the_screen_of_that_place() {
        let folder = tempfile::tempdir().unwrap();
        let (path, size) = (folder.path().join("a.cast"), Size::new(10, 40));
        let settings =
            Settings { path: path.clone(), size, began: 0, title: None, env: Vec::new(), cap: 200 << 10 };
        let side = Side::start(Options {
            size,
            recorder: Some(Recorder::create(settings, &Secrets::default()).unwrap()),
            log: None,
            allow: Allow::default(),
            seat_idle: None,
            on_trouble: Box::new(|trouble| panic!("{trouble}")),
        })
        .unwrap();
        // Nobody looks before it is closed, so all of it is one batch; its end is too short for a third file.
        let lines: String = (0..).map(|number| format!("line {number}\r\n")).take(33_000).collect();
        for piece in lines.as_bytes().chunks(4_000) {
            side.tap().output(piece);
        }
        assert!(lines.len() > STRIDE + BITE && lines.len() < STRIDE + (200 << 10));
        side.finish();
        let events: Vec<String> = Cast::open(&path).unwrap().map(|event| event.unwrap().data).collect();
        let (replay, rest) = events.split_first().unwrap();
        let rest = rest.concat();
        let before = lines.strip_suffix(&rest).expect("what comes after it is the end of the output");
        assert!(!rest.is_empty() && before.len() > STRIDE);
        let rows = |bytes: &str| {
            let mut screen = Screen::new(size);
            screen.feed(bytes.as_bytes());
            screen.view().rows
        };
        assert_eq!(rows(replay), rows(before));
    }
}
