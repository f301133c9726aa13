//! The queue of messages against a simple model, what may be queued at all, and receipts as events.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use proptest::prelude::*;
use signalbox_core::inject::{
    Deferred, Door, Failure, Fate, Injection, MOST_TEXT, Next, Priority, Queue, Readiness, Receipt,
    must_be_words,
};
use signalbox_core::{Agent, AgentId, CATALOG, Event, EventId, SessionId, Who};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_763_000_000 + second).unwrap()
}

fn id(n: u64) -> EventId {
    let mut random = [0; 10];
    random[2..].copy_from_slice(&n.to_be_bytes());
    EventId::new(1_763_000_000_000, random)
}

fn message(n: u64, second: i64) -> Injection {
    Injection::new(id(n), &format!("message {n}"), "human", at(second)).unwrap()
}

#[test]
fn commands_of_the_cli_are_peoples_alone() {
    let agent = Who::Agent(Agent {
        name: "Ada".to_owned(),
        session: SessionId::parse("s-1").unwrap(),
        lineage: Vec::new(),
    });
    let commands = [
        "/extension sh -c x",
        "  !rm x",
        "\u{1b}/clear",
        "\n#note",
        "exit",
        " Quit\n",
        ":q",
        "$x",
        "&x",
        "?",
    ];
    for text in commands {
        assert_eq!(
            must_be_words(&agent, text).map_err(|refusal| refusal.code),
            Err("inject.command"),
            "{text:?}"
        );
        assert!(must_be_words(&Who::Human, text).is_ok(), "{text:?}");
    }
    for text in ["src/a.rs is wrong", "exit code 1", "- a list", "`ls` fails", "@file.txt", "Größe"] {
        assert!(must_be_words(&agent, text).is_ok(), "{text:?}");
    }
}

#[test]
fn what_says_nothing_is_refused_with_a_sentence() {
    let code = |text: &str| Injection::new(id(1), text, "human", at(0)).map_err(|refusal| refusal.code);
    for (text, want) in [
        ("", "inject.empty"),
        (" \n\t ", "inject.empty"),
        ("\u{1b}\u{3}", "inject.only-control"),
        ("\u{7f}\u{9b} \u{0}\n", "inject.only-control"),
    ] {
        assert_eq!(code(text), Err(want), "{text:?}");
    }
    assert_eq!(code(&"x".repeat(MOST_TEXT + 1)), Err("inject.too-long"));
    assert!(code(&"x".repeat(MOST_TEXT)).is_ok());
    assert!(code("\u{1b}[31mred").is_ok(), "what is typed of it is decided at the door");
    let long = Injection::new(id(1), &"x".repeat(10_000_000), "human", at(0)).unwrap_err();
    assert_eq!(long.message, "the message has more than 1000000 bytes");
    assert_eq!(message(1, 0).ttl(0).map_err(|r| r.code), Err("inject.ttl"));
    for key in ["", " ", "a\nb", &"k".repeat(201)] {
        assert_eq!(message(1, 0).key(key).map_err(|r| r.code), Err("inject.key"), "{key:?}");
    }
}

#[test]
fn every_receipt_is_an_event_and_comes_back_from_it() {
    let fates = [
        Fate::Queued {
            priority: Priority::High,
            ttl_seconds: 5,
            key: Some("ci".into()),
            from: "human".into(),
            text: "a\n\"b\"".into(),
        },
        Fate::Delivered { door: Door::Waiter, tries: 2 },
        Fate::Deferred { reason: Deferred::PersonTyping, door: Some(Door::Keyboard) },
        Fate::Superseded { by: id(9) },
        Fate::Expired { waited_seconds: 300, reason: Some(Deferred::Busy) },
        Fate::Expired { waited_seconds: 300, reason: None },
        Fate::Failed { reason: Failure::Refused, door: Some(Door::Queue), detail: Some("why".into()) },
    ];
    let agent = AgentId::parse("claude-7kq2").unwrap();
    for fate in fates {
        let receipt = Receipt::new(&id(1), fate);
        assert!(CATALOG.iter().any(|doc| doc.name == receipt.name()), "{}", receipt.name());
        let mut event: Event = serde_json::from_str(
            r#"{"v":1,"id":"01J00000000000000000000000","ts":"2026-11-15T10:00:00Z","event":"","actor":"sb"}"#,
        )
        .unwrap();
        event.event = receipt.name().to_owned();
        event.data = receipt.data(&agent).unwrap();
        assert_eq!(Receipt::of(&event), Some((agent.clone(), receipt)), "{}", event.data.get());
    }
}

