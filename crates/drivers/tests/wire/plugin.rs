//! The Claude Code plugin and the status line.

use serde_json::Value;
use signalbox_drivers::claude::{
    AGENTS, MCP, PluginParts, install_status_line, marketplace, other_status_line, plugin,
    uninstall_status_line,
};
use signalbox_drivers::{Roots, Scope, find};

#[test]
fn the_files_of_the_plugin() {
    let parts =
        PluginParts { sb: "${CLAUDE_PLUGIN_ROOT}/bin/sb", version: "1.2.3", agents: AGENTS, mcp: MCP };
    let files = plugin(&parts);
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    insta::assert_snapshot!(paths.join("\n"));
    for file in files.iter().chain([&marketplace("plugin")]).filter(|file| file.path.ends_with(".json")) {
        let value: Value = serde_json::from_str(&file.text).unwrap();
        assert!(value.is_object(), "{}", file.path);
    }
    let hooks: Value = serde_json::from_str(&files[1].text).unwrap();
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        let hook = &groups[0]["hooks"][0];
        let arguments = hook["args"].as_array().unwrap();
        let program = if hook["command"] == "/bin/sh" { arguments.last().unwrap() } else { &hook["command"] };
        assert_eq!(program, "${CLAUDE_PLUGIN_ROOT}/bin/sb", "{event}");
    }
    insta::assert_snapshot!(files[2].text);
}

#[test]
fn each_agent_says_who_it_is() {
    for (name, text) in AGENTS {
        let (front, prompt) = text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).unwrap();
        let field =
            |key: &str| front.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": ")).unwrap();
        assert_eq!(field("name"), *name);
        // In YAML these would begin something else.
        assert!(!field("description").contains(": ") && !field("description").contains(" #"), "{name}");
        let tools: Vec<_> = field("tools").split(", ").collect();
        assert!(tools.contains(&"Bash"), "{name}: without a shell there is no `sb`");
        assert_eq!(tools.contains(&"Write"), *name == "service-documentation", "{name}");
        assert!((20..=40).contains(&prompt.trim().lines().count()) && prompt.contains("`sb "), "{name}");
    }
}

#[test]
fn a_status_line_only_where_there_is_none() {
    for settings in ["{}", "{\n}\n", "{\"a\":1}", "{\n\t\"a\": 1, // x\n}\n"] {
        let with = install_status_line(Some(settings), "/opt/sb").unwrap();
        assert!(with.contains("'/opt/sb' statusline"), "{with}");
        assert_eq!(install_status_line(Some(&with), "/opt/sb").unwrap(), with);
        assert_eq!(other_status_line(&with).unwrap(), None);
        let moved = install_status_line(Some(&with), "/new/sb").unwrap();
        assert!(moved.contains("'/new/sb' statusline") && !moved.contains("/opt"), "{moved}");
        assert_eq!(uninstall_status_line(&moved).unwrap(), settings);
    }
    let theirs = r#"{"statusLine": {"type": "command", "command": "~/line.sh"}}"#;
    assert_eq!(install_status_line(Some(theirs), "/opt/sb").unwrap(), theirs);
    assert_eq!(uninstall_status_line(theirs).unwrap(), theirs);
    assert_eq!(other_status_line(theirs).unwrap().as_deref(), Some("~/line.sh"));
}

#[test]
fn status_line_and_hooks_together_leave_no_trace() {
    let home = std::path::Path::new("/h");
    let roots = Roots { home: Some(home), ..Roots::default() };
    let place = find("claude").unwrap().places(Scope::User, &roots).remove(0);
    for settings in ["{}", "{\n}\n", "{\"a\":1}", "{\n\t\"a\": 1, // x\n}\n", "{\"hooks\": {}}"] {
        let hooks = place.install(Some(settings), "/opt/sb").unwrap();
        let both = install_status_line(Some(&hooks), "/opt/sb").unwrap();
        assert_eq!(place.install(Some(&both), "/opt/sb").unwrap(), both);
        let left = uninstall_status_line(&both).unwrap();
        assert_eq!(place.uninstall(&left).unwrap().as_deref(), Some(settings));
    }
    let made = place.install(None, "/opt/sb").unwrap();
    let both = install_status_line(Some(&made), "/opt/sb").unwrap();
    assert_eq!(place.uninstall(&uninstall_status_line(&both).unwrap()).unwrap(), None);
}
