//! What an agent is doing: a table of what the sources say and what follows, and the words for it.

use jiff::Timestamp;
use proptest::prelude::*;
use signalbox_core::AgentId;
use signalbox_core::agent::{
    Assessment, Candidate, Certainty, Insight, Miss, PLAIN, Signal, Source, State, assess, find,
};
use signalbox_core::inject::{Deferred, Readiness};

use Certainty::{Guess, Known, Likely};
use Source::{Hook, Process, Screen, Silence, StateFile, Title};
use State::{Exited, Idle, Starting, WaitingAnswer, WaitingPermission, Working};

/// As Claude Code is: no hook on Esc nor for its own dialogs, and a title that is the same for idle and dialog.
const CLAUDE: &[Insight] = &[
    Insight { source: StateFile, certainty: Known, misses: &[] },
    Insight {
        source: Hook,
        certainty: Known,
        misses: &[
            Miss { says: Working, truth: Idle, why: "no hook tells of an interrupted turn" },
            Miss { says: Idle, truth: WaitingAnswer, why: "no hook tells of the CLI's own dialogs" },
            Miss { says: WaitingPermission, truth: Working, why: "no hook tells of an answered dialog" },
            Miss { says: WaitingPermission, truth: Idle, why: "no hook tells of an answered dialog" },
        ],
    },
    Insight {
        source: Title,
        certainty: Likely,
        misses: &[
            Miss { says: Idle, truth: WaitingPermission, why: "the title is the same for both" },
            Miss { says: Idle, truth: WaitingAnswer, why: "the title is the same for both" },
        ],
    },
    Insight { source: Screen, certainty: Likely, misses: &[] },
    Insight { source: Silence, certainty: Guess, misses: &[] },
];

/// A CLI without hooks or a state file.
const BARE: &[Insight] = &[
    Insight { source: Screen, certainty: Likely, misses: &[] },
    Insight { source: Silence, certainty: Guess, misses: &[] },
];

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_763_000_000 + second).unwrap()
}

fn signals(rows: &[(Source, State, i64)]) -> Vec<Signal> {
    rows.iter().map(|(source, says, second)| Signal::new(*source, *says, at(*second), "")).collect()
}

fn of(insights: &[Insight], rows: &[(Source, State, i64)]) -> Assessment {
    assess(&signals(rows), insights)
}

