//! A program of ours that a CLI loads. The file is ours whole, in every version known by how it begins.

use super::merge::check_program;
use super::{InstallError, Installed};
use crate::door::Extension;

/// How it begins.
const MARK: &str = "// Written by Signalbox";

/// What stands before the path of the program.
const STARTS: &str = "spawn(";

pub(crate) fn install(
    extension: &Extension,
    existing: Option<&str>,
    sb: &str,
) -> Result<String, InstallError> {
    check_program(sb)?;
    match existing {
        Some(existing) if !existing.starts_with(MARK) => {
            Err(InstallError::NotOurs("its first line does not say that Signalbox wrote it"))
        }
        Some(_) | None => Ok((extension.text)(sb)),
    }
}

pub(crate) fn uninstall(existing: &str) -> Option<String> {
    (!existing.starts_with(MARK)).then(|| existing.to_owned())
}

pub(crate) fn status(extension: &Extension, existing: &str) -> Installed {
    if !existing.starts_with(MARK) {
        return Installed::Absent;
    }
    match program(existing) {
        Some(program) if (extension.text)(&program) == existing => {
            Installed::Ours { program, complete: true }
        }
        program => Installed::Outdated { programs: program.into_iter().collect() },
    }
}

/// The program that it runs.
fn program(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(STARTS)?;
    serde_json::Deserializer::from_str(rest).into_iter().next()?.ok()
}
