//! Moving main, by compare-and-set, to a tree that was validated and to no other; and then the person's own main, where
//! that disturbs nobody.

use std::sync::PoisonError;

use signalbox_core::Refusal;
use signalbox_git::{Advanced, GitError, Oid};

use crate::error::Failed;
use crate::site::Site;

/// What came of it.
#[derive(Debug)]
pub enum Moved {
    /// Main is where it should be.
    There,
    /// Somebody else moved it meanwhile.
    Elsewhere,
}

/// Move main from one commit to another whose tree is exactly this one.
pub fn land(site: &Site, from: &Oid, to: &Oid, tree: &Oid) -> Result<Moved, Failed> {
    let chain = site.integration.chain(from, to)?;
    let is_on_top = chain.windows(2).all(|pair| pair[0].1 == [pair[1].0.clone()])
        && chain.last().is_some_and(|(_, parents, _)| parents == std::slice::from_ref(from));
    let found = chain.first().filter(|(commit, ..)| commit == to).map(|(.., found)| found);
    if found != Some(tree) || !is_on_top {
        let message = format!("{to} is not what was validated on top of {from}: its tree is to be {tree}");
        return Err(Refusal::new("merge.other-tree", message)
            .hint("Nothing was moved. `sb queue` shows what waits; it will be built anew.")
            .into());
    }
    match site.integration.update_ref(&site.main_ref(), to, Some(from)) {
        Ok(()) => Ok(Moved::There),
        Err(GitError::Moved { found: Some(found), .. }) if found == *to => Ok(Moved::There),
        Err(GitError::Moved { .. }) => Ok(Moved::Elsewhere),
        Err(other) => Err(other.into()),
    }
}

/// Bring the person's repository after ours. What is in their way is left alone, and told.
pub fn follow(site: &Site) -> Result<Advanced, Failed> {
    let _alone = site.following.lock().unwrap_or_else(PoisonError::into_inner);
    let tip = site.tip()?;
    Ok(site.user.advance(&site.integration, &site.main, &tip)?)
}
