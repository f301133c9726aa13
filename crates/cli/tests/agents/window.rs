//! A terminal window, and whoever sits before it: what it shows, what is typed, its size and settings, and its closing.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};
use signalbox_pty::{Screen, Size, View};

/// How long anything may take that is bound to happen, on a machine that is busy with other tests.
pub const PATIENCE: Duration = Duration::from_secs(60);
pub const USUAL: Size = Size::new(40, 100);

/// A program in a terminal of its own. It is ended when this is dropped.
pub struct Window {
    child: Child,
    ours: Option<File>,
    /// Kept, so that the settings can be looked at when all programs are gone.
    theirs: Option<OwnedFd>,
    shown: Arc<Shown>,
}

struct Shown {
    state: Mutex<State>,
    changed: Condvar,
    /// Read no more.
    stop: AtomicBool,
}

struct State {
    screen: Screen,
    bytes: Vec<u8>,
    is_over: bool,
}

impl Window {
    pub fn open(command: &Command) -> Self {
        Self::sized(command, USUAL)
    }

    /// The program leads the session, as it does in a terminal emulator.
    pub fn sized(command: &Command, size: Size) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags).expect("a terminal");
        grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("open the other end");
        let name = ptsname(&ours, Vec::new()).expect("its name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let theirs = rustix::fs::open(&*name, flags, Mode::empty()).expect("open the other end");
        let ours = File::from(ours);
        set_size(&ours, size);
        let handle = || Stdio::from(theirs.try_clone().expect("a second handle"));
        let mut leader = Command::new("setsid");
        leader.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
        leader.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        leader.current_dir(command.get_current_dir().expect("a folder"));
        leader.stdin(handle()).stdout(handle()).stderr(handle());
        let child = leader.spawn().expect("start the program");
        let state = State { screen: Screen::new(size), bytes: Vec::new(), is_over: false };
        let shown = Shown { state: Mutex::new(state), changed: Condvar::new(), stop: AtomicBool::new(false) };
        let shown = Arc::new(shown);
        let (theirs_shown, from) = (Arc::clone(&shown), ours.try_clone().expect("a second handle"));
        std::thread::spawn(move || theirs_shown.follow(from));
        Self { child, ours: Some(ours), theirs: Some(theirs), shown }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(pid(self.pid()), signal).expect("signal the program");
    }

    pub fn press(&self, keys: impl AsRef<[u8]>) {
        let mut ours = self.ours.as_ref().expect("an open window");
        ours.write_all(keys.as_ref()).expect("type");
    }

    pub fn resize(&self, size: Size) {
        // The program is told at once. What it draws then must not meet a picture of the old size.
        let mut state = self.shown.lock();
        set_size(self.ours.as_ref().expect("an open window"), size);
        state.screen.resize(size);
    }

    /// The settings of the terminal, to compare.
    pub fn settings(&self) -> String {
        let set = tcgetattr(self.theirs.as_ref().expect("an open window")).expect("the settings");
        format!(
            "{:?} {:?} {:?} {:?} {:?}",
            set.input_modes, set.output_modes, set.control_modes, set.local_modes, set.special_codes
        )
    }

    /// Close the window while the program runs: it and all that has this terminal are hung up.
    pub fn close(&mut self) {
        self.shown.stop.store(true, Ordering::Release);
        let over = self.shown.wait(PATIENCE, |state| state.is_over);
        assert!(over, "the reader does not stop");
        self.theirs = None;
        self.ours = None;
    }

    pub fn view(&self) -> View {
        self.shown.lock().screen.view()
    }

    /// What is to be seen, a row a line.
    pub fn text(&self) -> String {
        self.view().rows.join("\n").trim_end().to_owned()
    }

    /// All that was ever written to it.
    pub fn bytes(&self) -> Vec<u8> {
        self.shown.lock().bytes.clone()
    }

    /// Whether this stands there. White space does not count, because lines are wrapped.
    pub fn shows(&self, words: &str) -> bool {
        dense(&self.text()).contains(&dense(words))
    }

    #[track_caller]
    pub fn wait_for(&self, words: &str) {
        let wanted = dense(words);
        self.wait_until(&format!("{words:?}"), |view| dense(&view.rows.join("\n")).contains(&wanted));
    }

    #[track_caller]
    pub fn wait_gone(&self, words: &str) {
        let unwanted = dense(words);
        let what = format!("{words:?} to go");
        self.wait_until(&what, |view| !dense(&view.rows.join("\n")).contains(&unwanted));
    }

    #[track_caller]
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&View) -> bool) {
        if !self.shown.wait(PATIENCE, |state| is_so(&state.screen.view())) {
            let how = if self.shown.lock().is_over { "the program ended" } else { "it did not come" };
            panic!("waited for {what}, but {how}:\n{}", self.text());
        }
    }

    /// What somebody does who waits this long.
    pub fn rest(&self, pause: Duration) {
        let end = Instant::now() + pause;
        let mut state = self.shown.lock();
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            let waited = self.shown.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The exit code that a shell would report.
    #[track_caller]
    pub fn ends(&mut self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        let mut status = None;
        eventually("the program to end", || {
            status = self.child.try_wait().expect("ask for its end");
            status.is_some()
        });
        let status = status.expect("a status");
        status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
    }

    /// The exit code, once all that was written was read too.
    #[track_caller]
    pub fn finish(&mut self) -> i32 {
        let code = self.ends();
        self.theirs = None;
        assert!(self.shown.wait(PATIENCE, |state| state.is_over), "somebody still has the terminal");
        code
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = kill_process_group(pid(self.child.id()), Signal::KILL);
        let _ = self.child.wait();
        self.shown.stop.store(true, Ordering::Release);
    }
}

impl Shown {
    fn follow(&self, mut from: File) {
        let mut buffer = vec![0; 1 << 16];
        let moment = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
        while !self.stop.load(Ordering::Acquire) {
            if poll(&mut [PollFd::new(&from, PollFlags::IN)], Some(&moment)) == Ok(0) {
                continue;
            }
            // The kernel reports the end of the last program as an error.
            let Ok(count @ 1..) = from.read(&mut buffer) else { break };
            let mut state = self.lock();
            state.bytes.extend_from_slice(&buffer[..count]);
            state.screen.feed(&buffer[..count]);
            drop(state);
            self.changed.notify_all();
        }
        drop(from);
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, patience: Duration, is_so: impl Fn(&State) -> bool) -> bool {
        let waits = |state: &mut State| !state.is_over && !is_so(state);
        let waited = self.changed.wait_timeout_while(self.lock(), patience, waits);
        is_so(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

/// Wait until it is so.
#[track_caller]
pub fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    within(PATIENCE, what, is_so);
}

#[track_caller]
pub fn within(patience: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < patience, "waited in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Whether there is such a process that has not ended.
pub fn is_alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

pub fn pid(number: u32) -> Pid {
    i32::try_from(number).ok().and_then(Pid::from_raw).expect("a process")
}

fn set_size(terminal: &File, size: Size) {
    let size = Winsize { ws_row: size.rows, ws_col: size.cols, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("set the size");
}

fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}
