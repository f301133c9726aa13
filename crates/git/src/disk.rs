//! Files of ours, and looking at files that an agent made: no link is followed, no pipe is waited for.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, CWD, OFlags, RenameFlags};

use crate::crash;

/// Neither follow a link at the end of the path nor wait for the other end of a pipe.
const PLAIN: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits().cast_signed();

/// A plain file, if it is one and not larger than `most`; `None` where there is none.
pub(crate) fn read_plain(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match OpenOptions::new().read(true).custom_flags(PLAIN).open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let about = file.metadata()?;
    if !about.is_file() || about.len() > most {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not a plain file of a reasonable size",
        ));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The same as text, where there is one and it can be read.
pub(crate) fn small_text(path: &Path) -> Option<String> {
    String::from_utf8(read_plain(path, 64 << 10).ok()??).ok()
}

/// Neither the file nor the folder it would be in is there.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What is at a path, itself and not what a link leads to.
pub(crate) fn about(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(about) => Ok(Some(about)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn is_real_dir(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_dir())
}

/// A directory's identity on this machine.
pub(crate) fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let about = fs::symlink_metadata(path)?;
    Ok((about.dev(), about.ino()))
}

pub(crate) fn make_dirs(path: &Path) -> io::Result<()> {
    crash::here("disk");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Put `bytes` in the place of a file, so that it is whole or not there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = beside(path)?;
    write_new(&temporary, bytes)?;
    rename(&temporary, path)?;
    path.parent().map_or(Ok(()), flush_dir)
}

/// A name beside a file that nobody else writes to: several processes may be at the same one.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{number}.sbtmp", std::process::id()));
    let temporary = path.with_file_name(name);
    // One of an earlier process with the same number, which was killed.
    remove_file(&temporary)?;
    Ok(temporary)
}

/// The same, but nothing is touched where the file is so already.
pub(crate) fn settle(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if read_plain(path, 1 << 20).ok().flatten().as_deref() == Some(bytes) {
        return Ok(());
    }
    replace(path, bytes)
}

/// A file that must not be there yet. What it is part of is made anew if the power goes, so nobody waits for the disk.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    crash::here("disk");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
    file.write_all(bytes)
}

/// A file that must not be there yet, flushed.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    crash::here("disk");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
    crash::here("disk");
    file.write_all(bytes)?;
    file.sync_data()
}

/// A copy of a plain file, or nothing where there is none. The copy must not be there yet, or is replaced.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<bool> {
    crash::here("disk");
    let Ok(mut source) = OpenOptions::new().read(true).custom_flags(PLAIN).open(from) else {
        remove_file(to)?;
        return Ok(false);
    };
    if !source.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a plain file"));
    }
    remove_file(to)?;
    let mut target = OpenOptions::new().write(true).create_new(true).mode(0o644).open(to)?;
    io::copy(&mut source, &mut target)?;
    Ok(true)
}

pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    crash::here("disk");
    match fs::remove_file(path) {
        Err(error) if is_absent(&error) => Ok(()),
        result => result,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the store's files are not to be had here; this is the one place"
)]
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    crash::here("disk");
    fs::rename(from, to)
}

/// Give a directory another name that nothing has yet.
pub(crate) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    crash::here("disk");
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        // Some file systems cannot do it in one step.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) if about(to)?.is_none() => rename(from, to),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn flush_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Make a link, or see that it is there already.
pub(crate) fn link(target: &Path, path: &Path) -> io::Result<()> {
    if fs::read_link(path).is_ok_and(|there| there == target) {
        return Ok(());
    }
    let temporary = beside(path)?;
    std::os::unix::fs::symlink(target, &temporary)?;
    if about(path)?.is_some_and(|about| about.is_dir()) {
        remove_tree(path)?;
    }
    rename(&temporary, path)
}

/// Remove whatever is at a path, with all below it. Links are removed and never followed; folders that may not be
/// written to are made so.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    crash::here("disk");
    match about(path)? {
        None => Ok(()),
        Some(about) if !about.is_dir() => remove_file(path),
        Some(_) => match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                open_up(path)?;
                fs::remove_dir_all(path)
            }
            Err(error) if is_absent(&error) => Ok(()),
            result => result,
        },
    }
}

/// Let the owner into every folder below.
fn open_up(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

/// How many bytes the files below a directory take on the disk. What cannot be read counts nothing.
pub(crate) fn disk_use(path: &Path) -> u64 {
    let mut sum = 0;
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            sum += about.blocks() * 512;
            if about.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    sum
}

/// Whether we may read a file.
pub(crate) fn is_readable(path: &Path) -> bool {
    rustix::fs::accessat(CWD, path, rustix::fs::Access::READ_OK, AtFlags::EACCESS).is_ok()
}

/// A path below a directory, from bytes that git gave.
pub(crate) fn below(root: &Path, path: &[u8]) -> PathBuf {
    root.join(crate::run::word(path))
}

/// Remove a folder that nothing is in; nothing happens where there is none.
pub(crate) fn remove_tree_if_empty(path: &Path) -> io::Result<()> {
    match fs::remove_dir(path) {
        Err(error) if is_absent(&error) => Ok(()),
        result => result,
    }
}
