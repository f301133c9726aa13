//! Goals: how far agents are, when they are ended, and that a person who takes one over has the word.

use serde_json::{Value, json};
use signalbox_api::Status;
use signalbox_core::AgentId;
use signalbox_core::goal::GoalStatus;
use signalbox_daemon::msg::Msg;
use signalbox_integrations::goal::Progress;

use super::world::{World, human};

fn with_goal(goal: Value) -> (World, AgentId) {
    let mut world = World::new("");
    let mut record = world.record(1, Some("ada"));
    record.other.insert("goal".to_owned(), goal);
    let id = world.begin(record);
    world.feed();
    (world, id)
}

fn status(world: &mut World) -> GoalStatus {
    let report = world.ask(human(1), Status {}).expect("a report");
    report.agents.first().and_then(|agent| agent.goal.as_ref()).expect("a goal").status
}

fn signal(world: &mut World, id: &AgentId, status: &str) {
    world.write("goal.signalled", json!({ "agent": id, "status": status, "summary": "so it is" }));
    world.feed();
}

#[test]
fn an_agent_that_says_it_is_done_is_told_of_and_ended_once() {
    let (mut world, id) = with_goal(json!({ "type": "agent_signal" }));
    assert_eq!(world.events("agent.spawned").len(), 1);
    signal(&mut world, &id, "in_progress");
    assert_eq!(status(&mut world), GoalStatus::InProgress);
    assert!(world.stopped.is_empty());
    signal(&mut world, &id, "completed");
    signal(&mut world, &id, "failed");
    assert_eq!(world.stopped, std::slice::from_ref(&id));
    let completed = world.events("agent.completed");
    assert_eq!(completed.len(), 1);
    assert_eq!((&completed[0]["summary"], &completed[0]["name"]), (&json!("so it is"), &json!("ada")));
    assert!(world.events("agent.failed").is_empty());
    world.exit(&id, 0);
    world.feed();
    assert!(world.events("agent.failed").is_empty(), "it had reached its goal");
}

#[test]
fn one_that_needs_help_says_so_once_for_each_time() {
    let (mut world, id) = with_goal(json!({}));
    for word in ["errored", "errored", "in-progress", "errored"] {
        signal(&mut world, &id, word);
    }
    assert_eq!(world.events("agent.blocked").len(), 2);
    assert!(world.stopped.is_empty());
}

#[test]
fn the_end_of_the_program_is_a_goal_or_the_end_of_one() {
    let rows = [
        ("agent_exit", Some(0), "agent.completed"),
        ("agent_exit", Some(3), "agent.failed"),
        ("agent_signal", Some(0), "agent.failed"),
        ("agent_exit", None, "agent.failed"),
    ];
    for (kind, code, event) in rows {
        let (mut world, id) = with_goal(json!({ "type": kind }));
        match code {
            Some(code) => {
                world.exit(&id, code);
                world.feed();
            }
            None => {
                world.running.remove(&id);
                world.disconnect(&id);
                world.pass(6);
                assert_eq!(world.checks, std::slice::from_ref(&id));
                world.step(Msg::Life { agent: id.clone(), runs: false });
            }
        }
        assert_eq!(world.events(event).len(), 1, "{kind} {code:?}");
    }
}

#[test]
fn what_ended_while_the_daemon_was_away_is_told_when_it_comes_back() {
    let (mut world, id) = with_goal(json!({ "type": "agent_exit" }));
    world.kill();
    world.exit(&id, 0);
    world.start();
    world.feed();
    assert_eq!(world.events("agent.completed").len(), 1);
}

#[test]
fn a_goal_that_is_looked_at_is_looked_at_until_it_is_reached() {
    let (mut world, id) = with_goal(json!({ "type": "command", "settings": { "run": "x", "every": 5 } }));
    for (found, stopped) in
        [(GoalStatus::Pending, 0), (GoalStatus::InProgress, 0), (GoalStatus::Completed, 1)]
    {
        while world.goals.is_empty() {
            world.pass(1);
        }
        let job = world.goals.remove(0);
        world.step(Msg::Progressed { task: job.task, found: Ok(Progress { status: found, summary: None }) });
        assert_eq!(world.stopped.len(), stopped);
    }
    assert_eq!(world.stopped, [id]);
}

#[test]
fn a_ticket_that_is_done_ends_whoever_was_there_for_it() {
    let mut world = World::new("");
    let mut record = world.record(1, Some("ada"));
    record
        .other
        .insert("goal".to_owned(), json!({ "type": "ticket_done", "settings": { "ticket": "sb_a7Kx2m" } }));
    let id = world.begin(record);
    for ticket in ["sb_zzzzzz", "sb_a7Kx2m"] {
        let line = json!({
            "v": 1, "id": "01J00000000000000000000000", "ts": world.now.to_string(), "event": "status.done",
            "ticket": ticket, "actor": "human",
        });
        world.log.push(serde_json::from_str(&line.to_string()).expect("an event"));
        world.feed();
        assert_eq!(world.stopped.is_empty(), ticket == "sb_zzzzzz");
    }
    assert_eq!(world.stopped, [id]);
}

