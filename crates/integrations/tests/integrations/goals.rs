//! Goals that are reached on GitHub.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use signalbox_core::goal::GoalStatus;
use signalbox_integrations::goal::{self, Look, Progress};
use signalbox_integrations::monitor::{Environment, Trouble};
use signalbox_testkit::github::{Body, Github, REPO, TOKEN};

use crate::github::instead;
use crate::watcher::object;

fn look(github: &Github, kind: &str, more: Value, environment: &Environment) -> Result<Progress, Trouble> {
    let kind = goal::find(kind).unwrap();
    let mut settings = object(json!({ "token": TOKEN, "api_url": github.url() }));
    settings.extend(object(more));
    kind.check(&settings).unwrap();
    let look = Look {
        settings: &settings,
        environment,
        directory: Path::new("/"),
        agent: "ada",
        time: Duration::from_secs(30),
    };
    kind.look.unwrap()(&look)
}

fn said(progress: Result<Progress, Trouble>) -> (GoalStatus, String) {
    let progress = progress.unwrap();
    (progress.status, progress.summary.unwrap_or_default())
}

#[test]
fn a_pull_request_is_followed_to_its_end() {
    let github = Github::start();
    let on_branch = Environment { branch: Some("fix".to_owned()), ..Environment::default() };
    let pull = || said(look(&github, "github_pr_merged", json!({ "repo": REPO }), &on_branch));
    assert_eq!(pull(), (GoalStatus::Pending, "there is no pull request of fix yet".into()));
    github.push("fix", "c0ffee");
    let number = github.open("fix", "Fix");
    assert_eq!(pull(), (GoalStatus::InProgress, "pull request #1 of octo/hello is open".into()));
    github.close(number);
    assert_eq!(pull().0, GoalStatus::Failed);
    let second = github.open("fix", "Fix it");
    assert_eq!(pull().0, GoalStatus::InProgress, "another one is open");
    github.merge(second);
    assert_eq!(pull(), (GoalStatus::Completed, "pull request #2 of octo/hello is merged".into()));
    let first = look(&github, "github_pr_merged", json!({ "repo": REPO, "pr": 1 }), &on_branch);
    assert_eq!(said(first).0, GoalStatus::Failed);
}

#[test]
fn an_issue_is_done_when_it_is_closed() {
    let github = Github::start();
    let issue = || {
        said(look(
            &github,
            "github_issue_resolved",
            json!({ "repo": REPO, "issue": 7 }),
            &Environment::default(),
        ))
    };
    github.issue(7, None);
    assert_eq!(issue(), (GoalStatus::InProgress, "issue #7 of octo/hello is open".into()));
    github.issue(7, Some("not_planned"));
    assert_eq!(issue(), (GoalStatus::Completed, "issue #7 of octo/hello is closed as not planned".into()));
    github.issue(7, Some("completed"));
    assert_eq!(issue(), (GoalStatus::Completed, "issue #7 of octo/hello is closed".into()));
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let github = Github::start();
    let nowhere = Environment::default();
    for (kind, settings, want) in [
        ("github_pr_merged", json!({}), "set `repo`"),
        ("github_pr_merged", json!({ "repo": REPO }), "set `branch`, or `pr`"),
        ("github_pr_merged", json!({ "repo": REPO, "pr": 99 }), "knows nothing of pull request #99"),
        ("github_issue_resolved", json!({ "issue": 7 }), "set `repo`"),
        ("github_issue_resolved", json!({ "repo": REPO, "issue": 99 }), "knows nothing of issue #99"),
        (
            "github_issue_resolved",
            json!({ "repo": REPO, "issue": 7, "token": "x" }),
            "does not accept the token",
        ),
    ] {
        let trouble = look(&github, kind, settings, &nowhere).unwrap_err();
        assert!(matches!(&trouble, Trouble::Lasting(why) if why.contains(want)), "{kind}: {trouble:?}");
    }
    github.instead(instead("/issues/7", 200, &[], Body::Bytes(b"[]".to_vec())));
    let trouble = look(&github, "github_issue_resolved", json!({ "repo": REPO, "issue": 7 }), &nowhere);
    assert!(matches!(trouble, Err(Trouble::Passing(_))));
    github.as_usual();
    github.requests_left(0);
    let limited = look(&github, "github_issue_resolved", json!({ "repo": REPO, "issue": 7 }), &nowhere);
    assert!(matches!(limited, Err(Trouble::Limited { until: Some(_), .. })), "{limited:?}");
}
