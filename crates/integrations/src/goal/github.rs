//! Goals that are reached on GitHub: a merged pull request, a closed issue.

use serde::Deserialize;
use signalbox_core::goal::GoalStatus;

use super::{GoalType, Look, Progress};
use crate::github::pull::{self, PullState};
use crate::github::{self, Place};
use crate::monitor::Trouble;
use crate::settings::{self, BadSettings, Key, Settings};

/// More issues than any repository has.
const MOST_NUMBER: u64 = 1 << 40;

pub const PR_MERGED: GoalType = GoalType {
    name: "github_pr_merged",
    about: "The pull request of the agent's branch is merged; closing it otherwise is failure",
    keys: &[
        Key::optional(
            "repo",
            "The repository, as `owner/name`; that of the agent's remotes unless this is set",
        ),
        Key::optional("branch", "The branch; the agent's unless this is set"),
        Key::optional("pr", "The number of the pull request, instead of the branch"),
        github::FORK,
        github::TOKEN,
        github::API_URL,
    ],
    privileged: false,
    check: check_pull,
    look: Some(look_at_pull),
};

pub const ISSUE_RESOLVED: GoalType = GoalType {
    name: "github_issue_resolved",
    about: "The issue is closed, for whatever reason",
    keys: &[
        Key::required("issue", "The number of the issue"),
        Key::optional(
            "repo",
            "The repository, as `owner/name`; that of the agent's remotes unless this is set",
        ),
        github::TOKEN,
        github::API_URL,
    ],
    privileged: false,
    check: check_issue,
    look: Some(look_at_issue),
};

fn check_pull(settings: &Settings) -> Result<(), BadSettings> {
    settings::number(settings, "pr", 1..=MOST_NUMBER)?;
    check_place(settings)
}

fn check_issue(settings: &Settings) -> Result<(), BadSettings> {
    settings::number(settings, "issue", 1..=MOST_NUMBER)?;
    check_place(settings)
}

/// What is left out is filled in later from where the agent works.
fn check_place(settings: &Settings) -> Result<(), BadSettings> {
    let mut settings = settings.clone();
    settings.entry("repo").or_insert_with(|| "owner/name".into());
    settings::text(&settings, "token")?;
    Place::of(&settings).map(|_| ())
}

fn place(look: &Look<'_>) -> Result<(Settings, Place), Trouble> {
    let settings = github::complete(look.settings.clone(), look.environment);
    if settings.get("repo").is_none_or(serde_json::Value::is_null) {
        return Err(Trouble::Lasting(
            "no remote of the agent's repository leads to GitHub; set `repo` to `owner/name`".to_owned(),
        ));
    }
    let place = Place::of(&settings)?;
    Ok((settings, place))
}

fn look_at_pull(look: &Look<'_>) -> Result<Progress, Trouble> {
    let (settings, place) = place(look)?;
    let mut client = place.client(&settings, None, look.time)?;
    let found = match settings::number(&settings, "pr", 1..=MOST_NUMBER)? {
        Some(number) => Some(pull::by_number(&mut client, &place, number)?),
        None if place.branch.is_empty() => {
            return Err(Trouble::Lasting(
                "the agent is on no branch; set `branch`, or `pr` to the number of the pull request"
                    .to_owned(),
            ));
        }
        None => {
            let (pulls, _) = pull::of_branch(&mut client, &place, None)?.unwrap_or_default();
            pull::current(&pulls).cloned()
        }
    };
    let Some(found) = found else {
        let summary = format!("there is no pull request of {} yet", place.branch);
        return Ok(Progress { status: GoalStatus::Pending, summary: Some(summary) });
    };
    let (status, what) = match found.state {
        PullState::Merged => (GoalStatus::Completed, "is merged"),
        PullState::Closed => (GoalStatus::Failed, "was closed without being merged"),
        PullState::Open => (GoalStatus::InProgress, "is open"),
    };
    let summary = format!("pull request #{} of {} {what}", found.number, place.repo);
    Ok(Progress { status, summary: Some(summary) })
}

#[derive(Debug, Deserialize)]
struct WireIssue {
    state: String,
    state_reason: Option<String>,
}

fn look_at_issue(look: &Look<'_>) -> Result<Progress, Trouble> {
    let (settings, place) = place(look)?;
    let number = settings::number(&settings, "issue", 1..=MOST_NUMBER)?
        .ok_or_else(|| Trouble::Lasting("`issue` has to be the number of the issue".to_owned()))?;
    let mut client = place.client(&settings, None, look.time)?;
    let what = format!("issue #{number} of {}", place.repo);
    let fresh = client.get_known(&place.path(&format!("issues/{number}")), None, &what)?;
    let issue: WireIssue =
        fresh.ok_or_else(|| Trouble::Passing(format!("GitHub says nothing of {what}")))?.read(&what)?;
    let (status, how) = match (issue.state.as_str(), issue.state_reason.as_deref()) {
        ("closed", Some("not_planned")) => (GoalStatus::Completed, "is closed as not planned"),
        ("closed", Some("duplicate")) => (GoalStatus::Completed, "is closed as a duplicate"),
        ("closed", _) => (GoalStatus::Completed, "is closed"),
        _ => (GoalStatus::InProgress, "is open"),
    };
    Ok(Progress { status, summary: Some(format!("{what} {how}")) })
}
