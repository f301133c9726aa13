//! Whatever happens outside reaches the agent once: whoever is killed, whenever, and however often agents come and go.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use signalbox_core::{AgentId, EventId};
use signalbox_daemon::kept::Seat;
use signalbox_integrations::monitor::{Event, Seen};

use super::world::World;

const CONFIG: &str = "[monitors.check]\ntype = \"shell\"\ncommand = \"x\"\nevery = 10\n";

/// What happens in the world.
#[derive(Debug, Clone)]
enum Act {
    /// Something new can be seen.
    Happen,
    Pass(u8),
    /// A look comes back.
    Look,
    /// The keeper does its work.
    Deliver,
    /// The daemon hears the log.
    Feed,
    /// The agent takes what waits.
    Take,
    /// The daemon is killed after so many more effects.
    KillIn(u8),
    Start,
    /// The agent ends, and is seen to.
    Exit,
    /// The agent is killed with its wrapper: nobody writes anything down.
    KillAgent,
    /// Somebody starts it again.
    Begin,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => Just(Act::Happen),
        4 => (1u8..20).prop_map(Act::Pass),
        6 => Just(Act::Look),
        5 => Just(Act::Deliver),
        5 => Just(Act::Feed),
        4 => Just(Act::Take),
        2 => (0u8..6).prop_map(Act::KillIn),
        3 => Just(Act::Start),
        1 => Just(Act::Exit),
        1 => Just(Act::KillAgent),
        3 => Just(Act::Begin),
    ];
    proptest::collection::vec(act, 1..120)
}

/// A source of events that numbers them, and the agent whose seat is watched.
struct Story {
    world: World,
    happened: u64,
    agent: Option<AgentId>,
    agents: u64,
    taken: Vec<EventId>,
    /// Which event a message stands for.
    numbers: BTreeMap<EventId, u64>,
}

impl Story {
    fn new() -> Self {
        let world = World::new(CONFIG);
        Self { world, happened: 0, agent: None, agents: 0, taken: Vec::new(), numbers: BTreeMap::new() }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Happen => self.happened += 1,
            Act::Pass(seconds) => self.world.pass(i64::from(*seconds)),
            Act::Look => self.look(),
            Act::Deliver => {
                self.remember();
                self.world.keep_delivering();
            }
            Act::Feed => self.world.feed(),
            Act::Take => {
                if let Some(agent) = &self.agent {
                    self.taken.extend(self.world.take(agent));
                }
            }
            Act::KillIn(effects) => self.world.fuse = Some(usize::from(*effects)),
            Act::Start => self.start(),
            Act::Exit => {
                if let Some(agent) = self.agent.take() {
                    self.world.exit(&agent, 0);
                    self.world.disconnect(&agent);
                }
            }
            Act::KillAgent => {
                if let Some(agent) = self.agent.take() {
                    self.world.running.remove(&agent);
                    self.world.disconnect(&agent);
                }
            }
            Act::Begin => self.begin(),
        }
        self.check_life();
    }

    /// Messages are known by their ids, and events by their numbers.
    fn remember(&mut self) {
        for delivery in &self.world.deliveries {
            for message in &delivery.messages {
                let number = message.event.fields["number"].as_u64().expect("a number");
                self.numbers.insert(message.id.clone(), number);
            }
        }
    }

    fn look(&mut self) {
        if self.world.looks.is_empty() || self.world.state.is_none() {
            return;
        }
        let seen = self.world.looks.first().map_or(0, |job| job.before.as_u64().unwrap_or(0));
        let event = |number: u64| Event {
            kind: "shell_alert".to_owned(),
            fields: super::world::settings(json!({ "number": number })),
            ..Event::default()
        };
        let events = (seen + 1..=self.happened).map(event).collect();
        self.world.looked(Ok(Seen { state: json!(self.happened), events, not_before: None }));
    }

    fn start(&mut self) {
        if self.world.state.is_some() {
            return;
        }
        self.world.fuse = None;
        self.world.start();
        if let Some(agent) = self.agent.clone() {
            self.world.register(&agent);
        }
    }

    fn begin(&mut self) {
        if self.agent.is_some() {
            return;
        }
        self.agents += 1;
        let record = self.world.record(self.agents, Some("ada"));
        self.agent = Some(self.world.begin(record));
    }

    /// The answer to whether an agent runs.
    fn check_life(&mut self) {
        for agent in std::mem::take(&mut self.world.checks) {
            let runs = self.world.running.contains_key(&agent);
            self.world.step(signalbox_daemon::msg::Msg::Life { agent, runs });
        }
    }

    /// Let everything come to rest, with a daemon and an agent that stay.
    fn settle(&mut self) {
        for _ in 0..20 {
            self.start();
            self.begin();
            for act in [
                Act::Feed,
                Act::Pass(11),
                Act::Look,
                Act::Deliver,
                Act::Take,
                Act::Feed,
                Act::Deliver,
                Act::Take,
            ] {
                self.act(&act);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_event_reaches_an_agent_exactly_once(acts in acts()) {
        let mut story = Story::new();
        story.begin();
        for act in &acts {
            story.act(act);
        }
        story.world.fuse = None;
        story.settle();
        let mut heard: Vec<u64> =
            story.taken.iter().map(|id| *story.numbers.get(id).expect("a message that was made")).collect();
        heard.sort_unstable();
        let wanted: Vec<u64> = (1..=story.happened).collect();
        prop_assert_eq!(heard, wanted);
        // And nothing is left over.
        for (file, bytes) in story.world.disk.iter().filter(|(file, _)| file.starts_with("seats/")) {
            let seat: Seat = serde_json::from_slice(bytes).expect("a seat");
            for watch in seat.watches.values() {
                prop_assert!(watch.pending.is_empty() && watch.sent.is_empty(), "{file}: {watch:?}");
            }
        }
    }
}
