//! `sb hooks`: put Signalbox's hooks into the agent CLIs' settings, and take them out again.

use std::path::{Path, PathBuf};

use signalbox_drivers::{Installed, Scope};

use crate::canary;
use crate::context::Context;
use crate::installing::{self, Edit, Found, Spot, Thing, agreed, by_cli, carry_out, own_path, variable};
use crate::settings_file::{self, SettingsFile};
use signalbox_desk::error::{CommandError, Kind};

/// What is there already stays, byte for byte; what is installed can be taken out so that the file is as before.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Install the hooks, after showing what changes
    Install {
        #[command(flatten)]
        where_to: WhereTo,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
        /// Also tell Codex that you trust these hooks: without that it skips them silently
        #[arg(long)]
        trust: bool,
        /// Leave the status line alone
        #[arg(long)]
        no_status_line: bool,
    },
    /// Take the hooks out again
    Uninstall {
        #[command(flatten)]
        where_to: WhereTo,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Say where hooks are installed
    Status {
        #[command(flatten)]
        where_to: WhereTo,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Call the installed hooks with calls that must be refused, and say what became of each
    Test {
        #[command(flatten)]
        where_to: WhereTo,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct WhereTo {
    /// The agent CLI: `claude`, `codex`, `gemini`, `copilot` or `goose` (can be repeated) [default: those that are installed]
    #[arg(long, value_name = "NAME")]
    cli: Vec<String>,
    /// `user` (all you do) or `project` (this project alone)
    #[arg(long, default_value = "user")]
    scope: String,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        What::Install { where_to, yes, trust, no_status_line } => {
            cx.who()?.must_be_human("install hooks")?;
            install(cx, spots(cx, &where_to)?, yes, trust, !no_status_line)
        }
        What::Uninstall { where_to, yes } => {
            cx.who()?.must_be_human("take hooks out")?;
            uninstall(cx, spots(cx, &where_to)?, yes)
        }
        What::Status { where_to, .. } => status(cx, &spots(cx, &where_to)?),
        What::Test { where_to, .. } => {
            let found = spots(cx, &where_to)?;
            let others = by_cli(&found.spots).count();
            if others > 0 {
                canary::run(cx, &found.spots)?;
            }
            found.left_alone.end(others)
        }
    }
}

/// The files that are meant.
fn spots(cx: &Context, where_to: &WhereTo) -> Result<Found, CommandError> {
    let scopes: &[Scope] = match where_to.scope.as_str() {
        "user" => &[Scope::User],
        // A path of this machine does not belong into a file that others get.
        "project" => &[Scope::Local, Scope::Project],
        other => {
            return Err(CommandError::usage("scope.unknown", format!("there is no scope `{other}`"))
                .hint("`user` is for all you do, `project` for this project alone."));
        }
    };
    let project = if where_to.scope == "project" { Some(project_folder(cx)?) } else { None };
    installing::spots(&where_to.cli, project.as_deref(), |driver, roots| {
        let places = scopes.iter().map(|scope| driver.places(*scope, roots));
        places.into_iter().find(|places| !places.is_empty()).unwrap_or_default()
    })
}

fn project_folder(cx: &Context) -> Result<PathBuf, CommandError> {
    let here = cx.directory()?;
    let registered =
        cx.project()?.and_then(|name| cx.config().ok()?.projects.get(name.as_str()).map(|p| p.path.clone()));
    registered.or_else(|| signalbox_store::project::top(&here)).ok_or_else(|| {
        CommandError::precondition("hooks.no-project", format!("{} belongs to no project", here.display()))
            .hint("Go into a repository, or make this a project with `sb init`.")
    })
}

fn install(
    cx: &Context,
    mut found: Found,
    yes: bool,
    trust: bool,
    status_line: bool,
) -> Result<(), CommandError> {
    let sb = own_path()?;
    let mut edits = Vec::new();
    for (driver, spots) in by_cli(&found.spots) {
        match to_install(spots, &sb, status_line) {
            Ok(its) => edits.extend(its),
            Err(error) => found.left_alone.add(driver, error),
        }
    }
    let others = edits.len();
    if others > 0 {
        carry_out(cx, edits, yes, Thing::Hooks, "installed")?;
        for spot in found.spots.iter().filter(|spot| spot.driver.name == "codex") {
            if !found.left_alone.has(spot.driver) {
                codex_trust(cx, spot, trust, yes)?;
            }
        }
        cx.ui.hint("`sb hooks test` shows that they bite.");
    }
    found.left_alone.end(others)
}

/// What the files of one CLI become.
fn to_install<'a>(spots: &'a [Spot], sb: &str, status_line: bool) -> Result<Vec<Edit<'a>>, CommandError> {
    let mut edits = Vec::new();
    for spot in spots {
        let before = spot.file.text.as_deref();
        let refuse = |error| settings_file::unusable(&spot.place.path, &error);
        let mut after = spot.place.install(before, sb).map_err(refuse)?;
        if status_line && spot.driver.name == "claude" {
            let other =
                before.map(signalbox_drivers::claude::other_status_line).transpose().map_err(refuse)?;
            if other.flatten().is_none() {
                after = signalbox_drivers::claude::install_status_line(Some(&after), sb).map_err(refuse)?;
            }
        }
        edits.push(Edit { spot, after: Some(after) });
        if spot.driver.name == "codex" {
            // What cannot be understood is found before anything is written.
            let config = SettingsFile::read(&codex_config(&spot.place.path))?;
            let refuse = |error| settings_file::unusable(&config.path, &error);
            signalbox_drivers::codex::trust(config.text.as_deref(), &[]).map_err(refuse)?;
        }
    }
    Ok(edits)
}

