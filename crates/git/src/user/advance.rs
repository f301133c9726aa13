//! Bringing the user's main up to ours, and the files of the checkout that is on it, if nothing of theirs is in the way.
//!
//! The order is such that a kill leaves nothing wrong: first it is written down what is going to happen, then the
//! checkout's index is locked, then the files are moved, then the branch, then the index. Whoever comes next reads what was
//! written down and finishes it. Files are only ever written where they hold exactly what the old commit or the new one
//! has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signalbox_core::Refusal;

use super::UserRepository;
use super::checkouts::{Checkout, Where};
use super::outcome::{Advanced, LeftAlone};
use crate::Result;
use crate::disk;
use crate::error::{Doing, GitError};
use crate::history::{Change, Kind, is_ancestor, parse_changes};
use crate::integration::Integration;
use crate::names::{BranchName, Oid, TreePath};
use crate::refs;
use crate::run::{Place, zero_ended, zero_joined};

/// How a lock of ours begins, so that it is told from one of the user's git.
const OUR_LOCK: &[u8] = b"signalbox is advancing this checkout\n";

/// What is being done, written down before it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Intent {
    branch: BranchName,
    old: Oid,
    new: Oid,
    directory: PathBuf,
    git_dir: PathBuf,
}

/// Whether a path of a checkout is as the old commit has it, the new one, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
    Neither,
}

impl UserRepository {
    /// Bring the user's branch forward to a commit of ours. `refs/signalbox/main` is set in any case. Only one process may
    /// do this at a time.
    pub fn advance(&self, integration: &Integration, branch: &BranchName, commit: &Oid) -> Result<Advanced> {
        self.finish(integration)?;
        self.publish(integration, commit)?;
        let view = self.view(integration)?;
        let name = branch.as_ref_name();
        let Some(old) = refs::at(&view, &name)? else {
            return Err(Refusal::not_found(
                "git.no-branch",
                format!("{} has no branch {branch}", self.top.display()),
            )
            .into());
        };
        if old == *commit {
            return Ok(Advanced::Already);
        }
        if !is_ancestor(&view, &old, commit)? {
            return Ok(Advanced::LeftAlone(LeftAlone::Diverged { branch: branch.clone() }));
        }
        let checkouts = match self.checkouts_of(&view, branch)? {
            Where::In(checkouts) => checkouts,
            Where::Unknown(checkout) => {
                let why =
                    "it has worktrees and keeps its refs in tables, so nobody can tell which is on main"
                        .to_owned();
                return Ok(Advanced::LeftAlone(LeftAlone::Special { checkout, why }));
            }
        };
        let checkout = match checkouts.as_slice() {
            [] => {
                self.move_ref(&view, &name, commit, Some(&old))?;
                return Ok(Advanced::Branch);
            }
            [one] => one.clone(),
            several => {
                let checkouts = several.iter().map(|checkout| checkout.directory.clone()).collect();
                return Ok(Advanced::LeftAlone(LeftAlone::Several { branch: branch.clone(), checkouts }));
            }
        };
        let intent = Intent {
            branch: branch.clone(),
            old,
            new: commit.clone(),
            directory: checkout.directory.clone(),
            git_dir: checkout.git_dir.clone(),
        };
        let changes = changes(&view, &intent)?;
        if let Some(why) = self.why_not(&view, &checkout, &changes, &intent)? {
            return Ok(Advanced::LeftAlone(why));
        }
        let note = integration.own("advancing.json");
        let json = serde_json::to_vec(&intent)
            .map_err(|error| GitError::failed("advance main", error.to_string()))?;
        disk::replace(&note, &json).doing(|| format!("write {}", note.display()))?;
        let outcome = self.carry_out(integration, &view, &intent, &changes, Clean::Checked);
        disk::remove_file(&note).doing(|| format!("remove {}", note.display()))?;
        Ok(match outcome? {
            None => Advanced::Checkout(intent.directory),
            Some(why) => Advanced::LeftAlone(why),
        })
    }

    /// Finish what somebody was killed over.
    fn finish(&self, integration: &Integration) -> Result<()> {
        let note = integration.own("advancing.json");
        let doing = || format!("read {}", note.display());
        let Some(json) = disk::read_plain(&note, 1 << 20).doing(doing)? else { return Ok(()) };
        if let Ok(intent) = serde_json::from_slice::<Intent>(&json) {
            let view = self.view(integration)?;
            let changes = changes(&view, &intent)?;
            self.carry_out(integration, &view, &intent, &changes, Clean::Unknown)?;
        }
        disk::remove_file(&note).doing(doing)
    }

