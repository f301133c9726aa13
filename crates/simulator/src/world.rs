//! All that lasts: the log, the repository, workspaces, the agents' processes. Whoever is killed finds it again.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use signalbox_core::escalation::{self, Book, Wish};
use signalbox_core::landing::Policy;
use signalbox_core::orchestra::{Control, Gates, Limits, ProjectLimits, Question, ReviewedBy};
use signalbox_core::{
    Board, Command, Draft, Event, EventId, Fact, NewTicket, Priority, ProjectName, Role, TicketId, Who,
    decide,
};

use crate::agent::Agent;
use crate::dice::Dice;
use crate::git::{Files, Git};
use crate::watch::Watch;

/// Why the present moment is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The loop was killed.
    Killed,
    /// Something is not as it must be.
    Broken(String),
}

/// What came of writing something down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrote {
    /// So many events.
    Done(usize),
    Refused(&'static str),
    NoRoom,
}

/// What may go wrong now.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// One in so many effects is where the loop is killed; none where it is 0.
    pub kill: usize,
    pub disk: usize,
    pub clock: usize,
    /// 0 where there is no person.
    pub person: usize,
    pub flaky: usize,
    /// How often what makes a workspace ready fails.
    pub set_up: usize,
    /// Agents do not always do what they should.
    pub agents: bool,
}

/// What a ticket is about.
#[derive(Debug, Clone)]
pub struct Topic {
    pub letter: char,
    /// A file that others change too.
    pub shared: Option<String>,
    /// Two that are marked differently do not go together, and only validation can tell.
    pub marker: Option<&'static str>,
}

/// A workspace of a ticket.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub tip: String,
    pub base: String,
    pub uncommitted: Files,
}

pub struct World {
    pub dice: Dice,
    /// What the clock on the wall says; it may jump.
    pub now: Timestamp,
    /// How many seconds have really passed.
    pub elapsed: i64,
    pub log: Vec<Event>,
    pub board: Board,
    pub book: Book,
    pub git: Git,
    pub agents: Vec<Agent>,
    pub workspaces: BTreeMap<TicketId, Workspace>,
    /// What was kept before a workspace was removed.
    pub keeps: Vec<Workspace>,
    pub pools: BTreeMap<String, Timestamp>,
    pub topics: BTreeMap<TicketId, Topic>,
    pub limits: Limits,
    pub policy: Policy,
    pub faults: Faults,
    pub watch: Watch,
    pub trace: Vec<String>,
    pub kills: usize,
}

pub fn project() -> ProjectName {
    ProjectName::untracked()
}

impl World {
    pub fn new(seed: u64) -> Result<Self, Stop> {
        let mut dice = Dice::new(seed);
        let base: Files = [("README.md", "hello"), ("src/shared0.rs", "old"), ("src/shared1.rs", "old")]
            .map(|(path, content)| (path.to_owned(), content.to_owned()))
            .into();
        let by = [None, None, Some(ReviewedBy::Agent), Some(ReviewedBy::Either), Some(ReviewedBy::Human)];
        let limits = ProjectLimits {
            concurrency: 1 + dice.below(3),
            gates: Gates { validate: true, independent: by[dice.below(by.len())] },
            pools: vec![(Role::Doer, "one".to_owned()), (Role::TestWriter, "two".to_owned())],
            ..ProjectLimits::default()
        };
        let mut world = Self {
            now: Timestamp::from_second(1_800_000_000).map_err(|error| Stop::Broken(error.to_string()))?,
            elapsed: 0,
            log: Vec::new(),
            board: Board::default(),
            book: Book::default(),
            git: Git::new(base),
            agents: Vec::new(),
            workspaces: BTreeMap::new(),
            keeps: Vec::new(),
            pools: BTreeMap::new(),
            topics: BTreeMap::new(),
            limits: Limits { agents: 4, projects: [(project(), limits)].into() },
            policy: Policy { tests: vec!["tests/**".to_owned()], ..Policy::default() },
            faults: Faults::default(),
            watch: Watch::default(),
            trace: Vec::new(),
            kills: 0,
            dice,
        };
        world.file_tickets()?;
        Ok(world)
    }

