//! Putting something of ours into the settings of agent CLIs: which files, what changes, whether the person agrees.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use signalbox_drivers::{DRIVERS, Driver, Place, Roots};

use crate::context::Context;
use crate::diff;
use crate::settings_file::SettingsFile;
use signalbox_desk::error::{CommandError, Kind};

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

/// CLIs that are left alone because something is wrong with a file of theirs. The others go on.
#[derive(Default)]
pub struct LeftAlone(Vec<(&'static Driver, CommandError)>);

impl LeftAlone {
    pub fn add(&mut self, driver: &'static Driver, error: CommandError) {
        self.0.push((driver, error));
    }

    pub fn has(&self, driver: &Driver) -> bool {
        self.0.iter().any(|(left, _)| left.name == driver.name)
    }

    pub fn errors(&self) -> impl Iterator<Item = &(&'static Driver, CommandError)> {
        self.0.iter()
    }

    /// How the command ends. `others`: how many CLIs there are that nothing is wrong with.
    pub fn end(mut self, others: usize) -> Result<(), CommandError> {
        if self.0.len() == 1 && others == 0 {
            return self.0.pop().map_or(Ok(()), |(_, error)| Err(error));
        }
        let said: Vec<String> = self
            .0
            .iter()
            .map(|(driver, error)| format!("{} was left alone: {}", driver.title, error.message))
            .collect();
        if said.is_empty() {
            return Ok(());
        }
        Err(CommandError::new(Kind::Failure, "settings.left-alone", said.join("\n"))
            .hint("Put that right, then run this again; all others are done."))
    }
}

/// The files that are meant, of the CLIs whose files can all be read.
pub struct Found {
    pub spots: Vec<Spot>,
    pub left_alone: LeftAlone,
}

/// Files by their CLI.
pub fn by_cli(spots: &[Spot]) -> impl Iterator<Item = (&'static Driver, &[Spot])> {
    let same = |a: &Spot, b: &Spot| a.driver.name == b.driver.name;
    spots.chunk_by(same).filter_map(|spots| Some((spots.first()?.driver, spots)))
}

/// The files of the CLIs with these names, or of those that are installed where no name is given.
pub fn spots(
    names: &[String],
    project: Option<&Path>,
    places: impl Fn(&'static Driver, &Roots<'_>) -> Vec<Place>,
) -> Result<Found, CommandError> {
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
    let mut found = Found { spots: Vec::new(), left_alone: LeftAlone::default() };
    for driver in drivers(names)? {
        let read = |place: Place| {
            let file = SettingsFile::read(&place.path)?;
            Ok(Spot { driver, place, file })
        };
        match places(driver, &roots).into_iter().map(read).collect::<Result<Vec<_>, _>>() {
            Ok(spots) => found.spots.extend(spots),
            Err(error) => found.left_alone.add(driver, error),
        }
    }
    Ok(found)
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
        if edit.after.is_none() {
            remove_empty(&edit.spot.place)?;
        }
    }
    for driver in edits.iter().map(|edit| edit.spot.driver.title).collect::<BTreeSet<_>>() {
        cx.ui.status(&format!("The {what} of {driver} {is} {done}."));
    }
    Ok(())
}

/// Take away the folders that a file leaves empty, but not what was the person's before there was any CLI.
fn remove_empty(place: &Place) -> Result<(), CommandError> {
    for folder in place.path.ancestors().skip(1).take_while(|folder| **folder != place.root) {
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