#[test]
fn rules() {
    type Row<'a> = (&'a str, &'a [Insight], &'a [(Source, State, i64)], (State, Certainty));
    let table: &[Row] = &[
        ("nothing was seen", CLAUDE, &[], (Starting, Guess)),
        ("it only runs", CLAUDE, &[(Process, Starting, 0)], (Starting, Guess)),
        ("only silence", CLAUDE, &[(Process, Starting, 0), (Silence, Idle, 9)], (Idle, Guess)),
        ("only output", PLAIN, &[(Silence, Working, 9)], (Working, Guess)),
        ("the state file alone", CLAUDE, &[(StateFile, Idle, 5)], (Idle, Known)),
        (
            "Esc leaves no hook: the state file beats PreToolUse",
            CLAUDE,
            &[(StateFile, Idle, 20), (Hook, Working, 10)],
            (Idle, Known),
        ),
        (
            "the state file also stands where the hook is newer, but not as surely",
            CLAUDE,
            &[(StateFile, Idle, 10), (Hook, Working, 20)],
            (Idle, Likely),
        ),
        ("a hook alone that Esc could have outdated", CLAUDE, &[(Hook, Working, 10)], (Working, Likely)),
        ("and with the screen", CLAUDE, &[(Hook, Working, 10), (Screen, Working, 11)], (Working, Known)),
        (
            "Esc without a state file: the newer screen overrules the hook",
            CLAUDE,
            &[(Hook, Working, 10), (Screen, Idle, 20)],
            (Idle, Likely),
        ),
        (
            "a screen that has not been painted since the hook does not",
            CLAUDE,
            &[(Hook, Working, 10), (Screen, Idle, 5)],
            (Working, Likely),
        ),
        (
            "a permission dialog, by hook and screen",
            CLAUDE,
            &[(Hook, WaitingPermission, 10), (Title, Idle, 10), (Screen, WaitingPermission, 11)],
            (WaitingPermission, Known),
        ),
        (
            "a permission that was given without a hook",
            CLAUDE,
            &[(Hook, WaitingPermission, 10), (Screen, Working, 15)],
            (Working, Likely),
        ),
        (
            "the CLI's own dialog has no hook",
            CLAUDE,
            &[(Hook, Idle, 10), (Title, Idle, 3), (Screen, WaitingAnswer, 15)],
            (WaitingAnswer, Likely),
        ),
        (
            "a title that cannot tell idle from a dialog",
            CLAUDE,
            &[(Title, Idle, 10), (Screen, WaitingPermission, 12)],
            (WaitingPermission, Likely),
        ),
        (
            "a hook that says what it never misses is not overruled",
            CLAUDE,
            &[(Hook, Idle, 10), (Screen, Working, 20)],
            (Idle, Likely),
        ),
        ("silence overrules nobody", CLAUDE, &[(Hook, Idle, 10), (Silence, Working, 20)], (Idle, Likely)),
        (
            "the newest of a source counts",
            CLAUDE,
            &[(StateFile, Idle, 1), (StateFile, Working, 2)],
            (Working, Known),
        ),
        ("the end is final", CLAUDE, &[(Process, Exited, 5), (StateFile, Working, 9)], (Exited, Known)),
        (
            "also where the process is said to run afterwards",
            CLAUDE,
            &[(Process, Exited, 5), (Process, Starting, 9)],
            (Exited, Known),
        ),
        ("a source that the CLI does not have is not asked", BARE, &[(Title, Working, 5)], (Starting, Guess)),
        ("the screen beats silence", BARE, &[(Screen, Working, 5), (Silence, Idle, 9)], (Working, Likely)),
    ];
    for (why, insights, rows, (state, certainty)) in table {
        let found = of(insights, rows);
        assert_eq!((found.state, found.certainty), (*state, *certainty), "{why}: {found:#?}");
    }
}

#[test]
fn a_message_is_typed_on_no_guess_and_into_no_dialog() {
    for (rows, want) in [
        (&[(StateFile, Idle, 1)][..], Readiness::Ready),
        (&[(Silence, Idle, 1)], Readiness::NotYet(Deferred::UnknownState)),
        (&[(StateFile, Working, 1)], Readiness::NotYet(Deferred::Busy)),
        (&[(StateFile, WaitingAnswer, 1)], Readiness::NotYet(Deferred::Dialog)),
        (&[(Hook, WaitingPermission, 1)], Readiness::NotYet(Deferred::Dialog)),
        (&[(StateFile, Idle, 1), (Hook, WaitingPermission, 2)], Readiness::NotYet(Deferred::Dialog)),
        (&[(StateFile, Idle, 2), (Hook, WaitingPermission, 1)], Readiness::Ready),
        (&[(Process, Exited, 1)], Readiness::NotYet(Deferred::Exited)),
        (&[], Readiness::NotYet(Deferred::NotStarted)),
    ] {
        assert_eq!(of(CLAUDE, rows).readiness(), want, "{rows:?}");
    }
}

#[test]
fn the_explanation_names_every_signal() {
    let signals = [
        Signal::new(Hook, Working, at(0), "PreToolUse Bash"),
        Signal::new(Screen, Idle, at(11), "an empty prompt"),
        Signal::new(Title, Idle, at(5), "✳ \u{1b}x"),
        Signal::new(Silence, Working, at(13), ""),
    ];
    let sentences = assess(&signals, CLAUDE).explain(at(14));
    assert_eq!(
        sentences,
        [
            "It has been idle for 9.0 s; that is likely.",
            "The terminal's title has said \"idle\" for 9.0 s: ✳ \\x1bx.",
            "The screen has said \"idle\" for 3.0 s: an empty prompt.",
            "The last hook said \"working\" 14 s ago: PreToolUse Bash; it was overruled, because no hook tells of an interrupted turn.",
            "The flow of output has said \"working\" for 1.0 s; a better source says otherwise.",
        ]
    );
    assert_eq!(
        assess(&[], CLAUDE).explain(at(0)),
        ["It is starting; that is a guess.", "Nothing was seen of it yet."]
    );
}

