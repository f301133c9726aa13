//! What only the kernel at hand knows how to do, and with `unsafe` for it: preparing a child between fork and exec.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Let the command lead a session of its own, with its standard input as the controlling terminal, and let it
/// not outlive whoever starts it.
#[expect(unsafe_code, reason = "std offers no safe way to make system calls between fork and exec")]
pub fn lead_a_session(command: &mut Command) {
    let parent = rustix::process::getpid();
    // SAFETY: `prepare` makes system calls and nothing else. It allocates nothing, takes no lock and touches
    // nothing that another thread of this process could have left half changed.
    unsafe {
        command.pre_exec(move || prepare(parent));
    }
}

/// Let the command have a process group of its own, in the foreground of the terminal on standard input, and let it not
/// outlive whoever starts it.
#[expect(unsafe_code, reason = "std offers no safe way to make system calls between fork and exec")]
pub fn run_in_front(command: &mut Command) {
    let parent = rustix::process::getpid();
    // SAFETY: as above.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setpgid(None, None)?;
            take_the_front()?;
            die_with(parent)
        });
    }
}

/// Whoever is in the background and asks for the foreground is stopped, unless it ignores that.
#[expect(unsafe_code, reason = "no safe interface can ignore a signal")]
fn take_the_front() -> io::Result<()> {
    // SAFETY: both make a system call and touch nothing else. The child has one thread, and the signal does again what it
    // does by default before the program begins.
    let ignore = |how| unsafe { libc::signal(libc::SIGTTOU, how) };
    ignore(libc::SIG_IGN);
    let taken = rustix::termios::tcsetpgrp(rustix::stdio::stdin(), rustix::process::getpid());
    ignore(libc::SIG_DFL);
    Ok(taken?)
}

fn prepare(parent: rustix::process::Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    die_with(parent)
}

fn die_with(parent: rustix::process::Pid) -> io::Result<()> {
    die_with_parent()?;
    // Who died before the line above was in force sends no signal any more.
    if rustix::process::getppid() != Some(parent) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    Ok(())
}

/// A child whose terminal goes away gets SIGHUP, which it may ignore. An agent that goes on unseen is worse
/// than one that is cut off, so the kernel sees to it.
#[cfg(target_os = "linux")]
fn die_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?)
}

/// Elsewhere SIGHUP has to do.
#[cfg(not(target_os = "linux"))]
fn die_with_parent() -> io::Result<()> {
    Ok(())
}
