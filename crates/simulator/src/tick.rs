//! The loop, as the conductor runs it: it looks, does what the planner says, and lets the queue go on. All that it keeps
//! to itself is gone when it is killed, and it may be killed between any two effects.

use std::collections::BTreeMap;

use signalbox_core::escalation::{Kind, Question, Wish};
use signalbox_core::orchestra::queue::{Input, Queue, Settings};
use signalbox_core::orchestra::{
    EndReason, Ended, Fleet, Item, Job as Seen, Plan, Pool, Running, Step, plan,
};
use signalbox_core::work::{Start, Tests};
use signalbox_core::{
    AttemptReport, Command, Ending, Outcome, Role, SessionId, Status, Ticket, TicketId, Who,
    open_dependencies,
};

use crate::agent::{self, Agent};
use crate::checks;
use crate::world::{Stop, Workspace, World, Wrote, project};

/// One process of the loop.
pub struct Loop {
    pub number: usize,
    pub queue: Queue,
    pub jobs: Vec<Job>,
    /// What the queue is told next.
    pub input: Input,
    /// When the last plan said that something changes by time alone.
    pub next: Option<jiff::Timestamp>,
    pub is_settled: bool,
    /// How often in a row a workspace could not be set up, and whether a person was asked about it at the last look.
    set_ups: u32,
    asked: bool,
}

/// What is being done beside looking.
#[derive(Debug, Clone)]
pub struct Job {
    pub due: i64,
    pub doing: Doing,
}

#[derive(Debug, Clone)]
pub enum Doing {
    Prepare {
        ticket: TicketId,
        role: Role,
    },
    CheckTests {
        ticket: TicketId,
        commit: String,
    },
    End {
        agent: SessionId,
        reason: EndReason,
    },
    /// Not to be tried again for a while.
    Rest {
        ticket: TicketId,
        until: jiff::Timestamp,
    },
    Build {
        run: u64,
        onto: String,
        entries: Vec<(TicketId, String)>,
    },
    Validate {
        run: u64,
        tip: String,
    },
}

impl Loop {
    pub fn new(number: usize) -> Self {
        let (queue, input) = (Queue::new(Settings { batch: 4, ..Settings::default() }), Input::Look);
        Self {
            number,
            queue,
            jobs: Vec::new(),
            input,
            next: None,
            is_settled: false,
            set_ups: 0,
            asked: false,
        }
    }

    pub fn begin(&mut self, world: &mut World, least: i64, most: i64, doing: Doing) {
        let due = world.elapsed + world.dice.between(least, most);
        self.jobs.push(Job { due, doing });
    }

    /// One look and what follows from it.
    pub fn turn(&mut self, world: &mut World) -> Result<(), Stop> {
        let is_asked = world.setup_question().is_some();
        if std::mem::replace(&mut self.asked, is_asked) && !is_asked {
            self.set_ups = 0;
            self.jobs.retain(|job| !matches!(job.doing, Doing::Rest { .. }));
        }
        let plan = self.look(world)?;
        self.next = plan.next;
        self.is_settled = plan.steps.is_empty() && self.jobs.is_empty() && checks::is_settled(world, &plan);
        for step in &plan.steps {
            if let Step::Start { ticket, role, .. } = step
                && let Some(ticket) = world.board.ticket(ticket)
            {
                world.watch.start_asked(world, ticket, *role).map_err(Stop::Broken)?;
                if is_asked && *role != Role::Reviewer {
                    let what = format!("{} begins, and no workspace can be set up", ticket.id);
                    return Err(Stop::Broken(what));
                }
            }
        }
        for step in plan.steps {
            world.moment()?;
            self.take(world, step)?;
        }
        self.clean(world)
    }

    /// Why the tickets are where they are that could go on.
    pub fn why(&self, world: &World) -> Result<Vec<String>, Stop> {
        let plan = self.look(world)?;
        let stuck = plan.why.iter().filter(|(_, why)| !checks::is_persons(why));
        Ok(stuck.map(|(id, why)| format!("{id}: {why}")).collect())
    }

    fn look(&self, world: &World) -> Result<Plan, Stop> {
        let board = &world.board;
        let items: Vec<Item<'_>> = board
            .tickets()
            .map(|ticket| {
                let escalation = world.book.blocking(&ticket.id).first().map(|one| one.id.clone());
                Item::of(ticket, open_dependencies(board, ticket), escalation, world.predicted(&ticket.id))
            })
            .collect();
        let mut limits = world.limits.clone();
        for project in limits.projects.values_mut() {
            project.setup_question = world.setup_question();
        }
        let plan = plan(&items, &self.fleet(world), &limits, world.now);
        if plan.why.len() == items.len() {
            Ok(plan)
        } else {
            Err(Stop::Broken("a ticket has no reason to be where it is".to_owned()))
        }
    }