#[test]
fn words_mean_agents() {
    let agent = |id: &str, name: Option<&str>, lives| Candidate {
        id: AgentId::parse(id).unwrap(),
        name: name.map(ToOwned::to_owned),
        lives,
        began: at(0),
    };
    let agents = [
        agent("claude-7kq2", Some("Ada"), true),
        agent("claude-7kw9", Some("Grace"), false),
        agent("codex-b2b2", Some("claude-7kq2x"), true),
        agent("codex-c3c3", Some("Ada"), false),
        agent("gemini-d4d4", Some("twin"), true),
        agent("gemini-d4f5", Some("twin"), true),
        agent("ada-2222", None, false),
        Candidate { began: at(5), ..agent("goose-e5e5", Some("late"), false) },
        Candidate { began: at(9), ..agent("goose-e5f6", Some("late"), false) },
        Candidate { began: at(7), ..agent("goose-e5g7", Some("late"), false) },
    ];
    let word = |typed: &str| find(typed, &agents).map(|found| found.id.to_string()).map_err(|r| r.code);
    for (typed, want) in [
        ("claude-7kq2", Ok("claude-7kq2")),
        ("ada", Ok("claude-7kq2")),
        ("ADA", Ok("claude-7kq2")),
        ("Grace", Ok("claude-7kw9")),
        ("gra", Ok("claude-7kw9")),
        ("claude-7k", Ok("claude-7kq2")),
        ("claude-7kq2x", Ok("codex-b2b2")),
        ("codex-c", Ok("codex-c3c3")),
        ("ada-", Ok("ada-2222")),
        ("twin", Err("agent.ambiguous")),
        ("gemini", Err("agent.ambiguous")),
        ("Late", Ok("goose-e5f6")),
        ("lat", Err("agent.ambiguous")),
        ("", Err("agent.empty")),
        ("zzz", Err("agent.unknown")),
        ("ä", Err("agent.unknown")),
    ] {
        assert_eq!(word(typed).as_deref(), want.as_deref(), "{typed}");
    }
    let refusal = find("cluade-7kq2", &agents).unwrap_err();
    assert_eq!(refusal.hint.as_deref(), Some("Did you mean `claude-7kq2`?"));
    let several = find("twin", &agents).unwrap_err().message;
    assert_eq!(several, "`twin` could be any of these:\n  gemini-d4d4  twin\n  gemini-d4f5  twin");
}

proptest! {
    /// Whatever is seen: the end is final, every signal that counts is shown, and nothing is surer than its source.
    #[test]
    fn every_assessment_holds_together(rows in prop::collection::vec(
        (
            prop::sample::select(vec![Process, StateFile, Hook, Title, Screen, Silence]),
            prop::sample::select(State::ALL.to_vec()),
            0..50i64,
        ),
        0..12,
    )) {
        let found = of(CLAUDE, &rows);
        if rows.iter().any(|(source, says, _)| *source == Process && *says == Exited) {
            prop_assert_eq!((found.state, found.certainty), (Exited, Known));
        }
        prop_assert!(found.because.iter().all(|signal| signal.says == found.state || signal.source == Process));
        let shown = |source: Source| found.because.iter().chain(&found.against).any(|s| s.source == source);
        for source in [StateFile, Hook, Title, Screen, Silence] {
            prop_assert_eq!(rows.iter().any(|(s, _, _)| *s == source), shown(source));
        }
        if found.because.iter().all(|signal| signal.source == Silence) {
            prop_assert_eq!(found.certainty, Guess);
        }
        let sentences = found.explain(at(60));
        prop_assert!(sentences.iter().all(|sentence| sentence.ends_with('.')));
        prop_assert!(sentences.len() > found.because.len() + found.against.len());
    }
}
