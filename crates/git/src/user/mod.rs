//! The user's repository: their refs and objects, never their configuration or hooks.

mod advance;
mod checkouts;
mod facts;
mod outcome;

use std::path::{Path, PathBuf};

use signalbox_core::Refusal;

use crate::Result;
use crate::borrowed::{self, Format, GitDirs};
use crate::disk;
use crate::error::GitError;
use crate::integration::Integration;
use crate::names::{BranchName, ObjectFormat, Oid, RefName};
use crate::refs::{self, RefChange};
use crate::run::{Git, Place};

pub use facts::Facts;
pub use outcome::{Advanced, LeftAlone};

/// The repository that a person works in, seen from outside.
#[derive(Debug, Clone)]
pub struct UserRepository {
    git: Git,
    /// The top of the checkout that was asked for.
    top: PathBuf,
    dirs: GitDirs,
    format: Format,
}

impl UserRepository {
    /// The repository that a directory is in. Refused with a sentence where nothing can be done with it.
    pub fn open(git: &Git, directory: &Path) -> Result<Self> {
        let top =
            directory.ancestors().find(|above| disk::about(&above.join(".git")).is_ok_and(|it| it.is_some()));
        let Some(top) = top else {
            let bare = directory.join("HEAD").is_file() && directory.join("objects").is_dir();
            return Err(if bare {
                Refusal::new(
                    "git.bare",
                    format!("{} is a bare repository: it has no files to work on", directory.display()),
                )
                .hint("Use a checkout of it: `git clone <here> <elsewhere>`.")
            } else {
                Refusal::not_found(
                    "git.no-repository",
                    format!("{} is not in a git repository", directory.display()),
                )
                .hint("`git init` makes one, and it needs a first commit.")
            }
            .into());
        };
        let dirs = GitDirs::of(top).filter(|dirs| dirs.common.join("objects").is_dir()).ok_or_else(|| {
            Refusal::new(
                "git.broken-repository",
                format!("{} names a git directory that is not there", top.join(".git").display()),
            )
            .hint("If a worktree was moved by hand, `git worktree repair` in the repository mends it.")
        })?;
        let config = dirs.common.join("config");
        let format = Format::of(git, &config)?;
        let repository = Self { git: git.clone(), top: top.to_owned(), dirs, format };
        repository.refuse_half_a_history(&config)?;
        Ok(repository)
    }

    fn refuse_half_a_history(&self, config: &Path) -> Result<()> {
        if self.git.setting(config, "core.bare")?.as_deref() == Some("true")
            && self.dirs.own == self.dirs.common
        {
            return Err(Refusal::new(
                "git.bare",
                format!("{} is set to be bare: it has no files to work on", self.top.display()),
            )
            .hint("`git config core.bare false`, if that is a mistake.")
            .into());
        }
        if disk::small_text(&self.dirs.common.join("shallow")).is_some_and(|text| !text.trim().is_empty()) {
            return Err(Refusal::new(
                "git.shallow",
                format!("{} has only part of its history", self.top.display()),
            )
            .hint("`git fetch --unshallow` brings the rest.")
            .into());
        }
        let packs = std::fs::read_dir(self.dirs.common.join("objects/pack")).into_iter().flatten().flatten();
        if packs.into_iter().any(|file| file.path().extension().is_some_and(|end| end == "promisor")) {
            return Err(Refusal::new(
                "git.partial",
                format!("{} has only part of its files", self.top.display()),
            )
            .hint("Clone it anew without `--filter`.")
            .into());
        }
        Ok(())
    }

    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where a remote is: where it is read from, and where it is pushed to. Nothing that the configuration includes is read.
    pub fn remote(&self, name: &str) -> Result<Option<(String, String)>> {
        let mut settings = self.git.settings(&self.dirs.common.join("config"))?;
        let mut setting = |key: &str| settings.remove(&format!("remote.{name}.{key}").to_ascii_lowercase());
        let pushed = setting("pushurl");
        Ok(setting("url").map(|url| (url.clone(), pushed.unwrap_or(url))))
    }

    pub fn object_format(&self) -> ObjectFormat {
        self.format.objects
    }

