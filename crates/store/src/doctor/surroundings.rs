//! What Signalbox stands on: permissions, the lock, the clock, the disk, the registered directories.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use super::{Finding, Repair};
use crate::clock;
use crate::config::Config;
use crate::home::Home;
use crate::index::Index;
use crate::lock::Lock;

/// Below this much room, commands will soon fail.
const LITTLE_ROOM: u64 = 200 * 1024 * 1024;
/// How long a command may hold the lock before it is worth a word.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn examine(home: &Home, config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, project) in &config.projects {
        if !project.path.is_dir() {
            findings.push(
                Finding::note(
                    "config",
                    format!("the directory of project `{name}` is gone: {}", project.path.display()),
                )
                .hint(format!("Change or remove `[projects.{name}]` in {}.", home.config().display())),
            );
        }
    }
    if !home.exists() {
        findings
            .push(Finding::note("home", format!("{} is empty: nothing was done yet", home.root().display())));
        return findings;
    }
    for path in
        [home.root().to_owned(), home.events(), home.run(), home.sessions(), home.config(), home.index()]
    {
        if let Ok(metadata) = path.metadata() {
            let mode = metadata.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                findings.push(
                    Finding::problem(
                        "permissions",
                        format!("{} is open to other users (mode {mode:03o})", path.display()),
                    )
                    .repair(Repair::Restrict(path)),
                );
            }
        }
    }
    if let Ok(disk) = rustix::fs::statvfs(home.root()) {
        let room = disk.f_bavail.saturating_mul(disk.f_frsize);
        if room < LITTLE_ROOM {
            findings.push(
                Finding::problem(
                    "disk",
                    format!("only {} MiB are free where {} lies", room / 1024 / 1024, home.root().display()),
                )
                .hint("Free some space: commands that change something will fail soon."),
            );
        }
    }
    let newest = Index::open_existing(&home.index()).and_then(|index| index.newest().ok().flatten());
    if let Some(newest) = newest.filter(|newest| newest.duration_since(clock::now()).as_secs() > 60) {
        findings.push(
            Finding::problem("clock", format!("the newest event is from the future: {newest:.0}"))
                .hint("Set the clock. Until it has caught up, new events carry that time."),
        );
    }
    findings
}

/// The lock, if it comes free soon.
pub(super) fn lock_soon(home: &Home, findings: &mut Vec<Finding>) -> Option<Lock> {
    let began = Instant::now();
    if let Err(error) = home.prepare() {
        findings.push(Finding::problem("lock", format!("the lock's folder cannot be made: {error}")));
        return None;
    }
    loop {
        match Lock::try_acquire(&home.lock()) {
            Ok(Some(lock)) => return Some(lock),
            Err(error) => {
                findings.push(Finding::problem("lock", format!("the lock cannot be taken: {error}")));
                return None;
            }
            Ok(None) if began.elapsed() > PATIENCE => {
                findings.push(
                    Finding::problem(
                        "lock",
                        format!("another process has held the lock for {} s", PATIENCE.as_secs()),
                    )
                    .hint(match crate::process::lock_holder(&home.lock()) {
                        Some(pid) => format!("It is process {pid}. When it ends, the lock is free."),
                        None => "When that ends, the lock is free.".to_owned(),
                    }),
                );
                return None;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}
