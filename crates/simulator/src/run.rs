//! One whole run from a seed: first everything goes wrong that can, then nothing does, and all must settle.

use std::fmt::Write as _;

use crate::merging::Ghost;
use crate::tick::{Doing, Loop};
use crate::world::{Faults, Stop, World};
use crate::{agent, person};
use signalbox_core::escalation::Escalation;
use signalbox_core::orchestra::{Control, Question};

/// How many steps things go wrong, and how many there are for all to settle after that.
const CHAOS: usize = 120;
const CALM: usize = 3_000;
/// How much of what happened is shown.
const SHOWN: usize = 150;

/// What a run came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    pub steps: usize,
    pub events: usize,
    pub kills: usize,
    pub agents: usize,
    /// Moves of main by the queue.
    pub moves: usize,
    pub done: usize,
    /// Questions about set-ups that fail.
    pub set_ups: usize,
}

impl Summary {
    pub fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.events += other.events;
        self.kills += other.kills;
        self.agents += other.agents;
        self.moves += other.moves;
        self.done += other.done;
        self.set_ups += other.set_ups;
    }
}

/// A seed for which something was not as it must be.
#[derive(Debug, Clone)]
pub struct Failure {
    pub seed: u64,
    pub what: String,
    trace: Vec<String>,
}

impl Failure {
    /// What happened, for people: the end of the story, and how to see it again.
    pub fn story(&self) -> String {
        let mut text = String::new();
        for line in self.trace.iter().skip(self.trace.len().saturating_sub(SHOWN)) {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "seed {}: {}", self.seed, self.what);
        let _ = writeln!(text, "again: cargo xtask sim --seed {}", self.seed);
        text
    }
}

/// Run a seed to its end.
pub fn run(seed: u64) -> Result<Summary, Box<Failure>> {
    let mut world = match World::new(seed) {
        Ok(world) => world,
        Err(stop) => return Err(Box::new(Failure { seed, what: format!("{stop:?}"), trace: Vec::new() })),
    };
    let result = story(&mut world);
    match result {
        Ok(steps) => Ok(Summary {
            steps,
            events: world.log.len(),
            kills: world.kills,
            agents: world.agents.len(),
            moves: world.git.moves.iter().filter(|step| step.by_queue).count(),
            done: world.board.tickets().filter(|t| t.status == signalbox_core::Status::Done).count(),
            set_ups: world.book.iter().filter(|one| is_about_set_up(one)).count(),
        }),
        Err(stop) => {
            let what = if let Stop::Broken(what) = stop { what } else { "killed at the end".to_owned() };
            Err(Box::new(Failure { seed, what, trace: world.trace }))
        }
    }
}

fn is_about_set_up(one: &Escalation) -> bool {
    one.asked.key.as_ref().is_some_and(|key| key.starts_with(Question::SetUp.as_str()))
}

fn story(world: &mut World) -> Result<usize, Stop> {
    // Not everything goes wrong in every run, so that each kind of trouble is also seen alone.
    let faults = Faults { kill: 25, disk: 40, clock: 60, person: 1, flaky: 12, set_up: 2, agents: true };
    let mut on = |often: usize| if world.dice.once_in(3) { 0 } else { often };
    world.faults = Faults {
        kill: on(faults.kill),
        disk: on(faults.disk),
        clock: on(faults.clock),
        person: on(faults.person),
        flaky: on(faults.flaky),
        set_up: on(faults.set_up),
        agents: on(1) == 1,
    };
    let mut ghosts: Vec<Ghost> = Vec::new();
    let mut conductor = Loop::new(0);
    for _ in 0..CHAOS {
        let seconds = world.dice.between(1, 40);
        step(world, &mut conductor, &mut ghosts, seconds)?;
    }
    world.faults = Faults { agents: world.faults.agents, ..Faults::default() };
    world.set_control(Control::Running);
    for agent in &mut world.agents {
        agent.claimed = false;
    }
    world.say("all is calm");
    let calm_since = world.elapsed;
    for number in 0..CALM {
        let seconds = until_next(world, &conductor);
        step(world, &mut conductor, &mut ghosts, seconds)?;
        world.watch.check_calm(world, calm_since).map_err(Stop::Broken)?;
        if conductor.is_settled && ghosts.is_empty() {
            world.watch.check_end(world).map_err(Stop::Broken)?;
            return Ok(CHAOS + number);
        }
    }
    let words = conductor.why(world)?.join("; ");
    Err(Stop::Broken(format!("nothing has gone wrong for long, and not everything has settled: {words}")))
}

/// How long until something happens.
fn until_next(world: &World, conductor: &Loop) -> i64 {
    let acts = world.agents.iter().filter(|agent| agent.is_alive()).filter_map(|agent| agent.acts.first());
    let acts = acts.map(|(due, _)| due - world.elapsed);
    let jobs = conductor.jobs.iter().map(|job| job.due - world.elapsed);
    let clock = |at: jiff::Timestamp| at.duration_since(world.now).as_secs() + 1;
    let planned = conductor.next.into_iter().map(clock);
    let rests = conductor.queue.trouble().into_iter().map(|(_, until)| clock(until));
    acts.chain(jobs)
        .chain(planned)
        .chain(rests.filter(|left| *left > 0))
        .min()
        .unwrap_or(30)
        .clamp(1, 4 * 3600)
}

fn step(world: &mut World, conductor: &mut Loop, ghosts: &mut Vec<Ghost>, seconds: i64) -> Result<(), Stop> {
    world.pass(seconds);
    agent::act_all(world)?;
    person::act(world, 8)?;
    let mut waiting = Vec::new();
    for mut ghost in ghosts.drain(..) {
        if !ghost.haunt(world)? {
            waiting.push(ghost);
        }
    }
    *ghosts = waiting;
    match go(world, conductor) {
        Err(Stop::Killed) => {
            world.say("the loop is killed");
            ghosts.extend(Ghost::of(world, conductor));
            person::act(world, 2)?;
            *conductor = Loop::new(conductor.number + 1);
            if world.dice.once_in(4) {
                world.pass(600);
            }
        }
        other => other?,
    }
    world.watch.check(world).map_err(Stop::Broken)
}

fn go(world: &mut World, conductor: &mut Loop) -> Result<(), Stop> {
    conductor.finish(world)?;
    conductor.turn(world)?;
    conductor.merge(world)?;
    // What the queue did may have left something to be looked at.
    let is_merging =
        conductor.jobs.iter().any(|job| matches!(job.doing, Doing::Build { .. } | Doing::Validate { .. }));
    conductor.is_settled = conductor.is_settled && !is_merging;
    Ok(())
}
