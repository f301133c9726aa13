//! The planner: what it asks for, and why it says a ticket is where it is.

use jiff::{SignedDuration, Timestamp};
use signalbox_core::orchestra::{
    Control, EndReason, Ended, Fleet, Gates, Hypothesis, Item, Job, Limits, Plan, Pool, ProjectLimits,
    Question, ReviewedBy, Running, Step, Trust, Why, plan,
};
use signalbox_core::work::{MergeFailed, MergeTrouble, Tests};
use signalbox_core::{
    AttemptReport, Changes, Command, Ending, MergeStep, NewTicket, Outcome, Priority, ProjectName, Role,
    SessionId, Status, Who, open_dependencies,
};

use crate::world::*;

const SYSTEM: Who = Who::System;
const HUMAN: Who = Who::Human;

/// A board with all that the planner looks at.
struct Room {
    world: World,
    fleet: Fleet,
    limits: Limits,
    /// How long after the last event it is.
    later: SignedDuration,
    files: Vec<(char, Vec<String>)>,
    escalation: Option<String>,
}

impl Room {
    /// Tickets that need no tests.
    fn with(letters: &str) -> Self {
        let mut world = World::default();
        for letter in letters.chars() {
            world.ok(&HUMAN, &Command::New(Box::new(NewTicket { needs_tests: false, ..blank(letter) })));
        }
        let projects = [(ProjectName::untracked(), ProjectLimits::default())].into();
        Self {
            world,
            fleet: Fleet::default(),
            limits: Limits { agents: 8, projects },
            later: SignedDuration::from_hours(1),
            files: Vec::new(),
            escalation: None,
        }
    }

    fn now(&self) -> Timestamp {
        self.world.events.last().unwrap().ts + self.later
    }

    fn limits(&mut self) -> &mut ProjectLimits {
        self.limits.projects.values_mut().next().unwrap()
    }

    fn plan(&self) -> Plan {
        let board = &self.world.board;
        let files = |letter: &str| {
            let known = self.files.iter().find(|(of, _)| id(*of).as_str() == letter);
            known.map(|(_, files)| files.clone()).unwrap_or_default()
        };
        let item = |ticket| {
            Item::of(
                ticket,
                open_dependencies(board, ticket),
                self.escalation.clone(),
                files(ticket.id.as_str()),
            )
        };
        let items: Vec<Item<'_>> = board.tickets().map(item).collect();
        let plan = plan(&items, &self.fleet, &self.limits, self.now());
        assert_eq!(plan.why.len(), items.len(), "every ticket has a reason");
        assert!(plan.next.is_none_or(|next| next > self.now()));
        for (id, why) in &plan.why {
            let words = why.to_string();
            assert!(
                words.ends_with(['.', '?']) || matches!(why, Why::Held { .. } | Why::Untrusted { .. }),
                "{words}"
            );
            assert!(
                !why.code().is_empty() && why.command(id).is_none_or(|command| command.starts_with("sb "))
            );
        }
        plan
    }

    fn why(&self, letter: char) -> Why {
        self.plan().why.remove(&id(letter)).unwrap()
    }

    fn code(&self, letter: char) -> &'static str {
        self.why(letter).code()
    }

    /// The steps, each as a short text.
    fn steps(&self) -> Vec<String> {
        self.plan().steps.iter().map(short).collect()
    }

    /// Somebody is set to work, and seen at it.
    fn start(&mut self, letter: char, name: &str, role: Role) {
        self.world.ok(&SYSTEM, &start(letter, name, role));
        let at = self.world.events.last().unwrap().ts;
        self.fleet.agents.push(Running {
            name: name.to_owned(),
            session: SessionId::parse(name).unwrap(),
            ticket: id(letter),
            role,
            pool: "claude".to_owned(),
            since: at,
            active: at,
            waits_for_person: false,
            cut_short: false,
            claimed: false,
            changed: Vec::new(),
            ending: None,
            ended: None,
        });
        self.later = SignedDuration::from_secs(1);
    }

    /// An attempt that came to nothing.
    fn fail(&mut self, letter: char, report: AttemptReport) {
        let name = format!("Ada{}", self.world.events.len());
        self.world.ok(&SYSTEM, &start(letter, &name, Role::Doer));
        let report = Box::new(report);
        self.world.ok(&SYSTEM, &Command::EndAttempt { id: id(letter), report, ending: Ending::Pool });
    }

    fn agent(&mut self) -> &mut Running {
        self.fleet.agents.last_mut().unwrap()
    }
}

