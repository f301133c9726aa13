//! What is read from transcripts, line by line.

use signalbox_drivers::find;
use signalbox_drivers::usage::{Count, Usage};

fn line(cli: &str, text: &str) -> Option<Count> {
    let reports = find(cli).and_then(|driver| driver.usage.as_ref()).expect("reports");
    (reports.line)(text)
}

#[test]
fn a_call_is_known_by_its_id() {
    let text = r#"{"type":"assistant","message":{"id":"msg_1","model":"m","usage":{"input_tokens":5,
        "cache_creation_input_tokens":7,"cache_read_input_tokens":30,"output_tokens":20}}}"#;
    let usage = Usage {
        input_tokens: 12,
        cached_tokens: 30,
        output_tokens: 20,
        cost_micros: None,
        model: Some("m".to_owned()),
    };
    assert_eq!(line("claude", text), Some(Count::Call { id: "msg_1".to_owned(), usage }));
}

#[test]
fn a_row_counts_a_conversation() {
    let text = r#"{"id":"20261116_1","input":137,"cached":30,"output":20,"cost":0.0006,"model":"m"}"#;
    let usage = Usage {
        input_tokens: 107,
        cached_tokens: 30,
        output_tokens: 20,
        cost_micros: Some(600),
        model: Some("m".to_owned()),
    };
    assert_eq!(line("goose", text), Some(Count::Call { id: "20261116_1".to_owned(), usage }));
    // Nothing was said yet.
    let text = r#"{"id":"20261116_1","input":null,"cached":null,"output":null,"cost":null,"model":"m"}"#;
    assert_eq!(line("goose", text), None);
}

#[test]
fn other_lines_count_nothing() {
    for cli in ["claude", "codex", "gemini", "copilot", "goose"] {
        for text in [
            "",
            "{",
            "null",
            "{}",
            r#"{"type":"user","message":{"content":"token_count"}}"#,
            "session.usage_record",
        ] {
            assert_eq!(line(cli, text), None, "{cli}: {text}");
        }
    }
}

#[test]
fn the_status_line_of_claude_tells_the_money() {
    let reports = find("claude").and_then(|driver| driver.usage.as_ref()).expect("reports");
    let read = reports.status_line.expect("a status line");
    let want = Usage { cost_micros: Some(3_000), model: Some("m".to_owned()), ..Usage::default() };
    let text =
        r#"{"cost":{"total_cost_usd":0.003},"model":{"id":"m"},"context_window":{"total_input_tokens":100}}"#;
    assert_eq!(read(text), Some(Count::Total(want)));
    assert_eq!(read(r#"{"cost":{"total_cost_usd":-1}}"#), None);
}
