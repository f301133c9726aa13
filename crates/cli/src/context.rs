//! What a command can ask for: home, configuration, store, asker, project. Each is worked out when it is
//! first needed, because most commands need little and should start at once.

use std::cell::{Cell, OnceCell};
use std::path::PathBuf;

use signalbox_core::{Command, ProjectName, Who};
use signalbox_store::config::Config;
use signalbox_store::lock::Lock;
use signalbox_store::{Home, Index, Outcome, Store, StoreError, project};

use crate::identity::{self, Identity, Unverified};
use crate::ui::Ui;
use signalbox_desk::error::CommandError;

pub struct Context {
    pub ui: Ui,
    home: OnceCell<Home>,
    config: OnceCell<Config>,
    identity: OnceCell<Identity>,
    exit: Cell<u8>,
}

impl Context {
    pub fn new(ui: Ui) -> Self {
        Self {
            ui,
            home: OnceCell::new(),
            config: OnceCell::new(),
            identity: OnceCell::new(),
            exit: Cell::new(0),
        }
    }

    /// End with this code though nothing went wrong: it is the code of a program that was run.
    pub fn exit_with(&self, code: i32) {
        self.exit.set(u8::try_from(code).unwrap_or(1));
    }

    pub fn exit_code(&self) -> u8 {
        self.exit.get()
    }

    pub fn home(&self) -> Result<&Home, CommandError> {
        get_or_try(&self.home, || {
            let set =
                |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
            let root = set("SIGNALBOX_HOME").or_else(|| set("HOME").map(|home| home.join(".signalbox")));
            let root = root.ok_or_else(|| {
                CommandError::precondition("home.unknown", "neither SIGNALBOX_HOME nor HOME is set")
                    .hint("Set SIGNALBOX_HOME to the folder where Signalbox may keep its data.")
            })?;
            Ok(Home::new(std::path::absolute(root)?))
        })
    }

    pub fn config(&self) -> Result<&Config, CommandError> {
        get_or_try(&self.config, || Ok(Config::load(self.home()?)?))
    }

    pub fn store(&self) -> Result<Store, CommandError> {
        let home = self.home()?.clone();
        let vault = self.config()?.vault(&home)?;
        Ok(Store::new(home, vault).on_slow(crate::ui::say_slow))
    }

    /// The lock, for what is written beside the log.
    pub fn lock(&self) -> Result<Lock, CommandError> {
        Ok(Store::new(self.home()?.clone(), "").on_slow(crate::ui::say_slow).lock()?)
    }

    pub fn identity(&self) -> Result<&Identity, CommandError> {
        get_or_try(&self.identity, || {
            // Who asks can be worked out without it: then the usual programs are agents. A daemon whose configuration was
            // just broken must still be seen and ended.
            let usual = Config::default();
            identity::resolve(self.home()?, self.config().unwrap_or(&usual))
        })
    }

    /// Who asks, if that is certain enough to change something.
    pub fn who(&self) -> Result<&Who, CommandError> {
        let identity = self.identity()?;
        match &identity.unverified {
            None => {}
            Some(Unverified::Capability) => {
                return Err(CommandError::precondition(
                    "identity.unverified",
                    "SIGNALBOX_SESSION holds a capability that was never minted or has ended",
                )
                .hint("If you are a human, unset SIGNALBOX_SESSION. An agent gets a valid one when its session starts."));
            }
            Some(Unverified::OutOfSight(session)) => {
                return Err(CommandError::precondition(
                    "identity.out-of-sight",
                    format!("the processes above this one cannot be seen from here, and session {session} may be one of them"),
                )
                .hint("Run it outside of the container or sandbox, or with the session's capability."));
            }
            Some(Unverified::Marked) => {
                return Err(CommandError::precondition(
                    "identity.marked",
                    "CLAUDECODE is set, so an agent CLI started this, but none is found among the processes above",
                )
                .hint("If you are a human, unset CLAUDECODE."));
            }
        }
        Ok(&identity.who)
    }

    pub fn directory(&self) -> Result<PathBuf, CommandError> {
        std::env::current_dir().map_err(|error| {
            CommandError::precondition(
                "directory.gone",
                format!("the current directory cannot be used: {error}"),
            )
            .hint("Change into a directory that exists.")
        })
    }

    /// The project of the current directory.
    pub fn project(&self) -> Result<Option<ProjectName>, CommandError> {
        let config = self.config()?;
        if config.projects.is_empty() {
            return Ok(None);
        }
        Ok(project::detect(config, &self.directory()?))
    }

    /// The project of that name, or of the current directory; an error says how to get one.
    pub fn project_named(&self, name: Option<&str>) -> Result<ProjectName, CommandError> {
        match name {
            Some(name) => self.registered(name),
            None => self.project()?.ok_or_else(|| {
                CommandError::precondition("project.none", "this directory belongs to no project")
                    .hint("Make it one with `sb init`, or name one with `--project NAME` (`sb projects` lists them).")
            }),
        }
    }

    /// What `--project` means for a list: `*` is every project, nothing is the current directory's.
    pub fn project_filter(&self, name: Option<&str>) -> Result<Option<ProjectName>, CommandError> {
        Ok(match name {
            Some("*") => None,
            Some("untracked") => Some(ProjectName::untracked()),
            Some(name) => Some(self.registered(name)?),
            None => self.project()?,
        })
    }

    pub fn registered(&self, name: &str) -> Result<ProjectName, CommandError> {
        let config = self.config()?;
        if config.projects.contains_key(name) {
            return ProjectName::parse(name).map_err(|e| CommandError::usage("project.name", e.to_string()));
        }
        let near = signalbox_core::nearest(name, config.projects.keys().map(String::as_str));
        let error = CommandError::not_found("project.unknown", format!("there is no project `{name}`"));
        Err(match near {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None => error.hint("`sb projects` lists them."),
        })
    }

    /// The index, caught up; warnings are said at once.
    pub fn index(&self) -> Result<(Store, Index), CommandError> {
        let store = self.store()?;
        let (index, warnings) = store.read()?;
        self.ui.warnings(&warnings);
        Ok((store, index))
    }

    /// Carry out a command; warnings are said at once.
    pub fn execute(
        &self,
        store: &Store,
        build: &dyn Fn(&Index) -> Result<Command, StoreError>,
    ) -> Result<Outcome, CommandError> {
        let warn = |words: &str| self.ui.warn(words);
        let outcome = signalbox_desk::carry_out(store, self.config()?, self.who()?, build, &warn)?;
        self.ui.warnings(&outcome.warnings);
        Ok(outcome)
    }
}

/// `OnceCell::get_or_try_init`, which is not stable yet.
fn get_or_try<T>(
    cell: &OnceCell<T>,
    make: impl FnOnce() -> Result<T, CommandError>,
) -> Result<&T, CommandError> {
    match cell.get() {
        Some(value) => Ok(value),
        None => {
            let value = make()?;
            Ok(cell.get_or_init(|| value))
        }
    }
}