    /// Which branch is main: the one that is named, or what the remote says, or `main`, or `master`.
    pub fn main_branch(&self, integration: &Integration, named: Option<&BranchName>) -> Result<BranchName> {
        let view = self.view(integration)?;
        let mut tried = Vec::new();
        let remote = disk::small_text(&self.dirs.common.join("refs/remotes/origin/HEAD"));
        let remote = remote.as_deref().and_then(|text| text.trim().strip_prefix("ref: refs/remotes/origin/"));
        let usual =
            remote.into_iter().chain(["main", "master"]).filter_map(|name| BranchName::of_user(name).ok());
        let names: Vec<BranchName> = named.map_or_else(|| usual.collect(), |named| vec![named.clone()]);
        for name in names {
            if refs::at(&view, &name.as_ref_name())?.is_some() {
                return Ok(name);
            }
            if !tried.contains(&name) {
                tried.push(name);
            }
        }
        let any = refs::list(&view, "refs/heads")?;
        let tried: Vec<String> = tried.iter().map(|name| format!("`{name}`")).collect();
        let tried = tried.join(", ");
        Err(if any.is_empty() {
            Refusal::new("git.unborn", format!("{} has no commit yet", self.top.display()))
                .hint("Make a first one: `git commit --allow-empty -m \"Begin\"`.")
        } else {
            Refusal::not_found(
                "git.no-main",
                format!("{} has no main branch: looked for {tried}", self.top.display()),
            )
            .hint("Say which branch it is: `main = \"…\"` in `.signalbox/project.toml`.")
        }
        .into())
    }

    /// Where a branch is.
    pub fn branch(&self, integration: &Integration, branch: &BranchName) -> Result<Option<Oid>> {
        refs::at(&self.view(integration)?, &branch.as_ref_name())
    }

    /// Copy a branch, with all it needs, into the integration repository, where `refs/signalbox/user/…` names it.
    pub fn import(&self, integration: &Integration, branch: &BranchName) -> Result<Oid> {
        let view = self.view(integration)?;
        let tip = refs::at(&view, &branch.as_ref_name())?.ok_or_else(|| {
            Refusal::not_found("git.no-branch", format!("{} has no branch {branch}", self.top.display()))
        })?;
        let name = imported(branch);
        if integration.ref_at(&name)?.as_ref() != Some(&tip) {
            let doing = format!("fetch {branch} from {}", self.top.display());
            borrowed::fetch(&integration.place, &view.dir, &[tip.to_string()], &doing)?;
            integration.set_ref(&name, &tip)?;
        }
        Ok(tip)
    }

    /// Copy a commit, with all it needs, into the integration repository, where it gets this name. Says whether it is there
    /// to be had.
    pub fn fetch_as(&self, integration: &Integration, commit: &Oid, name: &RefName) -> Result<bool> {
        let doing = format!("fetch {commit} from {}", self.top.display());
        borrowed::fetch_as(&integration.place, &self.view(integration)?, commit, name, &doing)
    }

    /// The same for several commits at once: all of them, or an error.
    pub fn fetch_all_as(&self, integration: &Integration, wanted: &[(Oid, RefName)]) -> Result<()> {
        let doing = format!("fetch from {}", self.top.display());
        let specs: Vec<String> = wanted.iter().map(|(commit, name)| format!("+{commit}:{name}")).collect();
        borrowed::fetch(&integration.place, &self.view(integration)?.dir, &specs, &doing)
    }

    /// Copy a commit, with all it needs, into the user's repository, where `refs/signalbox/main` names it. No branch of
    /// theirs is touched.
    pub fn publish(&self, integration: &Integration, commit: &Oid) -> Result<()> {
        let view = self.view(integration)?;
        let name = RefName::ours("main");
        let there = refs::at(&view, &name)?;
        if there.as_ref() == Some(commit) {
            return Ok(());
        }
        let doing = format!("copy main to {}", self.top.display());
        borrowed::fetch(&view, integration.path(), &[format!("+{commit}:{name}")], &doing)
    }

    fn move_ref(&self, view: &Place, name: &RefName, new: &Oid, expected: Option<&Oid>) -> Result<()> {
        let change = RefChange { name: name.clone(), new: Some(new.clone()), expected: expected.cloned() };
        refs::update(view, &self.format.objects.zero(), &[change])
    }

    /// A git directory of ours that borrows the user's refs and objects.
    fn view(&self, integration: &Integration) -> Result<Place> {
        if self.format.objects != integration.format() {
            return Err(GitError::failed("read the user's repository", "it uses other hashes than ours"));
        }
        borrowed::borrow(&self.git, &integration.own("user"), &self.dirs.common)
    }
}

/// The ref that a branch of the user's has in the integration repository.
fn imported(branch: &BranchName) -> RefName {
    RefName::ours(format_args!("user/{branch}"))
}
