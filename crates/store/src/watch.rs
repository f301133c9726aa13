//! Waiting until something appears in a folder, cheaply: the kernel tells on Linux, and elsewhere somebody looks.
//!
//! Whoever is told is told too much rather than too little: a word may mean nothing, and the folder is also looked at
//! every second, because some file systems never tell.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How often the folder is looked at, though the kernel said nothing.
const LOOK: Duration = Duration::from_secs(1);
/// How often where the kernel cannot tell.
const LOOK_OFTEN: Duration = Duration::from_millis(50);

/// A folder, and what was last seen of it.
#[derive(Debug)]
pub struct Watch {
    folder: PathBuf,
    seen: Option<SystemTime>,
    told: told::Told,
}

impl Watch {
    /// Begin to watch. What happens from now on is noticed.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let told = told::Told::new(folder, Of::Names);
        Ok(Self { folder: folder.to_owned(), seen: changed(folder), told })
    }

    /// The same, for files in it that grow. Where the kernel does not tell of that, whoever waits is told nothing and looks
    /// for themselves.
    pub fn of_growth(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), seen: changed(folder), told: told::Told::new(folder, Of::Growth) }
    }

    /// Wait until somebody tells that something has changed, at most so long and never much longer than it is sensible to
    /// look for oneself.
    pub fn doze(&self, most: Duration) -> io::Result<()> {
        self.told.wait(most).map(|_| ())
    }

    /// Wait until something has changed in the folder, at most so long. Says whether something has.
    pub fn wait(&mut self, most: Duration) -> io::Result<bool> {
        let start = Instant::now();
        loop {
            let rest = most.saturating_sub(start.elapsed());
            let told = self.told.wait(rest)?;
            let now = changed(&self.folder);
            if told || now != self.seen {
                self.seen = now;
                return Ok(true);
            }
            if start.elapsed() >= most {
                return Ok(false);
            }
        }
    }
}

/// What is watched of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Files that appear.
    Names,
    /// Files that appear or grow.
    Growth,
}

fn changed(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).and_then(|metadata| metadata.modified()).ok()
}

#[cfg(target_os = "linux")]
mod told {
    //! inotify.

    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    /// The kernel's word; nothing where it has no more of them to give.
    #[derive(Debug)]
    pub struct Told(Option<OwnedFd>);

    impl Told {
        pub fn new(folder: &Path, of: super::Of) -> Self {
            // Files come into the folder under their names by being renamed.
            let names = WatchFlags::MOVED_TO | WatchFlags::DELETE_SELF;
            let wanted = match of {
                super::Of::Names => names,
                super::Of::Growth => names | WatchFlags::CREATE | WatchFlags::MODIFY,
            };
            let begin = || -> rustix::io::Result<OwnedFd> {
                let told = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
                inotify::add_watch(&told, folder, wanted)?;
                Ok(told)
            };
            Self(begin().ok())
        }

        /// Wait a while: until told, or until it is time to look.
        pub fn wait(&self, most: Duration) -> io::Result<bool> {
            let Some(told) = &self.0 else {
                std::thread::sleep(most.min(super::LOOK_OFTEN));
                return Ok(false);
            };
            let most = most.min(super::LOOK);
            let most = Timespec { tv_sec: most.as_secs().cast_signed(), tv_nsec: most.subsec_nanos().into() };
            match poll(&mut [PollFd::new(told, PollFlags::IN)], Some(&most)) {
                Ok(0) | Err(Errno::INTR) => return Ok(false),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            // What it says does not matter, but it must be out of the way.
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(told, &mut buffer);
            while reader.next().is_ok() {}
            Ok(true)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod told {
    //! Nobody tells.

    use std::io;
    use std::path::Path;
    use std::time::Duration;

    #[derive(Debug)]
    pub struct Told;

    impl Told {
        pub fn new(_folder: &Path, _of: super::Of) -> Self {
            Self
        }

        pub fn wait(&self, most: Duration) -> io::Result<bool> {
            std::thread::sleep(most.min(super::LOOK_OFTEN));
            Ok(false)
        }
    }
}
