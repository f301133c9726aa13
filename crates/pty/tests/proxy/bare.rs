//! The least that stands between two terminals: what the pump is measured against. Copies bytes and does nothing else.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};

pub fn run(command: &Command) -> io::Result<u8> {
    // A program in a terminal leads a session, and the system treats those apart.
    let mut leader = Command::new("setsid");
    leader.arg("--ctty").arg(command.get_program()).args(command.get_args());
    let mut command = leader;
    let (input, output) = (io::stdin(), io::stdout());
    let before = tcgetattr(&input)?;
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let other_end = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    tcsetattr(&other_end, OptionalActions::Now, &before)?;
    tcsetwinsize(&other_end, tcgetwinsize(&input)?)?;
    let handle = || other_end.try_clone().map(Stdio::from);
    command.stdin(handle()?).stdout(handle()?).stderr(handle()?);
    let mut child = command.spawn()?;
    drop(command);
    drop(other_end);
    let mut raw = before.clone();
    raw.make_raw();
    tcsetattr(&input, OptionalActions::Now, &raw)?;
    copy(input.as_fd(), output.as_fd(), master.as_fd());
    tcsetattr(&input, OptionalActions::Now, &before)?;
    Ok(child.wait()?.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

fn copy(input: BorrowedFd<'_>, output: BorrowedFd<'_>, master: BorrowedFd<'_>) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let mut fds =
            [PollFd::from_borrowed_fd(master, PollFlags::IN), PollFd::from_borrowed_fd(input, PollFlags::IN)];
        if poll(&mut fds, None).is_err() {
            return;
        }
        let [from_program, from_person] = fds.map(|fd| !fd.revents().is_empty());
        for (is_ready, from, to) in [(from_program, master, output), (from_person, input, master)] {
            if !is_ready {
                continue;
            }
            let Ok(count @ 1..) = rustix::io::read(from, &mut buffer[..]) else { return };
            let mut rest = &buffer[..count];
            while !rest.is_empty() {
                let Ok(written) = rustix::io::write(to, rest) else { return };
                rest = &rest[written..];
            }
        }
    }
}