#[test]
fn receipts_read_as_sentences() {
    let text = |fate| Receipt::new(&id(1), fate).to_string();
    assert_eq!(text(Fate::Delivered { door: Door::Waiter, tries: 1 }), "delivered through the waiter");
    assert_eq!(
        text(Fate::Expired { waited_seconds: 300, reason: Some(Deferred::Busy) }),
        "expired after 300 s: the agent is working"
    );
    assert_eq!(
        text(Fate::Deferred { reason: Deferred::Draft, door: None }),
        "it waits: a half-typed line stands in the input box"
    );
}

#[test]
fn a_lower_one_never_drives_out_a_higher_one() {
    let mut queue = Queue::new(2);
    queue.push(message(1, 0).priority(Priority::High), at(0));
    queue.push(message(2, 1).priority(Priority::Normal), at(1));
    let refused = queue.push(message(3, 2).priority(Priority::Low), at(2));
    assert_eq!(refused, [failed(3, Failure::Full)]);
    let evicted = queue.push(message(4, 3).priority(Priority::Normal), at(3));
    assert_eq!(evicted[0], failed(2, Failure::Evicted));
    assert_eq!(evicted[1].name(), "inject.queued");
}

#[test]
fn it_says_once_what_one_waits_for_and_then_again_when_that_changes() {
    let mut queue = Queue::new(9);
    queue.push(message(1, 0), at(0));
    let mut wait = |reason| match queue.next(at(1), Readiness::NotYet(reason)) {
        Next::Wait(receipt) => receipt.is_some(),
        other => panic!("{other:?}"),
    };
    assert!(wait(Deferred::Busy));
    assert!(!wait(Deferred::Busy));
    assert!(wait(Deferred::Draft));
    assert!(wait(Deferred::Busy));
    let expired = queue.expire(at(300));
    let fate = Fate::Expired { waited_seconds: 300, reason: Some(Deferred::Busy) };
    assert_eq!(expired, [Receipt::new(&id(1), fate)]);
}

fn failed(n: u64, reason: Failure) -> Receipt {
    Receipt::new(&id(n), Fate::Failed { reason, door: None, detail: None })
}

#[derive(Debug, Clone)]
enum Step {
    Push { priority: Priority, key: Option<u8>, ttl: u32 },
    PushAgain { which: usize },
    Next(bool),
    Cancel { which: usize },
    Expire,
    Pass(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let priority = prop::sample::select(&Priority::ALL[..]);
    prop_oneof![
        6 => (priority, prop::option::weighted(0.4, 0..3u8), 1..40u32)
            .prop_map(|(priority, key, ttl)| Step::Push { priority, key, ttl }),
        1 => (0..50usize).prop_map(|which| Step::PushAgain { which }),
        3 => prop::bool::ANY.prop_map(Step::Next),
        1 => (0..50usize).prop_map(|which| Step::Cancel { which }),
        1 => Just(Step::Expire),
        3 => (0..15i64).prop_map(Step::Pass),
    ]
}

/// What the model knows: everything that was ever pushed, and what is still there, unordered.
#[derive(Default)]
struct Model {
    all: Vec<Injection>,
    present: BTreeSet<u64>,
    ended: BTreeMap<EventId, Fate>,
}

impl Model {
    fn number(&self, id: &EventId) -> u64 {
        self.all.iter().position(|injection| injection.id == *id).unwrap() as u64
    }

    fn of(&self, n: u64) -> &Injection {
        &self.all[usize::try_from(n).unwrap()]
    }

    fn end(&mut self, id: &EventId, fate: Fate) -> Result<(), TestCaseError> {
        prop_assert!(self.present.remove(&self.number(id)), "{} was not there", id);
        prop_assert!(self.ended.insert(id.clone(), fate).is_none(), "{} ended twice", id);
        Ok(())
    }

