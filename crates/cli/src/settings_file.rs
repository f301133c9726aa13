//! A settings file of another program: read whole, written whole, never replaced where it is a link.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use signalbox_drivers::InstallError;
use signalbox_store::files;

use signalbox_desk::error::CommandError;

/// A file as it is now.
#[derive(Debug)]
pub struct SettingsFile {
    /// Where it really is: a link is followed, so that what it leads to is changed and the link stays.
    pub path: PathBuf,
    pub text: Option<String>,
}

/// What a new file may be read by.
const NEW: u32 = 0o644;

impl SettingsFile {
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let is_link = path.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink());
        let real = if is_link {
            path.canonicalize().map_err(|error| {
                CommandError::precondition(
                    "settings.link",
                    format!("{} is a link that leads nowhere: {error}", path.display()),
                )
                .hint("Make the file it should lead to, or remove the link.")
            })?
        } else {
            path.to_owned()
        };
        let bytes = files::read_optional(&real).map_err(|error| {
            CommandError::precondition("settings.file", format!("{} cannot be read: {error}", real.display()))
                .hint("Nothing was changed. Move it out of the way, then try again.")
        })?;
        let text = bytes.map(String::from_utf8).transpose().map_err(|_| {
            CommandError::precondition("settings.text", format!("{} is not UTF-8 text", real.display()))
                .hint("Nothing was changed. Put the file right, then try again.")
        })?;
        Ok(Self { path: real, text })
    }

    /// Whoever was asked about a change was shown this text. A CLI that runs may have written another since.
    pub fn must_be_unchanged(&self) -> Result<(), CommandError> {
        if Self::read(&self.path)?.text == self.text {
            return Ok(());
        }
        let message = format!("{} was changed by somebody else meanwhile", self.path.display());
        Err(CommandError::precondition("settings.changed", message)
            .hint("Nothing was written. Run this again to see what changes now."))
    }

    /// Write its new text; `None` removes it.
    pub fn write(&self, text: Option<&str>) -> Result<(), CommandError> {
        let Some(text) = text else { return Ok(files::remove(&self.path)?) };
        let mode = self.path.metadata().map_or(NEW, |meta| meta.permissions().mode() & 0o777);
        if let Some(folder) = self.path.parent() {
            files::create_shared_dir(folder)?;
        }
        Ok(files::replace(&self.path, text.as_bytes(), mode)?)
    }
}

/// A file that is left alone because it cannot be understood.
pub fn unusable(path: &Path, error: &InstallError) -> CommandError {
    let (code, what_now) = match error {
        InstallError::NotOurs(_) => ("settings.not-ours", "Move it out of the way, then try again."),
        InstallError::Taken => ("settings.not-ours", "Give that server another name, then try again."),
        InstallError::ByHand { .. } => ("settings.by-hand", "Change it by hand."),
        InstallError::Unreadable { .. } | InstallError::Program(_) => {
            ("settings.unreadable", "Put the file right, then try again.")
        }
    };
    CommandError::precondition(code, format!("{}: {error}", path.display()))
        .hint(format!("Nothing was changed. {what_now}"))
}
