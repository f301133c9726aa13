//! A made-up history of tickets and agents, the same in every run. The rules decide what is written, so
//! whatever they refuse cannot get into it.

use std::collections::BTreeSet;

use jiff::{Timestamp, ToSpan};
use serde_json::value::to_raw_value;
use signalbox_core::{
    Agent, Board, Command, Event, EventId, NewTicket, Priority, ProjectName, SessionId, TicketId, Who, decide,
};

use crate::Result;

/// How many tickets are told of together; six of them stay open.
const GROUP: usize = 10;
const AGENTS: u64 = 200;

const VERBS: &[&str] = &["Fix", "Speed up", "Document", "Replace", "Simplify", "Test", "Translate", "Retry"];
const THINGS: &[&str] = &[
    "the login page",
    "the export to CSV",
    "the nightly import",
    "token renewal",
    "the search index",
    "error pages",
];
const PLACES: &[&str] =
    &["on small screens", "for large accounts", "after a timeout", "behind a proxy", "when the disk is full"];
const TAGS: &[&str] = &["web", "api", "storage", "docs", "ci"];
const TOOLS: &[&str] = &["Bash", "Read", "Edit", "Grep", "Write"];

/// What the story is about, once it is told.
#[derive(Debug, Clone, Default)]
pub struct Cast {
    pub tickets: Vec<TicketId>,
    /// Those that can be picked.
    pub open: Vec<TicketId>,
    /// How many events were told.
    pub events: usize,
}

/// Tell of so many tickets in so many events; what the tickets themselves do not need are uses of tools.
pub fn tell(tickets: usize, events: usize, visit: &mut dyn FnMut(&Event) -> Result<()>) -> Result<Cast> {
    let mut teller = Teller::new(tickets, events, visit)?;
    let groups = tickets.div_ceil(GROUP);
    for group in 0..groups {
        let size = GROUP.min(tickets - group * GROUP);
        teller.group(size)?;
        while teller.told < events / groups * (group + 1) {
            teller.tool_use()?;
        }
    }
    while teller.told < events {
        teller.tool_use()?;
    }
    Ok(Cast { events: teller.told, ..teller.cast })
}

struct Teller<'a> {
    visit: &'a mut dyn FnMut(&Event) -> Result<()>,
    random: Random,
    project: ProjectName,
    now: Timestamp,
    step_ms: i64,
    told: usize,
    taken: BTreeSet<String>,
    cast: Cast,
    /// Where the events of tool uses are copied from.
    pattern: Option<Event>,
}

impl<'a> Teller<'a> {
    fn new(tickets: usize, events: usize, visit: &'a mut dyn FnMut(&Event) -> Result<()>) -> Result<Self> {
        // It began twenty days ago and ended an hour ago, so that no event is in the future.
        let end = signalbox_store::clock::now().checked_sub(1.hour())?;
        let expected = i64::try_from(events.max(tickets * 4))?;
        let days = 20 * 24 * 3_600_000;
        Ok(Self {
            visit,
            random: Random(1),
            project: ProjectName::parse("bench")?,
            now: end.checked_sub(480.hours())?,
            step_ms: days / expected.max(1),
            told: 0,
            taken: BTreeSet::new(),
            cast: Cast::default(),
            pattern: None,
        })
    }

    /// Ten tickets as a team would leave them: six open, one each in progress, in review, done and waiting.
    fn group(&mut self, size: usize) -> Result<()> {
        let mut board = Board::default();
        let ids: Vec<TicketId> = (0..size).map(|_| self.free_id()).collect();
        let first = self.random.below(AGENTS);
        // Nobody reviews their own work.
        let (doer, reviewer) = (agent(first)?, agent(first + 1)?);
        for (place, id) in ids.iter().enumerate() {
            let mut new = NewTicket::titled(id.clone(), self.project.clone(), self.title());
            new.body = "What is seen, what should be seen instead, and how to see it again.".to_owned();
            new.priority = *self.random.of(&Priority::ALL[1..5]);
            new.tags = vec![(*self.random.of(TAGS)).to_owned()];
            new.acceptance = vec!["It is covered by a test".to_owned()];
            if place == 9 {
                new.depends_on.extend(ids.get(6).cloned());
            }
            self.act(&mut board, &Who::Human, &Command::New(Box::new(new)))?;
            let id = id.clone();
            let note = |text: &str| Command::Note { id: id.clone(), text: text.to_owned() };
            if place < 6 {
                self.cast.open.push(id.clone());
                if place % 2 == 0 {
                    self.act(&mut board, &Who::Human, &note("Seen again today, with the same message."))?;
                }
            }
            if (6..9).contains(&place) {
                self.act(&mut board, &doer, &Command::Pick { id: id.clone() })?;
                self.act(&mut board, &doer, &note("The cause is found and the change is small."))?;
            }
            if (7..9).contains(&place) {
                self.act(&mut board, &doer, &Command::Check { id: id.clone(), criterion: 1, met: true })?;
                self.act(&mut board, &doer, &Command::Submit { id: id.clone(), note: None, handed: None })?;
            }
            if place == 8 {
                self.act(&mut board, &reviewer, &Command::Review { id: id.clone() })?;
                self.act(
                    &mut board,
                    &reviewer,
                    &Command::Approve { id: id.clone(), note: Some("Good.".to_owned()) },
                )?;
            }
        }
        self.cast.tickets.extend(ids);
        Ok(())
    }