fn short(step: &Step) -> String {
    let letter = |ticket: &signalbox_core::TicketId| ticket.as_str().chars().last().unwrap();
    match step {
        Step::Start { ticket, role, resume } => {
            format!("start {} {role}{}", letter(ticket), if *resume { " resumed" } else { "" })
        }
        Step::CheckTests { ticket, commit } => format!("check {} {commit}", letter(ticket)),
        Step::End { agent, reason } => format!("end {agent} {reason:?}"),
        Step::RecordEnd { ticket, report, ending } => {
            let ending = match ending {
                Ending::Submitted => "stays",
                Ending::TestsReady(_) => "tests",
                Ending::Pool => "pool",
            };
            format!("record {} {} {ending}", letter(ticket), report.outcome.as_str())
        }
        Step::Enqueue { ticket } => format!("enqueue {}", letter(ticket)),
        Step::Escalate { question, hypothesis, key, .. } => {
            format!("ask {} {} {key}", question.as_str(), hypothesis.as_str())
        }
        Step::Withdraw { ticket, escalation } => format!("withdraw {} {escalation}", letter(ticket)),
    }
}

fn failed(failure: &str, diff: &str) -> AttemptReport {
    AttemptReport {
        failure: Some(failure.to_owned()),
        diff: Some(diff.to_owned()),
        ..AttemptReport::new(Outcome::Failed, "It did not work.")
    }
}

#[test]
fn tests_come_first_where_they_are_wanted() {
    let mut room = Room::with("a");
    assert_eq!(room.steps(), ["start a doer"]);
    room.world.file("b");
    assert_eq!(room.steps(), ["start a doer", "start b test-writer"]);
    assert_eq!(room.why('b').to_string(), "It is its turn: a test-writer is set to work.");
    let tests = Tests { commit: "t1".to_owned(), files: Vec::new() };
    room.start('b', "Ada", Role::TestWriter);
    room.world.ok(&agent("Ada", &[]), &hand_in('b', "t1"));
    room.later = SignedDuration::from_secs(10);
    assert_eq!(room.steps(), ["end Ada Finished", "start a doer"]);
    room.agent().ended = Some(Ended::Exit { code: 0 });
    assert_eq!(room.steps(), ["check b t1", "start a doer"]);
    room.fleet.jobs.push(Job::CheckTests(id('b')));
    assert_eq!((room.steps(), room.code('b')), (vec!["start a doer".to_owned()], "checking-tests"));
    room.fleet.jobs.clear();
    room.world.ok(&SYSTEM, &end_attempt('b', Outcome::Completed, Ending::TestsReady(tests)));
    assert_eq!(room.steps(), ["start a doer", "start b doer"]);
}

#[test]
fn what_is_not_the_loops_is_left_alone() {
    let mut room = Room::with("abcdefg");
    room.world.ok(&HUMAN, &hold('a'));
    room.world.ok(&HUMAN, &depend('b', "c"));
    room.world.ok(&HUMAN, &escalate('d'));
    room.world.ok(&HUMAN, &assign('e', "Sam"));
    room.world.ok(&HUMAN, &pick('f'));
    room.world.ok(&HUMAN, &override_to('g', Status::Backlog));
    assert_eq!(room.steps(), ["start c doer"]);
    let codes: Vec<_> = "abcdefg".chars().map(|letter| room.code(letter)).collect();
    assert_eq!(codes, ["held", "waits", "starts", "escalated", "somebodys", "somebodys", "backlog"]);
    assert_eq!(room.why('b').waits_for(), [id('c')]);
    assert_eq!(room.why('a').command(&id('a')).unwrap(), format!("sb unhold {}", id('a')));
    room.world.ok(&HUMAN, &close('c'));
    room.escalation = Some("esc-0001".to_owned());
    assert_eq!(room.why('d').to_string(), "It waits for an answer to esc-0001.");
    assert!(room.steps().contains(&"withdraw c esc-0001".to_owned()));
    // Nobody runs this project.
    room.limits.projects.clear();
    assert_eq!((room.code('b'), room.code('c')), ("not-run", "done"));
}

