//! What must never be untrue, whatever happens. It judges by the events and the repository, and asks no rule.

use std::collections::{BTreeMap, BTreeSet};

use signalbox_core::escalation::Book;
use signalbox_core::orchestra::overlap;
use signalbox_core::work::{Merge, Work};
use signalbox_core::{Board, Event, Fact, Role, SessionId, Status, Ticket, TicketId};

use crate::agent::Agent;
use crate::world::World;

type Verdict = Result<(), String>;

/// How long ending an agent may take, in seconds, and how far the clock was set back before.
const SLACK: i64 = 3 * 3600;

/// What was seen so far.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// The trees that really passed.
    pub validated: BTreeSet<String>,
    /// What agents wrote, and has to be somewhere.
    pub written: Vec<(String, String)>,
    last_run: u64,
    /// By what was handed in, what it is on main.
    landed: BTreeMap<String, String>,
    started: BTreeSet<SessionId>,
}

fn must(holds: bool, words: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(words()) }
}

impl Watch {
    /// An event is about to be written.
    pub fn event(&mut self, world: &World, before: Option<&Ticket>, event: &Event, fact: &Fact) -> Verdict {
        let Some(before) = before else { return Ok(()) };
        let id = &before.id;
        match fact {
            Fact::AttemptStarted(start) => {
                let limits = world.project_limits();
                let is_free = before.work.start.is_none() && !before.escalated && before.hold.is_none();
                must(is_free, || format!("somebody was set to work on {id}, which is not free"))?;
                let counted = Work::counted(before);
                must(start.role == Role::Reviewer || counted < limits.attempts, || {
                    format!("{id} was tried again after {counted} attempts")
                })?;
                must(!world.alive().contains(id), || format!("two agents at once on {id}"))?;
                must(self.started.insert(start.session.clone()), || "a session was started twice".to_owned())
            }
            Fact::MergeStarted(to) => {
                must(before.status == Status::Review, || {
                    format!("{id} is merged while it is {}", before.status)
                })?;
                // Several tickets of one run are begun as one.
                let is_same = to.run == self.last_run
                    && world.log.last().is_some_and(|before| before.event == "merge.started");
                must(to.run > self.last_run || is_same, || {
                    format!("run {} after run {}", to.run, self.last_run)
                })?;
                self.last_run = to.run;
                Ok(())
            }
            Fact::MergeValidated(to) => {
                must(before.status == Status::Review, || {
                    format!("{id} is merged while it is {}", before.status)
                })?;
                let run = before.work.merge.as_ref().and_then(Merge::run);
                must(run == Some(to.run), || format!("run {} speaks for {id}, which {run:?} has", to.run))?;
                must(self.validated.contains(&to.tree), || format!("{} was never validated", to.tree))?;
                must(world.git.tree(&to.tip) == to.tree, || {
                    format!("{} is not the tree of {}", to.tree, to.tip)
                })
            }
            Fact::MergeLanding(to) => {
                must(before.status == Status::Review, || {
                    format!("{id} lands while it is {}", before.status)
                })?;
                let fits = matches!(&before.work.merge, Some(Merge::Validated(at)) if at.run == to.run && at.tip == to.to);
                must(fits, || format!("{id} lands what was not validated"))
            }
            Fact::MergeLanded(to) => {
                must(world.git.holds(&world.git.main, &to.landed), || {
                    format!("{} is not on main", to.landed)
                })?;
                let made_from = world.git.get(&to.landed).and_then(|commit| commit.made_from.clone());
                must(made_from.as_ref() == Some(&to.commit), || {
                    format!("{} is not what became of {}", to.landed, to.commit)
                })?;
                let before = self.landed.insert(to.commit.clone(), to.landed.clone());
                must(before.is_none_or(|before| before == to.landed), || {
                    format!("{} landed twice", to.commit)
                })
            }
            Fact::ReviewApproved(_) => {
                let author =
                    before.work.submission.as_ref().and_then(|submission| submission.session.as_ref());
                let is_own = event.session.is_some() && event.session.as_ref() == author;
                must(!is_own, || format!("{id} was approved by its own author"))
            }
            _ => Ok(()),
        }
    }

    /// Main was moved by the queue.
    pub fn main_moved(&self, world: &World, from: &str, to: &str) -> Verdict {
        let tree = world.git.tree(to);
        must(self.validated.contains(&tree), || format!("main is at {to}, which was never validated"))?;
        must(World::is_green(&world.git.files(to)), || format!("main is red at {to}"))?;
        must(world.git.holds(to, from), || format!("main went from {from} to {to}, which does not follow"))
    }

