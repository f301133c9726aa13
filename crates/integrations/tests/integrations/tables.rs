//! The tables of types: each row is whole, and says what is wrong with settings.

use serde_json::{Value, json};
use signalbox_integrations::monitor::{Environment, TYPES};
use signalbox_integrations::{goal, monitor};
use signalbox_template::{Library, check};

use crate::watcher::object;

#[test]
fn every_event_has_a_template_that_uses_what_there_is() {
    for kind in TYPES {
        let library = Library::new("/nowhere", kind.templates);
        for event in kind.events {
            let template = library.bundled(kind.name, event.name).unwrap();
            let names: Vec<&str> = event.fields.iter().map(|(name, _)| *name).collect();
            let names = [&["monitor", "agent", "event"], names.as_slice()].concat();
            check(&template, &names).unwrap();
        }
        assert_eq!(kind.templates.len(), kind.events.len(), "{}", kind.name);
        for key in kind.keys.iter().chain(monitor::COMMON) {
            assert!(!key.about.is_empty() && !key.about.ends_with('.'), "{}", key.name);
        }
    }
}

/// How urgent each event is, how long it waits, and what it takes the place of.
#[test]
fn terms_of_events() {
    let mut terms = Vec::new();
    for kind in TYPES {
        for event in kind.events {
            let key = event.key.unwrap_or("-");
            terms.push(format!("{} {} {}s {key}", event.name, event.priority.as_str(), event.ttl.as_secs()));
        }
    }
    let want = [
        "ci_failure normal 300s ci_status",
        "ci_success normal 60s ci_status",
        "pr_review normal 300s -",
        "pr_comment normal 300s -",
        "pr_conflict normal 300s pr_state",
        "pr_merged normal 300s pr_state",
        "pr_closed normal 300s pr_state",
        "shell_alert normal 300s -",
        "shell_success normal 60s -",
        "shell_changed normal 300s -",
        "default normal 300s -",
    ];
    assert_eq!(terms, want);
}

#[test]
fn names_are_their_own() {
    let mut names: Vec<&str> = TYPES.iter().map(|kind| kind.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["command", "github", "shell"]);
    let goals: Vec<&str> = goal::TYPES.iter().map(|kind| kind.name).collect();
    let want =
        ["agent_signal", "agent_exit", "ticket_done", "command", "github_pr_merged", "github_issue_resolved"];
    assert_eq!(goals, want);
    assert!(monitor::find("shell").is_some_and(|kind| kind.privileged));
    assert!(monitor::find("command").is_some_and(|kind| kind.privileged));
    assert!(monitor::find("github").is_some_and(|kind| !kind.privileged));
    assert!(goal::find("command").is_some_and(|kind| kind.privileged && kind.look.is_some()));
    assert!(goal::find("agent_exit").is_some_and(|kind| kind.look.is_none()));
    // What could send a token elsewhere is for people alone.
    let github = monitor::find("github").unwrap();
    assert!(github.keys.iter().any(|key| key.name == "api_url" && key.guarded));
    assert!(github.keys.iter().any(|key| key.name == "token" && key.secret));
}

#[test]
fn every_wrong_setting_of_a_monitor_is_named() {
    let github = |more: Value| {
        let mut all = object(json!({ "repo": "octo/hello", "branch": "main" }));
        all.extend(object(more));
        Value::Object(all)
    };
    for (kind, settings, want) in [
        ("shell", json!({}), "`shell` needs `command`"),
        ("shell", json!({ "command": null }), "`shell` needs `command`"),
        ("shell", json!({ "command": " " }), "`command` has to say what is to be run"),
        ("shell", json!({ "command": 7 }), "`command` has to be text, and 7 is none"),
        ("shell", json!({ "comand": "x", "command": "x" }), "no setting `comand`, did you mean `command`?"),
        ("shell", json!({ "command": "x", "timeout": 0 }), "`timeout` has to be a whole number of seconds"),
        ("shell", json!({ "command": "x", "timeout": "5" }), "`timeout` has to be a whole number of seconds"),
        ("shell", json!({ "command": "x", "directory": 1 }), "`directory` has to be text"),
        (
            "shell",
            json!({ "command": "x", "report_success": "yes" }),
            "`report_success` has to be true or false",
        ),
        ("shell", json!({ "command": "x", "on_change": 1 }), "`on_change` has to be true or false"),
        ("command", json!({}), "`command` needs `run`"),
        ("command", json!({ "run": "" }), "`run` is empty"),
        ("command", json!({ "run": [] }), "`run` is empty"),
        ("command", json!({ "run": ["", "x"] }), "`run` is empty"),
        ("command", json!({ "run": ["x", 1] }), "`run` has to be a list of texts"),
        ("command", json!({ "run": "a\0b" }), "zero byte"),
        ("command", json!({ "run": { "x": 1 } }), "`run` has to be a list of texts"),
        ("github", json!({ "branch": "x" }), "`github` needs `repo`"),
        ("github", json!({ "repo": "octo/hello" }), "`github` needs `branch`"),
        ("github", github(json!({ "repo": "hello" })), "`repo` has to be `owner/name`, and `hello` is not"),
        ("github", github(json!({ "repo": "a/b/c" })), "`repo` has to be `owner/name`"),
        ("github", github(json!({ "repo": "../.." })), "`repo` has to be `owner/name`"),
        ("github", github(json!({ "branch": "" })), "`branch` is empty"),
        ("github", github(json!({ "branch": "a b" })), "`branch` has a space"),
        ("github", github(json!({ "fork": "a/b" })), "`fork` has to be the name of a user"),
        ("github", github(json!({ "token": 1 })), "`token` has to be text"),
        ("github", github(json!({ "api_url": "ghe.corp" })), "`api_url` has to be as"),
        ("github", github(json!({ "api_url": "http://ghe.corp" })), "could read the token"),
        ("github", github(json!({ "checks": 1 })), "`checks` has to be a list of texts"),
        ("github", github(json!({ "ignore": [1] })), "`ignore` has to be a list of texts"),
        ("github", github(json!({ "own": "x" })), "`own` has to be true or false"),
        ("github", github(json!({ "members_only": 0 })), "`members_only` has to be true or false"),
        ("github", github(json!({ "log_lines": 0 })), "`log_lines` has to be a whole number from 1 to 500"),
        ("github", github(json!({ "log_lines": 501 })), "`log_lines` has to be a whole number from 1 to 500"),
    ] {
        let wrong = monitor::find(kind).unwrap().check(&object(settings.clone())).map_err(|wrong| wrong.0);
        assert!(wrong.as_ref().is_err_and(|wrong| wrong.contains(want)), "{settings}: {wrong:?}");
    }
}

