//! Asking a person: one question each, with what was tried, and answers to choose from.

use signalbox_core::escalation::{Evidence, Hypothesis, Kind, Question};
use signalbox_core::orchestra::{self, Question as About};
use signalbox_core::{Ticket, Who, text};
use signalbox_store::escalation;

use crate::error::Failed;
use crate::site::Site;
use crate::steps::Hands;

/// How much of an attempt's last output goes along.
const MOST_OUTPUT: usize = 1_500;

/// Ask, once.
pub fn ask(
    hands: &Hands<'_>,
    ticket: Option<&Ticket>,
    about: About,
    hypothesis: orchestra::Hypothesis,
    key: &str,
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
    };
    let asked = Question {
        kind,
        question,
        context: ticket.map(context),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        ticket: ticket.map(|ticket| ticket.id.clone()),
        blocks: Vec::new(),
        evidence: ticket.map(evidence).unwrap_or_default(),
        hypothesis: Hypothesis::parse(hypothesis.as_str()),
        key: Some(key.to_owned()),
    };
    let raised = escalation::raise(&site.store, &Who::System, Some(&site.project), asked)?;
    if raised.changed {
        let asked = text::one_line(&raised.escalation.asked.question).into_owned();
        (hands.say)(&format!("{} needs you: {asked}", raised.escalation.id));
    }
    Ok(())
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
            let output = &attempt.report.blockers;
            let from = output.char_indices().rev().nth(MOST_OUTPUT).map_or(0, |(at, _)| at);
            let what = format!("the end of what {}'s attempt printed", attempt.by);
            let text = output.get(from..).unwrap_or_default().to_owned();
            Evidence { what, text, ..Evidence::default() }
        })
        .collect();
    found.reverse();
    found
}
