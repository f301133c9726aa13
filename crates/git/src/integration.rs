//! The integration repository: ours alone, bare, where branches are gathered, merged and kept.

use std::path::{Path, PathBuf};

use signalbox_core::Refusal;

use crate::Result;
use crate::borrowed::{self, Format, RefStorage};
use crate::disk;
use crate::error::Doing;
use crate::names::{BranchName, ObjectFormat};
use crate::run::{Git, Place};

/// What stands in `info/attributes`, which has the last word: merging, comparing and keeping see bytes as they are. Only
/// checking files out heeds the tree's own attributes, and does so with another git directory.
const NO_ATTRIBUTES: &str =
    "* !text !crlf !eol !ident !filter !working-tree-encoding !merge !diff !conflict-marker-size\n";

/// The integration repository of a project.
#[derive(Debug, Clone)]
pub struct Integration {
    pub(crate) place: Place,
    pub(crate) format: ObjectFormat,
}

impl Integration {
    /// The repository at `path`, which is made where there is none. `main` is the branch that its `HEAD` names.
    pub fn create(git: &Git, path: &Path, format: ObjectFormat, main: &BranchName) -> Result<Self> {
        let doing = || format!("make the integration repository {}", path.display());
        if disk::about(&path.join("HEAD")).doing(doing)?.is_none() {
            let making = path.with_extension("making");
            disk::remove_tree(&making).doing(doing)?;
            for folder in ["objects/info", "objects/pack", "refs/heads", "refs/signalbox", "info"] {
                disk::make_dirs(&making.join(folder)).doing(doing)?;
            }
            disk::write_new(&making.join("HEAD"), format!("ref: refs/heads/{main}\n").as_bytes())
                .doing(doing)?;
            let config = borrowed::config(Format { objects: format, refs: RefStorage::Files });
            disk::write_new(&making.join("config"), config.as_bytes()).doing(doing)?;
            match disk::rename_to_new(&making, path) {
                // Somebody else was quicker.
                Err(_) if path.join("HEAD").is_file() => {}
                result => result.doing(doing)?,
            }
        }
        Self::open(git, path)
    }

    /// The repository at `path`, which must be there.
    pub fn open(git: &Git, path: &Path) -> Result<Self> {
        let doing = || format!("open the integration repository {}", path.display());
        if !path.join("HEAD").is_file() {
            return Err(Refusal::not_found(
                "git.no-integration",
                format!("there is no integration repository at {}", path.display()),
            )
            .into());
        }
        let path = path.canonicalize().doing(doing)?;
        let format = Format::of(git, &path.join("config"))?.objects;
        let integration = Self { place: Place { git: git.clone(), dir: path }, format };
        integration.settle().doing(doing)?;
        Ok(integration)
    }

    /// Bring what surrounds the history to what this version wants.
    fn settle(&self) -> std::io::Result<()> {
        let config = borrowed::config(Format { objects: self.format, refs: RefStorage::Files });
        disk::settle(&self.place.dir.join("config"), config.as_bytes())?;
        disk::make_dirs(&self.place.dir.join("info"))?;
        disk::settle(&self.place.dir.join("info/attributes"), NO_ATTRIBUTES.as_bytes())?;
        let checkout = self.own("checkout");
        disk::make_dirs(&checkout.join("refs"))?;
        disk::settle(&checkout.join("HEAD"), b"ref: refs/signalbox/none\n")?;
        disk::settle(&checkout.join("config"), config.as_bytes())?;
        // Relative, so that the home can be moved.
        disk::link(Path::new("../../objects"), &checkout.join("objects"))
    }

    pub fn path(&self) -> &Path {
        &self.place.dir
    }

    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    pub(crate) fn git(&self) -> &Git {
        &self.place.git
    }

    /// A place for what belongs to it and is not history.
    pub(crate) fn own(&self, name: &str) -> PathBuf {
        self.place.dir.join("signalbox").join(name)
    }

    /// A git directory with the same objects that heeds the attributes in a tree: line ends and encodings are as a person
    /// would get them. Filters are not, because no configuration of ours defines one.
    pub(crate) fn checkout(&self) -> Place {
        Place { git: self.git().clone(), dir: self.own("checkout") }
    }

    /// Put loose objects and refs into packs. Nothing is thrown away: workspaces borrow what no ref names.
    pub fn pack(&self) -> Result<()> {
        self.place.call("pack objects", ["repack", "-d", "-l", "-q"]).at_length().output()?;
        self.place.call("pack refs", ["pack-refs", "--all"]).output()?;
        Ok(())
    }
}
