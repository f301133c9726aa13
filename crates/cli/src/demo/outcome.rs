//! What came of it, checked with plain git: every ticket on main, in a line, the tests green at each commit, and the files
//! exactly those that were expected.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Stdio;

use serde::Serialize;
use serde_json::Value;
use signalbox_core::{Event, Status, Ticket, TicketId, text};
use signalbox_desk::error::{CommandError, Kind};
use signalbox_store::index::History;
use signalbox_store::{Index, Store, agents, escalation};

use super::narration::paragraph;
use super::stage::Stage;
use super::{Wanted, repository};
use crate::context::Context;
use crate::ui::Paint;

/// All that is told of it in the end, to people and to programs.
#[derive(Debug, Serialize)]
pub struct Outcome {
    pub ok: bool,
    pub seconds: f64,
    /// Where everything is, if it was kept.
    pub folder: Option<PathBuf>,
    pub tickets: Vec<Row>,
    /// How many agents worked.
    pub agents: usize,
    pub refused: Vec<Refused>,
    pub sent_back: SentBack,
    pub questions: Vec<Question>,
    pub main: Main,
    /// What is not as it should be.
    pub wrong: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Row {
    pub key: String,
    pub id: String,
    pub title: String,
    pub status: Status,
    /// What it is on main.
    pub commit: Option<String>,
}

/// A call that a hook stopped.
#[derive(Debug, Serialize)]
pub struct Refused {
    pub agent: String,
    /// What it is known by, whoever else has its name later.
    pub id: Option<String>,
    pub ticket: Option<String>,
    pub call: String,
    pub reason: String,
}

/// What did not get through at once, and why.
#[derive(Debug, Default, Serialize)]
pub struct SentBack {
    pub by_reviewer: usize,
    pub by_tests: usize,
    pub by_conflict: usize,
    pub given_up: usize,
}

#[derive(Debug, Serialize)]
pub struct Question {
    pub id: String,
    pub ticket: Option<String>,
    pub question: String,
    pub answer: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Main {
    pub from: String,
    pub to: String,
    /// The oldest first.
    pub commits: Vec<String>,
}

impl Outcome {
    /// Look at everything. `ids` are the tickets by their keys, `begun_at` is the commit that it began from.
    pub fn of(
        stage: &Stage,
        store: &Store,
        ids: &BTreeMap<String, String>,
        begun_at: &str,
        seconds: f64,
        wanted: &Wanted,
    ) -> Result<Self, CommandError> {
        let (index, _) = store.read()?;
        let mut tickets = Vec::new();
        for (key, id) in ids {
            let found = TicketId::parse(id).ok().map(|id| index.ticket(&id)).transpose()?.flatten();
            tickets.extend(found.map(|ticket| row(key, &ticket)));
        }
        let questions = questions(&index)?;
        let main = main(stage, begun_at)?;
        let said = questions.iter().find(|one| about(ids, "goodbye", one)).and_then(|one| one.answer.clone());
        let mut wrong = Vec::new();
        check_tickets(&tickets, ids.len(), &main, &mut wrong);
        check_line(stage, &main, &mut wrong)?;
        check_tests(stage, &main, &mut wrong)?;
        if wanted.driver.is_foreseeable() {
            check_files(stage, said.as_deref(), &mut wrong)?;
        }
        check_checkout(stage, &mut wrong)?;
        let events = |name: &str| -> Result<Vec<(Event, Value)>, CommandError> {
            let history = History { event: Some(name.to_owned()), ..History::default() };
            let events = index.events(&history)?.into_iter().map(|(_, event)| event);
            Ok(events
                .map(|event| {
                    let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
                    (event, data)
                })
                .collect())
        };
        let agents: BTreeSet<String> = agents::ids(&stage.home())?.iter().map(ToString::to_string).collect();
        let is_agent = |id: &str| agents.contains(id);
        let text = |value: &Value| text::one_line(value.as_str().unwrap_or_default()).into_owned();
        let refused = events("hook.pre-tool")?.into_iter().filter(|(_, data)| data["permission"] == "deny");
        let refused = refused.map(|(event, data)| Refused {
            id: event.lineage.iter().chain(&event.session).map(ToString::to_string).find(|id| is_agent(id)),
            agent: event.actor,
            ticket: event.ticket.map(|id| id.to_string()),
            call: text(if data["command"].is_string() { &data["command"] } else { &data["file"] }),
            reason: text(&data["reason"]),
        });
        let failed = events("merge.failed")?;
        let because = |why: &str| failed.iter().filter(|(_, data)| data["why"] == why).count();
        // Those that said so themselves.
        let gave_up =
            |(event, data): &&(Event, Value)| event.session.is_some() && data["outcome"] == "failed";
        let given_up = events("attempt.recorded")?.iter().filter(gave_up).count();
        Ok(Self {
            ok: wrong.is_empty(),
            // A tenth is as exact as anybody wants to know.
            seconds: (seconds * 10.0).round() / 10.0,
            folder: wanted.keep.then(|| stage.root().to_owned()),
            tickets,
            agents: events("attempt.started")?.len(),
            refused: refused.collect(),
            sent_back: SentBack {
                by_reviewer: events("review.rejected")?.len(),
                by_tests: because("validation"),
                by_conflict: because("conflict"),
                given_up,
            },
            questions,
            main,
            wrong,
        })
    }

