//! What an agent is told when it is set to work: its ticket, what was tried before, what people have answered, and how it
//! hands in. The texts are templates, and a user's own come first.

use serde_json::{Value, json};
use signalbox_core::{Role, Ticket};
use signalbox_store::Home;
use signalbox_template::{Bundled, Library, render};

use crate::error::Failed;

/// The folder of these templates.
const FOLDER: &str = "roles";

/// What comes along.
pub static BUNDLED: &[Bundled] = &[
    Bundled { folder: FOLDER, event: "doer", text: include_str!("../templates/doer.jinja") },
    Bundled { folder: FOLDER, event: "test-writer", text: include_str!("../templates/test-writer.jinja") },
    Bundled { folder: FOLDER, event: "reviewer", text: include_str!("../templates/reviewer.jinja") },
    Bundled { folder: FOLDER, event: "resume", text: include_str!("../templates/resume.jinja") },
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
    /// How the tests are run, if anybody said so.
    pub test_command: Option<&'a str>,
    /// Which files are tests.
    pub tests: &'a [String],
    /// A commit of an attempt that was begun on another main.
    pub earlier: Option<&'a str>,
    pub resumes: bool,
}

/// The text that an agent begins with.
pub fn text(home: &Home, told: &Told<'_>) -> Result<String, Failed> {
    let library = Library::new(home.templates(), BUNDLED);
    let event = if told.resumes { "resume" } else { template(told.role) };
    let found = library.find(&[FOLDER], event).map_err(Failed::doing("read the template of the role"))?;
    let Some(found) = found else {
        return Ok(told.role.prompt().to_owned());
    };
    render(&found, &values(told)).map_err(|wrong| {
        let source = std::io::Error::other(wrong.to_string());
        Failed::Io { doing: "say what an agent is to do".to_owned(), source }
    })
}

fn template(role: Role) -> &'static str {
    match role {
        Role::TestWriter => "test-writer",
        Role::Reviewer => "reviewer",
        _ => "doer",
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
    let number = ticket.attempts.iter().filter(|attempt| attempt.report.role == Some(told.role)).count() + 1;
    json!({
        "agent": told.agent, "role": told.role.as_str(), "prompt": told.role.prompt(),
        "id": ticket.id.as_str(), "title": ticket.title, "body": told.body, "criteria": criteria,
        "branch": told.branch, "attempt": number, "attempts": attempts, "answers": answers,
        "test_command": told.test_command.unwrap_or_default(), "tests": told.tests,
        "test_files": ticket.work.tests.as_ref().map(|tests| tests.files.clone()).unwrap_or_default(),
        "earlier": told.earlier.unwrap_or_default(),
        "commit": ticket.work.submission.as_ref().map(|handed| handed.handed.commit.clone()).unwrap_or_default(),
    })
}
