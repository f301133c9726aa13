//! Notifiers: each hears what it wants, in order, and none waits for another.

use serde_json::{Value, json};
use signalbox_api::Notifiers;
use signalbox_daemon::msg::{Listener, Msg};
use signalbox_integrations::notifier::Untold;

use super::world::{World, human};

const TWO: &str = "[[notifiers]]\ntype = \"command\"\nname = \"one\"\nrun = \"x\"\nevents = [\"agent.*\"]\n\
                   [[notifiers]]\ntype = \"command\"\nname = \"two\"\nrun = \"y\"\nevents = [\"agent.failed\"]\n";

fn told(world: &mut World, result: Result<Value, Untold>) -> (String, String) {
    let job = world.tells.remove(0);
    let words = match &job.to {
        Listener::Notifier { notice, .. } => notice.message.clone(),
        Listener::Plugin { event, .. } => event.event.clone(),
    };
    let said = (format!("{:?}", job.task.what), words);
    world.step(Msg::Told { task: job.task, result });
    said
}

fn failed(passing: bool) -> Result<Value, Untold> {
    Err(Untold { why: "nobody is there".to_owned(), passing })
}

#[test]
fn each_hears_what_it_wants_and_one_after_the_other() {
    let mut world = World::new(TWO);
    for name in ["agent.started", "ticket.created", "agent.failed"] {
        world.write(name, json!({ "agent": "puppet-abcd", "name": "ada" }));
    }
    world.feed();
    world.pass(1);
    assert_eq!(world.tells.len(), 2, "one thing at a time for each");
    let mut all = Vec::new();
    while !world.tells.is_empty() {
        all.push(told(&mut world, Ok(Value::Null)).1);
    }
    all.sort();
    assert_eq!(all, ["ada has failed", "ada has failed", "ada runs"]);
}

#[test]
fn one_that_fails_is_tried_again_a_few_times_and_told_of_once() {
    let mut world = World::new(TWO);
    world.write("agent.failed", json!({ "agent": "puppet-abcd" }));
    world.feed();
    world.pass(1);
    let mut tries = 0;
    for _ in 0..200 {
        while !world.tells.is_empty() {
            tries += 1;
            told(&mut world, failed(true));
        }
        world.pass(10);
        world.feed();
    }
    assert_eq!(tries, 6, "three times each");
    assert_eq!(world.events("notifier.failing").len(), 2);
    let rows = world.ask(human(1), Notifiers::default()).expect("a list").notifiers;
    assert!(rows.iter().all(|row| row.waiting == 0 && row.trouble.as_deref() == Some("nobody is there")));
}

#[test]
fn one_that_hangs_keeps_nobody_waiting_but_itself() {
    let mut world = World::new(TWO);
    for _ in 0..3 {
        world.write("agent.failed", json!({ "agent": "puppet-abcd" }));
    }
    world.feed();
    world.pass(1);
    // The first never answers; the second does.
    let at = world
        .tells
        .iter()
        .position(|job| format!("{:?}", job.task.what).contains("one"))
        .expect("it is told");
    let hung = world.tells.remove(at);
    let mut heard = 0;
    while !world.tells.is_empty() {
        heard += 1;
        told(&mut world, Ok(Value::Null));
    }
    assert_eq!(heard, 3);
    world.pass(120);
    world.pass(1);
    assert_eq!(world.tells.len(), 1, "it is given up, and the next thing is tried");
    world.step(Msg::Told { task: hung.task, result: Ok(Value::Null) });
    assert_eq!(world.tells.len(), 1, "a late answer is nobody's");
}

#[test]
fn what_was_to_be_told_survives_the_daemon() {
    let mut world = World::new(TWO);
    world.write("agent.failed", json!({ "agent": "puppet-abcd" }));
    world.feed();
    world.kill();
    world.start();
    world.pass(1);
    assert_eq!(world.tells.len(), 2);
    while !world.tells.is_empty() {
        told(&mut world, Ok(Value::Null));
    }
    world.kill();
    world.start();
    world.feed();
    world.pass(1);
    assert!(world.tells.is_empty(), "what was told is not told again");
}

#[test]
fn what_one_remembers_of_an_agent_comes_back_to_it() {
    let mut world = World::new(TWO);
    let record = world.record(1, Some("ada"));
    let id = world.begin(record);
    for expected in [Value::Null, json!({ "thread": 1 })] {
        world.write("agent.blocked", json!({ "agent": id }));
        world.feed();
        world.pass(1);
        assert_eq!(world.tells[0].remembered, expected);
        told(&mut world, Ok(json!({ "thread": 1 })));
        world.kill();
        world.start();
        world.register(&id);
    }
}