    fn file_tickets(&mut self) -> Result<(), Stop> {
        let count = 3 + self.dice.below(5);
        let mut filed: Vec<TicketId> = Vec::new();
        for letter in "abcdefgh".chars().take(count) {
            let id = TicketId::parse(&format!("sb_{}", letter.to_string().repeat(6)))
                .map_err(|error| Stop::Broken(error.to_string()))?;
            let shared = self.dice.once_in(3).then(|| format!("src/shared{}.rs", self.dice.below(2)));
            let marker = [None, None, None, Some("left"), Some("right")][self.dice.below(5)];
            self.topics.insert(id.clone(), Topic { letter, shared, marker });
            let depends_on = match self.dice.pick(&filed) {
                Some(other) if self.dice.clone().once_in(4) => vec![other.clone()],
                _ => Vec::new(),
            };
            let new = NewTicket {
                needs_tests: self.dice.once_in(2),
                priority: Priority::ALL[self.dice.below(6)],
                depends_on,
                ..NewTicket::titled(id.clone(), project(), format!("Ticket {letter}"))
            };
            self.write(&Who::Human, &Command::New(Box::new(new)))?;
            filed.push(id);
        }
        Ok(())
    }

    pub fn project_limits(&self) -> ProjectLimits {
        self.limits.projects.values().next().cloned().unwrap_or_default()
    }

    pub fn set_control(&mut self, control: Control) {
        for limits in self.limits.projects.values_mut() {
            limits.control = control;
        }
    }

    pub fn say(&mut self, words: impl Into<String>) {
        self.trace.push(format!("{:>6} {}", self.elapsed, words.into()));
    }

    /// A moment between any two effects of the loop: it may be killed here, and a person may be faster.
    pub fn moment(&mut self) -> Result<(), Stop> {
        crate::person::act(self, 40)?;
        let kill = self.faults.kill;
        if kill > 0 && self.dice.once_in(kill) {
            self.kills += 1;
            return Err(Stop::Killed);
        }
        Ok(())
    }

    /// Whether the disk is full just now.
    pub fn disk_is_full(&mut self) -> bool {
        let disk = self.faults.disk;
        disk > 0 && self.dice.once_in(disk)
    }

    /// Whether what makes a workspace ready fails just now.
    pub fn set_up_fails(&mut self) -> bool {
        let set_up = self.faults.set_up;
        set_up > 0 && self.dice.once_in(set_up)
    }

    /// Whether a person is asked about that.
    pub fn setup_question(&self) -> Option<String> {
        let key = format!("{}/{}", Question::SetUp.as_str(), project());
        self.book.pending().find(|one| one.asked.key.as_ref() == Some(&key)).map(|one| one.id.clone())
    }

    /// Decide, and append what comes of it, all or nothing.
    pub fn write(&mut self, who: &Who, command: &Command) -> Result<Wrote, Stop> {
        let drafts = match decide(&self.board, who, command) {
            Ok(drafts) => drafts,
            Err(refusal) => return Ok(Wrote::Refused(refusal.code)),
        };
        if !drafts.is_empty() && self.disk_is_full() {
            return Ok(Wrote::NoRoom);
        }
        for draft in &drafts {
            self.append(draft)?;
        }
        Ok(Wrote::Done(drafts.len()))
    }

    /// The loop writes something down, and may be killed before and after.
    pub fn write_from_loop(&mut self, command: &Command) -> Result<Wrote, Stop> {
        self.moment()?;
        let wrote = self.write(&Who::System, command)?;
        self.moment()?;
        Ok(wrote)
    }

    fn append(&mut self, draft: &Draft) -> Result<(), Stop> {
        let id = self.event_id();
        let event = draft.stamp(id, self.now).map_err(|error| Stop::Broken(error.to_string()))?;
        self.watch_event(&event, &draft.fact)?;
        let words = format!("{} {} by {}: {}", event.event, draft.ticket, event.actor, event.data.get());
        self.say(words);
        self.board.apply_fact(&event, &draft.fact);
        self.log.push(event);
        Ok(())
    }