    /// What speaks against moving the files of a checkout. Nothing is changed to find out.
    fn why_not(
        &self,
        view: &Place,
        checkout: &Checkout,
        changes: &[Change],
        intent: &Intent,
    ) -> Result<Option<LeftAlone>> {
        let directory = checkout.directory.clone();
        let special =
            |why: &str| Ok(Some(LeftAlone::Special { checkout: directory.clone(), why: why.to_owned() }));
        if let Some(what) = checkout.unfinished() {
            return Ok(Some(LeftAlone::Unfinished { checkout: directory, what }));
        }
        if disk::about(&checkout.git_dir.join("index.lock")).is_ok_and(|it| it.is_some()) {
            return Ok(Some(LeftAlone::Locked { checkout: directory }));
        }
        if changes.iter().any(Change::is_submodule) {
            return special("a submodule changed");
        }
        let configs = [self.dirs.common.join("config"), checkout.git_dir.join("config.worktree")];
        for config in &configs {
            let settings = self.git.settings(config)?;
            for (setting, why) in [
                ("core.sparsecheckout", "it is a sparse checkout"),
                ("core.splitindex", "its index is split"),
                ("core.autocrlf", "it converts line ends"),
                ("core.worktree", "its files are elsewhere"),
            ] {
                let value = settings.get(setting);
                if value.is_some_and(|value| !matches!(value.as_str(), "false" | "no" | "0" | "off")) {
                    return special(why);
                }
            }
        }
        let own_attributes = disk::small_text(&self.dirs.common.join("info/attributes"));
        if own_attributes.is_some_and(|text| text.contains("filter")) || filtered(view, changes, intent)? {
            return special("a filter such as Git LFS has to treat files that changed");
        }
        Ok(None)
    }

    /// Move files, branch and index. `None`: all of it is done.
    fn carry_out(
        &self,
        integration: &Integration,
        view: &Place,
        intent: &Intent,
        changes: &[Change],
        clean: Clean,
    ) -> Result<Option<LeftAlone>> {
        let locked = || Ok(Some(LeftAlone::Locked { checkout: intent.directory.clone() }));
        let Some(lock) = Lock::take(&intent.git_dir)? else { return locked() };
        let work = Work { view, intent, changes, index: integration.own("advance.index") };
        let outcome = work.files(&intent.git_dir, clean)?;
        if outcome.is_some() {
            lock.release()?;
            return Ok(outcome);
        }
        let name = intent.branch.as_ref_name();
        match self.move_ref(view, &name, &intent.new, Some(&intent.old)) {
            Ok(()) => {}
            // It was moved before we were killed.
            Err(GitError::Moved { found, .. }) if found.as_ref() == Some(&intent.new) => {}
            Err(error) => {
                // Somebody else moved the branch: the files go back to what the index says.
                work.write_files(Side::Old)?;
                lock.release()?;
                return Err(error);
            }
        }
        lock.release_with(&work.index)?;
        Ok(None)
    }
}

/// Whether the checkout is known to hold the old commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clean {
    /// It must, all of it: nothing was begun.
    Checked,
    /// Each file that is to change may be old or new: something was begun.
    Unknown,
}

/// The files that move, and the index that describes them.
struct Work<'a> {
    view: &'a Place,
    intent: &'a Intent,
    changes: &'a [Change],
    index: PathBuf,
}