#[test]
fn the_same_is_seen_and_the_same_is_said() {
    let mut room = Room::with("abcd");
    room.start('a', "Ada", Role::Doer);
    assert_eq!(room.plan(), room.plan());
    assert_eq!(room.code('a'), "working");
    assert_eq!(room.steps(), ["start b doer", "start c doer"]);
    // What is being prepared is not asked for again.
    room.fleet.jobs = vec![Job::Prepare(id('b')), Job::Prepare(id('c'))];
    assert_eq!((room.steps(), room.code('b'), room.code('d')), (Vec::new(), "starting", "no-room"));
}

#[test]
fn whoever_does_nothing_for_too_long_is_ended() {
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.later = SignedDuration::from_mins(29);
    let next = room.plan().next.unwrap();
    assert_eq!(next.duration_since(room.now()), SignedDuration::from_mins(1));
    room.later = SignedDuration::from_mins(30);
    assert_eq!(room.steps(), ["end Ada Stalled"]);
    room.fleet.jobs.push(Job::End(SessionId::parse("Ada").unwrap()));
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "ending"));
    // A person has it: its clock stands still.
    room.agent().claimed = true;
    room.later = SignedDuration::from_hours(9);
    assert_eq!(room.code('a'), "claimed");
    room.agent().claimed = false;
    let active = room.now();
    room.agent().active = active;
    room.fleet.jobs.clear();
    assert_eq!(room.steps(), ["end Ada OverTime"]);
    for (ending, expected) in [
        (EndReason::Stalled, "record a stalled pool"),
        (EndReason::OverTime, "record a failed pool"),
        (EndReason::OutOfQuota, "record a out_of_quota pool"),
        (EndReason::Stopping, "record a stopped pool"),
    ] {
        room.agent().ending = Some(ending);
        room.agent().ended = Some(Ended::Signal { number: 15 });
        assert_eq!(room.steps(), [expected]);
    }
}

#[test]
fn whoever_waits_for_a_person_is_shown_and_ended_at_last() {
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.agent().waits_for_person = true;
    room.later = SignedDuration::from_mins(20);
    let words = "Ada waits for a person, for 20 min; it is ended in 10 min if nobody comes.";
    assert_eq!(room.why('a').to_string(), words);
    assert_eq!(room.steps(), [""; 0]);
    room.later = SignedDuration::from_mins(31);
    assert_eq!(room.steps(), ["end Ada Unanswered"]);
}

#[test]
fn how_an_attempt_ended_is_told_from_how_its_agent_did() {
    for (ended, expected) in [
        (Ended::Exit { code: 0 }, "record a failed pool"),
        (Ended::Exit { code: 1 }, "record a crashed pool"),
        (Ended::Signal { number: 9 }, "record a crashed pool"),
        (Ended::Vanished, "record a crashed pool"),
        (Ended::NeverBegan, "record a stopped pool"),
    ] {
        let mut room = Room::with("a");
        room.start('a', "Ada", Role::Doer);
        room.agent().ended = Some(ended);
        assert_eq!(room.steps(), [expected]);
        // Handed in, it is what it was handed in as.
        room.world.ok(&agent("Ada", &[]), &hand_in('a', "c1"));
        assert_eq!(room.steps(), ["record a completed stays"]);
    }
    // The loop was killed after it wrote down the start, and before it started anybody.
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.fleet.agents.clear();
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "starting"));
    room.later = SignedDuration::from_secs(15);
    assert_eq!(room.steps(), ["record a stopped pool"]);
    room.fleet.jobs.push(Job::Prepare(id('a')));
    assert_eq!(room.steps(), [""; 0]);
}

#[test]
fn an_agent_whose_ticket_was_taken_from_it_is_ended() {
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.world.ok(&HUMAN, &hold('a'));
    assert_eq!((room.steps(), room.code('a')), (vec!["end Ada Blocked".to_owned()], "ending"));
    room.agent().ending = Some(EndReason::Blocked);
    room.agent().ended = Some(Ended::Signal { number: 15 });
    assert_eq!(room.steps(), ["record a stopped pool"]);
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Stopped, Ending::Pool));
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "held"));
    room.world.ok(&HUMAN, &unhold('a'));
    assert_eq!(room.steps(), ["start a doer"]);
    for command in [assign('a', "Sam"), override_to('a', Status::Backlog), close('a'), release('a')] {
        let mut room = Room::with("a");
        room.start('a', "Ada", Role::Doer);
        room.world.ok(&HUMAN, &command);
        assert!(room.steps().contains(&"end Ada Stray".to_owned()), "{command:?}");
    }
}

