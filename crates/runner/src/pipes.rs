//! The three streams of a program, none of which can make us wait.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// How much is read at once.
const PIECE: usize = 64 << 10;

pub struct Pipes {
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    written: usize,
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
}

/// A stream, as far as it was read.
struct Stream<R> {
    from: Option<R>,
    kept: Vec<u8>,
    most: usize,
    overflowed: bool,
}

impl Pipes {
    pub fn of(child: &mut Child, input: Vec<u8>, most: usize) -> io::Result<Self> {
        let stdin = child.stdin.take();
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        stdin.as_ref().map_or(Ok(()), |pipe| do_not_block(pipe.as_fd()))?;
        stdout.as_ref().map_or(Ok(()), |pipe| do_not_block(pipe.as_fd()))?;
        stderr.as_ref().map_or(Ok(()), |pipe| do_not_block(pipe.as_fd()))?;
        let (stdout, stderr) = (Stream::new(stdout, most), Stream::new(stderr, most));
        Ok(Self { stdin, input, written: 0, stdout, stderr })
    }

    pub fn are_open(&self) -> bool {
        self.stdout.from.is_some() || self.stderr.from.is_some()
    }

    pub fn overflowed(&self) -> bool {
        self.stdout.overflowed || self.stderr.overflowed
    }

    /// Pass on whatever can be passed on within that time.
    pub fn wait(&mut self, time: Duration) -> io::Result<()> {
        let mut waited: Vec<PollFd<'_>> = Vec::with_capacity(3);
        let readers = [self.stdout.fd(), self.stderr.fd()];
        waited.extend(readers.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let writer = self.stdin.as_ref().map(AsFd::as_fd);
        waited.extend(writer.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        let time = Timespec::try_from(time).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        match poll(&mut waited, Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.drain();
        self.feed();
        Ok(())
    }

    /// Take what is there.
    pub fn drain(&mut self) {
        self.stdout.drain();
        self.stderr.drain();
    }

    /// Give it what it reads. One that does not read is no error.
    fn feed(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        let rest = self.input.get(self.written..).unwrap_or_default();
        match stdin.write(rest) {
            Ok(count) => self.written += count,
            Err(error) if is_later(&error) => {}
            Err(_) => self.stdin = None,
        }
        if self.written >= self.input.len() {
            self.stdin = None;
        }
    }

    pub fn into_output(self) -> (Vec<u8>, Vec<u8>) {
        (self.stdout.kept, self.stderr.kept)
    }
}

impl<R: Read + AsFd> Stream<R> {
    fn new(from: Option<R>, most: usize) -> Self {
        Self { from, kept: Vec::new(), most, overflowed: false }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.from.as_ref().map(AsFd::as_fd)
    }

    fn drain(&mut self) {
        let mut piece = [0; PIECE];
        while let Some(from) = &mut self.from {
            match from.read(&mut piece) {
                Ok(0) => self.from = None,
                Ok(count) => {
                    let room = self.most - self.kept.len();
                    self.kept.extend(piece.iter().take(count.min(room)));
                    if count > room {
                        self.overflowed = true;
                        self.from = None;
                    }
                }
                Err(error) if is_later(&error) => return,
                Err(_) => self.from = None,
            }
        }
    }
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn do_not_block(pipe: BorrowedFd<'_>) -> io::Result<()> {
    let flags = fcntl_getfl(pipe)?;
    fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?;
    Ok(())
}