    /// Check each receipt of a push or an expiry by what the model knows, independent of how the queue works.
    fn receive(
        &mut self,
        receipts: &[Receipt],
        newcomer: Option<u64>,
        most: usize,
        now: i64,
    ) -> Result<(), TestCaseError> {
        for receipt in receipts {
            let n = self.number(&receipt.injection);
            match &receipt.fate {
                Fate::Expired { .. } => {
                    prop_assert!(self.of(n).expires_at() <= at(now), "expired too soon");
                }
                Fate::Superseded { by } => {
                    prop_assert_eq!(self.number(by), newcomer.unwrap());
                    prop_assert!(self.of(n).key.is_some());
                    prop_assert_eq!(&self.of(n).key, &self.of(newcomer.unwrap()).key);
                }
                Fate::Failed { reason: Failure::Evicted, .. } => {
                    let newcomer = self.of(newcomer.unwrap());
                    let others = || self.present.iter().filter(|m| self.of(**m).id != newcomer.id);
                    prop_assert_eq!(others().count(), most, "evicted though there was room");
                    let lowest = others().map(|m| self.of(*m).priority).max().unwrap();
                    prop_assert_eq!(self.of(n).priority, lowest);
                    prop_assert!(newcomer.priority <= lowest);
                    let oldest = others()
                        .map(|m| self.of(*m))
                        .filter(|i| i.priority == lowest)
                        .min_by_key(|i| i.order());
                    prop_assert_eq!(&oldest.unwrap().id, &receipt.injection);
                }
                Fate::Failed { reason: Failure::Full, .. } => {
                    prop_assert_eq!(n, newcomer.unwrap());
                    let lower =
                        self.present.iter().any(|m| self.of(*m).priority >= self.of(n).priority && *m != n);
                    prop_assert!(!lower, "there was one to evict");
                    prop_assert_eq!(self.present.len(), most + 1);
                }
                Fate::Queued { .. } => {
                    prop_assert_eq!(n, newcomer.unwrap());
                    continue;
                }
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            }
            self.end(&receipt.injection, receipt.fate.clone())?;
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn nothing_is_lost_doubled_or_out_of_order(
        most in 1..6usize,
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut queue = Queue::new(most);
        let mut model = Model::default();
        let mut now = 0;
        for step in steps {
            match step {
                Step::Push { priority, key, ttl } => {
                    let n = model.all.len() as u64;
                    let mut injection = message(n, now).priority(priority).ttl(ttl).unwrap();
                    injection.key = key.map(|key| format!("key {key}"));
                    model.all.push(injection.clone());
                    model.present.insert(n);
                    let receipts = queue.push(injection, at(now));
                    model.receive(&receipts, Some(n), most, now)?;
                }
                Step::PushAgain { which } => {
                    if let Some(waiting) = queue.waiting().get(which).cloned() {
                        let before = queue.clone();
                        prop_assert_eq!(queue.push(waiting.injection, at(now)), []);
                        prop_assert_eq!(&queue, &before);
                    }
                }
                Step::Next(ready) => {
                    let readiness =
                        if ready { Readiness::Ready } else { Readiness::NotYet(Deferred::Dialog) };
                    let alive = |n: &&u64| model.of(**n).expires_at() > at(now);
                    let best = model.present.iter().filter(alive).map(|n| model.of(*n)).min_by_key(|i| i.order());
                    match queue.next(at(now), readiness) {
                        Next::Nothing => prop_assert!(best.is_none()),
                        Next::Wait(_) => prop_assert!(best.is_some() && !ready),
                        Next::Deliver(waiting) => {
                            prop_assert!(ready);
                            prop_assert_eq!(Some(&waiting.injection), best);
                            let fate = Fate::Delivered { door: Door::Keyboard, tries: 1 };
                            model.end(&waiting.injection.id, fate)?;
                        }
                    }
                }
                Step::Cancel { which } => {
                    if let Some(id) = queue.waiting().get(which).map(|waiting| waiting.injection.id.clone()) {
                        prop_assert!(queue.remove(&id).is_some());
                        prop_assert!(queue.remove(&id).is_none());
                        let fate = Fate::Failed { reason: Failure::Cancelled, door: None, detail: None };
                        model.end(&id, fate)?;
                    }
                }
                Step::Expire => {
                    let receipts = queue.expire(at(now));
                    model.receive(&receipts, None, most, now)?;
                    prop_assert!(queue.waiting().iter().all(|w| w.injection.expires_at() > at(now)));
                }
                Step::Pass(seconds) => now += seconds,
            }
            prop_assert!(queue.waiting().len() <= most);
            let there: BTreeSet<u64> = queue.waiting().iter().map(|w| model.number(&w.injection.id)).collect();
            prop_assert_eq!(&there, &model.present, "lost without an outcome, or there after one");
            prop_assert!(queue.waiting().is_sorted_by_key(|w| (w.injection.priority, w.injection.queued_at)));
            prop_assert_eq!(model.ended.len() + model.present.len(), model.all.len());
        }
    }
}