#[test]
fn attempts_that_fail_are_made_again_later_and_later_and_then_a_person_is_asked() {
    let mut room = Room::with("a");
    room.fail('a', failed("one", "x"));
    room.later = SignedDuration::from_secs(30);
    assert_eq!(room.why('a').to_string(), "It failed once, and is tried again in 28 s.");
    room.later = SignedDuration::from_secs(60);
    assert_eq!(room.steps(), ["start a doer"]);
    room.fail('a', failed("two", "y"));
    assert_eq!(room.steps(), [""; 0]);
    room.later = SignedDuration::from_secs(130);
    assert_eq!(room.steps(), ["start a doer"]);
    // Nobody's fault.
    room.fail('a', AttemptReport::new(Outcome::Stopped, ""));
    room.later = SignedDuration::from_hours(1);
    assert_eq!(room.steps(), ["start a doer"]);
    room.fail('a', failed("three", "z"));
    let asked = format!("ask repeated-failure unknown repeated-failure/{}/4", id('a'));
    assert_eq!((room.steps(), room.code('a')), (vec![asked], "asking"));
    room.world.ok(&HUMAN, &escalate('a'));
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "escalated"));
    // The answer gives it as many again.
    room.world.ok(&HUMAN, &edit('a', Changes { escalated: Some(false), ..Changes::default() }));
    assert_eq!(room.steps(), ["start a doer"]);
}

#[test]
fn the_same_failure_with_the_same_change_is_a_circle() {
    let mut room = Room::with("a");
    room.fail('a', failed("test x", "same"));
    room.fail('a', failed("test x", "other"));
    assert_eq!(room.steps(), ["start a doer"]);
    let mut room = Room::with("a");
    room.fail('a', failed("test x", "same"));
    room.fail('a', AttemptReport::new(Outcome::OutOfQuota, ""));
    room.fail('a', failed("test x", "same"));
    assert_eq!(room.steps(), [format!("ask loop unknown loop/{}/3", id('a'))]);
    // What is not known is not the same.
    let mut room = Room::with("a");
    room.fail('a', AttemptReport::new(Outcome::Failed, ""));
    room.fail('a', AttemptReport::new(Outcome::Failed, ""));
    assert_eq!(room.steps(), ["start a doer"]);
}

#[test]
fn a_conflict_with_main_is_a_persons_to_solve() {
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.world.ok(&agent("Ada", &[]), &hand_in('a', "c1"));
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    room.fleet.agents.clear();
    assert_eq!(room.steps(), ["enqueue a"]);
    room.world.ok(&SYSTEM, &Command::Queue { id: id('a') });
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "in-queue"));
    room.world.ok(&SYSTEM, &merge('a', started("c1", 1)));
    let conflict = MergeFailed {
        commit: "c1".to_owned(),
        run: 1,
        why: MergeTrouble::Conflict,
        message: "both change a.rs".to_owned(),
        output: String::new(),
        files: vec!["a.rs".to_owned()],
        diff: None,
    };
    room.world.ok(&SYSTEM, &merge('a', MergeStep::Failed(conflict)));
    assert_eq!(room.steps(), [format!("ask conflict missing-context conflict/{}/2", id('a'))]);
    assert_eq!(Question::Conflict.words(), "the work conflicts with main");
    assert_eq!(Hypothesis::MissingContext.as_str(), "missing-context");
}