    fn fleet(&self, world: &World) -> Fleet {
        let wanted = |agent: &&Agent| {
            let start = world.board.ticket(&agent.ticket).and_then(|ticket| ticket.work.start.as_ref());
            agent.is_alive() || start.is_some_and(|start| start.session == agent.session)
        };
        let agents = world.agents.iter().filter(wanted).map(|agent| self.running(world, agent)).collect();
        let pools = world
            .pools
            .iter()
            .map(|(name, until)| Pool { name: name.clone(), exhausted_until: Some(*until) });
        let jobs = self.jobs.iter().filter_map(|job| match &job.doing {
            Doing::Prepare { ticket, .. } => Some(Seen::Prepare(ticket.clone())),
            Doing::CheckTests { ticket, .. } => Some(Seen::CheckTests(ticket.clone())),
            Doing::End { agent, .. } => Some(Seen::End(agent.clone())),
            Doing::Rest { ticket, until } => Some(Seen::Rests {
                ticket: ticket.clone(),
                why: "The disk is full.".to_owned(),
                until: *until,
            }),
            Doing::Build { .. } | Doing::Validate { .. } => None,
        });
        let fails = Seen::CannotSetUp { project: project(), times: self.set_ups };
        let jobs = jobs.chain((self.set_ups > 0).then_some(fails)).collect();
        Fleet { agents, jobs, pools: pools.collect() }
    }

    fn running(&self, world: &World, agent: &Agent) -> Running {
        let changed = world.workspaces.get(&agent.ticket).map(|workspace| {
            let committed = world.git.changes(&workspace.base, &workspace.tip).into_keys();
            committed.chain(workspace.uncommitted.keys().cloned()).collect()
        });
        // A record whose loop was killed before the process ran will never be anybody.
        let never_came = !agent.spawned && agent.by != self.number;
        Running {
            name: agent.name.clone(),
            session: agent.session.clone(),
            ticket: agent.ticket.clone(),
            role: agent.role,
            pool: agent.pool.clone(),
            since: agent.since,
            active: agent.active,
            waits_for_person: agent.waits,
            cut_short: false,
            claimed: agent.claimed,
            changed: changed.unwrap_or_default(),
            ending: agent.ending,
            ended: agent.ended.or(never_came.then_some(Ended::NeverBegan)),
        }
    }

    fn take(&mut self, world: &mut World, step: Step) -> Result<(), Stop> {
        match step {
            Step::Start { ticket, role, .. } => {
                self.begin(world, 1, 10, Doing::Prepare { ticket, role });
            }
            Step::CheckTests { ticket, commit } => {
                self.begin(world, 5, 60, Doing::CheckTests { ticket, commit });
            }
            Step::End { agent, reason } => self.begin(world, 0, 10, Doing::End { agent, reason }),
            Step::RecordEnd { ticket, mut report, ending } => {
                if let Some(workspace) = world.workspaces.get(&ticket) {
                    report.diff = Some(format!("{:?}", world.git.changes(&workspace.base, &workspace.tip)));
                }
                world.write_from_loop(&Command::EndAttempt { id: ticket, report, ending })?;
            }
            Step::Enqueue { ticket } => {
                world.write_from_loop(&Command::Queue { id: ticket })?;
            }
            Step::Escalate { ticket, question, key, .. } => {
                let asked = Question {
                    kind: Kind::RepeatedFailure,
                    question: format!("What now? ({})", question.words()),
                    ticket,
                    key: Some(key),
                    ..Question::default()
                };
                world.moment()?;
                let wrote = world.ask(&Who::System, &Wish::Raise(asked))?;
                if let Wrote::Refused(code) = wrote {
                    return Err(Stop::Broken(format!("a question was refused: {code}")));
                }
                world.moment()?;
            }
            Step::Withdraw { escalation, .. } => {
                world.ask(&Who::System, &Wish::Withdraw { id: escalation, reason: String::new() })?;
            }
        }
        Ok(())
    }

    /// Do what is due. Whatever does not work is asked for again.
    pub fn finish(&mut self, world: &mut World) -> Result<(), Stop> {
        while let Some(at) = self.jobs.iter().position(|job| job.due <= world.elapsed) {
            let job = self.jobs.remove(at);
            world.moment()?;
            match job.doing {
                Doing::Prepare { ticket, role } => self.prepared(world, &ticket, role)?,
                Doing::CheckTests { ticket, commit } => Self::tests_checked(world, &ticket, &commit)?,
                Doing::End { agent, reason } => Self::end(world, &agent, reason)?,
                Doing::Rest { .. } => {}
                Doing::Build { run, onto, entries } => self.built(world, run, &onto, &entries)?,
                Doing::Validate { run, tip } => self.validated(world, run, &tip)?,
            }
        }
        Ok(())
    }

