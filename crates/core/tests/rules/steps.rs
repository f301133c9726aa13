//! Random histories: a cast of one human and six agents, and steps that each of them may take.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use signalbox_core::work::{Handed, Merge, Place, Start, Tests};
use signalbox_core::{
    AttemptReport, Changes, Command, Ending, MergeStep, NewTicket, Outcome, Priority, Role, SessionId,
    Status, Ticket, TicketId, Who,
};

use crate::world::*;

/// The tickets that histories are about. `z` is never filed.
const LETTERS: [char; 8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/// A human; Signalbox itself; a session with two children and a grandchild; and two that stand alone.
pub fn cast() -> Vec<Who> {
    vec![
        Who::Human,
        Who::System,
        agent("lead", &[]),
        agent("left", &["lead"]),
        agent("right", &["lead"]),
        agent("small", &["lead", "left"]),
        agent("bird", &[]),
        agent("cat", &[]),
    ]
}

#[derive(Debug, Clone)]
pub enum Step {
    /// Ask for anything at all, sense or nonsense.
    Ask(usize, Command),
    /// Ask for what would naturally come next, so that histories get anywhere.
    Go { who: usize, letter: char, dice: u8 },
    /// Read a ticket, if it is there.
    Read(usize, char),
}

pub fn history() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..=160)
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..cast().len();
    prop_oneof![
        16 => (who.clone(), any::<u8>(), letter()).prop_map(|(who, dice, letter)| Step::Go { who, letter, dice }),
        9 => (who.clone(), command()).prop_map(|(who, command)| Step::Ask(who, command)),
        // The rules leave most only to the human, who would otherwise rarely be the one to ask.
        2 => command().prop_map(|command| Step::Ask(0, command)),
        1 => (who, letter()).prop_map(|(who, letter)| Step::Read(who, letter)),
    ]
}

/// The earlier letters more often, so that some tickets see a long life.
fn letter() -> impl Strategy<Value = char> {
    (0..LETTERS.len(), 0..LETTERS.len()).prop_map(|(one, other)| LETTERS[one.min(other)])
}

fn ticket() -> impl Strategy<Value = TicketId> {
    prop_oneof![30 => letter(), 1 => Just('z')].prop_map(id)
}

fn tickets() -> impl Strategy<Value = Vec<TicketId>> {
    prop_oneof![2 => Just(Vec::new()), 1 => vec(ticket(), 1..4)]
}

fn text() -> impl Strategy<Value = String> {
    let odd = select(vec![
        "",
        " ",
        "\n",
        "two\nlines",
        "\u{1b}[31m",
        "ünï — 日本",
        "\"quoted\" \\ text",
        "trailing \n",
    ]);
    prop_oneof![3 => Just("Some words.".to_owned()), 1 => odd.prop_map(str::to_owned)]
}

fn status() -> impl Strategy<Value = Status> {
    select(Status::ALL.to_vec())
}

/// An assignee: someone of the cast by session or by name, or nobody one could know.
fn assignee() -> impl Strategy<Value = String> {
    let known = cast().into_iter().flat_map(|who| {
        let session = who.session().map(ToString::to_string);
        [Some(who.name().to_owned()), session].into_iter().flatten()
    });
    prop_oneof![8 => select(known.collect::<Vec<_>>()), 1 => text()]
}

fn report() -> impl Strategy<Value = AttemptReport> {
    (select(Outcome::ALL.to_vec()), text(), any::<bool>()).prop_map(|(outcome, summary, branch_kept)| {
        AttemptReport { blockers: summary.clone(), branch_kept, ..AttemptReport::new(outcome, summary) }
    })
}

fn new_ticket() -> impl Strategy<Value = NewTicket> {
    let texts = (text(), text(), option::of(text()), vec(text(), 0..3));
    let rest =
        (any::<bool>(), select(Priority::ALL.to_vec()), tickets(), option::weighted(0.9, Just("A title")));
    (letter(), texts, rest).prop_map(
        |(letter, (body, tag, area, acceptance), (backlog, priority, depends_on, title))| {
            let title = title.map_or(body.clone(), ToOwned::to_owned);
            NewTicket {
                title,
                body,
                tags: vec![tag],
                area,
                acceptance,
                backlog,
                priority,
                depends_on,
                ..blank(letter)
            }
        },
    )
}

