//! `sb hooks test`: the hooks as the CLIs' settings have them, called with what must be refused.
//!
//! Each call is made in a home of its own, so that it leaves nothing behind, and in the way the CLI makes it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use signalbox_core::charter::Charter;
use signalbox_core::{Mode, ProjectName, Role, SessionId};
use signalbox_drivers::{HookKind, is_refusal, shell_call};
use signalbox_store::session::{self, Session};
use signalbox_store::{Home, entropy};

use crate::context::Context;
use crate::installing::{Spot, on_path};
use signalbox_desk::error::CommandError;

/// A rule, a call that it must refuse, and the charter that has the rule.
struct Canary {
    rule: &'static str,
    command: &'static str,
    charter: fn(&str) -> Charter,
}

const CANARIES: &[Canary] = &[
    Canary { rule: "mode", command: "echo canary > canary.txt", charter: discussing },
    Canary { rule: "human", command: "sb override sb_000000 done", charter: plain },
    Canary { rule: "protected", command: "echo canary > .git/hooks/pre-commit", charter: plain },
    Canary { rule: "branch", command: "git checkout canary", charter: doer },
    Canary { rule: "outside", command: "touch /canary", charter: doer },
    Canary { rule: "tests", command: "rm -rf tests", charter: doer },
    Canary { rule: "build", command: "echo canary > Makefile", charter: doer },
    Canary { rule: "ownership", command: "touch src/canary", charter: reviewer },
];

fn plain(root: &str) -> Charter {
    Charter { root: Some(root.to_owned()), tests: vec!["tests/**".to_owned()], ..Charter::default() }
}

fn discussing(root: &str) -> Charter {
    Charter { mode: Mode::Discussion, ..plain(root) }
}

fn doer(root: &str) -> Charter {
    Charter { role: Role::Doer, confined: true, branch: Some("own".to_owned()), ..plain(root) }
}

fn reviewer(root: &str) -> Charter {
    Charter { role: Role::Reviewer, ..plain(root) }
}

/// What became of a canary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The hook stops it.
    Warned,
    /// It would run, and be seen.
    Recorded,
    /// No hook is installed that could see it.
    Unseen,
}

impl Fate {
    fn word(self) -> &'static str {
        match self {
            Self::Warned => "warned",
            Self::Recorded => "recorded",
            Self::Unseen => "not installed",
        }
    }
}

pub fn run(cx: &Context, spots: &[Spot]) -> Result<(), CommandError> {
    let mut rows = Vec::new();
    for spot in spots.iter().filter(|spot| spot.place.holds_hooks()) {
        let version = version(spot.driver.programs);
        let text = spot.file.text.as_deref().unwrap_or_default();
        let started = spot.place.started(text, HookKind::PreTool);
        let started = started.map_err(|error| crate::settings_file::unusable(&spot.place.path, &error))?;
        for canary in CANARIES {
            let fate = match &started {
                None => Fate::Unseen,
                Some(words) => try_one(spot, words, canary)?,
            };
            rows.push((spot.driver.name, version.clone(), canary.rule, fate));
        }
    }
    if cx.ui.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(cli, version, rule, fate)| {
                serde_json::json!({ "cli": cli, "version": version, "rule": rule, "result": fate.word() })
            })
            .collect();
        cx.ui.json(&rows)?;
    } else {
        for (cli, version, rule, fate) in &rows {
            let version = version.as_deref().unwrap_or("-");
            cx.ui.data(&format!("{cli:8} {version:12} {rule:10} {}\n", fate.word()))?;
        }
    }
    let failed = rows.iter().filter(|(.., fate)| *fate != Fate::Warned).count();
    if failed == 0 {
        return Ok(());
    }
    let message = format!("{failed} of {} calls that must be refused would run", rows.len());
    Err(CommandError::precondition("hooks.toothless", message).hint("`sb hooks install` installs the hooks."))
}

/// Call the hook as the CLI does.
fn try_one(spot: &Spot, words: &[String], canary: &Canary) -> Result<Fate, CommandError> {
    let folder = Scratch::new()?;
    let root = folder.path.canonicalize()?;
    let root = root.to_str().unwrap_or("/");
    let home = Home::new(folder.path.join("home"));
    home.prepare()?;
    let id = SessionId::parse("canary").map_err(|error| CommandError::failed("canary", &error))?;
    let unstarted = Session::unstarted(id, ProjectName::untracked());
    session::save(&home, &Session { charter: (canary.charter)(root), ..unstarted })?;
    let payload = shell_call(spot.driver, "canary", root, canary.command);
    let Some((program, arguments)) = words.split_first() else { return Ok(Fate::Unseen) };
    let mut command = Command::new(program);
    command.args(arguments).env("SIGNALBOX_HOME", home.root()).current_dir(root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Ok(Fate::Recorded) };
    if let Some(mut stdin) = child.stdin.take() {
        // A hook that does not read may still answer.
        let _ = stdin.write_all(payload.as_bytes());
    }
    let limit = spot.driver.timeout(HookKind::PreTool).unwrap_or(Duration::from_secs(30));
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(Fate::Recorded);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(if is_refusal(spot.driver, &said, output.status.code()) { Fate::Warned } else { Fate::Recorded })
}

/// A folder that goes when it is done with.
struct Scratch {
    path: std::path::PathBuf,
}

impl Scratch {
    fn new() -> Result<Self, CommandError> {
        let path = std::env::temp_dir().join(format!("sb-canary-{:016x}", entropy::number()));
        signalbox_store::files::create_private_dir(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in the folder for temporary files is the system's to clear.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// What the CLI says its version is.
fn version(programs: &[&str]) -> Option<String> {
    let program = programs.iter().find_map(|program| on_path(program))?;
    let mut child = quiet(&program).spawn().ok()?;
    let begun = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if begun.elapsed() > Duration::from_secs(10) {
            let _ = child.kill();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.split_whitespace()
        .map(|word| word.trim_end_matches('.'))
        .find(|word| is_version(word))
        .map(ToOwned::to_owned)
}

fn quiet(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn is_version(word: &str) -> bool {
    word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.')
}
