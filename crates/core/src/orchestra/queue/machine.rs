//! The machine: what the queue does next. See the module above for the picture.

use jiff::{SignedDuration, Timestamp};

use super::line::{Entry, Seen};
use super::{Action, Built, Input, Settings, Verdict};
use crate::command::MergeStep;
use crate::id::TicketId;
use crate::pace::{self, Pace};
use crate::work::{Building, Landed, Landing, Merge, MergeFailed, MergeTrouble, Pushed, Validated};

/// The merge queue of one project. What it remembers makes it faster and no more: a new one goes on where this one was.
#[derive(Debug, Clone)]
pub struct Queue {
    settings: Settings,
    run: Option<Run>,
    /// These failed together, with the commit each had: one of them at least is to blame.
    suspects: Vec<(TicketId, String)>,
    /// The trees that failed since then. Whoever comes to one of these alone has had a first try.
    failed: Vec<String>,
    last_run: u64,
    pace: Pace,
    trouble: Option<(String, Timestamp)>,
}

/// What is under way.
#[derive(Debug, Clone)]
struct Run {
    number: u64,
    onto: String,
    members: Vec<Member>,
    doing: Doing,
}

#[derive(Debug, Clone)]
struct Member {
    ticket: TicketId,
    commit: String,
    /// What it became, once it was put on top of the others.
    becomes: String,
    diff: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Doing {
    Building,
    Validating { tip: String, tree: String, again: bool },
    Landing { to: String, tree: String },
    Pushing { to: String, tree: String },
}

impl Queue {
    pub fn new(settings: Settings) -> Self {
        let batch = if settings.pushes { 1 } else { settings.batch.max(1) };
        let settings = Settings { batch, ..settings };
        let pace = Pace::new(SignedDuration::from_secs(1));
        Self {
            settings,
            run: None,
            suspects: Vec::new(),
            failed: Vec::new(),
            last_run: 0,
            pace,
            trouble: None,
        }
    }

    /// What of our own did not work, and when it is tried again.
    pub fn trouble(&self) -> Option<(&str, Timestamp)> {
        self.trouble.as_ref().map(|(message, until)| (message.as_str(), *until))
    }

    /// Take in what happened, look, and go on.
    pub fn step(&mut self, seen: &Seen, input: Input, now: Timestamp) -> Vec<Action> {
        self.last_run = self.last_run.max(seen.last_run);
        let mut actions = self.take_in(seen, input, now);
        if !actions.is_empty() {
            return actions;
        }
        if let Some(run) = self.run.take_if(|run| !run.stands(seen)) {
            actions.push(Action::Cancel { run: run.number });
        }
        if self.run.is_none() {
            actions.extend(self.go_on(seen, now));
        }
        actions
    }

    /// The answer to what is under way. Any other is late, and nobody's.
    fn take_in(&mut self, seen: &Seen, input: Input, now: Timestamp) -> Vec<Action> {
        let number = match &input {
            Input::Look => return Vec::new(),
            Input::Built { run, .. }
            | Input::Checked { run, .. }
            | Input::Moved { run }
            | Input::NotMoved { run }
            | Input::Pushed { run, .. }
            | Input::Refused { run }
            | Input::Trouble { run, .. } => *run,
        };
        let run = self.run.take_if(|run| run.number == number);
        if let Input::Trouble { message, .. } = input {
            if self.run.is_none() {
                let until = self.pace.next(pace::Outcome::Failed, now, 0.0).unwrap_or(now);
                self.trouble = Some((message, until));
            }
            return Vec::new();
        }
        let Some(run) = run else { return Vec::new() };
        self.trouble = None;
        self.pace.next(pace::Outcome::Fine, now, 0.0);
        match (input, &run.doing) {
            (Input::Moved { .. }, Doing::Landing { tree, .. }) => {
                self.suspects
                    .retain(|(ticket, _)| !run.members.iter().any(|member| member.ticket == *ticket));
                vec![run.record(run.each(|member| {
                    let (commit, landed, tree) =
                        (member.commit.clone(), member.becomes.clone(), tree.clone());
                    MergeStep::Landed(Landed { commit, landed, tree, run: number })
                }))]
            }
            // How far it came, and where main is now, the events and the next look tell.
            (Input::NotMoved { .. } | Input::Refused { .. }, _) => Vec::new(),
            // Word of what cannot land any more is no word: the next look begins anew.
            _ if !run.stands(seen) => vec![Action::Cancel { run: number }],
            (Input::Built { results, .. }, Doing::Building) => self.built(run, results),
            (Input::Checked { verdict, .. }, Doing::Validating { .. }) => self.checked(seen, run, verdict),
            (Input::Pushed { remote, branch, .. }, Doing::Pushing { to, tree }) => {
                vec![run.record(run.each(|member| {
                    MergeStep::Pushed(Box::new(Pushed {
                        commit: member.commit.clone(),
                        run: number,
                        from: run.onto.clone(),
                        to: to.clone(),
                        tree: tree.clone(),
                        becomes: member.becomes.clone(),
                        remote: remote.clone(),
                        branch: branch.clone(),
                    }))
                }))]
            }
            // Not what was asked for: a mistake of whoever answers, which must not stop the queue.
            _ => {
                self.run = Some(run);
                Vec::new()
            }
        }
    }