fn changes() -> impl Strategy<Value = Changes> {
    let some = || option::weighted(0.2, text());
    let graph = (tickets(), tickets(), option::weighted(0.2, any::<bool>()));
    let texts = (some(), some(), some(), vec(text(), 0..2), option::weighted(0.2, vec(text(), 0..3)));
    (graph, texts, option::weighted(0.2, select(Priority::ALL.to_vec()))).prop_map(
        |(
            (add_depends_on, remove_depends_on, escalated),
            (title, slug, branch, add_acceptance, services),
            priority,
        )| {
            Changes {
                title,
                priority,
                add_depends_on,
                remove_depends_on,
                add_tags: add_acceptance.clone(),
                slug,
                needs_tests: escalated,
                escalated,
                add_acceptance,
                branch,
                services,
                ..Changes::default()
            }
        },
    )
}

/// Every variant of [`Command`]. The match in [`name`] no longer builds when there is another one.
fn command() -> impl Strategy<Value = Command> {
    let note = || option::of(text());
    prop_oneof![
        // Together as often as one of the others, so that histories go as far as without them.
        prop_oneof![
            new_ticket().prop_map(|new| Command::New(Box::new(new))),
            vec(new_ticket(), 0..3).prop_map(Command::NewAll),
            (tickets(), tickets()).prop_map(|(hold, free)| Command::Escalate { hold, free }),
        ],
        ticket().prop_map(|id| Command::Pick { id }),
        vec(ticket(), 0..5).prop_map(|candidates| Command::Pop { candidates }),
        (ticket(), status(), note()).prop_map(|(id, to, text)| Command::Move { id, to, text }),
        (ticket(), note()).prop_map(|(id, note)| Command::Submit { id, note, handed: None }),
        (ticket(), text()).prop_map(|(id, text)| Command::Note { id, text }),
        (ticket(), text(), option::of(report())).prop_map(|(id, reason, report)| Command::Release {
            id,
            reason,
            report
        }),
        ticket().prop_map(|id| Command::Review { id }),
        (ticket(), note()).prop_map(|(id, note)| Command::Approve { id, note }),
        (ticket(), text()).prop_map(|(id, reason)| Command::Reject { id, reason }),
        (ticket(), 0..4usize, any::<bool>()).prop_map(|(id, criterion, met)| Command::Check {
            id,
            criterion,
            met
        }),
        (ticket(), changes()).prop_map(|(id, changes)| Command::Edit { id, changes: Box::new(changes) }),
        (ticket(), option::weighted(0.8, assignee()))
            .prop_map(|(id, assignee)| Command::Assign { id, assignee }),
        (ticket(), text()).prop_map(|(id, reason)| Command::Hold { id, reason }),
        (ticket(), note()).prop_map(|(id, note)| Command::Unhold { id, note }),
        (ticket(), status(), text()).prop_map(|(id, to, reason)| Command::Override { id, to, reason }),
        (ticket(), note()).prop_map(|(id, note)| Command::Close { id, note }),
        (ticket(), text()).prop_map(|(id, reason)| Command::Reopen { id, reason }),
        (ticket(), role(), session()).prop_map(|(id, role, session)| start_as(id, role, &session)),
        (ticket(), report(), ending()).prop_map(|(id, report, ending)| Command::EndAttempt {
            id,
            report: Box::new(report),
            ending
        }),
        ticket().prop_map(|id| Command::Queue { id }),
        vec((ticket(), merge_step()), 0..3).prop_map(|steps| Command::Merge { steps }),
        (ticket(), note(), commit()).prop_map(|(id, note, commit)| Command::Submit {
            id,
            note,
            handed: Some(handed(&commit))
        }),
    ]
}

fn role() -> impl Strategy<Value = Role> {
    select(vec![Role::TestWriter, Role::Doer, Role::Reviewer])
}

/// Someone of the cast, so that what they do afterwards is theirs to do.
fn session() -> impl Strategy<Value = String> {
    select(vec!["lead", "left", "right", "bird", "cat"]).prop_map(str::to_owned)
}

fn commit() -> impl Strategy<Value = String> {
    select(vec!["c1", "c2", "c3"]).prop_map(str::to_owned)
}

fn handed(commit: &str) -> Handed {
    Handed { commit: commit.to_owned(), branch: "area/slug".to_owned(), place: Place::Workspace }
}

