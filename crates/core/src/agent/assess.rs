//! Weighing the evidence, and saying in sentences how it was weighed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Insight, Miss, Signal, Source, State};
use crate::text;

/// How sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    Guess,
    Likely,
    Known,
}

impl Certainty {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Guess => "guess",
            Self::Likely => "likely",
            Self::Known => "known",
        }
    }
}

/// The state, and what speaks for it and against it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assessment {
    pub state: State,
    pub certainty: Certainty,
    /// Since when; unknown where nothing was seen at all.
    pub since: Option<Timestamp>,
    /// The deciding one first.
    pub because: Vec<Signal>,
    pub against: Vec<Signal>,
    /// Why the signals of a better source that speak against it do not count.
    #[serde(skip)]
    overruled: Vec<(Source, &'static str)>,
}

/// What the agent is doing, by the newest signal of each source.
///
/// The best source decides. A worse one can overrule it only by something newer, and only where the better one is
/// known to miss that very case, and so is everybody between them who says the same. That the process has ended is final.
pub fn assess(signals: &[Signal], insights: &[Insight]) -> Assessment {
    let newest = |source: Source| signals.iter().filter(|s| s.source == source).max_by_key(|s| s.at);
    let process = newest(Source::Process);
    if let Some(exit) = signals.iter().find(|s| s.source == Source::Process && s.says == State::Exited) {
        let against = insights.iter().filter_map(|insight| newest(insight.source)).cloned().collect();
        return Assessment {
            state: State::Exited,
            certainty: Certainty::Known,
            since: Some(exit.at),
            because: vec![exit.clone()],
            against,
            overruled: Vec::new(),
        };
    }
    let evidence: Vec<(&Insight, &Signal)> =
        insights.iter().filter_map(|insight| Some((insight, newest(insight.source)?))).collect();
    let Some(mut best) = evidence.first() else { return nothing_seen(process) };
    let mut overruled = Vec::new();
    for (place, other) in evidence.iter().enumerate().skip(1) {
        let agrees = |witness: &&(&Insight, &Signal)| witness.1.says == best.1.says;
        let is_held =
            evidence.iter().take(place).filter(agrees).any(|held| miss(held, other.1.says).is_none());
        if other.1.at > best.1.at
            && !is_held
            && let Some(miss) = miss(best, other.1.says)
        {
            overruled.push((best.1.source, miss.why));
            best = other;
        }
    }
    let (insight, decisive) = *best;
    let state = decisive.says;
    let others =
        || evidence.iter().map(|(_, signal)| *signal).filter(|signal| signal.source != decisive.source);
    let because = std::iter::once(decisive).chain(others().filter(|signal| signal.says == state));
    let against: Vec<Signal> = others().filter(|signal| signal.says != state).cloned().collect();
    Assessment {
        state,
        certainty: certainty(insight, decisive, &because.clone().collect::<Vec<_>>(), &against),
        since: Some(decisive.at),
        because: because.cloned().collect(),
        against,
        overruled,
    }
}

/// Known only where its source can be trusted with it, or a second one says the same, and nothing newer says
/// otherwise.
fn certainty(insight: &Insight, decisive: &Signal, because: &[&Signal], against: &[Signal]) -> Certainty {
    let weighs = |signal: &Signal| signal.source != Source::Silence;
    let confirmed = because.iter().skip(1).any(|signal| weighs(signal));
    let contradicted = against.iter().any(|signal| weighs(signal) && signal.at > decisive.at);
    let may_be_wrong = insight.misses.iter().any(|miss| miss.says == decisive.says);
    if contradicted || may_be_wrong && !confirmed {
        insight.certainty.min(Certainty::Likely)
    } else {
        insight.certainty
    }
}

fn miss<'a>((insight, signal): &(&'a Insight, &Signal), truth: State) -> Option<&'a Miss> {
    insight.misses.iter().find(|miss| miss.says == signal.says && miss.truth == truth)
}

fn nothing_seen(process: Option<&Signal>) -> Assessment {
    Assessment {
        state: State::Starting,
        certainty: Certainty::Guess,
        since: process.map(|signal| signal.at),
        because: process.cloned().into_iter().collect(),
        against: Vec::new(),
        overruled: Vec::new(),
    }
}

impl Assessment {
    /// How it came to be, a sentence each: the state first, then every signal.
    pub fn explain(&self, now: Timestamp) -> Vec<String> {
        let sure = match self.certainty {
            Certainty::Known => "that is known",
            Certainty::Likely => "that is likely",
            Certainty::Guess => "that is a guess",
        };
        let words = self.state.words();
        let state = match (self.state, self.since.map(|at| age(at, now))) {
            (State::Exited, Some(age)) => format!("It ended {age} ago"),
            (_, Some(age)) => format!("It has been {words} for {age}"),
            (_, None) => format!("It is {words}"),
        };
        let mut sentences = vec![format!("{state}; {sure}.")];
        if self.because.is_empty() {
            sentences.push("Nothing was seen of it yet.".to_owned());
        }
        sentences.extend(self.because.iter().map(|signal| format!("{}.", said(signal, now))));
        for signal in &self.against {
            let reason = match self.overruled.iter().find(|(source, _)| *source == signal.source) {
                Some((_, why)) => format!("it was overruled, because {why}"),
                None if self.state == State::Exited => "a process that is gone does nothing".to_owned(),
                None => "a better source says otherwise".to_owned(),
            };
            sentences.push(format!("{}; {reason}.", said(signal, now)));
        }
        sentences
    }
}

/// `The last hook said "working" 14 s ago: PreToolUse Bash`
fn said(signal: &Signal, now: Timestamp) -> String {
    let words = signal.source.words();
    let mut subject = words.to_owned();
    if let Some(first) = subject.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    // A hook tells of a moment; everything else goes on saying it.
    let when = match signal.source {
        Source::Hook => format!("said \"{}\" {} ago", signal.says, age(signal.at, now)),
        _ => format!("has said \"{}\" for {}", signal.says, age(signal.at, now)),
    };
    let detail = text::one_line(&signal.detail);
    if detail.is_empty() { format!("{subject} {when}") } else { format!("{subject} {when}: {detail}") }
}

/// `0.4 s`, `14 s`, `3 min`, `2 h`, `5 d`
fn age(at: Timestamp, now: Timestamp) -> String {
    let millis = now.duration_since(at).as_millis().max(0);
    let seconds = millis / 1000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, millis % 1000 / 100),
        10..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}
