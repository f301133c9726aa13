//! File operations: flushed, atomic where they replace, private by default, and made to fail in tests.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::entropy;
use crate::fault;

/// Files of Signalbox are readable by their owner alone.
pub const PRIVATE: u32 = 0o600;
/// Files of the vault are ordinary documents.
pub const SHARED: u32 = 0o644;
/// How the temporary files of [`replace`] end.
pub const TEMPORARY: &str = ".sbtmp";

/// The whole file; `None` where there is none.
pub fn read_optional(path: &Path) -> io::Result<Option<Vec<u8>>> {
    fault::point()?;
    // A pipe in the place of a file must not keep anybody waiting.
    let mut file = match OpenOptions::new().read(true).custom_flags(NEVER_WAIT).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::InvalidInput };
        return Err(io::Error::new(what, "it is not a regular file"));
    }
    let mut bytes = vec![0; usize::try_from(metadata.len()).unwrap_or(0).saturating_add(1)];
    let mut length = 0;
    loop {
        let room = bytes.get_mut(length..).unwrap_or_default();
        let wanted = room.len();
        match file.read(room) {
            // A regular file gives less than there is room for only at its end.
            Ok(read) if read < wanted => {
                bytes.truncate(length + read);
                return Ok(Some(bytes));
            }
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        bytes.resize(length * 2, 0);
    }
}

/// Opening never waits for somebody at the other end.
const NEVER_WAIT: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

/// As much of a file as follows `offset`.
pub fn read_from(path: &Path, offset: u64) -> io::Result<Vec<u8>> {
    use std::io::Seek;
    fault::point()?;
    let mut file = File::open(path)?;
    file.seek(io::SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// At most so many bytes of a file from `offset` on.
pub fn read_part(path: &Path, offset: u64, most: usize) -> io::Result<Vec<u8>> {
    use std::io::Seek;
    fault::point()?;
    let mut file = File::open(path)?;
    file.seek(io::SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The size of a file; `None` where there is none.
pub fn size(path: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A directory and those above it, readable by their owner alone.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    fault::point()?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// An ordinary directory and those above it.
pub fn create_shared_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    fault::point()?;
    fs::create_dir_all(path)
}

/// Put `bytes` in the place of a file: whoever looks sees the old content or the new, whatever happens.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let temporary = beside(path);
    let result = write_new(&temporary, bytes, mode).and_then(|()| rename(&temporary, path));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Write a file, whole or not at all, unless there is one already. Says whether it was written.
pub fn write_once(path: &Path, bytes: &[u8], mode: u32) -> io::Result<bool> {
    let temporary = beside(path);
    let result = write_new(&temporary, bytes, mode).and_then(|()| match fs::hard_link(&temporary, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        other => other.map(|()| true),
    });
    let _ = fs::remove_file(&temporary);
    result
}

/// Write a file that must not exist yet, flushed.
pub fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    fault::point()?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    match fault::write_point(bytes.len())? {
        None => file.write_all(bytes)?,
        Some(part) => {
            file.write_all(bytes.get(..part).unwrap_or(bytes))?;
            return Err(fault::after_part());
        }
    }
    flush(&file)
}

/// Open a file for appending; it is made where it is missing, and the answer says so.
pub fn open_append(path: &Path) -> io::Result<(File, bool)> {
    fault::point()?;
    let existed = path.exists();
    let file =
        OpenOptions::new().append(true).create(true).mode(PRIVATE).custom_flags(NEVER_WAIT).open(path)?;
    Ok((file, !existed))
}

/// The same for a file that must be there.
pub fn open_existing_append(path: &Path) -> io::Result<File> {
    fault::point()?;
    OpenOptions::new().append(true).custom_flags(NEVER_WAIT).open(path)
}

/// Append with one `write(2)`. On error some of the bytes may stand in the file; they were not acknowledged.
pub fn append(file: &File, bytes: &[u8]) -> io::Result<()> {
    let mut file = file;
    let written = match fault::write_point(bytes.len())? {
        None => retry_interrupted(|| file.write(bytes))?,
        Some(part) => {
            file.write_all(bytes.get(..part).unwrap_or(bytes))?;
            return Err(fault::after_part());
        }
    };
    if written == bytes.len() {
        Ok(())
    } else {
        // The rest would not fit. It must not be written separately: another process may have appended since.
        Err(rustix::io::Errno::NOSPC.into())
    }
}

/// Make sure that what was written survives a power cut.
pub fn flush(file: &File) -> io::Result<()> {
    fault::point()?;
    file.sync_data()
}

/// Make sure that a new name in a directory survives a power cut.
pub fn flush_dir(path: &Path) -> io::Result<()> {
    fault::point()?;
    File::open(path)?.sync_all()
}

#[expect(clippy::disallowed_methods, reason = "this is the one door to it")]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::point()?;
    fs::rename(from, to)
}

pub fn remove(path: &Path) -> io::Result<()> {
    fault::point()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Take a folder away if nothing is in it. Whether there is none now.
pub fn remove_empty_dir(path: &Path) -> io::Result<bool> {
    fault::point()?;
    match fs::remove_dir(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Make `link` a symbolic link to `target`, in the place of what was there.
pub fn replace_link(target: &str, link: &Path) -> io::Result<()> {
    fault::point()?;
    let temporary = beside(link);
    std::os::unix::fs::symlink(target, &temporary)?;
    let result = rename(&temporary, link);
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// The names in a directory, sorted; none where it does not exist.
pub fn names(path: &Path) -> io::Result<Vec<String>> {
    fault::point()?;
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{:016x}{TEMPORARY}", entropy::number()))
}

fn retry_interrupted(mut operation: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match operation() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
