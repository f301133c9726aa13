//! Agents as they are: some do what they should, and all the others.

use jiff::Timestamp;
use signalbox_core::orchestra::{EndReason, Ended};
use signalbox_core::work::{Handed, Place};
use signalbox_core::{AttemptReport, Command, Outcome, Role, SessionId, TicketId, Who};

use crate::git::Files;
use crate::world::{Stop, Topic, World};

/// One agent's process and its record.
#[derive(Debug, Clone)]
pub struct Agent {
    pub name: String,
    pub session: SessionId,
    pub ticket: TicketId,
    pub role: Role,
    pub pool: String,
    pub since: Timestamp,
    pub active: Timestamp,
    pub waits: bool,
    pub claimed: bool,
    pub ending: Option<EndReason>,
    pub ended: Option<Ended>,
    /// Its process runs. Until then only its record is there.
    pub spawned: bool,
    /// The loop that wrote the record; if that dies before the process runs, it never will.
    pub by: usize,
    /// What it will do, and when.
    pub acts: Vec<(i64, Act)>,
    pub hangs: bool,
    /// When it really gave its last sign of life.
    pub quiet_since: i64,
}

#[derive(Debug, Clone)]
pub enum Act {
    Change(String, Option<String>),
    Commit,
    /// Forget where the branch came from.
    Uproot,
    Submit,
    GiveUp(Outcome),
    /// Let go without a word.
    LetGo,
    Review,
    Approve,
    Reject,
    Wait,
    Quota,
    Hang,
    Exit(i32),
    Crash,
}

impl Agent {
    pub fn is_alive(&self) -> bool {
        self.spawned && self.ended.is_none()
    }

    pub fn who(&self) -> Who {
        Who::Agent(signalbox_core::Agent {
            name: self.name.clone(),
            session: self.session.clone(),
            lineage: Vec::new(),
        })
    }
}

/// What an agent in this role will do: mostly what it should.
pub fn acts(world: &mut World, topic: &Topic, role: Role) -> Vec<(i64, Act)> {
    let letter = topic.letter;
    let misbehaves = world.faults.agents && world.dice.once_in(2);
    let trouble = if misbehaves { world.dice.below(12) } else { 99 };
    let own = format!("src/{letter}.rs");
    let test = format!("tests/{letter}.rs");
    let content = format!("impl {letter} {} {}", topic.marker.unwrap_or_default(), world.dice.below(3));
    let change = |path: &str, content: &str| Act::Change(path.to_owned(), Some(content.to_owned()));
    let acts: Vec<Act> = match (role, trouble) {
        (_, 0) => vec![Act::Crash],
        (_, 1) => vec![Act::Hang],
        (_, 2) => vec![Act::Exit(0)],
        (_, 3) => vec![Act::Quota, Act::Hang],
        (_, 4) => vec![Act::Wait, Act::Hang],
        (_, 5) => vec![Act::GiveUp(Outcome::GaveUpTests), Act::Exit(0)],
        (_, 6) => vec![Act::LetGo, Act::Hang],
        (Role::Reviewer, 7..=9) => vec![Act::Review, Act::Crash],
        (Role::Reviewer, 10) => vec![Act::Reject, Act::Hang],
        (Role::Reviewer, 11) => vec![Act::Reject, Act::Exit(0)],
        (Role::Reviewer, _) => vec![Act::Review, Act::Approve, Act::Exit(0)],
        // Tests that pass already, and work that is none of its business.
        (Role::TestWriter, 7) => vec![change(&test, ""), Act::Commit, Act::Submit, Act::Exit(0)],
        (Role::TestWriter, 8) => vec![change(&own, &content), Act::Commit, Act::Submit, Act::Exit(0)],
        (Role::TestWriter, 9) => vec![Act::Submit, Act::Exit(0)],
        (Role::TestWriter, _) => {
            vec![change(&test, &format!("expects {letter}")), Act::Commit, Act::Submit, Act::Exit(0)]
        }
        (_, 7) => vec![change(&own, "garbage"), Act::Commit, Act::Submit, Act::Exit(0)],
        (_, 8) => vec![Act::Change(test, None), change(&own, "x"), Act::Commit, Act::Submit, Act::Exit(0)],
        (_, 9) => vec![change(&own, &content), Act::Uproot, Act::Submit, Act::Exit(0)],
        (_, 10) => vec![
            change(&own, &content),
            Act::Commit,
            Act::Submit,
            change(&own, "garbage"),
            Act::Commit,
            Act::Submit,
        ],
        (_, 11) => vec![change(&own, &content), Act::Submit, Act::Exit(0)],
        _ => {
            let mut acts = vec![change(&own, &content)];
            acts.extend(topic.shared.as_ref().map(|shared| change(shared, &format!("by {letter}"))));
            let last = [Act::Exit(0), Act::Hang][world.dice.below(2)].clone();
            acts.extend([Act::Commit, Act::Submit, last]);
            acts
        }
    };
    let mut at = world.elapsed;
    acts.into_iter()
        .map(|act| {
            at += world.dice.between(2, 90);
            (at, act)
        })
        .collect()
}

