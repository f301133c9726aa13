//! What to make of attempts that failed: wait, try again, or ask a person.

use jiff::{SignedDuration, Timestamp};

use super::item::Item;
use super::limits::ProjectLimits;
use crate::fact::Outcome;
use crate::ticket::Attempt;
use crate::work::MergeTrouble;

/// The longest that a ticket rests, unless the contract says more.
const LONGEST: SignedDuration = SignedDuration::from_hours(1);
/// How often in a row an empty account may cut short a ticket before a person is asked.
const CUT_SHORT: usize = 5;

/// How often in a row workspaces may fail to be set up before a person is asked.
pub(super) const SET_UPS: u32 = 3;

/// What a person is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// All attempts failed.
    RepeatedFailure,
    /// The same failure twice, with the same change: a third time would be the same again.
    Loop,
    /// The work cannot be put on top of main.
    Conflict,
    /// The account is empty every time.
    Quota,
    /// Nobody trusted the commands in the contract.
    Trust,
    /// What makes a workspace ready fails every time.
    SetUp,
}

/// What may be behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hypothesis {
    MissingContext,
    FlawedRequirements,
    Hard,
    Environment,
    Unknown,
}

impl Question {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RepeatedFailure => "repeated-failure",
            Self::Loop => "loop",
            Self::Conflict => "conflict",
            Self::Quota => "quota",
            Self::Trust => "trust",
            Self::SetUp => "set-up",
        }
    }

    /// As it stands in a sentence: a person is asked because …
    pub fn words(self) -> &'static str {
        match self {
            Self::RepeatedFailure => "all attempts failed",
            Self::Loop => "it failed twice in the same way with the same change",
            Self::Conflict => "the work conflicts with main",
            Self::Quota => "its account was empty every time",
            Self::Trust => "nobody has trusted the commands of its project",
            Self::SetUp => "no workspace of its project can be made ready",
        }
    }
}

impl Hypothesis {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MissingContext => "missing-context",
            Self::FlawedRequirements => "flawed-requirements",
            Self::Hard => "hard",
            Self::Environment => "environment",
            Self::Unknown => "unknown",
        }
    }
}

/// The question that a ticket's attempts raise, and what may be behind it.
///
/// A conflict is asked about at once: whoever tries again on a newer main does not know which of the two changes is meant
/// to win, and a person does.
pub fn question(item: &Item<'_>, limits: &ProjectLimits) -> Option<(Question, Hypothesis)> {
    let newest = item.counted().next_back();
    if newest.is_some_and(is_conflict) {
        return Some((Question::Conflict, Hypothesis::MissingContext));
    }
    if goes_in_circles(item) {
        return Some((Question::Loop, hypothesis(item.counted())));
    }
    if item.counted().count() >= limits.attempts.max(1) {
        return Some((Question::RepeatedFailure, hypothesis(item.counted())));
    }
    no_quota(item)
}

/// The same for those who were to review it.
pub fn question_of_review(item: &Item<'_>, limits: &ProjectLimits) -> Option<(Question, Hypothesis)> {
    if item.failed_reviews().count() >= limits.attempts.max(1) {
        return Some((Question::RepeatedFailure, hypothesis(item.failed_reviews())));
    }
    no_quota(item)
}

/// An empty account does not count against the work, but is not tried for ever either.
fn no_quota(item: &Item<'_>) -> Option<(Question, Hypothesis)> {
    (item.cut_short() >= CUT_SHORT).then_some((Question::Quota, Hypothesis::Environment))
}

fn is_conflict(attempt: &Attempt) -> bool {
    let failure = attempt.report.failure.as_deref();
    failure.and_then(MergeTrouble::of_fingerprint) == Some(MergeTrouble::Conflict)
}

/// Two attempts in a row that failed in the same way with the same change.
fn goes_in_circles(item: &Item<'_>) -> bool {
    let mut newest = item.counted().rev().map(|attempt| &attempt.report);
    let (Some(last), Some(before)) = (newest.next(), newest.next()) else { return false };
    let is_known = last.failure.is_some() && last.diff.is_some();
    is_known && (&last.failure, &last.diff) == (&before.failure, &before.diff)
}

/// A guess from how the attempts ended, where they all ended alike.
fn hypothesis<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Hypothesis {
    let mut guesses: Vec<_> = attempts
        .map(|attempt| match attempt.report.outcome {
            Outcome::Crashed | Outcome::Stalled | Outcome::OutOfQuota | Outcome::Stopped => {
                Hypothesis::Environment
            }
            Outcome::GaveUpContext => Hypothesis::Hard,
            Outcome::GaveUpTests => Hypothesis::FlawedRequirements,
            Outcome::FailedReview => Hypothesis::MissingContext,
            Outcome::FailedMerge | Outcome::Failed | Outcome::Completed => Hypothesis::Unknown,
        })
        .collect();
    guesses.dedup();
    match guesses[..] {
        [guess] => guess,
        _ => Hypothesis::Unknown,
    }
}

/// When the next attempt may be made after these; `None` where nothing has to be waited for.
pub fn not_before<'a>(
    attempts: impl DoubleEndedIterator<Item = &'a Attempt>,
    limits: &ProjectLimits,
    now: Timestamp,
) -> Option<Timestamp> {
    let (mut wait, mut last) = (limits.backoff, None);
    for attempt in attempts {
        // Dice are for many who ask the same at once, and nobody else asks for this ticket.
        wait = if last.is_some() { wait.saturating_mul(2).min(LONGEST.max(limits.backoff)) } else { wait };
        last = Some(attempt.ts);
    }
    let last = last?;
    // An attempt that ended in the future says that the clock was set back, and holds nobody up.
    last.checked_add(wait).ok().filter(|until| *until > now && last <= now)
}
