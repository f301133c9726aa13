//! Compiling a session's charter from what people, the project and the repository say.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signalbox_core::charter::{Charter, Debug, OwnRule};
use signalbox_core::judge::check_examples;
use signalbox_core::{Mode, ProjectName, Role, TicketId, trigger};

use crate::config::{Config, Project};
use crate::home::Home;
use crate::launch::Agents;
use crate::policy::{self, Format, RepositoryPolicy};
use crate::project;

/// What a person or the orchestrator gave a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Assigned {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The mode as last switched; else the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// Make a session's charter. What is wrong with the sources is in it, so that the session is held until a person
/// has put it right.
pub fn compile(
    home: &Home,
    config: &Config,
    project: &ProjectName,
    directory: &Path,
    assigned: &Assigned,
    ticket: Option<&TicketId>,
) -> Charter {
    let own = config.projects.get(project.as_str());
    let root = assigned.worktree.clone().or_else(|| root_of(config, project, directory));
    let root = root.map(|root| root.canonicalize().unwrap_or(root));
    let mut broken = None;
    let repository = match root.as_deref().map(policy::of_repository) {
        Some(Err(why)) => {
            broken = Some(why);
            RepositoryPolicy::default()
        }
        Some(Ok(policy)) => policy,
        None => RepositoryPolicy::default(),
    };
    let role = assigned.role.unwrap_or_default();
    let rules: Vec<OwnRule> = config.rules.iter().chain(&repository.rules).cloned().collect();
    let place = root.as_ref().map(|root| root.to_string_lossy().into_owned());
    let checked = rules.iter().try_for_each(|rule| check_examples(rule, place.as_deref().unwrap_or("/")));
    broken = broken.or(checked.err());
    let signalbox = home.root().canonicalize().unwrap_or_else(|_| home.root().to_owned());
    Charter {
        mode: mode(config, own, &repository, assigned),
        role,
        ticket: ticket.cloned(),
        confined: assigned.worktree.is_some(),
        scratch: scratch(place.as_deref()),
        branch: assigned.branch.clone(),
        tests: tests(own, &repository),
        may_write: own.and_then(|own| own.ownership.get(role.as_str()).cloned()),
        protect: [&config.protect.also[..], own.map_or(&[], |own| &own.protect.also), &repository.protect]
            .concat(),
        unprotect: [&config.protect.except[..], own.map_or(&[], |own| &own.protect.except)].concat(),
        signalbox: signalbox.to_string_lossy().into_owned(),
        blocked_tools: config.mode.blocked_tools.clone().unwrap_or_else(|| owned(policy::BLOCKED_TOOLS)),
        read_only: config.mode.read_only.clone(),
        triggers: config.mode.triggers.clone().unwrap_or_else(|| owned(trigger::PHRASES)),
        approve: own.and_then(|own| own.approve.clone()),
        developer: root.as_deref().and_then(project::developer),
        debug: debug(home, config),
        redact: redact(config),
        root: place,
        rules,
        broken,
        ..Charter::default()
    }
}

/// What the person says tests are; else the usual, and what the repository calls tests besides. A pattern that means
/// every file says nothing.
fn tests(own: Option<&Project>, repository: &RepositoryPolicy) -> Vec<String> {
    if let Some(tests) = own.and_then(|own| own.tests.clone()) {
        return tests;
    }
    let mut tests = owned(policy::TESTS);
    let names_something = |pattern: &&String| pattern.contains(|c: char| c.is_alphanumeric());
    for pattern in repository.tests.iter().flatten().filter(names_something) {
        if !tests.contains(pattern) {
            tests.push(pattern.clone());
        }
    }
    tests
}

/// The session's own mode first, then the project's, then the user's. A repository can only ask for less.
fn mode(config: &Config, own: Option<&Project>, repository: &RepositoryPolicy, assigned: &Assigned) -> Mode {
    let asked = repository.mode.filter(|mode| *mode == Mode::Discussion);
    assigned.mode.or(own.and_then(|own| own.mode)).or(asked).or(config.mode.default).unwrap_or_default()
}

/// The project's folder, or the worktree of it that the session is in.
fn root_of(config: &Config, project: &ProjectName, directory: &Path) -> Option<PathBuf> {
    let registered = config.projects.get(project.as_str()).map(|project| project.path.clone());
    match registered {
        Some(path)
            if directory.canonicalize().unwrap_or_else(|_| directory.to_owned()).starts_with(&path) =>
        {
            Some(path)
        }
        // A worktree of the project, wherever it lies; or no project at all.
        _ => project::top(directory).or(registered),
    }
}

/// Where temporary files go; nowhere, if the project itself lies there.
fn scratch(root: Option<&str>) -> Vec<String> {
    let folders =
        [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp"), PathBuf::from("/dev/shm")];
    let mut found: Vec<String> = Vec::new();
    for folder in folders {
        let folder = folder.canonicalize().unwrap_or(folder).to_string_lossy().into_owned();
        let holds_root = root.is_some_and(|root| root.starts_with(&folder));
        if !holds_root && folder != "/" && !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

/// Only what differs from the usual: charters are read by every hook.
fn redact(config: &Config) -> Option<Vec<String>> {
    let own = &config.agents.redact;
    (*own != Agents::default().redact).then(|| own.clone())
}

fn debug(home: &Home, config: &Config) -> Option<Debug> {
    let debug = &config.debug;
    Some(Debug {
        level: debug.level?.name()?.to_owned(),
        json: debug.format == Some(Format::Json),
        file: debug
            .file
            .as_ref()
            .filter(|file| !file.0.is_empty())
            .map(|file| home.root().join(&file.0).to_string_lossy().into_owned()),
    })
}

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}
