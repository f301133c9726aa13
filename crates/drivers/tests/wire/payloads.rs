//! Every recorded payload is understood, and comes from the CLI that it is taken to come from.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use signalbox_drivers::{DRIVERS, Driver, HookKind, Incoming, Moment, find, recognise, recognise_bytes};

/// A CLI, the name of a file, and its bytes.
type Payload = (&'static Driver, String, Vec<u8>);

/// Every recorded payload, in the order of names. Read once: random tests ask for them a million times.
pub(crate) fn recorded() -> &'static [Payload] {
    static ALL: LazyLock<Vec<Payload>> = LazyLock::new(read_recorded);
    &ALL
}

fn read_recorded() -> Vec<Payload> {
    let mut all = Vec::new();
    for driver in DRIVERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(driver.name);
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        for path in names {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            all.push((driver, name, std::fs::read(&path).unwrap()));
        }
    }
    all
}

/// The event that a file is named after.
fn event(name: &str) -> &str {
    let name = name.strip_prefix("as-claude-").unwrap_or(name);
    name.split('-').next().unwrap()
}

/// What the event's name means, from the documents and not from the code under test.
fn expected(event: &str) -> HookKind {
    match event {
        "SessionStart" | "sessionStart" => HookKind::SessionStart,
        "SessionEnd" | "sessionEnd" => HookKind::SessionEnd,
        "UserPromptSubmit" | "userPromptSubmitted" | "BeforeAgent" => HookKind::Prompt,
        "PreToolUse" | "preToolUse" | "BeforeTool" => HookKind::PreTool,
        "PermissionRequest" | "permissionRequest" => HookKind::Permission,
        "PostToolUse" | "postToolUse" | "AfterTool" => HookKind::PostTool,
        "PostToolUseFailure" => HookKind::PostToolFailure,
        "SubagentStart" | "subagentStart" => HookKind::SubagentStart,
        "SubagentStop" | "subagentStop" => HookKind::SubagentStop,
        "TaskCreated" => HookKind::TaskCreated,
        "TaskCompleted" => HookKind::TaskCompleted,
        "TeammateIdle" => HookKind::TeammateIdle,
        "Stop" | "agentStop" | "AfterAgent" => HookKind::Stop,
        "StopFailure" => HookKind::StopFailure,
        "Notification" => HookKind::Notification,
        "PreCompact" | "PreCompress" => HookKind::PreCompact,
        "PostCompact" => HookKind::PostCompact,
        "Interrupt" => HookKind::Interrupt,
        _ => HookKind::Other,
    }
}

/// Copilot's payloads have no name of their event, so the command line says it.
pub(crate) fn read(driver: &Driver, name: &str, bytes: &[u8]) -> Incoming {
    let told = (driver.name == "copilot").then(|| expected(event(name)));
    driver.parse(told, bytes).unwrap_or_else(|wrong| panic!("{} {name}: {wrong}", driver.name))
}

#[test]
fn every_recorded_payload_is_understood() {
    let all = recorded();
    assert!(all.len() > 150, "only {} payloads", all.len());
    for (driver, name, bytes) in all {
        let incoming = read(driver, name, bytes);
        let place = format!("{} {name}", driver.name);
        assert_eq!(incoming.moment.kind(), expected(event(name)), "{place}");
        assert!(!incoming.session.is_empty(), "{place}");
        if driver.name != "goose" {
            let cwd = incoming.cwd.unwrap_or_else(|| panic!("{place} has no cwd"));
            assert!(cwd.starts_with("/home/dev"), "{place}");
        }
        assert_eq!(
            incoming.subagent.is_some(),
            String::from_utf8_lossy(bytes).contains(agent_mark(driver)),
            "{place}"
        );
    }
}

fn agent_mark(driver: &Driver) -> &'static str {
    // At the top of the payload, not within a tool's response.
    if driver.name == "copilot" { "\n  \"agentId\"" } else { "\n  \"agent_id\"" }
}

#[test]
fn every_recorded_payload_is_recognised() {
    for (driver, name, bytes) in recorded() {
        let found = recognise_bytes(bytes).map(|found| found.name);
        assert_eq!(found, Some(driver.name), "{name}");
        let value = serde_json::from_slice(bytes).unwrap();
        assert_eq!(recognise(&value).map(|found| found.name), Some(driver.name), "{name}");
    }
    assert!(recognise_bytes(b"{}").is_none());
    assert!(recognise_bytes(b"nonsense").is_none());
}

#[test]
fn what_the_recorded_payloads_say() {
    let mut table = String::new();
    for (driver, name, bytes) in recorded() {
        let incoming = read(driver, name, bytes);
        let moment = format!("{:?}", incoming.moment);
        let moment: String = moment.chars().take(240).collect();
        let agent =
            incoming.subagent.map(|agent| format!(" [in {} {:?}]", agent.id, agent.kind)).unwrap_or_default();
        writeln!(table, "{} {name}: {}{agent} {moment}", driver.name, incoming.wire_event).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_payload_without_a_session_is_not_understood() {
    for driver in DRIVERS {
        let wrong = driver.parse(Some(HookKind::PreTool), b"{}").unwrap_err();
        assert_eq!(wrong.to_string(), "the payload has no `session_id`", "{}", driver.name);
    }
    let claude = find("claude").unwrap();
    let unnamed = claude.parse(None, br#"{"session_id":"s"}"#).unwrap_err();
    assert_eq!(unnamed.to_string(), "the payload has no `hook_event_name`");
}

#[test]
fn the_payload_knows_its_event_better_than_the_command_line() {
    let claude = find("claude").unwrap();
    let stop = br#"{"session_id":"s","hook_event_name":"Stop"}"#;
    let incoming = claude.parse(Some(HookKind::PreTool), stop).unwrap();
    assert_eq!(incoming.asked().kind, HookKind::Stop);
    let nameless = br#"{"session_id":"s"}"#;
    let incoming = claude.parse(Some(HookKind::Stop), nameless).unwrap();
    assert_eq!(incoming.wire_event, "Stop");
    assert_eq!(incoming.moment, Moment::Stop { again: false, paused: false, last_message: None });
}

#[test]
fn fields_of_another_type_than_expected_are_as_if_absent_unless_needed() {
    let claude = find("claude").unwrap();
    let odd = br#"{"session_id":"s","hook_event_name":"SessionStart","source":7,"model":{"id":"m"},"cwd":[],"x":{}}"#;
    let incoming = claude.parse(None, odd).unwrap();
    assert_eq!(incoming.moment, Moment::SessionStart { source: None, model: None });
    assert_eq!(incoming.cwd, None);
    let numbered = br#"{"session_id":7,"hook_event_name":"SessionStart"}"#;
    assert!(claude.parse(None, numbered).is_err());
}
