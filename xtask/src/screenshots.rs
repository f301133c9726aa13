//! `screenshots`: pictures of the web page for the documentation, made by the browser tests on their busy project.

use crate::run::{cargo, root};
use crate::{Result, Verdict, chromium, clis};

pub fn run() -> Result<Verdict> {
    if let Some(why) = chromium::install() {
        return Err(why.into());
    }
    let mut tests = cargo();
    if std::env::var_os(clis::VARIABLE).is_none() {
        tests.env(clis::VARIABLE, clis::install()?.folder);
    }
    let folder = root().join("docs/images");
    std::fs::create_dir_all(&folder)?;
    tests.env("SIGNALBOX_SCREENSHOTS", &folder);
    tests.args([
        "test",
        "--quiet",
        "--package",
        "signalbox-cli",
        "--test",
        "browser",
        "--",
        "--ignored",
        "pictures",
    ]);
    let status = tests.status().map_err(|error| format!("run {tests:?}: {error}"))?;
    Ok(if status.success() { Verdict::Good } else { Verdict::Bad })
}