    /// Tell people.
    pub fn tell(&self, cx: &Context, is_watched: bool) -> Result<(), CommandError> {
        let done = self.tickets.iter().filter(|row| row.status == Status::Done).count();
        let (commits, who) = (self.main.commits.len(), if is_watched { "you were" } else { "a person was" });
        let head = match self.ok {
            true => cx.ui.paint(Paint::Green, &format!("All {done} tickets are on main")),
            false => {
                cx.ui.paint(Paint::Red, &format!("{done} of {} tickets are on main", self.tickets.len()))
            }
        };
        let green = if self.ok { ", in a line, with green tests at each of them" } else { "" };
        let SentBack { by_reviewer, by_tests, by_conflict, given_up } = self.sent_back;
        let (refused, asked) = (self.refused.len(), self.questions.len());
        let summary = format!(
            "{} agents worked. The hook refused {}; a reviewer sent back {by_reviewer}, the tests {by_tests}, a conflict \
             {by_conflict}; {given_up} gave up; {who} asked {}.",
            self.agents,
            counted(refused, "call"),
            counted(asked, "question"),
        );
        cx.ui.data(&format!("\n{head} after {:.0} s: {commits} commits{green}.\n", self.seconds))?;
        cx.ui.data(&paragraph(&cx.ui, &summary))
    }

