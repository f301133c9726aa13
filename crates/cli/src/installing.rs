//! Putting something of ours into the settings of agent CLIs: which files, what changes, whether the person agrees.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use signalbox_drivers::{DRIVERS, Driver, Place, Roots};

use crate::context::Context;
use crate::diff;
use crate::error::CommandError;
use crate::settings_file::SettingsFile;

/// One file of one CLI.
pub struct Spot {
    pub driver: &'static Driver,
    pub place: Place,
    pub file: SettingsFile,
}

/// A file and what it is to become; `None`: it goes.
pub struct Edit<'a> {
    pub spot: &'a Spot,
    pub after: Option<String>,
}

/// What is put in or taken out.
#[derive(Debug, Clone, Copy)]
pub enum Thing {
    Hooks,
    Server,
}

impl Thing {
    /// Its name, and the verb that goes with it.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Hooks => ("hooks", "are"),
            Self::Server => ("MCP server", "is"),
        }
    }
}

/// The files of the CLIs with these names, or of those that are installed where no name is given.
pub fn spots(
    names: &[String],
    project: Option<&Path>,
    places: impl Fn(&'static Driver, &Roots<'_>) -> Vec<Place>,
) -> Result<Vec<Spot>, CommandError> {
    let (home, claude, codex, copilot, gemini, config) = (
        variable("HOME"),
        variable("CLAUDE_CONFIG_DIR"),
        variable("CODEX_HOME"),
        variable("COPILOT_HOME"),
        variable("GEMINI_CLI_HOME").map(|home| home.join(".gemini")),
        variable("XDG_CONFIG_HOME"),
    );
    let roots = Roots {
        home: home.as_deref(),
        project,
        claude_config_dir: claude.as_deref(),
        codex_home: codex.as_deref(),
        copilot_home: copilot.as_deref(),
        gemini_folder: gemini.as_deref(),
        config_home: config.as_deref(),
    };
    let mut spots = Vec::new();
    for driver in drivers(names)? {
        for place in places(driver, &roots) {
            let file = SettingsFile::read(&place.path)?;
            spots.push(Spot { driver, place, file });
        }
    }
    Ok(spots)
}

fn drivers(names: &[String]) -> Result<Vec<&'static Driver>, CommandError> {
    if names.is_empty() {
        let is_here = |driver: &&Driver| driver.programs.iter().any(|program| on_path(program).is_some());
        let found: Vec<_> = DRIVERS.iter().filter(is_here).collect();
        if found.is_empty() {
            return Err(CommandError::not_found("cli.none", "no agent CLI is found in PATH")
                .hint("Name one all the same: `--cli claude`."));
        }
        return Ok(found);
    }
    let named = names.iter().map(|name| {
        signalbox_drivers::find(name).ok_or_else(|| {
            let error = CommandError::usage("cli.unknown", format!("there is no agent CLI `{name}`"));
            let known: Vec<&str> = DRIVERS.iter().map(|driver| driver.name).collect();
            error.hint(format!("Known are: {}.", known.join(", ")))
        })
    });
    named.collect()
}

/// A variable that names a path; an empty one is none.
pub fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Where a program of this name is.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Where this program is, by a path that stays good: not one that a build replaces, where there is another.
pub fn own_path() -> Result<String, CommandError> {
    let own = std::env::current_exe()?;
    own.to_str().map(ToOwned::to_owned).ok_or_else(|| {
        CommandError::precondition(
            "sb.path",
            format!("{} is not UTF-8, and settings files are", own.display()),
        )
    })
}

/// Show what changes, ask, and write. `done` is how it then is.
pub fn carry_out(
    cx: &Context,
    mut edits: Vec<Edit<'_>>,
    yes: bool,
    thing: Thing,
    done: &str,
) -> Result<(), CommandError> {
    edits.retain(|edit| edit.after != edit.spot.file.text);
    let (what, is) = thing.words();
    if edits.is_empty() {
        cx.ui.status(&format!("Nothing changes: the {what} {is} {done} already."));
        return Ok(());
    }
    for edit in &edits {
        let path = edit.spot.place.path.display();
        let fate = if edit.after.is_none() {
            " (goes)"
        } else if edit.spot.file.text.is_none() {
            " (new)"
        } else {
            ""
        };
        let before = edit.spot.file.text.as_deref().unwrap_or_default();
        cx.ui.status(&format!("{path}{fate}"));
        cx.ui.status(diff::lines(before, edit.after.as_deref().unwrap_or_default()).trim_end());
    }
    if !yes && !agreed("Write this?")? {
        return Err(CommandError::precondition("hooks.not-agreed", "nothing was written")
            .hint("`--yes` writes it without asking."));
    }
    for edit in &edits {
        edit.spot.file.must_be_unchanged()?;
    }
    for edit in &edits {
        edit.spot.file.write(edit.after.as_deref())?;
        if let (None, Some(own)) = (&edit.after, &edit.spot.place.own_folder) {
            remove_empty(&edit.spot.place.path, own)?;
        }
    }
    for driver in edits.iter().map(|edit| edit.spot.driver.title).collect::<BTreeSet<_>>() {
        cx.ui.status(&format!("The {what} of {driver} {is} {done}."));
    }
    Ok(())
}

/// Take away the folders that a file leaves empty, up to the one that is our own.
fn remove_empty(file: &Path, own: &Path) -> Result<(), CommandError> {
    for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(own)) {
        if !signalbox_store::files::remove_empty_dir(folder)? {
            break;
        }
    }
    Ok(())
}

/// Whether the person says yes. Nobody is asked where nobody can answer.
pub fn agreed(question: &str) -> Result<bool, CommandError> {
    let (stdin, mut stderr) = (std::io::stdin(), std::io::stderr());
    if !stdin.is_terminal() || !stderr.is_terminal() {
        return Ok(false);
    }
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut line = String::new();
    stdin.read_line(&mut line)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