    /// The loop is about to set somebody to work on a ticket.
    pub fn start_asked(&self, world: &World, ticket: &Ticket, role: Role) -> Verdict {
        let limits = world.project_limits();
        let waited = world.now.duration_since(ticket.updated);
        if role == Role::Reviewer || waited >= limits.overlap || ticket.updated > world.now {
            return Ok(());
        }
        let own = world.predicted(&ticket.id);
        let clash =
            |other: &&&TicketId| **other != &ticket.id && overlap(&own, &world.predicted(other)).is_some();
        let alive = world.alive();
        let clash = alive.iter().find(clash);
        must(clash.is_none(), || {
            format!("{} was started beside {clash:?}, which changes the same", ticket.id)
        })
    }

    /// What holds at every moment.
    pub fn check(&self, world: &World) -> Verdict {
        let alive: Vec<&TicketId> =
            world.agents.iter().filter(|agent| agent.is_alive()).map(|agent| &agent.ticket).collect();
        let tickets: BTreeSet<&TicketId> = alive.iter().copied().collect();
        must(alive.len() == tickets.len(), || format!("two agents on one ticket: {alive:?}"))?;
        let most = world.project_limits().concurrency;
        must(alive.len() <= most, || format!("{} agents, and {most} may be", alive.len()))?;
        let owned = |session: &SessionId| self.started.contains(session);
        let stray = world.agents.iter().find(|agent| agent.is_alive() && !owned(&agent.session));
        must(stray.is_none(), || "an agent runs that nobody wrote down".to_owned())?;
        must(World::is_green(&world.git.files(&world.git.main)), || "main is red".to_owned())
    }

    /// What holds while nothing goes wrong: nobody is silent for much longer than may be.
    pub fn check_calm(&self, world: &World, calm_since: i64) -> Verdict {
        let most = world.project_limits().stall.as_secs() + SLACK;
        let silent =
            |agent: &&Agent| agent.is_alive() && world.elapsed - agent.quiet_since.max(calm_since) > most;
        let silent = world.agents.iter().find(silent);
        must(silent.is_none(), || {
            format!("{:?} has been silent for too long", silent.map(|agent| &agent.name))
        })
    }

    /// What holds at the end, when everybody has settled.
    pub fn check_end(&self, world: &World) -> Verdict {
        self.check_log(world)?;
        let history = world.git.history(&world.git.main);
        let mut made = BTreeSet::new();
        for commit in &history {
            let Some(made_from) = world.git.get(commit).and_then(|commit| commit.made_from.clone()) else {
                continue;
            };
            must(made.insert(made_from.clone()), || format!("{made_from} is on main twice"))?;
            must(self.landed.get(&made_from) == Some(commit), || {
                format!("{commit} is on main and nobody said so")
            })?;
        }
        for step in &world.git.moves {
            must(history.contains(&step.to), || format!("{} was main, and is not in its history", step.to))?;
            let tree = world.git.tree(&step.to);
            must(!step.by_queue || self.validated.contains(&tree), || format!("{tree} was never validated"))?;
        }
        self.nothing_is_lost(world)
    }

    /// The tickets and questions are what the log says, read back from its lines.
    fn check_log(&self, world: &World) -> Verdict {
        let (mut board, mut book) = (Board::default(), Book::default());
        for event in &world.log {
            let line = serde_json::to_string(event).map_err(|error| error.to_string())?;
            let read: Event = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            board.apply(&read).map_err(|error| error.to_string())?;
            book.apply(&read);
        }
        must(board == world.board, || "the tickets are not what the log says".to_owned())?;
        let pending = |book: &Book| book.pending().map(|one| one.id.clone()).collect::<Vec<_>>();
        must(pending(&book) == pending(&world.book), || "the questions are not what the log says".to_owned())
    }

    /// Every byte that an agent wrote is in a workspace, in a commit, or kept.
    fn nothing_is_lost(&self, world: &World) -> Verdict {
        let workspaces = world.workspaces.values().chain(&world.keeps);
        let loose: BTreeSet<(&String, &String)> =
            workspaces.flat_map(|workspace| &workspace.uncommitted).collect();
        for (path, content) in &self.written {
            let is_there = loose.contains(&(path, content)) || world.git.has(path, content);
            must(is_there, || format!("what was written to {path} is lost: {content}"))?;
        }
        Ok(())
    }
}
