//! What an agent is told when it is set to work: its ticket, what was tried before, what people have answered, and how it
//! hands in. The texts are templates, and a user's own come first.

use serde_json::{Value, json};
use signalbox_core::{AttemptReport, Outcome, Role, Ticket};
use signalbox_store::Home;
use signalbox_template::{Bundled, Library, render};

use crate::error::Failed;

/// The folder of these templates.
pub const ROLES: &str = "roles";
/// What they may name.
pub const NAMES: &[&str] = &[
    "agent",
    "role",
    "prompt",
    "id",
    "title",
    "body",
    "criteria",
    "branch",
    "attempt",
    "attempts",
    "answers",
    "knowledge",
    "test_command",
    "tests",
    "test_files",
    "earlier",
    "commit",
];

/// The longest text, in bytes: the system takes no argument of more than 128 kB.
const MOST: usize = 60_000;

/// What comes along.
pub static BUNDLED: &[Bundled] = &[
    Bundled { folder: ROLES, event: "doer", text: include_str!("../templates/doer.jinja") },
    Bundled { folder: ROLES, event: "test-writer", text: include_str!("../templates/test-writer.jinja") },
    Bundled { folder: ROLES, event: "reviewer", text: include_str!("../templates/reviewer.jinja") },
    Bundled { folder: ROLES, event: "resume", text: include_str!("../templates/resume.jinja") },
];

/// What stands in the texts.
pub struct Told<'a> {
    pub agent: &'a str,
    pub role: Role,
    pub ticket: &'a Ticket,
    /// The ticket's own words.
    pub body: &'a str,
    pub branch: &'a str,
    /// Questions that people answered about it.
    pub answers: &'a [(String, String)],
    /// What the person wrote down for all who work for them.
    pub knowledge: &'a str,
    /// How the tests are run, if anybody said so.
    pub test_command: Option<&'a str>,
    /// Which files are tests.
    pub tests: &'a [String],
    /// A commit of an attempt that cannot be built on.
    pub earlier: Option<&'a str>,
    pub resumes: bool,
}

/// The text that an agent begins with.
pub fn text(home: &Home, told: &Told<'_>) -> Result<String, Failed> {
    let library = Library::new(home.templates(), BUNDLED);
    let event = if told.resumes { "resume" } else { template(told.role) };
    let found = library.find(&[ROLES], event).map_err(Failed::doing("read the template of the role"))?;
    let Some(found) = found else {
        return Ok(told.role.prompt().to_owned());
    };
    let text = render(&found, &values(told)).map_err(|wrong| {
        let source = std::io::Error::other(wrong.to_string());
        Failed::Io { doing: "say what an agent is to do".to_owned(), source }
    })?;
    Ok(bounded(text, told.ticket))
}

/// What fits onto a command line. The rest can be read where it stands.
fn bounded(mut text: String, ticket: &Ticket) -> String {
    if text.len() > MOST {
        let end = (0..=MOST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(&format!("\n… This is not all: `sb show {}` has the rest.\n", ticket.id));
    }
    // A zero byte would end it.
    text.replace('\0', " ")
}

fn template(role: Role) -> &'static str {
    match role {
        Role::TestWriter => "test-writer",
        Role::Reviewer => "reviewer",
        _ => "doer",
    }
}

/// Whether this tells of an agent's own end in this role. What was handed in and then sent back has a word of its own, and
/// is not counted twice; of a reviewer who sent something back it is the only one.
fn is_end_of(report: &AttemptReport, role: Role) -> bool {
    match report.outcome {
        Outcome::FailedReview => role == Role::Reviewer,
        Outcome::FailedMerge => false,
        _ => report.role == Some(role),
    }
}

