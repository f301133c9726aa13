//! Asking a person: one question each, with what was tried, and answers to choose from.

use signalbox_core::escalation::{Evidence, Hypothesis, Kind, Question};
use signalbox_core::orchestra::{self, Question as About};
use signalbox_core::{ProjectName, Ticket, Who, text};
use signalbox_store::{Index, escalation};

use crate::error::Failed;
use crate::run::Say;
use crate::site::Site;
use crate::steps::Hands;

/// How much of an attempt's last output goes along.
const MOST_OUTPUT: usize = 1_500;

/// Ask, once. `printed` is what was printed when a workspace was set up last.
pub fn ask(
    hands: &Hands<'_>,
    ticket: Option<&Ticket>,
    about: About,
    hypothesis: orchestra::Hypothesis,
    key: &str,
    printed: &str,
) -> Result<(), Failed> {
    let site = hands.site;
    let title = ticket.map(|ticket| text::one_line(&ticket.title).into_owned()).unwrap_or_default();
    let (kind, question, options): (Kind, String, &[&str]) = match about {
        About::RepeatedFailure => (
            Kind::RepeatedFailure,
            format!("All attempts at \"{title}\" failed. What should the next one know or do differently?"),
            &["Try again as it is", "Leave it: I take it over"],
        ),
        About::Loop => (
            Kind::RepeatedFailure,
            format!("\"{title}\" failed twice in the same way with the same change. What is wrong with it?"),
            &["Try again as it is", "Leave it: I take it over"],
        ),
        About::Conflict => (
            Kind::Conflict,
            format!("\"{title}\" conflicts with what landed meanwhile. Which of the two should win?"),
            &["Build it anew on main, keep what main has", "Build it anew on main, the new one wins"],
        ),
        About::Quota => (
            Kind::Quota,
            format!("The account for \"{title}\" is empty again and again. Go on with it?"),
            &["Yes, I have seen to it", "Leave it for now"],
        ),
        About::Trust => (
            Kind::Trust,
            format!(
                "The contract of `{}` has changed, and nothing in it is run. Do you trust it?",
                site.project
            ),
            &["I ran `sb trust`", "No"],
        ),
        About::SetUp => (
            Kind::Blocker,
            format!("No workspace of `{}` can be made ready: `setup.run` fails. Try again?", site.project),
            &["I have put it right: try again"],
        ),
    };
    let mut shown = ticket.map(evidence).unwrap_or_default();
    if about == About::SetUp && !printed.is_empty() {
        shown.push(Evidence {
            what: "the end of what `setup.run` printed".to_owned(),
            text: end_of(printed),
            ..Evidence::default()
        });
    }
    let asked = Question {
        kind,
        question,
        context: match about {
            About::SetUp => {
                Some(format!("All that it printed is in the files {}.", site.log_of("setup-*").display()))
            }
            _ => ticket.map(context),
        },
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        ticket: ticket.map(|ticket| ticket.id.clone()),
        blocks: Vec::new(),
        evidence: shown,
        hypothesis: Hypothesis::parse(hypothesis.as_str()),
        key: Some(key.to_owned()),
    };
    raise(site, hands.say, asked)
}

fn raise(site: &Site, say: &Say, asked: Question) -> Result<(), Failed> {
    let raised = escalation::raise(&site.store, &Who::System, Some(&site.project), asked)?;
    if raised.changed {
        let asked = text::one_line(&raised.escalation.asked.question).into_owned();
        say(&format!("{} needs you: {asked}", raised.escalation.id));
    }
    Ok(())
}

/// The remote does not take a ticket's branch. Others may be taken.
pub fn refused(
    site: &Site,
    say: &Say,
    ticket: &Ticket,
    remote: &str,
    branch: &str,
    said: &str,
) -> Result<(), Failed> {
    let title = text::one_line(&ticket.title);
    let asked = Question {
        kind: Kind::Blocker,
        question: format!("`{remote}` does not take \"{title}\" as {branch}. Push it again?"),
        context: Some(format!(
            "It said: {said}\nIf a branch of that name is there which is not Signalbox's, rename or remove it there. \
             The work is validated, and waits."
        )),
        options: vec!["I have put it right: push it again".to_owned()],
        ticket: Some(ticket.id.clone()),
        hypothesis: Some(Hypothesis::Environment),
        key: Some(format!("push/{}", ticket.id)),
        ..Question::default()
    };
    raise(site, say, asked)
}

