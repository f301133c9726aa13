//! No payload, however mangled, brings the hook down; at worst it is not understood, and a gate then refuses.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::payloads::recorded;
use signalbox_drivers::{DRIVERS, HookKind, recognise_bytes};

/// Parses with every driver under every name, which must come back.
fn try_all(bytes: &[u8]) {
    let _ = recognise_bytes(bytes);
    for driver in DRIVERS {
        let _ = driver.parse(None, bytes);
        for (_, kind) in HookKind::NAMES {
            let _ = driver.parse(Some(*kind), bytes);
        }
    }
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!(true)),
        Just(json!(-1.5e300)),
        Just(json!("")),
        Just(json!("a \"quoted\" \u{1F600} \\ text\u{0}")),
        Just(json!([])),
        Just(json!([["deep", [1, {"path": "/etc"}]], null])),
        Just(json!({})),
        Just(json!({"command": ["ls", 1], "path": {"path": "x"}, "args": "y"})),
    ]
}

/// Puts `value` at the `nth` place of the payload, counted through all levels.
fn replace(target: &mut Value, nth: &mut usize, value: &Value) {
    if *nth == 0 {
        *target = value.clone();
    }
    *nth = nth.wrapping_sub(1);
    match target {
        Value::Object(members) => members.values_mut().for_each(|inner| replace(inner, nth, value)),
        Value::Array(items) => items.iter_mut().for_each(|inner| replace(inner, nth, value)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_field_of_another_type(which in any::<prop::sample::Index>(), at in 0usize..24, odd in odd_value()) {
        let all = recorded();
        let (_, _, bytes) = which.get(all);
        let mut payload: Value = serde_json::from_slice(bytes).unwrap();
        replace(&mut payload, &mut at.clone(), &odd);
        try_all(payload.to_string().as_bytes());
    }

    #[test]
    fn a_payload_cut_off(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>()) {
        let all = recorded();
        let (_, _, bytes) = which.get(all);
        try_all(&bytes[..at.index(bytes.len())]);
    }

    #[test]
    fn a_byte_changed(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let all = recorded();
        let (_, _, bytes) = which.get(all);
        let mut bytes = bytes.clone();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        try_all(&bytes);
    }

    #[test]
    fn a_field_missing_or_added(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), name in ".{0,12}") {
        let all = recorded();
        let (driver, _, bytes) = which.get(all);
        let payload: Map<String, Value> = serde_json::from_slice(bytes).unwrap();
        let mut less = payload.clone();
        let key = payload.keys().nth(at.index(payload.len())).unwrap();
        less.shift_remove(key);
        try_all(Value::Object(less).to_string().as_bytes());
        // What a CLI adds one day changes nothing today.
        if !payload.contains_key(&name) && !KNOWN.contains(&name.as_str()) {
            let mut more = payload.clone();
            more.insert(name, json!({"new": ["thing"]}));
            let told = Some(HookKind::PreTool);
            let (before, after) = (driver.parse(told, bytes), driver.parse(told, Value::Object(more).to_string().as_bytes()));
            prop_assert_eq!(before.ok(), after.ok());
        }
    }
}

/// Names that a generated field could hit by chance.
const KNOWN: &[&str] =
    &["cwd", "event", "error", "model", "reason", "source", "prompt", "message", "trigger"];

#[test]
fn nesting_without_end_is_refused() {
    let claude = DRIVERS.iter().find(|driver| driver.name == "claude").unwrap();
    let deep = "[".repeat(100_000);
    let closed = format!("{deep}{}", "]".repeat(100_000));
    for input in [deep, closed] {
        let payload = format!(
            r#"{{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__x__y","tool_input":{{"path":{input}}}}}"#
        );
        assert!(claude.parse(None, payload.as_bytes()).is_err());
    }
}