pub fn start_as(id: TicketId, role: Role, session: &str) -> Command {
    let session = SessionId::parse(session).unwrap();
    let (agent, branch, base) = (format!("agent-{session}"), "area/slug".to_owned(), "m0".to_owned());
    Command::Start { id, start: Start { role, agent, session, branch, base } }
}

fn ending() -> impl Strategy<Value = Ending> {
    let tests = Tests { commit: "t1".to_owned(), files: Vec::new() };
    select(vec![Ending::Submitted, Ending::Pool, Ending::TestsReady(tests)])
}

fn merge_step() -> impl Strategy<Value = MergeStep> {
    (commit(), 0..4u64, 0..6u8).prop_map(|(commit, run, kind)| match kind {
        0 => started(&commit, run),
        1 => validated(&commit, run),
        2 => landing(&commit, run),
        3 => landed(&commit, run),
        4 => MergeStep::Back { run },
        _ => MergeStep::Failed(merge_failed(&commit, run)),
    })
}

/// What [`name`] can answer.
pub const NAMES: [&str; 24] = [
    "new",
    "new-all",
    "pick",
    "pop",
    "move",
    "submit",
    "note",
    "release",
    "review",
    "approve",
    "reject",
    "check",
    "edit",
    "escalate",
    "assign",
    "hold",
    "unhold",
    "override",
    "close",
    "reopen",
    "start",
    "end-attempt",
    "queue",
    "merge",
];

/// A command's name, for counting which were asked.
pub fn name(command: &Command) -> &'static str {
    match command {
        Command::New(_) => "new",
        Command::NewAll(_) => "new-all",
        Command::Pick { .. } => "pick",
        Command::Pop { .. } => "pop",
        Command::Move { .. } => "move",
        Command::Submit { .. } => "submit",
        Command::Note { .. } => "note",
        Command::Release { .. } => "release",
        Command::Review { .. } => "review",
        Command::Approve { .. } => "approve",
        Command::Reject { .. } => "reject",
        Command::Check { .. } => "check",
        Command::Edit { .. } => "edit",
        Command::Escalate { .. } => "escalate",
        Command::Assign { .. } => "assign",
        Command::Hold { .. } => "hold",
        Command::Unhold { .. } => "unhold",
        Command::Override { .. } => "override",
        Command::Close { .. } => "close",
        Command::Reopen { .. } => "reopen",
        Command::Start { .. } => "start",
        Command::EndAttempt { .. } => "end-attempt",
        Command::Queue { .. } => "queue",
        Command::Merge { .. } => "merge",
    }
}

/// What would naturally come next for a ticket, and who would do it. The dice bring in what comes between.
pub fn natural(world: &World, who: &Who, letter: char, dice: u8) -> (Who, Command) {
    let Some(ticket) = world.board.ticket(&id(letter)) else {
        // A bit each says which of the others the new one waits for.
        let waits_for = |(at, other): &(usize, &char)| {
            **other != letter && dice >> at & 5 == 5 && world.board.ticket(&id(**other)).is_some()
        };
        let depends_on = LETTERS.iter().enumerate().filter(waits_for).map(|(_, other)| id(*other)).collect();
        let acceptance = vec!["It is fast.".to_owned(), "It is small.".to_owned()];
        return (who.clone(), Command::New(Box::new(NewTicket { depends_on, acceptance, ..blank(letter) })));
    };
    let assignee =
        || cast().into_iter().find(|who| ticket.is_assigned_to(who)).unwrap_or_else(|| who.clone());
    let reviewer =
        || cast().into_iter().find(|who| ticket.is_reviewed_by(who)).unwrap_or_else(|| who.clone());
    let report = AttemptReport::new(Outcome::Failed, "");
    if let Some(next) = orchestrated(ticket, who, dice) {
        return next;
    }
    match (ticket.status, dice % 16) {
        (Status::Done, 0..=9) => (Who::Human, reopen(letter)),
        (Status::Done, _) => (who.clone(), note(letter)),
        (_, 0) => (assignee(), check(letter, 1)),
        (_, 1) => (reviewer(), check(letter, 2)),
        (Status::Backlog, _) => (who.clone(), move_to(letter, Status::Open)),
        (Status::Open, _) => (who.clone(), pick(letter)),
        (Status::InProgress | Status::Rework, 2) => {
            (assignee(), Command::Release { id: id(letter), reason: String::new(), report: Some(report) })
        }
        (Status::InProgress, _) => (assignee(), submit(letter)),
        (Status::Rework, _) => (assignee(), pick(letter)),
        (Status::Review, 2) => (reviewer(), release(letter)),
        (Status::Review, 3..=5) => (reviewer(), approve(letter)),
        (Status::Review, 6..=8) => (reviewer(), reject(letter)),
        (Status::Review, 9..=10) => (who.clone(), approve(letter)),
        (Status::Review, _) => (who.clone(), review(letter)),
        (Status::Blocked, 2) => (assignee(), release(letter)),
        (Status::Blocked, 3) => (Who::Human, close(letter)),
        (Status::Blocked, 4) => (Who::Human, override_to(letter, Status::Open)),
        (Status::Blocked, _) if ticket.hold.is_some() => (Who::Human, unhold(letter)),
        (Status::Blocked, _) => (Who::Human, Command::Close { id: ticket.depends_on[0].clone(), note: None }),
    }
}

