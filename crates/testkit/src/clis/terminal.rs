//! An agent CLI in a terminal, and the person before it.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::look::Look;
use super::process::{end_group, ends_within};
use super::screen::{Screen, Size};

/// How long the echo of a typed text may take.
const ECHO: Duration = Duration::from_secs(20);

/// A program in a pseudo-terminal. It is ended when this is dropped.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    input: File,
    size: Size,
    shown: Arc<(Mutex<Shown>, Condvar)>,
}

#[derive(Debug)]
struct Shown {
    screen: Screen,
    /// All that was ever written, as it was written.
    bytes: Vec<u8>,
    /// When something was written or pressed last.
    last: Instant,
    /// Nothing more will come.
    is_over: bool,
}

impl Terminal {
    /// Start a program in a terminal of this size.
    pub fn open(command: &Command, size: Size) -> Self {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("open the terminal's other end");
        let name = ptsname(&master, Vec::new()).expect("the terminal's name");
        let other_end = File::options()
            .read(true)
            .write(true)
            .open(Path::new(&*name.to_string_lossy()))
            .expect("open the terminal's other end");
        let winsize = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&other_end, winsize).expect("set the terminal's size");
        let child = start(command, &other_end);
        let input = File::from(master);
        let shown =
            Shown { screen: Screen::new(size), bytes: Vec::new(), last: Instant::now(), is_over: false };
        let shown = Arc::new((Mutex::new(shown), Condvar::new()));
        let (theirs, output) = (Arc::clone(&shown), input.try_clone().expect("a second handle"));
        std::thread::spawn(move || read_all(output, &theirs));
        Self { child, input, size, shown }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Type a text and wait until it stands on the screen.
    #[track_caller]
    pub fn type_text(&mut self, text: &str) {
        self.press(text);
        self.wait_for(text, ECHO);
    }

    /// Type a prompt and send it off. The key comes by itself and after the echo, as it does from a person.
    #[track_caller]
    pub fn submit(&mut self, prompt: &str) {
        self.type_text(prompt);
        self.press("\r");
    }

    /// Press keys: `"\r"` is Enter, `"\x1b"` is Escape, `"\x03"` is Ctrl-C.
    pub fn press(&mut self, keys: &str) {
        lock(&self.shown.0).last = Instant::now();
        self.input.write_all(keys.as_bytes()).expect("write to the terminal");
    }

    /// Wait until this stands on the screen. White space does not count, because lines are wrapped.
    #[track_caller]
    pub fn wait_for(&self, text: &str, patience: Duration) {
        let wanted = dense(text);
        self.wait_until(&format!("{text:?} to be shown"), patience, |screen| dense(screen).contains(&wanted));
    }

    /// Wait until this stands on the screen no more.
    #[track_caller]
    pub fn wait_gone(&self, text: &str, patience: Duration) {
        let unwanted = dense(text);
        self.wait_until(&format!("{text:?} to go"), patience, |screen| !dense(screen).contains(&unwanted));
    }

    #[track_caller]
    pub fn wait_until(&self, what: &str, patience: Duration, is_so: impl Fn(&str) -> bool) {
        if self.comes_true(patience, is_so) {
            return;
        }
        let shown = lock(&self.shown.0);
        let (screen, log) = (shown.screen.text(), shown.screen.log());
        let how = if shown.is_over { "the program ended" } else { "it did not come in time" };
        panic!("waited for {what}, but {how}\n--- the screen\n{screen}\n--- all that was shown\n{log}");
    }

    /// Wait for a question and press a key until it goes away. Codex takes no key in the first moment, so that
    /// nobody answers by accident.
    #[track_caller]
    pub fn answer(&mut self, question: &str, key: &str, patience: Duration) {
        const ONE_TRY: Duration = Duration::from_secs(2);
        self.wait_for(question, patience);
        let dense_question = dense(question);
        for _ in 0..5 {
            self.press(key);
            if self.comes_true(ONE_TRY, |screen| !dense(screen).contains(&dense_question)) {
                return;
            }
        }
        self.wait_gone(question, ONE_TRY);
    }

    /// Wait until it is so. `false` where it does not become so in time.
    #[must_use = "say what it means where it is not so"]
    pub fn comes_true(&self, patience: Duration, is_so: impl Fn(&str) -> bool) -> bool {
        let is_done = |shown: &Shown| is_so(&shown.screen.text());
        let is_pending = |shown: &mut Shown| !shown.is_over && !is_done(shown);
        let waited = self.shown.1.wait_timeout_while(lock(&self.shown.0), patience, is_pending);
        is_done(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Whether this stands on the screen now.
    pub fn shows(&self, text: &str) -> bool {
        dense(&self.screen()).contains(&dense(text))
    }

    /// Whether this was ever written to the screen.
    pub fn showed(&self, text: &str) -> bool {
        dense(&self.log()).contains(&dense(text))
    }

    /// What is shown now.
    pub fn screen(&self) -> String {
        lock(&self.shown.0).screen.text()
    }

    /// All text that was ever written.
    pub fn log(&self) -> String {
        lock(&self.shown.0).screen.log().to_owned()
    }

    /// What a person sees now.
    pub fn look(&self) -> Look {
        Look::of(&lock(&self.shown.0).bytes, self.size)
    }

    /// Wait until nothing was written or pressed for so long. `false` where it does not become quiet in time.
    #[must_use = "a program that is busy may never be quiet"]
    pub fn is_quiet(&self, pause: Duration, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        let mut shown = lock(&self.shown.0);
        loop {
            let left = pause.saturating_sub(shown.last.elapsed());
            if left.is_zero() || shown.is_over {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            let waited = self.shown.1.wait_timeout(shown, left);
            shown = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The exit code, once the program has ended: `Some(None)` where a signal did it. `None` where it still runs.
    pub fn ends_within(&mut self, patience: Duration) -> Option<Option<i32>> {
        ends_within(&mut self.child, patience)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        end_group(&mut self.child);
    }
}

/// `setsid` makes the terminal the controlling one, as a terminal emulator does, and becomes the program.
fn start(command: &Command, terminal: &File) -> Child {
    let handle = || Stdio::from(terminal.try_clone().expect("a second handle"));
    let mut leader = Command::new("setsid");
    leader.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
    leader.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    leader.current_dir(command.get_current_dir().expect("a folder"));
    leader.stdin(handle()).stdout(handle()).stderr(handle());
    leader.spawn().expect("start the program in a terminal")
}

/// Read until the program has closed the terminal, which the kernel reports as an error.
fn read_all(mut terminal: File, shown: &(Mutex<Shown>, Condvar)) {
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = terminal.read(&mut buffer) {
        let answers = {
            let mut shown = lock(&shown.0);
            shown.bytes.extend_from_slice(&buffer[..count]);
            shown.last = Instant::now();
            shown.screen.feed(&buffer[..count])
        };
        shown.1.notify_all();
        if terminal.write_all(&answers).is_err() {
            break;
        }
    }
    lock(&shown.0).is_over = true;
    shown.1.notify_all();
}

fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}
