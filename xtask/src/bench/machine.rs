//! The machine the figures are of, and what its disk can do.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::{Result, run};

/// One sentence: when, how many cores, which kernel.
pub fn describe() -> Result<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = run::output(Command::new("uname").arg("-srm"))?;
    let words: Vec<&str> = kernel.split_whitespace().collect();
    let system = words.first().copied().unwrap_or("unknown system");
    let architecture = words.last().copied().unwrap_or_default();
    let release = words.get(1).copied().map(plain_version).unwrap_or_default();
    let now = signalbox_core::time::short(signalbox_store::clock::now());
    let date = now.get(..10).unwrap_or(&now);
    Ok(format!("Measured on {date}: {cores} cores, {system} {release}, {architecture}."))
}

/// A kernel's version without what its packager added.
fn plain_version(release: &str) -> &str {
    let end = release.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(release.len());
    release.get(..end).unwrap_or(release)
}

/// How many times a second 4 kB can be appended to a file and flushed, one after the other.
pub fn flushed_appends(folder: &Path, count: u32) -> Result<f64> {
    let path = folder.join("flushed-appends");
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path)?;
    let block = [b'x'; 4096];
    let begun = Instant::now();
    for _ in 0..count {
        file.write_all(&block)?;
        file.sync_data()?;
    }
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    std::fs::remove_file(&path)?;
    Ok(rate)
}

/// How much memory a process has, in kB.
pub fn resident(pid: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("the process has no memory")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_cut_at_the_packagers_part() {
        assert_eq!(plain_version("6.8.0-45-generic"), "6.8.0");
        assert_eq!(plain_version("24.1.0"), "24.1.0");
    }
}
