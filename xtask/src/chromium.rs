//! The browser that tests open the web page in: Chromium as the system has it, or as Debian's `apt-get` brings it.

use std::process::{Command, Stdio};

use crate::run::is_installed;

/// The names that it goes by.
const NAMES: [&str; 2] = ["chromium", "chromium-browser"];

/// Install it where it is missing. Why there is none, if there is none.
pub fn install() -> Option<String> {
    if is_there() {
        return None;
    }
    let why = if !is_installed("apt-get") {
        "there is no apt-get to install it with".to_owned()
    } else if !is_root() {
        "only root can install it with apt-get".to_owned()
    } else {
        println!("installing chromium …");
        // The list of packages of a fresh machine may be older than the packages.
        match apt(&["update", "-qq"]).and_then(|()| apt(&["install", "-y", "-qq", "chromium"])) {
            Ok(()) if is_there() => return None,
            Ok(()) => "apt-get installed it, but it does not start".to_owned(),
            Err(error) => error,
        }
    };
    Some(format!("Chromium is missing, so the web page was not tested in a browser: {why}"))
}

fn is_there() -> bool {
    NAMES.into_iter().any(is_installed)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn apt(words: &[&str]) -> Result<(), String> {
    let mut apt = Command::new("apt-get");
    apt.args(words).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    let output = apt.output().map_err(|error| format!("run apt-get: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it does not say why");
    Err(format!("apt-get {} failed: {last}", words.join(" ")))
}