    fn event_id(&self) -> EventId {
        let number = self.log.len() as u64;
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&number.to_be_bytes());
        EventId::new(number, bytes)
    }

    fn watch_event(&mut self, event: &Event, fact: &Fact) -> Result<(), Stop> {
        let before = event.ticket.as_ref().and_then(|id| self.board.ticket(id)).cloned();
        let mut watch = std::mem::take(&mut self.watch);
        let verdict = watch.event(self, before.as_ref(), event, fact);
        self.watch = watch;
        verdict.map_err(Stop::Broken)
    }

    /// Something about a question to a person, with what follows for tickets, as one.
    pub fn ask(&mut self, who: &Who, wish: &Wish) -> Result<Wrote, Stop> {
        let broken = |error: serde_json::Error| Stop::Broken(error.to_string());
        let decision = match escalation::decide(&self.book, who, wish, self.book.highest() + 1) {
            Ok(decision) => decision,
            Err(refusal) => return Ok(Wrote::Refused(refusal.code)),
        };
        let follow = Command::Escalate { hold: decision.hold, free: decision.free };
        let drafts = match decide(&self.board, who, &follow) {
            Ok(drafts) => drafts,
            Err(refusal) => return Ok(Wrote::Refused(refusal.code)),
        };
        if self.disk_is_full() {
            return Ok(Wrote::NoRoom);
        }
        let count = decision.told.len() + drafts.len();
        for (name, told) in decision.told {
            let id = self.event_id();
            let event = Event::apart(id, self.now, name, who, Some(project()), &told).map_err(broken)?;
            self.say(format!("{name} {} by {}", decision.id, event.actor));
            self.book.apply(&event);
            self.log.push(event);
        }
        for draft in &drafts {
            self.append(draft)?;
        }
        Ok(Wrote::Done(count))
    }

    /// Let time pass. The clock on the wall jumps now and then.
    pub fn pass(&mut self, seconds: i64) {
        self.elapsed += seconds;
        self.now += SignedDuration::from_secs(seconds);
        let clock = self.faults.clock;
        if clock > 0 && self.dice.once_in(clock) {
            let jump = SignedDuration::from_mins(self.dice.between(-60, 60));
            self.now += jump;
            self.say(format!("the clock jumps by {jump:#}"));
        }
    }

    /// The files that a ticket will change, as its plan says.
    pub fn predicted(&self, id: &TicketId) -> Vec<String> {
        let Some(topic) = self.topics.get(id) else { return Vec::new() };
        std::iter::once(format!("src/{}.rs", topic.letter)).chain(topic.shared.clone()).collect()
    }

    /// Whether a tree is as it should be. Nothing else decides what may be on main.
    pub fn is_green(files: &Files) -> bool {
        let is_sound = |content: &String| !content.contains("garbage");
        let marked = |marker: &str| files.values().any(|content| content.contains(marker));
        let is_met = |(path, content): (&String, &String)| {
            let Some(name) = path.strip_prefix("tests/") else { return true };
            let wanted = content.replace("expects", "impl");
            files.get(&format!("src/{name}")).is_some_and(|content| content.contains(&wanted))
        };
        files.values().all(is_sound) && files.iter().all(is_met) && !(marked("left") && marked("right"))
    }

    /// Run the validation steps. What is not as it should be never passes; what is may fail once in a while.
    pub fn validates(&mut self, commit: &str) -> bool {
        let is_green = Self::is_green(&self.git.files(commit));
        let flaky = self.faults.flaky;
        is_green && !(flaky > 0 && self.dice.once_in(flaky))
    }

    /// The agents that are really there.
    pub fn alive(&self) -> BTreeSet<&TicketId> {
        self.agents.iter().filter(|agent| agent.is_alive()).map(|agent| &agent.ticket).collect()
    }
}