#[test]
fn without_any_the_terminals_ring() {
    let mut world = World::new("");
    let rows = world.ask(human(1), Notifiers::default()).expect("a list").notifiers;
    assert_eq!(rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(), ["terminal_bell"]);
}

#[test]
fn a_plugin_that_listens_hears_what_it_wants_and_one_that_decides_hears_nothing() {
    let mut world = World::new(
        "[[notifiers]]\ntype = \"desktop\"\nevents = [\"nothing\"]\n\
         [[plugins]]\nname = \"ear\"\nevents = [\"ticket.*\"]\nrun = \"x\"\n\
         [[plugins]]\nname = \"judge\"\nevents = [\"*\"]\nrun = \"x\"\ndecides = true\n",
    );
    for name in ["ticket.created", "agent.failed", "ticket.edited"] {
        world.write(name, json!({}));
    }
    world.feed();
    world.pass(1);
    let mut heard = Vec::new();
    while !world.tells.is_empty() {
        heard.push(told(&mut world, Ok(Value::Null)).1);
    }
    assert_eq!(heard, ["ticket.created", "ticket.edited"]);
}

#[test]
fn the_heartbeat_comes_by_its_schedule_and_not_twice_at_once() {
    let mut world = World::new("[heartbeat]\nschedule = \"*/10 * * * *\"\n");
    world.pass(540);
    assert_eq!(world.beats, 0);
    world.pass(61);
    assert_eq!(world.beats, 1);
    world.pass(1_200);
    assert_eq!(world.beats, 1, "the one before is not over");
    world.step(Msg::Beaten(Ok(None)));
    world.pass(600);
    assert_eq!(world.beats, 2);
}

#[test]
fn a_new_configuration_does_not_make_anybody_tell_twice() {
    let mut world = World::new(TWO);
    world.write("agent.failed", json!({ "agent": "puppet-abcd" }));
    world.feed();
    world.pass(1);
    assert_eq!(world.tells.len(), 2);
    let again = toml::from_str(&format!("{TWO}# a remark\n")).expect("a configuration");
    world.step(Msg::Config(Ok(Box::new(again))));
    world.pass(1);
    assert_eq!(world.tells.len(), 2, "what is being told is not told again");
    while !world.tells.is_empty() {
        told(&mut world, Ok(Value::Null));
    }
    world.pass(1);
    assert!(world.tells.is_empty());
}

#[test]
fn trying_one_that_is_busy_waits_for_its_turn() {
    let mut world = World::new(TWO);
    world.write("agent.failed", json!({ "agent": "puppet-abcd" }));
    world.feed();
    world.pass(1);
    world.tells.retain(|job| format!("{:?}", job.task.what).contains("one"));
    let before = world.answers.len();
    world.request(
        human(1),
        signalbox_api::Tell { notifier: "one".to_owned(), message: Some("Hello.".to_owned()) },
    );
    assert_eq!(told(&mut world, Ok(Value::Null)).1, "puppet-abcd has failed");
    assert_eq!(world.answers.len(), before, "the try has not been yet");
    world.pass(1);
    assert_eq!(told(&mut world, Ok(Value::Null)).1, "Hello.");
    assert_eq!(world.answers.len(), before + 1);
    world.pass(1);
    assert!(world.tells.is_empty(), "nothing is told twice");
}

#[test]
fn an_agents_own_notifiers_hear_of_its_end_and_then_go() {
    let mut world = World::new(TWO);
    let mut record = world.record(1, Some("ada"));
    record.other.insert("goal".to_owned(), json!({}));
    let id = world.begin(record);
    let wanted = signalbox_api::AddNotifier {
        agent: Some(id.clone()),
        name: "ping".to_owned(),
        settings: super::world::settings(json!({ "type": "desktop", "events": ["agent.failed"] })),
    };
    world.ask(human(1), wanted).expect("it is added");
    world.exit(&id, 1);
    world.feed();
    world.pass(1);
    world.feed();
    world.pass(1);
    let mut heard = Vec::new();
    for _ in 0..6 {
        while !world.tells.is_empty() {
            heard.push(told(&mut world, Ok(Value::Null)));
        }
        world.pass(1);
    }
    assert!(heard.iter().any(|(who, what)| who.contains("ping") && what.contains("has failed")), "{heard:?}");
    world.pass(60);
    let rows = world.ask(human(1), Notifiers::default()).expect("a list").notifiers;
    assert!(rows.iter().all(|row| row.agent.is_none()), "{rows:?}");
}