#[test]
fn an_empty_account_stops_only_those_who_draw_on_it() {
    let mut room = Room::with("abc");
    room.limits().pools = vec![(Role::Doer, "claude".to_owned()), (Role::TestWriter, "codex".to_owned())];
    room.world.file("t");
    room.start('a', "Ada", Role::Doer);
    let until = room.now() + SignedDuration::from_hours(2);
    room.fleet.pools = vec![Pool { name: "claude".to_owned(), exhausted_until: Some(until) }];
    assert_eq!(room.steps(), ["end Ada OutOfQuota", "start t test-writer"]);
    assert_eq!(room.why('b').to_string(), "The account `claude` is empty, and is used again in 2 h.");
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::OutOfQuota, Ending::Pool));
    room.fleet.agents.clear();
    assert_eq!(room.plan().next, Some(until));
    room.later = SignedDuration::from_hours(3);
    assert_eq!(room.steps()[0], "start a doer resumed");
    // One that was cut short does not go on by itself, however soon there was something again.
    room.start('b', "Bowie", Role::Doer);
    room.agent().cut_short = true;
    assert!(room.steps().contains(&"end Bowie OutOfQuota".to_owned()), "{:?}", room.steps());
    room.world.ok(&SYSTEM, &end_attempt('b', Outcome::OutOfQuota, Ending::Pool));
    room.fleet.agents.clear();
    // It does not count, but is not made for ever either.
    for _ in 0..4 {
        room.fail('a', AttemptReport::new(Outcome::OutOfQuota, ""));
    }
    room.later = SignedDuration::from_hours(3);
    assert_eq!(room.steps()[0], format!("ask quota environment quota/{}/5", id('a')));
}

#[test]
fn work_is_reviewed_by_whom_the_project_says() {
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.world.ok(&agent("Ada", &[]), &hand_in('a', "c1"));
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    room.fleet.agents.clear();
    room.limits().gates = Gates { validate: true, independent: Some(ReviewedBy::Human) };
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "unreviewed"));
    room.limits().gates.independent = Some(ReviewedBy::Either);
    assert_eq!(room.steps(), ["start a reviewer"]);
    room.start('a', "Rae", Role::Reviewer);
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "working"));
    room.world.ok(&agent("Rae", &[]), &review('a'));
    // It dies over it: that says nothing about the work, and the next one can take it.
    room.agent().ended = Some(Ended::Signal { number: 9 });
    assert_eq!(room.steps(), ["record a crashed stays"]);
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Crashed, Ending::Submitted));
    assert_eq!(room.world.ticket('a').reviewer, None);
    room.fleet.agents.clear();
    room.later = SignedDuration::from_hours(1);
    assert_eq!(room.steps(), ["start a reviewer"]);
    room.start('a', "Sal", Role::Reviewer);
    room.world.ok(&agent("Sal", &[]), &approve('a'));
    room.agent().ended = Some(Ended::Exit { code: 0 });
    assert_eq!(room.steps(), ["record a completed stays"]);
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    assert_eq!(room.steps(), ["enqueue a"]);
    // What was approved was that commit, and no other.
    room.world.ok(&HUMAN, &hand_in('a', "c2"));
    assert_eq!(room.steps(), ["start a reviewer"]);
    // Nobody manages to review it: a person is asked.
    room.limits().attempts = 1;
    room.start('a', "Tam", Role::Reviewer);
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Stalled, Ending::Submitted));
    room.fleet.agents.clear();
    assert!(room.steps()[0].starts_with("ask repeated-failure environment"), "{:?}", room.steps());
}

#[test]
fn rejected_work_goes_back_to_whoever_is_free() {
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.world.ok(&agent("Ada", &[]), &hand_in('a', "c1"));
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    room.fleet.agents.clear();
    room.world.ok(&HUMAN, &reject('a'));
    room.later = SignedDuration::from_hours(1);
    assert_eq!((room.world.status('a'), room.steps()), (Status::Rework, vec!["start a doer".to_owned()]));
    room.world.ok(&HUMAN, &assign('a', "Sam"));
    assert_eq!((room.steps(), room.code('a')), (Vec::new(), "somebodys"));
    assert_eq!(room.world.code(&SYSTEM, &start('a', "Bo", Role::Doer)), "start.not-ready");
}

#[test]
fn what_did_not_work_for_a_reason_of_our_own_is_tried_again_later() {
    let mut room = Room::with("ab");
    let until = room.now() + SignedDuration::from_secs(30);
    room.fleet.jobs.push(Job::Rests { ticket: id('a'), why: "The disk is full.".to_owned(), until });
    assert_eq!(room.steps(), ["start b doer"]);
    assert_eq!(room.why('a').to_string(), "The disk is full; it is tried again in 30 s.");
    assert_eq!(room.plan().next, Some(until));
    room.later += SignedDuration::from_secs(30);
    assert_eq!(room.steps(), ["start a doer", "start b doer"]);
}

