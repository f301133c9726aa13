//! Whatever happens in whatever order, between looks that go well and looks that do not: each thing is told exactly once.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_integrations::monitor::Event;
use signalbox_testkit::github::{Body, Github};

use crate::github::{instead, watcher};

#[derive(Debug, Clone)]
enum Step {
    Comment,
    Review {
        remarks: usize,
    },
    Fail {
        check: u8,
    },
    Push,
    Open,
    Close {
        merged: bool,
    },
    Look,
    /// A look in which one kind of question gets no answer.
    Broken {
        at: usize,
        status: u16,
    },
    /// Nobody looks for hours.
    Wait,
}

const QUESTIONS: [&str; 9] = [
    "/pulls?",
    "/pulls/",
    "/reviews",
    "/comments",
    "/issues/",
    "/check-runs",
    "/status",
    "/user",
    "matching-refs",
];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Comment),
        3 => (0_usize..4).prop_map(|remarks| Step::Review { remarks }),
        2 => (0_u8..3).prop_map(|check| Step::Fail { check }),
        1 => Just(Step::Push),
        2 => Just(Step::Open),
        1 => any::<bool>().prop_map(|merged| Step::Close { merged }),
        6 => Just(Step::Look),
        3 => (0..QUESTIONS.len(), prop_oneof![Just(500_u16), Just(429), Just(401), Just(302)])
            .prop_map(|(at, status)| Step::Broken { at, status }),
        1 => Just(Step::Wait),
    ]
}

/// What happened and what was told of it, by name.
#[derive(Debug, Default)]
struct Books {
    happened: Vec<String>,
    told: BTreeMap<String, usize>,
}

impl Books {
    fn take(&mut self, events: &[Event]) {
        for event in events {
            let mut names = Vec::new();
            match event.kind.as_str() {
                "pr_review" | "pr_comment" => {
                    names.push(event.fields.get("body").cloned().unwrap_or_default());
                    let comments = event.fields["comments"].as_array().cloned().unwrap_or_default();
                    names.extend(comments.into_iter().map(|mut comment| comment["body"].take()));
                }
                "ci_failure" => {
                    let checks = event.fields["checks"].as_array().cloned().unwrap_or_default();
                    let new = checks.into_iter().filter(|check| check["is_new"] == true);
                    names.extend(new.map(|mut check| check["log"].take()));
                }
                "pr_merged" | "pr_closed" => {
                    names.push(json!(format!("{} {}", event.kind, event.fields["pr"]["number"])));
                }
                _ => {}
            }
            for name in names.iter().filter_map(Value::as_str) {
                *self.told.entry(name.to_owned()).or_default() += 1;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_thing_is_told_exactly_once(steps in prop::collection::vec(step(), 1..40)) {
        let github = Github::start();
        let mut watcher = watcher(&github, json!({}));
        watcher.look();
        let mut books = Books::default();
        let (mut open, mut commit) = (None, 0);
        let mut failing: BTreeMap<u8, String> = BTreeMap::new();
        github.push("fix/login", "commit-0");
        for (at, step) in steps.into_iter().enumerate() {
            let name = format!("<{at}>");
            match (step, open) {
                (Step::Comment, Some(number)) => {
                    github.comment(number, "ann", &name);
                    books.happened.push(name);
                }
                (Step::Review { remarks }, Some(number)) => {
                    let texts: Vec<String> = (0..remarks).map(|remark| format!("<{at}.{remark}>")).collect();
                    let remarks: Vec<(&str, u64, &str)> = texts.iter().map(|text| ("x.rs", 1, text.as_str())).collect();
                    github.review(number, "ann", "CHANGES_REQUESTED", &name, &remarks);
                    books.happened.push(name);
                    books.happened.extend(texts);
                }
                (Step::Fail { check }, _) => {
                    github.check_fails(&format!("commit-{commit}"), &format!("check {check}"), "x", &name);
                    failing.insert(check, name);
                }
                (Step::Push, _) => {
                    commit += 1;
                    failing.clear();
                    github.push("fix/login", &format!("commit-{commit}"));
                }
                (Step::Open, None) => {
                    open = Some(github.open("fix/login", "Fix"));
                    // The first look may see the end of the last one. One that nobody ever saw is not followed.
                    books.take(&watcher.look());
                    books.take(&watcher.look());
                }
                (Step::Close { merged }, Some(number)) => {
                    if merged { github.merge(number) } else { github.close(number) }
                    let kind = if merged { "pr_merged" } else { "pr_closed" };
                    books.happened.push(format!("{kind} {number}"));
                    open = None;
                }
                (Step::Look, _) => books.take(&watcher.look()),
                (Step::Broken { at, status }, _) => {
                    github.instead(instead(QUESTIONS[at], status, &[], Body::Bytes(b"{}".to_vec())));
                    if let Ok(events) = watcher.try_look() {
                        books.take(&events);
                    }
                    github.as_usual();
                }
                (Step::Wait, _) => github.pass(600),
                (Step::Comment | Step::Review { .. } | Step::Close { .. }, None) | (Step::Open, Some(_)) => {}
            }
        }
        books.take(&watcher.look());
        prop_assert!(watcher.look().is_empty());
        // What failed on an older commit, or was run again unseen, is no longer so.
        books.happened.extend(failing.into_values());
        for name in &books.happened {
            prop_assert_eq!(books.told.get(name), Some(&1), "{}", name);
        }
        prop_assert!(books.told.values().all(|times| *times == 1), "{:?}", books.told);
    }
}
