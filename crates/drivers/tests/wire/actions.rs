//! What a tool call does, by the tool's name and input.

use std::fmt::Write as _;

use signalbox_core::call::Action;
use signalbox_drivers::{Moment, find};

fn call(cli: &str, tool: &str, input: &str) -> Result<Action, String> {
    let driver = find(cli).unwrap();
    let payload = match cli {
        "goose" => {
            format!(r#"{{"event":"PreToolUse","session_id":"s","tool_name":"{tool}","tool_input":{input}}}"#)
        }
        "copilot" => format!(r#"{{"sessionId":"s","toolName":"{tool}","toolArgs":{input}}}"#),
        "gemini" => format!(
            r#"{{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"{tool}","tool_input":{input}}}"#
        ),
        _ => format!(
            r#"{{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"{tool}","tool_input":{input}}}"#
        ),
    };
    let told = signalbox_drivers::HookKind::PreTool;
    match driver.parse(Some(told), payload.as_bytes()) {
        Ok(incoming) => match incoming.moment {
            Moment::PreTool(call) => Ok(call.action),
            other => panic!("{other:?}"),
        },
        Err(wrong) => Err(wrong.to_string()),
    }
}

#[test]
fn tools_of_every_cli() {
    let rows = [
        ("claude", "Bash", r#"{"command":"echo \"hi\"\n","run_in_background":true}"#),
        ("claude", "Bash", r#"{"command":["rm","-rf","a b"]}"#),
        ("claude", "Bash", r#"{"description":"no command"}"#),
        ("claude", "Bash", r#"{"command":"ls","command":"rm -rf /"}"#),
        ("claude", "Bash", "null"),
        ("claude", "Write", r#"{"file_path":"/p/a.txt","content":"one\n"}"#),
        ("claude", "Write", r#"{"path":"/p/renamed.txt","content":"one"}"#),
        ("claude", "Edit", r#"{"file_path":"a","old_string":"x","new_string":"y"}"#),
        (
            "claude",
            "MultiEdit",
            r#"{"file_path":"a","edits":[{"old_string":"1","new_string":"2"},{"new_string":"3"}]}"#,
        ),
        ("claude", "NotebookEdit", r#"{"notebook_path":"n.ipynb","new_source":"print()"}"#),
        ("claude", "Read", r#"{"file_path":"/etc/passwd"}"#),
        ("claude", "Glob", r#"{"pattern":"**/*.rs"}"#),
        ("claude", "Glob", r#"{"pattern":"/etc/*","path":"src"}"#),
        ("claude", "Glob", r#"{"pattern":"src/../../x"}"#),
        ("claude", "WebFetch", r#"{"url":"https://example.com","prompt":"p"}"#),
        ("claude", "WebSearch", r#"{"query":"rust"}"#),
        ("claude", "Agent", r#"{"prompt":"do it","subagent_type":"x"}"#),
        ("claude", "Task", r#"{"prompt":"do it"}"#),
        ("claude", "CronCreate", r#"{"cron":"* * * * *","prompt":"again"}"#),
        ("claude", "Monitor", r#"{"command":"tail -f log"}"#),
        ("claude", "TodoWrite", r#"{"todos":[]}"#),
        ("claude", "EnterWorktree", r#"{"name":"foo"}"#),
        ("claude", "ExitWorktree", r#"{"action":"remove","discard_changes":true}"#),
        (
            "claude",
            "mcp__fs__move",
            r#"{"source":"a b.txt","destination":"/etc/x","note":"see docs/x.md or http://e.x/y"}"#,
        ),
        ("claude", "mcp__fs__read", r#"{"uri":"file:///etc/pass%77d","other":"https://example.com/a/b"}"#),
        (
            "claude",
            "mcp__fs__many",
            r#"{"files":{"src/a.rs":"fn main() {}","b.rs":"x"},"photo":"p","filePath":"f"}"#,
        ),
        (
            "claude",
            "mcp__sh__run",
            r#"{"command":"rm","args":["-rf","a b"],"nested":{"script":"echo $HOME > ~/x"}}"#,
        ),
        ("claude", "mcp__sh__argv", r#"{"cmd":["bash","-lc","rm x"]}"#),
        ("claude", "mcp__sh__args", r#"{"args":"push --force"}"#),
        ("claude", "mcp__x__nothing", "{}"),
        ("claude", "mcp__x__text", r#""just text""#),
        ("codex", "Bash", r#"{"command":"ls"}"#),
        (
            "codex",
            "apply_patch",
            r#"{"command":"*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Delete File: c.rs\n*** Add File: d e.rs\n+z\n*** End Patch"}"#,
        ),
        ("codex", "apply_patch", r#"{"command":"no patch at all"}"#),
        ("codex", "exec_command", r#"{"cmd":"ls","workdir":"/tmp/a b"}"#),
        ("codex", "spawn_agent", r#"{"message":"go"}"#),
        ("codex", "update_plan", r#"{"plan":[]}"#),
        ("codex", "view_image", r#"{"path":"i.png"}"#),
        ("codex", "mcp__tiny__echo", r#"{"text":"hey"}"#),
        ("gemini", "run_shell_command", r#"{"command":"ls","dir_path":"sub"}"#),
        ("gemini", "write_file", r#"{"file_path":"a","content":"c"}"#),
        ("gemini", "replace", r#"{"file_path":"a","old_string":"o","new_string":"n"}"#),
        ("gemini", "read_many_files", r#"{"paths":["a","b/**"]}"#),
        ("gemini", "web_fetch", r#"{"prompt":"read https://example.com"}"#),
        ("gemini", "save_memory", r#"{"fact":"likes tea"}"#),
        ("gemini", "write_todos", r#"{"todos":[]}"#),
        ("gemini", "mcp_fs_write", r#"{"path":"x","content":"y"}"#),
        ("copilot", "bash", r#"{"command":"ls"}"#),
        ("copilot", "bash", r#""{\"command\":\"ls -l\"}""#),
        ("copilot", "create", r#"{"path":"/p/n.txt","file_text":"x"}"#),
        ("copilot", "edit", r#"{"path":"a","old_str":"o","new_str":"n"}"#),
        ("copilot", "str_replace_editor", r#"{"command":"view","path":"a"}"#),
        ("copilot", "str_replace_editor", r#"{"command":"create","path":"a","file_text":"t"}"#),
        ("copilot", "task", r#"{"prompt":"go"}"#),
        ("copilot", "fs-write", r#"{"path":"x"}"#),
        ("goose", "shell", r#"{"command":"ls"}"#),
        ("goose", "write", r#"{"path":"a","content":"b"}"#),
        ("goose", "edit", r#"{"path":"a","before":"b","after":"c"}"#),
        ("goose", "delegate", r#"{"instructions":"do it"}"#),
        ("goose", "delegate", r#"{"source":"a recipe"}"#),
        ("goose", "delegate", r#"{"renamed":"do it"}"#),
        ("goose", "load_skill", r#"{"name":"a"}"#),
        ("goose", "extensionmanager__manage_extensions", r#"{"action":"enable","extension_name":"a"}"#),
        ("goose", "developer__shell", r#"{"command":"ls"}"#),
        ("goose", "developer__edit", r#"{"path":"a","before":"b","after":"c"}"#),
        ("goose", "developer__text_editor", r#"{"command":"str_replace","path":"a","new_str":"n"}"#),
        ("goose", "developer__text_editor", r#"{"command":"view","path":"a"}"#),
        ("goose", "computercontroller__automation_script", r#"{"language":"shell","script":"rm x"}"#),
    ];
    let mut table = String::new();
    for (cli, tool, input) in rows {
        let action = call(cli, tool, input);
        writeln!(table, "{cli} {tool} {input}\n    {action:?}").unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_large_input_keeps_its_text() {
    let content = "0123456789abcdef".repeat(4096);
    let action = call("claude", "Write", &format!(r#"{{"file_path":"a","content":"{content}"}}"#)).unwrap();
    assert_eq!(action, Action::Write { paths: vec!["a".to_owned()], text: content });
}