#[test]
fn where_no_workspace_can_be_set_up_one_question_is_asked_for_all_and_reviews_go_on() {
    let mut room = Room::with("abr");
    room.start('r', "Ada", Role::Doer);
    room.world.ok(&agent("Ada", &[]), &hand_in('r', "c1"));
    room.world.ok(&SYSTEM, &end_attempt('r', Outcome::Completed, Ending::Submitted));
    room.fleet.agents.clear();
    room.limits().gates.independent = Some(ReviewedBy::Agent);
    let fails = |times| vec![Job::CannotSetUp { project: ProjectName::untracked(), times }];
    room.fleet.jobs = fails(2);
    assert_eq!(room.steps().len(), 3, "{:?}", room.steps());
    room.fleet.jobs = fails(3);
    let asked = format!("ask set-up environment set-up/{}", ProjectName::untracked());
    assert_eq!(room.steps(), [asked, "start r reviewer".to_owned()]);
    assert_eq!((room.code('a'), room.code('b')), ("asking", "asking"));
    // Until it is answered, also by a loop that has tried nothing yet.
    room.limits().setup_question = Some("esc-0001".to_owned());
    for jobs in [fails(3), Vec::new()] {
        room.fleet.jobs = jobs;
        assert_eq!(room.steps(), ["start r reviewer"]);
        assert_eq!(room.why('a').to_string(), "It waits for an answer to esc-0001.");
    }
    room.limits().setup_question = None;
    assert_eq!(room.steps().len(), 3);
}

#[test]
fn what_waits_for_a_remote_that_nobody_reaches_says_so() {
    let mut room = Room::with("a");
    room.start('a', "Ada", Role::Doer);
    room.world.ok(&agent("Ada", &[]), &hand_in('a', "c1"));
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    room.fleet.agents.clear();
    for command in
        [Command::Queue { id: id('a') }, merge('a', started("c1", 1)), merge('a', validated("c1", 1))]
    {
        room.world.ok(&SYSTEM, &command);
    }
    room.limits().remote_question = Some("esc-0001".to_owned());
    assert_eq!(room.code('a'), "escalated");
    room.world.ok(&SYSTEM, &merge('a', pushed("c1", 1)));
    assert_eq!(room.code('a'), "at-remote");
}

#[test]
fn what_a_person_wants_of_the_loop() {
    let mut room = Room::with("ab");
    room.start('a', "Ada", Role::Doer);
    for (control, steps, code) in [
        (Control::Running, vec!["start b doer"], "starts"),
        (Control::Paused, vec![], "paused"),
        (Control::Draining, vec![], "draining"),
        (Control::Stopping, vec!["end Ada Stopping"], "stopping"),
    ] {
        room.limits().control = control;
        assert_eq!((room.steps(), room.code('b')), (steps.iter().map(|s| (*s).to_owned()).collect(), code));
    }
    // What was handed in is still reviewed while the rest drains.
    room.limits().control = Control::Draining;
    room.limits().gates.independent = Some(ReviewedBy::Agent);
    room.world.ok(&agent("Ada", &[]), &hand_in('a', "c1"));
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    room.fleet.agents.clear();
    assert_eq!(room.steps(), ["start a reviewer"]);
}

#[test]
fn without_trust_nothing_is_started_and_one_question_asked() {
    let mut room = Room::with("abc");
    room.limits().trust = Trust::Untrusted { why: "it changed.".to_owned(), hash: "h1".to_owned() };
    assert_eq!(room.steps(), ["ask trust environment trust/untracked/h1"]);
    assert_eq!(room.why('a').to_string(), "The commands of its project are not trusted: it changed.");
    assert!(!room.limits().lands());
}