impl Work<'_> {
    fn doing(&self) -> String {
        format!("bring {} up to date", self.intent.directory.display())
    }

    fn call(&self, words: &[&str]) -> crate::run::Call {
        self.view.call(self.doing(), words).on_files(&self.intent.directory).index(&self.index).at_length()
    }

    fn files(&self, git_dir: &Path, clean: Clean) -> Result<Option<LeftAlone>> {
        let checkout = || self.intent.directory.clone();
        disk::remove_file(&self.index.with_extension("index.lock")).doing(|| self.doing())?;
        disk::copy(&git_dir.join("index"), &self.index).doing(|| self.doing())?;
        // Not quietly: then it would not tell whether a file differs.
        let (differs, _) = self.call(&["update-index", "--refresh"]).ending(&[0, 1])?;
        if clean == Clean::Checked {
            let staged: &[&str] = &["diff-index", "--cached", "--name-only", "-z", self.intent.old.as_str()];
            let unstaged: &[&str] = &["diff-files", "--name-only", "-z"];
            // Where refreshing found nothing, there is nothing to be named.
            for words in [staged].into_iter().chain((differs != 0).then_some(unstaged)) {
                let output = self.call(words).output()?;
                if let Some(first) = zero_ended(&output).next() {
                    let first = TreePath::new(first).to_string();
                    return Ok(Some(LeftAlone::Dirty { checkout: checkout(), first }));
                }
            }
        }
        for change in self.changes {
            let path = change.path.to_string();
            match clean {
                // What git knows is as it should be, so only what it does not know can be in the way.
                Clean::Checked if change.kind == Kind::Added && self.is_in_the_way(change)? => {
                    return Ok(Some(LeftAlone::InTheWay { checkout: checkout(), path }));
                }
                Clean::Unknown if self.side(change)? == Side::Neither => {
                    return Ok(Some(LeftAlone::Disturbed { checkout: checkout(), path }));
                }
                Clean::Checked | Clean::Unknown => {}
            }
        }
        self.write_files(Side::New)?;
        Ok(None)
    }

    /// Whether something is where a new file would go, that does not go itself.
    fn is_in_the_way(&self, change: &Change) -> Result<bool> {
        let goes = |path: &Path| {
            self.changes.iter().any(|other| other.kind == Kind::Deleted && other.path.as_path() == path)
        };
        let root = &self.intent.directory;
        for path in change.path.as_path().ancestors().filter(|path| !path.as_os_str().is_empty()) {
            let about = disk::about(&root.join(path)).doing(|| self.doing())?;
            let stays = match about {
                None => false,
                Some(about) if !about.is_dir() => !goes(path),
                // A folder in the place of a file goes if all that is in it does.
                Some(_) => path == change.path.as_path() && !self.all_goes(path)?,
            };
            if stays {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn all_goes(&self, folder: &Path) -> Result<bool> {
        for entry in std::fs::read_dir(self.intent.directory.join(folder)).doing(|| self.doing())? {
            let entry = entry.doing(|| self.doing())?;
            let path = folder.join(entry.file_name());
            let goes = if entry.file_type().doing(|| self.doing())?.is_dir() {
                self.all_goes(&path)?
            } else {
                self.changes.iter().any(|other| other.kind == Kind::Deleted && other.path.as_path() == path)
            };
            if !goes {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a path holds, without following a link.
    fn side(&self, change: &Change) -> Result<Side> {
        let found = self.object_at(change)?;
        Ok(match found {
            found if found == change.old.clone().map(|oid| (change.old_mode, oid)) => Side::Old,
            found if found == change.new.clone().map(|oid| (change.new_mode, oid)) => Side::New,
            _ => Side::Neither,
        })
    }

    /// The mode and object that a path has on the disk, as git would store it.
    fn object_at(&self, change: &Change) -> Result<Option<(u32, Oid)>> {
        use std::os::unix::fs::PermissionsExt;
        let unknown = || Ok(Some((0, self.intent.old.clone())));
        let path = disk::below(&self.intent.directory, change.path.as_bytes());
        if !real_parents(&self.intent.directory, change.path.as_path()) {
            return Ok(None);
        }
        let Some(about) = disk::about(&path).doing(|| self.doing())? else { return Ok(None) };
        if about.file_type().is_symlink() {
            let target =
                std::fs::read_link(&path).doing(|| self.doing())?.into_os_string().into_encoded_bytes();
            let oid = self.view.call(self.doing(), ["hash-object", "--stdin"]).reading(target).oid()?;
            return Ok(Some((0o120_000, oid)));
        }
        if about.is_dir() {
            // Files of the new commit may be in it, in the place of one of the old commit's.
            return if self.changes.iter().any(|other| {
                other.path.as_path() != change.path.as_path()
                    && other.path.as_path().starts_with(change.path.as_path())
            }) {
                Ok(None)
            } else {
                unknown()
            };
        }
        if !about.is_file() || !disk::is_readable(&path) {
            return unknown();
        }
        let mode = if about.permissions().mode() & 0o100 == 0 { 0o100_644 } else { 0o100_755 };
        let words = ["hash-object", "--path"].map(|word| crate::run::word(word.as_bytes()));
        let words = words.into_iter().chain([
            crate::run::word(change.path.as_bytes()),
            "--end-of-options".into(),
            crate::run::word(change.path.as_bytes()),
        ]);
        let oid = self.view.call(self.doing(), words).on_files(&self.intent.directory).at_length().oid()?;
        Ok(Some((mode, oid)))
    }

    /// Make every path that changed what it is on this side, and the index too.
    fn write_files(&self, side: Side) -> Result<()> {
        let of = |change: &Change| {
            if side == Side::New {
                (change.new_mode, change.new.clone())
            } else {
                (change.old_mode, change.old.clone())
            }
        };
        let zero = "0".repeat(self.intent.new.as_str().len());
        let mut entries = Vec::new();
        // What goes comes first: a folder may have to make room for a file.
        for change in self.changes.iter().filter(|change| of(change).1.is_none()) {
            let path = disk::below(&self.intent.directory, change.path.as_bytes());
            if real_parents(&self.intent.directory, change.path.as_path()) && !disk::is_real_dir(&path) {
                disk::remove_file(&path).doing(|| self.doing())?;
                remove_empty_above(&self.intent.directory, &path);
            }
            entries.extend_from_slice(format!("0 {zero}\t").as_bytes());
            entries.extend_from_slice(change.path.as_bytes());
            entries.push(0);
        }
        let staying: Vec<&Change> = self.changes.iter().filter(|change| of(change).1.is_some()).collect();
        for change in &staying {
            if let (mode, Some(oid)) = of(change) {
                entries.extend_from_slice(format!("{mode:o} {oid}\t").as_bytes());
                entries.extend_from_slice(change.path.as_bytes());
                entries.push(0);
            }
        }
        self.call(&["update-index", "-z", "--index-info"]).reading(entries).output()?;
        let paths = zero_joined(staying.iter().map(|change| change.path.as_bytes()));
        self.call(&["checkout-index", "-f", "-u", "-q", "-z", "--stdin"]).reading(paths).output()?;
        Ok(())
    }
}

fn changes(view: &Place, intent: &Intent) -> Result<Vec<Change>> {
    let (old, new) = (intent.old.as_str(), intent.new.as_str());
    let words = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new];
    parse_changes(&view.call("compare two commits", words).output()?)
}

/// Whether any path that changed goes through a filter, before or after.
fn filtered(view: &Place, changes: &[Change], intent: &Intent) -> Result<bool> {
    let paths: BTreeSet<&[u8]> = changes.iter().map(|change| change.path.as_bytes()).collect();
    let is_attributes = |path: &&[u8]| path.rsplit(|b| *b == b'/').next() == Some(b".gitattributes");
    // Where no attributes changed, the two sides say the same.
    let sides =
        if paths.iter().any(is_attributes) { vec![&intent.old, &intent.new] } else { vec![&intent.new] };
    for commit in sides {
        let source = format!("--source={commit}");
        let call = view.call("look for filters", ["check-attr", &source, "--stdin", "-z", "filter"]);
        let output = call.reading(zero_joined(paths.iter().copied())).output()?;
        // Path, attribute, value, each ended by a zero byte.
        let values = output.split(|b| *b == 0).skip(2).step_by(3);
        if values.into_iter().any(|value| !matches!(value, b"unspecified" | b"unset" | b"")) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether all folders above a path are real ones and not links.
fn real_parents(root: &Path, path: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .filter(|above| !above.as_os_str().is_empty())
        .all(|above| disk::is_real_dir(&root.join(above)))
}

fn remove_empty_above(root: &Path, path: &Path) {
    for above in path.ancestors().skip(1).take_while(|above| *above != root) {
        if std::fs::remove_dir(above).is_err() {
            break;
        }
    }
}

/// The lock of a checkout's index, held against the user's own git.
struct Lock {
    file: PathBuf,
    index: PathBuf,
}

impl Lock {
    /// `None`: somebody else has it. One that we left when we were killed is taken over.
    fn take(git_dir: &Path) -> Result<Option<Self>> {
        let lock = Self { file: git_dir.join("index.lock"), index: git_dir.join("index") };
        match disk::write_new(&lock.file, OUR_LOCK) {
            Ok(()) => Ok(Some(lock)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let ours = disk::read_plain(&lock.file, 4096)
                    .ok()
                    .flatten()
                    .is_some_and(|text| OUR_LOCK.starts_with(&text));
                Ok(ours.then_some(lock))
            }
            Err(source) => Err(GitError::Io { doing: format!("lock {}", lock.index.display()), source }),
        }
    }

    fn release(self) -> Result<()> {
        disk::remove_file(&self.file).doing(|| format!("unlock {}", self.index.display()))
    }

    /// The new index takes the place of the old one, and then the lock goes.
    fn release_with(self, new: &Path) -> Result<()> {
        let doing = || format!("write {}", self.index.display());
        let beside = self.index.with_file_name("index.signalbox");
        disk::copy(new, &beside).doing(doing)?;
        disk::rename(&beside, &self.index).doing(doing)?;
        self.release()
    }
}
