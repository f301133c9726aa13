//! Questions for a human: who may do what with them, and what cannot be asked or answered.

use signalbox_core::escalation::{
    Book, Decision, Evidence, Kind, Question, Reply, State, Told, Wish, decide,
};
use signalbox_core::{Agent, Event, EventId, Refusal, SessionId, TicketId, Who};

#[derive(Default)]
struct World {
    book: Book,
    number: u64,
}

impl World {
    fn wish(&mut self, who: &Who, wish: Wish) -> Result<Decision, Refusal> {
        self.number += 1;
        let decision = decide(&self.book, who, &wish, self.number)?;
        for (name, told) in &decision.told {
            let id = EventId::new(self.number, [0; 10]);
            let event = Event::apart(id, jiff::Timestamp::UNIX_EPOCH, name, who, None, told).unwrap();
            self.book.apply(&event);
        }
        Ok(decision)
    }

    fn refused(&mut self, wish: Wish) -> &'static str {
        self.wish(&Who::Human, wish).unwrap_err().code
    }
}

fn asks(question: &str) -> Question {
    Question { question: question.to_owned(), ..Question::default() }
}

fn answer(id: &str, reply: Reply) -> Wish {
    Wish::Answer { id: id.to_owned(), reply }
}

fn ticket(number: u64) -> TicketId {
    TicketId::from_random(number)
}

#[test]
fn what_nobody_could_answer_or_would_read() {
    let mut world = World::default();
    let proof = |text: &str| Evidence { text: text.to_owned(), ..Evidence::default() };
    for (asked, code) in [
        (asks(" \n"), "escalation.empty"),
        (asks(&"x".repeat(2_001)), "escalation.too-long"),
        (Question { context: Some("x".repeat(65_537)), ..asks("?") }, "escalation.too-long"),
        (Question { options: vec!["x".repeat(301)], ..asks("?") }, "escalation.too-long"),
        (Question { key: Some("x".repeat(201)), ..asks("?") }, "escalation.too-long"),
        (Question { evidence: vec![proof(&"x".repeat(16_385))], ..asks("?") }, "escalation.too-long"),
        (Question { options: vec![" ".into()], ..asks("?") }, "escalation.options"),
        (Question { options: vec!["x".into(); 11], ..asks("?") }, "escalation.options"),
        (Question { evidence: vec![proof("x"); 31], ..asks("?") }, "escalation.too-much"),
        (Question { blocks: vec![ticket(1); 201], ..asks("?") }, "escalation.too-much"),
    ] {
        assert_eq!(world.refused(Wish::Draft(asked.clone())), code);
        assert_eq!(world.refused(Wish::Raise(asked)), code);
    }
}

#[test]
fn a_life_and_what_does_not_belong_to_it() {
    let mut world = World::default();
    assert_eq!(world.refused(answer("esc-0001", Reply::Option(1))), "escalation.unknown");
    let asked =
        Question { options: vec!["Yes".into(), "no".into()], blocks: vec![ticket(1)], ..asks("Keep it?") };
    let raised = world.wish(&Who::System, Wish::Raise(asked)).unwrap();
    assert_eq!((raised.hold.as_slice(), raised.free.len()), (&[ticket(1)][..], 0));
    let id = raised.id;
    assert_eq!(world.refused(answer(&id, Reply::Option(3))), "escalation.option");
    let done = world.wish(&Who::Human, answer(&id, Reply::Words(" yes ".into()))).unwrap();
    assert_eq!(done.free, [ticket(1)]);
    let one = world.book.get(&id).unwrap();
    assert_eq!(
        one.answer.as_ref().map(|answer| (answer.answer.as_str(), answer.option)),
        Some(("yes", Some(1)))
    );
    assert_eq!(one.state(), State::Resolved);
    for wish in [
        answer(&id, Reply::Option(1)),
        Wish::Promote { id: id.clone() },
        Wish::Withdraw { id: id.clone(), reason: String::new() },
    ] {
        assert_eq!(world.refused(wish), "escalation.resolved");
    }
}

#[test]
fn an_agent_may_only_draft() {
    let mut world = World::default();
    let session = SessionId::parse("s1").unwrap();
    let ada = Who::Agent(Agent { name: "ada".into(), session, lineage: Vec::new() });
    let id = world.wish(&ada, Wish::Draft(asks("May I?"))).unwrap().id;
    for wish in [
        Wish::Raise(asks("May I?")),
        Wish::Promote { id: id.clone() },
        answer(&id, Reply::Words("yes".into())),
        Wish::Withdraw { id: id.clone(), reason: String::new() },
    ] {
        assert_eq!(world.wish(&ada, wish).unwrap_err().code, "human.only");
    }
    assert_eq!(world.book.get(&id).map(signalbox_core::escalation::Escalation::state), Some(State::Draft));
}

/// What agents may ask, and the wire names of what Signalbox asks itself.
#[test]
fn kinds() {
    for kind in Kind::ASKED {
        assert_eq!(Kind::parse(kind.as_str()), Some(*kind));
    }
    for kind in [Kind::RepeatedFailure, Kind::Conflict, Kind::Quota, Kind::Trust] {
        assert_eq!(Kind::parse(kind.as_str()), None);
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
    let newer: Kind = serde_json::from_str("\"omen\"").unwrap();
    assert_eq!(newer, Kind::Other);
    let suggestion = Question { kind: Kind::Suggestion, ticket: Some(ticket(1)), ..asks("Also this?") };
    assert_eq!(suggestion.blocked(), []);
    assert!(suggestion.concerns(&ticket(1)));
    let told = World::default().wish(&Who::Human, Wish::Draft(suggestion)).unwrap().told;
    assert!(matches!(told.as_slice(), [("escalation.drafted", Told::Drafted(_))]));
}
