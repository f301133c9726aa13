//! Running somebody's program within bounds: it may hang, print without end, or leave children behind, and does no harm.
//!
//! The program gets a process group of its own, which is killed when the program has ended, when its time is up, and when
//! it prints more than it may. One that goes into a session of its own can outlive that; nobody waits for it.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod pipes;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pipes::Pipes;

/// The most that is kept of each stream unless another number is given, in bytes.
pub const MOST_OUTPUT: usize = 1 << 20;

/// How long a program that has closed its streams is waited for between two looks: most end within the first.
const FIRST_LOOK: Duration = Duration::from_micros(100);
const LAST_LOOK: Duration = Duration::from_millis(5);

/// Becomes the program that it is given, beside somebody who reads what nobody writes until whoever started both is gone,
/// and then ends all of them. That one is nobody's child, so that a program that waits for its children does not see it.
const GUARD: &str = r#"exec 3<&0 </dev/null
((read -r _ <&3; kill -9 -$$) >/dev/null 2>&1 &)
exec 3<&-
exec "$@""#;

/// A program that is to be run.
#[derive(Debug, Clone)]
pub struct Program {
    words: Vec<OsString>,
    directory: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    inherits: bool,
    input: Vec<u8>,
    time: Duration,
    most: usize,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Code(i32),
    Signal(i32),
    /// It was killed because its time was up.
    TimedOut,
    /// It was killed because it printed more than it may.
    TooMuch,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Ran {
    pub fn succeeded(&self) -> bool {
        self.end == End::Code(0)
    }

    /// What it printed, as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// What it complained about, as text.
    pub fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "it ended with code {code}"),
            Self::Signal(signal) => write!(f, "it was ended by signal {signal}"),
            Self::TimedOut => f.write_str("it took too long and was ended"),
            Self::TooMuch => f.write_str("it printed too much and was ended"),
        }
    }
}

impl Program {
    /// A program and its arguments.
    pub fn new(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            directory: None,
            environment: Vec::new(),
            inherits: true,
            input: Vec::new(),
            time: Duration::from_secs(30),
            most: MOST_OUTPUT,
        }
    }

    /// A line for the shell.
    pub fn shell(line: &str) -> Self {
        Self::new(["/bin/sh", "-c", line])
    }

    #[must_use]
    pub fn in_directory(mut self, directory: &Path) -> Self {
        self.directory = Some(directory.to_owned());
        self
    }

    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// It gets the variables that it is given, and none of ours.
    #[must_use]
    pub fn without_our_environment(mut self) -> Self {
        self.inherits = false;
        self
    }

    /// What it reads from its standard input; nothing unless this is said.
    #[must_use]
    pub fn reading(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    #[must_use]
    pub fn printing_at_most(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    /// Run it to its end, with all that it prints in this file, as it comes. It is ended too when `go_on` says no, and
    /// when this process is killed.
    pub fn run_into(mut self, file: &File, go_on: &dyn Fn() -> bool) -> io::Result<End> {
        let until = Instant::now() + self.time;
        let from = file.metadata()?.len();
        let guard = ["/bin/sh", "-c", GUARD, "sh"].map(OsString::from);
        self.words.splice(0..0, guard);
        let mut command = self.command()?;
        // Nothing is ever written there: it closes when we are gone.
        command.stdin(Stdio::piped()).stdout(file.try_clone()?).stderr(file.try_clone()?);
        let mut child = command.spawn()?;
        let most = u64::try_from(self.most).unwrap_or(u64::MAX);
        let end = loop {
            if let Some(status) = child.try_wait()? {
                break of_status(status);
            }
            let printed = file.metadata()?.len().saturating_sub(from);
            if printed > most {
                break End::TooMuch;
            }
            if Instant::now() >= until || !go_on() {
                break End::TimedOut;
            }
            std::thread::sleep(LAST_LOOK);
        };
        kill_group(&child);
        let _ = child.wait();
        if end == End::TooMuch {
            // It was quicker than we looked.
            file.set_len(from.saturating_add(most))?;
        }
        Ok(end)
    }

    fn command(&self) -> io::Result<Command> {
        let (program, arguments) = self.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        if !self.inherits {
            command.env_clear();
        }
        let variables = self.environment.iter().map(|(name, value)| (name, value));
        command.args(arguments).envs(variables).process_group(0);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        Ok(command)
    }

    /// Run it to its end. An error means that it could not be started.
    pub fn run(self) -> io::Result<Ran> {
        let until = Instant::now() + self.time;
        let mut command = self.command()?;
        command
            .stdin(if self.input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut pipes = Pipes::of(&mut child, self.input, self.most)?;
        let end = follow(&mut child, &mut pipes, until);
        // Whatever it started and left behind goes with it.
        kill_group(&child);
        let end = match end {
            Ok(Some(status)) => Ok(of_status(status)),
            Ok(None) => child.wait().map(|_| if pipes.overflowed() { End::TooMuch } else { End::TimedOut }),
            Err(error) => {
                let _ = child.wait();
                Err(error)
            }
        }?;
        let (stdout, stderr) = pipes.into_output();
        Ok(Ran { end, stdout, stderr })
    }
}

/// Follow it until it ends by itself; `None`: it has to be ended.
fn follow(child: &mut Child, pipes: &mut Pipes, until: Instant) -> io::Result<Option<ExitStatus>> {
    let mut look = FIRST_LOOK;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if pipes.overflowed() || left.is_zero() {
            return Ok(None);
        }
        if pipes.are_open() {
            // Its children may hold the streams open when it is long gone.
            pipes.wait(left.min(Duration::from_millis(50)))?;
        } else {
            std::thread::sleep(look.min(left));
            look = (look * 2).min(LAST_LOOK);
        }
        if let Some(status) = child.try_wait()? {
            pipes.drain();
            return Ok(if pipes.overflowed() { None } else { Some(status) });
        }
    }
}

fn kill_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn of_status(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Code(1),
    }
}
