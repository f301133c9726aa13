//! The pull request of a branch.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Place;
use super::address::encoded;
use super::client::{Client, Fresh};
use crate::monitor::Trouble;
use crate::text;

/// How many of a branch's pull requests are looked at, the newest first.
const MOST: usize = 10;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PullState {
    #[default]
    Open,
    Closed,
    Merged,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Pull {
    pub number: u64,
    pub title: String,
    pub url: String,
    pub head: String,
    pub state: PullState,
    pub ended: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
struct Wire {
    number: u64,
    title: Option<String>,
    html_url: Option<String>,
    state: String,
    merged_at: Option<String>,
    closed_at: Option<String>,
    head: WireHead,
}

#[derive(Debug, Deserialize)]
struct WireHead {
    sha: String,
}

impl From<Wire> for Pull {
    fn from(wire: Wire) -> Self {
        let state = match (wire.merged_at.is_some(), wire.state.as_str()) {
            (true, _) => PullState::Merged,
            (false, "closed") => PullState::Closed,
            (false, _) => PullState::Open,
        };
        let ended = wire.merged_at.or(wire.closed_at).and_then(|at| at.parse().ok());
        Self {
            number: wire.number,
            title: text::line(&wire.title.unwrap_or_default(), 200),
            url: text::line(&wire.html_url.unwrap_or_default(), 300),
            head: wire.head.sha,
            state,
            ended,
        }
    }
}

/// Pull requests, the newest first, and the tag to ask with the next time.
pub(crate) type Pulls = (Vec<Pull>, Option<String>);

/// The pull requests of the branch; `None`: as at the last time.
pub(crate) fn of_branch(
    client: &mut Client,
    place: &Place,
    tag: Option<&str>,
) -> Result<Option<Pulls>, Trouble> {
    let head = encoded(&format!("{}:{}", place.owner, place.branch));
    let query = format!("pulls?head={head}&state=all&sort=created&direction=desc&per_page={MOST}");
    let what = format!("the pull requests of {}", place.repo);
    let Some(fresh) = client.get_known(&place.path(&query), tag, &what)? else { return Ok(None) };
    let wires: Vec<Wire> = fresh.read(&what)?;
    // A server that does not know the question answers with all there are.
    let pulls = wires.into_iter().take(MOST).map(Pull::from).collect();
    Ok(Some((pulls, fresh.tag)))
}

/// A pull request by its number.
pub(crate) fn by_number(client: &mut Client, place: &Place, number: u64) -> Result<Pull, Trouble> {
    let what = format!("pull request #{number} of {}", place.repo);
    let fresh: Option<Fresh> = client.get_known(&place.path(&format!("pulls/{number}")), None, &what)?;
    let fresh = fresh.ok_or_else(|| Trouble::Passing(format!("GitHub says nothing of {what}")))?;
    Ok(fresh.read::<Wire>(&what)?.into())
}

/// The one that counts: the open one, or else the newest.
pub(crate) fn current(pulls: &[Pull]) -> Option<&Pull> {
    pulls.iter().find(|pull| pull.state == PullState::Open).or_else(|| pulls.first())
}