    fn built(&mut self, mut run: Run, results: Vec<Built>) -> Vec<Action> {
        let mut steps = Vec::new();
        let (mut members, mut top) = (Vec::new(), None);
        for (member, result) in run.members.drain(..).zip(results) {
            match result {
                Built::Fits { commit, tree, diff } => {
                    members.push(Member { becomes: commit.clone(), diff, ..member });
                    top = Some((commit, tree));
                }
                Built::Refused { why, message, files, diff } => {
                    // It may only be one of its own run that is in the way.
                    let is_theirs = matches!(why, MergeTrouble::Conflict | MergeTrouble::Empty);
                    let step = if is_theirs && !members.is_empty() {
                        MergeStep::Back { run: run.number }
                    } else {
                        let (commit, output) = (member.commit, String::new());
                        let run = run.number;
                        MergeStep::Failed(MergeFailed { commit, run, why, message, output, files, diff })
                    };
                    steps.push((member.ticket, step));
                }
            }
        }
        let mut actions = Vec::new();
        if !steps.is_empty() {
            actions.push(run.record(steps));
        }
        if let Some((tip, tree)) = top {
            let again = members.len() == 1 && self.failed.contains(&tree);
            run.members = members;
            run.doing = Doing::Validating { tip: tip.clone(), tree: tree.clone(), again };
            actions.push(Action::Validate { run: run.number, tip, tree, again });
            self.run = Some(run);
        }
        actions
    }

    fn checked(&mut self, seen: &Seen, mut run: Run, verdict: Verdict) -> Vec<Action> {
        let Doing::Validating { tip, tree, again } = run.doing.clone() else { return Vec::new() };
        let number = run.number;
        match verdict {
            Verdict::Passed => {
                let of = run.members.len();
                let mut actions = vec![run.record(run.each(|member| {
                    MergeStep::Validated(Validated {
                        commit: member.commit.clone(),
                        run: number,
                        onto: run.onto.clone(),
                        tip: tip.clone(),
                        tree: tree.clone(),
                        becomes: member.becomes.clone(),
                        of,
                        flaky: again,
                    })
                }))];
                if seen.lands {
                    actions.extend(self.deliver(run, tip, tree));
                }
                actions
            }
            Verdict::Failed { .. } if run.members.len() > 1 => {
                self.failed.push(tree);
                self.suspects =
                    run.members.iter().map(|member| (member.ticket.clone(), member.commit.clone())).collect();
                vec![run.record(run.each(|_| MergeStep::Back { run: number }))]
            }
            Verdict::Failed { .. } if !again && self.settings.retry_flaky => {
                run.doing = Doing::Validating { tip: tip.clone(), tree: tree.clone(), again: true };
                self.run = Some(run);
                vec![Action::Validate { run: number, tip, tree, again: true }]
            }
            Verdict::Failed { message, output } => {
                self.suspects.clear();
                self.failed.clear();
                vec![run.record(run.each(|member| {
                    MergeStep::Failed(MergeFailed {
                        commit: member.commit.clone(),
                        run: number,
                        why: MergeTrouble::Validation,
                        message: message.clone(),
                        output: output.clone(),
                        files: Vec::new(),
                        diff: member.diff.clone(),
                    })
                }))]
            }
        }
    }

    /// What is validated goes to main, or to whoever moves it.
    fn deliver(&mut self, run: Run, to: String, tree: String) -> Vec<Action> {
        if self.settings.pushes { self.push(run, to, tree) } else { self.land(run, to, tree) }
    }

    /// Pushing the same again changes nothing, so that it is said only afterwards.
    fn push(&mut self, mut run: Run, to: String, tree: String) -> Vec<Action> {
        let push =
            |member: &Member| Action::Push { run: run.number, ticket: member.ticket.clone(), to: to.clone() };
        let actions = run.members.iter().take(1).map(push).collect();
        run.doing = Doing::Pushing { to, tree };
        self.run = Some(run);
        actions
    }

