//! Monitors: where they come from, when they look, what happens when they cannot.

use jiff::SignedDuration;
use serde_json::{Value, json};
use signalbox_api::rows::Origin;
use signalbox_api::{AddMonitor, LookNow, Monitors, RemoveMonitor, Status, Surroundings};
use signalbox_integrations::monitor::{Seen, Trouble};

use super::world::{World, human, settings};

const CHECK: &str = "[monitors.check]\ntype = \"shell\"\ncommand = \"x\"\nevery = 10\n";

fn rows(world: &mut World) -> Vec<signalbox_api::rows::MonitorRow> {
    world.ask(human(1), Monitors::default()).expect("a list").monitors
}

#[test]
fn a_monitor_of_the_configuration_looks_again_and_again() {
    let mut world = World::new(CHECK);
    let record = world.record(1, Some("ada"));
    world.begin(record);
    world.pass(2);
    for round in 1..4 {
        assert_eq!(world.looks.len(), 1, "round {round}");
        world.looked(Ok(Seen { state: json!(round), ..Seen::default() }));
        world.pass(5);
        assert_eq!(world.looks.len(), 0, "not before its time");
        world.pass(8);
    }
    let row = rows(&mut world).remove(0);
    assert_eq!((row.name.as_str(), row.kind.as_str(), row.origin), ("check", "shell", Origin::Config));
}

#[test]
fn a_daemon_that_is_killed_again_and_again_keeps_the_rhythm() {
    let mut world = World::new("[monitors.check]\ntype = \"shell\"\ncommand = \"x\"\nevery = 60\n");
    let record = world.record(1, Some("ada"));
    let id = world.begin(record);
    let second = SignedDuration::from_secs(1);
    world.live(second * 3);
    let mut looks = Vec::new();
    for moment in 0..240 {
        if moment % 11 == 10 {
            world.kill();
            world.start();
            world.register(&id);
        }
        world.live(second);
        if !world.looks.is_empty() {
            looks.push(moment);
            world.looked(Ok(Seen { state: json!(moment), ..Seen::default() }));
        }
    }
    let gaps: Vec<i32> = looks.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // A jitter of some seconds is part of the rhythm; a look that was not written down before a kill comes again.
    assert!(looks.len() >= 4 && gaps.iter().all(|gap| *gap <= 70), "{looks:?}");
    assert!(looks.len() <= 8, "{looks:?}");
    // After a long time without a daemon what is due comes soon.
    world.kill();
    world.live(second * 3_600);
    world.start();
    world.register(&id);
    world.live(second * 16);
    assert_eq!(world.looks.len(), 1, "soon");
}

#[test]
fn what_the_place_suggests_fills_the_gaps_of_the_configuration() {
    let mut world = World::new("[monitors.github]\nevery = 30\nrepo = \"me/mine\"\n");
    let record = world.record(1, Some("ada"));
    let id = world.begin(record);
    let around = Surroundings {
        agent: id,
        branch: Some("topic".to_owned()),
        head: None,
        remotes: vec![("origin".to_owned(), "git@github.com:them/theirs.git".to_owned())],
        files: Vec::new(),
    };
    let pid = std::process::id();
    world.ask_wrapper(pid, around).expect("surroundings");
    let row = rows(&mut world).remove(0);
    assert_eq!(row.settings.get("repo"), Some(&json!("me/mine")), "what a person wrote has the word");
    assert_eq!(row.settings.get("branch"), Some(&json!("topic")));
    assert_eq!(row.origin, Origin::Config);
}

