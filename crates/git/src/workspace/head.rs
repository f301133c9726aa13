//! Where a workspace's branch is, and bringing it into the integration repository.

use std::path::Path;

use super::Workspace;
use crate::Result;
use crate::borrowed;
use crate::disk;
use crate::names::{Oid, RefName};
use crate::run::Place;

/// What a workspace stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// On its branch, as it should be.
    OnBranch {
        tip: Oid,
    },
    /// Somebody switched to another branch. `own` is where its own branch is.
    OtherBranch {
        branch: String,
        tip: Option<Oid>,
        own: Option<Oid>,
    },
    Detached {
        tip: Oid,
        own: Option<Oid>,
    },
    /// It is on its branch, or on nothing, and the branch is not there.
    BranchGone,
    /// The directory is there, its `.git` is not, or is no directory of its own any more.
    GitGone,
    /// The directory is not there.
    Gone,
}

impl Head {
    /// Where its own branch is.
    pub fn own_tip(&self) -> Option<&Oid> {
        match self {
            Self::OnBranch { tip } => Some(tip),
            Self::OtherBranch { own, .. } | Self::Detached { own, .. } => own.as_ref(),
            Self::BranchGone | Self::GitGone | Self::Gone => None,
        }
    }

    /// What its files stand on.
    pub fn tip(&self) -> Option<&Oid> {
        match self {
            Self::OnBranch { tip } | Self::Detached { tip, .. } => Some(tip),
            Self::OtherBranch { tip, .. } => tip.as_ref(),
            Self::BranchGone | Self::GitGone | Self::Gone => None,
        }
    }
}

impl Workspace {
    /// What it stands on, read without running git in it.
    pub fn head(&self) -> Result<Head> {
        if !disk::is_real_dir(self.path()) {
            return Ok(Head::Gone);
        }
        let Some(view) = self.view()? else { return Ok(Head::GitGone) };
        let own_ref = self.branch().as_ref_name();
        let refs = tips(&view)?;
        let at = |name: &str| refs.iter().find(|(there, _)| there == name).map(|(_, oid)| oid.clone());
        let own = at(own_ref.as_str());
        Ok(match self.head_text(self.path(), &view)? {
            Some(HeadText::Ref(name)) if name == own_ref.as_str() => {
                own.map_or(Head::BranchGone, |tip| Head::OnBranch { tip })
            }
            Some(HeadText::Ref(name)) => {
                let branch = name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
                Head::OtherBranch { branch, tip: at(&name), own }
            }
            Some(HeadText::Commit(tip)) => Head::Detached { tip, own },
            None => Head::BranchGone,
        })
    }

    pub(super) fn head_text(&self, directory: &Path, view: &Place) -> Result<Option<HeadText>> {
        let file = directory.join(".git/HEAD");
        if view.dir.join("reftable").exists() {
            let (code, name) = view.call("read HEAD", ["symbolic-ref", "-q", "HEAD"]).ending(&[0, 1, 128])?;
            if code == 0 {
                return Ok(Some(HeadText::Ref(String::from_utf8_lossy(name.trim_ascii_end()).into_owned())));
            }
            let (_, oid) =
                view.call("read HEAD", ["rev-parse", "--verify", "-q", "HEAD"]).ending(&[0, 1, 128])?;
            return Ok(Oid::parse_bytes(oid.trim_ascii_end()).map(HeadText::Commit));
        }
        // Very old gits had a link in its place, and one made by hand still counts for git.
        if let Ok(target) = std::fs::read_link(&file) {
            return Ok(target
                .to_str()
                .filter(|to| to.starts_with("refs/"))
                .map(|to| HeadText::Ref(to.to_owned())));
        }
        let Some(text) = disk::small_text(&file) else { return Ok(None) };
        Ok(match text.strip_prefix("ref:") {
            Some(name) => Some(HeadText::Ref(name.trim().to_owned())),
            None => Oid::parse(text.trim()).map(HeadText::Commit),
        })
    }

    /// Bring its branch into the integration repository, where [`Workspace::fetched`] names it, and say where it is.
    /// `None`: the branch, or all of it, is gone.
    pub fn fetch(&self) -> Result<Option<Oid>> {
        let Some(tip) = self.head()?.own_tip().cloned() else { return Ok(None) };
        if self.last_tip()?.as_ref() != Some(&tip) {
            self.fetch_objects(&self.own("view"), std::slice::from_ref(&tip))?;
            self.note_fetched(&tip)?;
        }
        Ok(Some(tip))
    }

    /// Bring one commit of it, with all that it needs, into the integration repository, where it gets this name. Says
    /// whether it is there to be had.
    pub fn fetch_as(&self, commit: &Oid, name: &RefName) -> Result<bool> {
        let Some(view) = self.view()? else { return Ok(false) };
        let doing = format!("fetch {commit} from {}", self.path().display());
        borrowed::fetch_as(&self.integration.place, &view, commit, name, &doing)
    }

    /// The ref that holds its branch as it was last fetched.
    pub fn fetched(&self) -> RefName {
        self.own_ref("branch")
    }

    /// Where its branch was when it was last fetched.
    pub fn last_tip(&self) -> Result<Option<Oid>> {
        self.integration.ref_at(&self.fetched())
    }

    pub(super) fn note_fetched(&self, tip: &Oid) -> Result<()> {
        let name = self.fetched();
        let before = self.integration.ref_at(&name)?;
        if before.as_ref() == Some(tip) {
            return Ok(());
        }
        if let Some(before) = &before
            && !self.integration.is_ancestor(before, tip)?
        {
            // The branch was rewound or rewritten; what it held before keeps a name.
            self.integration.set_ref(&self.own_ref(&format!("was/{before}")), before)?;
        }
        self.integration.set_ref(&name, tip)
    }

    /// Copy objects, with all they need, from a git directory of ours that borrows somebody else's.
    pub(super) fn fetch_objects(&self, view: &Path, wanted: &[Oid]) -> Result<()> {
        let specs: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let doing = format!("fetch from {}", self.path().display());
        borrowed::fetch(&self.integration.place, view, &specs, &doing)
    }
}

/// What `HEAD` says.
pub(super) enum HeadText {
    Ref(String),
    Commit(Oid),
}

/// All refs, by whatever names they have.
pub(super) fn tips(view: &Place) -> Result<Vec<(String, Oid)>> {
    let format = "--format=%(objectname) %(refname)";
    let output = view.call("list refs", ["for-each-ref", format]).output()?;
    let lines = output.split(|b| *b == b'\n');
    Ok(lines
        .filter_map(|line| {
            let space = line.iter().position(|b| *b == b' ')?;
            let (oid, name) = line.split_at(space);
            Some((String::from_utf8_lossy(name.trim_ascii()).into_owned(), Oid::parse_bytes(oid)?))
        })
        .collect())
}