    /// Say that main is about to be moved, and move it.
    fn land(&mut self, mut run: Run, to: String, tree: String) -> Vec<Action> {
        let of = run.members.len();
        let record = run.record(run.each(|member| {
            MergeStep::Landing(Landing {
                commit: member.commit.clone(),
                run: run.number,
                from: run.onto.clone(),
                to: to.clone(),
                tree: tree.clone(),
                becomes: member.becomes.clone(),
                of,
            })
        }));
        let land =
            Action::Land { run: run.number, from: run.onto.clone(), to: to.clone(), tree: tree.clone() };
        run.doing = Doing::Landing { to, tree };
        self.run = Some(run);
        vec![record, land]
    }

    /// Nothing is under way, as far as this one remembers.
    fn go_on(&mut self, seen: &Seen, now: Timestamp) -> Vec<Action> {
        if seen.entries.is_empty() {
            self.trouble = None;
        }
        let rests = self.trouble.as_ref().is_some_and(|(_, until)| *until > now);
        let may_land = seen.lands && !rests;
        // What was about to land comes first: it may have.
        if let Some(Merge::Landing(at)) =
            seen.entries.iter().map(|entry| &entry.merge).find(|merge| is_landing(merge))
        {
            return self.resume_landing(seen, at, may_land);
        }
        if let Some(step) = seen.entries.iter().find_map(|entry| after_push(seen, entry)) {
            return vec![step];
        }
        if !may_land {
            return Vec::new();
        }
        if let Some(actions) = self.resume_validated(seen) {
            return actions;
        }
        self.begin(seen)
    }

    /// Find out whether what was about to land has landed.
    fn resume_landing(&mut self, seen: &Seen, at: &Landing, may_land: bool) -> Vec<Action> {
        let together: Vec<(&Entry, &Landing)> = seen
            .entries
            .iter()
            .filter_map(|entry| match &entry.merge {
                Merge::Landing(theirs) if theirs.run == at.run => Some((entry, theirs)),
                _ => None,
            })
            .collect();
        let all = |step: &dyn Fn(&Landing) -> MergeStep| {
            let steps = together.iter().map(|(entry, at)| (entry.ticket.clone(), step(at))).collect();
            vec![Action::Record { run: at.run, steps }]
        };
        if seen.main == at.to || seen.contained.contains(&at.to) {
            return all(&|at| {
                let (commit, landed) = (at.commit.clone(), at.becomes.clone());
                MergeStep::Landed(Landed { commit, landed, tree: at.tree.clone(), run: at.run })
            });
        }
        let is_whole = together.len() == at.of && together.iter().all(|(entry, _)| entry.goes_on);
        if seen.main != at.from || !is_whole {
            return all(&|at| MergeStep::Back { run: at.run });
        }
        if !may_land {
            return Vec::new();
        }
        let members = together.iter().map(|(entry, at)| Member {
            ticket: entry.ticket.clone(),
            commit: at.commit.clone(),
            becomes: at.becomes.clone(),
            diff: None,
        });
        let doing = Doing::Landing { to: at.to.clone(), tree: at.tree.clone() };
        self.run = Some(Run { number: at.run, onto: at.from.clone(), members: members.collect(), doing });
        vec![Action::Land { run: at.run, from: at.from.clone(), to: at.to.clone(), tree: at.tree.clone() }]
    }

    /// Land what is validated already, if main is where it was and all that were validated together are there.
    fn resume_validated(&mut self, seen: &Seen) -> Option<Vec<Action>> {
        let validated = |entry: &Entry| match &entry.merge {
            Merge::Validated(at) if at.onto == seen.main => Some(at.clone()),
            _ => None,
        };
        let at = seen.entries.iter().find_map(validated)?;
        let members: Vec<Member> = seen
            .entries
            .iter()
            .filter(|entry| entry.goes_on)
            .filter_map(|entry| Some((entry, validated(entry).filter(|theirs| theirs.run == at.run)?)))
            .map(|(entry, theirs)| Member {
                ticket: entry.ticket.clone(),
                commit: theirs.commit,
                becomes: theirs.becomes,
                diff: None,
            })
            .collect();
        if members.len() != at.of {
            return None;
        }
        let doing = Doing::Landing { to: at.tip.clone(), tree: at.tree.clone() };
        let run = Run { number: at.run, onto: at.onto.clone(), members, doing };
        Some(self.deliver(run, at.tip, at.tree))
    }

