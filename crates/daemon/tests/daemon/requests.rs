//! Who may ask for what: an agent for itself, without what is privileged, and nothing more.

use serde_json::{Value, json};
use signalbox_api::wire::Kind;
use signalbox_api::{
    AddMonitor, AddNotifier, LookNow, Monitors, Notifiers, Register, Reload, RemoveMonitor, RemoveNotifier,
    Status, Stop, Tell,
};
use signalbox_core::AgentId;

use super::world::{World, human, inside, settings};

const CONFIG: &str = "[monitors.check]\ntype = \"shell\"\ncommand = \"x\"\n\
                      [monitors.github]\nrepo = \"a/b\"\nbranch = \"c\"\nprivileged = true\n\
                      [[notifiers]]\ntype = \"command\"\nname = \"secret\"\nrun = \"x\"\n\
                      [[notifiers]]\ntype = \"desktop\"\n";

fn world() -> (World, AgentId, AgentId) {
    let mut world = World::new(CONFIG);
    let one = world.record(1, Some("one"));
    let two = world.record(2, Some("two"));
    let (one, two) = (world.begin(one), world.begin(two));
    (world, one, two)
}

#[test]
fn what_is_privileged_is_hidden_from_agents_and_refused() {
    let (mut world, one, _) = world();
    let names =
        |list: Vec<signalbox_api::rows::MonitorRow>| list.into_iter().map(|row| row.name).collect::<Vec<_>>();
    let own = Monitors { agent: Some(one.clone()) };
    assert_eq!(names(world.ask(human(1), own.clone()).expect("a list").monitors), ["check", "github"]);
    assert!(world.ask(inside(&one), own).expect("a list").monitors.is_empty());
    let report = world.ask(inside(&one), Status {}).expect("a report");
    assert!(report.agents.iter().all(|agent| agent.monitors.is_empty()));
    assert_eq!(report.notifiers.len(), 1);
    let notifiers = world.ask(inside(&one), Notifiers::default()).expect("a list").notifiers;
    assert_eq!(notifiers.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["desktop"]);
    for name in ["check", "github", "nothing"] {
        let name = name.to_owned();
        let removed = world.ask(inside(&one), RemoveMonitor { agent: None, name: name.clone() });
        assert_eq!(removed.expect_err("it is refused").code, "monitor.unknown", "{name}");
        let looked = world.ask(inside(&one), LookNow { agent: None, name });
        assert_eq!(looked.expect_err("it is refused").code, "monitor.unknown");
    }
    let shell = AddMonitor {
        agent: None,
        name: "mine".to_owned(),
        settings: settings(json!({ "type": "shell", "command": "sb approve" })),
    };
    assert_eq!(world.ask(inside(&one), shell).expect_err("it is refused").code, "human.only");
    let program = AddNotifier {
        agent: None,
        name: "mine".to_owned(),
        settings: settings(json!({ "type": "command", "run": "sb approve" })),
    };
    assert_eq!(world.ask(inside(&one), program).expect_err("it is refused").code, "human.only");
}

#[test]
fn an_agent_speaks_for_itself_alone_whatever_it_says() {
    let (mut world, one, two) = world();
    let add = |agent: Option<AgentId>, given: Value| AddMonitor {
        agent,
        name: "more".to_owned(),
        settings: settings(given),
    };
    let github = || json!({ "type": "github", "repo": "a/b", "branch": "x" });
    let forged = world.ask(inside(&one), add(Some(two.clone()), github())).expect_err("it is refused");
    assert_eq!(forged.code, "agent.other");
    let row = world.ask(inside(&one), add(None, github())).expect("its own");
    assert_eq!(row.agent, one);
    let elsewhere = world
        .ask(
            inside(&two),
            add(None, json!({ "type": "github", "repo": "a/b", "api_url": "https://evil.example" })),
        )
        .expect_err("a token would be sent there");
    assert_eq!(elsewhere.code, "human.only");
}