/// What the orchestrator would do next, and those it set to work. The dice leave a quarter of it to others.
fn orchestrated(ticket: &Ticket, who: &Who, dice: u8) -> Option<(Who, Command)> {
    let (id, work, system) = (ticket.id.clone(), &ticket.work, Who::System);
    let commit = format!("c{}", 1 + dice % 3);
    let merge = |step| Command::Merge { steps: vec![(id.clone(), step)] };
    let end = |outcome, ending| {
        let report = Box::new(AttemptReport::new(outcome, ""));
        Command::EndAttempt { id: id.clone(), report, ending }
    };
    let next_run = work.run + 1;
    let command = match (&work.merge, &work.start, ticket.status) {
        _ if dice & 48 == 48 => return None,
        // What comes too late, or from a run that is over.
        (Some(_), _, Status::Review) if dice % 8 == 3 => {
            let note = Some("Once more.".to_owned());
            return Some((Who::Human, Command::Submit { id, note, handed: Some(handed("c9")) }));
        }
        (Some(at), _, _) if dice % 8 == 5 => merge(MergeStep::Back { run: at.run().unwrap_or(0) + 7 }),
        (Some(Merge::Landing(at)), _, _) if dice.is_multiple_of(3) => merge(MergeStep::Back { run: at.run }),
        (Some(Merge::Pushed(at)), _, _) if dice.is_multiple_of(3) => merge(MergeStep::Back { run: at.run }),
        (Some(Merge::Pushed(at)), _, _) => merge(landed(&at.commit, at.run)),
        (Some(Merge::Validated(at)), _, _) if dice.is_multiple_of(5) => merge(pushed(&at.commit, at.run)),
        (Some(Merge::Landing(at)), _, _) => merge(landed(&at.commit, at.run)),
        (Some(Merge::Validated(at)), _, _) => merge(landing(&at.commit, at.run)),
        (Some(Merge::Building(at)), _, _) if dice.is_multiple_of(4) => {
            merge(MergeStep::Failed(merge_failed(&at.commit, at.run)))
        }
        (Some(Merge::Building(at)), _, _) => merge(validated(&at.commit, at.run)),
        (Some(Merge::Queued(at)), _, _) => merge(started(&at.commit, next_run)),
        (None, Some(_), _) if dice % 8 == 7 => end(Outcome::Crashed, Ending::Pool),
        (None, Some(start), Status::InProgress) if work.submission.is_none() => {
            let agent = cast().into_iter().find(|who| who.session() == Some(&start.session))?;
            let note = Some("Done.".to_owned());
            return Some((agent, Command::Submit { id, note, handed: Some(handed(&commit)) }));
        }
        (None, Some(start), _) if start.role == Role::TestWriter => {
            let tests = Tests { commit: "t1".to_owned(), files: Vec::new() };
            end(Outcome::Completed, Ending::TestsReady(tests))
        }
        (None, Some(_), _) => end(Outcome::Completed, Ending::Submitted),
        (None, None, Status::Review) if dice % 4 == 1 => {
            start_as(id, Role::Reviewer, who.session().map_or("cat", SessionId::as_str))
        }
        (None, None, Status::Review) => Command::Queue { id },
        (None, None, Status::Open | Status::Rework) => {
            let role = if dice.is_multiple_of(3) { Role::TestWriter } else { Role::Doer };
            start_as(id, role, who.session().map_or("bird", SessionId::as_str))
        }
        _ => return None,
    };
    Some((system, command))
}