#[test]
fn another_branch_is_looked_at_anew() {
    let mut world = World::new("");
    let record = world.record(1, Some("ada"));
    let id = world.begin(record);
    let around = |branch: &str| Surroundings {
        agent: id.clone(),
        branch: Some(branch.to_owned()),
        head: None,
        remotes: vec![("origin".to_owned(), "https://github.com/a/b".to_owned())],
        files: Vec::new(),
    };
    let pid = std::process::id();
    world.ask_wrapper(pid, around("one")).expect("surroundings");
    world.pass(3);
    assert_eq!(world.looks.first().map(|job| job.before.clone()), Some(Value::Null));
    world.looked(Ok(Seen { state: json!({ "seen": 1 }), ..Seen::default() }));
    world.ask_wrapper(pid, around("two")).expect("surroundings");
    world.pass(3);
    assert_eq!(
        world.looks.first().map(|job| job.before.clone()),
        Some(Value::Null),
        "what was known is of the other branch"
    );
    assert_eq!(world.looks.first().and_then(|job| job.settings.get("branch").cloned()), Some(json!("two")));
}

#[test]
fn one_that_fails_backs_off_is_told_of_once_and_recovers() {
    let mut world = World::new(CHECK);
    let record = world.record(1, Some("ada"));
    world.begin(record);
    let mut waits = Vec::new();
    for _ in 0..6 {
        let begun = world.now;
        while world.looks.is_empty() {
            world.pass(1);
        }
        waits.push(world.now.duration_since(begun).as_secs());
        world.looked(Err(Trouble::Passing("the network is down".to_owned())));
    }
    assert!(waits.windows(2).skip(1).all(|pair| pair[0] < pair[1]), "{waits:?}");
    assert_eq!(world.events("monitor.failing").len(), 1);
    assert_eq!(rows(&mut world).remove(0).trouble.as_deref(), Some("the network is down"));
    while world.looks.is_empty() {
        world.pass(30);
    }
    world.looked(Ok(Seen::default()));
    assert_eq!(world.events("monitor.recovered").len(), 1);
    assert_eq!(rows(&mut world).remove(0).trouble, None);
}

#[test]
fn one_whose_token_is_refused_says_so_once_and_can_be_asked_to_look() {
    let mut world = World::new(CHECK);
    let record = world.record(1, Some("ada"));
    let id = world.begin(record);
    world.pass(3);
    world.looked(Err(Trouble::Lasting("the token is not accepted; make a new one".to_owned())));
    world.pass(600);
    assert!(world.looks.is_empty(), "it does not ask again at once");
    let failing = world.events("monitor.failing");
    assert_eq!(failing.len(), 1);
    assert_eq!(failing[0]["why"], "the token is not accepted; make a new one");
    world.ask(human(1), LookNow { agent: Some(id), name: "check".to_owned() }).expect("it looks");
    assert_eq!(world.looks.len(), 1);
}

#[test]
fn a_limit_of_the_other_side_is_kept() {
    let mut world = World::new(CHECK);
    let record = world.record(1, Some("ada"));
    world.begin(record);
    world.pass(3);
    let until = world.now + jiff::SignedDuration::from_secs(100);
    world.looked(Err(Trouble::Limited { until: Some(until), why: "slow down".to_owned() }));
    world.pass(99);
    assert!(world.looks.is_empty());
    world.pass(30);
    assert_eq!(world.looks.len(), 1);
}

#[test]
fn one_that_never_comes_back_is_given_up_and_its_late_answer_is_nobodys() {
    let mut world = World::new(CHECK);
    let record = world.record(1, Some("ada"));
    world.begin(record);
    world.pass(3);
    let lost = world.looks.remove(0);
    world.pass(400);
    assert_eq!(rows(&mut world).remove(0).trouble.as_deref(), Some("it does not come back"));
    world.step(signalbox_daemon::msg::Msg::Looked {
        task: lost.task,
        found: Ok(Seen { state: json!("late"), ..Seen::default() }),
    });
    while world.looks.is_empty() {
        world.pass(10);
    }
    assert_eq!(world.looks[0].before, Value::Null);
}

