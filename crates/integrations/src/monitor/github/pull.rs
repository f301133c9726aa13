//! What becomes of the pull request.

use serde::Deserialize;
use serde_json::json;

use super::Looking;
use super::state::{List, Merge};
use crate::github::client::Answer;
use crate::github::pull::{self, Pull, PullState};
use crate::monitor::Trouble;
use crate::text;

#[derive(Debug, Deserialize)]
struct Wire {
    /// Null while GitHub has not found out yet.
    mergeable: Option<bool>,
    base: Option<WireBase>,
}

#[derive(Debug, Deserialize)]
struct WireBase {
    #[serde(rename = "ref")]
    name: String,
}

impl Looking<'_> {
    /// Look which pull request the branch has. The answer is the event that has to be announced after all others, where
    /// one came to its end.
    pub(super) fn look_at_pull(&mut self) -> Result<Option<&'static str>, Trouble> {
        let found = pull::of_branch(&mut self.client, &self.wanted.place, self.state.pulls_tag.as_deref())?;
        let Some((pulls, tag)) = found else {
            self.look_at_conflicts()?;
            return Ok(None);
        };
        self.state.pulls_tag = tag;
        let before = self.state.pull.take();
        // One that was followed is followed to its end, even where another has taken its place. The next look sees that.
        let followed = before.as_ref().filter(|before| before.state == PullState::Open);
        let ended = pulls.iter().find(|pull| followed.is_some_and(|followed| followed.number == pull.number));
        let ended = ended.filter(|pull| pull.state != PullState::Open);
        let current = pull::current(&pulls);
        if ended.is_some_and(|ended| Some(ended.number) != current.map(|current| current.number)) {
            self.state.pulls_tag = None;
        }
        let now = ended.or(current).cloned();
        let ended = self.ending(before.as_ref(), now.as_ref());
        if before.as_ref().map(|pull| pull.number) != now.as_ref().map(|pull| pull.number) {
            self.state.merge = Merge::default();
            (self.state.reviews, self.state.remarks, self.state.comments) =
                (List::default(), List::default(), List::default());
        }
        self.state.pull = now;
        self.look_at_conflicts()?;
        Ok(ended)
    }

    /// Whether it ended since the last look. One that ended before the first is no news.
    fn ending(&self, before: Option<&Pull>, now: Option<&Pull>) -> Option<&'static str> {
        let now = now.filter(|now| now.state != PullState::Open)?;
        let is_new = match before.filter(|before| before.number == now.number) {
            Some(before) => before.state == PullState::Open,
            None => self.state.since.is_some_and(|since| now.ended.is_some_and(|ended| ended >= since)),
        };
        is_new.then_some(if now.state == PullState::Merged { "pr_merged" } else { "pr_closed" })
    }

    fn look_at_conflicts(&mut self) -> Result<(), Trouble> {
        let Some(number) =
            self.state.pull.as_ref().filter(|pull| pull.state == PullState::Open).map(|p| p.number)
        else {
            return Ok(());
        };
        let path = self.wanted.place.path(&format!("pulls/{number}"));
        let what = format!("pull request #{number}");
        let Answer::Fresh(fresh) = self.client.get(&path, self.state.merge.tag.as_deref(), &what)? else {
            return Ok(());
        };
        let wire: Wire = fresh.read(&what)?;
        let Some(can_be_merged) = wire.mergeable else {
            // It may be found out without another tag.
            self.state.merge.tag = None;
            return Ok(());
        };
        let is_new = !can_be_merged && !self.state.merge.conflicts;
        self.state.merge = Merge { tag: fresh.tag, conflicts: !can_be_merged };
        if is_new {
            let base = wire.base.map(|base| text::line(&base.name, 200)).unwrap_or_default();
            self.announce("pr_conflict", json!({ "base": base }));
        }
        Ok(())
    }
}