    /// Main must be as it was expected.
    pub fn must_be_right(&self) -> Result<(), CommandError> {
        if self.ok {
            return Ok(());
        }
        let list: String = self.wrong.iter().map(|one| format!("\n  {}", text::one_line(one))).collect();
        let message = format!("what came of the demo is not what was expected:{list}");
        Err(CommandError::new(Kind::Failure, "demo.wrong", message)
            .hint("`sb demo --headless --keep` keeps the folder to look into."))
    }
}

fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn row(key: &str, ticket: &Ticket) -> Row {
    Row {
        key: key.to_owned(),
        id: ticket.id.to_string(),
        title: ticket.title.clone(),
        status: ticket.status,
        commit: ticket.work.landed.as_ref().map(|landed| landed.landed.clone()),
    }
}

fn questions(index: &Index) -> Result<Vec<Question>, CommandError> {
    let book = escalation::book(index)?;
    Ok(book
        .iter()
        .map(|one| Question {
            id: one.id.clone(),
            ticket: one.asked.ticket.as_ref().map(ToString::to_string),
            question: one.asked.question.clone(),
            answer: one.answer.as_ref().map(|answer| answer.answer.clone()),
        })
        .collect())
}

fn about(ids: &BTreeMap<String, String>, key: &str, one: &Question) -> bool {
    one.ticket.is_some() && one.ticket.as_ref() == ids.get(key)
}

fn main(stage: &Stage, begun_at: &str) -> Result<Main, CommandError> {
    let commits = stage.git(&["rev-list", "--reverse", &format!("{begun_at}..refs/heads/main")])?;
    Ok(Main {
        from: begun_at.to_owned(),
        to: stage.git(&["rev-parse", "refs/heads/main"])?,
        commits: commits.lines().map(ToOwned::to_owned).collect(),
    })
}

/// Each ticket is done, and is one commit of main; main has no other.
fn check_tickets(tickets: &[Row], filed: usize, main: &Main, wrong: &mut Vec<String>) {
    if tickets.len() != filed {
        wrong.push(format!("{filed} tickets were filed, and {} are there", tickets.len()));
    }
    for ticket in tickets.iter().filter(|ticket| ticket.status != Status::Done) {
        wrong.push(format!("{} is {}, and not done: {}", ticket.id, ticket.status, ticket.title));
    }
    let landed: BTreeSet<&str> = tickets.iter().filter_map(|ticket| ticket.commit.as_deref()).collect();
    let there: BTreeSet<&str> = main.commits.iter().map(String::as_str).collect();
    if landed != there || landed.len() != tickets.len() {
        wrong.push(format!(
            "main has {} new commits, and {} tickets have landed as one of their own",
            there.len(),
            landed.intersection(&there).count()
        ));
    }
}

/// Each commit has one parent, the one before it.
fn check_line(stage: &Stage, main: &Main, wrong: &mut Vec<String>) -> Result<(), CommandError> {
    let mut before = &main.from;
    for commit in &main.commits {
        let parents = stage.git(&["rev-list", "--parents", "-n", "1", commit])?;
        if parents != format!("{commit} {before}") {
            wrong.push(format!("main is not a line at {commit}"));
        }
        before = commit;
    }
    if *before != main.to {
        wrong.push(format!("main ends at {}, and not at {before}", main.to));
    }
    Ok(())
}

/// The tests pass at each commit, in a clone that has nothing else.
fn check_tests(stage: &Stage, main: &Main, wrong: &mut Vec<String>) -> Result<(), CommandError> {
    let clone = stage.root().join("check");
    let folder = clone.to_string_lossy().into_owned();
    stage.git(&["clone", "-q", "--no-checkout", ".", &folder])?;
    for commit in [&main.from].into_iter().chain(&main.commits) {
        stage.git(&["-C", &folder, "checkout", "-q", "--detach", commit])?;
        if let Err(printed) = repository::tests_pass(stage, &clone)? {
            let first = printed.lines().next().unwrap_or_default();
            wrong.push(format!("the tests fail at {commit}: {first}"));
        }
    }
    Ok(())
}

/// Main has exactly these files, and in each what was expected.
fn check_files(stage: &Stage, said: Option<&str>, wrong: &mut Vec<String>) -> Result<(), CommandError> {
    let mut wanted: BTreeMap<String, String> =
        repository::in_the_end().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    let said = said.map(|words| format!("{}\n", text::one_line(words)));
    wanted.extend(said.map(|words| (repository::GOODBYE.to_owned(), words)));
    let names = stage.git(&["ls-tree", "-r", "--name-only", "main"])?;
    let found: BTreeSet<&str> = names.lines().collect();
    for path in found.iter().filter(|path| !wanted.contains_key(**path)) {
        wrong.push(format!("{path} is on main, and nobody expected it"));
    }
    for (path, text) in &wanted {
        if !found.contains(path.as_str()) {
            wrong.push(format!("{path} is not on main"));
            continue;
        }
        let shown =
            stage.command("git").args(["show", &format!("main:{path}")]).stdin(Stdio::null()).output()?;
        if shown.stdout != text.as_bytes() {
            wrong.push(format!("{path} on main is not what was expected"));
        }
    }
    Ok(())
}

/// The person's checkout is on main, and as clean as it was.
fn check_checkout(stage: &Stage, wrong: &mut Vec<String>) -> Result<(), CommandError> {
    let branch = stage.git(&["symbolic-ref", "--short", "HEAD"])?;
    let status = stage.git(&["status", "--porcelain"])?;
    if branch != "main" || !status.is_empty() {
        wrong.push(format!("the person's checkout is on {branch}, and has changes: {status}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Driver;

    fn row(commit: Option<&str>, status: Status) -> Row {
        let commit = commit.map(ToOwned::to_owned);
        Row { key: "tax".to_owned(), id: "sb_abc123".to_owned(), title: "Tax".to_owned(), status, commit }
    }

    #[test]
    fn a_ticket_that_is_not_done_or_not_on_main_is_told() {
        let main = Main { from: "a".to_owned(), to: "b".to_owned(), commits: vec!["b".to_owned()] };
        let check = |tickets: &[Row]| {
            let mut wrong = Vec::new();
            check_tickets(tickets, 1, &main, &mut wrong);
            wrong
        };
        assert_eq!(check(&[row(Some("b"), Status::Done)]), Vec::<String>::new());
        assert_eq!(check(&[]).len(), 2);
        assert_eq!(check(&[row(Some("b"), Status::Review)]), ["sb_abc123 is review, and not done: Tax"]);
        let elsewhere = ["main has 1 new commits, and 0 tickets have landed as one of their own"];
        assert_eq!(check(&[row(Some("c"), Status::Done)]), elsewhere);
    }

    /// A main that somebody merged into, with red tests, a file too many, others that are missing, and a dirty checkout.
    #[test]
    fn whatever_is_wrong_with_main_is_told() {
        let stage = Stage::new(Driver::Puppet).unwrap();
        let begun_at = repository::make(&stage, repository::CONTRACT.1).unwrap();
        let write = |path: &str, text: &str| {
            signalbox_store::files::replace(&stage.repository().join(path), text.as_bytes(), 0o644).unwrap();
        };
        stage.git(&["switch", "-q", "-c", "side"]).unwrap();
        write("tests/red.sh", "echo it is red; exit 1\n");
        stage.git(&["add", "-A"]).unwrap();
        stage.git(&["commit", "-q", "-m", "Red"]).unwrap();
        stage.git(&["switch", "-q", "main"]).unwrap();
        stage.git(&["merge", "-q", "--no-ff", "-m", "Merge", "side"]).unwrap();
        write("stock.csv", "bread,1\n");
        let main = main(&stage, &begun_at).unwrap();
        let mut wrong = Vec::new();
        check_line(&stage, &main, &mut wrong).unwrap();
        check_tests(&stage, &main, &mut wrong).unwrap();
        check_files(&stage, Some("Bye"), &mut wrong).unwrap();
        check_checkout(&stage, &mut wrong).unwrap();
        assert!(stage.remove().is_none());
        for words in [
            "main is not a line at",
            "the tests fail at",
            "it is red",
            "tests/red.sh is on main, and nobody expected it",
            "commands/total.sh is not on main",
            "goodbye.txt is not on main",
            "README.md on main is not what was expected",
            "has changes:  M stock.csv",
        ] {
            assert!(wrong.iter().any(|one| one.contains(words)), "{words}: {wrong:#?}");
        }
    }
}
