//! The queue's part of the loop: what it wants done is done, and it is told what came of it.

use std::collections::BTreeMap;

use signalbox_core::landing::{self, Author, Changed};
use signalbox_core::orchestra::queue::{Action, Built, Input, Queue, Seen, Verdict, asks_about};
use signalbox_core::work::MergeTrouble;
use signalbox_core::{Command, TicketId, Who};

use crate::git::Merged;
use crate::tick::{Doing, Loop};
use crate::world::{Stop, World, Wrote, project};

/// How often the queue is asked at once before something must be wrong with it.
const MOST: usize = 200;

pub fn seen(world: &World) -> Seen {
    let asked = asks_about(world.board.tickets());
    let contained = asked.into_iter().filter(|commit| world.git.holds(&world.git.main, commit)).collect();
    Seen::of(world.board.tickets(), &project(), &world.git.main, contained, world.project_limits().lands())
}

impl Loop {
    /// Let the queue go on until it waits for something.
    pub fn merge(&mut self, world: &mut World) -> Result<(), Stop> {
        for _ in 0..MOST {
            let input = std::mem::replace(&mut self.input, Input::Look);
            let actions = self.queue.step(&seen(world), input, world.now);
            if actions.is_empty() {
                return Ok(());
            }
            for action in actions {
                if let Some(answer) = self.carry_out(world, action)? {
                    self.input = answer;
                    break;
                }
            }
        }
        Err(Stop::Broken("the queue never settles".to_owned()))
    }

    fn carry_out(&mut self, world: &mut World, action: Action) -> Result<Option<Input>, Stop> {
        match action {
            Action::Record { run, steps } => {
                let wrote = world.write_from_loop(&Command::Merge { steps })?;
                Ok(answer(wrote, run))
            }
            Action::Build { run, onto, entries } => {
                self.begin(world, 0, 3, Doing::Build { run, onto, entries });
                Ok(None)
            }
            Action::Validate { run, tip, .. } => {
                self.begin(world, 10, 120, Doing::Validate { run, tip });
                Ok(None)
            }
            Action::Land { run, from, to, tree } => {
                world.moment()?;
                if world.disk_is_full() {
                    return Ok(Some(Input::Trouble { run, message: "the disk is full".to_owned() }));
                }
                let moved = land(world, &from, &to, &tree)?;
                world.moment()?;
                Ok(Some(if moved { Input::Moved { run } } else { Input::NotMoved { run } }))
            }
            Action::Push { run, .. } => {
                Err(Stop::Broken(format!("run {run} pushes, and no remote is simulated")))
            }
            Action::Cancel { run } => {
                let of_run = |doing: &Doing| match doing {
                    Doing::Build { run: of, .. } | Doing::Validate { run: of, .. } => *of == run,
                    _ => false,
                };
                self.jobs.retain(|job| !of_run(&job.doing));
                Ok(None)
            }
        }
    }

    pub fn built(
        &mut self,
        world: &mut World,
        run: u64,
        onto: &str,
        entries: &[(TicketId, String)],
    ) -> Result<(), Stop> {
        if world.disk_is_full() {
            self.input = Input::Trouble { run, message: "the disk is full".to_owned() };
            return self.merge(world);
        }
        let mut top = onto.to_owned();
        let mut results = Vec::new();
        for (id, commit) in entries {
            world.moment()?;
            let built = build(world, &top, id, commit);
            if let Built::Fits { commit, .. } = &built {
                top.clone_from(commit);
            }
            results.push(built);
        }
        self.input = Input::Built { run, results };
        self.merge(world)
    }

    pub fn validated(&mut self, world: &mut World, run: u64, tip: &str) -> Result<(), Stop> {
        self.input = Input::Checked { run, verdict: validate(world, tip) };
        world.moment()?;
        self.merge(world)
    }
}

fn answer(wrote: Wrote, run: u64) -> Option<Input> {
    match wrote {
        Wrote::Done(_) => None,
        Wrote::Refused(_) => Some(Input::Refused { run }),
        Wrote::NoRoom => Some(Input::Trouble { run, message: "the disk is full".to_owned() }),
    }
}