    /// Let the rules decide, and tell what follows.
    fn act(&mut self, board: &mut Board, who: &Who, command: &Command) -> Result<()> {
        let drafts = decide(board, who, command)?;
        let count = u32::try_from(drafts.len())?;
        // One command, one time: what it writes stands together in one file.
        self.advance()?;
        for (index, draft) in (0..).zip(&drafts) {
            let mut event = draft.stamp(self.event_id(), self.now)?;
            event.batch = (count > 1).then_some((index, count));
            board.apply(&event)?;
            (self.visit)(&event)?;
            self.told += 1;
            self.pattern = Some(event);
        }
        Ok(())
    }

    /// An agent used a tool while it worked on some ticket.
    fn tool_use(&mut self) -> Result<()> {
        let Some(pattern) = &self.pattern else { return Err("a story begins with a ticket".into()) };
        let mut event = Event { batch: None, lineage: Vec::new(), ..pattern.clone() };
        self.advance()?;
        let place = self.random.below(self.cast.tickets.len() as u64);
        // A ticket is worked on by one of three agents, as it comes back from review.
        let Who::Agent(agent) = agent(place * 3 + self.random.below(3))? else {
            return Err("tools are used by agents".into());
        };
        event.id = self.event_id();
        event.ts = self.now;
        event.event = "hook.post-tool".to_owned();
        event.ticket = usize::try_from(place).ok().and_then(|place| self.cast.tickets.get(place)).cloned();
        event.actor = agent.name;
        event.session = Some(agent.session);
        event.data = to_raw_value(&serde_json::json!({
            "tool_name": self.random.of(TOOLS),
            "tool_use_id": format!("toolu_{:016x}", self.random.next()),
            "duration_ms": self.random.below(4_000),
            "mode": "implement",
        }))?;
        (self.visit)(&event)?;
        self.told += 1;
        Ok(())
    }

    fn advance(&mut self) -> Result<()> {
        self.now = self.now.checked_add(self.step_ms.milliseconds())?;
        Ok(())
    }

    fn event_id(&mut self) -> EventId {
        let mut bytes = [0; 10];
        for byte in &mut bytes {
            *byte = (self.random.next() & 0xFF) as u8;
        }
        EventId::new(self.now.as_millisecond().unsigned_abs(), bytes)
    }

    fn free_id(&mut self) -> TicketId {
        loop {
            let id = TicketId::from_random(self.random.next());
            if self.taken.insert(id.as_str().to_ascii_lowercase()) {
                return id;
            }
        }
    }

    fn title(&mut self) -> String {
        title(&mut self.random)
    }
}

/// What a ticket could be called.
pub fn title(random: &mut Random) -> String {
    format!("{} {} {}", random.of(VERBS), random.of(THINGS), random.of(PLACES))
}

fn agent(number: u64) -> Result<Who> {
    let number = number % AGENTS;
    let session = SessionId::parse(&format!("{number:08x}-1d2c-4c3b-9a6f-{number:012x}"))?;
    Ok(Who::Agent(Agent { name: format!("agent-{number}"), session, lineage: Vec::new() }))
}

/// Numbers without a pattern that are the same in every run (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    fn of<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        let at = self.below(list.len() as u64);
        &list[usize::try_from(at).unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(tickets: usize, events: usize) -> (Cast, Vec<Event>) {
        let mut all = Vec::new();
        let cast = tell(tickets, events, &mut |event| {
            all.push(event.clone());
            Ok(())
        });
        (cast.unwrap(), all)
    }

    #[test]
    fn a_story_has_as_many_tickets_and_events_as_it_should() {
        let (cast, events) = told(100, 1_000);
        assert_eq!((cast.tickets.len(), cast.open.len(), events.len()), (100, 60, 1_000));
        assert!(events.windows(2).all(|pair| pair[0].ts <= pair[1].ts));
        assert!(events.iter().all(|event| event.ts < signalbox_store::clock::now()));
        let mut board = Board::default();
        for event in &events {
            board.apply(event).unwrap();
        }
        let open = |id| board.ticket(id).is_some_and(|ticket| ticket.is_ready_for(&Who::Human));
        assert!(cast.open.iter().all(open));
    }

    #[test]
    fn every_story_is_the_same() {
        let ids = |events: Vec<Event>| events.into_iter().map(|event| event.ticket).collect::<Vec<_>>();
        assert_eq!(ids(told(20, 0).1), ids(told(20, 0).1));
    }
}
