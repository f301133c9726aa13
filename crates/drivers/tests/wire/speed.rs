//! Reading a payload is a small part of what starting the hook's process costs, also where a tool writes 64 kB.

use std::time::Instant;

use signalbox_drivers::{HookKind, find, recognise_bytes};

/// Run by hand, with optimisation: `cargo test --release -p signalbox-drivers -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a check"]
fn how_long_a_payload_takes() {
    let claude = find("claude").unwrap();
    let text = "a line of \\\"text\\\" that is written\\n".repeat(2_000);
    let inputs = [
        ("Bash", r#"{"command":"cargo test","description":"d"}"#.to_owned()),
        ("Write", format!(r#"{{"file_path":"/p/a","content":"{text}"}}"#)),
        ("mcp__fs__write", format!(r#"{{"path":"/p/a","content":"{text}"}}"#)),
    ];
    for (tool, input) in inputs {
        let payload = format!(
            r#"{{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input}}}"#
        );
        let start = Instant::now();
        for _ in 0..1_000 {
            let _ = std::hint::black_box(claude.parse(Some(HookKind::PreTool), payload.as_bytes()));
        }
        let parsed = start.elapsed() / 1_000;
        let start = Instant::now();
        for _ in 0..1_000 {
            std::hint::black_box(recognise_bytes(payload.as_bytes()).is_some());
        }
        eprintln!("{tool}, {} bytes: {parsed:?}, recognised in {:?}", payload.len(), start.elapsed() / 1_000);
    }
}
