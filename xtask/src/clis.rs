//! `clis`: the real agent CLIs that tests talk to, the official MCP client, and what drives a browser, at the versions they
//! were written for.
//! They come from npm into a folder of the target directory. What cannot be installed is said, and its tests are skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::run::{self, hermetic};
use crate::{Result, Verdict};

/// Where tests find the CLIs: a folder that holds `node_modules/.bin`.
pub const VARIABLE: &str = "SIGNALBOX_CLIS";

/// A CLI at one version.
#[derive(Debug)]
struct Pinned {
    name: &'static str,
    package: &'static str,
    version: &'static str,
    /// The one script that it cannot do without. npm runs none.
    setup: Option<&'static str>,
    is: Is,
}

/// The package that holds Goose's program for this platform; there is none that picks it.
const GOOSE: &str = match (cfg!(target_os = "macos"), cfg!(target_arch = "aarch64")) {
    (true, true) => "@aaif/goose-binary-darwin-arm64",
    (true, false) => "@aaif/goose-binary-darwin-x64",
    (false, true) => "@aaif/goose-binary-linux-arm64",
    (false, false) => "@aaif/goose-binary-linux-x64",
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    Program,
    /// A program that its package gives another name: where it is in there.
    Binary(&'static str),
    /// Something that tests' own scripts load.
    Library,
}

const CLIS: &[Pinned] = &[
    Pinned {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        version: "2.1.197",
        // It puts the program of this platform into the place of one that only complains.
        setup: Some("install.cjs"),
        is: Is::Program,
    },
    Pinned { name: "codex", package: "@openai/codex", version: "0.166.0", setup: None, is: Is::Program },
    Pinned { name: "gemini", package: "@google/gemini-cli", version: "0.61.0", setup: None, is: Is::Program },
    Pinned { name: "copilot", package: "@github/copilot", version: "1.0.102", setup: None, is: Is::Program },
    Pinned { name: "goose", package: GOOSE, version: "1.52.0", setup: None, is: Is::Binary("bin/goose") },
    Pinned {
        name: "mcp-sdk",
        package: "@modelcontextprotocol/sdk",
        version: "1.32.2",
        setup: None,
        is: Is::Library,
    },
    // It drives the Chromium that the system has, and brings none.
    Pinned {
        name: "playwright-core",
        package: "playwright-core",
        version: "1.65.0",
        setup: None,
        is: Is::Library,
    },
    Pinned { name: "axe-core", package: "axe-core", version: "4.14.0", setup: None, is: Is::Library },
];

/// Variables that npm may need to reach a registry. All others are kept from it.
const FOR_THE_NETWORK: &[&str] =
    &["npm_config_", "http_proxy", "https_proxy", "no_proxy", "node_extra_ca_certs"];

/// What came of an installation.
pub struct Installed {
    pub folder: PathBuf,
    /// What is missing and why, a line for each.
    pub missing: Vec<String>,
}

pub fn run() -> Result<Verdict> {
    let installed = install()?;
    for line in &installed.missing {
        println!("SKIPPED: {line}");
    }
    println!("{VARIABLE}={}", installed.folder.display());
    Ok(Verdict::Good)
}

/// Install what is not there yet.
pub fn install() -> Result<Installed> {
    let metadata = run::metadata()?;
    let target = metadata["target_directory"].as_str().ok_or("cargo metadata names no target directory")?;
    let folder = Path::new(target).join("clis");
    let wanted: Vec<&Pinned> = CLIS.iter().filter(|cli| !cli.is_there(&folder)).collect();
    let mut missing = Vec::new();
    if !wanted.is_empty() && !run::is_installed("npm") {
        let names: Vec<&str> = wanted.iter().map(|cli| cli.name).collect();
        missing.push(format!("npm is not installed, so these agent CLIs are missing: {}", names.join(", ")));
        return Ok(Installed { folder, missing });
    }
    for cli in wanted {
        println!("installing {}@{} …", cli.package, cli.version);
        let begun = Instant::now();
        match cli.install(&folder) {
            Ok(()) => println!("installed {} in {:.1} s", cli.name, begun.elapsed().as_secs_f64()),
            Err(error) => {
                missing.push(format!("{} could not be installed: {error}", cli.name));
                cli.remove(&folder);
            }
        }
    }
    // What npm downloaded is unpacked by now, and is not needed twice.
    let _ = std::fs::remove_dir_all(home(&folder).join(".npm"));
    Ok(Installed { folder, missing })
}

impl Pinned {
    fn program(&self, folder: &Path) -> PathBuf {
        folder.join("node_modules/.bin").join(self.name)
    }

    /// What a test looks for.
    fn shows(&self, folder: &Path) -> PathBuf {
        match self.is {
            Is::Program | Is::Binary(_) => self.program(folder),
            Is::Library => folder.join("node_modules").join(self.package).join("package.json"),
        }
    }

    /// The file that says which version was installed whole.
    fn marker(&self, folder: &Path) -> PathBuf {
        folder.join("installed").join(self.name)
    }

    fn is_there(&self, folder: &Path) -> bool {
        let marked = std::fs::read_to_string(self.marker(folder)).unwrap_or_default();
        marked == self.version && self.shows(folder).exists()
    }

    /// Leave nothing behind that a test could take for the right one: half of it, or another version.
    fn remove(&self, folder: &Path) {
        let _ = std::fs::remove_file(self.program(folder));
        let _ = std::fs::remove_dir_all(folder.join("node_modules").join(self.package));
    }

    fn install(&self, folder: &Path) -> Result<()> {
        let manifest = folder.join("package.json");
        if !manifest.exists() {
            run::write(&manifest, "{\"private\":true}\n")?;
        }
        std::fs::create_dir_all(home(folder))?;
        let mut npm = hermetic("npm", &home(folder));
        npm.current_dir(folder).envs(std::env::vars_os().filter(|(name, _)| {
            let name = name.to_string_lossy().to_ascii_lowercase();
            FOR_THE_NETWORK.iter().any(|known| name.starts_with(known))
        }));
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"]);
        npm.args(["--no-update-notifier", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"]);
        must(npm.arg(format!("{}@{}", self.package, self.version)))?;
        if let Some(script) = self.setup {
            let script = folder.join("node_modules").join(self.package).join(script);
            must(hermetic("node", &home(folder)).arg(script))?;
        }
        if let Is::Binary(path) = self.is {
            let _ = std::fs::remove_file(self.program(folder));
            std::os::unix::fs::symlink(Path::new("..").join(self.package).join(path), self.program(folder))?;
        }
        // npm does not mind where the package with the program of this platform is missing.
        let version = match self.is {
            Is::Program | Is::Binary(_) => {
                must(hermetic(self.program(folder), &home(folder)).arg("--version"))?
            }
            Is::Library => std::fs::read_to_string(self.shows(folder))?,
        };
        if !version.contains(self.version) {
            return Err(format!("it says that it is {}", version.trim()).into());
        }
        run::write(&self.marker(folder), self.version)
    }
}

/// The home of npm and of the CLIs, as far as they run here. It stays: Copilot unpacks itself into its home, and
/// tests share that.
fn home(folder: &Path) -> PathBuf {
    folder.join("home")
}

/// What a program prints; where it fails, the reason is what it complained about.
fn must(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("run {}: {e}", command.get_program().display()))?;
    if !output.status.success() {
        let complaint = reason(&String::from_utf8_lossy(&output.stderr));
        return Err(
            format!("{} ended with {}: {complaint}", command.get_program().display(), output.status).into()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first lines of a complaint, as one: npm goes on for long.
fn reason(complaint: &str) -> String {
    let lines = complaint.lines().map(|line| line.trim_start_matches("npm error").trim());
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("npm warn"))
        .take(3)
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_marked_with_its_version_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, cli) = (folder.path(), &CLIS[0]);
        assert!(!cli.is_there(folder));
        run::write(&cli.marker(folder), cli.version).unwrap();
        assert!(!cli.is_there(folder), "the program is missing");
        run::write(&cli.shows(folder), "").unwrap();
        assert!(cli.is_there(folder));
        run::write(&cli.marker(folder), "0.0.1").unwrap();
        assert!(!cli.is_there(folder), "another version");
    }

    #[test]
    fn a_reason_is_short() {
        let complaint =
            "npm warn Unknown config\nnpm error code ENOTFOUND\n\nnpm error a\nnpm error b\nnpm error c";
        assert_eq!(reason(complaint), "code ENOTFOUND; a; b");
    }
}