#[test]
fn monitors_come_and_go_at_run_time_and_stay_gone_after_a_restart() {
    let mut world = World::new(CHECK);
    let record = world.record(1, Some("ada"));
    let id = world.begin(record);
    let add = |name: &str, given: Value| AddMonitor {
        agent: None,
        name: name.to_owned(),
        settings: settings(given),
    };
    world.ask(human(1), add("disk", json!({ "type": "shell", "command": "df" }))).expect("it is added");
    world.ask(human(1), RemoveMonitor { agent: None, name: "check".to_owned() }).expect("it is removed");
    let names = |world: &mut World| rows(world).into_iter().map(|row| row.name).collect::<Vec<_>>();
    assert_eq!(names(&mut world), ["disk"]);
    world.kill();
    world.start();
    world.register(&id);
    assert_eq!(names(&mut world), ["disk"]);
}

#[test]
fn what_cannot_be_added_is_said_and_leaves_nothing_behind() {
    let mut world = World::new(CHECK);
    let record = world.record(1, Some("ada"));
    world.begin(record);
    let mut tries = |name: &str, given: Value| {
        let wanted = AddMonitor { agent: None, name: name.to_owned(), settings: settings(given) };
        world.ask(human(1), wanted).expect_err("it cannot be").message
    };
    let unknown = tries("x", json!({ "type": "shel" }));
    assert!(unknown.contains("did you mean `shell`?"), "{unknown}");
    let missing = tries("x", json!({ "type": "shell" }));
    assert!(missing.contains("needs `command`"), "{missing}");
    let mistyped = tries("x", json!({ "type": "shell", "comand": "y", "command": "z" }));
    assert!(mistyped.contains("did you mean `command`?"), "{mistyped}");
    let twice = tries("check", json!({ "type": "shell", "command": "y" }));
    assert!(twice.contains("already"), "{twice}");
    for (key, value) in
        [("every", json!(0)), ("every", json!("x")), ("timeout", json!(u64::MAX)), ("ttl", json!(-1))]
    {
        let wrong = tries("x", json!({ "type": "shell", "command": "y", key: value }));
        assert!(wrong.contains(key), "{wrong}");
    }
    let named = tries("a/b", json!({ "type": "shell", "command": "y" }));
    assert!(named.contains("is no name"), "{named}");
    let variable = tries("x", json!({ "type": "shell", "command": "${NOT_SET}" }));
    assert!(variable.contains("NOT_SET"), "{variable}");
    assert_eq!(rows(&mut world).len(), 1);
}

#[test]
fn what_is_wrong_in_the_configuration_is_in_the_report_and_harms_nothing_else() {
    let config = format!(
        "{CHECK}[monitors.bad]\ntype = \"nothing\"\n[monitors.token]\ntype = \"shell\"\ncommand = \"${{MISSING}}\"\n"
    );
    let mut world = World::new(&config);
    let record = world.record(1, Some("ada"));
    world.begin(record);
    let report = world.ask(human(1), Status {}).expect("a report");
    let all = report.troubles.join("\n");
    assert!(all.contains("there is no type of monitor `nothing`"), "{all}");
    assert!(all.contains("MISSING"), "{all}");
    assert_eq!(rows(&mut world).len(), 1);
}

#[test]
fn a_thousand_that_are_due_at_once_do_not_look_at_once_but_all_look_soon() {
    let mut world = World::new(CHECK);
    for number in 0..300 {
        let record = world.record(number, Some(&format!("a{number}")));
        world.begin(record);
    }
    let mut seen: std::collections::BTreeSet<_> = world.looks.drain(..).map(|job| job.agent).collect();
    for _ in 0..120 {
        world.live(SignedDuration::from_millis(50));
        // Four at once, and as many as fit into the rest of the time.
        assert!(world.looks.len() <= 8, "{} in 50 ms", world.looks.len());
        seen.extend(world.looks.drain(..).map(|job| job.agent));
    }
    assert_eq!(seen.len(), 300, "after six seconds");
}
