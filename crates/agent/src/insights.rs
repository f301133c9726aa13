//! How much each source is worth for each CLI, and what it is known to miss.

use signalbox_core::agent::Certainty::{Guess, Known, Likely};
use signalbox_core::agent::State::{Idle, WaitingAnswer, WaitingPermission, Working};
use signalbox_core::agent::{Insight, Miss, PLAIN, Source};
use signalbox_drivers::Driver;

/// What is known of a driver's sources, the best first.
pub fn of(driver: Option<&Driver>) -> &'static [Insight] {
    let Some(driver) = driver else { return PLAIN };
    match (driver.state_file.is_some(), driver.title_bar.as_ref().map(|title| title.is_complete)) {
        (true, _) => FILE,
        (false, Some(true)) => TITLE,
        (false, _) => SCREEN,
    }
}

const SILENCE: Insight = Insight { source: Source::Silence, certainty: Guess, misses: &[] };

/// Hooks tell what begins, but not what the person breaks off or answers.
const HOOK: Insight = Insight {
    source: Source::Hook,
    certainty: Likely,
    misses: &[
        Miss { says: Working, truth: Idle, why: "no hook tells of an interrupted turn" },
        Miss { says: Working, truth: WaitingPermission, why: "a dialog may open without a hook" },
        Miss { says: Working, truth: WaitingAnswer, why: "a question may be asked without a hook" },
        Miss { says: Idle, truth: WaitingAnswer, why: "no hook tells of the CLI's own dialogs" },
        Miss { says: Idle, truth: WaitingPermission, why: "a dialog may open without a hook" },
        Miss { says: Idle, truth: Working, why: "prompts may be sent without a hook" },
        Miss { says: WaitingPermission, truth: Working, why: "no hook tells of an answered dialog" },
        Miss { says: WaitingPermission, truth: Idle, why: "no hook tells of an answered dialog" },
    ],
};

const SEEN: Insight = Insight { source: Source::Screen, certainty: Likely, misses: &[] };

/// A CLI that keeps a file about its state.
const FILE: &[Insight] = &[
    Insight { source: Source::StateFile, certainty: Known, misses: &[] },
    HOOK,
    Insight {
        source: Source::Title,
        certainty: Likely,
        misses: &[
            Miss { says: Idle, truth: WaitingPermission, why: "the title is the same for both" },
            Miss { says: Idle, truth: WaitingAnswer, why: "the title is the same for both" },
        ],
    },
    SEEN,
    SILENCE,
];

/// A CLI whose title shows every state.
const TITLE: &[Insight] =
    &[Insight { source: Source::Title, certainty: Known, misses: &[] }, HOOK, SEEN, SILENCE];

/// A CLI of which hooks and screen tell.
const SCREEN: &[Insight] = &[HOOK, SEEN, SILENCE];
