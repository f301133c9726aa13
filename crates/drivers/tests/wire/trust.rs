//! Codex's trust in a hook.

use serde_json::json;
use signalbox_drivers::codex::{distrust, trust, trust_entries, trust_hash};
use signalbox_drivers::{Roots, Scope, find};

fn hooks_json(existing: Option<&str>) -> String {
    let home = std::path::Path::new("/home/dev");
    let roots = Roots { home: Some(home), ..Roots::default() };
    find("codex").unwrap().places(Scope::User, &roots)[0].install(existing, "/opt/sb").unwrap()
}

/// Over exactly the text that Codex hashes, written out by hand.
#[test]
fn the_hash_is_over_sorted_compact_json() {
    use sha2::{Digest, Sha256};
    let text = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"/x hook","timeout":600,"type":"command"}],"matcher":"Bash"}"#;
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let hook = json!({"type": "command", "command": "/x hook"});
    assert_eq!(trust_hash("pre_tool_use", Some("Bash"), &hook), format!("sha256:{hex}"));
}

#[test]
fn every_hook_of_ours_is_named_by_its_place() {
    let theirs = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/theirs"}]}]}}"#;
    let text = hooks_json(Some(theirs));
    let entries = trust_entries("/home/dev/.codex/hooks.json", &text).unwrap();
    assert_eq!(entries.len(), 12);
    let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
    assert!(keys.contains(&"/home/dev/.codex/hooks.json:pre_tool_use:1:0"), "{keys:?}");
    assert!(keys.contains(&"/home/dev/.codex/hooks.json:user_prompt_submit:0:0"), "{keys:?}");
}

#[test]
fn trust_is_added_and_taken_back_without_a_trace() {
    let entries = trust_entries("/h/hooks.json", &hooks_json(None)).unwrap();
    for config in [
        "",
        "# mine\nmodel = \"x\" # why\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
        "[hooks.state.\"/other:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n",
        "[hooks]\n# empty\n",
        "[features]\nhooks = true",
    ] {
        let trusted = trust(Some(config), &entries).unwrap();
        assert!(trusted.contains(&entries[0].hash));
        assert_eq!(trust(Some(&trusted), &entries).unwrap(), trusted, "twice is once");
        let back = distrust(&trusted, &entries).unwrap();
        assert_eq!(back.trim_end(), config.trim_end());
        assert_eq!(distrust(config, &entries).unwrap(), config);
    }
    assert!(trust(None, &entries).unwrap().starts_with("[hooks.state.\"/h/hooks.json:"));
}

#[test]
fn a_config_that_cannot_be_read_is_left_alone() {
    let wrong = trust(Some("a = 1\nb = = 2\n"), &[]).unwrap_err().to_string();
    assert!(wrong.starts_with("line 2, column 5: "), "{wrong}");
    let wrong = trust(Some("hooks = 3\n"), &[]).unwrap_err().to_string();
    assert_eq!(wrong, "line 1, column 1: `hooks` is not a table");
}