/// A branch that waited at the remote is gone, and was not merged: whoever took it away may have meant to reject it.
pub fn gone(site: &Site, say: &Say, ticket: &Ticket, remote: &str, branch: &str) -> Result<(), Failed> {
    let title = text::one_line(&ticket.title);
    let asked = Question {
        kind: Kind::Blocker,
        question: format!(
            "`{remote}` no longer has {branch} with \"{title}\", and it is not on {} there. Push it again?",
            site.main
        ),
        context: Some(format!(
            "If it is not wanted as it is, take it back with `sb override {} open \"…\"`, and answer what should be \
             different.",
            ticket.id
        )),
        options: vec!["Push it again".to_owned()],
        ticket: Some(ticket.id.clone()),
        key: Some(format!("push/{}", ticket.id)),
        ..Question::default()
    };
    raise(site, say, asked)
}

/// The remote cannot be reached, or there is none: nothing of the project can be pushed.
pub fn unreached(site: &Site, say: &Say, remote: &str, message: &str) -> Result<(), Failed> {
    let asked = Question {
        kind: Kind::Blocker,
        question: format!("Nothing of `{}` can be pushed to `{remote}`. Try again?", site.project),
        context: Some(format!("{message}\nWhat is validated waits, and is tried again every now and then.")),
        options: vec!["I have put it right: try again now".to_owned()],
        hypothesis: Some(Hypothesis::Environment),
        key: Some(key_of_remote(&site.project)),
        ..Question::default()
    };
    raise(site, say, asked)
}

/// The remote can be reached: whoever was asked about that need not answer.
pub fn reached(site: &Site, index: &Index) -> Result<(), Failed> {
    if let Some(id) = about_remote(index, &site.project)? {
        escalation::withdraw(&site.store, &Who::System, &id, "it was pushed meanwhile")?;
    }
    Ok(())
}

/// The question that waits for an answer because the remote cannot be reached.
pub fn about_remote(index: &Index, project: &ProjectName) -> Result<Option<String>, Failed> {
    pending(index, &key_of_remote(project))
}

/// The question that waits for an answer because no workspace can be set up.
pub fn about_set_up(index: &Index, project: &ProjectName) -> Result<Option<String>, Failed> {
    pending(index, &format!("{}/{project}", About::SetUp.as_str()))
}

fn key_of_remote(project: &ProjectName) -> String {
    format!("remote/{project}")
}

/// The question of this key that waits for an answer.
fn pending(index: &Index, key: &str) -> Result<Option<String>, Failed> {
    let pending = escalation::pending(index)?;
    Ok(pending.into_iter().find(|one| one.asked.key.as_deref() == Some(key)).map(|one| one.id))
}

pub fn withdraw(site: &Site, id: &str) -> Result<(), Failed> {
    escalation::withdraw(&site.store, &Who::System, id, "what it was about is done")?;
    Ok(())
}

/// What was tried, in order.
fn context(ticket: &Ticket) -> String {
    let mut words = String::new();
    for (number, attempt) in ticket.attempts.iter().enumerate() {
        let role = attempt.report.role.map_or("agent", signalbox_core::Role::as_str);
        let summary = text::one_line(&attempt.report.summary);
        let outcome = attempt.report.outcome.as_str();
        words.push_str(&format!("{}. {} ({role}): {outcome}. {summary}\n", number + 1, attempt.by));
    }
    words
}

/// The end of what the last attempts printed.
fn evidence(ticket: &Ticket) -> Vec<Evidence> {
    let printed = ticket.attempts.iter().rev().filter(|attempt| !attempt.report.blockers.is_empty());
    let mut found: Vec<Evidence> = printed
        .take(3)
        .map(|attempt| {
            let what = format!("the end of what {}'s attempt printed", attempt.by);
            Evidence { what, text: end_of(&attempt.report.blockers), ..Evidence::default() }
        })
        .collect();
    found.reverse();
    found
}

fn end_of(output: &str) -> String {
    let from = output.char_indices().rev().nth(MOST_OUTPUT).map_or(0, |(at, _)| at);
    output.get(from..).unwrap_or_default().to_owned()
}