fn uninstall(cx: &Context, mut found: Found, yes: bool) -> Result<(), CommandError> {
    let (mut edits, mut distrusted, mut others) = (Vec::new(), Vec::new(), 0);
    for (driver, spots) in by_cli(&found.spots) {
        match to_uninstall(spots) {
            Ok((its, without_trust)) => {
                edits.extend(its);
                distrusted.extend(without_trust);
                others += 1;
            }
            Err(error) => found.left_alone.add(driver, error),
        }
    }
    if others > 0 {
        carry_out(cx, edits, yes, Thing::Hooks, "taken out")?;
    }
    // Only once the person has agreed.
    for (config, without) in
        distrusted.iter().filter(|(config, without)| config.text.as_ref() != Some(without))
    {
        config.write(Some(without))?;
    }
    found.left_alone.end(others)
}

/// What the files of one CLI become, and its configuration without our hooks' trust.
type Undoing<'a> = (Vec<Edit<'a>>, Option<(SettingsFile, String)>);

fn to_uninstall(spots: &[Spot]) -> Result<Undoing<'_>, CommandError> {
    let (mut edits, mut distrusted) = (Vec::new(), None);
    for spot in spots {
        let Some(before) = spot.file.text.as_deref() else { continue };
        let refuse = |error| settings_file::unusable(&spot.place.path, &error);
        let mut text = before.to_owned();
        if spot.driver.name == "claude" {
            // Before the hooks: only so is the rest exactly what it was.
            text = signalbox_drivers::claude::uninstall_status_line(&text).map_err(refuse)?;
        }
        let after = spot.place.uninstall(&text).map_err(refuse)?;
        edits.push(Edit { spot, after });
        if spot.driver.name == "codex" {
            let entries = signalbox_drivers::codex::trust_entries(&spot.place.path.to_string_lossy(), before)
                .map_err(refuse)?;
            let config = SettingsFile::read(&codex_config(&spot.place.path))?;
            if let Some(text) = &config.text {
                let without = signalbox_drivers::codex::distrust(text, &entries)
                    .map_err(|error| settings_file::unusable(&config.path, &error))?;
                distrusted = Some((config, without));
            }
        }
    }
    Ok((edits, distrusted))
}

