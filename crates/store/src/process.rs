//! The processes above this one: what an agent cannot shed by dropping its environment.
//!
//! The only module that reads `/proc`. Elsewhere than on Linux the ancestors are unknown, and identity
//! rests on the session's capability alone.

use std::path::Path;
use std::sync::OnceLock;

/// A process, told apart from a later one with the same number by when it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// The leader of its terminal session.
    pub session: u32,
    /// In clock ticks since the system started.
    pub started: u64,
    /// The program's name as the kernel keeps it: at most 15 bytes.
    pub name: String,
}

/// The processes above this one, the nearest first.
pub fn ancestors() -> Vec<Process> {
    chain_from(std::os::unix::process::parent_id())
}

/// A process and those above it, the nearest first.
pub fn chain_from(mut pid: u32) -> Vec<Process> {
    let mut found = Vec::new();
    // A process tree is shallow; the bound is against a loop made by numbers used again meanwhile.
    while pid > 1 && found.len() < 64 {
        let Some(process) = process(pid) else { break };
        pid = process.parent;
        found.push(process);
    }
    found
}

#[cfg(target_os = "linux")]
pub fn process(pid: u32) -> Option<Process> {
    use std::io::Read;
    // One line of a few hundred bytes, read in one go: this is on the way of every tool call.
    let mut bytes = [0; 1024];
    let length = std::fs::File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut bytes).ok()?;
    let stat = String::from_utf8_lossy(bytes.get(..length)?);
    // The name stands in parentheses and may hold anything, also parentheses.
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = tail.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse().ok();
    Some(Process {
        pid,
        parent: u32::try_from(number(1)?).ok()?,
        session: u32::try_from(number(3)?).ok()?,
        started: number(19)?,
        name,
    })
}

#[cfg(not(target_os = "linux"))]
pub fn process(_pid: u32) -> Option<Process> {
    None
}

/// The words a process was started with; empty where that cannot be known.
#[cfg(target_os = "linux")]
pub fn arguments(pid: u32) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    bytes
        .split(|b| *b == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

#[cfg(not(target_os = "linux"))]
pub fn arguments(_pid: u32) -> Vec<String> {
    Vec::new()
}

/// Whether that very process still runs. Unknown counts as running: nothing is cleaned up on a guess.
pub fn is_running(pid: u32, started: u64) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    process(pid).is_some_and(|process| process.started == started)
}

/// The names a process may be known by, the kernel's first: for an interpreter the script it was given, and the
/// file it runs, because a program can change what the kernel shows.
pub fn program_names(process: &Process) -> Vec<String> {
    let mut names = vec![process.name.clone()];
    if INTERPRETERS.contains(&process.name.as_str()) || process.name.starts_with("python") {
        let arguments = arguments(process.pid);
        names.extend(
            arguments
                .iter()
                .skip(1)
                .find(|word| !word.starts_with('-'))
                .map(|script| stem(Path::new(script))),
        );
    }
    if let Ok(file) = std::fs::read_link(format!("/proc/{}/exe", process.pid)) {
        names.push(stem(&file));
        // `…/claude/versions/2.1.197`
        let mut above =
            file.components().rev().skip(1).map(|part| part.as_os_str().to_string_lossy().into_owned());
        if above.next().as_deref() == Some("versions") {
            names.extend(above.next());
        }
    }
    names
}

/// A file's name without `.js`, `.exe` and the like.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

const INTERPRETERS: &[&str] = &["node", "bun", "deno", "ruby", "MainThread", "node-MainThread"];

/// Whether a process is a shell that only runs one command line for its parent.
pub fn is_passing_shell(process: &Process) -> bool {
    let shell = ["sh", "bash", "dash", "zsh", "ksh", "fish"].contains(&process.name.as_str());
    let options = arguments(process.pid);
    let mut options = options.iter().skip(1).take_while(|word| word.starts_with('-'));
    shell && options.any(|word| !word.starts_with("--") && word.contains('c'))
}

/// The terminal session this process belongs to: its leader and when that began. Unknown where the leader
/// cannot be seen from here, as in a container entered from outside: the system then says 0.
pub fn terminal_session() -> Option<(u32, u64)> {
    let leader = process(std::process::id()).map(|own| own.session).filter(|leader| *leader > 0)?;
    Some((leader, process(leader).map_or(0, |process| process.started)))
}

/// Which processes can be seen from here, where that is not all of them: the name of the namespace.
pub fn confined_to() -> Option<String> {
    static HERE: OnceLock<Option<String>> = OnceLock::new();
    HERE.get_or_init(|| {
        let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().into_owned();
        // The first namespace of every Linux has this number.
        (namespace != "pid:[4026531836]").then_some(namespace)
    })
    .clone()
}

/// The process that holds the lock on a file, if the system tells.
pub fn lock_holder(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let inode = std::fs::metadata(path).ok()?.ino().to_string();
    // The list is read in pieces, and may miss a line while others come and go.
    (0..3).find_map(|_| holder_in(&std::fs::read_to_string("/proc/locks").ok()?, &inode))
}

/// `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`; those who wait have an arrow in the second place.
fn holder_in(locks: &str, inode: &str) -> Option<u32> {
    locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let held = fields.get(1) == Some(&"FLOCK") && fields.get(5)?.rsplit(':').next() == Some(inode);
        if held { fields.get(4)?.parse().ok() } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::holder_in;

    #[test]
    fn the_holder_and_not_those_who_wait() {
        let locks = "1: POSIX  ADVISORY  WRITE 1 08:01:131 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 12 08:01:131 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF\n\
                     garbage";
        assert_eq!(holder_in(locks, "131"), Some(4711));
        assert_eq!(holder_in(locks, "31"), None);
    }
}
