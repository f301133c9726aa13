//! A terminal that reads as fast as it can, and a person who types at it.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Result;

/// How long a program may take for anything.
const PATIENCE: Duration = Duration::from_secs(300);

/// A program in a terminal. It is ended when this is dropped.
pub struct Terminal {
    child: Child,
    ours: File,
}

impl Terminal {
    /// `setsid` makes the terminal the controlling one, as a terminal emulator does, and becomes the program.
    pub fn open(command: &Command) -> Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?;
        let theirs = File::options().read(true).write(true).open(Path::new(&*name.to_string_lossy()))?;
        tcsetwinsize(&theirs, Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 })?;
        let handle = || theirs.try_clone().map(Stdio::from);
        let mut leader = Command::new("setsid");
        leader.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
        leader.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        leader.env("TERM", "xterm-256color").env("LC_ALL", "C.UTF-8").env("SHELL", "/bin/sh");
        leader.stdin(handle()?).stdout(handle()?).stderr(handle()?);
        Ok(Self { child: leader.spawn()?, ours: File::from(ours) })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Read until the program has ended and everything was shown.
    pub fn read_to_end(&mut self) -> Result<()> {
        let mut buffer = vec![0; 256 << 10];
        // The kernel reports an error when nobody has the terminal any more.
        while let Ok(1..) = self.ours.read(&mut buffer) {}
        Ok(())
    }

    /// Read until nothing more comes for a while.
    pub fn read_until_quiet(&mut self) -> Result<()> {
        while !self.read_within(Duration::from_secs(3))?.is_empty() {}
        Ok(())
    }

    pub fn wait(&mut self) -> Result<()> {
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("a program in a terminal ended with {status}").into())
        }
    }

    /// Wait until this is shown.
    pub fn wait_for(&mut self, wanted: &str) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut shown = Vec::new();
        while !String::from_utf8_lossy(&shown).contains(wanted) {
            // The kernel reports an error when the program has ended.
            match self.read_within(Duration::from_millis(100)) {
                Ok(more) if Instant::now() < deadline => shown.extend(more),
                _ => {
                    let shown = String::from_utf8_lossy(&shown);
                    return Err(format!("{wanted:?} was never shown, but {shown:?}").into());
                }
            }
        }
        Ok(())
    }

    /// What is shown within this time; returns as soon as there is something.
    fn read_within(&mut self, time: Duration) -> Result<Vec<u8>> {
        let timeout = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() };
        if poll(&mut [PollFd::new(&self.ours, PollFlags::IN)], Some(&timeout))? == 0 {
            return Ok(Vec::new());
        }
        let mut buffer = vec![0; 64 << 10];
        let count = self.ours.read(&mut buffer)?;
        buffer.truncate(count);
        Ok(buffer)
    }

    /// Read whatever is still to come.
    pub fn settle(&mut self) -> Result<()> {
        while !self.read_within(Duration::from_millis(300))?.is_empty() {}
        Ok(())
    }

    pub fn press(&mut self, key: u8) -> Result<()> {
        Ok(self.ours.write_all(&[key])?)
    }

    /// Press a key and wait until this is shown, which nothing else shows meanwhile.
    pub fn answer(&mut self, key: &[u8], sign: &[u8]) -> Result<Duration> {
        let begun = Instant::now();
        self.ours.write_all(key)?;
        let mut shown = Vec::new();
        while begun.elapsed() < PATIENCE {
            shown.extend(self.read_within(PATIENCE)?);
            if shown.windows(sign.len()).any(|part| part == sign) {
                return Ok(begun.elapsed());
            }
        }
        Err("a key was never answered".into())
    }

    /// Press a key and wait until it is shown.
    pub fn echo(&mut self, key: u8) -> Result<Duration> {
        let begun = Instant::now();
        self.ours.write_all(&[key])?;
        while begun.elapsed() < PATIENCE {
            if self.read_within(PATIENCE)?.contains(&key) {
                return Ok(begun.elapsed());
            }
        }
        Err("a key was never shown".into())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
