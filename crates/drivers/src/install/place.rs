//! Where the hooks of a CLI are written down.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::layout::Layout;
use super::{InstallError, Installed, extension, merge};
use crate::door::Extension;
use crate::driver::Driver;
use crate::hook::HookKind;
use crate::mcp::Shape;

/// For whom hooks are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everything this person does.
    User,
    /// Everybody who works on the project.
    Project,
    /// This person's work on the project, where the CLI knows the difference.
    Local,
}

/// The folders that places are found from. The ones of the CLIs are what the environment variables say, where they
/// say something: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `COPILOT_HOME`, and `.gemini` below `GEMINI_CLI_HOME`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Roots<'a> {
    pub home: Option<&'a Path>,
    pub project: Option<&'a Path>,
    pub claude_config_dir: Option<&'a Path>,
    pub codex_home: Option<&'a Path>,
    pub copilot_home: Option<&'a Path>,
    pub gemini_folder: Option<&'a Path>,
    /// `XDG_CONFIG_HOME`, which Goose heeds.
    pub config_home: Option<&'a Path>,
}

/// A file that a CLI reads, and that something of ours is written into.
pub(crate) struct CliFile {
    /// The CLI's folder below the person's home, and where the environment has moved it to.
    pub(crate) folder: &'static str,
    pub(crate) moved: for<'a> fn(&Roots<'a>) -> Option<&'a Path>,
    /// The file within that folder.
    pub(crate) user: &'static str,
    /// The files below the project's folder.
    pub(crate) project: Option<&'static str>,
    pub(crate) local: Option<&'static str>,
    pub(crate) contents: Contents,
}

pub(crate) enum Contents {
    Hooks(&'static Layout),
    /// What says that the folder is a plugin.
    Manifest,
    /// A program of ours that the CLI loads.
    Extension(&'static Extension),
    /// Configuration with our MCP server in it.
    Server(Shape),
}

/// A file to be changed: the caller reads it, hands its text over, and writes what comes back.
pub struct Place {
    pub path: PathBuf,
    /// The folder it is found from, which is the person's. Those between the two are made where they are missing, and to be
    /// taken away once they are empty.
    pub root: PathBuf,
    file: &'static CliFile,
}

impl Driver {
    /// The files to change for this scope; none where the CLI has no such scope or its folder is not known.
    pub fn places(&self, scope: Scope, roots: &Roots<'_>) -> Vec<Place> {
        self.files.iter().filter_map(|file| file.place(scope, roots)).collect()
    }

    /// Where an MCP server is written down for all that a person does; `None` where the folder is not known.
    pub fn mcp_place(&self, roots: &Roots<'_>) -> Option<Place> {
        self.mcp.as_ref()?.place(Scope::User, roots)
    }
}

impl CliFile {
    fn place(&'static self, scope: Scope, roots: &Roots<'_>) -> Option<Place> {
        let (root, below) = match scope {
            Scope::User => match (self.moved)(roots) {
                Some(moved) => (moved, PathBuf::from(self.user)),
                None => (roots.home?, Path::new(self.folder).join(self.user)),
            },
            Scope::Project => (roots.project?, self.project?.into()),
            Scope::Local => (roots.project?, self.local?.into()),
        };
        Some(Place { path: root.join(&below), root: root.to_owned(), file: self })
    }
}

impl Place {
    /// The file's new text, with our hooks in it. `sb` is the full path of the program.
    pub fn install(&self, existing: Option<&str>, sb: &str) -> Result<String, InstallError> {
        match &self.file.contents {
            Contents::Hooks(layout) => merge::install(layout, existing, sb),
            Contents::Manifest => {
                if let Some(existing) = existing
                    && !is_our_manifest(existing)?
                {
                    return Err(InstallError::NotOurs("it has no `name` that is `signalbox`"));
                }
                Ok(manifest())
            }
            Contents::Extension(row) => extension::install(row, existing, sb),
            Contents::Server(shape) => shape.install(existing, sb),
        }
    }

    /// The file's text without our hooks, which is the text before they were installed; `None` where there was no
    /// file then, so that it should be removed.
    pub fn uninstall(&self, existing: &str) -> Result<Option<String>, InstallError> {
        match &self.file.contents {
            Contents::Hooks(layout) => merge::uninstall(layout, existing),
            Contents::Manifest => {
                Ok(if is_our_manifest(existing)? { None } else { Some(existing.to_owned()) })
            }
            Contents::Extension(_) => Ok(extension::uninstall(existing)),
            Contents::Server(shape) => shape.uninstall(existing),
        }
    }

    pub fn status(&self, existing: Option<&str>) -> Result<Installed, InstallError> {
        match (&self.file.contents, existing) {
            (_, None) => Ok(Installed::Absent),
            (Contents::Hooks(layout), Some(existing)) => merge::status(layout, existing),
            (Contents::Manifest, Some(existing)) if !is_our_manifest(existing)? => Ok(Installed::Absent),
            (Contents::Manifest, Some(existing)) if existing == manifest() => {
                Ok(Installed::Ours { program: String::new(), complete: true })
            }
            (Contents::Manifest, Some(_)) => Ok(Installed::Outdated { programs: Vec::new() }),
            (Contents::Extension(row), Some(existing)) => Ok(extension::status(row, existing)),
            (Contents::Server(shape), Some(existing)) => shape.status(existing),
        }
    }

    /// What the CLI starts for our hook on this event, as the file has it: a program and its arguments.
    pub fn started(&self, existing: &str, kind: HookKind) -> Result<Option<Vec<String>>, InstallError> {
        let Contents::Hooks(layout) = &self.file.contents else { return Ok(None) };
        let Some(event) = layout.events.iter().find(|event| event.kind == kind) else { return Ok(None) };
        let ours = merge::ours_with_groups(existing)?;
        let hook =
            ours.iter().map(|(hook, _)| hook).find(|hook| hook.wire == event.wire && hook.for_everything);
        Ok(hook.and_then(|hook| super::ours::started(&hook.value)))
    }

    /// Whether hooks are in it, and not only what belongs to them.
    pub fn holds_hooks(&self) -> bool {
        matches!(self.file.contents, Contents::Hooks(_))
    }
}

fn manifest() -> String {
    let whole = json!({
        "name": "signalbox",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Signalbox's hooks: every tool call is seen, and what must not happen is stopped",
    });
    format!("{whole:#}\n")
}

fn is_our_manifest(text: &str) -> Result<bool, InstallError> {
    let root = merge::root(text)?;
    let name = root.as_ref().and_then(|root| root.member("name")).map(super::Node::to_value);
    Ok(name == Some(Value::String("signalbox".to_owned())))
}