#[test]
fn every_wrong_setting_of_a_goal_is_named() {
    for (kind, settings, want) in [
        ("agent_signal", json!({ "x": 1 }), "`agent_signal` has no setting `x`"),
        ("command", json!({}), "`command` needs `run`"),
        ("command", json!({ "run": "x", "timeout": -1 }), "`timeout` has to be a whole number of seconds"),
        ("github_issue_resolved", json!({}), "`github_issue_resolved` needs `issue`"),
        ("github_issue_resolved", json!({ "issue": "seven" }), "`issue` has to be a whole number from 1"),
        ("github_pr_merged", json!({ "pr": 0 }), "`pr` has to be a whole number from 1"),
        ("github_pr_merged", json!({ "repo": "x" }), "`repo` has to be `owner/name`"),
        ("github_pr_merged", json!({ "api_url": "x" }), "`api_url` has to be as"),
    ] {
        let wrong = goal::find(kind).unwrap().check(&object(settings.clone())).map_err(|wrong| wrong.0);
        assert!(wrong.as_ref().is_err_and(|wrong| wrong.contains(want)), "{settings}: {wrong:?}");
    }
    for (kind, settings) in [
        ("agent_exit", json!({ "type": "agent_exit", "every": 10 })),
        ("github_pr_merged", json!({})),
        ("github_issue_resolved", json!({ "issue": 7 })),
    ] {
        goal::find(kind).unwrap().check(&object(settings)).unwrap();
    }
}

fn at(branch: Option<&str>, remotes: &[(&str, &str)]) -> Environment {
    Environment {
        branch: branch.map(ToOwned::to_owned),
        remotes: remotes.iter().map(|(name, url)| ((*name).to_owned(), (*url).to_owned())).collect(),
        ..Environment::default()
    }
}

#[test]
fn a_clone_of_something_on_github_proposes_a_monitor() {
    let github = monitor::find("github").unwrap();
    let origin = |url: &'static str| at(Some("fix/login"), &[("origin", url)]);
    for (environment, want) in [
        (
            origin("git@github.com:octo/hello.git"),
            Some(json!({ "repo": "octo/hello", "branch": "fix/login" })),
        ),
        (
            origin("https://github.corp.example/octo/hello"),
            Some(
                json!({ "repo": "octo/hello", "api_url": "https://github.corp.example/api/v3", "branch": "fix/login" }),
            ),
        ),
        (
            at(
                Some("x"),
                &[("origin", "git@github.com:me/hello"), ("upstream", "git@github.com:octo/hello")],
            ),
            Some(json!({ "repo": "octo/hello", "fork": "me", "branch": "x" })),
        ),
        (origin("https://gitlab.com/octo/hello"), None),
        (at(None, &[("origin", "git@github.com:octo/hello.git")]), None),
        (Environment::default(), None),
    ] {
        let proposed = (github.propose)(&environment);
        if let Some(proposal) = &proposed {
            assert_eq!(proposal.name, "github");
            github.check(&proposal.settings).unwrap();
        }
        assert_eq!(proposed.map(|proposal| Value::Object(proposal.settings)), want);
    }
    for kind in ["shell", "command"] {
        assert_eq!((monitor::find(kind).unwrap().propose)(&origin("git@github.com:octo/hello.git")), None);
    }
}

/// An agent can change its remotes, but not where a token of the settings goes.
#[test]
fn remotes_do_not_lead_a_token_elsewhere() {
    let github = monitor::find("github").unwrap();
    let evil = at(Some("x"), &[("origin", "https://github.evil.example/octo/hello")]);
    let complete = |settings: Value| Value::Object((github.complete)(object(settings), &evil));
    let with_token = complete(json!({ "token": "t" }));
    assert_eq!(with_token, json!({ "token": "t", "branch": "x" }));
    let elsewhere = complete(json!({ "api_url": "https://ghe.corp/api/v3" }));
    assert_eq!(elsewhere, json!({ "api_url": "https://ghe.corp/api/v3", "branch": "x" }));
    let same = complete(json!({ "api_url": "https://github.evil.example/api/v3/", "token": "t" }));
    assert_eq!(same["repo"], "octo/hello");
    let given = complete(json!({ "repo": "a/b", "branch": "c" }));
    assert_eq!(given, json!({ "repo": "a/b", "branch": "c" }));
}