#[test]
fn the_urgent_first_then_the_old_and_nobody_for_ever_last() {
    let mut room = Room::with("abc");
    room.limits().concurrency = 1;
    assert_eq!(room.steps(), ["start a doer"]);
    assert_eq!(
        room.why('c').to_string(),
        "As many agents are at work in its project as may be (1); 1 is before it."
    );
    let priority = |priority| Changes { priority: Some(priority), ..Changes::default() };
    room.world.ok(&HUMAN, &edit('c', priority(Priority::P1)));
    assert_eq!(room.steps(), ["start c doer"]);
    room.world.ok(&HUMAN, &edit('a', priority(Priority::P5)));
    room.world.ok(&HUMAN, &edit('b', priority(Priority::P0)));
    assert_eq!(room.steps(), ["start b doer"]);
    // Two days of waiting are worth four steps of priority, and nothing overtakes an outage.
    let mut old = room.world.ticket('a').clone();
    old.created -= SignedDuration::from_hours(49);
    room.world.board.insert(old);
    assert_eq!(room.steps(), ["start b doer"]);
    room.world.ok(&HUMAN, &hold('b'));
    assert_eq!(room.steps(), ["start a doer"]);
}

#[test]
fn projects_take_turns() {
    let mut room = Room::with("ab");
    for letter in "xy".chars() {
        let project = ProjectName::parse("other").unwrap();
        let new = NewTicket { needs_tests: false, project, ..blank(letter) };
        room.world.ok(&HUMAN, &Command::New(Box::new(new)));
    }
    let other = ProjectName::parse("other").unwrap();
    room.limits.projects.insert(other, ProjectLimits::default());
    room.limits.agents = 2;
    assert_eq!(room.steps(), ["start a doer", "start x doer"]);
    let words = "As many agents are at work over all projects as may be (2); it is next.";
    assert_eq!(room.why('b').to_string(), words);
    // The one that was served longest ago goes first, however old the other's tickets are.
    room.limits.agents = 1;
    room.start('a', "Ada", Role::Doer);
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Failed, Ending::Pool));
    room.fleet.agents.clear();
    assert_eq!(room.steps(), ["start x doer"]);
}

#[test]
fn a_ticket_waits_for_others_that_change_the_same_files_but_not_for_ever() {
    let mut room = Room::with("abc");
    room.start('a', "Ada", Role::Doer);
    room.agent().changed = vec!["src/a.rs".to_owned()];
    room.files = vec![('b', vec!["src/*.rs".to_owned()]), ('c', vec!["docs".to_owned()])];
    room.later = SignedDuration::from_secs(10);
    assert_eq!(room.steps(), ["start c doer"]);
    let Why::Overlaps { with, file, .. } = room.why('b') else { panic!("{:?}", room.why('b')) };
    assert_eq!((with, file.as_str()), (id('a'), "src/*.rs"));
    assert_eq!(room.why('b').waits_for(), [id('a')]);
    room.later = SignedDuration::from_mins(31);
    room.agent().active = room.fleet.agents[0].since + SignedDuration::from_mins(30);
    assert_eq!(room.steps(), ["start b doer", "start c doer"]);
    // What is handed in is in the way until it lands, but not if nobody else is at work.
    room.later = SignedDuration::from_secs(10);
    room.files.push(('a', vec!["src/a.rs".to_owned()]));
    room.world.ok(&agent("Ada", &[]), &hand_in('a', "c1"));
    room.world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    room.fleet.agents.clear();
    assert_eq!(room.steps(), ["enqueue a", "start c doer"]);
    assert_eq!(room.code('b'), "overlaps");
    room.world.ok(&HUMAN, &hold('c'));
    assert_eq!(room.steps(), ["enqueue a", "start b doer"]);
}

#[test]
fn two_that_would_change_the_same_are_not_started_at_once() {
    let mut room = Room::with("ab");
    room.later = SignedDuration::from_secs(5);
    room.files = vec![('a', vec!["src".to_owned()]), ('b', vec!["src/x.rs".to_owned()])];
    assert_eq!((room.steps(), room.code('b')), (vec!["start a doer".to_owned()], "overlaps"));
}

#[test]
fn a_clock_that_was_set_back_holds_nobody_up() {
    let mut room = Room::with("ab");
    room.fail('a', failed("one", "x"));
    room.files = vec![('a', vec!["src".to_owned()]), ('b', vec!["src".to_owned()])];
    room.later = SignedDuration::from_hours(-1);
    assert_eq!(room.steps(), ["start a doer", "start b doer"]);
    room.start('a', "Ada", Role::Doer);
    room.fleet.agents.clear();
    room.later = SignedDuration::from_hours(-1);
    assert!(room.steps().contains(&"record a stopped pool".to_owned()), "{:?}", room.steps());
}
