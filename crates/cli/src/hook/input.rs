//! What a hook is told on standard input, in time and within bounds.

use std::io::{self, Stdin};

use rustix::io::Errno;

use super::{Trouble, guard};

/// The most that is read of a payload. Tool inputs are far smaller; whatever sends more gets a refusal.
const MOST: u64 = 16 * 1024 * 1024;

/// All of standard input. What is too much is read to its end all the same, so that the CLI is not cut off while it
/// writes.
pub fn payload() -> Result<Vec<u8>, Trouble> {
    let broken = |error: io::Error| Trouble::Payload(format!("standard input cannot be read: {error}"));
    let mut bytes = vec![0; 4 * 1024];
    let mut length = 0;
    let mut rest = 0;
    let stdin = io::stdin();
    loop {
        if length == bytes.len() {
            bytes.resize(length * 4, 0);
        }
        let room = bytes.get_mut(length..).unwrap_or_default();
        match read(&stdin, room).map_err(broken)? {
            None => {}
            Some(0) => break,
            Some(read) if (length + read) as u64 > MOST => rest += read as u64,
            Some(read) => length += read,
        }
    }
    bytes.truncate(length);
    if rest == 0 {
        return Ok(bytes);
    }
    Err(Trouble::Payload(format!("the payload has {} bytes, and {MOST} are read", bytes.len() as u64 + rest)))
}

/// Read what there is. Only where there is nothing yet is it waited for, and never past the deadline.
fn read(stdin: &Stdin, room: &mut [u8]) -> io::Result<Option<usize>> {
    if let Some(read) = read_at_once(stdin, room) {
        return Ok(Some(read));
    }
    wait(stdin)?;
    match rustix::io::read(stdin, room) {
        Ok(read) => Ok(Some(read)),
        Err(Errno::INTR | Errno::AGAIN) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What is there already. Mostly that is everything, and one system call less than asking first.
#[cfg(target_os = "linux")]
fn read_at_once(stdin: &Stdin, room: &mut [u8]) -> Option<usize> {
    use rustix::io::{IoSliceMut, ReadWriteFlags, preadv2};
    // This offset means the present one.
    preadv2(stdin, &mut [IoSliceMut::new(room)], u64::MAX, ReadWriteFlags::NOWAIT).ok()
}

#[cfg(not(target_os = "linux"))]
fn read_at_once(_stdin: &Stdin, _room: &mut [u8]) -> Option<usize> {
    None
}

fn wait(stdin: &Stdin) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let left = guard::remaining();
    let mut fds = [PollFd::new(stdin, PollFlags::IN)];
    let timeout = Timespec {
        tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    };
    match poll(&mut fds, Some(&timeout)) {
        Ok(0) => Err(io::Error::new(io::ErrorKind::TimedOut, "it did not end in time")),
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