#[test]
fn time_is_up_and_stands_still_while_a_person_has_the_agent() {
    let (mut world, id) = with_goal(json!({ "type": "agent_signal", "max_seconds": 100 }));
    world.pass(60);
    world.write("agent.claimed", json!({ "agent": id }));
    world.feed();
    world.pass(1_000);
    assert!(world.stopped.is_empty(), "the clock stands still");
    signal(&mut world, &id, "completed");
    assert!(world.stopped.is_empty(), "the person has the word");
    signal(&mut world, &id, "in-progress");
    // Not even a restart of the daemon sets the clock going.
    world.kill();
    world.start();
    world.register(&id);
    world.pass(1_000);
    assert!(world.stopped.is_empty());
    world.write("agent.unclaimed", json!({ "agent": id }));
    world.feed();
    world.pass(39);
    assert!(world.stopped.is_empty());
    world.pass(2);
    assert_eq!(world.stopped, [id]);
    assert_eq!(world.events("agent.timed-out").len(), 1);
}

#[test]
fn what_was_reached_while_claimed_counts_when_it_is_given_back() {
    let (mut world, id) = with_goal(json!({}));
    world.write("agent.claimed", json!({ "agent": id }));
    world.feed();
    signal(&mut world, &id, "completed");
    assert!(world.stopped.is_empty());
    world.write("agent.unclaimed", json!({ "agent": id }));
    world.feed();
    assert_eq!(world.stopped, [id]);
}

#[test]
fn a_stall_is_told_once_until_the_agent_does_something() {
    let (mut world, id) = with_goal(json!({ "stall_seconds": 60 }));
    world.pass(59);
    assert!(world.events("agent.stalled").is_empty());
    world.pass(2);
    world.pass(500);
    assert_eq!(world.events("agent.stalled").len(), 1);
    for state in ["working", "idle"] {
        world.write("agent.state", json!({ "agent": id, "state": state }));
        world.feed();
        world.pass(10);
    }
    world.pass(61);
    assert_eq!(world.events("agent.stalled").len(), 2);
}

#[test]
fn a_goal_can_be_set_while_the_agent_runs() {
    let mut world = World::new("");
    let record = world.record(1, None);
    let id = world.begin(record);
    world
        .write("goal.set", json!({ "agent": id, "type": "agent_signal", "settings": {}, "max_seconds": 10 }));
    world.feed();
    assert_eq!(status(&mut world), GoalStatus::Pending);
    world.pass(11);
    assert_eq!(world.stopped, [id]);
}

#[test]
fn one_that_a_person_ended_has_not_failed() {
    let (mut world, id) = with_goal(json!({}));
    world.write("agent.terminated", json!({ "agent": id }));
    world.exit(&id, 143);
    world.feed();
    assert!(world.events("agent.failed").is_empty());
}

#[test]
fn an_outbox_that_cannot_be_closed_is_closed_later_and_nobody_vanishes_twice() {
    let (mut world, id) = with_goal(json!({}));
    world.exit(&id, 0);
    world.feed();
    // The keeper's word that it is closed never comes.
    world.lose_closings();
    world.pass(25);
    assert!(world.checks.is_empty() && world.events("agent.vanished").is_empty());
    let record = world.record(2, Some("ada"));
    let next = world.begin(record);
    assert!(world.unregistered.contains(&next), "the seat is not free yet");
    world.keep_delivering();
    world.pass(1);
    assert!(world.unregistered.is_empty());
}

#[test]
fn an_agent_cannot_say_that_another_goal_than_its_word_is_reached() {
    let (mut world, id) = with_goal(json!({ "type": "command", "settings": { "run": "x" } }));
    let line = |status: &str| {
        json!({
            "v": 1, "id": "01J00000000000000000000000", "ts": world.now.to_string(), "event": "goal.signalled",
            "actor": "ada", "session": "s-1", "data": { "agent": id, "status": status },
        })
    };
    let lines = [line("in-progress"), line("completed")];
    for line in lines {
        world.log.push(serde_json::from_str(&line.to_string()).expect("an event"));
    }
    world.feed();
    assert!(world.stopped.is_empty());
    assert_eq!(status(&mut world), GoalStatus::InProgress);
    // A person may.
    signal(&mut world, &id, "completed");
    assert_eq!(world.stopped, [id]);
}

#[test]
fn no_time_is_so_long_that_it_breaks_anything() {
    let (mut world, id) = with_goal(json!({ "max_seconds": u64::MAX, "stall_seconds": u64::MAX }));
    world.pass(1_000_000);
    assert!(world.stopped.is_empty());
    world.write("goal.set", json!({ "agent": id, "type": "agent_signal", "max_seconds": u64::MAX }));
    world.feed();
    world.pass(1);
}