#[test]
fn only_people_end_reload_and_try() {
    let (mut world, one, _) = world();
    assert_eq!(world.ask(inside(&one), Stop {}).expect_err("it is refused").code, "human.only");
    assert_eq!(world.ask(inside(&one), Reload {}).expect_err("it is refused").code, "human.only");
    let tell = Tell { notifier: "desktop".to_owned(), message: None };
    assert_eq!(world.ask(inside(&one), tell).expect_err("it is refused").code, "human.only");
    let unseen = signalbox_daemon::msg::Caller { out_of_sight: true, ..human(0) };
    assert_eq!(world.ask(unseen, Stop {}).expect_err("nobody can be seen there").code, "human.only");
}

#[test]
fn an_agent_is_registered_by_its_own_wrapper_and_by_nobody_else() {
    let (mut world, one, _) = world();
    let told = Register { agent: one, state: "idle".to_owned(), since: world.now, terminal: None };
    assert_eq!(world.ask(human(1), told).expect_err("it is refused").code, "agent.not-yours");
}

#[test]
fn a_person_says_which_agent_where_there_are_several() {
    let (mut world, ..) = world();
    let problem =
        world.ask(human(1), RemoveMonitor { agent: None, name: "check".to_owned() }).expect_err("which one?");
    assert_eq!((problem.code.as_str(), problem.kind), ("agent.which", Kind::Usage));
}

#[test]
fn an_agents_own_notifiers_go_with_it() {
    let (mut world, one, _) = world();
    let wanted = AddNotifier {
        agent: None,
        name: "ping".to_owned(),
        settings: settings(json!({ "type": "desktop" })),
    };
    let row = world.ask(inside(&one), wanted).expect("it is added");
    assert_eq!(row.agent, Some(one.clone()));
    world.ask(inside(&one), RemoveNotifier { agent: None, name: "ping".to_owned() }).expect("it is removed");
    let gone = world.ask(inside(&one), RemoveNotifier { agent: None, name: "ping".to_owned() });
    assert_eq!(gone.expect_err("it is gone").code, "notifier.unknown");
}

#[test]
fn an_agent_reads_no_variable_of_the_daemon() {
    let (mut world, one, _) = world();
    for settings_of_it in [
        json!({ "type": "github", "repo": "${TOKEN}", "branch": "x" }),
        json!({ "type": "github", "repo": "a/b", "branch": "${TOKEN}" }),
    ] {
        let wanted = AddMonitor { agent: None, name: "mine".to_owned(), settings: settings(settings_of_it) };
        let problem = world.ask(inside(&one), wanted).expect_err("it is refused");
        assert_eq!(problem.code, "human.only");
        assert!(!format!("{problem:?}").contains("s3cret"), "{problem:?}");
    }
    // Where a person does, only the variable's name is shown.
    let wanted = AddMonitor {
        agent: Some(one),
        name: "mine".to_owned(),
        settings: settings(json!({ "type": "github", "repo": "a/b", "branch": "${TOKEN}" })),
    };
    let row = world.ask(human(1), wanted).expect("it is added");
    assert_eq!(row.settings.get("branch"), Some(&json!("${TOKEN}")));
}

#[test]
fn what_was_removed_comes_back_by_its_name_and_what_cannot_be_can_be_removed() {
    let (mut world, one, _) = world();
    let remove = |name: &str| RemoveMonitor { agent: Some(one.clone()), name: name.to_owned() };
    let add = |name: &str, given: Value| AddMonitor {
        agent: Some(one.clone()),
        name: name.to_owned(),
        settings: settings(given),
    };
    world.ask(human(1), remove("check")).expect("it is removed");
    let row = world.ask(human(1), add("check", json!({}))).expect("it comes back");
    assert_eq!(row.settings.get("command"), Some(&json!("x")));
    world.ask(human(1), add("late", json!({ "type": "shell", "command": "${TOKEN}" }))).expect("it is added");
    // The next daemon does not have the variable.
    world.forget_variables();
    world.kill();
    world.start();
    world.register(&one);
    world.ask(human(1), remove("late")).expect("it is removed");
    let report = world.ask(human(1), Status {}).expect("a report");
    assert!(report.troubles.iter().all(|trouble| !trouble.contains("late")), "{:?}", report.troubles);
}
