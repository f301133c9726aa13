//! A board with its log, the people who act on it, and short words for what they ask.

use jiff::Timestamp;
use signalbox_core::work::{
    Building, Handed, Landed, Landing, MergeFailed, MergeTrouble, Place, Pushed, Start, Validated,
};
use signalbox_core::{
    Agent, AttemptReport, Board, Changes, Command, Draft, Ending, Event, EventId, Fact, MergeStep, NewTicket,
    Outcome, ProjectName, Refusal, Role, SessionId, Status, Ticket, TicketId, Who, decide,
};

/// Everything that has happened, and what it adds up to.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub board: Board,
    pub events: Vec<Event>,
}

impl World {
    /// Let someone ask for something, and record what comes of it.
    pub fn run(&mut self, who: &Who, command: &Command) -> Result<Vec<Draft>, Refusal> {
        let drafts = decide(&self.board, who, command)?;
        for draft in &drafts {
            self.record(draft);
        }
        Ok(drafts)
    }

    /// As [`World::run`], where a refusal would be the test's own mistake.
    pub fn ok(&mut self, who: &Who, command: &Command) -> Vec<Draft> {
        self.run(who, command).unwrap_or_else(|refusal| panic!("{} asked {command:?}: {refusal}", who.name()))
    }

    /// The refusal that someone would get, who must get one.
    pub fn refusal(&self, who: &Who, command: &Command) -> Refusal {
        match decide(&self.board, who, command) {
            Err(refusal) => refusal,
            Ok(drafts) => panic!("{} asked {command:?} and was given {drafts:?}", who.name()),
        }
    }

    pub fn code(&self, who: &Who, command: &Command) -> &'static str {
        self.refusal(who, command).code
    }

    /// Reading is no command, but the faces record it, because it disqualifies reviewers.
    pub fn read(&mut self, who: &Who, letter: char) {
        let project = self.ticket(letter).project.clone();
        self.record(&Draft { ticket: id(letter), project, by: who.clone(), fact: Fact::Read });
    }

    /// Stamp a draft as the store would, with ids and times that only grow, and fold it.
    pub fn record(&mut self, draft: &Draft) {
        let event = stamp(draft, self.events.len());
        self.board.apply(&event).unwrap();
        self.events.push(event);
    }

    pub fn ticket(&self, letter: char) -> &Ticket {
        self.board.ticket(&id(letter)).unwrap()
    }

    pub fn status(&self, letter: char) -> Status {
        self.ticket(letter).status
    }

    /// The statuses of several tickets at once, to be compared with a line of text.
    pub fn statuses(&self, letters: &str) -> String {
        letters.chars().map(|letter| self.status(letter).as_str()).collect::<Vec<_>>().join(" ")
    }

    /// File tickets without dependencies, as a human.
    pub fn file(&mut self, letters: &str) {
        for letter in letters.chars() {
            self.ok(&Who::Human, &new(letter));
        }
    }

    /// Take an open ticket through its work, so that it waits for review.
    pub fn work(&mut self, who: &Who, letter: char) {
        self.ok(who, &pick(letter));
        self.ok(who, &submit(letter));
    }

    /// What the events alone add up to.
    pub fn refold(&self) -> Board {
        fold(&self.events)
    }
}

pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Board {
    let mut board = Board::default();
    for event in events {
        board.apply(event).unwrap();
    }
    board
}

pub fn stamp(draft: &Draft, number: usize) -> Event {
    let second = 1_800_000_000 + i64::try_from(number).unwrap();
    let millis = u64::try_from(second).unwrap() * 1000;
    draft.stamp(EventId::new(millis, [0; 10]), Timestamp::from_second(second).unwrap()).unwrap()
}

/// An agent whose session descends from others, the oldest first. Its name is not its session's id.
pub fn agent(session: &str, lineage: &[&str]) -> Who {
    Who::Agent(Agent {
        name: format!("agent-{session}"),
        session: SessionId::parse(session).unwrap(),
        lineage: lineage.iter().map(|ancestor| SessionId::parse(ancestor).unwrap()).collect(),
    })
}

/// The ticket that a letter stands for: `a` is `sb_aaaaaa`.
pub fn id(letter: char) -> TicketId {
    TicketId::parse(&format!("sb_{}", letter.to_string().repeat(6))).unwrap()
}

pub fn ids(letters: &str) -> Vec<TicketId> {
    letters.chars().map(id).collect()
}

pub fn blank(letter: char) -> NewTicket {
    NewTicket::titled(id(letter), ProjectName::untracked(), format!("Ticket {letter}"))
}

pub fn new(letter: char) -> Command {
    new_after(letter, "")
}

/// A ticket that depends on others from the start.
pub fn new_after(letter: char, depends_on: &str) -> Command {
    Command::New(Box::new(NewTicket { depends_on: ids(depends_on), ..blank(letter) }))
}

pub fn pick(letter: char) -> Command {
    Command::Pick { id: id(letter) }
}

pub fn submit(letter: char) -> Command {
    Command::Submit { id: id(letter), note: Some("It works now.".to_owned()), handed: None }
}

pub fn note(letter: char) -> Command {
    Command::Note { id: id(letter), text: "I looked at it.".to_owned() }
}