    /// A workspace, a record, a word in the log, and only then a process.
    fn prepared(&mut self, world: &mut World, id: &TicketId, role: Role) -> Result<(), Stop> {
        if world.disk_is_full() {
            world.say(format!("no workspace for {id}: the disk is full"));
            let until = world.now + jiff::SignedDuration::from_secs(15);
            self.begin(world, 15, 15, Doing::Rest { ticket: id.clone(), until });
            return Ok(());
        }
        let (Some(ticket), Some(topic)) = (world.board.ticket(id).cloned(), world.topics.get(id).cloned())
        else {
            return Ok(());
        };
        let main = world.git.main.clone();
        // What was not set up is set up the next time.
        if role != Role::Reviewer && world.set_up_fails() {
            world.say(format!("no workspace for {id}: its set-up fails"));
            self.set_ups += 1;
            let until = world.now + jiff::SignedDuration::from_secs(15);
            self.begin(world, 15, 15, Doing::Rest { ticket: id.clone(), until });
            return Ok(());
        }
        self.set_ups = if role == Role::Reviewer { self.set_ups } else { 0 };
        if !world.workspaces.contains_key(id) {
            let tip = Self::begin_from(world, &ticket, &main);
            let workspace = Workspace { tip, base: main.clone(), uncommitted: BTreeMap::new() };
            world.workspaces.insert(id.clone(), workspace);
        }
        world.moment()?;
        let number = world.agents.len();
        let session =
            SessionId::parse(&format!("s{number}")).map_err(|error| Stop::Broken(error.to_string()))?;
        let pool = world.project_limits().pool(role).unwrap_or("three").to_owned();
        let (name, acts) = (format!("Ada{number}"), agent::acts(world, &topic, role));
        world.agents.push(Agent {
            name: name.clone(),
            session: session.clone(),
            ticket: id.clone(),
            role,
            pool,
            since: world.now,
            active: world.now,
            waits: false,
            claimed: false,
            ending: None,
            ended: None,
            spawned: false,
            by: self.number,
            acts,
            hangs: false,
            quiet_since: world.elapsed,
        });
        let start = Start { role, agent: name, session, branch: "area/slug".to_owned(), base: main };
        let wrote = world.write_from_loop(&Command::Start { id: id.clone(), start })?;
        if let (Wrote::Done(_), Some(agent)) = (wrote, world.agents.get_mut(number)) {
            agent.spawned = true;
        }
        world.moment()
    }

    /// Main, with the tests that were written for the ticket on top.
    fn begin_from(world: &mut World, ticket: &Ticket, main: &str) -> String {
        let Some(tests) = &ticket.work.tests else { return main.to_owned() };
        let mut files = world.git.files(main);
        let of_tests = world.git.files(&tests.commit);
        let written = tests.files.iter().filter_map(|path| Some((path.clone(), of_tests.get(path)?.clone())));
        files.extend(written);
        world.git.commit(Some(main), files, None)
    }

    fn tests_checked(world: &mut World, id: &TicketId, commit: &str) -> Result<(), Stop> {
        let (report, ending) = match checks::red(world, commit) {
            Ok(files) => {
                let tests = Tests { commit: commit.to_owned(), files };
                (AttemptReport::new(Outcome::Completed, ""), Ending::TestsReady(tests))
            }
            Err(message) => {
                let failure = Some(message.clone());
                let report = AttemptReport { failure, ..AttemptReport::new(Outcome::GaveUpTests, message) };
                (report, Ending::Pool)
            }
        };
        // What was handed in may have been taken back meanwhile.
        let ticket = world.board.ticket(id);
        let handed = ticket.and_then(|ticket| ticket.work.submission.as_ref());
        if handed.is_some_and(|submission| submission.handed.commit == commit) {
            let report = Box::new(report);
            world.write_from_loop(&Command::EndAttempt { id: id.clone(), report, ending })?;
        }
        Ok(())
    }

    fn end(world: &mut World, session: &SessionId, reason: EndReason) -> Result<(), Stop> {
        let Some(at) = world.agents.iter().position(|agent| agent.session == *session) else { return Ok(()) };
        world.agents[at].ending.get_or_insert(reason);
        world.moment()?;
        if world.agents[at].ended.is_none() {
            world.agents[at].ended = Some(Ended::Signal { number: 15 });
            let name = world.agents[at].name.clone();
            world.say(format!("{name} is ended, because {reason}"));
        }
        Ok(())
    }

    /// Take away the workspaces of tickets that are done. Everything in one is kept first.
    fn clean(&mut self, world: &mut World) -> Result<(), Stop> {
        let is_wanted = |id: &TicketId| {
            let is_done = world.board.ticket(id).is_some_and(|ticket| ticket.status == Status::Done);
            let prepares = |job: &Job| matches!(&job.doing, Doing::Prepare { ticket, .. } if ticket == id);
            !is_done || world.alive().contains(id) || self.jobs.iter().any(prepares)
        };
        let due: Vec<TicketId> = world.workspaces.keys().filter(|id| !is_wanted(id)).cloned().collect();
        for id in due {
            let Some(workspace) = world.workspaces.get(&id).cloned() else { continue };
            if world.disk_is_full() {
                continue;
            }
            world.keeps.push(workspace);
            world.moment()?;
            world.workspaces.remove(&id);
            world.moment()?;
        }
        Ok(())
    }
}