/// Let every agent do what it is time for.
pub fn act_all(world: &mut World) -> Result<(), Stop> {
    for at in 0..world.agents.len() {
        if !world.agents[at].is_alive() {
            continue;
        }
        if !world.agents[at].hangs && !world.agents[at].waits {
            world.agents[at].active = world.now;
            world.agents[at].quiet_since = world.elapsed;
        }
        while world.agents[at].is_alive()
            && world.agents[at].acts.first().is_some_and(|(due, _)| *due <= world.elapsed)
        {
            let (_, act) = world.agents[at].acts.remove(0);
            one(world, at, act)?;
        }
    }
    Ok(())
}

fn one(world: &mut World, at: usize, act: Act) -> Result<(), Stop> {
    let agent = world.agents[at].clone();
    let (id, who) = (agent.ticket.clone(), agent.who());
    world.say(format!("{} does {act:?}", agent.name));
    match act {
        Act::Change(path, content) => {
            let Some(workspace) = world.workspaces.get_mut(&id) else { return Ok(()) };
            // What is taken away is told from what is there by being empty.
            let content = content.unwrap_or_default();
            let before = workspace.uncommitted.insert(path.clone(), content.clone());
            // What an agent itself writes over is nobody's loss.
            world.watch.written.retain(|(at, old)| *at != path || Some(old) != before.as_ref());
            if !content.is_empty() {
                world.watch.written.push((path, content));
            }
        }
        Act::Commit => commit(world, &id, true),
        Act::Uproot => commit(world, &id, false),
        Act::Submit => {
            let Some(workspace) = world.workspaces.get(&id) else { return Ok(()) };
            let handed = Handed {
                commit: workspace.tip.clone(),
                branch: "area/slug".to_owned(),
                place: Place::Workspace,
            };
            let note = Some("It works now.".to_owned());
            world.write(&who, &Command::Submit { id, note, handed: Some(handed) })?;
        }
        Act::GiveUp(outcome) => {
            let report = Some(AttemptReport::new(outcome, "It is too hard."));
            world.write(&who, &Command::Release { id, reason: String::new(), report })?;
        }
        Act::LetGo => {
            world.write(&who, &Command::Release { id, reason: String::new(), report: None })?;
        }
        Act::Review => {
            world.write(&who, &Command::Review { id })?;
        }
        Act::Approve => {
            world.write(&who, &Command::Approve { id, note: None })?;
        }
        Act::Reject => {
            world.write(&who, &Command::Reject { id, reason: "A case is missing.".to_owned() })?;
        }
        Act::Wait => world.agents[at].waits = true,
        Act::Quota => {
            let until = world.now + jiff::SignedDuration::from_mins(world.dice.between(10, 180));
            world.pools.insert(agent.pool, until);
        }
        Act::Hang => world.agents[at].hangs = true,
        Act::Exit(code) => world.agents[at].ended = Some(Ended::Exit { code }),
        Act::Crash => world.agents[at].ended = Some(Ended::Signal { number: 11 }),
    }
    Ok(())
}

fn commit(world: &mut World, id: &TicketId, on_top: bool) {
    let Some(workspace) = world.workspaces.get(id) else { return };
    let mut files: Files = if on_top { world.git.files(&workspace.tip) } else { Files::new() };
    for (path, content) in &workspace.uncommitted {
        if content.is_empty() && path.starts_with("tests/") {
            files.remove(path);
        } else {
            files.insert(path.clone(), content.clone());
        }
    }
    let parent = workspace.tip.clone();
    let tip = world.git.commit(on_top.then_some(parent.as_str()), files, None);
    if let Some(workspace) = world.workspaces.get_mut(id) {
        workspace.tip = tip;
        workspace.uncommitted.clear();
    }
}