pub fn release(letter: char) -> Command {
    Command::Release { id: id(letter), reason: "I must stop.".to_owned(), report: None }
}

pub fn review(letter: char) -> Command {
    Command::Review { id: id(letter) }
}

pub fn approve(letter: char) -> Command {
    Command::Approve { id: id(letter), note: None }
}

pub fn reject(letter: char) -> Command {
    Command::Reject { id: id(letter), reason: "A test is missing.".to_owned() }
}

pub fn check(letter: char, criterion: usize) -> Command {
    Command::Check { id: id(letter), criterion, met: true }
}

pub fn edit(letter: char, changes: Changes) -> Command {
    Command::Edit { id: id(letter), changes: Box::new(changes) }
}

pub fn depend(letter: char, on: &str) -> Command {
    edit(letter, Changes { add_depends_on: ids(on), ..Changes::default() })
}

pub fn undepend(letter: char, on: &str) -> Command {
    edit(letter, Changes { remove_depends_on: ids(on), ..Changes::default() })
}

pub fn retitle(letter: char, title: &str) -> Command {
    edit(letter, Changes { title: Some(title.to_owned()), ..Changes::default() })
}

pub fn escalate(letter: char) -> Command {
    edit(letter, Changes { escalated: Some(true), ..Changes::default() })
}

pub fn assign(letter: char, name: &str) -> Command {
    Command::Assign { id: id(letter), assignee: Some(name.to_owned()) }
}

pub fn unassign(letter: char) -> Command {
    Command::Assign { id: id(letter), assignee: None }
}

pub fn hold(letter: char) -> Command {
    Command::Hold { id: id(letter), reason: "Legal must look at it.".to_owned() }
}

pub fn unhold(letter: char) -> Command {
    Command::Unhold { id: id(letter), note: None }
}

pub fn override_to(letter: char, to: Status) -> Command {
    Command::Override { id: id(letter), to, reason: "I know better.".to_owned() }
}

pub fn close(letter: char) -> Command {
    Command::Close { id: id(letter), note: Some("No longer wanted.".to_owned()) }
}

pub fn reopen(letter: char) -> Command {
    Command::Reopen { id: id(letter), reason: "It broke again.".to_owned() }
}

pub fn move_to(letter: char, to: Status) -> Command {
    Command::Move { id: id(letter), to, text: Some("As discussed.".to_owned()) }
}

pub fn start(letter: char, name: &str, role: Role) -> Command {
    let start = Start {
        role,
        agent: name.to_owned(),
        session: SessionId::parse(name).unwrap(),
        branch: format!("area/{letter}"),
        base: "m0".to_owned(),
    };
    Command::Start { id: id(letter), start }
}

/// Hand in a commit, with a note.
pub fn hand_in(letter: char, commit: &str) -> Command {
    let handed =
        Handed { commit: commit.to_owned(), branch: format!("area/{letter}"), place: Place::Workspace };
    Command::Submit { id: id(letter), note: Some("It works now.".to_owned()), handed: Some(handed) }
}

pub fn end_attempt(letter: char, outcome: Outcome, ending: Ending) -> Command {
    let report = Box::new(AttemptReport::new(outcome, "It went so."));
    Command::EndAttempt { id: id(letter), report, ending }
}

pub fn merge(letter: char, step: MergeStep) -> Command {
    Command::Merge { steps: vec![(id(letter), step)] }
}

pub fn started(commit: &str, run: u64) -> MergeStep {
    MergeStep::Started(Building { commit: commit.to_owned(), run, onto: "m0".to_owned() })
}

pub fn validated(commit: &str, run: u64) -> MergeStep {
    MergeStep::Validated(Validated {
        commit: commit.to_owned(),
        run,
        onto: "m0".to_owned(),
        tip: "m1".to_owned(),
        tree: "tree1".to_owned(),
        becomes: "m1".to_owned(),
        of: 1,
        flaky: false,
    })
}

pub fn landing(commit: &str, run: u64) -> MergeStep {
    MergeStep::Landing(Landing {
        commit: commit.to_owned(),
        run,
        from: "m0".to_owned(),
        to: "m1".to_owned(),
        tree: "tree1".to_owned(),
        becomes: "m1".to_owned(),
        of: 1,
    })
}

pub fn pushed(commit: &str, run: u64) -> MergeStep {
    MergeStep::Pushed(Box::new(Pushed {
        commit: commit.to_owned(),
        run,
        from: "m0".to_owned(),
        to: "m1".to_owned(),
        tree: "tree1".to_owned(),
        becomes: "m1".to_owned(),
        remote: "origin".to_owned(),
        branch: "area/slug".to_owned(),
    }))
}

pub fn landed(commit: &str, run: u64) -> MergeStep {
    MergeStep::Landed(Landed {
        commit: commit.to_owned(),
        landed: "m1".to_owned(),
        tree: "tree1".to_owned(),
        run,
    })
}

pub fn merge_failed(commit: &str, run: u64) -> MergeFailed {
    MergeFailed {
        commit: commit.to_owned(),
        run,
        why: MergeTrouble::Validation,
        message: "the step `test` failed".to_owned(),
        output: "1 failed".to_owned(),
        files: Vec::new(),
        diff: None,
    }
}