    /// Begin a run with those whose turn it is.
    fn begin(&mut self, seen: &Seen) -> Vec<Action> {
        let chosen = self.turn(seen);
        if chosen.is_empty() {
            return Vec::new();
        }
        self.last_run += 1;
        let (number, onto) = (self.last_run, seen.main.clone());
        let members = chosen.iter().map(|entry| Member {
            ticket: entry.ticket.clone(),
            commit: entry.commit().to_owned(),
            becomes: String::new(),
            diff: None,
        });
        let run = Run { number, onto: onto.clone(), members: members.collect(), doing: Doing::Building };
        let record = run.record(run.each(|member| {
            MergeStep::Started(Building { commit: member.commit.clone(), run: number, onto: onto.clone() })
        }));
        let entries =
            run.members.iter().map(|member| (member.ticket.clone(), member.commit.clone())).collect();
        self.run = Some(run);
        vec![record, Action::Build { run: number, onto, entries }]
    }

    /// Whose turn it is: an outage, half of those that failed together, or the first of all.
    fn turn<'a>(&mut self, seen: &'a Seen) -> Vec<&'a Entry> {
        let waits = |entry: &&Entry| entry.waits();
        self.suspects.retain(|(ticket, commit)| {
            seen.entry(ticket).is_some_and(|entry| entry.goes_on && entry.commit() == commit)
        });
        let is_suspect = |entry: &Entry| self.suspects.iter().any(|(ticket, _)| *ticket == entry.ticket);
        if self.suspects.is_empty() {
            self.failed.clear();
            return seen.entries.iter().filter(waits).take(self.settings.batch).collect();
        }
        let urgent = seen.entries.iter().filter(waits).filter(|entry| entry.is_urgent && !is_suspect(entry));
        let urgent: Vec<_> = urgent.take(self.settings.batch).collect();
        if !urgent.is_empty() {
            return urgent;
        }
        let half = self.suspects.len().div_ceil(2);
        self.suspects.iter().take(half).filter_map(|(ticket, _)| seen.entry(ticket)).collect()
    }
}

fn is_landing(merge: &Merge) -> bool {
    matches!(merge, Merge::Landing(_))
}

/// What became of one that a remote has, if anything did.
fn after_push(seen: &Seen, entry: &Entry) -> Option<Action> {
    let Merge::Pushed(at) = &entry.merge else { return None };
    let landed = |landed: &str, tree: &str| {
        let (commit, landed, tree) = (at.commit.clone(), landed.to_owned(), tree.to_owned());
        MergeStep::Landed(Landed { commit, landed, tree, run: at.run })
    };
    let step = if seen.main == at.to || seen.contained.contains(&at.to) {
        landed(&at.becomes, &at.tree)
    } else if let Some(reached) = seen.merged.get(&at.to) {
        landed(&reached.commit, &reached.tree)
    } else if seen.main != at.from {
        MergeStep::Back { run: at.run }
    } else {
        return None;
    };
    Some(Action::Record { run: at.run, steps: vec![(entry.ticket.clone(), step)] })
}

impl Run {
    fn record(&self, steps: Vec<(TicketId, MergeStep)>) -> Action {
        Action::Record { run: self.number, steps }
    }

    fn each(&self, step: impl Fn(&Member) -> MergeStep) -> Vec<(TicketId, MergeStep)> {
        self.members.iter().map(|member| (member.ticket.clone(), step(member))).collect()
    }

    /// Whether it can still come to something: nobody is held or was withdrawn, and main is where it was. While main is
    /// being moved only the answer to that tells.
    fn stands(&self, seen: &Seen) -> bool {
        let is_landing = matches!(self.doing, Doing::Landing { .. });
        let is_pushing = matches!(self.doing, Doing::Pushing { .. });
        let stage = |entry: &Entry| match &entry.merge {
            Merge::Building(at) => !is_landing && !is_pushing && at.run == self.number,
            Merge::Validated(at) => is_pushing && at.run == self.number,
            Merge::Landing(at) => is_landing && at.run == self.number,
            Merge::Queued(_) | Merge::Pushed(_) => false,
        };
        let is_there = |member: &Member| {
            seen.entry(&member.ticket).is_some_and(|entry| {
                stage(entry) && entry.commit() == member.commit && (entry.goes_on || is_landing)
            })
        };
        (is_landing || seen.main == self.onto) && self.members.iter().all(is_there)
    }
}