/// Codex runs no hook that its user has not looked at. Saying so for them is only right when they say so.
fn codex_trust(cx: &Context, spot: &Spot, trust: bool, yes: bool) -> Result<(), CommandError> {
    let installed = SettingsFile::read(&spot.place.path)?;
    let Some(text) = &installed.text else { return Ok(()) };
    let path = spot.place.path.to_string_lossy();
    let refuse = |error| settings_file::unusable(&spot.place.path, &error);
    let entries = signalbox_drivers::codex::trust_entries(&path, text).map_err(refuse)?;
    let config = SettingsFile::read(&codex_config(&spot.place.path))?;
    let refuse = |error| settings_file::unusable(&config.path, &error);
    let after = signalbox_drivers::codex::trust(config.text.as_deref(), &entries).map_err(refuse)?;
    if config.text.as_deref() == Some(&after) {
        return Ok(());
    }
    let agreed = trust
        || (!yes
            && agreed(
                "Codex skips hooks that its user has not trusted. Have you looked at them, and do you trust them?",
            )?);
    if !agreed {
        cx.ui.status("Codex will skip these hooks until you trust them: type /hooks in Codex, or run this with --trust.");
        return Ok(());
    }
    config.write(Some(&after))?;
    cx.ui.status(&format!("Codex trusts them: {}.", config.path.display()));
    Ok(())
}

/// Trust is kept in the user's own configuration, also for hooks of a project.
fn codex_config(hooks: &Path) -> PathBuf {
    let home = variable("CODEX_HOME").or_else(|| Some(variable("HOME")?.join(".codex")));
    home.map_or_else(|| hooks.with_file_name("config.toml"), |home| home.join("config.toml"))
}

/// What is known of one file.
struct Row {
    cli: &'static str,
    path: PathBuf,
    state: &'static str,
    program: String,
    error: Option<String>,
}

fn status(cx: &Context, found: &Found) -> Result<(), CommandError> {
    let mut rows: Vec<Row> = found.spots.iter().map(row).collect();
    let unreadable = |(driver, error): &(&'static signalbox_drivers::Driver, CommandError)| {
        let (cli, error) = (driver.name, Some(error.message.clone()));
        Row { cli, path: PathBuf::new(), state: "unreadable", program: String::new(), error }
    };
    rows.extend(found.left_alone.errors().map(unreadable));
    if cx.ui.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|Row { cli, path, state, program, error }| {
                serde_json::json!({
                    "cli": cli, "path": path, "state": state, "program": program, "error": error,
                })
            })
            .collect();
        cx.ui.json(&rows)?;
    } else {
        for Row { cli, path, state, program, error } in &rows {
            cx.ui.data(&format!("{cli:8} {state:12} {}\n", path.display()))?;
            if !program.is_empty() {
                cx.ui.data(&format!("{:8} {:12} runs {program}\n", "", ""))?;
            }
            if let Some(error) = error {
                cx.ui.data(&format!("{:8} {:12} {error}\n", "", ""))?;
            }
        }
    }
    let wrong: Vec<String> = rows.iter().filter_map(Row::trouble).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(CommandError::new(Kind::Failure, "settings.unreadable", wrong.join("\n"))
        .hint("Put that file right, then run this again."))
}

impl Row {
    fn trouble(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        let path = self.path.display();
        Some(if self.path.as_os_str().is_empty() { error.clone() } else { format!("{path}: {error}") })
    }
}

fn row(spot: &Spot) -> Row {
    let installed = spot.place.status(spot.file.text.as_deref());
    let (state, program) = match &installed {
        Ok(Installed::Absent) => ("absent", String::new()),
        Ok(Installed::Ours { program, complete: true }) => ("installed", program.clone()),
        Ok(Installed::Ours { program, complete: false }) => ("incomplete", program.clone()),
        Ok(Installed::Outdated { programs }) => ("outdated", programs.join(", ")),
        Err(_) => ("unreadable", String::new()),
    };
    let gone = !program.is_empty() && !program.contains(", ") && !Path::new(&program).is_file();
    Row {
        cli: spot.driver.name,
        path: spot.place.path.clone(),
        state: if gone { "program gone" } else { state },
        program,
        error: installed.err().map(|error| error.to_string()),
    }
}