fn land(world: &mut World, from: &str, to: &str, tree: &str) -> Result<bool, Stop> {
    if world.git.tree(to) != tree {
        return Err(Stop::Broken(format!("{tree} is not the tree of {to}")));
    }
    let moved = world.git.move_main(from, to, true);
    if moved {
        world.say(format!("main moves to {to}"));
        world.watch.main_moved(world, from, to).map_err(Stop::Broken)?;
    }
    Ok(moved)
}

fn validate(world: &mut World, tip: &str) -> Verdict {
    if world.validates(tip) {
        let tree = world.git.tree(tip);
        world.watch.validated.insert(tree);
        world.say(format!("{tip} passes"));
        return Verdict::Passed;
    }
    world.say(format!("{tip} fails"));
    Verdict::Failed { message: "the step `test` failed".to_owned(), output: "1 failed".to_owned() }
}

/// Put one entry on top, if it may be there.
fn build(world: &mut World, top: &str, id: &TicketId, commit: &str) -> Built {
    let refused = |why, message: &str, files: Vec<String>| Built::Refused {
        why,
        message: message.to_owned(),
        files,
        diff: None,
    };
    let Some(base) = world.git.merge_base(top, commit) else {
        return refused(MergeTrouble::Ancestry, "it does not come from main", Vec::new());
    };
    let changes = world.git.changes(&base, commit);
    let diff = Some(format!("{changes:?}"));
    let changed: Vec<Changed> =
        changes.into_iter().map(|(path, content)| Changed { path, content }).collect();
    let ticket = world.board.ticket(id);
    let role =
        ticket.and_then(|ticket| ticket.work.submission.as_ref()).and_then(|submission| submission.role);
    let author = role.map_or(Author::Human, Author::Agent);
    let mut tests = BTreeMap::new();
    if let Some(written) = ticket.and_then(|ticket| ticket.work.tests.as_ref()) {
        let files = world.git.files(&written.commit);
        tests.extend(written.files.iter().map(|path| (path.clone(), files.get(path).cloned())));
    }
    if let Err(objection) = landing::check(&changed, author, &world.policy, &tests) {
        return Built::Refused {
            why: objection.why,
            message: objection.message,
            files: objection.files,
            diff,
        };
    }
    match world.git.squash_onto(top, commit) {
        Some(Merged::Fits { commit, tree }) => Built::Fits { commit, tree, diff },
        Some(Merged::Conflict(files)) => refused(MergeTrouble::Conflict, "it conflicts with main", files),
        Some(Merged::Empty) => refused(MergeTrouble::Empty, "there is nothing in it", Vec::new()),
        None => refused(MergeTrouble::Missing, "it is gone", Vec::new()),
    }
}

/// A loop that was thought dead, and gets the answer to its validation after all. It goes by what it saw when it was last
/// looked at.
pub struct Ghost {
    queue: Queue,
    seen: Seen,
    run: u64,
    tip: String,
    due: i64,
}

impl Ghost {
    /// What is left of a loop that was in the middle of a validation.
    pub fn of(world: &mut World, dead: &Loop) -> Option<Self> {
        let validates = dead.jobs.iter().find_map(|job| match &job.doing {
            Doing::Validate { run, tip } => Some((*run, tip.clone())),
            _ => None,
        });
        let (run, tip) = validates.filter(|_| world.dice.once_in(2))?;
        let due = world.elapsed + world.dice.between(1, 300);
        Some(Self { queue: dead.queue.clone(), seen: seen(world), run, tip, due })
    }

    /// Whether it has had its last word.
    pub fn haunt(&mut self, world: &mut World) -> Result<bool, Stop> {
        if self.due > world.elapsed {
            return Ok(false);
        }
        world.say("a loop that was thought dead goes on");
        let verdict = validate(world, &self.tip);
        let input = Input::Checked { run: self.run, verdict };
        for action in self.queue.step(&self.seen, input, world.now) {
            match action {
                Action::Record { steps, .. } => {
                    if !matches!(world.write(&Who::System, &Command::Merge { steps })?, Wrote::Done(_)) {
                        return Ok(true);
                    }
                }
                Action::Land { from, to, tree, .. } => {
                    land(world, &from, &to, &tree)?;
                }
                Action::Build { .. }
                | Action::Validate { .. }
                | Action::Push { .. }
                | Action::Cancel { .. } => {}
            }
        }
        Ok(true)
    }
}
