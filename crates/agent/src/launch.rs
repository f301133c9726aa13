//! What is started: a driver's program, with the person's settings and profile, or any other program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use signalbox_core::{Refusal, nearest};
use signalbox_drivers::launch::{GENERIC, Launch as HowTo};
use signalbox_drivers::{DRIVERS, Driver};
use signalbox_store::Home;
use signalbox_store::config::Config;
use signalbox_store::launch::Options;

/// The scripted agent, which is in no list of drivers.
const PUPPET: &str = "puppet";

/// What was asked for on the command line.
#[derive(Debug, Default)]
pub struct Wanted {
    pub driver: Option<String>,
    pub profile: Option<String>,
    /// The words after `--`.
    pub arguments: Vec<String>,
    /// What the conversation begins with.
    pub first: Option<String>,
    /// The conversation to go on with.
    pub resume: Option<String>,
}

/// What is going to be started.
pub struct Plan {
    /// `None` for a program that nobody here knows.
    pub driver: Option<&'static Driver>,
    /// The driver's name, or the program's.
    pub name: String,
    pub profile: Option<String>,
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// A first prompt that could not be given as an argument.
    pub waits_for_prompt: Option<String>,
    /// Where the CLI keeps its settings and its state.
    pub config: PathBuf,
}

/// Work out what to start. `variable` looks up the environment.
pub fn plan(
    home: &Home,
    config: &Config,
    wanted: Wanted,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Plan, Refusal> {
    if wanted.driver.is_none() && wanted.profile.is_none() {
        return any_program(wanted.arguments, variable);
    }
    let known: Vec<&str> = DRIVERS.iter().map(|driver| driver.name).chain([PUPPET]).collect();
    let asked = wanted.driver.as_deref().map(|name| signalbox_drivers::find(name).map_or(name, |d| d.name));
    let over = Options { args: wanted.arguments, ..Options::default() };
    let laid = config.launch(home, &known, asked, wanted.profile.as_deref(), over)?;
    let driver = signalbox_drivers::find(&laid.driver).ok_or_else(|| {
        Refusal::not_found("driver.unknown", format!("there is no driver `{}`", laid.driver))
    })?;
    let how: &HowTo = &driver.launch;
    // The puppet is part of `sb` itself.
    let own = (driver.name == PUPPET && laid.command.is_none()).then(std::env::current_exe);
    let is_own = own.is_some();
    let program = match &laid.command {
        _ if is_own => own.and_then(Result::ok).ok_or_else(|| missing(PUPPET, how))?,
        Some(command) => find(command, variable).ok_or_else(|| missing(command, &GENERIC))?,
        None => driver
            .programs
            .iter()
            .find_map(|name| find(name, variable))
            .ok_or_else(|| missing(driver.programs.first().copied().unwrap_or(driver.name), how))?,
    };
    let mut environment: Vec<(String, String)> = how
        .added_environment
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .chain(laid.env)
        .collect();
    let moved = match (&laid.config_dir, how.config.variable) {
        (Some(folder), Some(name)) => {
            environment.push((name.to_owned(), folder.display().to_string()));
            Some(folder.clone())
        }
        (Some(_), None) => {
            let message = format!("{} cannot be given another folder for its settings", driver.title);
            return Err(Refusal::usage("driver.config-dir", message)
                .hint("Take `config_dir` out of its settings in config.toml."));
        }
        (None, Some(name)) => variable(name).filter(|value| !value.is_empty()).map(PathBuf::from),
        (None, None) => None,
    };
    let person = variable("HOME").map(PathBuf::from).unwrap_or_default();
    let words = is_own
        .then_some(&PUPPET)
        .into_iter()
        .chain(how.interactive)
        .chain(how.added_arguments)
        .map(|word| (*word).to_owned());
    let resumed = wanted.resume.as_deref().zip(how.resume).map(|(session, resume)| resume(session));
    let first = wanted.first.as_deref().zip(how.first).map(|(prompt, first)| first(prompt));
    Ok(Plan {
        driver: Some(driver),
        name: driver.name.to_owned(),
        profile: laid.profile,
        program,
        arguments: words
            .chain(resumed.into_iter().flatten())
            .chain(laid.args)
            .chain(first.into_iter().flatten())
            .collect(),
        environment,
        waits_for_prompt: wanted.first.filter(|_| how.first.is_none()),
        config: how.config.folder(moved.as_deref(), &person),
    })
}

/// A program that is no driver's: the words after `--` are its command line.
fn any_program(arguments: Vec<String>, variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Plan, Refusal> {
    let mut words = arguments.into_iter();
    let command = words.next().ok_or_else(|| {
        let names: Vec<&str> = DRIVERS.iter().map(|driver| driver.name).collect();
        Refusal::usage("agent.nothing", "nothing is named that could be started").hint(format!(
            "Name a driver ({}), or give a command after `--`: `sb agent -- bash`.",
            names.join(", ")
        ))
    })?;
    let program = find(&command, variable).ok_or_else(|| missing(&command, &GENERIC))?;
    let name =
        program.file_name().map_or_else(|| command.clone(), |name| name.to_string_lossy().into_owned());
    Ok(Plan {
        driver: None,
        name,
        profile: None,
        program,
        arguments: words.collect(),
        environment: Vec::new(),
        waits_for_prompt: None,
        config: PathBuf::new(),
    })
}

fn missing(program: &str, how: &HowTo) -> Refusal {
    let refusal = Refusal::not_found("agent.program", format!("the program `{program}` was not found"));
    match nearest(program, DRIVERS.iter().map(|driver| driver.name)) {
        Some(near) if near != program => refusal.hint(format!("Did you mean `sb agent {near}`?")),
        _ => refusal.hint(how.how_to_get),
    }
}

/// A program by its path, or by its name in the PATH.
fn find(command: &str, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if command.contains('/') {
        let path = Path::new(command);
        return is_program(path).then(|| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    }
    let path = variable("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
