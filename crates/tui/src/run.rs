//! The loop: hear, take in, do, draw.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signalbox_core::text::one_line;
use signalbox_desk::Desk;
use signalbox_store::{clock, fault};

use crate::draw::draw;
use crate::message::{Effect, Msg};
use crate::state::{Screen, State};
use crate::style::Palette;
use crate::terminal::{Terminal, give_back, give_back_on_panic};
use crate::update::update;
use crate::workers::Workers;

/// How long the loop waits for a message before it looks at the clock and at signals.
const BEAT: Duration = Duration::from_millis(100);
/// How many messages are taken in before something is drawn.
const AT_ONCE: usize = 500;

/// How the board begins.
#[derive(Debug)]
pub struct Options {
    pub screen: Screen,
    /// Only this project; empty: all.
    pub project: String,
    pub palette: Palette,
    /// Our own program, to sit down at an agent's terminal with.
    pub program: PathBuf,
}

/// Why the board came to an end too early.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    #[error("use the terminal")]
    Terminal(#[from] io::Error),
    #[error("the board's part for {0} failed")]
    Broken(String),
}

/// Show the board until the person leaves; the signal that ended it, if one did.
pub fn run(desk: &Desk, options: Options) -> Result<Option<i32>, BoardError> {
    give_back_on_panic();
    let signals = Signals::listen()?;
    let (inbox, messages) = channel();
    let time = Time::begin();
    let mut state = State::new(options.screen, options.project, options.palette, time.now());
    let terminal = Terminal::take()?;
    let (cols, rows) = Terminal::size()?;
    let workers = Workers::start(desk, &inbox);
    let mut room = Room { terminal, workers, signals, inbox, program: options.program };
    let first = update(&mut state, Msg::Resized { cols, rows });
    if room.carry_out(first)? {
        return Ok(None);
    }
    let mut ticked = Instant::now();
    loop {
        let mut heard = room.hear(&messages);
        if ticked.elapsed() >= BEAT || !heard.is_empty() {
            ticked = Instant::now();
            heard.insert(0, Msg::Tick(time.now()));
        }
        for msg in heard {
            let end = match &msg {
                Msg::End(signal) => Some(Ok(Some(*signal))),
                Msg::Broken(part) => Some(Err(BoardError::Broken(part.clone()))),
                _ => None,
            };
            let effects = update(&mut state, msg);
            if room.carry_out(effects)? {
                return end.unwrap_or(Ok(None));
            }
        }
        if std::mem::take(&mut state.is_dirty) {
            fault::break_if_asked("drawing");
            let mut picture = Buffer::empty(Rect::new(0, 0, state.cols, state.rows));
            let cursor = draw(&state, &mut picture);
            room.terminal.show(picture, cursor)?;
        }
    }
}

/// What the loop has at hand.
struct Room {
    terminal: Terminal,
    workers: Workers,
    signals: Signals,
    inbox: Sender<Msg>,
    program: PathBuf,
}

impl Room {
    /// All that has happened, waiting a moment for it.
    fn hear(&self, messages: &Receiver<Msg>) -> Vec<Msg> {
        let mut heard = Vec::new();
        match messages.recv_timeout(BEAT) {
            Ok(msg) => heard.push(msg),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        heard.extend(messages.try_iter().take(AT_ONCE));
        heard.extend(self.signals.heard());
        heard
    }

    /// Do what is to be done. Whether that was the end.
    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<bool, BoardError> {
        for effect in effects {
            match effect {
                // A thread that is gone has said so itself.
                Effect::Read(asks) => drop(self.workers.read.send(asks)),
                Effect::Act(act) => drop(self.workers.act.send(act)),
                Effect::Watch(agent) => drop(self.workers.watch.send(agent)),
                Effect::Attach { agent, types } => {
                    self.workers.keyboard.close();
                    give_back();
                    let words = self.attach(&agent, types);
                    self.come_back()?;
                    let _ = self.inbox.send(Msg::Returned(words));
                }
                Effect::Suspend => {
                    self.workers.keyboard.close();
                    give_back();
                    signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
                    self.come_back()?;
                }
                Effect::Redraw => self.terminal.take_again()?,
                Effect::Quit => return Ok(true),
            }
        }
        Ok(false)
    }

    /// The terminal is ours again; it may have another size.
    fn come_back(&mut self) -> Result<(), BoardError> {
        self.terminal.take_again()?;
        self.workers.keyboard.open();
        let (cols, rows) = Terminal::size()?;
        let _ = self.inbox.send(Msg::Resized { cols, rows });
        Ok(())
    }

    /// Sit down at an agent's terminal, with a program of its own: its threads must not be left behind in this one.
    /// The last words that it said.
    fn attach(&self, agent: &str, types: bool) -> String {
        let mut command = Command::new(&self.program);
        command.arg("attach").args(types.then_some("-i")).arg("--").arg(agent).stderr(Stdio::piped());
        let mut run = || -> io::Result<String> {
            let mut child = command.spawn()?;
            let mut said = child.stderr.take();
            let reader = std::thread::spawn(move || {
                said.as_mut().and_then(|said| io::read_to_string(said).ok()).unwrap_or_default()
            });
            loop {
                if child.try_wait()?.is_some() {
                    break;
                }
                if self.signals.is_ended() {
                    // Whoever wants the board to end wants this to end too.
                    child.kill()?;
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
            Ok(reader.join().unwrap_or_default())
        };
        let said = run().unwrap_or_else(|error| format!("`sb attach` cannot be started: {error}"));
        let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        one_line(last).into_owned()
    }
}

/// Signals, as flags that the loop looks at.
struct Signals {
    /// The number of the one that wants an end.
    ended: Arc<AtomicUsize>,
    suspended: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let ended = Arc::new(AtomicUsize::new(0));
        for signal in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&ended), number)?;
        }
        let (suspended, continued) = (Arc::default(), Arc::default());
        signal_hook::flag::register(SIGTSTP, Arc::clone(&suspended))?;
        signal_hook::flag::register(SIGCONT, Arc::clone(&continued))?;
        Ok(Self { ended, suspended, continued })
    }

    fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire) != 0
    }

    fn heard(&self) -> Vec<Msg> {
        let mut heard = Vec::new();
        if self.suspended.swap(false, Ordering::AcqRel) {
            heard.push(Msg::Suspend);
        }
        if self.continued.swap(false, Ordering::AcqRel) {
            heard.push(Msg::Continued);
        }
        if let Ok(signal @ 1..) = i32::try_from(self.ended.load(Ordering::Acquire)) {
            heard.push(Msg::End(signal));
        }
        heard
    }
}

/// The time for ages and pauses. It goes on also where the clock was set to stand still.
struct Time {
    begun: Instant,
    at: Timestamp,
}

impl Time {
    fn begin() -> Self {
        Self { begun: Instant::now(), at: clock::now() }
    }

    fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.begun.elapsed()).unwrap_or_default();
        clock::now().max(self.at + passed)
    }
}
