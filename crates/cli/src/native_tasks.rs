//! The files of Claude Code's task lists, read and written as it does.
//!
//! A lock is a folder beside the file, made to take it and removed to give it back. Whoever holds one touches it every
//! five seconds; one that was not touched for ten is a dead writer's, and anybody may remove it. Files are written in
//! place, so a reader can meet half of one and has to look again.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use signalbox_drivers::claude::tasks::{self, NativeTask};
use signalbox_store::files;

use signalbox_desk::error::CommandError;

/// How long to wait for a lock. Claude Code itself gives up after about as long.
const PATIENCE: Duration = Duration::from_secs(3);
/// A lock that was not touched for so long has been left behind.
const STALE: Duration = Duration::from_secs(10);
/// How long to wait before looking again.
const STEP: Duration = Duration::from_millis(20);
/// How often a file that makes no sense is read before it counts as unreadable.
const LOOKS: u32 = 5;
/// The most that is read of a task.
const MOST: u64 = 4 * 1024 * 1024;

/// The folder of one list.
#[derive(Debug, Clone)]
pub struct TaskFolder {
    path: PathBuf,
}

/// What stands in a folder.
#[derive(Debug, Default)]
pub struct Tasks {
    /// In the order of their numbers.
    pub tasks: Vec<NativeTask>,
    /// The ids of those that cannot be read.
    pub unreadable: Vec<String>,
    /// The highest number ever taken.
    pub highest: u64,
}

/// One task's file.
#[derive(Debug)]
pub enum Seen {
    Task(NativeTask),
    Gone,
    /// Half written, or nothing that Claude Code takes for a task.
    Unreadable,
}

impl TaskFolder {
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Make the folder where it is missing.
    pub fn prepare(&self) -> io::Result<()> {
        files::create_shared_dir(&self.path)
    }

    /// Every task. A list that is not there has none.
    pub fn read(&self) -> io::Result<Tasks> {
        let names = files::names(&self.path)?;
        let mut read = Tasks { highest: self.highest_gone(), ..Tasks::default() };
        for id in names.iter().filter_map(|name| tasks::task_of_file(name)) {
            read.highest = read.highest.max(tasks::number(id));
            match self.task(id)? {
                Seen::Task(task) => read.tasks.push(task),
                Seen::Gone => {}
                Seen::Unreadable => read.unreadable.push(id.to_owned()),
            }
        }
        read.tasks.sort_by(|a, b| (tasks::number(a.id()), a.id()).cmp(&(tasks::number(b.id()), b.id())));
        read.unreadable.sort_by_key(|id| (tasks::number(id), id.clone()));
        Ok(read)
    }

    /// One task, looked at again while it makes no sense: somebody may be writing it.
    pub fn task(&self, id: &str) -> io::Result<Seen> {
        for look in 1..=LOOKS {
            let Some(bytes) = read_file(&self.file(id))? else { return Ok(Seen::Gone) };
            // The name of the file is what counts as the id.
            if let Some(task) = NativeTask::parse(&bytes).filter(|task| task.id() == id) {
                return Ok(Seen::Task(task));
            }
            if look < LOOKS {
                std::thread::sleep(STEP);
            }
        }
        Ok(Seen::Unreadable)
    }

    /// Write a task in the place of itself. Its lock must be held.
    pub fn write(&self, task: &NativeTask) -> io::Result<()> {
        self.put(task, OpenOptions::new().write(true))
    }

    /// Write a task that is new. The list's lock must be held.
    pub fn create(&self, task: &NativeTask) -> io::Result<()> {
        self.put(task, OpenOptions::new().write(true).create_new(true))
    }

    /// The new text goes over the old one before what is left of that is cut off: where the disk is full, nothing is
    /// lost. A link is not followed, or the file could be anybody's.
    fn put(&self, task: &NativeTask, options: &mut OpenOptions) -> io::Result<()> {
        let no_links = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
        let mut file = options.custom_flags(no_links).open(self.file(task.id()))?;
        let text = task.to_text();
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }

    /// Nobody else adds a task as long as this is held.
    pub fn lock_list(&self) -> Result<TaskLock, CommandError> {
        TaskLock::take(self.path.join(".lock.lock"))
    }

    /// Nobody else changes the task as long as this is held.
    pub fn lock_task(&self, id: &str) -> Result<TaskLock, CommandError> {
        TaskLock::take(self.path.join(format!("{id}.json.lock")))
    }

    fn file(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.json"))
    }

    fn highest_gone(&self) -> u64 {
        let text = fs::read_to_string(self.path.join(tasks::HIGHEST_GONE)).unwrap_or_default();
        tasks::number(text.trim())
    }
}

/// What stands in a file; nothing where it is no ordinary one, and `None` where there is none.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // Opening a pipe would wait for ever.
    let read = fs::metadata(path).and_then(|metadata| match metadata.is_file() {
        true => fs::File::open(path)?.take(MOST).read_to_end(&mut bytes),
        false => Ok(0),
    });
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(_) => Ok(Some(bytes)),
    }
}

/// The code of the error that somebody else holds a lock.
pub const BUSY: &str = "tasklist.busy";

/// A lock that is held.
#[derive(Debug)]
pub struct TaskLock {
    path: PathBuf,
}

impl TaskLock {
    fn take(path: PathBuf) -> Result<Self, CommandError> {
        let begun = Instant::now();
        loop {
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
            if begun.elapsed() > PATIENCE {
                return Err(CommandError::precondition(
                    BUSY,
                    format!("another program is writing there and holds {}", path.display()),
                )
                .hint("Run the command again in a moment."));
            }
            if !remove_if_stale(&path) {
                std::thread::sleep(STEP);
            }
        }
    }
}

impl Drop for TaskLock {
    fn drop(&mut self) {
        // Where it is gone, somebody took it for a dead writer's; there is nothing to give back.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Remove a lock that a dead writer left behind. It must have stood unchanged while it was looked at twice: another
/// one may have removed it meanwhile and taken it for itself.
fn remove_if_stale(path: &Path) -> bool {
    let Some(seen) = stale(path) else { return false };
    std::thread::sleep(STEP);
    let same = |again: &Metadata| {
        (again.ino(), again.mtime(), again.mtime_nsec()) == (seen.ino(), seen.mtime(), seen.mtime_nsec())
    };
    stale(path).is_some_and(|again| same(&again)) && fs::remove_dir(path).is_ok()
}

fn stale(path: &Path) -> Option<Metadata> {
    let metadata = fs::symlink_metadata(path).ok().filter(Metadata::is_dir)?;
    // A time that is still to come proves nothing.
    let age = metadata.modified().ok()?.elapsed().ok()?;
    (age > STALE).then_some(metadata)
}