fn values(told: &Told<'_>) -> Value {
    let ticket = told.ticket;
    let attempts: Vec<Value> = ticket
        .attempts
        .iter()
        .map(|attempt| {
            json!({
                "by": attempt.by, "role": attempt.report.role.map(Role::as_str).unwrap_or_default(),
                "outcome": attempt.report.outcome.as_str(), "summary": attempt.report.summary,
                "blockers": attempt.report.blockers, "learnings": attempt.report.learnings,
            })
        })
        .collect();
    let answers: Vec<Value> = told
        .answers
        .iter()
        .map(|(question, answer)| json!({ "question": question, "answer": answer }))
        .collect();
    let criteria: Vec<&str> = ticket.acceptance.iter().map(|criterion| criterion.text.as_str()).collect();
    let number = ticket.attempts.iter().filter(|attempt| is_end_of(&attempt.report, told.role)).count() + 1;
    json!({
        "agent": told.agent, "role": told.role.as_str(), "prompt": told.role.prompt(),
        "id": ticket.id.as_str(), "title": ticket.title, "body": told.body, "criteria": criteria,
        "branch": told.branch, "attempt": number, "attempts": attempts, "answers": answers,
        "knowledge": told.knowledge,
        "test_command": told.test_command.unwrap_or_default(), "tests": told.tests,
        "test_files": ticket.work.tests.as_ref().map(|tests| tests.files.clone()).unwrap_or_default(),
        "earlier": told.earlier.unwrap_or_default(),
        "commit": ticket.work.submission.as_ref().map(|handed| handed.handed.commit.clone()).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use signalbox_core::{ProjectName, TicketId};
    use signalbox_template::{Origin, check};

    use super::*;

    #[test]
    fn what_comes_along_names_only_what_there_is() {
        for bundled in BUNDLED {
            let found = signalbox_template::Found {
                name: format!("{}/{}", bundled.folder, bundled.event),
                text: bundled.text.to_owned(),
                origin: Origin::Bundled,
            };
            assert_eq!(check(&found, NAMES), Ok(()));
        }
    }

    #[test]
    fn every_name_has_a_value() {
        let id = TicketId::parse("sb_abc123").unwrap();
        let ticket = ticket(id);
        let told = Told {
            agent: "Ada",
            role: Role::Doer,
            ticket: &ticket,
            body: "",
            branch: "core/x",
            answers: &[],
            knowledge: "",
            test_command: None,
            tests: &[],
            earlier: None,
            resumes: false,
        };
        let values = values(&told);
        let names: Vec<&str> = values.as_object().unwrap().keys().map(String::as_str).collect();
        let mut wanted = NAMES.to_vec();
        wanted.sort_unstable();
        let mut found = names;
        found.sort_unstable();
        assert_eq!(found, wanted);
    }

    #[test]
    fn every_attempt_has_its_own_line() {
        use signalbox_core::{AttemptReport, Outcome};
        let mut ticket = ticket(TicketId::parse("sb_abc123").unwrap());
        for (by, blockers) in [("Ada", ""), ("Bowie", "line one\nline two"), ("Cleo", "")] {
            let report =
                AttemptReport { blockers: blockers.to_owned(), ..AttemptReport::new(Outcome::Failed, "") };
            let ts = jiff::Timestamp::UNIX_EPOCH;
            ticket.attempts.push(signalbox_core::Attempt { by: by.to_owned(), ts, report });
        }
        let told = Told {
            agent: "Dmitri",
            role: Role::Doer,
            ticket: &ticket,
            body: "Say hello.",
            branch: "core/greet",
            answers: &[("Which way?".to_owned(), "The short one.".to_owned())],
            knowledge: "From conventions.md:\nWrite {{ title }} as it is.",
            test_command: Some("sh test.sh"),
            tests: &[],
            earlier: Some("abc"),
            resumes: false,
        };
        let found = signalbox_template::Found {
            name: "roles/doer".to_owned(),
            text: include_str!("../templates/doer.jinja").to_owned(),
            origin: Origin::Bundled,
        };
        let text = render(&found, &values(&told)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "You are Dmitri, doer of core/greet, attempt 1: sb_abc123.");
        let wanted = [
            "- Ada (): failed. ",
            "- Bowie (): failed. ",
            "    line two",
            "- Cleo (): failed. ",
            "  Answer: The short one.",
            // Text is text, whatever it looks like.
            "Write {{ title }} as it is.",
        ];
        for line in wanted {
            assert!(lines.contains(&line), "{line:?} is missing in\n{text}");
        }
    }

    fn ticket(id: TicketId) -> Ticket {
        let new = signalbox_core::NewTicket::titled(id.clone(), ProjectName::untracked(), "Greet");
        let drafts = signalbox_core::decide(
            &signalbox_core::Board::default(),
            &signalbox_core::Who::Human,
            &signalbox_core::Command::New(Box::new(new)),
        )
        .unwrap();
        let mut board = signalbox_core::Board::default();
        for draft in drafts {
            let stamp = draft.stamp(signalbox_core::EventId::new(1, [1; 10]), jiff::Timestamp::UNIX_EPOCH);
            board.apply(&stamp.unwrap()).unwrap();
        }
        board.ticket(&id).cloned().unwrap()
    }
}
