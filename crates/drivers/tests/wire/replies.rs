//! What is said to each CLI at each event: the shape that it takes, or nothing.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use signalbox_drivers::{Answer, Asked, DRIVERS, Driver, HookKind, Reply, find};

fn answers() -> [(&'static str, Answer); 7] {
    [
        ("nothing", Answer::Nothing),
        ("context", Answer::Context("C".to_owned())),
        ("refuse", Answer::Refuse("R".to_owned())),
        ("approve", Answer::Approve("A".to_owned())),
        ("hold back", Answer::HoldBack("H".to_owned())),
        ("rewrite", Answer::Rewrite { input: json!({"command": "W"}), approve: false }),
        ("rewrite and approve", Answer::Rewrite { input: json!({"command": "W"}), approve: true }),
    ]
}

fn ask(driver: &Driver, kind: HookKind, answer: &Answer) -> Reply {
    driver.reply(&Asked { kind, wire_event: String::new() }, answer)
}

#[test]
fn every_answer_at_every_event() {
    let mut table = String::new();
    for driver in DRIVERS {
        for (name, kind) in HookKind::NAMES {
            for (said, answer) in answers() {
                let reply = ask(driver, *kind, &answer);
                if reply != Reply::default() {
                    let Reply { stdout, stderr, exit } = reply;
                    writeln!(table, "{} {name}, {said}: {exit} {stdout}{stderr}", driver.name).unwrap();
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn copilot_in_the_style_of_claude() {
    let copilot = find("copilot").unwrap();
    let mut table = String::new();
    for (event, kind) in [
        ("PreToolUse", HookKind::PreTool),
        ("Stop", HookKind::Stop),
        ("SessionStart", HookKind::SessionStart),
        ("PermissionRequest", HookKind::Permission),
    ] {
        for (said, answer) in answers() {
            let reply = copilot.reply(&Asked { kind, wire_event: event.to_owned() }, &answer);
            writeln!(table, "{event}, {said}: {} {}", reply.exit, reply.stdout).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

/// Claude Code obeys the answer only if it names the event that was asked about.
#[test]
fn an_answer_names_the_event() {
    for cli in ["claude", "codex"] {
        let driver = find(cli).unwrap();
        for event in driver.events {
            for (_, answer) in answers() {
                let reply = ask(driver, event.kind, &answer);
                let Ok(value) = serde_json::from_str::<Value>(&reply.stdout) else { continue };
                if let Some(inner) = value.get("hookSpecificOutput") {
                    assert_eq!(inner["hookEventName"], event.wire);
                }
            }
        }
    }
}

/// The keys that Codex takes, by event; one more and it throws the answer away.
fn codex_takes(kind: HookKind) -> &'static [&'static str] {
    match kind {
        HookKind::PreTool => &[
            "hookSpecificOutput",
            "hookSpecificOutput.hookEventName",
            "hookSpecificOutput.permissionDecision",
            "hookSpecificOutput.permissionDecisionReason",
            "hookSpecificOutput.additionalContext",
            "hookSpecificOutput.updatedInput",
            "hookSpecificOutput.updatedInput.command",
        ],
        HookKind::Permission => &[
            "hookSpecificOutput",
            "hookSpecificOutput.hookEventName",
            "hookSpecificOutput.decision",
            "hookSpecificOutput.decision.behavior",
            "hookSpecificOutput.decision.message",
        ],
        HookKind::Prompt | HookKind::PostTool => &[
            "decision",
            "reason",
            "hookSpecificOutput",
            "hookSpecificOutput.hookEventName",
            "hookSpecificOutput.additionalContext",
        ],
        HookKind::SessionStart | HookKind::SubagentStart => &[
            "hookSpecificOutput",
            "hookSpecificOutput.hookEventName",
            "hookSpecificOutput.additionalContext",
        ],
        HookKind::Stop | HookKind::SubagentStop => &["decision", "reason"],
        _ => &[],
    }
}

fn keys(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        keys(inner, &path, all);
        all.insert(path);
    }
}

#[test]
fn codex_gets_no_key_that_it_does_not_take() {
    let codex = find("codex").unwrap();
    for (_, kind) in HookKind::NAMES {
        for (said, answer) in answers() {
            let reply = ask(codex, *kind, &answer);
            assert_eq!((reply.exit, reply.stderr.as_str()), (0, ""));
            if reply.stdout.is_empty() {
                continue;
            }
            let mut all = BTreeSet::new();
            keys(&serde_json::from_str(&reply.stdout).unwrap(), "", &mut all);
            let extra: Vec<_> =
                all.iter().filter(|key| !codex_takes(*kind).contains(&key.as_str())).collect();
            assert!(extra.is_empty(), "{} {said}: {extra:?}", kind.name());
        }
    }
}

/// A gate that has been told no must say no, whichever word was used, also without a word of its own.
#[test]
fn a_gate_never_stays_silent_about_a_refusal() {
    for driver in DRIVERS {
        for reason in ["because", "", "  \n"] {
            for answer in [Answer::Refuse(reason.to_owned()), Answer::HoldBack(reason.to_owned())] {
                let reply = ask(driver, HookKind::PreTool, &answer);
                assert!(reply.stdout.contains("deny") || reply.stdout.contains("block"), "{}", driver.name);
                let value: Value = serde_json::from_str(&reply.stdout).unwrap();
                let inner = value.get("hookSpecificOutput").unwrap_or(&value);
                let said = inner.get("permissionDecisionReason").or(inner.get("reason")).unwrap();
                assert!(!said.as_str().unwrap().trim().is_empty(), "{}", driver.name);
            }
        }
    }
}

#[test]
fn a_payload_that_cannot_be_read() {
    let mut table = String::new();
    for driver in DRIVERS {
        for (name, kind) in HookKind::NAMES {
            let reply = driver.refuse_blindly(*kind, "the payload could not be read");
            if kind.is_gate() {
                writeln!(table, "{} {name}: {} {}", driver.name, reply.exit, reply.stdout).unwrap();
            } else {
                assert_eq!(reply, Reply::default(), "{} {name}", driver.name);
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn long_context_is_cut_at_a_line() {
    let claude = find("claude").unwrap();
    let said = |text: String| {
        let reply = ask(claude, HookKind::SessionStart, &Answer::Context(text));
        let value: Value = serde_json::from_str(&reply.stdout).unwrap();
        value["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let short = "x".repeat(9_000);
    assert_eq!(said(short.clone()), short);
    let long = said("a line of text\n".repeat(1_000));
    assert!(long.chars().count() <= 9_000 && long.chars().count() > 8_900);
    assert!(
        long.ends_with(
            "a line of text\n[Cut here: the rest was too long. Run `sb context` to read all of it.]"
        )
    );
    // Counted as JavaScript counts: each of these is two.
    let wide = said("\u{1F600}".repeat(9_000));
    assert!(wide.encode_utf16().count() <= 9_000);
}

#[test]
fn what_each_cli_can_do() {
    let mut table = String::new();
    for row in 0..DRIVERS[0].capabilities.rows().len() {
        write!(table, "{}", DRIVERS[0].capabilities.rows()[row].0).unwrap();
        for driver in DRIVERS {
            write!(table, " | {}", driver.capabilities.rows()[row].1.text()).unwrap();
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table);
}
